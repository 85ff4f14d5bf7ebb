package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// predictOptions are the flags of `neuraldbg predict`.
type predictOptions struct {
	target    targetFlags
	predictor predictorFlags
	actions   []string
	json      bool
	start     bool
}

func newPredictCommand(a *app) *cobra.Command {
	var o predictOptions
	cmd := &cobra.Command{
		Use:   "predict FILE --actions ACTION,...",
		Short: "Predict the states that debugger actions lead to",
		Long: `Predict the states that debugger actions lead to, one line an action. The start
state is the entry's call, or what --from says; --start prints it, too.

Actions: step_into, step_over, step_return, breakpoint:LINE, continue; and
backward, with --from: inv_step_into, inv_step_over, inv_step_call.

With --json each line is an object: action, event, file and line ("<entry>" is
the call given by --entry), source, locals (name to repr), partial (there may be
other locals), arg (repr of what is returned or raised), exit, confidence (of
the whole state), confidences (of its parts). What does not apply is null.`,
		Example: `  neuraldbg predict count_berry.py --entry 'count("berry", "r")' --actions step_into,step_into,step_return
  neuraldbg predict count_berry.py --entry count --from '{"event": "return", "value": "2"}' --actions inv_step_call --json`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error { return a.predict(cmd.Context(), args[0], o) },
	}
	flags := cmd.Flags()
	o.target.register(flags)
	o.predictor.register(flags)
	flags.StringSliceVar(&o.actions, "actions", nil, "the `ACTIONS`, separated by commas")
	flags.BoolVar(&o.start, "start", false, "print the start state first, with the action \"start\"")
	flags.BoolVar(&o.json, "json", false, "print one JSON object an action")
	return cmd
}

func (a *app) predict(ctx context.Context, path string, o predictOptions) error {
	if err := o.predictor.check(); err != nil {
		return err
	}
	if len(o.actions) == 0 {
		return usagef("predict needs --actions, such as --actions step_into,step_over")
	}
	target, err := o.target.load(path)
	if err != nil {
		return err
	}
	actions, direction, err := parseActions(o.actions, target.File)
	if err != nil {
		return err
	}
	start, err := startOf(target, direction, o.predictor.sampling)
	if err != nil {
		return err
	}
	predictor, err := a.openPredictor(ctx, o.predictor.model, o.predictor.placement)
	if err != nil {
		return err
	}
	defer predictor.Close()
	session, first, err := o.predictor.stepwise(predictor).Open(ctx, start)
	if err != nil {
		return err
	}
	defer session.Close()
	write := writeText
	if o.json {
		write = writeJSON
	}
	print := func(action string, p model.Prediction) error {
		line, err := write(action, p)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(a.stdout, line); err != nil {
			return fmt.Errorf("print the prediction: %w", err)
		}
		return nil
	}
	if o.start {
		if err := print("start", first); err != nil {
			return err
		}
	}
	for i, action := range actions {
		p, err := session.Predict(ctx, action)
		if err != nil {
			return fmt.Errorf("action %d, %s: %w", i+1, o.actions[i], err)
		}
		if err := print(action.Kind.String(), p); err != nil {
			return err
		}
	}
	return nil
}

// parseActions reads the actions as users write them. They must all go in one
// direction.
func parseActions(texts []string, file *source.File) ([]statetree.Action, statetree.Direction, error) {
	actions := make([]statetree.Action, len(texts))
	for i, text := range texts {
		action, err := parseAction(strings.TrimSpace(text), file)
		if err != nil {
			return nil, 0, err
		}
		if action.Kind.Direction() != actions[0].Kind.Direction() && i > 0 {
			return nil, 0, usagef("the actions %s and %s go in different directions; predict one direction at a time", texts[0], text)
		}
		actions[i] = action
	}
	return actions, actions[0].Kind.Direction(), nil
}

func parseAction(text string, file *source.File) (statetree.Action, error) {
	name, at, hasLine := strings.Cut(text, ":")
	var action statetree.Action
	if err := action.Kind.UnmarshalText([]byte(name)); err != nil || action.Kind == statetree.NoAction {
		return action, usagef("unknown action %q; actions are step_into, step_over, step_return, breakpoint:LINE, continue, inv_step_into, inv_step_over, inv_step_call", text)
	}
	if hasLine != (action.Kind == statetree.Breakpoint) {
		return action, usagef("write breakpoint:LINE for a breakpoint and nothing behind other actions, got %q", text)
	}
	if !hasLine {
		return action, nil
	}
	line, err := strconv.Atoi(at)
	if err != nil || line < 1 || line > len(file.Lines()) {
		return action, usagef("%q is no line of %s; it has lines 1 to %d", at, file.Path(), len(file.Lines()))
	}
	snapped, err := timeline.SnapTo(file)(line)
	if err != nil {
		return action, fmt.Errorf("breakpoint at line %d of %s: %w", line, file.Path(), err)
	}
	action.Source = file.Line(snapped.Line)
	return action, nil
}

