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

func TestSourceGivesEverySequenceOncePerEpoch(t *testing.T) {
	dir := numbered(t, 50, 30, 0, 1500, 7)
	s := open(t, dir, SourceOptions{Seed: 1, BatchTokens: 200, Window: 64, Epochs: 2})
	var epochs [2][]int32
	padded, real := 0, 0
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
		if b.B*b.T > 200 || len(b.Tokens) != b.B*b.T || len(b.Loss) != b.B*b.T || len(b.Lengths) != b.B {
			t.Fatalf("a batch of %d by %d with %d tokens", b.B, b.T, len(b.Tokens))
		}
		for i, n := range b.Lengths {
			row, loss := b.Tokens[i*b.T:(i+1)*b.T], b.Loss[i*b.T:(i+1)*b.T]
			for k := range row {
				if want := k < n && k >= n/2; loss[k] != want {
					t.Fatalf("loss of token %d of %d is %v", k, n, loss[k])
				}
				if k >= n && row[k] != 0 {
					t.Fatalf("padding is %d", row[k])
				}
			}
			epochs[epoch] = append(epochs[epoch], row[0])
			real += n
		}
		padded += len(b.Tokens)
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
	if share := float64(padded-real) / float64(padded); share > 0.15 {
		t.Errorf("%.0f %% is padding", 100*share)
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
	s := open(t, dir, SourceOptions{Seed: 9, BatchTokens: 300, Window: 64})
	state, err := s.State()
	if err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir, opts).Restore(state); err == nil {
		t.Error("a state of another seed is accepted")
	}
	if err := s.Restore([]byte("{")); err == nil {
		t.Error("a broken state is accepted")
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
