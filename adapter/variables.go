package adapter

import (
	"fmt"

	"github.com/google/go-dap"
)

// container is what a variablesReference stands for.
type container struct {
	children []variable
	editable bool // the children are names of the frame that may be changed
}

// variable is one variable as it can be shown.
type variable struct {
	name string
	// expression is what evaluates to the variable; empty when nothing does.
	expression string
	// repr is the value; text is what is shown of something that is no value.
	repr string
	text string
	// confidence is the probability of the value; 1 shows nothing.
	confidence float64
	virtual    bool // not a name of the program
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
	children := c.children
	if a.Count > 0 {
		first := min(max(a.Start, 0), len(children))
		children = children[first:min(first+a.Count, len(children))]
	}
	variables := make([]dap.Variable, len(children))
	for i, child := range children {
		variables[i] = s.present(child)
	}
	return &dap.VariablesResponse{Response: *newResponse(&r.Request), Body: dap.VariablesResponseBody{Variables: variables}}, nil
}

func staleVariables(reference int) error {
	return &requestError{id: idStale, message: fmt.Sprintf("variables reference %d is not valid any more", reference)}
}
