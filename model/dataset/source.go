package dataset

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Batch is sequences of tokens, one after another without padding.
type Batch struct {
	Tokens []int32
	// Loss says of each token whether it is to be predicted from those before it.
	Loss    []bool
	Lengths []int // of the sequences; they add up to len(Tokens)
}

// Sequences yields the tokens of each sequence, and which of them are to be predicted.
func (b Batch) Sequences() iter.Seq2[[]int32, []bool] {
	return func(yield func([]int32, []bool) bool) {
		at := 0
		for _, n := range b.Lengths {
			if !yield(b.Tokens[at:at+n], b.Loss[at:at+n]) {
				return
			}
			at += n
		}
	}
}

// SourceOptions say how batches are made.
type SourceOptions struct {
	Split Split  // default Train
	Seed  uint64 // of the shuffles
	// BatchTokens is the most tokens a batch has; default 8,192. A sequence that is
	// longer is a batch alone.
	BatchTokens int
	// Window is how many sequences are read, shuffled and batched at a time; default
	// 4,096, or one for every 16 tokens of a batch where that is more, so that a window
	// has many batches: its last one is short.
	Window int
	// Epochs is how often to go through the split; 0 is without end.
	Epochs int
	// Loss says which tokens are to be predicted; default LossStates.
	Loss Loss
	// Curriculum is how many tokens, at the beginning of the first epoch, come
	// from short sequences to long ones; 0 is none. They are read at once, and take
	// about ten bytes each.
	Curriculum int64
}

// Source streams the batches of a dataset. In every epoch the shards come in
// another order, and within a window of sequences the programs. The sequences of
// one program follow each other in a batch: they begin with the same code, which a
// trainer may then compute once. A curriculum is one window, whose batches come in
// its order instead. The stream depends on the options alone, and can be taken up
// anywhere by its state. A Source is used by one goroutine at a time.
type Source struct {
	opts   SourceOptions
	masker lossMasker
	shards []shardInfo
	rows   int // in all shards
	course int // of these are the curriculum's
	at     position
	// batches are those of the present window, nil before it is loaded.
	batches []Batch
	ahead   *pendingWindow
}

// position is the next batch of a stream.
type position struct {
	Epoch  int `json:"epoch"`
	Window int `json:"window"`
	Batch  int `json:"batch"`
}

type shardInfo struct {
	path string
	rows int
}

// pendingWindow is a window that is being read ahead.
type pendingWindow struct {
	epoch, window int
	done          chan struct{} // closed when the rest is set
	batches       []Batch
	err           error
}

// OpenSource opens a dataset's folder for training.
func OpenSource(dir string, opts SourceOptions) (*Source, error) {
	opts.Split = cmp.Or(opts.Split, Train)
	opts.BatchTokens = cmp.Or(opts.BatchTokens, 8192)
	opts.Window = cmp.Or(opts.Window, max(4096, opts.BatchTokens/16))
	opts.Loss = cmp.Or(opts.Loss, LossStates)
	masker, err := newLossMasker(opts.Loss, dir)
	if err != nil {
		return nil, fmt.Errorf("open a dataset: %w", err)
	}
	paths, err := shards(dir, opts.Split)
	if err != nil {
		return nil, fmt.Errorf("open a dataset: %w", err)
	}
	s := &Source{opts: opts, masker: masker}
	var ids int64 // of all tokens
	for _, path := range paths {
		r, err := openShard[tokens](path)
		if err != nil {
			return nil, err
		}
		n, err := r.tokens()
		s.shards = append(s.shards, shardInfo{path, r.count()})
		s.rows += r.count()
		ids += n
		if err := errors.Join(err, r.close()); err != nil {
			return nil, err
		}
	}
	if s.rows == 0 {
		return nil, fmt.Errorf("open a dataset: %s has no %s sequences", dir, opts.Split)
	}
	if opts.Curriculum > 0 {
		mean := float64(ids) / float64(s.rows)
		s.course = int(min(float64(s.rows), math.Ceil(float64(opts.Curriculum)/mean)))
	}
	return s, nil
}

// Sequences returns how many sequences an epoch has.
func (s *Source) Sequences() int { return s.rows }

// Epoch returns the epoch of the next batch, from 0.
func (s *Source) Epoch() int { return s.at.Epoch }

