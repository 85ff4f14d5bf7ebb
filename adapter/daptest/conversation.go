package daptest

import (
	"errors"
	"fmt"

	"github.com/google/go-dap"
)

// Initialize sends initialize as a client with paging, variable types and
// progress, waits for the initialized event, and returns the capabilities.
func (c *Client) Initialize() (dap.Capabilities, error) {
	return c.InitializeAs(map[string]any{
		"clientID": "daptest", "adapterID": "neuraldbg", "linesStartAt1": true, "columnsStartAt1": true, "pathFormat": "path",
		"supportsVariableType": true, "supportsVariablePaging": true, "supportsProgressReporting": true,
		"supportsInvalidatedEvent": true,
	})
}

// InitializeAs is Initialize with other arguments.
func (c *Client) InitializeAs(arguments map[string]any) (dap.Capabilities, error) {
	r, err := c.Request("initialize", arguments)
	if err != nil {
		return dap.Capabilities{}, err
	}
	if _, err := c.Event("initialized"); err != nil {
		return dap.Capabilities{}, err
	}
	return r.(*dap.InitializeResponse).Body, nil
}

// Launch sends a launch and waits for its response.
func (c *Client) Launch(config map[string]any) error { return c.do("launch", config) }

// ConfigurationDone sends configurationDone and waits for its response.
func (c *Client) ConfigurationDone() error { return c.do("configurationDone", nil) }

// SetBreakpoints sets the breakpoints of a file and returns the adapter's answer
// for each line.
func (c *Client) SetBreakpoints(path string, lines ...int) ([]dap.Breakpoint, error) {
	breakpoints := make([]dap.SourceBreakpoint, len(lines))
	for i, line := range lines {
		breakpoints[i].Line = line
	}
	r, err := c.Request("setBreakpoints", map[string]any{"source": map[string]any{"path": path}, "breakpoints": breakpoints})
	if err != nil {
		return nil, err
	}
	return r.(*dap.SetBreakpointsResponse).Body.Breakpoints, nil
}

// Continue, Next, StepIn, StepOut, StepBack and ReverseContinue send the request
// and wait for its response; the stopped event is ExpectStopped's.
func (c *Client) Continue() error { return c.move("continue") }

// Next steps over.
func (c *Client) Next() error { return c.move("next") }

// StepIn steps into.
func (c *Client) StepIn() error { return c.move("stepIn") }

// StepOut steps out of the frame.
func (c *Client) StepOut() error { return c.move("stepOut") }

// StepBack steps back.
func (c *Client) StepBack() error { return c.move("stepBack") }

// ReverseContinue goes back to the last breakpoint.
func (c *Client) ReverseContinue() error { return c.move("reverseContinue") }

// Pause asks for a stop.
func (c *Client) Pause() error { return c.move("pause") }

func (c *Client) move(command string) error {
	thread, err := c.Thread()
	if err != nil {
		return err
	}
	return c.do(command, map[string]any{"threadId": thread})
}

func (c *Client) do(command string, arguments any) error {
	_, err := c.Request(command, arguments)
	return err
}

// Thread returns the id of the adapter's first thread.
func (c *Client) Thread() (int, error) {
	r, err := c.Request("threads", nil)
	if err != nil {
		return 0, err
	}
	threads := r.(*dap.ThreadsResponse).Body.Threads
	if len(threads) == 0 {
		return 0, errors.New("threads: the adapter has no thread")
	}
	return threads[0].Id, nil
}

// ExpectStopped waits for the next stopped event, whose reason must be the given
// one; "" accepts any. It does not wait on when debugging has ended.
func (c *Client) ExpectStopped(reason string) (dap.StoppedEventBody, error) {
	e, err := c.Event("stopped", "terminated")
	if err != nil {
		return dap.StoppedEventBody{}, err
	}
	stopped, ok := e.(*dap.StoppedEvent)
	if !ok {
		return dap.StoppedEventBody{}, fmt.Errorf("debugging has ended; want a stop; received: %s", c.summary())
	}
	body := stopped.Body
	if reason != "" && body.Reason != reason {
		return body, fmt.Errorf("stopped with reason %q (%s); want %q", body.Reason, body.Description, reason)
	}
	return body, nil
}

