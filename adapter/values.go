package adapter

import (
	"github.com/google/go-dap"
)

// present returns a variable as the client shows it.
func (s *session) present(v variable) dap.Variable {
	out := dap.Variable{Name: v.name, Value: v.repr, EvaluateName: v.expression}
	if v.text != "" {
		out.Value = v.text
	}
	if v.virtual {
		out.PresentationHint = &dap.VariablePresentationHint{Kind: "virtual", Attributes: []string{"readOnly"}}
	}
	if s.client.SupportsVariableType && v.text == "" {
		out.Type = typeText(v)
	}
	return out
}

// typeText is the type of a value, with how sure the predictor is of the value
// when it is not certain.
func typeText(v variable) string {
	if v.confidence < 1 {
		return percent(v.confidence)
	}
	return ""
}
