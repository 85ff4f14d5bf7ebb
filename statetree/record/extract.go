package record

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// ExtractOptions say which activations are taken out of a trace.
type ExtractOptions struct {
	// Choose is asked at each call, in the order of the trace; nil takes all.
	// States are held in memory while a chosen activation is open.
	Choose func(Activation) bool
	// MaxStates is the most states of a recording. A longer one is cut there.
	// 0 means no limit.
	MaxStates int
	// Everything keeps the states of all that was recorded. Without it the
	// activations are left out whose code the program does not show: those in
	// other files, and those that are reached in ways that the code does not
	// tell. What remains is nested as if they had not been recorded.
	Everything bool
}

// Extracted is one activation as a recording of its own.
type Extracted struct {
	Activation
	// Recording begins with the activation's call; it is activation 0. Its program
	// is the code that is statically reachable from the function, or the module.
	// Its exit says how the activation was left: what the trace does not tell
	// (nothing recorded has called it) counts as normal. An activation that has
	// not returned is Cut.
	Recording statetree.Recording
	// Source is the whole text of the function's file, and Parsed is it parsed.
	Source string
	Parsed *source.File
}

// Extract yields activations of a trace, each when it is known how it was left.
// An error ends the sequence. An activation is left out when its function is not
// found in its file, as in one that does not parse.
func Extract(path string, o ExtractOptions) iter.Seq2[Extracted, error] {
	return func(yield func(Extracted, error) bool) {
		w, err := openWalk(path)
		if err != nil {
			yield(Extracted{}, err)
			return
		}
		defer w.reader.Close()
		if err := extract(w, o, yield); err != nil {
			yield(Extracted{}, fmt.Errorf("reading the trace %s: %w", path, err))
		}
	}
}

func extract(w *walk, o ExtractOptions, yield func(Extracted, error) bool) error {
	x := extractor{walk: w, options: o, yield: yield, programs: make(map[Function]*shown), files: make(map[string]*source.File)}
	if err := x.run(); err != nil && !errors.Is(err, errStop) {
		return err
	}
	return nil
}

// errStop says that who ranges over the activations wants no more.
var errStop = errors.New("no more activations are wanted")

// extractor is one Extract.
type extractor struct {
	walk    *walk
	options ExtractOptions
	yield   func(Extracted, error) bool
	taken   []*taken // those that are not yielded yet
	// programs and files have nil for what cannot be shown.
	programs map[Function]*shown
	files    map[string]*source.File
}

// shown is a program with the functions that it shows.
type shown struct {
	program statetree.Program
	lines   map[int]bool
	source  string
	file    *source.File
}

// taken is an activation that is being taken out.
type taken struct {
	Extracted
	shown   *shown
	numbers map[int]int // activation in the trace → in the recording, while open
	next    int         // the next number in the recording
	// waits says that the activation has returned, and that the next state of its
	// caller tells how.
	waits   bool
	caller  int
	leaving statetree.Leaving
}

func (x *extractor) run() error {
	for {
		s, left, err := x.walk.next()
		if errors.Is(err, io.EOF) {
			return x.finish()
		}
		if err != nil {
			return err
		}
		if err := x.add(&s, left); err != nil {
			return err
		}
	}
}

// add takes one state, and the frame that it has left.
func (x *extractor) add(s *statetree.Recorded, left *frame) error {
	if err := x.settle(s); err != nil {
		return err
	}
	if s.Event == statetree.Call {
		top := &x.walk.stack[len(x.walk.stack)-1]
		if x.options.Choose == nil || x.options.Choose(top.Activation) {
			if program := x.program(top.Function); program != nil {
				t := &taken{Extracted: Extracted{Activation: top.Activation, Source: program.source, Parsed: program.file}, shown: program, numbers: make(map[int]int)}
				t.Recording.Program = program.program
				x.taken = append(x.taken, t)
			}
		}
	}
	for i := 0; i < len(x.taken); i++ {
		t := x.taken[i]
		done := false
		if !t.waits && x.keeps(t, s) {
			done = x.append(t, s)
		}
		if !done && left != nil && left.Number == t.Number {
			done = t.leave(&s.State, left)
		}
		if done {
			x.taken = append(x.taken[:i], x.taken[i+1:]...)
			i--
			if !x.yield(t.Extracted, nil) {
				return errStop
			}
		}
	}
	return nil
}

