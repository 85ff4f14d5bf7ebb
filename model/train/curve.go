package train

import (
	"bufio"
	"encoding/json"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
)

// CurveFile is the name of the learning curve in a run's folder.
const CurveFile = "learning-curve.png"

// curvePoints is how many points of the training loss are drawn, each the mean
// of the steps that it stands for: single steps differ too much to be read.
const curvePoints = 200

// DrawCurve draws the learning curve of the run in dir, loss in nats against
// millions of tokens seen, and writes it to CurveFile there.
func DrawCurve(dir string) error {
	metrics, err := ReadMetrics(dir)
	if err != nil {
		return err
	}
	if len(metrics) == 0 {
		return nil
	}
	p := plot.New()
	p.X.Label.Text = "tokens seen, millions"
	p.Y.Label.Text = "loss, nats a token"
	p.Y.Scale = plot.LogScale{} // most of a run goes on far below its beginning
	p.Y.Tick.Marker = lossTicks
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	training, heldOut := curves(metrics)
	if err := addLine(p, "training", training, color.RGBA{R: 0x33, G: 0x66, B: 0xcc, A: 0xff}); err != nil {
		return fmt.Errorf("draw the learning curve: %w", err)
	}
	if len(heldOut) > 0 {
		if err := addLine(p, "held out", heldOut, color.RGBA{R: 0xcc, G: 0x44, B: 0x22, A: 0xff}); err != nil {
			return fmt.Errorf("draw the learning curve: %w", err)
		}
	}
	if err := p.Save(16*vg.Centimeter, 10*vg.Centimeter, filepath.Join(dir, CurveFile)); err != nil {
		return fmt.Errorf("draw the learning curve: %w", err)
	}
	return nil
}

// lossTicks marks the losses 1, 2 and 5 of every power of ten.
var lossTicks = plot.TickerFunc(func(least, most float64) []plot.Tick {
	var ticks []plot.Tick
	for power := math.Pow(10, math.Floor(math.Log10(least))); power <= most; power *= 10 {
		for _, digit := range []float64{1, 2, 5} {
			if loss := digit * power; loss >= least && loss <= most {
				ticks = append(ticks, plot.Tick{Value: loss, Label: strconv.FormatFloat(loss, 'g', 3, 64)})
			}
		}
	}
	return ticks
})

// ReadMetrics reads the metrics of the run in dir, one entry a step.
func ReadMetrics(dir string) ([]Metrics, error) {
	f, err := regularfile.Open(metricsPath(dir))
	if err != nil {
		return nil, fmt.Errorf("read the metrics: %w", err)
	}
	defer f.Close()
	var all []Metrics
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var m Metrics
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return nil, fmt.Errorf("read the metrics: %s, line %d: %w", metricsPath(dir), len(all)+1, err)
		}
		all = append(all, m)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the metrics: %w", err)
	}
	return all, nil
}

// curves returns the training loss, as at most curvePoints means, and the
// held-out loss where it was measured.
func curves(metrics []Metrics) (training, heldOut plotter.XYs) {
	bin := (len(metrics) + curvePoints - 1) / curvePoints
	for begin := 0; begin < len(metrics); begin += bin {
		part := metrics[begin:min(begin+bin, len(metrics))]
		sum := 0.0
		for _, m := range part {
			sum += m.Loss
		}
		training = append(training, plotter.XY{X: millions(part[len(part)-1]), Y: sum / float64(len(part))})
	}
	for _, m := range metrics {
		if m.Validation != nil {
			heldOut = append(heldOut, plotter.XY{X: millions(m), Y: *m.Validation})
		}
	}
	return training, heldOut
}

func millions(m Metrics) float64 { return float64(m.Tokens) / 1e6 }

func addLine(p *plot.Plot, name string, points plotter.XYs, c color.Color) error {
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.Color = c
	line.Width = vg.Points(1.5)
	p.Add(line)
	p.Legend.Add(name, line)
	return nil
}
