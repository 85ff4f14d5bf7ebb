package adapter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/expr"
	"github.com/neuraldbg/neuraldbg/adapter/repl"
	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// repl answers a line of the debug console: a command of package repl, an
// assignment, which changes the state as setVariable does, or an expression. A
// name that has a value is the value, also where a command is called so; the
// command's long name is left then. What the evaluator cannot compute, the model
// is asked for.
func (s *session) repl(r *dap.EvaluateRequest, entry *timeline.Entry, frame int, text string) (dap.ResponseMessage, error) {
	frame = min(max(frame+s.looked, 0), max(len(entry.Stack)-1, 0))
	if expression, ok := strings.CutPrefix(text, "!"); ok {
		return s.replExpression(r, entry, frame, strings.TrimSpace(expression))
	}
	c, argument, ok := repl.Parse(text)
	if ok && argument == "" {
		if _, isName := entry.Lookup(frame, text); isName {
			ok = false
		}
	}
	if ok && !c.Terminal {
		return s.replCommand(r, entry, frame, c, argument)
	}
	return s.replExpression(r, entry, frame, text)
}

// said answers a line of the console with text.
func said(r *dap.EvaluateRequest, format string, args ...any) *dap.EvaluateResponse {
	return &dap.EvaluateResponse{Response: *newResponse(&r.Request), Body: dap.EvaluateResponseBody{
		Result: strings.TrimRight(fmt.Sprintf(format, args...), "\n"),
	}}
}

func (s *session) replExpression(r *dap.EvaluateRequest, entry *timeline.Entry, frame int, text string) (dap.ResponseMessage, error) {
	if target, value, ok := expr.ParseAssignment(text); ok {
		return s.replAssign(r, frame, target, value)
	}
	if len(entry.Stack) == 0 {
		return nil, cannotEvaluate("there is no frame to evaluate in; step back first")
	}
	var printed strings.Builder
	v, err := evaluate(entry, frame, text, func(text string) { printed.WriteString(text) })
	switch {
	case err == nil && printed.Len() > 0 && v.text == "None":
		return said(r, "%s", printed.String()), nil
	case err == nil:
		return s.evaluated(r, v), nil
	case !s.timeline.CanSuppose(err):
		return nil, cannotEvaluate("%v", err)
	}
	return s.suppose(r, frame, text, err)
}

// suppose asks the model for a value, which is marked as its prediction.
func (s *session) suppose(r *dap.EvaluateRequest, frame int, text string, reason error) (dap.ResponseMessage, error) {
	t, err := s.ready("evaluate")
	if err != nil {
		return nil, err
	}
	s.begin(r.Seq, s.newProgress("Asking the model"), func(ctx context.Context) func() {
		var result timeline.Evaluation
		err := s.safely(func() (err error) {
			result, err = t.Suppose(ctx, text, frame)
			return err
		})
		return func() {
			switch {
			case errors.Is(err, context.Canceled):
				s.out.put(errorResponse(&r.Request, errCancelled))
			case err != nil:
				s.out.put(errorResponse(&r.Request, cannotEvaluate("%v; %v", reason, err)))
			default:
				v := variableOf(text, result, nil)
				response := s.evaluated(r, v)
				response.Body.Result = fmt.Sprintf("%s  (predicted, %s)", v.shown(r.Arguments.Format), percent(result.Confidence))
				s.out.put(response)
			}
		}
	})
	return nil, errAnsweredLater
}

// replAssign changes the state.
func (s *session) replAssign(r *dap.EvaluateRequest, frame int, target, value string) (dap.ResponseMessage, error) {
	t, err := s.ready("evaluate")
	if err != nil {
		return nil, err
	}
	if frame != 0 {
		return nil, cannotEdit("only the names of the innermost frame and the parts of their values can be changed")
	}
	canonical, ok := timeline.TargetExpression(target)
	if !ok {
		return nil, cannotEdit("%q is not a name, nor a part of one's value", target)
	}
	s.edit(r.Seq, &r.Request, t, canonical, value, func() dap.ResponseMessage {
		entry := t.Current()
		v, err := evaluate(&entry, 0, canonical, nil)
		if err != nil {
			return said(r, "%s = %s", target, value)
		}
		if s.client.SupportsInvalidatedEvent {
			s.event(&dap.InvalidatedEvent{Event: *newEvent("invalidated"), Body: dap.InvalidatedEventBody{Areas: []dap.InvalidatedAreas{"variables"}}})
		}
		return s.evaluated(r, v)
	})
	return nil, errAnsweredLater
}

