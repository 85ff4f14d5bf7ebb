package timeline

import (
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/repr"
)

var assignable = statetree.Locals{
	{Name: "a", Repr: "[1, [2, 3]]"}, {Name: "d", Repr: "{'k': (1, 2), 3: {'x': None}}"},
	{Name: "p", Repr: "Point(x=1, y=Point(x=2, y=[3]))"}, {Name: "q", Repr: "deque([1, 2], maxlen=3)"},
	{Name: "é", Repr: "'text'"}, {Name: "cut", Repr: "[1, 2"},
}

func TestAssign(t *testing.T) {
	for _, test := range []struct{ target, value, want string }{
		{"a", "7", "a=7"},
		{"a[1][0]", "'z'", "a=[1, ['z', 3]]"},
		{"a[-1]", "None", "a=[1, None]"},
		{` d [ "k" ] [1]`, "{}", "d={'k': (1, {}), 3: {'x': None}}"},
		{"d[3]['x']", "[1]", "d={'k': (1, 2), 3: {'x': [1]}}"},
		{"p.y.y[0]", "4", "p=Point(x=1, y=Point(x=2, y=[4]))"},
		{"q[1]", "5", "q=deque([1, 5], maxlen=3)"},
		{"q.maxlen", "None", "q=deque([1, 2], maxlen=None)"},
		{"é", "1", "é=1"},
		{"a[2]", "1", "no part [2]"},
		{"a[x]", "1", "not a name"},
		{"a.b", "1", "no part .b"},
		{"a[0][0]", "1", "no part"},
		{"d['z']", "1", "no part"},
		{"b", "1", `no local variable "b"`},
		{"a +", "1", "not a name"},
		{"", "1", "not a name"},
		{"a[", "1", "not a name"},
	} {
		locals, err := assign(assignable, test.target, test.value)
		if err != nil {
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v; want %q", test.target, err, test.want)
			}
			continue
		}
		name, want, _ := strings.Cut(test.want, "=")
		if got, _ := locals.Get(name); got != want {
			t.Errorf("%s: %s is %s; want %s", test.target, name, got, want)
		}
	}
	if got, _ := assignable.Get("a"); got != "[1, [2, 3]]" {
		t.Errorf("the locals that were given have changed to %s", got)
	}
}

// FuzzAssign: whatever the target, nothing but it changes, and what the target is
// called is a target of the same name.
func FuzzAssign(f *testing.F) {
	for _, seed := range []string{"a", "a[1][0]", `d["k"]`, "p.y.y[0]", "q[-1]", "a[", "é.b[(1, 2)]", "a[99999999999999999999]", "cut[0]", "d[3]['x']"} {
		f.Add(seed, "7")
	}
	f.Fuzz(func(t *testing.T, target, value string) {
		if name, ok := TargetExpression(target); ok {
			if again, ok := TargetExpression(name); !ok || again != name {
				t.Errorf("%q is called %q, which is called %q", target, name, again)
			}
		}
		locals, err := assign(assignable, target, value)
		if err != nil {
			return
		}
		changed := 0
		for i, l := range locals {
			if l != assignable[i] {
				changed++
			}
			_ = repr.Parse(l.Repr)
		}
		if changed > 1 || len(locals) != len(assignable) {
			t.Errorf("%q = %q changes %d names: %v", target, value, changed, locals)
		}
	})
}

func TestHitConditions(t *testing.T) {
	for text, want := range map[string]string{
		"": "12345", "2": "2", "== 2": "2", "> 3": "45", ">=3": "345", "<2": "1", "<= 2": "12", "%2": "24", "% 1": "12345", "0": "",
	} {
		c, err := parseHitCondition(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		got := ""
		for n := 1; n <= 5; n++ {
			if c.holds(n) {
				got += string(rune('0' + n))
			}
		}
		if got != want {
			t.Errorf("%q holds at %q; want %q", text, got, want)
		}
	}
	for _, text := range []string{"x", "=2", "!=2", "-1", "%0", "% -2", "1.5", ">", "==", "2 2", "99999999999999999999"} {
		if _, err := parseHitCondition(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
