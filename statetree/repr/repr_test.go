package repr_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree/repr"
)

// shape says of each part of a value what it is, as testdata/values.py does.
func shape(v repr.Value) string {
	join := func() []string {
		var parts []string
		for _, c := range v.Children {
			part := shape(c.Value)
			if c.Key != nil {
				part = shape(*c.Key) + ":" + part
			}
			if c.Name != "" {
				part = c.Name + "=" + part
			}
			parts = append(parts, part)
		}
		return parts
	}
	switch v.Kind {
	case repr.None:
		return "None"
	case repr.Bool, repr.Int, repr.Float, repr.Complex:
		return v.Kind.String() + " " + v.Text
	case repr.String, repr.Bytes:
		return v.Kind.String() + " " + hex.EncodeToString([]byte(v.Text))
	case repr.Set, repr.FrozenSet:
		parts := join()
		slices.Sort(parts)
		return v.Kind.String() + "(" + strings.Join(parts, ";") + ")"
	case repr.List, repr.Tuple, repr.Dict, repr.Object:
		return v.Type + "(" + strings.Join(join(), ";") + ")"
	case repr.Range:
		n, _ := v.Len()
		return "range " + n.String()
	case repr.Enum:
		return "enum " + v.Type + " " + v.Text + " " + join()[0]
	}
	return "text " + hex.EncodeToString([]byte(v.Text))
}

// What CPython's repr writes is read as the value that it is of, and written
// back the same.
func TestReprsOfPython(t *testing.T) {
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	var stderr bytes.Buffer
	cmd := exec.Command(interpreter, "testdata/values.py")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.Bytes())
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	kinds := map[repr.Kind]int{}
	for _, line := range lines {
		var pair [2]string
		if err := json.Unmarshal(line, &pair); err != nil {
			t.Fatal(err)
		}
		text, want := pair[0], pair[1]
		v := repr.Parse(text)
		kinds[v.Kind]++
		if got := shape(v); want != "" && got != want {
			t.Errorf("%s\nis read as %s\nwant       %s", text, got, want)
		}
		if got := v.String(); got != text {
			t.Errorf("%s\nis written as\n%s", text, got)
		}
		if !repr.Equal(v, repr.Parse(v.String())) {
			t.Errorf("%s is not equal to itself", text)
		}
	}
	t.Logf("%d values: %v", len(lines), kinds)
}

func TestParse(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", "text "},
		{"[...]", "list(...)"},
		{"[1, [...], {...}]", "list(int 1;list(...);dict(...))"},
		{"[1, 2, 3...", "list(int 1;int 2;text:3...)"},
		{"[1, 'ab...", "list(int 1;str ab)"},
		{"{'a': [1, ...", "dict(str a:list(int 1;...))"},
		{"Point(x=1, y=(2, ...", "Point(x=int 1;y=tuple(int 2;...))"},
		{"[1, 2", "text:[1, 2"},
		{"[1, 2)", "text:[1, 2)"},
		{"'abc", "text:'abc"},
		{"it's", "text:it's"},
		{"(1)", "text:(1)"},
		{"(1,)", "tuple(int 1)"},
		{"01", "text:01"},
		{"-0", "int -0"},
		{"1 2", "text:1 2"},
		{"[1 2, 3]", "list(text:1 2;int 3)"},
		{"a, b", "text:a, b"},
		{"1, 2", "text:1, 2"},
		{"[<Foo it's>, 1]", "list(text:<Foo it's>;int 1)"},
		{"[<a.b object>, <map object>]", "list(text:<a.b object>;text:<map object>)"},
		{"<Color.RED: 1>", "enum Color RED int 1"},
		{"<Perm.R|W: 6>", "enum Perm R|W int 6"},
		{"[<Color.A: [1, '>']>]", "list(enum Color A list(int 1;str >))"},
		{"<Foo bar: 1>", "text:<Foo bar: 1>"},
		{"array([[1., 2.],\n       [3., 4.]])", "array(list(list(float 1.;float 2.);list(float 3.;float 4.)))"},
		{"array([0, 1, ..., 9], dtype=int32)", "array(list(int 0;int 1;...;int 9);dtype=text:int32)"},
		{"array([[1, 0]", "text:array([[1, 0]"},
		{"datetime.date(2020, 1, 2)", "datetime.date(int 2020;int 1;int 2)"},
		{"f.<locals>.P(x=1)", "f.<locals>.P(x=int 1)"},
		{"defaultdict(<class 'int'>, {'a': 1})", "defaultdict(text:<class 'int'>;dict(str a:int 1))"},
		{"frozenset({1})", "frozenset(int 1)"},
		{"frozenset()", "frozenset()"},
		{"set()", "set()"},
		{"range(0, 10, 3)", "range 4"},
		{"range(x)", "range(text:x)"},
		{"1e5j", "complex 1e5j"},
		{"(1-nanj)", "complex (1-nanj)"},
		{"inf", "float inf"},
		{"Ellipsis", "text:Ellipsis"},
		{"[Ellipsis, None]", "list(text:Ellipsis;None)"},
		{"{1: 2, 3}", "dict(int 1:int 2;int 3)"},
		{"lambda x: x", "text:lambda x: x"},
		{"F(a=b=c)", "F(a=text:b=c)"},
		{"'\\x41\\u00e9\\q\\N'", "str Aé\\q\\N"},
		{"'a' 'b'", "text:'a' 'b'"},
		{"Foo(1).bar", "text:Foo(1).bar"},
		{"[Foo(1).bar, 2]", "list(text:Foo(1).bar;int 2)"},
		{"{'a': 1, **b}", "dict(str a:int 1;text:**b)"},
	}
	for _, test := range tests {
		if got := describe(repr.Parse(test.text)); got != test.want {
			t.Errorf("%s: got %s, want %s", test.text, got, test.want)
		}
		if got := repr.Parse(test.text).String(); squeeze(got) != squeeze(test.text) && !strings.Contains(test.text, `\x41`) {
			t.Errorf("%s is written as %s", test.text, got)
		}
	}
}

