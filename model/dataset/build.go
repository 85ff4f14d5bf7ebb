package dataset

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/neuraldbg/neuraldbg/model/atomicfile"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// Description is the dataset.json of a dataset.
type Description struct {
	Format    int    `json:"format"`
	Grammar   string `json:"grammar"`   // grammar.Hash
	Tokenizer string `json:"tokenizer"` // tokenizer.Hash
	Params    Params `json:"params"`
	// Complete says that all cases are in; Shards and Stats are set then.
	Complete bool   `json:"complete"`
	Shards   int    `json:"shards,omitempty"`
	Stats    *Stats `json:"stats,omitempty"`
}

// format is the version of the files; it changes with the columns of Sequence
// and with the meaning of Key.
const format = 1

// descriptionFile is the name of a dataset's Description. Beside it lies the
// tokenizer, as tokenizer.File.
const descriptionFile = "dataset.json"

// ReadDescription reads the dataset.json of a dataset.
func ReadDescription(dir string) (Description, error) {
	var d Description
	if err := readJSON(filepath.Join(dir, descriptionFile), &d); err != nil {
		return d, fmt.Errorf("read a dataset: %w", err)
	}
	return d, nil
}

// BuildOptions say how to make a dataset; they do not change what it holds.
type BuildOptions struct {
	Workers int // default: as many as there are processors
	// Progress, if set, is called after every shard with the counts so far and
	// the number of shards done; never by two goroutines at once.
	Progress func(shards int, total Stats)
}

// Build makes the dataset of cases in the folder dir. Cases have rising
// indices and must be the same at every call: a folder that has some of the shards
// gets the others, and one of other parameters is refused.
func Build(ctx context.Context, dir string, cases iter.Seq[corpus.Case], tok *tokenizer.Tokenizer, p Params, o BuildOptions) (Description, error) {
	b := &builder{dir: dir, tok: tok, params: p, options: o, total: newStats()}
	d := Description{Format: format, Grammar: grammar.Hash(), Tokenizer: tok.Hash(), Params: p}
	if err := b.prepare(d); err != nil {
		return d, fmt.Errorf("build a dataset: %w", err)
	}
	if err := b.run(ctx, cases); err != nil {
		return d, fmt.Errorf("build a dataset: %w", err)
	}
	d.Complete, d.Shards, d.Stats = true, b.done, b.total
	if err := writeJSON(filepath.Join(dir, descriptionFile), d); err != nil {
		return d, fmt.Errorf("build a dataset: %w", err)
	}
	return d, nil
}

// builder is one call of Build.
type builder struct {
	dir     string
	tok     *tokenizer.Tokenizer
	params  Params
	options BuildOptions

	mu    sync.Mutex // guards what follows
	total *Stats
	done  int
}

// shardJob is the cases of one shard, those seen before taken out.
type shardJob struct {
	number     int
	cases      []corpus.Case
	duplicates int
}

func (b *builder) prepare(d Description) error {
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return err
	}
	old, err := ReadDescription(b.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		old.Complete, old.Shards, old.Stats = false, 0, nil
		if !sameJSON(old, d) {
			return fmt.Errorf("%s holds a dataset of other parameters, tokenizer or grammar; choose another folder or delete it", b.dir)
		}
		return nil
	}
	if err := b.tok.Save(filepath.Join(b.dir, tokenizer.File)); err != nil {
		return err
	}
	return writeJSON(filepath.Join(b.dir, descriptionFile), d)
}

// run hands the shards to the workers.
func (b *builder) run(ctx context.Context, cases iter.Seq[corpus.Case]) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	jobs := make(chan shardJob)
	var workers sync.WaitGroup
	for range cmp.Or(b.options.Workers, runtime.GOMAXPROCS(0)) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			if err := b.work(ctx, jobs); err != nil {
				cancel(err)
			}
		}()
	}
	b.feed(ctx, cases, jobs)
	close(jobs)
	workers.Wait()
	return context.Cause(ctx)
}

