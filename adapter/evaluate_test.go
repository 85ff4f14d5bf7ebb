package adapter

import (
	"testing"

	"github.com/google/go-dap"
)

// FuzzLookUp looks for expressions that clients may send: none may do harm, and
// what is found evaluates to itself again.
func FuzzLookUp(f *testing.F) {
	for _, seed := range []string{"x", "x[0]", "d['a']", "d['a][", "p.x.y", "x[-1]", "x[", "x]", "é.b[(1, 2)]", "x[\"\\\"]", ""} {
		f.Add(seed)
	}
	locals := []variable{
		newVariable("x", "[1, [2, 3]]", 1), newVariable("d", "{'a': 1, (1, 2): {'b': None}}", 1), newVariable("p", "Point(x=1, y=Point(x=2, y=3))", 1),
	}
	f.Fuzz(func(t *testing.T, expression string) {
		v, err := lookUp(locals, expression)
		if err != nil {
			return
		}
		again, err := lookUp(locals, v.expression)
		if err != nil || again.value.String() != v.value.String() {
			t.Errorf("%q finds %q, which finds %v, %v", expression, v.expression, again.value, err)
		}
	})
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
