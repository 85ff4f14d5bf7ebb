package adapter

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
)

// onSetVariable changes a name of the innermost frame, or a part of its value.
// What followed is dropped, and the next step is predicted from the changed
// state. It is answered when the predictor has accepted the change.
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
	case strings.TrimSpace(a.Value) == "":
		return nil, badArguments("setVariable: value is missing")
	}
	v, known := c.child(a.Name)
	target := v.expression
	switch {
	case known && v.selects:
		return s.setSelector(r, t)
	case c.editable && strings.HasPrefix(a.Name, returnPrefix):
		target = ""
	case c.editable && !known:
		target = a.Name // the timeline says why not
	case v.frame == nil || !v.frame.top || target == "":
		return nil, cannotEdit("only the names of the innermost frame and the parts of their values can be changed")
	}
	s.edit(r.Seq, &r.Request, t, target, unmarked(a.Value), func() dap.ResponseMessage {
		changed, _ := s.variables.get(a.VariablesReference)
		v, _ := changed.child(a.Name)
		p := s.present(v, a.Format)
		return &dap.SetVariableResponse{Response: *newResponse(&r.Request), Body: dap.SetVariableResponseBody{
			Value: p.Value, Type: p.Type, VariablesReference: p.VariablesReference,
			NamedVariables: p.NamedVariables, IndexedVariables: p.IndexedVariables,
		}}
	})
	return nil, errAnsweredLater
}

// onSetExpression is setVariable for a name, or a part of its value, that the
// client writes as an expression.
func (s *session) onSetExpression(r *dap.SetExpressionRequest) (dap.ResponseMessage, error) {
	t, err := s.ready("setExpression")
	if err != nil {
		return nil, err
	}
	a := r.Arguments
	if strings.TrimSpace(a.Value) == "" {
		return nil, badArguments("setExpression: value is missing")
	}
	if a.FrameId != 0 {
		ref, ok := s.frames.get(a.FrameId)
		switch {
		case !ok:
			return nil, staleFrame(a.FrameId)
		case !ref.top:
			return nil, cannotEdit("only the names of the innermost frame and the parts of their values can be changed")
		}
	}
	target, ok := timeline.TargetExpression(a.Expression)
	if !ok {
		return nil, cannotEdit("%q is not a name, nor a part of one's value", a.Expression)
	}
	s.edit(r.Seq, &r.Request, t, target, unmarked(a.Value), func() dap.ResponseMessage {
		entry := s.timeline.Current()
		v, ok := byExpression(localsOf(&entry, frameRef{frame: entry.Stack[0], top: true}), target)
		if !ok {
			v = variable{text: a.Value}
		}
		p := s.present(v, a.Format)
		return &dap.SetExpressionResponse{Response: *newResponse(&r.Request), Body: dap.SetExpressionResponseBody{
			Value: p.Value, Type: p.Type, PresentationHint: p.PresentationHint, VariablesReference: p.VariablesReference,
			NamedVariables: p.NamedVariables, IndexedVariables: p.IndexedVariables,
		}}
	})
	return nil, errAnsweredLater
}

// edit changes the state and answers the request with what response returns
// after that.
func (s *session) edit(seq int, request *dap.Request, t *timeline.Timeline, target, value string, response func() dap.ResponseMessage) {
	s.begin(seq, s.newProgress("Changing the state"), func(ctx context.Context) func() {
		err := s.safely(func() error { return t.Edit(ctx, target, value) })
		return func() {
			if err != nil {
				s.out.put(errorResponse(request, editError(err)))
				return
			}
			s.refresh()
			s.out.put(response())
		}
	})
}

// refresh brings what the client can ask for up to the changed state. Ids stay
// valid, since the session has not moved.
func (s *session) refresh() {
	entry := s.timeline.Current()
	top := frameRef{frame: entry.Stack[0], top: true}
	s.frames.update(func(ref frameRef) frameRef {
		if ref.top {
			return top
		}
		return ref
	})
	locals := localsOf(&entry, top)
	s.variables.update(func(c container) container {
		old := &c.variable
		if old.bucket != nil {
			renewed := *old.bucket
			c.variable.bucket, old = &renewed, &renewed.of
		}
		switch {
		case c.editable:
			c.children = locals
		case old.frame != nil && old.frame.top:
			if v, ok := byExpression(locals, old.expression); ok {
				*old = v
			}
		}
		return c
	})
}

// byExpression returns the variable, or the part of one, that an expression
// reaches.
func byExpression(list []variable, expression string) (variable, bool) {
	for _, v := range list {
		rest, ok := strings.CutPrefix(expression, v.expression)
		switch {
		case !ok || v.expression == "":
		case rest == "":
			return v, true
		case rest[0] == '.' || rest[0] == '[':
			return byExpression(v.parts(), expression)
		}
	}
	return variable{}, false
}

// editError is the answer to a change that was not made.
func editError(err error) error {
	if errors.Is(err, context.Canceled) {
		return errCancelled
	}
	return cannotEdit("%v", err)
}

func cannotEdit(format string, args ...any) error {
	return &requestError{id: idCannotEdit, message: fmt.Sprintf(format, args...), showUser: true}
}
