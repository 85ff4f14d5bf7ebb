package adapter

import (
	"errors"
	"testing"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/expr"
	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/repr"
)

// FuzzParts unfolds any value: each part that has an expression is what that
// expression evaluates to, or is refused with a reason.
func FuzzParts(f *testing.F) {
	for _, seed := range []string{
		"[1, [2, 'x']]", "{'a': 1, (1, 2): {'b': None}}", "Point(x=1, y=Point(x=2, y=3))", "<Color.RED: 1>", "deque([1, 2], maxlen=3)",
		"Counter({'a': 2})", "OrderedDict([('a', [1])])", "defaultdict(<class 'list'>, {1: [2]})", "array([[1, 2], [3, 4]])", "range(1, 10, 2)",
		"datetime.datetime(2024, 2, 29, 13, 45)", "{1, 2}", "[1, 2...", "dict_keys([1])", "ChainMap({'a': 1}, {'b': 2})", "{nan: 1}",
		"tensor([1, 2])", "array([0, ..., 9])", "[[...], 1]", "{'\\ud800': [b'\\xff']}", "mappingproxy({'a': 1})", "{-0.0: [1]}", "P(print=1, if_=2)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := newVariable("v", text, 1)
		entry := timeline.Entry{Stack: timeline.Stack{{Locals: statetree.Locals{{Name: "v", Repr: text}}}}}
		checkParts(t, &entry, v, 0)
	})
}

// sameParts compares a value with what is shown for it: a row of an array is
// shown without its type.
func sameParts(got, shown repr.Value) bool {
	if inner, ok := got.Wrapped(); ok && shown.Kind == inner.Kind {
		got = inner
	}
	return repr.Equal(got, shown)
}

// hasCloseKeys reports whether a dict may have a key twice, such as 1 and True,
// which no dict of Python's has.
func (v variable) hasCloseKeys() bool {
	seen := map[string]bool{}
	for _, p := range v.parts() {
		kind := repr.Parse(p.name).Kind
		if v.value.get().Kind == repr.Dict && (seen[p.name] || kind != repr.String) {
			return true
		}
		seen[p.name] = true
	}
	return false
}

func checkParts(t *testing.T, entry *timeline.Entry, v variable, depth int) {
	for i, part := range v.parts() {
		if i == 20 || depth == 4 {
			return
		}
		if part.expression == "" {
			continue
		}
		got, err := evaluate(entry, 0, part.expression, nil)
		var e *expr.Error
		switch {
		case err == nil && got.text != part.value.get().String() && !sameParts(repr.Parse(got.text), *part.value.get()) && !v.hasCloseKeys():
			t.Errorf("%s in %s evaluates to %s; it is shown as %s", part.expression, v.value.get(), got.text, part.value.get())
		case err != nil && (!errors.As(err, &e) || e.Exception != "" && e.Exception != "SyntaxError"):
			t.Errorf("%s in %s: %v", part.expression, v.value.get(), err)
		}
		checkParts(t, entry, part, depth+1)
	}
}

// FuzzDecode: whatever comes, it is answered as the request that it says to be,
// or not at all.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{}`, `{"seq":1,"type":"request","command":"next"}`, `null`, `{"seq":"x"}`, `{"type":"event"}`,
		`{"seq":2,"type":"request","command":"launch","arguments":7}`, `[`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		m, ok := decode(body)
		if !ok {
			return
		}
		if (m.request == nil) == (m.err == nil) {
			t.Fatalf("request %v, error %v", m.request, m.err)
		}
		if m.err != nil {
			var response dap.ResponseMessage = errorResponse(&m.head, decodeError(&m.head, m.err))
			if response.GetResponse().RequestSeq != m.head.Seq {
				t.Errorf("answers %d; want %d", response.GetResponse().RequestSeq, m.head.Seq)
			}
		}
	})
}
