package eval

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

// Set is programs that no model was trained on, and how trajectories of them are
// sampled.
type Set struct {
	// Name is that of the set in reports.
	Name string
	// Cases are the programs; they are the same in every iteration. Foreign says
	// how they are run if others have written them.
	Cases   iter.Seq[corpus.Case]
	Foreign *corpus.Foreign
	// Traces are recordings to use instead.
	Traces *dataset.Traces
	// Finite says that all programs are to be used alike. Of others, as of a
	// generator's, the first are used.
	Finite bool
	// Solved says that the cases come with their outputs, to be asked for as whole
	// calls.
	Solved bool
	// Params are those of the sampling; their limits decide which programs are
	// left out, and their HeldOut share which belong to the set.
	Params dataset.Params
	// Trained has the keys of programs that a model was trained on, as
	// dataset.ProgramKeys returns them; those are left out.
	Trained map[uint64]bool
	// Left counts, once the set has been gone through, what was left out.
	Left map[string]int

	// failed, if set, tells why the cases ended early.
	failed func() error
}

// GeneratedSet is programs of the generator that are held out by their hash, from
// the one with the given number on.
func GeneratedSet(name string, seed, first uint64, p dataset.Params) *Set {
	return &Set{
		Name: name, Params: p,
		Cases: corpus.NewGenerator(seed, corpus.DefaultStyle()).Cases(first, math.MaxInt),
	}
}

// handwrittenTrajectories are enough that each kind of action is in 800 of them.
const handwrittenTrajectories = 16

// HandwrittenSet is the programs that Handwritten returns.
func HandwrittenSet() (*Set, error) {
	cases, err := Handwritten()
	if err != nil {
		return nil, err
	}
	p := dataset.DefaultParams()
	p.Corpus, p.HeldOut, p.Trajectories = "handwritten", 1, handwrittenTrajectories
	return &Set{Name: "handwritten", Cases: slices.Values(cases), Finite: true, Params: p}, nil
}

// FileSet is the cases of a file of JSON lines with code, input and output, as
// CruxEval is published. All that can be recorded belong to it.
func FileSet(path string) (*Set, error) {
	cases, err := corpus.ReadJSONLFile(path)
	if err != nil {
		return nil, err
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s has no cases", path)
	}
	name := filepath.Base(path)
	p := dataset.DefaultParams()
	p.Corpus, p.HeldOut = name, 1
	p.Events, p.Value, p.Seconds = 20_000, 1<<14, 10
	return &Set{Name: name, Cases: slices.Values(cases), Finite: true, Solved: true, Params: p}, nil
}

// foreignParams are those of code that people wrote for other purposes: its values
// are longer than the generator's. All of it belongs to the set: it is put aside
// as a whole, and never trained on.
func foreignParams(name string) dataset.Params {
	p := dataset.DefaultParams()
	p.Corpus, p.HeldOut, p.Value = name, 1, 500
	return p
}

// TreeSet is the calls in a tree of Python files: of doctests and assertions, with
// literal arguments. They come in random order, since a large package has
// thousands.
func TreeSet(ctx context.Context, dir string, seed uint64) (*Set, error) {
	tree, err := corpus.ScanTree(ctx, dir, "")
	if err != nil {
		return nil, err
	}
	order := rand.New(rand.NewPCG(seed, 0)).Perm(tree.Len())
	s := &Set{Name: tree.Provenance().Name, Foreign: tree.Foreign()}
	s.Params = foreignParams(s.Name)
	var unreadable error
	s.Cases = func(yield func(corpus.Case) bool) {
		for _, i := range order {
			for c, err := range tree.Range(i, i+1) {
				if err != nil {
					unreadable = err
					return
				}
				c.ID = fmt.Sprintf("%s#%d", c.ID, c.Index)
				if !yield(c) {
					return
				}
			}
		}
	}
	s.failed = func() error { return unreadable }
	return s, nil
}

// activations is how many calls of one function of a trace are asked about.
const activations = 3

// TraceSet is the recordings of a repository in a folder: the evaluation at the
// level of repositories (section 5.2).
func TraceSet(dir string) (*Set, error) {
	name := "traces/" + filepath.Base(filepath.Clean(dir))
	p := foreignParams(name)
	p.Events, p.Activations = 5000, activations
	traces, err := dataset.OpenTraces(dir, p)
	if err != nil {
		return nil, err
	}
	return &Set{Name: name, Traces: traces, Params: p}, nil
}

