package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/daptest"
)

// The size of the session in which requests are measured.
const (
	deepFrames    = 1000
	deepVariables = 10_000
)

// deepProgram is a recursion whose innermost frame has many variables, and the
// line at which it has all of them.
func deepProgram() (text string, line int) {
	var b strings.Builder
	b.WriteString("import sys\n\ndef dive(n):\n    if n > 1:\n        return dive(n - 1)\n")
	const together = 100 // names that one line binds
	for first := 0; first < deepVariables; first += together {
		names := make([]string, together)
		for i := range names {
			names[i] = fmt.Sprintf("v%d", first+i)
		}
		fmt.Fprintf(&b, "    %s = range(%d)\n", strings.Join(names, ", "), together)
	}
	line = strings.Count(b.String(), "\n") + 1
	fmt.Fprintf(&b, "    return n\n\ndef main():\n    sys.setrecursionlimit(%d)\n    return dive(%d)\n", 10*deepFrames, deepFrames)
	return b.String(), line
}

// measureRequests measures how long the adapter takes to answer what an editor
// asks at a stop, beside debugpy at the same one.
func measureRequests(ctx context.Context, o options) ([]Result, error) {
	dir, err := os.MkdirTemp("", "neuraldbg-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the program: %w", err)
	}
	defer os.RemoveAll(dir)
	text, line := deepProgram()
	file, runnable, trace := filepath.Join(dir, "dive.py"), filepath.Join(dir, "run.py"), filepath.Join(dir, "dive.trace")
	for path, text := range map[string]string{file: text, runnable: text + "\nmain()\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	record := exec.CommandContext(ctx, o.command, "record", file, "--entry", "main()", "-o", trace)
	if output, err := record.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("record the program: %w: %s", err, lastLine(string(output)))
	}
	subject := adapterUnderTest{command: []string{o.command, "dap"}}
	times, err := subject.requestTimes(ctx, o.rounds, map[string]any{
		"program": file, "entry": "main()", "model": "replay:" + trace, "stopOnEntry": false,
		"continueStrategy": "step", "maxSteps": 10 * deepFrames,
	}, file, line)
	if err != nil {
		return nil, err
	}
	var peers []time.Duration
	if peer := debugpyPeer(ctx, o); peer != nil {
		launch := peer.launch(program{runnable: runnable})
		if peers, err = peer.requestTimes(ctx, o.rounds, launch, runnable, line); err != nil {
			return nil, fmt.Errorf("debugpy: %w", err)
		}
	}
	return []Result{atPercentile("adapter_request_p50_ms", 50, times, peers)}, nil
}

// requestTimes stops on a line and measures the requests that VS Code sends at a
// stop, and those of a user who looks around.
func (a adapterUnderTest) requestTimes(ctx context.Context, rounds int, launch map[string]any, file string, line int) ([]time.Duration, error) {
	c, end, err := a.start(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	if err := begin(c, launch, file, line); err != nil {
		return nil, err
	}
	thread, stopped, err := awaitStop(c)
	if err != nil || !stopped {
		return nil, errors.Join(errors.New("the breakpoint was not reached"), err)
	}
	var times []time.Duration
	for range rounds {
		more, err := lookAround(c, thread)
		if err != nil {
			return nil, err
		}
		times = append(times, more...)
	}
	_, err = c.Request("disconnect", map[string]any{"terminateDebuggee": true})
	return times, err
}

// lookAround sends each of the requests once.
func lookAround(c *daptest.Client, thread int) ([]time.Duration, error) {
	var times []time.Duration
	request := func(command string, arguments map[string]any) (dap.ResponseMessage, error) {
		begun := time.Now()
		r, err := c.Request(command, arguments)
		times = append(times, time.Since(begun))
		return r, err
	}
	if _, err := request("threads", nil); err != nil {
		return nil, err
	}
	r, err := request("stackTrace", map[string]any{"threadId": thread, "startFrame": 0, "levels": 1})
	if err != nil {
		return nil, err
	}
	frames := r.(*dap.StackTraceResponse).Body.StackFrames
	if len(frames) == 0 {
		return nil, errors.New("the stack is empty")
	}
	frame := frames[0].Id
	if r, err = request("scopes", map[string]any{"frameId": frame}); err != nil {
		return nil, err
	}
	locals := r.(*dap.ScopesResponse).Body.Scopes[0].VariablesReference
	if r, err = request("variables", map[string]any{"variablesReference": locals}); err != nil {
		return nil, err
	}
	if n := len(r.(*dap.VariablesResponse).Body.Variables); n == 0 {
		return nil, errors.New("there are no variables")
	}
	for _, more := range []struct {
		command   string
		arguments map[string]any
	}{
		{"stackTrace", map[string]any{"threadId": thread, "startFrame": 1, "levels": 19}},
		{"stackTrace", map[string]any{"threadId": thread, "startFrame": 900, "levels": 20}},
		{"evaluate", map[string]any{"expression": "v9999", "context": "hover", "frameId": frame}},
		{"evaluate", map[string]any{"expression": "v1 + v9999", "context": "watch", "frameId": frame}},
		{"variables", map[string]any{"variablesReference": locals, "start": 5000, "count": 100}},
	} {
		if _, err := request(more.command, more.arguments); err != nil {
			return nil, err
		}
	}
	return times, nil
}
