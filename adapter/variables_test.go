package adapter_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter"
	"github.com/neuraldbg/neuraldbg/adapter/daptest"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/replay"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// unsure is a predictor that is not certain of one local.
type unsure struct {
	model.Predictor
	local      string
	confidence float64
}

func (p unsure) Open(ctx context.Context, c model.Context) (model.Session, model.Prediction, error) {
	session, first, err := p.Predictor.Open(ctx, c)
	return unsureSession{session, p}, first, err
}

type unsureSession struct {
	model.Session
	predictor unsure
}

func (s unsureSession) Predict(ctx context.Context, a statetree.Action) (model.Prediction, error) {
	p, err := s.Session.Predict(ctx, a)
	p.Confidence.State = s.predictor.confidence
	p.Confidence.Locals = map[string]float64{s.predictor.local: s.predictor.confidence}
	p.Alternatives = []model.Alternative{{Outcome: statetree.Outcome{Exit: statetree.ExitError}, Confidence: model.Confidence{State: 0.05}}}
	return p, err
}

// stopAtPass begins a session that is stopped at the last line of a function
// which has the given statements, as a client with the given abilities.
func stopAtPass(t *testing.T, client map[string]any, statements ...string) *daptest.Script {
	t.Helper()
	program := filepath.Join(t.TempDir(), "values.py")
	text := "def f():\n    " + strings.Join(append(statements, "pass"), "\n    ") + "\n"
	if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := connect(t, func(_ context.Context, c adapter.LaunchConfig) (model.Predictor, error) {
		p, err := replay.New(recordOnce(t, c.Program, "f()"))
		return unsure{p, "doubtful", 0.9312}, err
	})
	if client == nil {
		s.Initialize()
	} else if _, err := s.Client.InitializeAs(client); err != nil {
		t.Fatal(err)
	}
	s.Launch(map[string]any{"program": program, "entry": "f()", "stopOnEntry": false})
	s.SetBreakpoints(program, len(statements)+2)
	s.ConfigurationDone()
	s.ExpectStopped("breakpoint")
	return s
}

// unfold renders the variables of a reference, and of those in them.
func unfold(t *testing.T, s *daptest.Script, reference int, indent string) string {
	t.Helper()
	variables, err := s.Client.Variables(reference)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, v := range variables {
		fmt.Fprintf(&out, "%s%s = %s : %s", indent, v.Name, v.Value, v.Type)
		if v.EvaluateName != "" {
			fmt.Fprintf(&out, " @ %s", v.EvaluateName)
		}
		if v.NamedVariables+v.IndexedVariables > 0 {
			fmt.Fprintf(&out, " (%d named, %d indexed)", v.NamedVariables, v.IndexedVariables)
		}
		out.WriteString("\n")
		if v.VariablesReference != 0 {
			out.WriteString(unfold(t, s, v.VariablesReference, indent+"  "))
		}
	}
	return out.String()
}

func TestVariablesUnfold(t *testing.T) {
	s := stopAtPass(t, nil,
		"doubtful = [1, ('a', None)]",
		"table = {'k': {'n': 1.5}, (1, 2): b'x'}",
		"empty = []",
		"text = \"it's\"",
	)
	scope, err := s.Client.LocalsScope()
	if err != nil {
		t.Fatal(err)
	}
	want := `doubtful = [1, ('a', None)] : list, 93.1 % @ doubtful (0 named, 2 indexed)
  0 = 1 : int, 93.1 % @ doubtful[0]
  1 = ('a', None) : tuple, 93.1 % @ doubtful[1] (0 named, 2 indexed)
    0 = 'a' : str, 93.1 % @ doubtful[1][0]
    1 = None : NoneType, 93.1 % @ doubtful[1][1]
table = {'k': {'n': 1.5}, (1, 2): b'x'} : dict @ table (2 named, 0 indexed)
  'k' = {'n': 1.5} : dict @ table['k'] (1 named, 0 indexed)
    'n' = 1.5 : float @ table['k']['n']
  (1, 2) = b'x' : bytes @ table[(1, 2)]
empty = [] : list @ empty
text = "it's" : str @ text
`
	if got := unfold(t, s, scope.VariablesReference, ""); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	s.Disconnect()
}

func TestEvaluate(t *testing.T) {
	s := stopAtPass(t, nil,
		"table = {'k': [10, 20, {'a]': 'deep'}], 3: 'three'}",
		"long = 'x' * 1000",
		"größe = 4",
		"from collections import namedtuple",
		"point = namedtuple('Point', 'x y')(1, [2])",
	)
	for expression, want := range map[string]string{
		"table['k'][1]":         "20",
		`table[ "k" ][-2]`:      "20",
		"table['k'][2]['a]']":   "'deep'",
		"table[3]":              "'three'",
		"größe":                 "4",
		" point.y[0] ":          "2",
		"point.x":               "1",
		"table['k'][2]":         "{'a]': 'deep'}",
		"table['k'][2]['a]'][0": "",
		"1 + 1":                 "2",
		"len(table)":            "2",
		"größe.real":            "4",
		"sum(table['k'][:2])":   "30",
		"[k for k in table]":    "['k', 3]",
		"f'{größe:>3}'":         "'  4'",
		"größe > 3 and 'big'":   "'big'",
	} {
		got, err := s.Client.Evaluate(expression, "watch")
		if want == "" {
			if err == nil {
				t.Errorf("%s gave %q; want an error", expression, got.Result)
			}
		} else if err != nil || got.Result != want {
			t.Errorf("%s gave %q, %v; want %q", expression, got.Result, err, want)
		}
	}
	for expression, want := range map[string]string{
		"nothing":        "NameError: name 'nothing' is not defined",
		"table['z']":     "KeyError: 'z'",
		"table['k'][7]":  "IndexError: list index out of range",
		"table['k'][-7]": "IndexError: list index out of range",
		"1 / 0":          "ZeroDivisionError: division by zero",
		"table['k'":      "'[' was never closed",
		"point.":         "invalid syntax",
		"point.z":        "does not show an attribute z",
		"long = 3":       "write ==",
		"open('x')":      "open is not supported",
		"10**10**10":     "too large",
	} {
		if got, err := s.Client.Evaluate(expression, "watch"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gave %q, %v; want an error with %q", expression, got.Result, err, want)
		}
	}
	if got := s.Evaluate("long", "hover"); len([]rune(got.Result)) != 301 {
		t.Errorf("a hover shows %d characters; want 301", len([]rune(got.Result)))
	}
	if got := s.Evaluate("long", "clipboard"); len(got.Result) != 1002 {
		t.Errorf("the clipboard gets %d characters; want all 1002", len(got.Result))
	}
	if got := s.Evaluate("table", "watch"); got.VariablesReference == 0 || got.NamedVariables != 2 {
		t.Errorf("a dict evaluates to %+v; want it to unfold", got)
	}
	s.Disconnect()
}

