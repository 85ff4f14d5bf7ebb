// Package replay answers predictions from a recorded execution: the
// model.Predictor that is always right, and the ground truth for everything
// built on predictors.
//
// A session is a statetree.Cursor on the tree of a statetree.Recording, or on
// its inverse. It begins at the recorded state that matches the context's
// start. What was not recorded cannot be predicted: an edit that changes a
// state is refused with ErrNotRecorded.
//
// The package must not know of tokens, models with weights, or any protocol.
package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// ErrNotRecorded is returned for a start, a history or an edit that the
// recording does not contain.
var ErrNotRecorded = errors.New("a recording cannot answer what-ifs; use a model for them")

// ErrOtherProgram is returned for a context whose code is not the recorded one:
// another call, or a file that has changed since.
var ErrOtherProgram = errors.New("the recording is of another program; record it again")

// Predictor serves one recording. It is safe for use by several goroutines.
type Predictor struct {
	forward *statetree.Tree
	inverse *statetree.Tree
}

// New returns a predictor over a recording. It fails when the recording is
// empty or not properly nested.
func New(r statetree.Recording) (*Predictor, error) {
	forward, err := statetree.NewTree(r)
	if err != nil {
		return nil, fmt.Errorf("replaying a recording: %w", err)
	}
	return &Predictor{forward: forward, inverse: forward.Invert()}, nil
}

// Info says that this is a replay.
func (p *Predictor) Info() model.Info {
	r := p.forward.Recording()
	return model.Info{Name: "replay", Detail: fmt.Sprintf("recording of %d states", len(r.States))}
}

// Close has nothing to free; sessions that are open go on.
func (p *Predictor) Close() error { return nil }

// Open begins a session at the first recorded state that matches the context's
// start, or, when the start is to be proposed, at the entry function's call. A
// start at the bottom of the recording covers all of it; any other start, and
// every inverse one, covers the activation that it is in, past whose end is the
// exit.
func (p *Predictor) Open(ctx context.Context, c model.Context) (model.Session, model.Prediction, error) {
	if err := ctx.Err(); err != nil {
		return nil, model.Prediction{}, err
	}
	tree := p.forward
	if c.Direction == statetree.Inverse {
		tree = p.inverse
	}
	files := renamed(tree.Recording().Program, c.Program)
	if err := sameCode(tree.Recording().Program, c.Program, files); err != nil {
		return nil, model.Prediction{}, err
	}
	node, err := find(tree, c)
	if err != nil {
		return nil, model.Prediction{}, err
	}
	s := &session{files: files}
	level := tree.LevelOf(node)
	scope := level
	if c.Direction == statetree.Forward && tree.Level(level).Owner < 0 {
		scope = statetree.Whole
	}
	cursor := tree.Cursor(scope)
	cursor.Seek(node)
	s.cursors = append(s.cursors, cursor)
	for i, step := range c.History {
		if err := s.Adopt(step); err != nil {
			return nil, model.Prediction{}, fmt.Errorf("step %d of the history: %w", i+1, err)
		}
	}
	return s, s.prediction(), nil
}

// find returns the node at which a session begins.
func find(tree *statetree.Tree, c model.Context) (int, error) {
	want := c.Start
	if want.Event == statetree.NoEvent {
		for n := 0; n < tree.Len(); n++ {
			s := tree.State(n)
			if s.Event == statetree.Call && s.Function == c.Program.Entry.Function {
				return n, nil
			}
		}
		return 0, fmt.Errorf("the recording has no call of %s: %w", c.Program.Entry.Function, ErrNotRecorded)
	}
	for n := 0; n < tree.Len(); n++ {
		if matches(tree.State(n), want) {
			return n, nil
		}
	}
	return 0, fmt.Errorf("the recording has no %s state at line %d, %q, with these values: %w",
		want.Event, want.Line, want.Source, ErrNotRecorded)
}

// matches reports whether a recorded state is the wanted one. Of a partial state
// only what it tells has to agree; a place that is not known agrees with any.
func matches(recorded, want statetree.State) bool {
	if want.Line != 0 && want.Line != recorded.Line || want.Function != "" && want.Function != recorded.Function {
		return false
	}
	if !want.Partial {
		return recorded.Matches(want)
	}
	for _, local := range want.Locals {
		if repr, ok := recorded.Locals.Get(local.Name); !ok || repr != local.Repr {
			return false
		}
	}
	return recorded.Event == want.Event && recorded.Source == want.Source && recorded.Arg == want.Arg
}

// renamed maps the file of a recording to what the context calls it: the same
// program may have been recorded under another path.
func renamed(recorded, shown statetree.Program) map[string]string {
	from, ok := onlyFile(recorded)
	to, ok2 := onlyFile(shown)
	if !ok || !ok2 || from == to {
		return nil
	}
	return map[string]string{from: to}
}

// sameCode compares the lines that both programs have: a context may have fewer,
// such as those of one function.
func sameCode(recorded, shown statetree.Program, files map[string]string) error {
	lines := recorded.Lines()
	texts := map[statetree.Origin]string{}
	for i, origin := range recorded.Origins {
		if name, ok := files[origin.File]; ok {
			origin.File = name
		}
		if origin.Line > 0 && i < len(lines) {
			texts[origin] = lines[i]
		}
	}
	lines = shown.Lines()
	for i, origin := range shown.Origins {
		was, ok := texts[origin]
		switch {
		case !ok || i >= len(lines) || was == lines[i]:
		case origin.File == statetree.DriverFile:
			return fmt.Errorf("%s was recorded, not %s: %w", recorded.Entry.Text, shown.Entry.Text, ErrOtherProgram)
		default:
			return fmt.Errorf("line %d of %s is %q, but %q was recorded: %w", origin.Line, origin.File, lines[i], was, ErrOtherProgram)
		}
	}
	return nil
}

// onlyFile returns the file of a program's code when it is all from one.
func onlyFile(p statetree.Program) (string, bool) {
	file := ""
	for _, o := range p.Origins {
		switch {
		case o.File == "" || o.File == statetree.DriverFile || o.File == file:
		case file == "":
			file = o.File
		default:
			return "", false
		}
	}
	return file, file != ""
}
