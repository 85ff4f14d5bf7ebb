package eval

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

func TestPassAt(t *testing.T) {
	for _, test := range []struct {
		n, c, k int
		want    float64
	}{
		{10, 0, 5, 0}, {10, 10, 1, 1}, {10, 3, 1, .3}, {4, 2, 2, 1 - 1./6}, {5, 4, 2, 1}, {1, 1, 1, 1},
	} {
		if got := passAt(test.n, test.c, test.k); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%d of %d, k=%d: %g, want %g", test.c, test.n, test.k, got, test.want)
		}
	}
}

func TestCalibrationError(t *testing.T) {
	var answers []Answer
	for i := range 10 {
		answers = append(answers,
			Answer{Action: statetree.StepInto, Confidence: map[Component]float64{Whole: .85}, Grades: Grades{Whole: i < 6}},
			Answer{Action: statetree.StepOver, Confidence: map[Component]float64{Whole: 1}, Grades: Grades{Whole: true}},
			Answer{Action: statetree.StepOver, Grades: Grades{Whole: false}}) // failed: it has no confidence
	}
	rows := NewCalibrationTable("x", false, answers).Rows
	if len(rows) != 3 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, want := range []struct {
		action            statetree.ActionKind
		confidence, error float64
		right             Score
	}{
		{statetree.NoAction, .925, .125, Score{16, 20}},
		{statetree.StepInto, .85, .25, Score{6, 10}},
		{statetree.StepOver, 1, 0, Score{10, 10}},
	} {
		r := rows[i]
		if r.Action != want.action || math.Abs(r.Confidence-want.confidence) > 1e-9 || math.Abs(r.Error-want.error) > 1e-9 || r.Right != want.right {
			t.Errorf("row %d is %+v, want %+v", i, r, want)
		}
	}
}

// A model that is too sure by a known temperature is found to be.
// sampleAnswers are answers of every measure.
func sampleAnswers(t *testing.T) []Answer {
	t.Helper()
	n := 0
	answers := askedBy(t, 1, 8, func(p *model.Prediction) error {
		n++
		p.Confidence = model.Confidence{State: .5, Event: .9, Source: .8, Values: .6}
		if n%3 == 0 {
			p.State.Arg, p.State.Locals = "1", nil
		}
		if n == 20 {
			return fmt.Errorf("stuck")
		}
		return nil
	})
	for i := range answers {
		answers[i].Seconds = 0.5
		if answers[i].Action == statetree.InvStepCall {
			answers[i].Passed = []Passed{Yes, No, Unknown}[i%3]
		}
	}
	for i := range 6 {
		for s := range 11 {
			right := (i*s)%4 == 1
			verdict := No
			if right {
				verdict = Yes
			}
			for m, passed := range map[Measure]Passed{Output: verdict, Input: verdict} {
				answers = append(answers, Answer{
					Key: Key{Measure: m, Data: "file.jsonl", ID: fmt.Sprint(i), Sample: s}, Program: fmt.Sprint(i),
					Grades: Grades{Whole: right, Args: right}, Passed: passed,
				})
			}
			if s > 0 {
				answers = append(answers, Answer{
					Key:    Key{Measure: Horizon, Data: "file.jsonl", ID: fmt.Sprint(i), Sample: s},
					Grades: Grades{Whole: right}, Skipped: float64(i+1) / 6,
				})
			}
		}
	}
	return answers
}

func TestReport(t *testing.T) {
	r := NewReport(model.Info{Name: "double", Detail: "a test double", Device: "cpu"}, sampleAnswers(t))
	r.Sets = []SetReport{
		{Name: "handmade", Programs: 8, Left: map[string]int{leftTrained: 2, "not recorded: too slow": 1}, ComparedWith: []string{"data/x"}},
		{Name: "file.jsonl", Programs: 6},
	}
	var text bytes.Buffer
	if err := r.Markdown(&text); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "report.md")
	if *update {
		if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text.Bytes(), want) {
		t.Errorf("the report differs from %s (-update writes it anew):\n%s", path, text.String())
	}
	if _, err := json.Marshal(&r); err != nil {
		t.Error(err)
	}
	dir := t.TempDir()
	names, err := r.Plot(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != 4 {
		t.Errorf("plots %q", names)
	}
	for _, name := range names {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
	}
}

func TestCompare(t *testing.T) {
	var a, b []Answer
	for i := range 200 {
		k := Key{Measure: NextState, Data: "x", ID: fmt.Sprint(i)}
		program := fmt.Sprint(i / 2)
		a = append(a, Answer{Key: k, Program: program, Action: statetree.StepInto, Grades: Grades{Whole: i/2%2 == 0}})
		b = append(b, Answer{Key: k, Program: program, Action: statetree.StepInto, Grades: Grades{Whole: i/2%2 == 0 || i%8 == 7}})
	}
	b[0].TooLong = true
	c := Compare("a", "b", a, b)
	if len(c.Rows) != 1 {
		t.Fatalf("%d rows", len(c.Rows))
	}
	r := c.Rows[0]
	if !r.Paired || r.A != (Score{99, 199}) || r.B != (Score{124, 199}) {
		t.Errorf("%+v", r)
	}
	if d := r.B.Share() - r.A.Share(); r.Difference != d || r.Low >= d || r.High <= d || r.Low < .05 || r.High > .2 {
		t.Errorf("the difference is %.3f, %.3f to %.3f", r.Difference, r.Low, r.High)
	}
	for i := range b {
		b[i].ID += "'"
	}
	other := Compare("a", "b", a, b).Rows[0]
	if other.Paired || other.A != (Score{100, 200}) {
		t.Errorf("%+v", other)
	}
	if other.High-other.Low <= r.High-r.Low {
		t.Errorf("the interval is %.3f wide, paired %.3f", other.High-other.Low, r.High-r.Low)
	}
	var text bytes.Buffer
	if err := c.Markdown(&text); err != nil {
		t.Fatal(err)
	}
	if want := "| x | step_into | 199 | 49.7 | 62.3 | +12.6 |"; !bytes.Contains(text.Bytes(), []byte(want)) {
		t.Errorf("no %q in\n%s", want, text.String())
	}
}

func TestFingerprint(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := Fingerprint(dir)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	weights := make([]byte, 3*sampledBytes)
	a := write("model.safetensors", weights)
	weights[len(weights)-1] = 1
	b := write("model.safetensors", weights)
	c := write("config.json", []byte("{}"))
	d := write("learning-curve.png", []byte("x"))
	if a == b || b == c || c != d {
		t.Error(a, b, c, d)
	}
}
