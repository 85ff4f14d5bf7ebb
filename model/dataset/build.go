package dataset

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/neuraldbg/neuraldbg/internal/folderlock"
	"github.com/neuraldbg/neuraldbg/internal/regularfile"
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
	// Provenance says what the dataset was made from, and under what licences.
	Provenance corpus.Provenance `json:"provenance"`
	// Complete says that all shards are in; Shards and Stats are set then.
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
	err := readJSON(filepath.Join(dir, descriptionFile), &d)
	if errors.Is(err, fs.ErrNotExist) {
		return d, fmt.Errorf("%s is no dataset: it has no %s; make one with neuraldbg dataset", dir, descriptionFile)
	}
	if err != nil {
		return d, fmt.Errorf("read a dataset: %w", err)
	}
	return d, nil
}

// BuildOptions say how to make a dataset; they do not change what it holds.
type BuildOptions struct {
	Workers int // default: as many as there are processors
	// Range are the shards to make; the zero Range is all of them.
	Range Range
	// Progress, if set, is called after every shard with the counts so far and
	// the number of shards done, of how many; never by two goroutines at once.
	Progress func(done, of int, total Stats)
}

// Range is the shards from From up to To, which is left out. The zero Range is
// all shards.
type Range struct{ From, To int }

// Build makes the dataset of a corpus in the folder dir. A folder that has some of
// the shards gets the others, and one of other parameters is refused. The
// description is complete only if all shards are there, so that several machines
// can make a range each: when the files of all are in one folder, Build finds
// nothing left to make and completes it.
func Build(ctx context.Context, dir string, c Corpus, tok *tokenizer.Tokenizer, p Params, o BuildOptions) (Description, error) {
	p.Corpus = c.Provenance().Name
	b := &builder{dir: dir, corpus: c, tok: tok, params: p, options: o, total: newStats()}
	d := Description{Format: format, Grammar: grammar.Hash(), Tokenizer: tok.Hash(), Params: p, Provenance: c.Provenance()}
	if err := b.build(ctx, &d); err != nil {
		return d, fmt.Errorf("build a dataset: %w", err)
	}
	return d, nil
}

// CheckWritable reports why files cannot be made in a folder, which it makes when
// it is missing. Who is about to work for hours asks first.
func CheckWritable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder of a dataset: %w", err)
	}
	probe, err := os.CreateTemp(dir, atomicfile.Prefix+"*")
	if err != nil {
		return fmt.Errorf("write into the folder of a dataset: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// Claim is CheckWritable, and keeps other processes from making a dataset in the
// same folder until the lock is released or this one ends.
func Claim(dir string) (*folderlock.Lock, error) {
	if err := CheckWritable(dir); err != nil {
		return nil, err
	}
	lock, err := folderlock.Take(dir)
	if err != nil {
		return nil, fmt.Errorf("make a dataset: %w", err)
	}
	return lock, nil
}

// builder is one call of Build.
type builder struct {
	dir     string
	corpus  Corpus
	tok     *tokenizer.Tokenizer
	params  Params
	options BuildOptions

	mu    sync.Mutex // guards what follows
	total *Stats
	done  int
}

func (b *builder) build(ctx context.Context, d *Description) error {
	shards := b.corpus.Shards()
	if b.options.Range == (Range{}) {
		b.options.Range.To = shards
	}
	begun := time.Now()
	if r := b.options.Range; r.From < 0 || r.From >= r.To || r.To > shards {
		return fmt.Errorf("there are no shards %d:%d; the corpus has %d, 0:%d", r.From, r.To, shards, shards)
	}
	if err := b.prepare(*d); err != nil {
		return err
	}
	if err := b.run(ctx); err != nil {
		return err
	}
	stats, err := b.stats(shards)
	if err != nil || stats == nil {
		return err
	}
	d.Complete, d.Shards, d.Stats = true, shards, stats
	if err := writeCard(b.dir, d); err != nil {
		return err
	}
	if err := removeUnfinished(b.dir, begun); err != nil {
		return err
	}
	return writeJSON(filepath.Join(b.dir, descriptionFile), d)
}

func (b *builder) prepare(d Description) error {
	if err := CheckWritable(b.dir); err != nil {
		return err
	}
	var old Description
	err := readJSON(filepath.Join(b.dir, descriptionFile), &old)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if old.Format != d.Format || old.Grammar != d.Grammar || old.Tokenizer != d.Tokenizer || !sameJSON(old.Params, d.Params) {
			return fmt.Errorf("%s holds a dataset of other parameters, tokenizer or grammar; choose another folder or delete it", b.dir)
		}
		// Its last shard may be a part of one by now, and others another trace's or file's.
		if was, is := old.Provenance.Entries, d.Provenance.Entries; was != is {
			return fmt.Errorf("%s holds a dataset of a corpus that had %d entries, and now has %d; choose another folder or delete it", b.dir, was, is)
		}
		return nil
	}
	if err := b.tok.Save(filepath.Join(b.dir, tokenizer.File)); err != nil {
		return err
	}
	if err := b.writeLicences(d.Provenance.Licences); err != nil {
		return err
	}
	return writeJSON(filepath.Join(b.dir, descriptionFile), d)
}

// LicenceFolder holds the texts of licences, a folder for each package.
const LicenceFolder = "licences"

func (b *builder) writeLicences(licences []corpus.Licence) error {
	for _, l := range licences {
		for name, text := range l.Texts {
			path := filepath.Join(b.dir, LicenceFolder, filepath.Base(l.Of), filepath.Base(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := atomicfile.WriteFile(path, []byte(text)); err != nil {
				return err
			}
		}
	}
	return nil
}

// run hands the shards to the workers.
func (b *builder) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range cmp.Or(b.options.Workers, runtime.GOMAXPROCS(0)) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			if err := b.work(ctx, numbers); err != nil {
				cancel(err)
			}
		}()
	}
	for n := b.options.Range.From; n < b.options.Range.To && ctx.Err() == nil; n++ {
		select {
		case numbers <- n:
		case <-ctx.Done():
		}
	}
	close(numbers)
	workers.Wait()
	return context.Cause(ctx)
}

