package adapter

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/expr"
	"github.com/neuraldbg/neuraldbg/adapter/timeline"
)

// maxHover is how many characters of a value a hover shows.
const maxHover = 300

// onEvaluate computes an expression over the predicted values of a frame.
// Nothing is executed. Only the debug console (context "repl") may do more: see
// session.repl.
func (s *session) onEvaluate(r *dap.EvaluateRequest) (dap.ResponseMessage, error) {
	entry, err := s.shown()
	if err != nil {
		return nil, err
	}
	text := strings.TrimSpace(r.Arguments.Expression)
	if text == "" {
		return nil, badArguments("evaluate: expression is missing")
	}
	frame := 0
	if id := r.Arguments.FrameId; id != 0 {
		ref, ok := s.frames.get(id)
		if !ok {
			return nil, staleFrame(id)
		}
		frame = indexOf(entry.Stack, ref.frame)
	}
	if r.Arguments.Context == "repl" {
		return s.repl(r, &entry, frame, text)
	}
	if len(entry.Stack) == 0 {
		return nil, cannotEvaluate("there is no frame to evaluate in")
	}
	v, err := evaluate(&entry, frame, text, nil)
	if err != nil {
		return nil, cannotEvaluate("%v", err)
	}
	return s.evaluated(r, v), nil
}

// indexOf returns the index of a frame in the stack that it is from.
func indexOf(stack timeline.Stack, f *timeline.Frame) int {
	for i := range stack {
		if stack[i].Activation == f.Activation && stack[i].Label == f.Label {
			return i
		}
	}
	return 0
}

func cannotEvaluate(format string, args ...any) error {
	return &requestError{id: idCannotEvaluate, message: fmt.Sprintf(format, args...)}
}

// evaluate computes an expression in the frame with an index in the stack. print
// gets what print writes; nil refuses it.
func evaluate(entry *timeline.Entry, frame int, text string, print func(string)) (variable, error) {
	x, err := expr.Parse(text)
	if err != nil {
		return variable{}, err
	}
	result, err := entry.Evaluate(context.Background(), x, frame, print)
	if err != nil {
		return variable{}, err
	}
	return variableOf(text, result, &frameRef{frame: entry.Stack[frame], top: frame == 0 && !entry.Ended()}), nil
}

// variableOf returns the value of an expression. Where the expression is a path
// of names, members and items, the parts of the value can be changed.
func variableOf(text string, result timeline.Evaluation, ref *frameRef) variable {
	v := variable{name: text, expression: "(" + text + ")", value: &lazyRepr{text: result.Repr}, text: result.Repr, confidence: result.Confidence}
	if target, ok := timeline.TargetExpression(text); ok {
		v.expression, v.frame = target, ref
	}
	if result.Predicted {
		v.expression = ""
	}
	return v
}

// evaluated answers with a value, in the form that the context wants.
func (s *session) evaluated(r *dap.EvaluateRequest, v variable) *dap.EvaluateResponse {
	p := s.present(v, r.Arguments.Format)
	switch r.Arguments.Context {
	case "clipboard", "variables": // as it is
	case "hover":
		p.Value = s.marked(shortened(p.Value, maxHover), v.confidence)
	case "repl":
		p.Value = s.marked(p.Value, v.confidence)
	default:
		p.Value = s.marked(shortened(p.Value, maxShown), v.confidence)
	}
	return &dap.EvaluateResponse{Response: *newResponse(&r.Request), Body: dap.EvaluateResponseBody{
		Result: p.Value, Type: p.Type, PresentationHint: p.PresentationHint, VariablesReference: p.VariablesReference,
		NamedVariables: p.NamedVariables, IndexedVariables: p.IndexedVariables,
	}}
}

// shortened cuts a text after some characters.
func shortened(text string, characters int) string {
	if len(text) <= characters {
		return text
	}
	for i := range text {
		if characters == 0 {
			return text[:i] + "…"
		}
		characters--
	}
	return text
}
