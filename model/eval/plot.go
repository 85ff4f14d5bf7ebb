package eval

import (
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Plot draws the report's plots into a folder as PNG files and returns their
// names: of every next-state table the shares, of every calibration the
// reliability by component and by action, of every horizon the curves of em@k.
func (r *Report) Plot(dir string) ([]string, error) {
	var names []string
	save := func(name string, p *plot.Plot, err error) error {
		if err == nil {
			err = p.Save(16*vg.Centimeter, 10*vg.Centimeter, filepath.Join(dir, name))
		}
		if err != nil {
			return fmt.Errorf("draw %s: %w", name, err)
		}
		names = append(names, name)
		return nil
	}
	for i := range r.NextState {
		t := &r.NextState[i]
		p, err := t.plot()
		if err := save(plotName("next-state", t.Data, t.Unconstrained), p, err); err != nil {
			return nil, err
		}
	}
	for i := range r.Horizon {
		t := &r.Horizon[i]
		p, err := t.plot()
		if err := save(plotName("horizon", t.Data, t.Unconstrained), p, err); err != nil {
			return nil, err
		}
	}
	for i := range r.Calibration {
		t := &r.Calibration[i]
		p, err := t.plot("by component", func(row *CalibrationRow) string {
			if row.Action == statetree.NoAction {
				return string(row.Component)
			}
			return ""
		})
		if err := save(plotName("reliability", t.Data, t.Unconstrained), p, err); err != nil {
			return nil, err
		}
		p, err = t.plot("whole states by action", func(row *CalibrationRow) string {
			if row.Action != statetree.NoAction && row.Component == Whole {
				return row.Action.String()
			}
			return ""
		})
		if err := save(plotName("reliability-by-action", t.Data, t.Unconstrained), p, err); err != nil {
			return nil, err
		}
	}
	return names, nil
}

func plotName(what, data string, unconstrained bool) string {
	safe := strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, data)
	if unconstrained {
		safe += "-unconstrained"
	}
	return what + "-" + safe + ".png"
}

// palette are colours that people with any colour vision tell apart (Okabe and
// Ito).
var palette = []color.Color{
	color.RGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}, color.RGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff},
	color.RGBA{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}, color.RGBA{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff},
	color.RGBA{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff}, color.RGBA{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff},
	color.RGBA{R: 0x80, G: 0x80, B: 0x80, A: 0xff}, color.RGBA{R: 0x00, G: 0x00, B: 0x00, A: 0xff},
}

// plot draws the shares of whole states by action, with their intervals, and the
// baseline's beside them.
func (t *NextStateTable) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = strings.TrimSpace(strings.TrimPrefix(heading("Next state", t.Data, t.Unconstrained), "## "))
	p.Y.Label.Text = "whole state exact, %"
	p.Y.Min, p.Y.Max = 0, 115 // room for the legend
	var values, baseline plotter.Values
	var names []string
	errors := &intervals{}
	for i := range t.Rows {
		s := t.Rows[i].Model[Whole]
		if s.Of == 0 {
			continue
		}
		low, high := s.Interval()
		errors.XYs = append(errors.XYs, plotter.XY{X: float64(len(names)), Y: 100 * s.Share()})
		errors.YErrors = append(errors.YErrors, struct{ Low, High float64 }{100 * (s.Share() - low), 100 * (high - s.Share())})
		names = append(names, t.Rows[i].Action.String())
		values = append(values, 100*s.Share())
		baseline = append(baseline, 100*t.Rows[i].Baseline[Whole].Share())
	}
	if len(values) == 0 {
		return p, nil
	}
	width := vg.Points(18)
	bars, err := plotter.NewBarChart(values, width)
	if err != nil {
		return nil, err
	}
	bars.Color, bars.LineStyle.Width = palette[0], 0
	repeat, err := plotter.NewBarChart(baseline, width)
	if err != nil {
		return nil, err
	}
	repeat.Color, repeat.LineStyle.Width, repeat.Offset = palette[6], 0, width
	whiskers, err := plotter.NewYErrorBars(errors)
	if err != nil {
		return nil, err
	}
	p.Add(plotter.NewGrid(), bars, repeat, whiskers)
	p.Legend.Add("model", bars)
	p.Legend.Add("repeats the last state", repeat)
	p.Legend.Top = true
	p.NominalX(names...)
	p.X.Tick.Label.Rotation = math.Pi / 8
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = -1, -0.5
	return p, nil
}

// intervals are points with errors in y.
type intervals struct {
	plotter.XYs
	plotter.YErrors
}

// plot draws how often predictions were right against their confidence, one line
// for each row that has a name, and the diagonal on which both agree.
func (t *CalibrationTable) plot(title string, name func(*CalibrationRow) string) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Reliability, %s, %s", t.Data, title)
	p.X.Label.Text, p.Y.Label.Text = "confidence", "share that is right"
	diagonal, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
	if err != nil {
		return nil, err
	}
	diagonal.Color, diagonal.Dashes = palette[6], []vg.Length{vg.Points(4), vg.Points(3)}
	p.Add(plotter.NewGrid(), diagonal)
	p.Legend.Top, p.Legend.Left = true, true
	lines := 0
	for i := range t.Rows {
		label := name(&t.Rows[i])
		if label == "" {
			continue
		}
		var points plotter.XYs
		for _, bin := range t.Rows[i].Bins {
			if bin.Right.Of > 0 {
				points = append(points, plotter.XY{X: bin.Confidence, Y: bin.Right.Share()})
			}
		}
		label = fmt.Sprintf("%s (error %.3f)", label, t.Rows[i].Error)
		if err := addCurve(p, label, points, lines); err != nil {
			return nil, err
		}
		lines++
	}
	setShares(p, lines)
	return p, nil
}

// setShares makes both axes those of shares, with room for a legend of so many
// lines above.
func setShares(p *plot.Plot, lines int) {
	const line = .045 // of the height
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1/(1-line*float64(lines))
	var ticks plot.ConstantTicks
	for i := range 6 {
		at := float64(i) / 5
		ticks = append(ticks, plot.Tick{Value: at, Label: fmt.Sprintf("%.1f", at)})
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks, ticks
}

// plot draws em@k against the share that is skipped, one line for each k.
func (t *HorizonTable) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = strings.TrimSpace(strings.TrimPrefix(heading("Horizon", t.Data, t.Unconstrained), "## "))
	p.X.Label.Text, p.Y.Label.Text = "share of the states that is skipped", "em@k"
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	lines := 0
	for i, k := range matchKs {
		var points plotter.XYs
		for _, bin := range t.Bins {
			if at, ok := bin.MatchAt[k]; ok {
				points = append(points, plotter.XY{X: bin.Skipped, Y: at})
			}
		}
		if len(points) == 0 {
			continue
		}
		if err := addCurve(p, fmt.Sprintf("em@%d", k), points, i); err != nil {
			return nil, err
		}
		lines++
	}
	setShares(p, lines)
	return p, nil
}

func addCurve(p *plot.Plot, name string, points plotter.XYs, number int) error {
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color, line.Width = palette[number%len(palette)], vg.Points(1.5)
	marks.Color, marks.Radius = line.Color, vg.Points(2.5)
	p.Add(line, marks)
	p.Legend.Add(name, line, marks)
	return nil
}