// ExpectEnd waits for the exited and terminated events, and returns the exit
// code.
func (c *Client) ExpectEnd() (code int, err error) {
	e, err := c.Event("exited")
	if err != nil {
		return 0, err
	}
	_, err = c.Event("terminated")
	return e.(*dap.ExitedEvent).Body.ExitCode, err
}

// StackTrace returns all frames, innermost first.
func (c *Client) StackTrace() ([]dap.StackFrame, error) {
	thread, err := c.Thread()
	if err != nil {
		return nil, err
	}
	r, err := c.Request("stackTrace", map[string]any{"threadId": thread})
	if err != nil {
		return nil, err
	}
	return r.(*dap.StackTraceResponse).Body.StackFrames, nil
}

// Scopes returns the scopes of a frame.
func (c *Client) Scopes(frame int) ([]dap.Scope, error) {
	r, err := c.Request("scopes", map[string]any{"frameId": frame})
	if err != nil {
		return nil, err
	}
	return r.(*dap.ScopesResponse).Body.Scopes, nil
}

// Variables returns what a variables reference holds.
func (c *Client) Variables(reference int) ([]dap.Variable, error) {
	r, err := c.Request("variables", map[string]any{"variablesReference": reference})
	if err != nil {
		return nil, err
	}
	return r.(*dap.VariablesResponse).Body.Variables, nil
}

// LocalsScope returns the innermost frame's scope of locals.
func (c *Client) LocalsScope() (dap.Scope, error) {
	frames, err := c.StackTrace()
	if err != nil {
		return dap.Scope{}, err
	}
	if len(frames) == 0 {
		return dap.Scope{}, errors.New("the stack is empty")
	}
	scopes, err := c.Scopes(frames[0].Id)
	if err != nil {
		return dap.Scope{}, err
	}
	for _, scope := range scopes {
		if scope.PresentationHint == "locals" {
			return scope, nil
		}
	}
	return dap.Scope{}, errors.New("the innermost frame has no scope of locals")
}

// Locals returns the innermost frame's locals.
func (c *Client) Locals() ([]dap.Variable, error) {
	scope, err := c.LocalsScope()
	if err != nil {
		return nil, err
	}
	return c.Variables(scope.VariablesReference)
}

// SetVariable changes a local of the innermost frame, and returns its new value.
func (c *Client) SetVariable(name, value string) (string, error) {
	scope, err := c.LocalsScope()
	if err != nil {
		return "", err
	}
	r, err := c.Request("setVariable", map[string]any{"variablesReference": scope.VariablesReference, "name": name, "value": value})
	if err != nil {
		return "", err
	}
	return r.(*dap.SetVariableResponse).Body.Value, nil
}

// Evaluate evaluates an expression in the innermost frame.
func (c *Client) Evaluate(expression, context string) (dap.EvaluateResponseBody, error) {
	frames, err := c.StackTrace()
	if err != nil {
		return dap.EvaluateResponseBody{}, err
	}
	arguments := map[string]any{"expression": expression, "context": context}
	if len(frames) > 0 {
		arguments["frameId"] = frames[0].Id
	}
	r, err := c.Request("evaluate", arguments)
	if err != nil {
		return dap.EvaluateResponseBody{}, err
	}
	return r.(*dap.EvaluateResponse).Body, nil
}

// Disconnect sends disconnect, waits for its response and for the adapter to
// close the connection.
func (c *Client) Disconnect() error {
	if err := c.do("disconnect", nil); err != nil {
		return err
	}
	return c.WaitClosed()
}
