package neural

import (
	"fmt"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// A state that uses up its room is closed: it comes out, marked, with no
// confidence in its values, and the session goes on.
func TestStateWithoutEndIsClosed(t *testing.T) {
	f := newFixture(t)
	whole := f.stepInto()
	for _, letter := range []string{"x", `\`, "é", ".", `"`, ",", " "} {
		for _, tt := range []struct{ context, limit int }{
			{context: 4096, limit: 120},
			{context: 400, limit: 4096}, // the context is full first
		} {
			for _, kind := range []statetree.ActionKind{statetree.StepReturn, statetree.StepInto} {
				t.Run(fmt.Sprintf("%s/%d/%s", letter, tt.context, kind), func(t *testing.T) {
					e := f.endless(letter)
					e.context = tt.context
					p, err := NewPredictor(e, f.tokenizer, Options{MaxStateTokens: tt.limit, MaxValueTokens: 1 << 20})
					if err != nil {
						t.Fatal(err)
					}
					s := f.open(p, &whole, model.Sampling{})
					for range 3 {
						got, err := s.Predict(t.Context(), action(kind))
						if err != nil {
							t.Fatal(err)
						}
						if got.Ended() {
							return
						}
						if got.Tokens > tt.limit || len(s.sequence.ids) > tt.context {
							t.Errorf("%d tokens", got.Tokens)
						}
						if c := got.Confidence; got.Truncated && (c.State != 0 || c.Values != 0) {
							t.Errorf("confidence %+v in a truncated state", c)
						}
						if got.Truncated && !strings.Contains(fmt.Sprint(got.State), "…") && len(got.State.Locals) > 0 {
							t.Logf("truncated without a cut value: %+v", got.State)
						}
						if kind == statetree.StepReturn {
							if !got.Truncated && letter != `"` {
								t.Errorf("%+v is not marked", got.State)
							}
							break
						}
					}
				})
			}
		}
	}
}
