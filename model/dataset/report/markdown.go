package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/model/dataset"
	"github.com/neuraldbg/neuraldbg/statetree/corpus"
)

// Markdown writes the report as text, with the plots that Plot draws beside it.
func (r *Report) Markdown() string {
	var b strings.Builder
	b.WriteString("# Statistics of the data\n\n")
	r.writeTrajectories(&b)
	for _, q := range quantities {
		fmt.Fprintf(&b, "![%s of a trajectory](%s)\n", q, plotFile(q))
	}
	r.writeActions(&b)
	for i := range r.sets {
		r.sets[i].write(&b)
	}
	return b.String()
}

func (r *Report) writeTrajectories(b *strings.Builder) {
	b.WriteString("## Trajectories\n\n")
	b.WriteString("| level, direction | programs | trajectories | tokens | of them predicted | cut behind a state | held out |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, key := range r.keys() {
		g := r.groups[key]
		tokens := g.quantities[0]
		fmt.Fprintf(b, "| %v | %d | %d | %d | %s | %s | %s |\n", key, g.programs, tokens.n, tokens.sum,
			percent(g.lossTokens, tokens.sum), percent(g.truncated, tokens.n), percent(g.heldOut, tokens.n))
	}
	b.WriteString("\n| of a trajectory | level, direction | mean | least | quartile | median | quartile | most |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for i, q := range quantities {
		for _, key := range r.keys() {
			d := r.groups[key].quantities[i]
			fmt.Fprintf(b, "| %s | %v | %.1f | %d | %d | %d | %d | %d |\n", q, key, d.mean(),
				d.quantile(0), d.quantile(.25), d.quantile(.5), d.quantile(.75), d.quantile(1))
		}
	}
	b.WriteByte('\n')
}

func (r *Report) writeActions(b *strings.Builder) {
	b.WriteString("\n## Actions\n\n| level, direction | action | number | share |\n| --- | --- | ---: | ---: |\n")
	for _, key := range r.keys() {
		g := r.groups[key]
		all := g.quantities[1].sum
		for _, a := range slices.Sorted(maps.Keys(g.actions)) {
			fmt.Fprintf(b, "| %v | `%s` | %d | %s |\n", key, a, g.actions[a], percent(g.actions[a], all))
		}
	}
}

// write says what a dataset was made from and what was left out.
func (s *set) write(b *strings.Builder) {
	p, stats := s.description.Provenance, s.description.Stats
	name := p.Name
	if name == "" { // a dataset of an earlier version
		name = s.description.Params.Corpus
	}
	fmt.Fprintf(b, "\n## %s\n\n| found | number |\n| --- | ---: |\n", name)
	for _, c := range []struct {
		what string
		n    int
	}{
		{"files", p.Files}, {"functions", p.Functions}, {"calls", p.Entries}, {"calls taken", stats.Cases},
		{"traces kept", stats.Train.Programs + stats.HeldOut.Programs}, {"tokens", stats.Tokens()},
	} {
		if c.n > 0 {
			fmt.Fprintf(b, "| %s | %d |\n", c.what, c.n)
		}
	}
	if len(p.Dropped)+len(stats.Dropped) > 0 {
		b.WriteString("\n| left out | number |\n| --- | ---: |\n")
		writeDropped(b, p.Dropped)
		writeDropped(b, stats.Dropped)
	}
	writeLicences(b, p.Licences)
}

func writeDropped[K ~string](b *strings.Builder, dropped map[K]int) {
	for _, reason := range slices.Sorted(maps.Keys(dropped)) {
		fmt.Fprintf(b, "| %s | %d |\n", reason, dropped[reason])
	}
}

func writeLicences(b *strings.Builder, list []corpus.Licence) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\n| licence of | version | terms |\n| --- | --- | --- |\n")
	for _, l := range list {
		fmt.Fprintf(b, "| %s | %s | %s |\n", l.Of, l.Version, strings.ReplaceAll(l.Terms, "|", "/"))
	}
	fmt.Fprintf(b, "\nThe texts are in the folder %s of the dataset.\n", dataset.LicenceFolder)
}

func percent(n, of int) string {
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(1, of)))
}
