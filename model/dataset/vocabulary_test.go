package dataset

import (
	"context"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

func TestTrainTokenizer(t *testing.T) {
	needPython(t)
	size := 256 + 40 + len(grammar.Specials())
	tok, err := TrainTokenizer(context.Background(), NewCases(cases(10), params()), params(), size, 10)
	if err != nil {
		t.Fatal(err)
	}
	if tok.Size() != size {
		t.Errorf("%d tokens, want %d", tok.Size(), size)
	}
	if _, err := NewEncoder(tok); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]int{" return": 1, "'bc'": 4} {
		if got := len(tok.Encode(nil, text)); got != want {
			t.Errorf("%q is %d tokens, want %d", text, got, want)
		}
	}
}
