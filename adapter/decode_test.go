package adapter

import (
	"strings"
	"testing"
)

// What is no request of the protocol is answered, unless it is an answer itself.
func TestDecodeOddMessages(t *testing.T) {
	for _, c := range []struct {
		body, err string
		answered  bool
	}{
		{`{}`, `type is "", must be "request"`, true},
		{`null`, `type is "", must be "request"`, true},
		{`{"seq":8,"command":"threads"}`, `type is "", must be "request"`, true},
		{`{"seq":6,"type":"REQUEST","command":"threads"}`, `type is "REQUEST", must be "request"`, true},
		{`{"seq":6,"type":"response","command":"runInTerminal"}`, "", false},
		{`{"seq":6,"type":"event","event":"x"}`, "", false},
		{`{"seq":6,"type":"request","command":"threads"}`, "", true},
	} {
		m, answered := decode([]byte(c.body))
		if answered != c.answered {
			t.Errorf("%s: answered %v, want %v", c.body, answered, c.answered)
		}
		switch {
		case c.err == "" && m.err != nil:
			t.Errorf("%s: %v", c.body, m.err)
		case c.err != "" && (m.err == nil || m.err.Error() != c.err):
			t.Errorf("%s: error %v, want %q", c.body, m.err, c.err)
		}
	}
}

func TestLongCommandIsNotRepeated(t *testing.T) {
	m, _ := decode([]byte(`{"seq":1,"type":"request","command":"` + strings.Repeat("A", 1<<20) + `"}`))
	err := decodeError(&m.head, m.err)
	if len(m.head.Command) > 100 || len(err.Error()) > 200 {
		t.Errorf("the command's name has %d bytes, the error %d", len(m.head.Command), len(err.Error()))
	}
}