// settle decides how the activations were left that wait for this state.
func (x *extractor) settle(s *statetree.Recorded) error {
	kept := x.taken[:0]
	for _, t := range x.taken {
		if !t.waits || t.caller != s.Activation {
			kept = append(kept, t)
			continue
		}
		t.Recording.Exit = exitOf(t.leaving.GoesOn(&s.State), &t.leaving)
		if !x.yield(t.Extracted, nil) {
			return errStop
		}
	}
	x.taken = kept
	return nil
}

// keeps reports whether a state belongs to what is taken, and is shown.
func (x *extractor) keeps(t *taken, s *statetree.Recorded) bool {
	if s.Event != statetree.Call {
		_, ok := t.numbers[s.Activation]
		return ok
	}
	f := &x.walk.stack[len(x.walk.stack)-1].Function
	return x.options.Everything || f.File == t.File && t.shown.lines[f.Line]
}

// append adds a state, and reports whether the recording is then cut.
func (x *extractor) append(t *taken, s *statetree.Recorded) (full bool) {
	r := &t.Recording
	if limit := x.options.MaxStates; limit > 0 && len(r.States) >= limit {
		r.Cut = fmt.Sprintf("%s%d events", limitPrefix, limit)
		return true
	}
	kept := *s
	switch s.Event {
	case statetree.Call:
		t.numbers[s.Activation] = t.next
		kept.Activation = t.next
		t.next++
	default:
		kept.Activation = t.numbers[s.Activation]
		if s.Event == statetree.Return {
			delete(t.numbers, s.Activation)
		}
	}
	r.States = append(r.States, kept)
	return false
}

// leave notes that the activation has returned, and reports whether it is known
// how.
func (t *taken) leave(s *statetree.State, left *frame) bool {
	t.leaving = left.leaving
	byException, sure := t.leaving.Return(s)
	t.Recording.Exit = exitOf(byException, &t.leaving)
	t.caller, t.waits = left.caller, !sure && left.Depth > 0
	return !t.waits
}

// exitOf is the exit of an activation that was left.
func exitOf(byException bool, leaving *statetree.Leaving) statetree.Exit {
	if byException && !statetree.NormalExit(leaving.Raised()) {
		return statetree.ExitError
	}
	return statetree.ExitNormal
}

// finish yields what the end of the trace leaves open.
func (x *extractor) finish() error {
	_, cut := x.walk.reader.End()
	if cut == "" {
		cut = CutShort
	}
	for _, t := range x.taken {
		if !t.waits {
			t.Recording.Cut = cut
		}
		if !x.yield(t.Extracted, nil) {
			return errStop
		}
	}
	return nil
}

// program returns the program that shows a function, or nil.
func (x *extractor) program(f Function) *shown {
	if program, ok := x.programs[f]; ok {
		return program
	}
	file, ok := x.files[f.File]
	if !ok {
		file, _ = source.Parse(f.File, []byte(x.walk.reader.Source(f.File)))
		x.files[f.File] = file
	}
	program := show(file, f)
	x.programs[f] = program
	return program
}

// show returns the program that shows a function of a file, or nil.
func show(file *source.File, f Function) *shown {
	if file == nil {
		return nil
	}
	entry := statetree.Entry{Kind: statetree.FunctionEntry, Text: f.Name, Function: f.Name}
	if f.Name == statetree.ModuleFunction {
		entry = statetree.Entry{Kind: statetree.ModuleEntry, Function: f.Name}
	} else if file.FunctionNamed(f.Name) == nil {
		return nil
	}
	program, err := source.Context(file, entry)
	if err != nil {
		return nil
	}
	s := &shown{program: program, lines: make(map[int]bool, len(program.Origins)), source: file.Text(), file: file}
	for _, o := range program.Origins {
		s.lines[o.Line] = true
	}
	if f.Name != statetree.ModuleFunction && !s.lines[f.Line] {
		return nil
	}
	s.lines[f.Line] = true // a module's line is 0
	return s
}