func TestPaging(t *testing.T) {
	s := stopAtPass(t, nil, "numbers = list(range(250))")
	v := s.Evaluate("numbers", "watch")
	if v.IndexedVariables != 250 {
		t.Fatalf("%d indexed variables; want 250", v.IndexedVariables)
	}
	page := func(arguments map[string]any) []string {
		arguments["variablesReference"] = v.VariablesReference
		var values []string
		for _, v := range s.Request("variables", arguments).(*dap.VariablesResponse).Body.Variables {
			values = append(values, v.Value)
		}
		return values
	}
	if got := page(map[string]any{"start": 100, "count": 3, "filter": "indexed"}); !slices.Equal(got, []string{"100", "101", "102"}) {
		t.Errorf("three from 100: %v", got)
	}
	if got := page(map[string]any{"start": 249, "count": 9}); !slices.Equal(got, []string{"249"}) {
		t.Errorf("nine from 249: %v", got)
	}
	if got := page(map[string]any{"filter": "named"}); len(got) != 0 {
		t.Errorf("named parts of a list: %v", got)
	}
	if got := page(map[string]any{}); len(got) != 250 {
		t.Errorf("without a count: %d parts; want all 250", len(got))
	}
	s.Disconnect()
}

// TestBuckets: a client that cannot page gets long lists in ranges.
func TestBuckets(t *testing.T) {
	client := map[string]any{"adapterID": "x", "linesStartAt1": true, "columnsStartAt1": true}
	s := stopAtPass(t, client, "numbers = list(range(250))")
	v := s.Evaluate("numbers", "watch")
	ranges, err := s.Client.Variables(v.VariablesReference)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range ranges {
		names = append(names, r.Name)
		if r.Type != "" {
			t.Errorf("%s has the type %q for a client that wants none", r.Name, r.Type)
		}
	}
	if want := []string{"[0 … 99]", "[100 … 199]", "[200 … 249]"}; !slices.Equal(names, want) {
		t.Fatalf("ranges %q; want %q", names, want)
	}
	last, err := s.Client.Variables(ranges[2].VariablesReference)
	if err != nil {
		t.Fatal(err)
	}
	if len(last) != 50 || last[49].Value != "249" || last[49].EvaluateName != "numbers[249]" {
		t.Errorf("the last range has %d parts, the last %+v", len(last), last[len(last)-1])
	}
	s.Disconnect()
}

func TestPredictionScope(t *testing.T) {
	s := stopAtPass(t, nil, "doubtful = 1")
	scopes, err := s.Client.Scopes(s.StackTrace()[0].Id)
	if err != nil {
		t.Fatal(err)
	}
	if len(scopes) != 3 || scopes[1].Name != "Prediction" || scopes[2].Name != "Alternatives" {
		t.Fatalf("scopes %+v", scopes)
	}
	want := `confidence = 93.1 % : 
event = line (100 %) : 
line = 100 % : 
values = 100 % : 
action = breakpoint pass : 
model = replay : 
alternative 1 = exit error (5 %) : 
`
	if got := unfold(t, s, scopes[1].VariablesReference, ""); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	s.Disconnect()
}

func TestSetVariable(t *testing.T) {
	s := stopAtPass(t, nil, "numbers = [1, 2]", "text = 'a'")
	if v, err := s.Client.SetVariable("text", `"a"`); err != nil || v != "'a'" {
		t.Errorf("the same value in other quotes: %q, %v", v, err)
	}
	s.ExpectLocal("text", "'a'")
	for value, want := range map[string]string{"numbers + 1": "TypeError", "": "missing", "[1, 2": "never closed", "'b'": "what-ifs"} {
		if _, err := s.Client.SetVariable("text", value); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("setting %q: %v; want an error with %q", value, err, want)
		}
	}
	if _, err := s.Client.SetVariable("nothing", "1"); err == nil || !strings.Contains(err.Error(), `local variable "nothing"`) {
		t.Errorf("setting an unknown name: %v", err)
	}
	list := s.Evaluate("numbers", "watch")
	s.ExpectError("setVariable", map[string]any{"variablesReference": list.VariablesReference, "name": "0", "value": "7"}, "what-ifs")
	s.ExpectError("setVariable", map[string]any{"variablesReference": 999, "name": "0", "value": "7"}, "not valid any more")
	s.Disconnect()
}
