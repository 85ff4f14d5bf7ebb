package daptest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-dap"
)

// Reporter is the part of testing.TB that a Script needs.
type Reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Script is a conversation whose failures end a test.
type Script struct {
	Client *Client
	t      Reporter
}

// NewScript returns a script over a client.
func NewScript(t Reporter, c *Client) *Script { return &Script{Client: c, t: t} }

func (s *Script) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("%v", err)
	}
}

// Initialize is Client.Initialize.
func (s *Script) Initialize() dap.Capabilities {
	s.t.Helper()
	capabilities, err := s.Client.Initialize()
	s.check(err)
	return capabilities
}

// Launch is Client.Launch.
func (s *Script) Launch(config map[string]any) { s.t.Helper(); s.check(s.Client.Launch(config)) }

// SetBreakpoints is Client.SetBreakpoints.
func (s *Script) SetBreakpoints(path string, lines ...int) []dap.Breakpoint {
	s.t.Helper()
	breakpoints, err := s.Client.SetBreakpoints(path, lines...)
	s.check(err)
	return breakpoints
}

// ConfigurationDone is Client.ConfigurationDone.
func (s *Script) ConfigurationDone() { s.t.Helper(); s.check(s.Client.ConfigurationDone()) }

// Continue is Client.Continue.
func (s *Script) Continue() { s.t.Helper(); s.check(s.Client.Continue()) }

// Next is Client.Next.
func (s *Script) Next() { s.t.Helper(); s.check(s.Client.Next()) }

// StepIn is Client.StepIn.
func (s *Script) StepIn() { s.t.Helper(); s.check(s.Client.StepIn()) }

// StepOut is Client.StepOut.
func (s *Script) StepOut() { s.t.Helper(); s.check(s.Client.StepOut()) }

// StepBack is Client.StepBack.
func (s *Script) StepBack() { s.t.Helper(); s.check(s.Client.StepBack()) }

// ReverseContinue is Client.ReverseContinue.
func (s *Script) ReverseContinue() { s.t.Helper(); s.check(s.Client.ReverseContinue()) }

// Pause is Client.Pause.
func (s *Script) Pause() { s.t.Helper(); s.check(s.Client.Pause()) }

// Request is Client.Request.
func (s *Script) Request(command string, arguments any) dap.ResponseMessage {
	s.t.Helper()
	r, err := s.Client.Request(command, arguments)
	s.check(err)
	return r
}

// ExpectError sends a request that must fail with a message that contains text.
func (s *Script) ExpectError(command string, arguments any, text string) {
	s.t.Helper()
	_, err := s.Client.Request(command, arguments)
	failed, ok := err.(*ResponseError)
	if !ok {
		s.t.Fatalf("%s: got %v; want an error response with %q", command, err, text)
	}
	if !strings.Contains(failed.Message, text) {
		s.t.Fatalf("%s failed with %q; want %q in it", command, failed.Message, text)
	}
}

// ExpectStopped is Client.ExpectStopped.
func (s *Script) ExpectStopped(reason string) dap.StoppedEventBody {
	s.t.Helper()
	body, err := s.Client.ExpectStopped(reason)
	s.check(err)
	return body
}

// ExpectEnd waits for the end of debugging with an exit code.
func (s *Script) ExpectEnd(code int) {
	s.t.Helper()
	got, err := s.Client.ExpectEnd()
	s.check(err)
	if got != code {
		s.t.Fatalf("exited with code %d; want %d", got, code)
	}
}

// StackTrace is Client.StackTrace.
func (s *Script) StackTrace() []dap.StackFrame {
	s.t.Helper()
	frames, err := s.Client.StackTrace()
	s.check(err)
	return frames
}

// ExpectStack compares the stack, innermost frame first, each frame written as
// "name:line".
func (s *Script) ExpectStack(want ...string) {
	s.t.Helper()
	var got []string
	for _, f := range s.StackTrace() {
		got = append(got, fmt.Sprintf("%s:%d", f.Name, f.Line))
	}
	if !slices.Equal(got, want) {
		s.t.Fatalf("the stack is %q; want %q", got, want)
	}
}

// ExpectLine compares the line of the innermost frame.
func (s *Script) ExpectLine(line int) {
	s.t.Helper()
	frames := s.StackTrace()
	if len(frames) == 0 || frames[0].Line != line {
		s.t.Fatalf("the stack is %+v; want line %d", frames, line)
	}
}

// Locals returns the values of the innermost frame's locals by name.
func (s *Script) Locals() map[string]string {
	s.t.Helper()
	variables, err := s.Client.Locals()
	s.check(err)
	values := map[string]string{}
	for _, v := range variables {
		values[v.Name] = v.Value
	}
	return values
}

// ExpectLocal compares one local of the innermost frame.
func (s *Script) ExpectLocal(name, value string) {
	s.t.Helper()
	locals := s.Locals()
	if got, ok := locals[name]; !ok || got != value {
		s.t.Fatalf("%s is %q in %v; want %q", name, got, locals, value)
	}
}

// Evaluate is Client.Evaluate.
func (s *Script) Evaluate(expression, context string) dap.EvaluateResponseBody {
	s.t.Helper()
	body, err := s.Client.Evaluate(expression, context)
	s.check(err)
	return body
}

// Disconnect is Client.Disconnect.
func (s *Script) Disconnect() { s.t.Helper(); s.check(s.Client.Disconnect()) }
