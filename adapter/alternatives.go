package adapter

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
)

// chooseAlternativeCommand is a request of this adapter alone: its argument
// index, from 1, is the rank of the outcome to put in the place of the one that
// is shown. Its response has no body; a stopped event follows.
const chooseAlternativeCommand = "neuraldbg/chooseAlternative"

type chooseAlternativeRequest struct {
	dap.Request
	Arguments struct {
		Index int `json:"index"`
	} `json:"arguments"`
}

func (r *chooseAlternativeRequest) GetRequest() *dap.Request { return &r.Request }

type chooseAlternativeResponse struct{ dap.Response }

func (r *chooseAlternativeResponse) GetResponse() *dap.Response { return &r.Response }

// selectorName is the name of the variable that says, and can be set to, the
// rank of the outcome that is shown.
const selectorName = "shown"

// alternativesOf returns what the scope Alternatives holds: the selector, then
// the outcomes by their ranks. It is empty where the predictor gave no
// alternatives.
func alternativesOf(entry *timeline.Entry) []variable {
	outcomes, shown := entry.Ranked()
	if len(outcomes) < 2 || entry.Edited {
		return nil
	}
	out := []variable{{name: selectorName, text: strconv.Itoa(shown + 1), virtual: true, confidence: 1, selects: true}}
	for i, o := range outcomes {
		v := variable{
			name: strconv.Itoa(i + 1), text: fmt.Sprintf("%s (%s)", outcomeText(o), percent(o.Confidence.State)),
			virtual: true, readOnly: true, confidence: 1,
		}
		for _, l := range o.State.Locals {
			local := newVariable(l.Name, l.Repr, 1)
			local.expression, local.readOnly, local.virtual = "", true, true
			v.members = append(v.members, local)
		}
		out = append(out, v)
	}
	return out
}

func (s *session) onChooseAlternative(r *chooseAlternativeRequest) (dap.ResponseMessage, error) {
	t, err := s.ready(chooseAlternativeCommand)
	if err != nil {
		return nil, err
	}
	return s.moveFirst(&r.Request, choice(t, r.Arguments.Index), &chooseAlternativeResponse{*newResponse(&r.Request)})
}

// choice is the movement that puts the outcome with a rank, from 1, in the place
// of the one that is shown.
func choice(t *timeline.Timeline, rank int) func(context.Context) (timeline.Stop, error) {
	return func(context.Context) (timeline.Stop, error) {
		stop, err := t.Choose(rank - 1)
		stop.Description = fmt.Sprintf("Alternative %d", rank)
		return stop, err
	}
}

// setSelector answers a setVariable on the selector.
func (s *session) setSelector(r *dap.SetVariableRequest, t *timeline.Timeline) (dap.ResponseMessage, error) {
	rank, err := strconv.Atoi(strings.TrimSpace(r.Arguments.Value))
	if err != nil {
		return nil, cannotEdit("%q is not the number of an alternative", r.Arguments.Value)
	}
	return s.moveFirst(&r.Request, choice(t, rank), &dap.SetVariableResponse{
		Response: *newResponse(&r.Request), Body: dap.SetVariableResponseBody{Value: strconv.Itoa(rank)},
	})
}