// squeeze drops the line ends and indentation of arrays.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// describe is shape with readable texts.
func describe(v repr.Value) string {
	switch v.Kind {
	case repr.Text:
		if v.Text == "" {
			return "text "
		}
		return "text:" + v.Text
	case repr.String:
		return "str " + v.Text
	case repr.Elided:
		return "..."
	case repr.Range:
		return shape(v)
	}
	var parts []string
	for _, c := range v.Children {
		part := describe(c.Value)
		if c.Key != nil {
			part = describe(*c.Key) + ":" + part
		}
		if c.Name != "" {
			part = c.Name + "=" + part
		}
		parts = append(parts, part)
	}
	switch v.Kind {
	case repr.Enum:
		return "enum " + v.Type + " " + v.Text + " " + parts[0]
	case repr.None, repr.Bool, repr.Int, repr.Float, repr.Complex:
		return strings.TrimSuffix(shape(v), " ")
	}
	return v.Type + "(" + strings.Join(parts, ";") + ")"
}

func TestCut(t *testing.T) {
	for text, want := range map[string]bool{
		"[1, 2, 3...": true, "[1, ...": true, "'abc...": true, "Foo(x=[1, 2…": true, "b'a...": true, "{'a': 'b...": true,
		"[1, 2]": false, "[...]": false, "'abc...'": false, "array([0, ..., 9])": false,
	} {
		if got := repr.Parse(text).Cut; got != want {
			t.Errorf("%s: cut is %v", text, got)
		}
	}
}

func TestItems(t *testing.T) {
	tests := []struct{ text, want string }{
		{"[1, 'a']", "0 [0]=1 | 1 [1]='a'"},
		{"{'a': 1, (1, 2): 'x'}", "'a' ['a']=1 | (1, 2) [(1, 2)]='x'"},
		{"{1, 2}", "0 =1 | 1 =2"},
		{"Point(x=1, y=2)", "x .x=1 | y .y=2"},
		{"ValueError('no')", "0 ='no'"},
		{"deque([1, 2], maxlen=3)", "0 [0]=1 | 1 [1]=2 | maxlen =3"},
		{"Counter({'a': 2})", "'a' ['a']=2"},
		{"OrderedDict([('a', 1)])", "'a' ['a']=1"},
		{"collections.OrderedDict({'a': 1})", "'a' ['a']=1"},
		{"defaultdict(<class 'list'>, {1: []})", "1 [1]=[]"},
		{"array('i', [7])", "0 [0]=7"},
		{"array([[1, 2]])", "0 [0]=[1, 2]"},
		{"<Color.RED: 1>", "name .name='RED' | value .value=1"},
		{"range(1, 5)", "start .start=1 | stop .stop=5"},
		{"datetime.date(2024, 2, 29)", "year .year=2024 | month .month=2 | day .day=29"},
		{"datetime.timedelta(days=2)", "days .days=2"},
		{"5", ""},
		{"[1, 2...", "0 =1 | 1 =2..."},
		{"array([0, ..., 9])", "0 =0 | 1 =... | 2 =9"},
		{"dict_keys([1])", "0 =1"},
	}
	for _, test := range tests {
		var parts []string
		for _, item := range repr.Parse(test.text).Items() {
			parts = append(parts, fmt.Sprintf("%s %s=%s", item.Label, item.Path, item.Value))
		}
		if got := strings.Join(parts, " | "); got != test.want {
			t.Errorf("%s: got %s, want %s", test.text, got, test.want)
		}
	}
}

