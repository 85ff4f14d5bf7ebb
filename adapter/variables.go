package adapter

import (
	"fmt"
	"regexp"
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
	value *lazyRepr
	text  string
	// indexed says that the name is an index.
	indexed bool
	// confidence is the probability of the value; 1 shows nothing.
	confidence float64
	virtual    bool // not a name of the program
	readOnly   bool
	selects    bool // the selector of the scope Alternatives
	// members are what a virtual variable unfolds to.
	members []variable
	// bucket is the range of another variable's parts that this one stands for,
	// for clients that do not page.
	bucket *bucket
	// frame is the frame of which the variable is a name, or a part of a name's
	// value; nil for others.
	frame *frameRef
}

// bucket is a range of the parts of a variable.
type bucket struct {
	of          variable
	first, last int
}

// newVariable returns a name of the program with the repr of its value.
func newVariable(name, text string, confidence float64) variable {
	return variable{name: name, expression: name, value: &lazyRepr{text: text}, text: text, confidence: confidence}
}

// lazyRepr is a value whose repr is parsed when it is first looked at: a frame
// may have thousands of which the client shows a few.
type lazyRepr struct {
	text   string
	parsed *repr.Value
}

// get returns the value.
func (l *lazyRepr) get() *repr.Value {
	if l.parsed == nil {
		value := repr.Parse(l.text)
		l.parsed = &value
	}
	return l.parsed
}

// count returns how many parts with names and with indexes the variable has.
func (v variable) count() (named, indexed int) {
	switch {
	case v.bucket != nil:
		return v.bucket.last - v.bucket.first, 0
	case v.value != nil:
		return v.value.get().CountKinds()
	}
	return len(v.members), 0
}

// parts returns what the variable unfolds to.
func (v variable) parts() []variable {
	named, indexed := v.count()
	return v.partsBetween(0, named+indexed)
}

// partsBetween returns the parts from one position to another. A part is as
// certain as the whole.
func (v variable) partsBetween(first, last int) []variable {
	switch {
	case v.bucket != nil:
		return v.bucket.of.partsBetween(v.bucket.first+first, v.bucket.first+last)
	case v.value == nil:
		return v.members[first:last]
	}
	items := v.value.get().ItemsBetween(first, last)
	out := make([]variable, len(items))
	for i := range items {
		item := &items[i]
		out[i] = variable{name: item.Label, value: &lazyRepr{parsed: &item.Value}, indexed: item.Indexed, confidence: v.confidence, frame: v.frame}
		if v.expression != "" && item.Path != "" {
			out[i].expression = v.expression + item.Path
		}
	}
	return out
}

// bucketSize is how many variables a client without paging gets at once.
const bucketSize = 100

