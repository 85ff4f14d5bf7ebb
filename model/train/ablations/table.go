package main

import (
	"fmt"
	"strings"
)

// table is the results in Markdown. Losses are held out; those of the first
// variant stand as they are, and of the others with the difference to it.
func table(results []result) string {
	var b strings.Builder
	b.WriteString(`| variant | flags | parameters, M | tokens, M | processor time, s | tokens/s of it | loss on states | loss on values |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
`)
	for i, r := range results {
		loss := func(of string) string {
			if i == 0 {
				return fmt.Sprintf("%.3f", r.Losses[of])
			}
			return fmt.Sprintf("%.3f (%+.3f)", r.Losses[of], r.Losses[of]-results[0].Losses[of])
		}
		flags := "–"
		if len(r.Own) > 0 {
			flags = "`" + strings.Join(r.Own, " ") + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %.2f | %.2f | %.0f | %.0f | %s | %s |\n", r.Name, flags, float64(r.Parameters)/1e6,
			float64(r.Tokens)/1e6, r.ProcessorSeconds, float64(r.Tokens)/r.ProcessorSeconds, loss("states"), loss("values"))
	}
	return b.String()
}