// markerPath is the file that says that a shard is whole.
func (b *builder) markerPath(shard int) string {
	return filepath.Join(b.dir, fmt.Sprintf("shard-%05d.json", shard))
}

// made returns the counts of a shard. The error is fs.ErrNotExist when one of its
// files is not there: it was never made, or copied from another machine in part.
func (b *builder) made(shard int) (*Stats, error) {
	stats := newStats()
	path := b.markerPath(shard)
	if err := readJSON(path, stats); err != nil {
		return nil, fmt.Errorf("%w; if it is damaged, delete it, and the shard is made again", err)
	}
	for _, split := range []Split{Train, HeldOut} {
		r, err := openShard[tokens](shardPath(b.dir, split, shard))
		if err != nil {
			return nil, err
		}
		rows := r.count()
		if err := r.close(); err != nil {
			return nil, err
		}
		if want := stats.split(split).rows(); rows != want {
			return nil, fmt.Errorf("%s has %d sequences, but %d by %s; delete both, and the shard is made again", r.path, rows, want, path)
		}
	}
	return stats, nil
}

func (b *builder) work(ctx context.Context, numbers <-chan int) error {
	encoder, err := NewEncoder(b.tok)
	if err != nil {
		return err
	}
	for n := range numbers {
		stats, err := b.made(n)
		if errors.Is(err, fs.ErrNotExist) {
			stats, err = b.shard(ctx, encoder, n)
			if err == nil {
				err = writeJSON(b.markerPath(n), stats)
			}
		}
		if err != nil {
			return fmt.Errorf("shard %d: %w", n, err)
		}
		b.mu.Lock()
		b.done++
		b.total.add(stats)
		if b.options.Progress != nil {
			b.options.Progress(b.done, b.options.Range.To-b.options.Range.From, *b.total)
		}
		b.mu.Unlock()
	}
	return nil
}

// stats adds up the counts of all shards, or returns nil when some are missing.
func (b *builder) stats(shards int) (*Stats, error) {
	total := newStats()
	for n := range shards {
		stats, err := b.made(n)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		total.add(stats)
	}
	return total, nil
}

// removeUnfinished removes what builds that were killed before a time have left: no
// shard is missing any more that another machine could be writing.
func removeUnfinished(dir string, before time.Time) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), atomicfile.Prefix) || !info.ModTime().Before(before) {
			continue // it has just been finished, or is somebody's
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// shard makes the files of one shard. It holds no more sequences than a row group
// of each.
func (b *builder) shard(ctx context.Context, encoder *Encoder, number int) (*Stats, error) {
	stats := newStats()
	var failed error // the corpus, not the files
	err := writeShard(shardPath(b.dir, Train, number), func(train *shardWriter) error {
		return writeShard(shardPath(b.dir, HeldOut, number), func(heldOut *shardWriter) error {
			for e, err := range b.corpus.Executions(ctx, number) {
				if err != nil {
					failed = err
					return err
				}
				to := train
				if SplitOf(e.Key, b.params.HeldOut) == HeldOut {
					to = heldOut
				}
				if err := b.add(encoder, to, &e, stats); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if failed != nil {
		err = failed
	}
	return stats, err
}

// add writes the sequences of one execution, and counts them or why there are
// none.
func (b *builder) add(encoder *Encoder, to *shardWriter, e *Execution, stats *Stats) error {
	stats.Cases++
	if e.Dropped != "" {
		stats.Dropped[e.Dropped]++
		return nil
	}
	list := b.sequences(encoder, e, stats)
	if len(list) == 0 {
		stats.Dropped[NoSequences]++
		return nil
	}
	counts := stats.split(SplitOf(e.Key, b.params.HeldOut))
	counts.Programs++
	for i := range list {
		counts.count(&list[i])
	}
	return to.write(list)
}

// sequences samples and encodes one execution.
func (b *builder) sequences(encoder *Encoder, e *Execution, stats *Stats) []Sequence {
	if !encoder.Fits(e.Subject, b.params.MaxTokens) {
		stats.Dropped[CodeTooLong]++
		return nil
	}
	trajectories, missing, err := b.params.Sample(*e.Subject, e.Index)
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
			s.Source = e.Source
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
	data, err := regularfile.ReadFile(path)
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