// Next returns the next batch, and io.EOF after the last epoch.
func (s *Source) Next(ctx context.Context) (Batch, error) {
	for {
		if err := ctx.Err(); err != nil {
			return Batch{}, err
		}
		if s.opts.Epochs > 0 && s.at.Epoch >= s.opts.Epochs {
			return Batch{}, io.EOF
		}
		if s.batches == nil {
			if err := s.load(ctx); err != nil {
				return Batch{}, err
			}
		}
		if s.at.Batch < len(s.batches) {
			b := s.batches[s.at.Batch]
			s.batches[s.at.Batch] = Batch{} // let go of it
			s.at.Batch++
			return b, nil
		}
		s.at = s.after(s.at)
		s.batches = nil
	}
}

// after returns the beginning of the window that follows p.
func (s *Source) after(p position) position {
	if _, to := s.bounds(p.Epoch, p.Window); to < s.rows {
		return position{Epoch: p.Epoch, Window: p.Window + 1}
	}
	return position{Epoch: p.Epoch + 1}
}

// bounds are the first row of a window, in the epoch's order, and the one after
// its last.
func (s *Source) bounds(epoch, window int) (from, to int) {
	first := s.opts.Window
	if s.teaches(epoch) {
		first = s.course
	}
	if window == 0 {
		return 0, min(first, s.rows)
	}
	from = first + (window-1)*s.opts.Window
	return from, min(from+s.opts.Window, s.rows)
}

// teaches reports whether an epoch's first window is the curriculum.
func (s *Source) teaches(epoch int) bool { return epoch == 0 && s.course > 0 }

// load waits for the present window and begins to read the one after it.
func (s *Source) load(ctx context.Context) error {
	p := s.ahead
	if p == nil || p.epoch != s.at.Epoch || p.window != s.at.Window {
		p = s.read(s.at)
	}
	s.ahead = p // kept if ctx ends here
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-p.done:
	}
	s.ahead = nil
	if p.err != nil {
		return p.err
	}
	s.batches = p.batches
	s.ahead = s.read(s.after(s.at))
	return nil
}

func (s *Source) read(at position) *pendingWindow {
	p := &pendingWindow{epoch: at.Epoch, window: at.Window, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.batches, p.err = s.window(at.Epoch, at.Window)
	}()
	return p
}

// window reads one window of an epoch and makes its batches. It depends on
// nothing but its arguments and the options.
func (s *Source) window(epoch, window int) ([]Batch, error) {
	order := slices.Clone(s.shards)
	shuffle := rand.New(rand.NewPCG(s.opts.Seed, uint64(epoch)<<32))
	shuffle.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })

	skip, end := s.bounds(epoch, window)
	want := end - skip
	sequences := make([]tokens, 0, want)
	for _, shard := range order {
		if want == 0 {
			break
		}
		if skip >= shard.rows {
			skip -= shard.rows
			continue
		}
		rows, err := readRows(shard.path, skip, min(want, shard.rows-skip))
		if err != nil {
			return nil, err
		}
		sequences = append(sequences, rows...)
		want -= len(rows)
		skip = 0
	}
	r := rand.New(rand.NewPCG(s.opts.Seed, uint64(epoch)<<32|uint64(window+1)))
	programs := byProgram(s.masker.apply(sequences), s.opts.BatchTokens)
	r.Shuffle(len(programs), func(i, j int) { programs[i], programs[j] = programs[j], programs[i] })
	if s.teaches(epoch) && window == 0 {
		slices.SortStableFunc(programs, func(a, b program) int { return a.longest() - b.longest() })
		return fromShortToLong(makeBatches(programs, s.opts.BatchTokens), r), nil
	}
	return makeBatches(programs, s.opts.BatchTokens), nil
}

func readRows(path string, skip, n int) ([]tokens, error) {
	r, err := openShard[tokens](path)
	if err != nil {
		return nil, err
	}
	if err := r.seek(skip); err != nil {
		return nil, errors.Join(err, r.close())
	}
	rows, err := r.next(n)
	if err == nil && len(rows) < n {
		err = fmt.Errorf("read the shard %s: it ends after %d sequences of %d", path, skip+len(rows), skip+n)
	}
	return rows, errors.Join(err, r.close())
}

// program is sequences of one program, at most a batch of them.
type program []tokens

func (p program) tokens() int {
	n := 0
	for i := range p {
		n += len(p[i].InputIDs)
	}
	return n
}

// longest is the length of the longest sequence.
func (p program) longest() int {
	n := 0
	for i := range p {
		n = max(n, len(p[i].InputIDs))
	}
	return n
}

