package eval

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Markdown writes the report as tables: shares in per cent, with 95 % confidence
// intervals.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Evaluation of %s\n\n", r.Predictor.Name)
	if r.Predictor.Detail != "" {
		fmt.Fprintf(&b, "%s", r.Predictor.Detail)
		if r.Predictor.Device != "" {
			fmt.Fprintf(&b, ", on %s", r.Predictor.Device)
		}
		b.WriteString(".\n\n")
	}
	writeSets(&b, r.Sets)
	for i := range r.NextState {
		r.NextState[i].markdown(&b)
	}
	for i := range r.Calls {
		r.Calls[i].markdown(&b)
	}
	for i := range r.Horizon {
		r.Horizon[i].markdown(&b)
	}
	for i := range r.Calibration {
		r.Calibration[i].markdown(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeSets(b *strings.Builder, sets []SetReport) {
	for _, s := range sets {
		fmt.Fprintf(b, "**%s**: %d programs asked about.", s.Name, s.Programs)
		switch {
		case len(s.ComparedWith) == 0:
			b.WriteString(" Not compared with training data.")
		default:
			fmt.Fprintf(b, " Compared with the training data in %s by normalised source: %d left out.",
				strings.Join(s.ComparedWith, ", "), s.Left[leftTrained])
		}
		var left []string
		for _, reason := range slices.Sorted(maps.Keys(s.Left)) {
			if reason != leftTrained {
				left = append(left, fmt.Sprintf("%d %s", s.Left[reason], reason))
			}
		}
		if len(left) > 0 {
			fmt.Fprintf(b, " Left out besides: %s.", strings.Join(left, "; "))
		}
		b.WriteString("\n\n")
	}
}

// heading names a table.
func heading(what, data string, unconstrained bool) string {
	if unconstrained {
		return fmt.Sprintf("## %s, %s, without constraint\n\n", what, data)
	}
	return fmt.Sprintf("## %s, %s\n\n", what, data)
}

func (t *NextStateTable) markdown(b *strings.Builder) {
	b.WriteString(heading("Next state", t.Data, t.Unconstrained))
	b.WriteString("Exact match with the true history; in parentheses a baseline that repeats the last state. *executed*: arguments with which the function returns what it should.\n\n")
	b.WriteString("| action | predictions | event | source | locals | args | whole state | 95 % interval | executed |\n")
	b.WriteString("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: |\n")
	for i := range t.Rows {
		row := &t.Rows[i]
		fmt.Fprintf(b, "| %s | %d |", row.Action, row.Model[Whole].Of)
		for _, c := range Components {
			fmt.Fprintf(b, " %s |", beside(row.Model[c], row.Baseline[c]))
		}
		fmt.Fprintf(b, " %s | %s |\n", interval(row.Model[Whole]), of(row.Executed))
	}
	b.WriteByte('\n')
	for i := range t.Rows {
		t.Rows[i].Trouble.markdown(b, t.Rows[i].Action.String())
	}
}

func (t *Trouble) markdown(b *strings.Builder, of string) {
	if t.TooLong > 0 {
		fmt.Fprintf(b, "%s: %d were beyond the context.\n\n", of, t.TooLong)
	}
	if t.Failed > 0 {
		fmt.Fprintf(b, "%s: %d predictions failed and count as wrong; the first with: %s\n\n", of, t.Failed, t.FirstError)
	}
}

// measureTitles explain the measures of calls.
var measureTitles = map[Measure]string{
	Output:     "output by step_return",
	Breakpoint: "output by breakpoint",
	Input:      "input by inv_step_call",
}

func (t *CallTable) markdown(b *strings.Builder) {
	b.WriteString(heading("Calls", t.Data, t.Unconstrained))
	b.WriteString("*right*: outputs that are the value, locals over which the return line gives it, inputs that give it when they are run. *exact*: the recorded outcome. pass@k is of sampled predictions.\n\n")
	b.WriteString("| | calls | right (greedy) | 95 % interval | exact | not judged |")
	ks := map[int]bool{}
	for i := range t.Rows {
		for k := range t.Rows[i].PassAt {
			ks[k] = true
		}
	}
	columns := slices.Sorted(maps.Keys(ks))
	for _, k := range columns {
		fmt.Fprintf(b, " pass@%d |", k)
	}
	b.WriteString("\n| --- | ---: | ---: | --- | ---: | ---: |" + strings.Repeat(" ---: |", len(columns)) + "\n")
	for i := range t.Rows {
		row := &t.Rows[i]
		fmt.Fprintf(b, "| %s | %d | %s | %s | %s | %d |", measureTitles[row.Measure], row.Passed.Of,
			share(row.Passed), interval(row.Passed), share(row.Exact), row.Unknown)
		for _, k := range columns {
			b.WriteString(" " + percentAt(row.PassAt, k) + " |")
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	for i := range t.Rows {
		t.Rows[i].Trouble.markdown(b, measureTitles[t.Rows[i].Measure])
	}
}

func (t *HorizonTable) markdown(b *strings.Builder) {
	b.WriteString(heading("Horizon", t.Data, t.Unconstrained))
	fmt.Fprintf(b, "step_return after a part of the function was shown, %d samples a jump: em@k, the probability that one of k is the recorded state.\n\n", t.Samples)
	b.WriteString("| skipped | jumps |")
	for _, k := range matchKs {
		fmt.Fprintf(b, " em@%d |", k)
	}
	b.WriteString("\n| --- | ---: |" + strings.Repeat(" ---: |", len(matchKs)) + "\n")
	for i := range t.Bins {
		bin := &t.Bins[i]
		fmt.Fprintf(b, "| %.0f–%.0f %% | %d |", 100*bin.From, 100*bin.To, bin.Questions)
		for _, k := range matchKs {
			b.WriteString(" " + percentAt(bin.MatchAt, k) + " |")
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	t.Trouble.markdown(b, "horizon")
}

func (t *CalibrationTable) markdown(b *strings.Builder) {
	b.WriteString(heading("Calibration", t.Data, t.Unconstrained))
	b.WriteString("Mean confidence → share that is right (expected calibration error), in per cent.\n\n")
	b.WriteString("| action |")
	for _, c := range Components {
		fmt.Fprintf(b, " %s |", c)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(Components)) + "\n")
	rows := map[statetree.ActionKind]map[Component]*CalibrationRow{}
	for i := range t.Rows {
		row := &t.Rows[i]
		if rows[row.Action] == nil {
			rows[row.Action] = map[Component]*CalibrationRow{}
		}
		rows[row.Action][row.Component] = row
	}
	for _, action := range slices.Sorted(maps.Keys(rows)) {
		name := action.String()
		if action == statetree.NoAction {
			name = "all"
		}
		fmt.Fprintf(b, "| %s |", name)
		for _, c := range Components {
			row := rows[action][c]
			if row == nil {
				b.WriteString(" – |")
				continue
			}
			fmt.Fprintf(b, " %.1f → %.1f (%.1f) |", 100*row.Confidence, 100*row.Right.Share(), 100*row.Error)
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
}

// none stands where there is no number.
const none = "–"

func share(s Score) string {
	if s.Of == 0 {
		return none
	}
	return fmt.Sprintf("%.1f", 100*s.Share())
}

func of(s Score) string {
	if s.Of == 0 {
		return none
	}
	return fmt.Sprintf("%.1f of %d", 100*s.Share(), s.Of)
}

func beside(model, baseline Score) string {
	if model.Of == 0 {
		return none
	}
	return fmt.Sprintf("%s (%s)", share(model), share(baseline))
}

func interval(s Score) string {
	if s.Of == 0 {
		return none
	}
	low, high := s.Interval()
	return fmt.Sprintf("%.1f–%.1f", 100*low, 100*high)
}

func percentAt(at map[int]float64, k int) string {
	if p, ok := at[k]; ok {
		return fmt.Sprintf("%.1f", 100*p)
	}
	return none
}
