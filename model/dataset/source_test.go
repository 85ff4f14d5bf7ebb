package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"testing"
)

// numbered writes a split whose sequence i begins with the id i+1 and has
// 2..40 tokens, the second half of them in the loss.
func numbered(t testing.TB, shardSizes ...int) string {
	t.Helper()
	dir := t.TempDir()
	i := 0
	for shard, size := range shardSizes {
		rows := make([]Sequence, size)
		for j := range rows {
			n := 2 + i*7%39
			s := Sequence{InputIDs: make([]int32, n), LossMask: make([]bool, n), Actions: []string{"step_into"}}
			for k := range n {
				s.InputIDs[k] = int32(1000 + k)
				s.LossMask[k] = k >= n/2
			}
			s.InputIDs[0] = int32(i + 1)
			rows[j] = s
			i++
		}
		if err := writeShard(shardPath(dir, Train, shard), func(w *shardWriter) error { return w.write(rows) }); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t testing.TB, dir string, opts SourceOptions) *Source {
	t.Helper()
	s, err := OpenSource(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func drain(t testing.TB, s *Source) []Batch {
	t.Helper()
	var all []Batch
	for {
		b, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
}

// cut cuts a batch into its sequences.
func cut(b Batch) []tokens {
	var all []tokens
	for ids, loss := range b.Sequences() {
		all = append(all, tokens{InputIDs: ids, LossMask: loss})
	}
	return all
}

func TestSourceGivesEverySequenceOncePerEpoch(t *testing.T) {
	dir := numbered(t, 50, 30, 0, 1500, 7)
	s := open(t, dir, SourceOptions{Seed: 1, BatchTokens: 200, Window: 64, Epochs: 2})
	var epochs [2][]int32
	size, count := 0, 0
	for {
		epoch := s.Epoch()
		b, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if s.Epoch() != epoch { // the batch was the first of the next epoch
			epoch = s.Epoch()
		}
		if len(b.Tokens) > 200 || len(b.Loss) != len(b.Tokens) {
			t.Fatalf("a batch with %d tokens and %d marks", len(b.Tokens), len(b.Loss))
		}
		for _, q := range cut(b) {
			n := len(q.InputIDs)
			for k, loss := range q.LossMask {
				if want := k >= n/2; loss != want {
					t.Fatalf("loss of token %d of %d is %v", k, n, loss)
				}
			}
			epochs[epoch] = append(epochs[epoch], q.InputIDs[0])
		}
		size += len(b.Tokens)
		count++
	}
	if slices.Equal(epochs[0], epochs[1]) {
		t.Error("the epochs have the same order")
	}
	for e := range epochs {
		slices.Sort(epochs[e])
		for i, id := range epochs[e] {
			if int(id) != i+1 {
				t.Fatalf("epoch %d: sequence %d is missing or double", e, i+1)
			}
		}
		if len(epochs[e]) != 1587 {
			t.Errorf("epoch %d has %d sequences", e, len(epochs[e]))
		}
	}
	if mean := float64(size) / float64(count); mean < 170 {
		t.Errorf("a batch has %.0f tokens in the mean of at most 200", mean)
	}
}

// TestProgramsStayTogether has programs of one to five sequences of 10 tokens, and one
// of more than a batch.
func TestProgramsStayTogether(t *testing.T) {
	dir := t.TempDir()
	var rows []Sequence
	add := func(program, sequences int) {
		for range sequences {
			s := Sequence{InputIDs: make([]int32, 10), LossMask: make([]bool, 10), Source: fmt.Sprint(program)}
			s.InputIDs[0], s.LossMask[9] = int32(program), true
			rows = append(rows, s)
		}
	}
	for program := range 50 {
		add(program, 1+program%5)
	}
	add(50, 12)
	if err := writeShard(shardPath(dir, Train, 0), func(w *shardWriter) error { return w.write(rows) }); err != nil {
		t.Fatal(err)
	}
	for _, curriculum := range []int64{0, 1 << 20} {
		seen, runs := map[int32]int{}, map[int32]int{}
		for _, b := range drain(t, open(t, dir, SourceOptions{Seed: 1, BatchTokens: 70, Epochs: 1, Curriculum: curriculum})) {
			if len(b.Tokens) > 70 {
				t.Errorf("a batch has %d tokens", len(b.Tokens))
			}
			last := int32(-1)
			for _, q := range cut(b) {
				program := q.InputIDs[0]
				if seen[program]++; program != last {
					runs[program]++
				}
				last = program
			}
		}
		for program := range int32(50) {
			if runs[program] != 1 || seen[program] != 1+int(program)%5 {
				t.Errorf("program %d has %d sequences in %d places", program, seen[program], runs[program])
			}
		}
		if runs[50] != 2 || seen[50] != 12 {
			t.Errorf("the large program has %d sequences in %d places, want 12 in 2", seen[50], runs[50])
		}
	}
}

func TestSourceIsDeterministic(t *testing.T) {
	dir := numbered(t, 100, 100)
	opts := SourceOptions{Seed: 3, BatchTokens: 300, Window: 64, Epochs: 2}
	if a, b := drain(t, open(t, dir, opts)), drain(t, open(t, dir, opts)); !reflect.DeepEqual(a, b) {
		t.Error("the same options give different streams")
	}
	other := opts
	other.Seed = 4
	if a, b := drain(t, open(t, dir, opts)), drain(t, open(t, dir, other)); reflect.DeepEqual(a, b) {
		t.Error("the seed does not matter")
	}
}

// restored is a source that goes on where another was after n batches.
func restored(t *testing.T, dir string, opts SourceOptions, n int) *Source {
	t.Helper()
	s := open(t, dir, opts)
	for range n {
		if _, err := s.Next(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	state, err := s.State()
	if err != nil {
		t.Fatal(err)
	}
	resumed := open(t, dir, opts)
	if err := resumed.Restore(state); err != nil {
		t.Fatal(err)
	}
	return resumed
}

func TestSourceRestore(t *testing.T) {
	dir := numbered(t, 100, 60)
	opts := SourceOptions{Seed: 3, BatchTokens: 300, Window: 64, Epochs: 2}
	all := drain(t, open(t, dir, opts))
	for _, n := range []int{0, 1, len(all) / 2, len(all) - 1, len(all)} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if rest := drain(t, restored(t, dir, opts, n)); len(rest) != len(all)-n || n < len(all) && !reflect.DeepEqual(rest, all[n:]) {
				t.Errorf("after %d batches %d remain, want %d", n, len(rest), len(all)-n)
			}
		})
	}
	s := open(t, dir, opts)
	for name, test := range map[string]struct{ state, want string }{
		"another seed": {
			`{"sequences": 160, "seed": 9, "batch_tokens": 300, "window_sequences": 64, "batching": "by programs"}`,
			"restore the place in the dataset: it is of data with seed 9, and these have seed 3"},
		"of batches by length": {
			`{"sequences": 160, "seed": 3, "batch_tokens": 400, "window_sequences": 64}`,
			"restore the place in the dataset: it is of data with batches of 400 tokens, batches by length, and these have batches of 300 tokens, batches by programs"},
		"a mixture's": {`{"given": 7, "parts": ["e30="]}`, "restore the place in the dataset: what was saved is the place in something else, such as a mixture"},
		"broken":      {"{", "restore the place in the dataset: unexpected end of JSON input"},
	} {
		if err := s.Restore([]byte(test.state)); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}

func TestSourceErrors(t *testing.T) {
	if _, err := OpenSource(t.TempDir(), SourceOptions{}); err == nil {
		t.Error("an empty folder is accepted")
	}
	dir := numbered(t, 100)
	s := open(t, dir, SourceOptions{Window: 64})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := s.Next(context.Background()); err != nil {
		t.Errorf("after a cancelled call: %v", err)
	}
}

func BenchmarkSource(b *testing.B) {
	dir := b.TempDir()
	rows := make([]Sequence, 4096)
	for i := range rows {
		n := 200 + i%400
		rows[i] = Sequence{InputIDs: make([]int32, n), LossMask: make([]bool, n)}
		for k := range n {
			rows[i].InputIDs[k] = int32(k * i % 768)
			rows[i].LossMask[k] = k%7 < 4
		}
	}
	if err := writeShard(shardPath(dir, Train, 0), func(w *shardWriter) error { return w.write(rows) }); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s := open(b, dir, SourceOptions{Epochs: 1})
		n := 0
		for _, batch := range drain(b, s) {
			n += len(batch.Tokens)
		}
		b.ReportMetric(float64(n), "tokens/op")
	}
}