func TestEqual(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"1", "1", true}, {"1", "1.0", false}, {"True", "1", false}, {"1.0", "1.00", true}, {"1e3", "1000.0", true},
		{"0.0", "-0.0", false}, {"nan", "nan", true}, {"inf", "-inf", false}, {"1j", "1.0j", true},
		{"{1, 2}", "{2, 1}", true}, {"{1, 2}", "{1, 3}", false}, {"{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}", true},
		{"{'a': {1: 2, 3: 4}}", "{'a': {3: 4, 1: 2}}", true}, {"{'a': 1}", "{'a': 2}", false},
		{"[1, 2]", "[2, 1]", false}, {"[{1, 2}]", "[{2, 1}]", true}, {"{frozenset({1, 2})}", "{frozenset({2, 1})}", true},
		{"'a'", "\"a\"", true}, {"'a'", "b'a'", false}, {"(1,)", "[1]", false}, {"P(x=1)", "P(y=1)", false},
		{"P(x=1)", "Q(x=1)", false}, {"<a>", "<a>", true}, {"<a>", "<b>", false}, {"[1...", "[1...", true}, {"[1...", "[1]", false},
		{"set()", "frozenset()", false}, {"{}", "set()", false}, {"[1, 2]", "[1, 2, 3]", false}, {"<C.R: 1>", "<C.R: 2>", false},
	}
	for _, test := range tests {
		if got := repr.Equal(repr.Parse(test.a), repr.Parse(test.b)); got != test.want {
			t.Errorf("%s and %s: %v", test.a, test.b, got)
		}
		if got := repr.Equal(repr.Parse(test.b), repr.Parse(test.a)); got != test.want {
			t.Errorf("%s and %s: %v", test.b, test.a, got)
		}
	}
}

func TestNumbers(t *testing.T) {
	huge := strings.Repeat("9", 50)
	if n, ok := repr.Parse("-" + huge).BigInt(); !ok || n.String() != "-"+huge {
		t.Errorf("%v", n)
	}
	if n, ok := repr.Parse("True").BigInt(); !ok || n.Cmp(big.NewInt(1)) != 0 {
		t.Errorf("%v", n)
	}
	if _, ok := repr.Parse("1.5").BigInt(); ok {
		t.Error("a float is no integer")
	}
	if f, ok := repr.Parse("-1.5e-07").Float64(); !ok || f != -1.5e-07 {
		t.Errorf("%v", f)
	}
	for text, want := range map[string]complex128{"1j": 1i, "(1.5-2e-05j)": 1.5 - 2e-05i, "(-0-1j)": complex(0, -1)} {
		if z, ok := repr.Parse(text).Complex128(); !ok || z != want {
			t.Errorf("%s: %v", text, z)
		}
	}
	for text, want := range map[string]int64{"range(0, 0)": 0, "range(5, 1)": 0, "range(1, 10, 4)": 3, "range(10, 0, -3)": 4} {
		if n, ok := repr.Parse(text).Len(); !ok || n.Int64() != want {
			t.Errorf("%s: %v", text, n)
		}
	}
}

// Reprs of any size and depth are read in linear time: in quadratic time one of
// these would take hours, and meet the deadline of the test run.
func TestSize(t *testing.T) {
	const size = 1 << 20
	tests := map[string]string{
		"deep lists":       strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		"deep objects":     strings.Repeat("A(", size/3) + strings.Repeat(")", size/3),
		"open lists":       strings.Repeat("[", size),
		"open objects":     strings.Repeat("A(x=", size/4),
		"trailing text":    strings.Repeat("[", 10_000) + strings.Repeat("]x", 10_000),
		"deep enums":       strings.Repeat("<A.B: [", size/14) + strings.Repeat("]>", size/14),
		"quotes in angles": strings.Repeat("<'", size/2),
		"angles":           "[" + strings.Repeat("<a>, ", size/5) + "]",
		"open angles":      "[" + strings.Repeat("<a, ", size/4) + "]",
		"apostrophes":      "[" + strings.Repeat("<it's>, ", size/8) + "]",
		"wide list":        "[" + strings.Repeat("1, ", size/3) + "1]",
		"wide dict":        "{" + strings.Repeat("'a': 1, ", size/8) + "'a': 1}",
		"digits":           strings.Repeat("9", size),
		"signs":            strings.Repeat("1+", size/2) + "1j",
		"long string":      "'" + strings.Repeat(`\x00`, size/4) + "'",
		"commas":           strings.Repeat(",", size),
		"white space":      strings.Repeat(" ", size),
		"parentheses":      strings.Repeat("( ", size/2),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			v := repr.Parse(text)
			if written := v.String(); len(written) < len(text)/4 {
				t.Errorf("%d bytes are written as %d", len(text), len(written))
			}
			_ = repr.Equal(v, v)
		})
	}
	v := repr.Parse(strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000))
	depth := 0
	for at := v; at.Kind == repr.List; at = at.Children[0].Value {
		if depth++; len(at.Children) == 0 {
			break
		}
	}
	if depth != 10_000 {
		t.Errorf("10,000 lists in each other are read as %d", depth)
	}
}

// FuzzParse: reading never fails, and what is written is read back the same.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"[1, 'a', {2: b'x'}]", "Point(x=1, y=...)", "<Color.RED: 1>", "[1, 2...", "array([[1., 2.],\n [3., 4.]])", "(1+2j)",
		"frozenset({1})", "{'a': \"it's\"}", "range(0, 3)", "'\\ud800'", "<it's>", "f.<locals>.A()", "[<a", "-inf",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := repr.Parse(text)
		written := v.String()
		again := repr.Parse(written)
		if second := again.String(); second != written {
			t.Fatalf("%q is written as %q and then as %q", text, written, second)
		}
		v.Items()
		v.Float64()
		v.BigInt()
		v.Complex128()
		v.Len()
	})
}
