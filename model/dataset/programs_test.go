package dataset

import (
	"context"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

// The keys of a split are those of the programs in it, whatever the driver calls
// them with, and of no others.
func TestProgramKeys(t *testing.T) {
	needPython(t)
	dir := t.TempDir()
	build(t, dir, 40, 2)
	keys := map[Split]map[uint64]bool{}
	for _, split := range []Split{Train, HeldOut} {
		var err error
		if keys[split], err = ProgramKeys(dir, split); err != nil {
			t.Fatal(err)
		}
	}
	all := func(yield func(corpus.Case) bool) {
		for c := range cases(40).Range(0, 40) {
			if !yield(c) {
				return
			}
		}
	}
	for split, other := range map[Split]Split{Train: HeldOut, HeldOut: Train} {
		programs := 0
		for s, err := range Trajectories(context.Background(), all, params(), split) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range s.Trajectories {
				programs++
				key := CodeKey(s.Trajectories[i].Program)
				if !keys[split][key] {
					t.Errorf("%s: no key of\n%s", split, s.Trajectories[i].Program.Code)
				}
				if keys[other][key] {
					t.Errorf("%s has the key of a program of %s", other, split)
				}
			}
		}
		if programs == 0 {
			t.Errorf("%s: no programs", split)
		}
	}
	if _, err := ProgramKeys(t.TempDir(), Train); err == nil {
		t.Error("a folder without shards is a dataset")
	}
}
