package adapter

import (
	"context"
	"errors"
	"fmt"
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
		return nil, cannotEdit("only the names of the innermost frame can be changed")
	case strings.TrimSpace(a.Value) == "":
		return nil, badArguments("setVariable: value is missing")
	}
	name := a.Name
	if strings.HasPrefix(name, returnPrefix) {
		name = ""
	}
	s.begin(r.Seq, func(ctx context.Context) func() {
		err := s.safely(func() error { return t.Edit(ctx, name, a.Value) })
		return func() {
			if errors.Is(err, context.Canceled) {
				s.out.put(errorResponse(&r.Request, errCancelled))
				return
			}
			if err != nil {
				s.out.put(errorResponse(&r.Request, cannotEdit("%v", err)))
				return
			}
			v := s.present(s.edited(a.VariablesReference, a.Name))
			s.out.put(&dap.SetVariableResponse{Response: *newResponse(&r.Request), Body: dap.SetVariableResponseBody{
				Value: v.Value, Type: v.Type, VariablesReference: v.VariablesReference,
				NamedVariables: v.NamedVariables, IndexedVariables: v.IndexedVariables,
			}})
		}
	})
	return nil, errAnsweredLater
}

// edited brings what the client can ask for up to the changed state, and returns
// the variable that was changed. Ids stay valid, since the session has not moved.
func (s *session) edited(reference int, name string) variable {
	entry := s.timeline.Current()
	top := frameRef{frame: entry.Stack[0], top: true}
	s.frames.update(func(ref frameRef) frameRef {
		if ref.top {
			return top
		}
		return ref
	})
	locals := localsOf(&entry, top)
	s.variables.replace(reference, container{children: locals, editable: true})
	for _, v := range locals {
		if v.name == name {
			return v
		}
	}
	return variable{name: name}
}

func cannotEdit(format string, args ...any) error {
	return &requestError{id: idCannotEdit, message: fmt.Sprintf(format, args...), showUser: true}
}
