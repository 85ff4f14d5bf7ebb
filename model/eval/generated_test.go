package eval

import (
	"context"
	"os/exec"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// What is measured on has to be readable for every program, and its text has to
// stay what a model was trained on.
func TestGeneratedTrajectoriesReadBack(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("recording needs python3")
	}
	p := dataset.DefaultParams()
	p.Trajectories, p.HeldOut, p.Seconds = 8, 1, 60
	cases := corpus.NewGenerator(7, corpus.DefaultStyle()).Cases(0, 60)
	trajectories := 0
	for s, err := range dataset.Trajectories(context.Background(), cases, p, dataset.HeldOut) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Trajectories {
			trajectories++
			original := &s.Trajectories[i]
			var w grammar.Writer
			text := grammar.Display(w.AppendTrajectory(nil, original))
			read, err := asRead(original)
			if err != nil {
				t.Errorf("%v in\n%s", err, text)
				continue
			}
			if again := grammar.Display(w.AppendTrajectory(nil, &read)); again != text {
				t.Errorf("the text\n%s\nbecame\n%s", text, again)
			}
		}
	}
	if trajectories < 300 {
		t.Errorf("only %d trajectories", trajectories)
	}
}
