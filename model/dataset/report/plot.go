package report

import (
	"fmt"
	"image/color"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// bins is how many bins a histogram has at most.
const bins = 40

var colors = []color.Color{
	color.RGBA{R: 0x33, G: 0x66, B: 0xcc, A: 0xff}, color.RGBA{R: 0xcc, G: 0x44, B: 0x22, A: 0xff},
	color.RGBA{R: 0x22, G: 0x99, B: 0x66, A: 0xff}, color.RGBA{R: 0x99, G: 0x66, B: 0xbb, A: 0xff},
}

func plotFile(quantity string) string { return quantity + ".png" }

// Plot draws a histogram of each quantity into a folder: the share of the
// trajectories of each group, by the value.
func (r *Report) Plot(dir string) error {
	for i, quantity := range quantities {
		p := plot.New()
		p.X.Label.Text = quantity + " of a trajectory"
		p.Y.Label.Text = "share of the trajectories"
		p.Legend.Top = true
		p.Add(plotter.NewGrid())
		most := 0
		for _, g := range r.groups {
			// The few longest would squeeze all others.
			most = max(most, g.quantities[i].quantile(.995))
		}
		for j, key := range r.keys() {
			line, err := plotter.NewLine(steps(r.groups[key].quantities[i], most))
			if err != nil {
				return fmt.Errorf("draw the histogram of %s: %w", quantity, err)
			}
			line.Color = colors[j%len(colors)]
			line.Width = vg.Points(1.5)
			line.StepStyle = plotter.PostStep
			p.Add(line)
			p.Legend.Add(key.String(), line)
		}
		if err := p.Save(16*vg.Centimeter, 10*vg.Centimeter, filepath.Join(dir, plotFile(quantity))); err != nil {
			return fmt.Errorf("draw the histogram of %s: %w", quantity, err)
		}
	}
	return nil
}

// steps are the corners of a histogram. Longer values are in its last bin.
func steps(d *distribution, most int) plotter.XYs {
	n := min(bins, most+1)
	var points plotter.XYs
	for i, share := range d.shares(n, most) {
		points = append(points, plotter.XY{X: float64(i*(most+1)) / float64(n), Y: share})
	}
	return append(points, plotter.XY{X: float64(most + 1), Y: 0})
}
