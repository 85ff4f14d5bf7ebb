package train

import (
	"encoding/json"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writeMetrics(t *testing.T, dir string, steps int) {
	t.Helper()
	var lines strings.Builder
	for i := 1; i <= steps; i++ {
		m := Metrics{Step: i, Tokens: int64(i) * 4000, Loss: 7 / math.Sqrt(float64(i))}
		if i%100 == 0 {
			loss := m.Loss + 0.1
			m.Validation = &loss
		}
		line, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	if err := os.WriteFile(metricsPath(dir), []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestDrawCurve(t *testing.T) {
	dir := t.TempDir()
	writeMetrics(t, dir, 1000)
	if err := DrawCurve(dir); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, CurveFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X < 400 || size.Y < 250 {
		t.Errorf("the picture is %v, too small to read", size)
	}
}

func TestCurvesAreMeansOfSteps(t *testing.T) {
	dir := t.TempDir()
	writeMetrics(t, dir, 1000)
	metrics, err := ReadMetrics(dir)
	if err != nil {
		t.Fatal(err)
	}
	training, heldOut := curves(metrics)
	if len(training) != curvePoints || len(heldOut) != 10 {
		t.Fatalf("got %d and %d points, want %d and 10", len(training), len(heldOut), curvePoints)
	}
	want := 0.0
	for _, m := range metrics[:5] {
		want += m.Loss / 5
	}
	if got := training[0]; math.Abs(got.Y-want) > 1e-9 || got.X != 5*4000/1e6 {
		t.Errorf("first point %v, want the mean %v of the first five steps", got, want)
	}
}

func TestReadMetricsNamesTheBadLine(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(metricsPath(dir), []byte("{\"step\":1}\nnot json\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadMetrics(dir); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v, want an error that names line 2", err)
	}
}