// replCommand answers a command. One that moves is answered before it does.
func (s *session) replCommand(r *dap.EvaluateRequest, entry *timeline.Entry, frame int, c repl.Command, argument string) (dap.ResponseMessage, error) {
	switch c.Kind {
	case repl.Continue:
		return said(r, ""), s.goOn(r.Seq)
	case repl.Break:
		return s.replBreak(r, argument)
	case repl.Clear:
		return s.replClear(r, argument)
	case repl.Inputs:
		return s.replInputs(r)
	case repl.Print, repl.PrettyPrint, repl.Set:
		return s.replValue(r, entry, frame, c, argument)
	case repl.Where:
		return said(r, "%s", repl.WhereText(entry.Stack, frame)), nil
	case repl.Up, repl.Down:
		return s.replLook(r, entry, frame, c, argument)
	case repl.List:
		return s.replList(r, entry, frame, argument)
	case repl.Arguments:
		return said(r, "%s", localsText(entry, frame)), nil
	case repl.Help:
		text, err := repl.HelpText(argument, false)
		if err != nil {
			return nil, cannotEvaluate("%v", err)
		}
		return said(r, "%s", text), nil
	}
	t, err := s.ready(c.Names[0])
	if err != nil {
		return nil, err
	}
	movement := c.Kind.Movement()
	if c.Kind == repl.Jump {
		line, err := repl.Line(s.target.File, argument)
		if err != nil {
			return nil, cannotEvaluate("%v", err)
		}
		movement = func(t *timeline.Timeline, ctx context.Context) (timeline.Stop, error) { return t.Goto(ctx, line) }
	}
	s.move(r.Seq, "Predicting", func(ctx context.Context) (timeline.Stop, error) { return movement(t, ctx) })
	return said(r, ""), nil
}

// replValue is p, pp and set.
func (s *session) replValue(r *dap.EvaluateRequest, entry *timeline.Entry, frame int, c repl.Command, argument string) (dap.ResponseMessage, error) {
	if argument == "" {
		return nil, cannotEvaluate("%s wants %s", c.Names[0], strings.ToLower(c.Usage))
	}
	if c.Kind == repl.Set {
		name, value, _ := strings.Cut(argument, " ")
		value = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(value), "="))
		if value == "" {
			return nil, cannotEvaluate("set wants a name and a value: set n 3")
		}
		return s.replAssign(r, frame, name, value)
	}
	if c.Kind == repl.PrettyPrint && len(entry.Stack) > 0 {
		if v, err := evaluate(entry, frame, argument, nil); err == nil {
			response := s.evaluated(r, v)
			response.Body.Result = s.marked(repl.Pretty(v.shown(r.Arguments.Format)), v.confidence)
			return response, nil
		}
	}
	return s.replExpression(r, entry, frame, argument)
}

// replLook is u and d: which frame the console evaluates in. The client's own
// choice of a frame counts from there.
func (s *session) replLook(r *dap.EvaluateRequest, entry *timeline.Entry, frame int, c repl.Command, argument string) (dap.ResponseMessage, error) {
	count, err := repl.Count(argument)
	if err != nil {
		return nil, cannotEvaluate("%v", err)
	}
	if c.Kind == repl.Down {
		count = -count
	}
	to := min(max(frame+count, 0), len(entry.Stack)-1)
	if to < 0 || to == frame {
		return nil, cannotEvaluate("there is no frame beyond this one")
	}
	s.looked += to - frame
	return said(r, "%s", repl.FrameText(entry.Stack[to], true)), nil
}

func (s *session) replList(r *dap.EvaluateRequest, entry *timeline.Entry, frame int, argument string) (dap.ResponseMessage, error) {
	file := s.target.File
	here := 0
	if len(entry.Stack) > frame && entry.Stack[frame].File == file.Path() {
		here = entry.Stack[frame].Line
	}
	set := s.breakpoints.All(file.Path())
	text, err := repl.ListText(file, argument, here, func(line int) bool {
		return slices.ContainsFunc(set, func(b timeline.Breakpoint) bool { return b.Verified && b.Line == line })
	})
	if err != nil {
		return nil, cannotEvaluate("%v", err)
	}
	return said(r, "%s", text), nil
}

