package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/daptest"
)

// measureAdapter measures the adapter's start and its steps, beside debugpy.
func measureAdapter(ctx context.Context, o options) ([]Result, error) {
	subject := adapterUnderTest{command: []string{o.command, "dap"}, launch: neuraldbgLaunch(o.model)}
	peer := debugpyPeer(ctx, o)
	programs, err := loadPrograms()
	if err != nil {
		return nil, err
	}
	defer programs.remove()

	var results []Result
	for _, m := range []struct {
		name  string
		times func(adapterUnderTest) ([]time.Duration, error)
	}{
		{"adapter_initialize_ms", func(a adapterUnderTest) ([]time.Duration, error) { return a.initializeTimes(ctx, o.starts) }},
		{"step_p50_ms", func(a adapterUnderTest) ([]time.Duration, error) { return a.stepTimes(ctx, programs, o.rounds) }},
	} {
		times, err := m.times(subject)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		result := Result{Name: m.name, Value: milliseconds(median(times)), Unit: "ms"}
		if peer != nil {
			times, err := m.times(*peer)
			if err != nil {
				return nil, fmt.Errorf("%s of debugpy: %w", m.name, err)
			}
			result = result.beside("debugpy", milliseconds(median(times)))
		}
		results = append(results, result)
	}
	subject.reads = readingTime
	times, err := subject.stepTimes(ctx, programs, 1)
	if err != nil {
		return nil, fmt.Errorf("step_ahead_ms: %w", err)
	}
	return append(results, Result{Name: "step_ahead_ms", Value: milliseconds(median(times)), Unit: "ms"}), nil
}

// readingTime is how long a user looks at a stop at least.
const readingTime = 250 * time.Millisecond

// debugpyPeer returns the peer; nil, which is said, when it cannot be installed.
func debugpyPeer(ctx context.Context, o options) *adapterUnderTest {
	if !o.peer {
		return nil
	}
	python, err := installPeer(ctx)
	if err != nil {
		fmt.Fprintf(o.out, "without debugpy: %v\n", err)
		return nil
	}
	return &adapterUnderTest{command: []string{python, "-m", "debugpy.adapter"}, launch: debugpyLaunch(python), runs: true}
}

// adapterUnderTest is a debug adapter that is measured from outside.
type adapterUnderTest struct {
	command []string
	// launch makes the launch arguments.
	launch func(program) map[string]any
	// runs says that the adapter runs the program, up to a breakpoint at the
	// call of main(), and does not stop there by itself.
	runs bool
	// reads is how long the user looks at each stop before the next step.
	reads time.Duration
}

// neuraldbgLaunch debugs a program's main() by prediction.
func neuraldbgLaunch(model string) func(program) map[string]any {
	return func(p program) map[string]any {
		return map[string]any{"program": p.path, "entry": "main()", "model": model, "stopOnEntry": true}
	}
}

// debugpyLaunch runs the same main().
func debugpyLaunch(python string) func(program) map[string]any {
	return func(p program) map[string]any {
		return map[string]any{
			"program": p.runnable, "python": []string{python}, "console": "internalConsole",
			"justMyCode": true, "name": "bench", "type": "python", "request": "launch",
		}
	}
}

// initializeTimes starts the adapter n times, and once before that to warm the
// file cache.
func (a adapterUnderTest) initializeTimes(ctx context.Context, n int) ([]time.Duration, error) {
	times := make([]time.Duration, 0, n)
	for i := range n + 1 {
		elapsed, err := a.initializeTime(ctx)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			times = append(times, elapsed)
		}
	}
	return times, nil
}

// initializeTime is from before the start of the process to its response.
func (a adapterUnderTest) initializeTime(ctx context.Context) (time.Duration, error) {
	begun := time.Now()
	c, end, err := a.start(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	if _, err := c.Request("initialize", initializeArguments); err != nil {
		return 0, err
	}
	return time.Since(begun), nil
}

// start starts the adapter; end kills it if it still runs. How it ends is not
// what is measured.
func (a adapterUnderTest) start(ctx context.Context) (c *daptest.Client, end func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	c, err = daptest.Start(ctx, a.command[0], a.command[1:]...)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	return c, func() { cancel(); _ = c.Close() }, nil
}

var initializeArguments = map[string]any{
	"clientID": "bench", "adapterID": "bench", "linesStartAt1": true, "columnsStartAt1": true, "pathFormat": "path",
}

// stepTimes steps into everything that each program's main() does.
func (a adapterUnderTest) stepTimes(ctx context.Context, programs *programs, rounds int) ([]time.Duration, error) {
	var times []time.Duration
	for range rounds {
		for _, p := range programs.list {
			more, err := a.stepThrough(ctx, p)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
			times = append(times, more...)
		}
	}
	if len(times) == 0 {
		return nil, errors.New("no step was measured")
	}
	return times, nil
}

// maxSteps bounds the steps through one program.
const maxSteps = 40

// stepThrough debugs one program to its end, or for maxSteps steps, and returns
// the time of each step: from the request to the stopped event. The time to
// launch, and to load a model, is not in it.
func (a adapterUnderTest) stepThrough(ctx context.Context, p program) ([]time.Duration, error) {
	c, end, err := a.start(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	line := 0
	if a.runs {
		line = p.callLine
	}
	if err := begin(c, a.launch(p), p.runnable, line); err != nil {
		return nil, err
	}
	var times []time.Duration
	thread, stopped, err := awaitStop(c)
	for stopped && err == nil && len(times) < maxSteps {
		time.Sleep(a.reads)
		begun := time.Now()
		if _, err := c.Request("stepIn", map[string]any{"threadId": thread}); err != nil {
			return nil, err
		}
		thread, stopped, err = awaitStop(c)
		if stopped {
			times = append(times, time.Since(begun))
		}
	}
	if err != nil {
		return nil, err
	}
	_, err = c.Request("disconnect", map[string]any{"terminateDebuggee": true})
	return times, err
}

// begin launches, with a breakpoint on a line of a file unless that is 0.
func begin(c *daptest.Client, arguments map[string]any, file string, line int) error {
	c.Timeout = 2 * time.Minute
	if _, err := c.Request("initialize", initializeArguments); err != nil {
		return err
	}
	// debugpy answers launch after configurationDone, and sends initialized in
	// between.
	launch, err := c.Send("launch", arguments)
	if err != nil {
		return err
	}
	if _, err := c.Event("initialized"); err != nil {
		return err
	}
	if line > 0 {
		if _, err := c.SetBreakpoints(file, line); err != nil {
			return err
		}
	}
	if err := c.ConfigurationDone(); err != nil {
		return err
	}
	_, err = c.Response(launch)
	return err
}

// awaitStop waits for the next stop; stopped is false at the end of the
// program, whether it is still shown or not.
func awaitStop(c *daptest.Client) (thread int, stopped bool, err error) {
	e, err := c.Event("stopped", "terminated")
	if err != nil {
		return 0, false, err
	}
	stop, ok := e.(*dap.StoppedEvent)
	if !ok {
		return 0, false, nil
	}
	// neuraldbg stays at the end of the program; its stop is a pause then, as is
	// a prediction that failed.
	switch {
	case stop.Body.Reason != "pause":
		return stop.Body.ThreadId, true, nil
	case strings.HasPrefix(stop.Body.Description, "Predicted exit"):
		return 0, false, nil
	}
	return 0, false, errors.New(stop.Body.Description)
}