// What Left counts beside the reasons of package corpus.
const (
	leftTrained = "in the training data"
	leftNoTree  = "recording without a state tree"
	leftNoCall  = "entry that calls no function of the program"
)

// Report tells which programs of the set were asked about. comparedWith are the
// datasets that Trained has the programs of.
func (s *Set) Report(answers []Answer, comparedWith []string) SetReport {
	programs := map[string]bool{}
	for i := range answers {
		if answers[i].Data == s.Name {
			programs[answers[i].Program] = true
		}
	}
	return SetReport{Name: s.Name, Programs: len(programs), Left: s.Left, ComparedWith: comparedWith}
}

// program is a case of a set with its recording. One from a trace has no Source:
// it cannot be run again.
type program struct {
	corpus.Case
	name    string
	key     uint64 // dataset.Key of its file
	subject statetree.Subject
}

// programs records the cases, or reads the traces.
func (s *Set) programs(ctx context.Context) iter.Seq2[program, error] {
	s.Left = map[string]int{}
	if s.Traces != nil {
		return s.traced(ctx)
	}
	heldOut := func(yield func(corpus.Case) bool) {
		for c := range s.Cases {
			if dataset.SplitOf(dataset.Key(c.Source), s.Params.HeldOut) == dataset.HeldOut && !yield(c) {
				return
			}
		}
	}
	return func(yield func(program, error) bool) {
		options := s.Params.Recording()
		options.Foreign = s.Foreign
		for r, err := range corpus.Record(ctx, heldOut, options) {
			if err != nil {
				yield(program{}, fmt.Errorf("record the programs of %s: %w", s.Name, err))
				return
			}
			if r.Dropped != corpus.Kept {
				s.Left["not recorded: "+string(r.Dropped)]++
				continue
			}
			p := program{Case: r.Case, name: r.Case.ID, key: dataset.Key(r.Case.Source)}
			if p.name == "" {
				p.name = fmt.Sprint(r.Case.Index)
			}
			path := cmp.Or(r.Case.Path, corpus.ProgramFile)
			p.subject, err = dataset.NewSubject(r.Recording, path, r.Case.Source)
			switch {
			case err != nil:
				s.Left[leftNoTree]++
			case s.Trained[dataset.CodeKey(shown(p.subject).Program)]:
				s.Left[leftTrained]++
			case !yield(p, nil):
				return
			}
		}
		if s.failed != nil && s.failed() != nil {
			yield(program{}, fmt.Errorf("record the programs of %s: %w", s.Name, s.failed()))
		}
	}
}

// traced yields the activations of the traces.
func (s *Set) traced(ctx context.Context) iter.Seq2[program, error] {
	return func(yield func(program, error) bool) {
		for shard := range s.Traces.Shards() {
			for e, err := range s.Traces.Executions(ctx, shard) {
				if err != nil {
					yield(program{}, fmt.Errorf("read the traces of %s: %w", s.Name, err))
					return
				}
				if e.Dropped != "" {
					s.Left[string(e.Dropped)]++
					continue
				}
				p := program{Case: corpus.Case{Index: e.Index}, name: e.Source, key: e.Key, subject: *e.Subject}
				if s.Trained[dataset.CodeKey(shown(p.subject).Program)] {
					s.Left[leftTrained]++
					continue
				}
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

// shown is the code that a model is shown of a program, without a driver where
// there is such a form.
func shown(s statetree.Subject) statetree.Listing {
	if s.Function.Program.Code != "" {
		return s.Function
	}
	return s.Whole
}

// question begins a question about the program, whose last of the given steps is
// what is asked for. The trajectory tells all that was recorded.
func (p *program) question(k Key, t *statetree.Trajectory, step int) (Question, error) {
	read, err := asRead(t)
	if err != nil {
		return Question{}, fmt.Errorf("program %s of %s: %w", p.name, k.Data, err)
	}
	asked := t.Steps[step]
	q := Question{
		Key: k, Program: fmt.Sprintf("%016x", p.key),
		Context: contextOf(&read, step), Action: asked.Action, Want: read.Steps[step].Outcome,
		recorded: recorded{tree: p.subject.Tree, scope: p.subject.Level, walk: *t},
	}
	q.recorded.walk.Steps = t.Steps[:step]
	if t.Direction == statetree.Forward && t.Program.Code == p.subject.Whole.Program.Code {
		q.recorded.scope = statetree.Whole
	}
	return q, nil
}
