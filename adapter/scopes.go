package adapter

import (
	"fmt"
	"math"
	"strconv"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
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
	if !ref.frame.Label {
		locals := localsOf(&entry, ref)
		scopes = append(scopes, dap.Scope{
			Name: localsName(ref.frame), PresentationHint: "locals",
			VariablesReference: s.variables.add(container{children: locals, editable: ref.top}), NamedVariables: len(locals),
		})
	}
	if ref.top {
		facts := predictionFacts(&entry)
		scopes = append(scopes, dap.Scope{
			Name: "Prediction", VariablesReference: s.variables.add(container{children: facts}), NamedVariables: len(facts),
		})
	}
	if alternatives := alternativesOf(&entry); ref.top && len(alternatives) > 0 {
		scopes = append(scopes, dap.Scope{
			Name: "Alternatives", VariablesReference: s.variables.add(container{children: alternatives}), NamedVariables: len(alternatives),
		})
	}
	return &dap.ScopesResponse{Response: *newResponse(&r.Request), Body: dap.ScopesResponseBody{Scopes: scopes}}, nil
}

// localsName says where the values of a frame come from, when it is not the
// state that the frame is at.
func localsName(f timeline.Frame) string {
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
	for _, l := range ref.frame.Locals {
		c, ok := confidence[l.Name]
		if !ok {
			c = 1
		}
		v := newVariable(l.Name, l.Repr, c)
		v.frame = &ref
		out = append(out, v)
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
func predictionFacts(entry *timeline.Entry) []variable {
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
	if entry.Since > 0 {
		facts = append(facts, fact("forgotten", fmt.Sprintf("the first %d states, which no longer fit into the model's context", entry.Since)))
	}
	if entry.Tokens > 0 {
		facts = append(facts, fact("tokens", strconv.Itoa(entry.Tokens)))
	}
	if entry.Elapsed > 0 {
		facts = append(facts, fact("elapsed", entry.Elapsed.Round(100_000).String()))
	}
	for i, a := range entry.Alternatives {
		facts = append(facts, fact(fmt.Sprintf("alternative %d", i+1), fmt.Sprintf("%s (%s)", outcomeText(a), percent(a.Confidence.State))))
	}
	return facts
}

// outcomeText renders an alternative in one line.
func outcomeText(a model.Alternative) string {
	if a.Ended() {
		return "exit " + a.Exit.String()
	}
	text := a.State.Event.String() + " " + a.State.Source
	if a.State.Event.HasArg() {
		return text + " " + a.State.Arg
	}
	for _, l := range a.State.Locals {
		text += " " + l.Name + "=" + l.Repr
	}
	return text
}

// percent renders a probability. Only what is certain is 100 %.
func percent(p float64) string {
	v := math.Floor(p*1000) / 10
	return strconv.FormatFloat(v, 'f', -1, 64) + " %"
}
