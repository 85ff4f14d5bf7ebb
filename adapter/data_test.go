package adapter_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/daptest"
)

// dataID asks what to set a data breakpoint on a local of the innermost frame by.
func dataID(t *testing.T, s *daptest.Script, name string) string {
	t.Helper()
	scope, err := s.Client.LocalsScope()
	if err != nil {
		t.Fatal(err)
	}
	r := s.Request("dataBreakpointInfo", map[string]any{"variablesReference": scope.VariablesReference, "name": name}).(*dap.DataBreakpointInfoResponse)
	id, ok := r.Body.DataId.(string)
	if !ok || !slices.Equal(r.Body.AccessTypes, []dap.DataBreakpointAccessType{"write"}) || !r.Body.CanPersist {
		t.Fatalf("about %s: %+v", name, r.Body)
	}
	return id
}

func setData(s *daptest.Script, breakpoints ...map[string]any) []dap.Breakpoint {
	return s.Request("setDataBreakpoints", map[string]any{"breakpoints": breakpoints}).(*dap.SetDataBreakpointsResponse).Body.Breakpoints
}

// TestDataBreakpoints stop where a value has changed, and say from what to what.
func TestDataBreakpoints(t *testing.T) {
	p := countBerry(t)
	p.overTransports(t, func(t *testing.T, s *daptest.Script) {
		p.launch(s)
		s.SetBreakpoints(p.path, 3)
		s.Continue()
		s.ExpectStopped("breakpoint")
		s.SetBreakpoints(p.path)
		set := setData(s, map[string]any{"dataId": dataID(t, s, "n"), "accessType": "write"},
			map[string]any{"dataId": dataID(t, s, "n"), "accessType": "read"}, map[string]any{"dataId": "n"})
		if !set[0].Verified || set[1].Verified || set[2].Verified || set[1].Message == "" || set[2].Message == "" {
			t.Errorf("answered %+v", set)
		}
		for _, want := range []string{"n changed from 0 to 1", "n changed from 1 to 2"} {
			s.Continue()
			if stop := s.ExpectStopped("data breakpoint"); stop.Description != want || !slices.Equal(stop.HitBreakpointIds, []int{set[0].Id}) {
				t.Errorf("stopped with %+v; want %q", stop, want)
			}
			s.ExpectLine(3)
		}
		s.ReverseContinue()
		s.ExpectStopped("data breakpoint")
		s.ExpectLocal("n", "1")
		setData(s)
		s.Continue()
		s.ExpectStopped("pause")
		s.Disconnect()
	})
}

// TestDataBreakpointsOnParts and expressions, with conditions, and from before
// the function is entered.
func TestDataBreakpointsOnParts(t *testing.T) {
	p := written(t, `def fill(n):
    table = {'sum': 0, 'all': []}
    for i in range(n):
        table['all'].append(i)
        table['sum'] += i
    return table

def main():
    return fill(4)
`, "main()")
	s := connect(t, replaying(t, p.call))
	p.launch(s)
	s.SetBreakpoints(p.path, 3)
	s.Continue()
	s.ExpectStopped("breakpoint")
	s.SetBreakpoints(p.path)
	table := s.Evaluate("table", "watch")
	r := s.Request("dataBreakpointInfo", map[string]any{"variablesReference": table.VariablesReference, "name": "'sum'"}).(*dap.DataBreakpointInfoResponse)
	if r.Body.Description != "table['sum'] in fill" {
		t.Errorf("about a part: %+v", r.Body)
	}
	sum := r.Body.DataId
	setData(s, map[string]any{"dataId": sum, "condition": "i > 1"})
	s.Continue()
	if stop := s.ExpectStopped("data breakpoint"); stop.Description != "table['sum'] changed from 1 to 3" {
		t.Errorf("stopped for %q", stop.Description)
	}
	r = s.Request("dataBreakpointInfo", map[string]any{"name": "len(table['all'])", "frameId": s.StackTrace()[0].Id}).(*dap.DataBreakpointInfoResponse)
	setData(s, map[string]any{"dataId": r.Body.DataId})
	s.Request("restart", nil)
	s.ExpectStopped("entry")
	for _, want := range []string{"became 0", "changed from 0 to 1"} {
		s.Continue()
		if stop := s.ExpectStopped("data breakpoint"); !strings.HasSuffix(stop.Description, want) {
			t.Errorf("stopped for %q; want %q", stop.Description, want)
		}
	}
	if set := setData(s, map[string]any{"dataId": "fill: table["}); set[0].Verified || set[0].Message == "" {
		t.Errorf("answered %+v", set)
	}
	s.Disconnect()
}

// TestNoDataBreakpoint on what is no value of the program.
func TestNoDataBreakpoint(t *testing.T) {
	s := launchCount(t)
	scopes, err := s.Client.Scopes(s.StackTrace()[0].Id)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Request("dataBreakpointInfo", map[string]any{"variablesReference": scopes[1].VariablesReference, "name": "event"}).(*dap.DataBreakpointInfoResponse)
	if r.Body.DataId != nil || !strings.Contains(r.Body.Description, "not a variable") {
		t.Errorf("about a fact: %+v", r.Body)
	}
	s.ExpectError("dataBreakpointInfo", map[string]any{}, "name is missing")
	s.ExpectError("dataBreakpointInfo", map[string]any{"name": "n", "variablesReference": 999}, "not valid any more")
	s.Disconnect()
}
