package dataset

import (
	"context"
	"fmt"
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"unicode/utf8"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
	"github.com/neuraldbg/neuraldbg/statetree/record"
)

// Traces is a folder of traces of repositories as a Corpus, as
// `neuraldbg record -- COMMAND` writes them. A trace is a shard. Of each
// function that it has activations of, Params.Activations are drawn as entries,
// and each of these is a trajectory's scope (arXiv 2603.09951, section 4.2).
type Traces struct {
	paths      []string
	params     Params
	provenance corpus.Provenance
	// entries are those of the first traces, as far as keptEntries lets them be
	// kept; those of others are read again when their shard is made.
	entries [][]record.Entry
}

// keptEntries bounds the memory that entries take: some ten megabytes.
const keptEntries = 100_000

// OpenTraces lists the traces of a folder, and reads them once to count what is
// in them. It remembers some bytes of each trace, file and function, beside the
// entries.
func OpenTraces(dir string, p Params) (*Traces, error) {
	paths, err := record.Traces(dir)
	if err != nil {
		return nil, err
	}
	t := &Traces{paths: paths, params: p, provenance: corpus.Provenance{Name: "traces/" + filepath.Base(dir)}}
	files, functions := map[string]bool{}, map[uint64]bool{}
	kept := 0
	for _, path := range paths {
		entries, err := record.Entries(path)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			files[e.File] = true
			functions[hash(e.File, e.Name, strconv.Itoa(e.Line))] = true
			t.provenance.Entries += e.Calls
		}
		if kept += len(entries); kept <= keptEntries {
			t.entries = append(t.entries, entries) // of the first traces only: kept grows
		}
	}
	t.provenance.Files, t.provenance.Functions = len(files), len(functions)
	t.provenance.Licences = corpus.LicencesOf(files)
	return t, nil
}

// Provenance counts what is in the traces.
func (t *Traces) Provenance() corpus.Provenance { return t.provenance }

// Shards returns the number of traces.
func (t *Traces) Shards() int { return len(t.paths) }

// Executions yields the activations drawn from a trace, as they end.
func (t *Traces) Executions(ctx context.Context, shard int) iter.Seq2[Execution, error] {
	return func(yield func(Execution, error) bool) {
		chosen, err := t.choose(shard)
		if err != nil {
			yield(Execution{}, err)
			return
		}
		subjects := newSubjects()
		calls := map[record.Function]int{}
		options := record.ExtractOptions{MaxStates: t.params.Events, Choose: func(a record.Activation) bool {
			if a.Resumed {
				return false
			}
			call := calls[a.Function]
			calls[a.Function]++
			return chosen[a.Function][call]
		}}
		for x, err := range record.Extract(t.paths[shard], options) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(Execution{}, err)
				return
			}
			if !yield(t.execution(shard, &x, subjects), nil) {
				return
			}
		}
	}
}

// choose draws the calls of each function that become entries, by their number
// among the function's calls in the trace.
func (t *Traces) choose(shard int) (map[record.Function]map[int]bool, error) {
	entries, err := t.entriesOf(shard)
	if err != nil {
		return nil, err
	}
	chosen := make(map[record.Function]map[int]bool, len(entries))
	for _, e := range entries {
		r := rand.New(rand.NewPCG(t.params.Seed, hash(filepath.Base(t.paths[shard]), e.File, e.Name, fmt.Sprint(e.Line))))
		numbers := map[int]bool{}
		if e.Calls <= t.params.Activations {
			for i := range e.Calls {
				numbers[i] = true
			}
		}
		for len(numbers) < min(e.Calls, t.params.Activations) {
			numbers[r.IntN(e.Calls)] = true
		}
		chosen[e.Function] = numbers
	}
	return chosen, nil
}

func (t *Traces) entriesOf(shard int) ([]record.Entry, error) {
	if shard < len(t.entries) {
		return t.entries[shard], nil
	}
	return record.Entries(t.paths[shard])
}

// execution makes an activation ready for sampling.
func (t *Traces) execution(shard int, x *record.Extracted, subjects *subjects) Execution {
	name := fmt.Sprintf("%s/%d/%d", t.provenance.Name, shard, x.Number)
	e := Execution{Source: name, Index: hash(filepath.Base(t.paths[shard]), fmt.Sprint(x.Number)), Key: subjects.key(x)}
	if t.tooLong(&x.Recording) {
		e.Dropped = NotRecorded + Reason(corpus.TooLong)
		return e
	}
	subject, err := subjects.activation(x)
	if err != nil {
		e.Dropped = NoTree
		return e
	}
	e.Subject = &subject
	return e
}

// tooLong reports whether a repr is longer than the parameters allow.
func (t *Traces) tooLong(r *statetree.Recording) bool {
	long := func(s string) bool { return len(s) > t.params.Value && utf8.RuneCountInString(s) > t.params.Value }
	for i := range r.States {
		if long(r.States[i].Arg) {
			return true
		}
		for _, l := range r.States[i].Locals {
			if long(l.Repr) {
				return true
			}
		}
	}
	return false
}

// hash is a number made from some texts.
func hash(texts ...string) uint64 {
	h := fnv.New64a()
	for _, s := range texts {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return h.Sum64()
}