// buckets divides many parts into ranges, and ranges of ranges, of at most
// bucketSize each. It returns nil where there are no more than that.
func (v variable) buckets() []variable {
	named, indexed := v.count()
	size, offset, whole := 1, 0, v
	if v.bucket != nil {
		whole, offset = v.bucket.of, v.bucket.first
	}
	for named+indexed > size*bucketSize {
		size *= bucketSize
	}
	if size == 1 {
		return nil
	}
	var out []variable
	for first := 0; first < named+indexed; first += size {
		b := &bucket{of: whole, first: offset + first, last: offset + min(first+size, named+indexed)}
		out = append(out, variable{
			name: fmt.Sprintf("[%d … %d]", b.first, b.last-1), virtual: true, readOnly: true, confidence: 1, bucket: b,
		})
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

// page returns the variables that a request asks for.
func (c container) page(a dap.VariablesArguments, clientPages bool) []variable {
	v := c.variable
	if c.children != nil {
		v = variable{members: c.children}
	}
	named, indexed := v.count()
	if asked := map[string]int{"named": named, "indexed": indexed}; a.Filter != "" && asked[a.Filter] < named+indexed {
		var filtered []variable
		for _, part := range v.parts() {
			if (a.Filter == "indexed") == part.indexed {
				filtered = append(filtered, part)
			}
		}
		v = variable{members: filtered}
		named, indexed = v.count()
	}
	first, last := min(max(a.Start, 0), named+indexed), named+indexed
	if a.Count > 0 && a.Count < last-first {
		last = first + a.Count
	}
	if a.Count <= 0 && a.Start <= 0 && !clientPages {
		if buckets := v.buckets(); buckets != nil {
			return buckets
		}
	}
	return v.partsBetween(first, last)
}

func (s *session) onVariables(r *dap.VariablesRequest) (dap.ResponseMessage, error) {
	if _, err := s.shown(); err != nil {
		return nil, err
	}
	c, ok := s.variables.get(r.Arguments.VariablesReference)
	if !ok {
		return nil, staleVariables(r.Arguments.VariablesReference)
	}
	list := c.page(r.Arguments, s.client.SupportsVariablePaging)
	variables := make([]dap.Variable, len(list))
	for i, v := range list {
		variables[i] = s.presentShort(v, r.Arguments.Format)
	}
	return &dap.VariablesResponse{Response: *newResponse(&r.Request), Body: dap.VariablesResponseBody{Variables: variables}}, nil
}

func staleVariables(reference int) error {
	return &requestError{id: idStale, message: fmt.Sprintf("variables reference %d is not valid any more", reference)}
}

// maxShown is how many characters of a value a list of variables shows. All of it
// can be copied.
const maxShown = 10_000

// presentShort is present for a list, which long values would fill, with a mark
// on values that are not to be relied on.
func (s *session) presentShort(v variable, format *dap.ValueFormat) dap.Variable {
	out := s.present(v, format)
	out.Value = s.marked(shortened(out.Value, maxShown), v.confidence)
	return out
}

// doubtMark begins what is put behind a value whose confidence is low.
const doubtMark = " ? "

// marked marks a value whose confidence is below the launch's threshold.
func (s *session) marked(text string, confidence float64) string {
	if confidence >= s.config.confidenceThreshold() {
		return text
	}
	return text + doubtMark + percent(confidence)
}

// doubted is the mark at the end of a value.
var doubted = regexp.MustCompile(` \? [0-9.]+ %$`)

// unmarked returns a value that the user has edited without the mark, which the
// client shows in its input field.
func unmarked(text string) string { return doubted.ReplaceAllString(text, "") }

// present returns a variable as the client shows it. What can be unfolded gets a
// reference.
func (s *session) present(v variable, format *dap.ValueFormat) dap.Variable {
	out := dap.Variable{Name: v.name, Value: v.shown(format), EvaluateName: v.expression}
	if v.virtual {
		out.PresentationHint = &dap.VariablePresentationHint{Kind: "virtual"}
		if v.readOnly {
			out.PresentationHint.Attributes = []string{"readOnly"}
		}
	}
	if v.value != nil && s.client.SupportsVariableType {
		out.Type = typeText(v)
	}
	named, indexed := v.count()
	if named+indexed > 0 {
		out.VariablesReference = s.variables.add(container{variable: v})
		out.NamedVariables, out.IndexedVariables = named, indexed
	}
	return out
}

// shown returns the text that shows a variable's value.
func (v variable) shown(format *dap.ValueFormat) string {
	switch {
	case v.value != nil && format != nil && format.Hex:
		return hexadecimal(*v.value.get()).String()
	case v.text == "" && v.value != nil:
		return v.value.get().String()
	}
	return v.text
}

// hexadecimal returns a value with its ints, and those in it, in base 16.
func hexadecimal(v repr.Value) repr.Value {
	if v.Kind == repr.Int {
		if i, ok := v.BigInt(); ok {
			v.Text = fmt.Sprintf("%#x", i)
		}
		return v
	}
	children := make([]repr.Child, len(v.Children))
	for i, c := range v.Children {
		children[i] = repr.Child{Name: c.Name, Value: hexadecimal(c.Value)}
		if c.Key != nil {
			key := hexadecimal(*c.Key)
			children[i].Key = &key
		}
	}
	v.Children = children
	return v
}

// typeText is the type of a value and, when it is not certain, how sure the
// predictor is of the value: "list", "int, 93 %".
func typeText(v variable) string {
	text := v.value.get().Type
	if v.confidence < 1 {
		if text != "" {
			text += ", "
		}
		text += percent(v.confidence)
	}
	return text
}
