package neural

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
)

func TestCalibrationFile(t *testing.T) {
	dir := t.TempDir()
	if c, err := ReadCalibration(dir); err != nil || c.Temperature != 1 {
		t.Errorf("without a file: %+v, %v", c, err)
	}
	want := Calibration{Temperature: 1.25, FittedOn: "generated/1"}
	if err := want.Write(dir); err != nil {
		t.Fatal(err)
	}
	if c, err := ReadCalibration(dir); err != nil || c != want {
		t.Errorf("%+v, %v; want %+v", c, err, want)
	}
	for _, text := range []string{"{", `{"temperature": 0}`, `{"temperature": -1}`} {
		if err := os.WriteFile(filepath.Join(dir, CalibrationFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if c, err := ReadCalibration(dir); err == nil {
			t.Errorf("%s is read as %+v", text, c)
		}
	}
}

// The temperature of confidences changes the probability of a choice and not
// the choice.
func TestConfidenceTemperature(t *testing.T) {
	for _, sampling := range []model.Sampling{{}, {Temperature: .7, Seed: 3}} {
		hot := sampling
		hot.ConfidenceTemperature = 2
		a, _ := sampler{sampling}.chooseAllowed(logits4, anyToken, nil)
		b, _ := sampler{hot}.chooseAllowed(logits4, anyToken, nil)
		if a.id != b.id {
			t.Errorf("%+v: id %d, with another temperature of confidence %d", sampling, a.id, b.id)
		}
		sum := 0.
		for _, l := range logits4 {
			sum += math.Exp(float64(l) / 2)
		}
		if want := math.Exp(float64(logits4[b.id])/2) / sum; math.Abs(math.Exp(b.logProb)-want) > 1e-6 {
			t.Errorf("%+v: probability %.4f, want %.4f", sampling, math.Exp(b.logProb), want)
		}
	}
}

// Without constraint a model that knows the truth still says it; one that writes
// nonsense gets an error, and the session goes on.
func TestUnconstrained(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	free := model.Sampling{Unconstrained: true}
	s := f.open(f.predictor(f.byHeart(whole)), &whole, free)
	for i, step := range whole.Steps {
		p := f.predict(s, step.Action)
		if p.Exit != step.Outcome.Exit || !p.State.Matches(step.Outcome.State) {
			t.Fatalf("step %d: predicted %+v, want %+v", i, p.Outcome, step.Outcome)
		}
	}

	s = f.open(f.predictor(f.engine(atRandom(f.tokenizer.Size(), 1))), &whole, free)
	before := len(s.sequence.ids)
	if p, err := s.Predict(t.Context(), whole.Steps[0].Action); err == nil {
		t.Errorf("nonsense is read as %+v", p.Outcome)
	}
	if len(s.sequence.ids) != before {
		t.Error("the nonsense stays in the history")
	}
}
