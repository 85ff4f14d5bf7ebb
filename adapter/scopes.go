package adapter

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

func (s *session) onScopes(r *dap.ScopesRequest) (dap.ResponseMessage, error) {
	entry, err := s.shown()
	if err != nil {
		return nil, err
	}
	ref, ok := s.frames.get(r.Arguments.FrameId)
	if !ok {
		return nil, staleFrame(r.Arguments.FrameId)
	}
	scopes := []dap.Scope{}
	add := func(scope dap.Scope, c container) {
		scope.NamedVariables = len(c.children)
		scope.VariablesReference = s.variables.add(c)
		scopes = append(scopes, scope)
	}
	if !ref.frame.Label {
		add(dap.Scope{Name: localsName(ref.frame), PresentationHint: "locals"}, container{children: localsOf(&entry, ref), editable: ref.top})
	}
	if returned := s.returned(&entry); ref.top && len(returned) > 0 {
		add(dap.Scope{Name: "Return value", PresentationHint: "returnValue"}, container{children: returned})
	}
	if globals := globalsOf(&entry, ref); len(globals) > 0 {
		add(dap.Scope{Name: "Globals", PresentationHint: "globals"}, container{children: globals})
	}
	if ref.top {
		add(dap.Scope{Name: "Prediction"}, container{children: s.predictionFacts(&entry)})
	}
	if alternatives := alternativesOf(&entry); ref.top && len(alternatives) > 0 {
		add(dap.Scope{Name: "Alternatives"}, container{children: alternatives})
	}
	return &dap.ScopesResponse{Response: *newResponse(&r.Request), Body: dap.ScopesResponseBody{Scopes: scopes}}, nil
}

// returned is what the function returned that was just stepped out of: that of
// the state before, where a step led from its return into the caller.
func (s *session) returned(entry *timeline.Entry) []variable {
	position := s.timeline.Position()
	if entry.Ended() || entry.Inferred() || position == s.timeline.First() {
		return nil
	}
	before := s.timeline.At(position - 1)
	value, ok := before.ReturnValue()
	if !ok || len(before.Stack) < 2 || len(entry.Stack) == 0 {
		return nil
	}
	if caller := before.Stack[1]; !caller.Label && caller.Activation != entry.Stack[0].Activation {
		return nil
	}
	return []variable{argument(returnPrefix+before.Stack[0].Function, value, &before)}
}

// globalsOf are the module's names as the module's frame last showed them, where
// it is below the given frame.
func globalsOf(entry *timeline.Entry, ref frameRef) []variable {
	if len(entry.Stack) == 0 {
		return nil
	}
	bottom := entry.Stack[len(entry.Stack)-1]
	if bottom.Function != statetree.ModuleFunction || bottom.Activation == ref.frame.Activation {
		return nil
	}
	out := make([]variable, len(bottom.Locals))
	for i, l := range bottom.Locals {
		out[i] = newVariable(l.Name, l.Repr, 1)
		out[i].readOnly = true
	}
	return out
}

// localsName says where the values of a frame come from, when it is not the
// state that the frame is at.
func localsName(f *timeline.Frame) string {
	switch {
	case f.Stale && len(f.Locals) > 0:
		return "Locals (at the last line)"
	case f.Partial:
		return "Locals (as far as known)"
	}
	return "Locals"
}

// returnPrefix begins the name of the variable that a return state returns.
const returnPrefix = "(return) "

// localsOf returns the variables of a frame: what it returns or raises, then
// its names.
func localsOf(entry *timeline.Entry, ref frameRef) []variable {
	out := []variable{}
	confidence := map[string]float64{}
	if ref.top {
		if repr, ok := entry.ReturnValue(); ok {
			out = append(out, argument(returnPrefix+ref.frame.Function, repr, entry))
		}
		if repr, ok := entry.Exception(); ok {
			v := argument("(exception)", repr, entry)
			v.readOnly = true
			out = append(out, v)
		}
		if !ref.frame.Stale {
			confidence = entry.Confidence.Locals
		}
	}
	out = slices.Grow(out, len(ref.frame.Locals))
	values := make([]lazyRepr, len(ref.frame.Locals))
	for i, l := range ref.frame.Locals {
		c, ok := confidence[l.Name]
		if !ok {
			c = 1
		}
		values[i].text = l.Repr
		out = append(out, variable{name: l.Name, expression: l.Name, value: &values[i], text: l.Repr, confidence: c, frame: &ref})
	}
	return out
}

// argument returns the value that a state returns or raises, which is no name of
// the program.
func argument(name, text string, entry *timeline.Entry) variable {
	v := newVariable(name, text, entry.Confidence.Values)
	v.expression, v.virtual = "", true
	return v
}

// predictionFacts says how the shown state came about and how sure the
// predictor is of it.
func (s *session) predictionFacts(entry *timeline.Entry) []variable {
	fact := func(name, text string) variable {
		return variable{name: name, text: text, virtual: true, confidence: 1}
	}
	facts := []variable{
		fact("confidence", percent(entry.Confidence.State)),
		fact("event", fmt.Sprintf("%s (%s)", entry.State.Event, percent(entry.Confidence.Event))),
		fact("line", percent(entry.Confidence.Source)),
		fact("values", percent(entry.Confidence.Values)),
	}
	switch {
	case entry.Edited:
		facts = append(facts, fact("action", "edited by you"))
	case entry.Action.Kind != 0:
		facts = append(facts, fact("action", entry.Action.String()))
	}
	if n := len(entry.Way); n > 0 {
		facts = append(facts, fact("steps on the way", strconv.Itoa(n)))
	}
	if entry.Truncated {
		facts = append(facts, fact(timeline.CutForLength, "values were cut or left out, and nothing about them is certain"))
	}
	if entry.Since > 0 {
		facts = append(facts, fact("forgotten", fmt.Sprintf("the first %d states, which no longer fit into the model's context", entry.Since)))
	}
	if entry.Tokens > 0 {
		facts = append(facts, fact("tokens", strconv.Itoa(entry.Tokens)))
	}
	if entry.Elapsed > 0 {
		facts = append(facts, fact("elapsed", entry.Elapsed.Round(100_000).String()))
	}
	if s.predictor != nil {
		facts = append(facts, fact("model", modelText(s.predictor.Info())))
	}
	for i, a := range entry.Alternatives {
		facts = append(facts, fact(fmt.Sprintf("alternative %d", i+1), fmt.Sprintf("%s (%s)", outcomeText(a), percent(a.Confidence.State))))
	}
	return facts
}

// modelText says which model predicts, and where.
func modelText(info model.Info) string {
	text := strings.Join(strings.Fields(info.Name), " ")
	if info.Device != "" {
		text += " on " + info.Device
	}
	return text
}

// outcomeText renders an alternative in one line. What alternatives differ in is
// mostly values, and narrow views cut the end: the values come first.
func outcomeText(a model.Alternative) string {
	if a.Ended() {
		return "exit " + a.Exit.String()
	}
	where := a.State.Event.String() + " " + a.State.Source
	if a.State.Event.HasArg() {
		return a.State.Arg + ", " + where
	}
	values := make([]string, 0, len(a.State.Locals))
	for _, l := range a.State.Locals {
		values = append(values, l.Name+"="+l.Repr)
	}
	if len(values) == 0 {
		return where
	}
	return strings.Join(values, " ") + ", " + where
}

// percent renders a probability. Only what is certain is 100 %.
func percent(p float64) string {
	v := math.Floor(p*1000) / 10
	return strconv.FormatFloat(v, 'f', -1, 64) + " %"
}