// localsText lists the values of a frame.
func localsText(entry *timeline.Entry, frame int) string {
	if frame >= len(entry.Stack) {
		return ""
	}
	var out strings.Builder
	for _, l := range entry.Stack[frame].Locals {
		fmt.Fprintf(&out, "%s = %s\n", l.Name, shortened(l.Repr, maxHover))
	}
	return out.String()
}

// replBreak sets a breakpoint, of which the client is told, or lists them.
func (s *session) replBreak(r *dap.EvaluateRequest, argument string) (dap.ResponseMessage, error) {
	path := s.target.File.Path()
	set := s.breakpoints.All(path)
	if argument == "" {
		var out strings.Builder
		for _, b := range set {
			fmt.Fprintf(&out, "Breakpoint %d at line %d: %s\n", b.ID, b.Line, strings.TrimSpace(s.target.File.Line(b.Line)))
		}
		if len(set) == 0 {
			out.WriteString("No breakpoints")
		}
		return said(r, "%s", out.String()), nil
	}
	line, condition, err := repl.BreakpointLine(s.target.File, argument)
	if err != nil {
		return nil, cannotEvaluate("%v", err)
	}
	requests := requestsOf(set)
	requests = append(requests, timeline.LineRequest{Line: line, Modifiers: timeline.Modifiers{Condition: condition}})
	set = s.breakpoints.SetLines(path, requests, snapper(s.target.File, nil))
	added := set[len(set)-1]
	if !added.Verified {
		s.breakpoints.SetLines(path, requests[:len(requests)-1], snapper(s.target.File, nil))
		return nil, cannotEvaluate("no breakpoint: %s", added.Message)
	}
	s.then(func() { s.breakpointEvent("new", s.lineBreakpoint(added, s.sourceOf(added.File))) })
	return said(r, "Breakpoint %d at line %d", added.ID, added.Line), nil
}

// requestsOf returns what breakpoints were asked for.
func requestsOf(set []timeline.Breakpoint) []timeline.LineRequest {
	requests := make([]timeline.LineRequest, len(set))
	for i, b := range set {
		requests[i] = timeline.LineRequest{Line: b.Requested, Modifiers: b.Modifiers}
	}
	return requests
}

// replClear removes the breakpoints of a line, or all of the file.
func (s *session) replClear(r *dap.EvaluateRequest, argument string) (dap.ResponseMessage, error) {
	path := s.target.File.Path()
	var kept, removed []timeline.Breakpoint
	for _, b := range s.breakpoints.All(path) {
		if argument == "" || strconv.Itoa(b.Line) == argument || strconv.Itoa(b.Requested) == argument {
			removed = append(removed, b)
		} else {
			kept = append(kept, b)
		}
	}
	if len(removed) == 0 {
		return nil, cannotEvaluate("no breakpoint to clear")
	}
	s.breakpoints.SetLines(path, requestsOf(kept), snapper(s.target.File, nil))
	s.then(func() {
		for _, b := range removed {
			s.breakpointEvent("removed", s.lineBreakpoint(b, s.sourceOf(b.File)))
		}
	})
	return said(r, "Cleared %d", len(removed)), nil
}

// replInputs infers what the function was called with and stays.
func (s *session) replInputs(r *dap.EvaluateRequest) (dap.ResponseMessage, error) {
	t, err := s.ready("inputs")
	if err != nil {
		return nil, err
	}
	s.begin(r.Seq, s.newProgress("Inferring the inputs"), func(ctx context.Context) func() {
		var inferred timeline.Entry
		err := s.safely(func() (err error) {
			inferred, err = t.Inputs(ctx)
			return err
		})
		return func() {
			switch {
			case errors.Is(err, context.Canceled):
				s.out.put(errorResponse(&r.Request, errCancelled))
			case err != nil:
				s.out.put(errorResponse(&r.Request, cannotEvaluate("%v", err)))
			default:
				s.out.put(said(r, "%s", inputsText(inferred)))
			}
		}
	})
	return nil, errAnsweredLater
}

// inputsText says what a function was called with, as far as it was inferred.
func inputsText(e timeline.Entry) string {
	parts := make([]string, len(e.State.Locals))
	for i, l := range e.State.Locals {
		parts[i] = l.Name + "=" + l.Repr
	}
	function := e.State.Function
	if function == "" {
		function = statetree.ModuleFunction
	}
	return fmt.Sprintf("%s(%s)  (predicted, %s)", function, strings.Join(parts, ", "), percent(e.Confidence.State))
}
