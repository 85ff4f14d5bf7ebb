package eval

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes the report as a table: shares in per cent, the baseline's
// beside them in parentheses, and the 95 % confidence interval of the whole.
func (r *NextStateReport) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Next-state exact match of %s, with the true history; in parentheses a baseline that repeats the last state.\n\n", r.Predictor.Name)
	b.WriteString("| action | predictions | event | source | values | whole state | 95 % interval |\n")
	b.WriteString("| --- | ---: | ---: | ---: | ---: | ---: | --- |\n")
	for i := range r.Rows {
		row := &r.Rows[i]
		m, base := &row.Model, &row.Baseline
		interval := "–"
		if m.Whole.Of > 0 {
			low, high := m.Whole.Interval()
			interval = fmt.Sprintf("%.1f–%.1f", 100*low, 100*high)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s |\n", row.Action, m.Whole.Of,
			cell(m.Event, base.Event), cell(m.Source, base.Source), cell(m.Values, base.Values), cell(m.Whole, base.Whole), interval)
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.TooLong > 0 {
			fmt.Fprintf(&b, "\n%s: %d more had a history beyond the context.\n", row.Action, row.TooLong)
		}
		if row.Failed > 0 {
			fmt.Fprintf(&b, "\n%s: %d predictions failed and count as wrong; the first with: %s\n", row.Action, row.Failed, row.FirstError)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func cell(model, baseline Score) string {
	if model.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f (%.1f)", 100*model.Share(), 100*baseline.Share())
}
