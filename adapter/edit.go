package adapter

import (
	"context"
	"errors"
	"strings"

	"github.com/google/go-dap"
)

// onSetVariable changes a name of the innermost frame. What followed is dropped,
// and the next step is predicted from the changed state. It is answered when the
// predictor has accepted the change.
func (s *session) onSetVariable(r *dap.SetVariableRequest) (dap.ResponseMessage, error) {
	t, err := s.ready("setVariable")
	if err != nil {
		return nil, err
	}
	a := r.Arguments
	c, ok := s.variables.get(a.VariablesReference)
	switch {
	case !ok:
		return nil, staleVariables(a.VariablesReference)
	case !c.editable:
		return nil, &requestError{id: idCannotEdit, message: "only the names of the innermost frame can be changed", showUser: true}
	case strings.TrimSpace(a.Value) == "":
		return nil, badArguments("setVariable: value is missing")
	}
	repr := strings.TrimSpace(a.Value)
	s.begin(r.Seq, func(ctx context.Context) func() {
		err := t.Edit(ctx, a.Name, repr)
		return func() {
			if errors.Is(err, context.Canceled) {
				s.out.put(errorResponse(&r.Request, errCancelled))
				return
			}
			if err != nil {
				s.out.put(errorResponse(&r.Request, &requestError{id: idCannotEdit, message: err.Error(), showUser: true}))
				return
			}
			s.edited(a.VariablesReference)
			v := s.present(variable{name: a.Name, expression: a.Name, repr: repr, confidence: 1})
			s.out.put(&dap.SetVariableResponse{Response: *newResponse(&r.Request), Body: dap.SetVariableResponseBody{
				Value: v.Value, Type: v.Type, VariablesReference: v.VariablesReference,
				NamedVariables: v.NamedVariables, IndexedVariables: v.IndexedVariables,
			}})
		}
	})
	return nil, errAnsweredLater
}

// edited brings what the client can ask for up to the changed state: its ids
// stay valid, since the session has not moved.
func (s *session) edited(reference int) {
	entry := s.timeline.Current()
	top := frameRef{frame: entry.Stack[0], top: true}
	for id, ref := range s.frames.live {
		if ref.top {
			s.frames.live[id] = top
		}
	}
	s.variables.live[reference] = container{children: localsOf(&entry, top), editable: true}
}