// byProgram cuts rows into programs. A program of more than limit tokens is cut.
func byProgram(rows []tokens, limit int) []program {
	var programs []program
	size := 0 // tokens of the last
	for i := range rows {
		n := len(rows[i].InputIDs)
		if i > 0 && rows[i].Source != "" && rows[i].Source == rows[i-1].Source && size+n <= limit {
			last := &programs[len(programs)-1]
			*last = append(*last, rows[i])
			size += n
			continue
		}
		programs = append(programs, rows[i:i+1:i+1])
		size = n
	}
	return programs
}

// makeBatches fills batches with whole programs in their order.
func makeBatches(programs []program, limit int) []Batch {
	var batches []Batch
	for _, p := range programs {
		if n := len(batches); n == 0 || len(batches[n-1].Tokens)+p.tokens() > limit {
			batches = append(batches, Batch{})
		}
		b := &batches[len(batches)-1]
		for _, s := range p {
			b.Tokens = append(b.Tokens, s.InputIDs...)
			b.Loss = append(b.Loss, s.LossMask...)
			b.Lengths = append(b.Lengths, len(s.InputIDs))
		}
	}
	return batches
}

// sourceState is what State writes.
type sourceState struct {
	position
	sourceSettings
}

// sourceSettings are what a position's meaning depends on; Restore compares them.
type sourceSettings struct {
	Sequences   int    `json:"sequences"`
	Seed        uint64 `json:"seed"`
	BatchTokens int    `json:"batch_tokens"`
	Window      int    `json:"window_sequences"`
	Loss        Loss   `json:"loss,omitempty"` // empty for LossStates
	Curriculum  int64  `json:"curriculum,omitempty"`
	// Batching tells how batches are made of sequences.
	Batching string `json:"batching"`
}

// byPrograms is the present way: with the sequences of a program together. Older
// states have none; then batches were of sequences of similar length.
const byPrograms = "by programs"

// describe tells the settings one by one.
func (s sourceSettings) describe() []string {
	return []string{
		fmt.Sprintf("%d sequences", s.Sequences),
		fmt.Sprintf("seed %d", s.Seed),
		fmt.Sprintf("batches of %d tokens", s.BatchTokens),
		fmt.Sprintf("batches %s", cmp.Or(s.Batching, "by length")),
		fmt.Sprintf("windows of %d sequences", s.Window),
		fmt.Sprintf("the loss on %s", cmp.Or(s.Loss, LossStates)),
		fmt.Sprintf("a curriculum of %d tokens", s.Curriculum),
	}
}

// difference tells the settings that are others in another's, as both have them.
func (s sourceSettings) difference(other sourceSettings) (here, there string) {
	var ours, theirs []string
	all := other.describe()
	for i, setting := range s.describe() {
		if setting != all[i] {
			ours, theirs = append(ours, setting), append(theirs, all[i])
		}
	}
	return strings.Join(ours, ", "), strings.Join(theirs, ", ")
}

func (s *Source) settings() sourceSettings {
	settings := sourceSettings{Sequences: s.rows, Seed: s.opts.Seed, BatchTokens: s.opts.BatchTokens, Window: s.opts.Window, Curriculum: s.opts.Curriculum, Batching: byPrograms}
	if s.opts.Loss != LossStates {
		settings.Loss = s.opts.Loss
	}
	return settings
}

// State returns the place in the stream, for Restore.
func (s *Source) State() ([]byte, error) { return json.Marshal(sourceState{s.at, s.settings()}) }

// Restore goes to a place that State returned, of a source of the same dataset
// with the same options.
func (s *Source) Restore(state []byte) error {
	var to sourceState
	if err := json.Unmarshal(state, &to); err != nil {
		return fmt.Errorf("restore the place in the dataset: %w", err)
	}
	if to.Sequences == 0 {
		return errors.New("restore the place in the dataset: what was saved is the place in something else, such as a mixture")
	}
	if settings := s.settings(); to.sourceSettings != settings {
		now, then := settings.difference(to.sourceSettings)
		return fmt.Errorf("restore the place in the dataset: it is of data with %s, and these have %s", then, now)
	}
	if from, _ := s.bounds(to.Epoch, to.position.Window); to.Epoch < 0 || to.Batch < 0 || to.position.Window < 0 || from >= s.rows {
		return fmt.Errorf("restore the place in the dataset: there is no epoch %d, window %d, batch %d", to.Epoch, to.position.Window, to.Batch)
	}
	s.at, s.batches = to.position, nil
	return nil
}

// Close waits for what is being read ahead.
func (s *Source) Close() error {
	if s.ahead != nil {
		<-s.ahead.done
		s.ahead = nil
	}
	return nil
}