// startOf returns the context that a session in the direction begins with.
func startOf(t timeline.Target, d statetree.Direction, sampling model.Sampling) (model.Context, error) {
	c := model.Context{Program: t.Program, Direction: d, Start: t.Start, Sampling: sampling}
	if d == statetree.Forward {
		return c, nil
	}
	if t.Start.Event == statetree.NoEvent || t.Start.Event == statetree.Call {
		return c, usagef("going backward needs a state to begin with; give --from, such as --from '{\"event\": \"return\", \"value\": \"2\"}'")
	}
	c.Start.Event = t.Start.Event.Inverse()
	return c, nil
}

// predicted is what --json prints for an action. Its fields are an interface to
// scripts: add to them, never change them.
type predicted struct {
	Action      string           `json:"action"`
	Event       *statetree.Event `json:"event"`
	File        *string          `json:"file"`
	Line        *int             `json:"line"`
	Source      *string          `json:"source"`
	Locals      orderedLocals    `json:"locals"`
	Partial     bool             `json:"partial"`
	Arg         *string          `json:"arg"`
	Exit        *statetree.Exit  `json:"exit"`
	Confidence  float64          `json:"confidence"`
	Confidences model.Confidence `json:"confidences"`
	Truncated   bool             `json:"truncated,omitempty"` // values were cut or left out
}

func writeJSON(action string, p model.Prediction) (string, error) {
	out := predicted{Action: action, Confidence: p.Confidence.State, Confidences: p.Confidence, Truncated: p.Truncated}
	if p.Ended() {
		out.Exit = &p.Exit
	} else {
		out.Event, out.Source, out.Partial = &p.State.Event, &p.State.Source, p.State.Partial
		if p.State.Line > 0 {
			out.File, out.Line = &p.State.File, &p.State.Line
		}
		if p.State.Event.HasLocals() {
			out.Locals = orderedLocals{known: true, locals: p.State.Locals}
		}
		if p.State.Event.HasArg() {
			out.Arg = &p.State.Arg
		}
	}
	return encodeJSON(out)
}

// orderedLocals is a JSON object in the order of f_locals; null when the state
// has no locals.
type orderedLocals struct {
	known  bool
	locals statetree.Locals
}

func (o orderedLocals) MarshalJSON() ([]byte, error) {
	if !o.known {
		return []byte("null"), nil
	}
	var b strings.Builder
	b.WriteByte('{')
	for i, local := range o.locals {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, text := range []string{local.Name, local.Repr} {
			if j > 0 {
				b.WriteByte(':')
			}
			encoded, err := encodeJSON(text)
			if err != nil {
				return nil, err
			}
			b.WriteString(encoded)
		}
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// encodeJSON encodes without the escapes that Go adds for HTML.
func encodeJSON(v any) (string, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return "", fmt.Errorf("encode as JSON: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// writeText is one line for people.
func writeText(action string, p model.Prediction) (string, error) {
	text := fmt.Sprintf("%-13s %5s  %s", action, percent(p.Confidence.State), describeOutcome(p.Outcome))
	if p.Truncated {
		text += "  (" + timeline.CutForLength + ")"
	}
	return text, nil
}

// describeOutcome writes a state, or the exit, in one line.
func describeOutcome(o statetree.Outcome) string {
	if o.Ended() {
		return "exit " + o.Exit.String()
	}
	s := o.State
	place := "     "
	if s.Line > 0 {
		place = fmt.Sprintf("%4d ", s.Line)
	}
	text := fmt.Sprintf("%-9s %s %s", s.Event, place, s.Source)
	switch {
	case s.Event.HasArg():
		text += "  -> " + s.Arg
	case s.Event.HasLocals() && len(s.Locals) > 0:
		text += "  "
		for i, local := range s.Locals {
			if i > 0 {
				text += ", "
			}
			text += local.Name + " = " + local.Repr
		}
	}
	return text
}

// percent writes a probability. Only certainty is 100 %.
func percent(p float64) string {
	whole := int(p*100 + 0.5)
	if whole == 100 && p < 1 {
		whole = 99
	}
	return strconv.Itoa(whole) + " %"
}
