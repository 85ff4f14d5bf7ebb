package dataset

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// berryDataset is a dataset of berry and of its last step alone, in which there
// is no value.
func berryDataset(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	e := newEncoder(t)
	whole, end := berry(), berry()
	end.Steps = end.Steps[2:]
	var rows []Sequence
	for i := range 2 {
		s, ok := e.Encode([]*statetree.Trajectory{&whole, &end}[i], 1000)
		if !ok {
			t.Fatal("a trajectory does not fit")
		}
		rows = append(rows, s)
	}
	if err := writeShard(shardPath(dir, Train, 0), func(w *shardWriter) error { return w.write(rows) }); err != nil {
		t.Fatal(err)
	}
	if err := e.tok.Save(filepath.Join(dir, tokenizer.File)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestLossDecidesWhatIsPredicted(t *testing.T) {
	dir := berryDataset(t)
	unmark := strings.NewReplacer("⟦", "", "⟧", "")
	given, end := unmark.Replace(berryGiven), unmark.Replace(berryEnd)
	for _, test := range []struct {
		loss Loss
		want []string // the shortest first
	}{
		{LossStates, []string{berryGiven + berryEnd, berryGiven + berryLine + berryBreak + berryEnd}},
		{LossAll, []string{"⟦" + given + end + "⟧", "⟦" + given + unmark.Replace(berryLine+berryBreak) + end + "⟧"}},
		{LossValues, []string{given +
			`<|step_into|><|frame_sep|><|line_sep|><|arg_sep|>⟦{"..": ".."}⟧<|src_sep|>    n = 0<|action_sep|>` +
			`<|breakpoint|>    return n<|frame_sep|><|line_sep|><|arg_sep|>⟦{"s": "'berry'", "t": "'r'", "n": "2"}⟧<|src_sep|>    return n<|action_sep|>` + end}},
	} {
		t.Run(string(test.loss), func(t *testing.T) {
			var got []string
			for _, b := range drain(t, open(t, dir, SourceOptions{Loss: test.loss, Epochs: 1})) {
				for _, q := range cut(b) {
					s := Sequence{InputIDs: q.InputIDs, LossMask: q.LossMask}
					got = append(got, marked(bytesTokenizer(t), &s))
				}
			}
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestLossIsChecked(t *testing.T) {
	if _, err := OpenSource(numbered(t, 5), SourceOptions{Loss: "some"}); err == nil || !strings.Contains(err.Error(), `"some"`) {
		t.Errorf("an unknown loss: %v", err)
	}
}

func TestRestoreComparesTheLoss(t *testing.T) {
	dir := berryDataset(t)
	state, err := open(t, dir, SourceOptions{}).State()
	if err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir, SourceOptions{Loss: LossStates}).Restore(state); err != nil {
		t.Errorf("the default is not the loss on states: %v", err)
	}
	if err := open(t, dir, SourceOptions{Loss: LossValues}).Restore(state); err == nil || !strings.Contains(err.Error(), "loss on values") {
		t.Errorf("a state of another loss: %v", err)
	}
}
