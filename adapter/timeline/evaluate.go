package timeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/neuraldbg/neuraldbg/adapter/expr"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// Evaluation is the value of an expression.
type Evaluation struct {
	Repr string
	// Confidence is that of the least certain value that the expression uses, or
	// of the prediction.
	Confidence float64
	// Predicted says that the predictor was asked for the value.
	Predicted bool
}

// Evaluate computes an expression from the predicted values of the frame with an
// index in the stack. print gets what print writes; nil refuses it. Every error
// but ctx's is an *expr.Error.
func (e *Entry) Evaluate(ctx context.Context, x *expr.Expression, frame int, print func(text string)) (Evaluation, error) {
	out := Evaluation{Confidence: 1}
	if repr, ok := e.Lookup(frame, x.String()); ok { // a name, whose repr is as it is
		out.Repr = repr
	} else {
		scope := e.scope(frame)
		scope.Print = print
		value, err := x.Eval(ctx, scope)
		if err != nil {
			return Evaluation{}, err
		}
		out.Repr = value.Repr()
	}
	if frame == 0 && !e.Ended() && !e.Stack[0].Stale {
		for _, name := range x.Names() {
			if c, ok := e.Confidence.Locals[name]; ok {
				out.Confidence = min(out.Confidence, c)
			}
		}
	}
	return out, nil
}

// CanSuppose reports whether an expression whose evaluation failed is worth asking
// the predictor for: one that Python could evaluate, over names that the program
// has.
func (t *Timeline) CanSuppose(err error) bool {
	var e *expr.Error
	if !errors.As(err, &e) || t.target.File == nil {
		return false
	}
	switch e.Reason {
	case expr.Unsupported, expr.Unknown:
		return true
	case expr.NotFound:
		return definesName(t.target.File, e.Name)
	}
	return false
}

// definesName reports whether a module binds a name: a function, a class, an
// import, or what a line without indentation assigns to.
func definesName(file *source.File, name string) bool {
	if file.FunctionNamed(name) != nil {
		return true
	}
	for _, line := range file.Lines() {
		words := strings.FieldsFunc(line, notInName)
		if len(words) < 2 || notInName([]rune(line)[0]) {
			continue
		}
		switch words[0] {
		case "def", "async":
			continue // among the functions
		case "class":
			words = words[1:2]
		case "import", "from":
		default:
			target, _, _ := strings.Cut(line, "=")
			words = strings.FieldsFunc(target, notInName)
		}
		if slices.Contains(words, name) {
			return true
		}
	}
	return false
}

// supposed is the name of the function that Suppose adds to the program.
const supposed = "evaluate"

// Suppose asks the predictor for the value that an expression has in the frame
// with an index in the stack of the position: what a function would return that
// has the expression as its only line and the frame's values as its arguments.
// It is predicted aside, so that the timeline and its session stay as they are.
func (t *Timeline) Suppose(ctx context.Context, expression string, frame int) (Evaluation, error) {
	e := t.at(t.pos)
	switch {
	case t.target.File == nil || frame < 0 || frame >= len(e.Stack):
		return Evaluation{}, errors.New("there is no frame to evaluate in")
	case strings.ContainsAny(expression, "\n\r"):
		return Evaluation{}, errors.New("write the expression on one line")
	}
	var locals statetree.Locals
	for _, l := range e.Stack[frame].Locals {
		if slices.Contains(strings.FieldsFunc(expression, notInName), l.Name) {
			locals = append(locals, l)
		}
	}
	program, start, err := supposition(t.target.File, expression, locals)
	if err != nil {
		return Evaluation{}, err
	}
	session, _, err := t.predictor.Open(ctx, model.Context{Program: program, Start: start, Sampling: model.Sampling{Seed: t.options.Sampling.Seed}})
	if err != nil {
		return Evaluation{}, fmt.Errorf("asking the model: %w", err)
	}
	defer session.Close()
	p, err := session.Predict(ctx, statetree.Action{Kind: statetree.StepReturn})
	if err != nil {
		return Evaluation{}, fmt.Errorf("asking the model: %w", err)
	}
	if p.Ended() || p.State.Event != statetree.Return {
		return Evaluation{}, errors.New("the model predicts no value for this")
	}
	return Evaluation{Repr: p.State.Arg, Confidence: p.Confidence.State, Predicted: true}, nil
}

func notInName(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// supposition returns the program with a function that returns an expression,
// and the call of that function with the given arguments.
func supposition(file *source.File, expression string, arguments statetree.Locals) (statetree.Program, statetree.State, error) {
	name := supposed
	for file.FunctionNamed(name) != nil {
		name += "_"
	}
	parameters := make([]string, len(arguments))
	for i, a := range arguments {
		parameters[i] = a.Name
	}
	head := "def " + name + "(" + strings.Join(parameters, ", ") + "):"
	text := strings.TrimRight(file.Text(), "\n") + "\n\n\n" + head + "\n    return " + expression + "\n"
	changed, err := source.Parse(file.Path(), []byte(text))
	if err != nil {
		return statetree.Program{}, statetree.State{}, fmt.Errorf("%q is not an expression", expression)
	}
	target, err := NewTarget(changed, Launch{Path: file.Path(), Entry: name})
	if err != nil {
		return statetree.Program{}, statetree.State{}, err
	}
	return target.Program, statetree.State{
		Event: statetree.Call, Source: head, Locals: arguments, File: file.Path(), Line: len(changed.Lines()) - 1, Function: name,
	}, nil
}

// Inputs infers what the innermost function was called with, on a timeline of
// its own: this one is left as it is.
func (t *Timeline) Inputs(ctx context.Context) (Entry, error) {
	here := t.at(t.pos)
	if here.Ended() {
		return Entry{}, errors.New("the run has ended; step back into the function first")
	}
	target := t.target
	target.Start = here.State
	options := t.options
	options.Breakpoints, options.Listener = nil, Listener{}
	aside := New(t.predictor, target, options)
	defer aside.Close()
	if _, err := aside.Open(ctx); err != nil {
		return Entry{}, err
	}
	stop, err := aside.ReverseContinue(ctx)
	if err != nil {
		return Entry{}, err
	}
	if stop.Reason == ReasonBeginning {
		return Entry{}, errors.New("this is where the function is called")
	}
	return aside.Current(), nil
}
