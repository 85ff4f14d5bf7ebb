package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-dap"

	"github.com/neuraldbg/neuraldbg/adapter/daptest"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// loadTimeout is how long a model may take to load and to predict one state.
const loadTimeout = 2 * time.Minute

// demonstration is a run of the demo: it plays the editor's part in two debug
// sessions and writes down what an editor would show.
type demonstration struct {
	app     *app
	program string // absolute path
	source  *source.File
	model   string

	client *daptest.Client
	values map[string]string // the values shown last, by name
	stops  int
}

// move is one movement of the script.
type move struct {
	name string
	do   func(*daptest.Client) error
	// clear takes the breakpoints away first.
	clear bool
}

var (
	stepInto        = move{name: "step into", do: (*daptest.Client).StepIn}
	stepOver        = move{name: "step over", do: (*daptest.Client).Next}
	stepOut         = move{name: "step out", do: (*daptest.Client).StepOut, clear: true} // one in the loop would stop it
	resume          = move{name: "continue", do: (*daptest.Client).Continue}
	resumeToEnd     = move{name: "continue", do: (*daptest.Client).Continue, clear: true}
	backOne         = move{name: "step back", do: (*daptest.Client).StepBack}
	reverseContinue = move{name: "reverse continue", do: (*daptest.Client).ReverseContinue}
)

// forward debugs the example's main() from its call to its exit.
func (d *demonstration) forward(ctx context.Context) error {
	const loopBody = 4
	d.title("Forward: main(), with a breakpoint at line %d, `%s`", loopBody, strings.TrimSpace(d.source.Line(loopBody)))
	return d.session(ctx, map[string]any{"entry": "main()"}, []int{loopBody},
		stepInto, stepInto, stepOver, resume, stepOver, stepOver, resume, stepOut, backOne, resumeToEnd)
}

// backward begins at the value that count returned, and infers from it.
func (d *demonstration) backward(ctx context.Context) error {
	const returnLine, value = 5, "2"
	d.title("Backward: count returned %s at line %d. What was it called with?", value, returnLine)
	from := map[string]any{"event": "return", "line": returnLine, "value": value}
	return d.session(ctx, map[string]any{"entry": "count", "from": from}, nil,
		backOne, backOne, reverseContinue)
}

func (d *demonstration) title(format string, args ...any) {
	fmt.Fprintf(d.app.stdout, "\n"+format+"\n\n", args...)
}

// session runs one debug session: launch, breakpoints, the moves, disconnect.
func (d *demonstration) session(ctx context.Context, launch map[string]any, breakpoints []int, moves ...move) (err error) {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the own executable: %w", err)
	}
	if d.client, err = daptest.Start(ctx, self, "dap"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.client.Close()) }()
	d.client.Timeout = loadTimeout
	d.values = map[string]string{}

	if _, err := d.client.Initialize(); err != nil {
		return err
	}
	launch["program"], launch["model"] = d.program, d.model
	launch["confidenceThreshold"] = 0 // the transcript has its own marks
	if err := d.client.Launch(launch); err != nil {
		return err
	}
	if len(breakpoints) > 0 {
		if _, err := d.client.SetBreakpoints(d.program, breakpoints...); err != nil {
			return err
		}
	}
	if err := d.client.ConfigurationDone(); err != nil {
		return err
	}
	if err := d.show("start"); err != nil {
		return err
	}
	for _, m := range moves {
		if m.clear {
			if _, err := d.client.SetBreakpoints(d.program); err != nil {
				return err
			}
		}
		if err := m.do(d.client); err != nil {
			return err
		}
		if err := d.show(m.name); err != nil {
			return err
		}
	}
	return d.client.Disconnect()
}

// show waits for the stop that a move leads to and prints it.
func (d *demonstration) show(name string) error {
	event, err := d.client.Event("stopped", "terminated")
	if err != nil {
		return err
	}
	stopped, ok := event.(*dap.StoppedEvent)
	if !ok {
		return errors.New(d.consoleText())
	}
	if strings.HasPrefix(stopped.Body.Description, "Prediction failed") {
		return errors.New(d.consoleText())
	}
	d.stops++
	frames, err := d.client.StackTrace()
	if err != nil {
		return err
	}
	if len(frames) == 0 {
		d.printLine(name, stopped.Body.Description, "")
		return nil
	}
	scopes, err := d.client.Scopes(frames[0].Id)
	if err != nil {
		return err
	}
	var locals, facts []dap.Variable
	for _, scope := range scopes {
		into := &facts
		if scope.PresentationHint == "locals" {
			into = &locals
		}
		if *into, err = d.client.Variables(scope.VariablesReference); err != nil {
			return err
		}
	}
	confidence := valueOf(facts, "confidence")
	if strings.HasPrefix(stopped.Body.Description, "Predicted exit") {
		d.printLine(name, stopped.Body.Description, confidence)
		return nil
	}
	frame := frames[0]
	d.printLine(name, fmt.Sprintf("%-23s %2d %s", frame.Name, frame.Line, d.source.Line(frame.Line)), confidence)
	d.printLocals(locals)
	return nil
}

// printLine prints one stop.
func (d *demonstration) printLine(name, text, confidence string) {
	fmt.Fprintln(d.app.stdout, strings.TrimRight(fmt.Sprintf("%-17s %-60s %7s", name, text, confidence), " "))
}

// printLocals prints the values below a stop. An asterisk marks what differs
// from the stop before, a question mark what is more likely to be wrong than
// right.
func (d *demonstration) printLocals(locals []dap.Variable) {
	now := make(map[string]string, len(locals))
	var line strings.Builder
	for _, v := range locals {
		now[v.Name] = v.Value
		mark := ""
		if before, known := d.values[v.Name]; !known || before != v.Value {
			mark = "*"
		}
		fmt.Fprintf(&line, "   %s%s = %s", mark, v.Name, v.Value)
		if confidence, text, ok := confidenceOf(v); ok {
			doubt := ""
			if confidence < 50 {
				doubt = "?"
			}
			fmt.Fprintf(&line, "%s (%s)", doubt, text)
		}
	}
	if line.Len() > 0 {
		fmt.Fprintf(d.app.stdout, "%15s%s\n", "", line.String())
	}
	d.values = now
}

// confidenceOf reads the confidence in percent that the adapter writes behind a
// variable's type, "int, 99.5 %"; it writes none for what is certain.
func confidenceOf(v dap.Variable) (percent float64, text string, ok bool) {
	text = v.Type[strings.LastIndex(v.Type, ",")+1:]
	number, ok := strings.CutSuffix(text, "%")
	if !ok {
		return 0, "", false
	}
	percent, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	return percent, strings.TrimSpace(text), err == nil
}

// consoleText is what the adapter has said last on the debug console.
func (d *demonstration) consoleText() string {
	text := "the session ended without a reason"
	for _, message := range d.client.Transcript() {
		if output, ok := message.(*dap.OutputEvent); ok && output.Body.Category != "telemetry" {
			text = strings.TrimPrefix(strings.TrimSpace(output.Body.Output), "neuraldbg: ")
		}
	}
	return text
}

func valueOf(variables []dap.Variable, name string) string {
	for _, v := range variables {
		if v.Name == name {
			return v.Value
		}
	}
	return ""
}
