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

// What the decoder of JSON would change in silence is refused, and answered.
func TestDecodeText(t *testing.T) {
	for value, wrong := range map[string]string{
		`plain`:                  "",
		`\\ud800`:                "", // a backslash, then letters
		`\\\\ud83d`:              "",
		`\ud83d\ude00 \u00e9 \n`: "",
		`é \"😀\"`:                "",
		`\ud800`:                 `\ud800 is half`,
		`\ud800x`:                `\ud800 is half`,
		`\ud83d\ud83d\ude00`:     `\ud83d is half`,
		`\udc00 \ud800`:          `\udc00 is half`,
		`\\\uD9ab\n`:             `\ud9ab is half`,
		"\xff":                   "not UTF-8",
		"\xed\xa0\x80":           "not UTF-8",
	} {
		m, answered := decode([]byte(`{"seq":3,"type":"request","command":"evaluate","arguments":{"expression":"` + value + `"}}`))
		if !answered || m.head.Seq != 3 || (m.err == nil) != (wrong == "") || m.err != nil && !strings.Contains(m.err.Error(), wrong) {
			t.Errorf("%q: answered %v, seq %d, error %v; want %q", value, answered, m.head.Seq, m.err, wrong)
		}
	}
}
