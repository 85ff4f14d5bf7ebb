package main

import (
	"context"
	"errors"
	"fmt"
	"os"
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
		name  string // of the median
		p95   string // of the 95th percentile, where it is told
		times func(adapterUnderTest) ([]time.Duration, error)
	}{
		{"adapter_initialize_ms", "", func(a adapterUnderTest) ([]time.Duration, error) { return a.initializeTimes(ctx, o.starts) }},
		{"step_p50_ms", "step_p95_ms", func(a adapterUnderTest) ([]time.Duration, error) { return a.stepTimes(ctx, programs, o.rounds) }},
		{"first_stop_ms", "", func(a adapterUnderTest) ([]time.Duration, error) {
			return repeated(o.starts, func() (time.Duration, error) { return a.firstStopTime(ctx, programs.list[0], func() {}) })
		}},
	} {
		times, err := m.times(subject)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		var peers []time.Duration
		if peer != nil {
			if peers, err = m.times(*peer); err != nil {
				return nil, fmt.Errorf("%s of debugpy: %w", m.name, err)
			}
		}
		results = append(results, atPercentile(m.name, 50, times, peers))
		if m.p95 != "" {
			results = append(results, atPercentile(m.p95, 95, times, peers))
		}
	}
	cold, err := repeated(coldStarts, func() (time.Duration, error) { return coldStopTime(ctx, o, programs.list[0]) })
	if err != nil {
		return nil, fmt.Errorf("first_stop_cold_ms: %w", err)
	}
	subject.reads = readingTime
	ahead, err := subject.stepTimes(ctx, programs, 1)
	if err != nil {
		return nil, fmt.Errorf("step_ahead_ms: %w", err)
	}
	return append(results, atPercentile("first_stop_cold_ms", 50, cold, nil), atPercentile("step_ahead_ms", 50, ahead, nil)), nil
}

// atPercentile is a result in milliseconds, beside debugpy's if there are times of it.
func atPercentile(name string, p int, times, peers []time.Duration) Result {
	result := Result{Name: name, Value: milliseconds(percentile(p, times)), Unit: "ms"}
	if len(peers) > 0 {
		result = result.beside("debugpy", milliseconds(percentile(p, peers)))
	}
	return result
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

// repeated measures something n times.
func repeated(n int, measure func() (time.Duration, error)) ([]time.Duration, error) {
	times := make([]time.Duration, n)
	for i := range times {
		var err error
		if times[i], err = measure(); err != nil {
			return nil, err
		}
	}
	return times, nil
}

// initializeTimes starts the adapter n times, and once before that to warm the
// file cache.
func (a adapterUnderTest) initializeTimes(ctx context.Context, n int) ([]time.Duration, error) {
	times, err := repeated(n+1, func() (time.Duration, error) { return a.initializeTime(ctx) })
	if err != nil {
		return nil, err
	}
	return times[1:], nil
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
	if err := a.begin(c, p); err != nil {
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
	return times, disconnect(c)
}

// firstStopTime is from the launch of a program to its first stop. stopped is called
// at the stop, before the adapter is told to end.
func (a adapterUnderTest) firstStopTime(ctx context.Context, p program, stopped func()) (time.Duration, error) {
	c, end, err := a.start(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	begun := time.Now()
	if err := a.begin(c, p); err != nil {
		return 0, err
	}
	if _, ok, err := awaitStop(c); err != nil || !ok {
		return 0, errors.Join(err, errors.New("it does not stop"))
	}
	elapsed := time.Since(begun)
	stopped()
	return elapsed, disconnect(c)
}

// coldStarts is how often a model process is started for first_stop_cold_ms.
const coldStarts = 5

// coldStopTime is firstStopTime of neuraldbg where no model process runs yet: the
// adapter has a folder of its own for one. When the folder is gone the process ends
// with its client.
func coldStopTime(ctx context.Context, o options, p program) (time.Duration, error) {
	dir, err := os.MkdirTemp("", "ndbg")
	if err != nil {
		return 0, fmt.Errorf("make a folder for a model process: %w", err)
	}
	remove := func() { os.RemoveAll(dir) }
	defer remove() // where it did not come to a stop
	a := adapterUnderTest{command: []string{"env", "XDG_RUNTIME_DIR=" + dir, o.command, "dap"}, launch: neuraldbgLaunch(o.model)}
	return a.firstStopTime(ctx, p, remove)
}

// begin launches a program, with a breakpoint at the call of main() where the adapter
// runs it.
func (a adapterUnderTest) begin(c *daptest.Client, p program) error {
	line := 0
	if a.runs {
		line = p.callLine
	}
	return begin(c, a.launch(p), p.runnable, line)
}

// disconnect ends debugging.
func disconnect(c *daptest.Client) error {
	_, err := c.Request("disconnect", map[string]any{"terminateDebuggee": true})
	return err
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