// feed cuts the cases into shards. It alone sees all of them in order, and so
// it decides which of two equal programs is the first.
func (b *builder) feed(ctx context.Context, cases iter.Seq[corpus.Case], jobs chan<- shardJob) {
	type program struct {
		key   uint64
		entry string
	}
	seen := make(map[program]bool)
	var job shardJob
	count := 0
	send := func() bool {
		select {
		case jobs <- job:
			job = shardJob{number: job.number + 1}
			count = 0
			return true
		case <-ctx.Done():
			return false
		}
	}
	for c := range cases {
		count++
		p := program{Key(c.Source), c.Entry}
		if seen[p] {
			job.duplicates++
		} else {
			seen[p] = true
			job.cases = append(job.cases, c)
		}
		if count == b.params.ShardPrograms && !send() {
			return
		}
	}
	if count > 0 {
		send()
	}
}

func (b *builder) work(ctx context.Context, jobs <-chan shardJob) error {
	encoder, err := NewEncoder(b.tok)
	if err != nil {
		return err
	}
	for job := range jobs {
		marker := filepath.Join(b.dir, fmt.Sprintf("shard-%05d.json", job.number))
		stats := newStats()
		err := readJSON(marker, stats)
		if errors.Is(err, fs.ErrNotExist) {
			stats, err = b.shard(ctx, encoder, job)
			if err == nil {
				err = writeJSON(marker, stats)
			}
		}
		if err != nil {
			return fmt.Errorf("shard %d: %w", job.number, err)
		}
		b.mu.Lock()
		b.done++
		b.total.add(stats)
		if b.options.Progress != nil {
			b.options.Progress(b.done, *b.total)
		}
		b.mu.Unlock()
	}
	return nil
}

// shard makes the files of one shard.
func (b *builder) shard(ctx context.Context, encoder *Encoder, job shardJob) (*Stats, error) {
	stats := newStats()
	stats.Cases = len(job.cases) + job.duplicates
	if job.duplicates > 0 {
		stats.Dropped[DuplicateProgram] = job.duplicates
	}
	sequences := map[Split][]Sequence{Train: nil, HeldOut: nil}
	for r, err := range corpus.Record(ctx, slices.Values(job.cases), b.params.recording()) {
		if err != nil {
			return nil, err
		}
		if r.Dropped != corpus.Kept {
			stats.Dropped[NotRecorded+Reason(r.Dropped)]++
			continue
		}
		split := SplitOf(Key(r.Case.Source), b.params.HeldOut)
		list := b.program(encoder, r, stats)
		if len(list) == 0 {
			stats.Dropped[NoSequences]++
			continue
		}
		counts := stats.split(split)
		counts.Programs++
		for i := range list {
			counts.count(&list[i])
		}
		sequences[split] = append(sequences[split], list...)
	}
	for split, list := range sequences {
		if err := writeShard(shardPath(b.dir, split, job.number), list); err != nil {
			return nil, err
		}
	}
	return stats, nil
}

// program returns the sequences of one program.
func (b *builder) program(encoder *Encoder, r corpus.Recorded, stats *Stats) []Sequence {
	subject, err := NewSubject(r.Recording, corpus.ProgramFile, r.Case.Source)
	if err != nil {
		stats.Dropped[NoTree]++
		return nil
	}
	trajectories, missing, err := b.params.sample(subject, r.Case.Index)
	if err != nil {
		stats.Dropped[NoTree]++
		return nil
	}
	if missing > 0 {
		stats.Dropped[NoTrajectory] += missing
	}
	var list []Sequence
	texts := make(map[string]bool)
	for i := range trajectories {
		s, ok := encoder.Encode(&trajectories[i], b.params.MaxTokens)
		switch {
		case !ok:
			stats.Dropped[TooLong]++
		case texts[s.Text]:
			stats.Dropped[DuplicateSequence]++
		default:
			texts[s.Text] = true
			s.Source = fmt.Sprintf("%s/%d", b.params.Corpus, r.Case.Index)
			list = append(list, s)
		}
	}
	return list
}

func sameJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return atomicfile.WriteFile(path, append(data, '\n'))
}
