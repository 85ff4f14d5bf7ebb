package adapter

import (
	"fmt"
	"slices"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/statetree/repr"
)

// variable is one variable as it can be shown.
type variable struct {
	name string
	// expression is what evaluates to the variable; empty when nothing does.
	expression string
	// value is the value, nil for what is none; text is how it is shown, when
	// that is not the value's repr.
	value *repr.Value
	text  string
	// indexed says that the name is an index.
	indexed bool
	// confidence is the probability of the value; 1 shows nothing.
	confidence float64
	virtual    bool // not a name of the program
	readOnly   bool
	selects    bool // the selector of the scope Alternatives
	// bucket holds the variables of a range, for clients that do not page.
	bucket []variable
	// frame is the frame of which the variable is a name, or a part of a name's
	// value; nil for others.
	frame *frameRef
}

// newVariable returns a name of the program with the repr of its value.
func newVariable(name, text string, confidence float64) variable {
	value := repr.Parse(text)
	return variable{name: name, expression: name, value: &value, text: text, confidence: confidence}
}

// parts returns what the variable unfolds to. A part is as certain as the whole.
func (v variable) parts() []variable {
	if v.value == nil {
		return v.bucket
	}
	items := v.value.Items()
	out := make([]variable, len(items))
	for i, item := range items {
		out[i] = variable{name: item.Label, value: &item.Value, indexed: item.Indexed, confidence: v.confidence, frame: v.frame}
		if v.expression != "" && item.Path != "" {
			out[i].expression = v.expression + item.Path
		}
	}
	return out
}

// container is what a variablesReference stands for.
type container struct {
	variable variable // whose parts are asked for, when children is nil
	children []variable
	editable bool // the children are names of the frame that may be changed
}

// list returns the variables in a container.
func (c container) list() []variable {
	if c.children != nil {
		return c.children
	}
	return c.variable.parts()
}

// child returns the variable in the container with a name.
func (c container) child(name string) (variable, bool) {
	list := c.list()
	i := slices.IndexFunc(list, func(v variable) bool { return v.name == name })
	if i < 0 {
		return variable{}, false
	}
	return list[i], true
}

func (s *session) onVariables(r *dap.VariablesRequest) (dap.ResponseMessage, error) {
	if _, err := s.shown(); err != nil {
		return nil, err
	}
	a := r.Arguments
	c, ok := s.variables.get(a.VariablesReference)
	if !ok {
		return nil, staleVariables(a.VariablesReference)
	}
	var list []variable
	for _, v := range c.list() {
		if a.Filter == "" || (a.Filter == "indexed") == v.indexed {
			list = append(list, v)
		}
	}
	switch {
	case a.Count > 0 || a.Start > 0:
		first := min(max(a.Start, 0), len(list))
		list = list[first:]
		if a.Count > 0 {
			list = list[:min(a.Count, len(list))]
		}
	case !s.client.SupportsVariablePaging:
		list = buckets(list)
	}
	variables := make([]dap.Variable, len(list))
	for i, v := range list {
		variables[i] = s.present(v)
	}
	return &dap.VariablesResponse{Response: *newResponse(&r.Request), Body: dap.VariablesResponseBody{Variables: variables}}, nil
}

// bucketSize is how many variables a client without paging gets at once.
const bucketSize = 100

// buckets divides a long list into ranges, and ranges of ranges, of at most
// bucketSize each.
func buckets(list []variable) []variable {
	size := 1
	for len(list) > size*bucketSize {
		size *= bucketSize
	}
	if size == 1 {
		return list
	}
	var out []variable
	for first := 0; first < len(list); first += size {
		last := min(first+size, len(list))
		out = append(out, variable{
			name: fmt.Sprintf("[%d … %d]", first, last-1), virtual: true, readOnly: true, confidence: 1, bucket: list[first:last],
		})
	}
	return out
}

func staleVariables(reference int) error {
	return &requestError{id: idStale, message: fmt.Sprintf("variables reference %d is not valid any more", reference)}
}

// present returns a variable as the client shows it. What can be unfolded gets a
// reference.
func (s *session) present(v variable) dap.Variable {
	out := dap.Variable{Name: v.name, Value: v.text, EvaluateName: v.expression}
	if v.virtual {
		out.PresentationHint = &dap.VariablePresentationHint{Kind: "virtual"}
		if v.readOnly {
			out.PresentationHint.Attributes = []string{"readOnly"}
		}
	}
	if v.value != nil {
		if v.text == "" {
			out.Value = v.value.String()
		}
		if s.client.SupportsVariableType {
			out.Type = typeText(v)
		}
	}
	named, indexed := 0, 0
	for _, part := range v.parts() {
		if part.indexed {
			indexed++
		} else {
			named++
		}
	}
	if named+indexed > 0 {
		out.VariablesReference = s.variables.add(container{variable: v})
		out.NamedVariables, out.IndexedVariables = named, indexed
	}
	return out
}

// typeText is the type of a value and, when it is not certain, how sure the
// predictor is of the value: "list", "int, 93 %".
func typeText(v variable) string {
	text := v.value.Type
	if v.confidence < 1 {
		if text != "" {
			text += ", "
		}
		text += percent(v.confidence)
	}
	return text
}
