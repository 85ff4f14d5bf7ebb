package adapter

import (
	"strings"

	"github.com/google/go-dap"
)

// onEvaluate finds the value of a name, or of a path of members and items such
// as `order.items[0]`, in the predicted values. Nothing is executed, and the
// model is not asked.
func (s *session) onEvaluate(r *dap.EvaluateRequest) (dap.ResponseMessage, error) {
	entry, err := s.shown()
	if err != nil {
		return nil, err
	}
	expression := strings.TrimSpace(r.Arguments.Expression)
	if expression == "" {
		return nil, badArguments("evaluate: expression is missing")
	}
	if len(entry.Stack) == 0 {
		return nil, cannotEvaluate("there is no frame to evaluate in")
	}
	ref := frameRef{frame: entry.Stack[0], top: !entry.Ended()}
	if id := r.Arguments.FrameId; id != 0 {
		var ok bool
		if ref, ok = s.frames.get(id); !ok {
			return nil, staleFrame(id)
		}
	}
	found, err := lookUp(localsOf(&entry, ref), expression)
	if err != nil {
		return nil, err
	}
	v := s.present(found)
	return &dap.EvaluateResponse{Response: *newResponse(&r.Request), Body: dap.EvaluateResponseBody{
		Result: v.Value, Type: v.Type, PresentationHint: v.PresentationHint, VariablesReference: v.VariablesReference,
		NamedVariables: v.NamedVariables, IndexedVariables: v.IndexedVariables,
	}}, nil
}

func cannotEvaluate(message string) error {
	return &requestError{id: idCannotEvaluate, message: message}
}

// lookUp finds the variable that an expression names.
func lookUp(locals []variable, expression string) (variable, error) {
	for _, v := range locals {
		if v.expression == expression {
			return v, nil
		}
	}
	return variable{}, cannotEvaluate(expression + ": only names, members and items of predicted values can be evaluated")
}
