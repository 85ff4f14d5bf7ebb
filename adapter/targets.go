package adapter

import (
	"strings"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/expr"
	"github.com/neuraldbg/neuraldbg/adapter/repl"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// onBreakpointLocations lists the executable lines of a range.
func (s *session) onBreakpointLocations(r *dap.BreakpointLocationsRequest) (dap.ResponseMessage, error) {
	a := r.Arguments
	if a == nil || a.Source.Path == "" {
		return nil, badArguments("breakpointLocations: source.path is missing")
	}
	response := &dap.BreakpointLocationsResponse{
		Response: *newResponse(&r.Request), Body: dap.BreakpointLocationsResponseBody{Breakpoints: []dap.BreakpointLocation{}},
	}
	file, err := s.files.open(s.pathFromClient(a.Source.Path))
	if err != nil {
		return nil, badArguments("breakpointLocations: %v", err)
	}
	first := s.lineFromClient(a.Line)
	last := first
	if a.EndLine != 0 {
		last = s.lineFromClient(a.EndLine)
	}
	for _, line := range file.ExecutableLines() {
		if first <= line && line <= last {
			response.Body.Breakpoints = append(response.Body.Breakpoints, dap.BreakpointLocation{Line: s.lineToClient(line)})
		}
	}
	return response, nil
}

// onStepInTargets lists the calls of the line that is about to run.
func (s *session) onStepInTargets(r *dap.StepInTargetsRequest) (dap.ResponseMessage, error) {
	t, err := s.ready("stepInTargets")
	if err != nil {
		return nil, err
	}
	ref, ok := s.frames.get(r.Arguments.FrameId)
	if !ok {
		return nil, staleFrame(r.Arguments.FrameId)
	}
	response := &dap.StepInTargetsResponse{
		Response: *newResponse(&r.Request), Body: dap.StepInTargetsResponseBody{Targets: []dap.StepInTarget{}},
	}
	if !ref.top {
		return response, nil
	}
	for _, call := range t.CallTargets() {
		target := dap.StepInTarget{Id: s.stepInTargets.add(call), Label: call.Label}
		if call.Line > 0 && ref.frame.File != statetree.DriverFile {
			target.Line, target.EndLine = s.lineToClient(call.Line), s.lineToClient(call.EndLine)
			target.Column = s.columnToClient(s.files.program.Line(call.Line), call.Column)
			target.EndColumn = s.columnToClient(s.files.program.Line(call.EndLine), call.EndColumn)
		}
		response.Body.Targets = append(response.Body.Targets, target)
	}
	return response, nil
}

// onCompletions completes the name, the member or the key before the cursor by
// the values that are shown.
func (s *session) onCompletions(r *dap.CompletionsRequest) (dap.ResponseMessage, error) {
	entry, err := s.shown()
	if err != nil {
		return nil, err
	}
	a := r.Arguments
	ref := frameRef{}
	if len(entry.Stack) > 0 {
		ref = frameRef{frame: entry.Stack[0], top: !entry.Ended()}
	}
	if a.FrameId != 0 {
		var ok bool
		if ref, ok = s.frames.get(a.FrameId); !ok {
			return nil, staleFrame(a.FrameId)
		}
	}
	response := &dap.CompletionsResponse{
		Response: *newResponse(&r.Request), Body: dap.CompletionsResponseBody{Targets: []dap.CompletionItem{}},
	}
	line := a.Text
	if lines := strings.Split(a.Text, "\n"); a.Line > 0 {
		line = lines[min(max(s.lineFromClient(a.Line)-1, 0), len(lines)-1)]
	}
	before := line[:s.columnFromClient(line, a.Column)]
	locals := localsOf(&entry, ref)
	for _, c := range append(completionsOf(locals, before), moreCompletions(locals, before)...) {
		c.Start = s.columnToClient(line, c.Start+1)
		response.Body.Targets = append(response.Body.Targets, c)
	}
	return response, nil
}

// completionsOf returns the names and parts of variables that go on from the
// text before the cursor. Start is the offset in bytes of what they replace,
// Length its length in UTF-16 units.
func completionsOf(locals []variable, text string) []dap.CompletionItem {
	path := trailingPath(text)
	list, prefix := locals, path
	if cut := strings.LastIndexAny(path, ".["); cut >= 0 {
		parent, ok := byExpression(locals, path[:cut])
		if !ok {
			return nil
		}
		list, prefix = parent.parts(), path[cut:]
		for i := range list {
			list[i].name = strings.TrimPrefix(list[i].expression, parent.expression)
		}
	}
	const most = 200
	var out []dap.CompletionItem
	for _, v := range list {
		if v.expression == "" || !strings.HasPrefix(v.name, prefix) || len(out) == most {
			continue
		}
		label, start := v.name, len(text)-len(prefix)
		if strings.HasPrefix(prefix, ".") { // the dot stays
			label, start = label[1:], start+1
		}
		item := dap.CompletionItem{
			Label: label, Text: label, Type: "variable", Detail: shortened(v.shown(nil), 80),
			Start: start, Length: utf16Length(text[start:]),
		}
		if strings.HasPrefix(prefix, ".") {
			item.Type = "property"
		}
		out = append(out, item)
	}
	return out
}

// trailingPath returns the longest end of a text that can be a path of names,
// members and simple keys.
func trailingPath(text string) string {
	start := len(text)
	for start > 0 {
		c := text[start-1]
		if c != '_' && c != '.' && c != '[' && c != ']' && c != '\'' && c < 0x80 && !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			break
		}
		start--
	}
	return strings.TrimLeft(text[start:], ".[]'0123456789")
}

// moreCompletions returns what goes on from the text before the cursor and is no
// variable: methods of a value, built-in functions, and at the beginning of a
// line the console's commands.
func moreCompletions(locals []variable, text string) []dap.CompletionItem {
	path := trailingPath(text)
	prefix := path[strings.LastIndexByte(path, '.')+1:]
	var out []dap.CompletionItem
	add := func(kind dap.CompletionItemType, names []string) {
		for _, name := range names {
			if strings.HasPrefix(name, prefix) && !strings.ContainsAny(prefix, "[]'") {
				out = append(out, dap.CompletionItem{
					Label: name, Text: name, Type: kind, Start: len(text) - len(prefix), Length: utf16Length(prefix),
				})
			}
		}
	}
	switch {
	case strings.Contains(path, "."):
		if parent, ok := byExpression(locals, path[:len(path)-len(prefix)-1]); ok && parent.value != nil {
			add("method", expr.Methods(parent.value.get().Type))
		}
	case prefix != "":
		if strings.TrimSpace(text) == prefix {
			add("keyword", repl.Complete(prefix))
		}
		add("function", expr.Builtins())
	}
	return out
}
