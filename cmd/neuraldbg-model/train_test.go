package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/torch"
)

func TestParseWeight(t *testing.T) {
	for _, c := range []struct {
		name, dir string
		weight    float64
		err       string
	}{
		{name: "data", dir: "data", weight: 1},
		{name: "data=3", dir: "data", weight: 3},
		{name: "a=b/data=0.5", dir: "a=b/data", weight: 0.5},
		{name: "data=", err: `the weight "" is no positive number`},
		{name: "data=0", err: `the weight "0" is no positive number`},
		{name: "data=-1", err: `the weight "-1" is no positive number`},
		{name: "data=NaN", err: `the weight "NaN" is no positive number`},
	} {
		dir, weight, err := parseWeight(c.name)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.err)
			}
			continue
		}
		if err != nil || dir != c.dir || weight != c.weight {
			t.Errorf("%s: %q, %g, %v; want %q, %g", c.name, dir, weight, err, c.dir, c.weight)
		}
	}
}

func TestTrainRefusesFlags(t *testing.T) {
	for _, c := range []struct{ flags, err string }{
		{"", "train needs --data and --out"},
		{"--data d", "train needs --data and --out"},
		{"--data d --out o", "--minutes, --processor-minutes or --tokens"},
		{"--data d --out o --minutes 1 --tokens 5", "--minutes, --processor-minutes or --tokens"},
		{"--data d --out o --batch-tokens 0 --minutes 1", "--batch-tokens is 0"},
		{"--data d --out o --validation -1 --minutes 1", "--validation is -1"},
		{"--data d --out o --init m --layers 2 --minutes 1", "--layers has no place beside --init"},
		{"--data d --out o --processor-minutes 1 --tokens 5", "one of them"},
		{"--data d --out o --loss some --minutes 1", `--loss is states, values or all, not "some"`},
		{"--data d --out o --curriculum -1 --minutes 1", "--curriculum is -1"},
		{"--data d --out o --embedding-lr 0 --minutes 1", "--embedding-lr is 0"},
		{"--data /nowhere --out o --minutes 1", "neuraldbg dataset"},
		{"--data /nowhere --out o --minutes 1 --device gpu", `device "gpu" is unknown; auto, cpu`},
		{"--data /nowhere --out o --minutes 1 --device cuda:99", "device cuda:99 is not there"},
		{"--data /nowhere --out o --minutes 1 --precision double", `precision "double" is unknown`},
		{"--data /nowhere --out o --minutes 1 --optimizer sgd", `optimizer "sgd" is unknown`},
		{"--data /nowhere=x --out o --minutes 1", "is no positive number"},
	} {
		cmd := newTrainCommand()
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(strings.Fields(c.flags))
		if err := execute(t, cmd); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("train %s: %v, want %q", c.flags, err, c.err)
		}
	}
}

func TestUsedUpMemoryIsAnsweredWithFlags(t *testing.T) {
	other := errors.New("something else")
	if err := adviseMemory(other, "lower it"); err != other {
		t.Errorf("%v became %v", other, err)
	}
	err := adviseMemory(fmt.Errorf("training step 1: %w (so much): do this", torch.ErrMemory), "lower it")
	if want := "training step 1: the memory is used up (so much): do this; or lower it"; err == nil || err.Error() != want || !errors.Is(err, torch.ErrMemory) {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

func execute(t *testing.T, cmd *cobra.Command) error {
	t.Helper()
	return cmd.ExecuteContext(t.Context())
}
