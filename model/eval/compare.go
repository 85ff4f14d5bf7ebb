package eval

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Comparison is two evaluations side by side.
type Comparison struct {
	A    string          `json:"a"`
	B    string          `json:"b"`
	Rows []ComparisonRow `json:"rows"`
}

// ComparisonRow compares greedy predictions of one kind.
type ComparisonRow struct {
	Measure       Measure              `json:"measure"`
	Data          string               `json:"data"`
	Unconstrained bool                 `json:"unconstrained,omitempty"`
	Action        statetree.ActionKind `json:"action"`
	// What is compared: "whole", or "right" where predictions were judged.
	What string `json:"what"`
	A    Score  `json:"a"`
	B    Score  `json:"b"`
	// Paired says that both were asked the same questions: only those that both
	// answered are counted.
	Paired bool `json:"paired"`
	// Difference is B's share minus A's, and Low and High its 95 % interval by
	// the bootstrap. Programs are drawn, not predictions, since predictions about
	// one program are not independent.
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
}

// bootstrapSamples is how often the programs are drawn anew.
const bootstrapSamples = 2000

// Compare compares the answers of two evaluations with given names.
func Compare(nameA, nameB string, a, b []Answer) Comparison {
	c := Comparison{A: nameA, B: nameB}
	ofA, ofB := byKind(a), byKind(b)
	for _, k := range slices.SortedFunc(maps.Keys(ofA), compareKinds) {
		if ofB[k] != nil {
			c.Rows = append(c.Rows, compareRows(k, ofA[k], ofB[k]))
		}
	}
	return c
}

// comparedKind is what makes answers comparable.
type comparedKind struct {
	data          string
	unconstrained bool
	measure       Measure
	action        statetree.ActionKind
	what          string
}

func compareKinds(a, b comparedKind) int {
	return cmp.Or(cmp.Compare(a.data, b.data), compareBools(a.unconstrained, b.unconstrained),
		cmp.Compare(measureOrder[a.measure], measureOrder[b.measure]),
		cmp.Compare(a.action, b.action), cmp.Compare(b.what, a.what))
}

// result is one answer as a comparison sees it.
type result struct {
	program string
	right   bool
}

// byKind sorts greedy answers by what they compare with, and in it by
// question.
func byKind(answers []Answer) map[comparedKind]map[string]result {
	kinds := map[comparedKind]map[string]result{}
	add := func(a *Answer, what string, right bool) {
		k := comparedKind{a.Data, a.Unconstrained, a.Measure, a.Action, what}
		if kinds[k] == nil {
			kinds[k] = map[string]result{}
		}
		kinds[k][a.ID] = result{a.Program, right}
	}
	for i := range answers {
		a := &answers[i]
		if a.Sample > 0 || a.TooLong && a.Measure == NextState {
			continue
		}
		if a.Measure == NextState {
			add(a, "whole", a.Grades[Whole])
		}
		if a.Passed == Yes || a.Passed == No || a.Measure != NextState {
			add(a, "right", a.Passed == Yes)
		}
	}
	return kinds
}

func compareRows(k comparedKind, a, b map[string]result) ComparisonRow {
	row := ComparisonRow{Measure: k.measure, Data: k.data, Unconstrained: k.unconstrained, Action: k.action, What: k.what}
	both := 0
	for id := range a {
		if _, ok := b[id]; ok {
			both++
		}
	}
	// Evaluations of one set ask the same questions; a few may be beyond the
	// context of one of the models.
	if row.Paired = both > min(len(a), len(b))/2; row.Paired {
		a, b = keep(a, b), keep(b, a)
	}
	byProgramA, byProgramB := byProgram(a), byProgram(b)
	row.A, row.B = total(byProgramA, nil), total(byProgramB, nil)
	row.Difference = row.B.Share() - row.A.Share()
	programsA, programsB := slices.Sorted(maps.Keys(byProgramA)), slices.Sorted(maps.Keys(byProgramB))
	rng := rand.New(rand.NewPCG(1, 0))
	differences := make([]float64, bootstrapSamples)
	for i := range differences {
		drawnA := drawPrograms(rng, programsA)
		drawnB := drawnA
		if !row.Paired {
			drawnB = drawPrograms(rng, programsB)
		}
		differences[i] = total(byProgramB, drawnB).Share() - total(byProgramA, drawnA).Share()
	}
	slices.Sort(differences)
	row.Low, row.High = differences[bootstrapSamples*25/1000], differences[bootstrapSamples*975/1000-1]
	return row
}

// keep returns the results of questions that the other has, too.
func keep(results, other map[string]result) map[string]result {
	kept := map[string]result{}
	for id, r := range results {
		if _, ok := other[id]; ok {
			kept[id] = r
		}
	}
	return kept
}

func byProgram(results map[string]result) map[string]Score {
	scores := map[string]Score{}
	for _, r := range results {
		s := scores[r.program]
		s.count(r.right)
		scores[r.program] = s
	}
	return scores
}

// total adds up the scores of the drawn programs, or of all.
func total(scores map[string]Score, drawn []string) Score {
	var sum Score
	if drawn == nil {
		drawn = slices.Collect(maps.Keys(scores))
	}
	for _, program := range drawn {
		sum.Correct += scores[program].Correct
		sum.Of += scores[program].Of
	}
	return sum
}

func drawPrograms(rng *rand.Rand, programs []string) []string {
	drawn := make([]string, len(programs))
	for i := range drawn {
		drawn[i] = programs[rng.IntN(len(programs))]
	}
	return drawn
}

// Markdown writes the comparison as a table, in per cent.
func (c *Comparison) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "A is %s, B is %s. Greedy predictions; the interval of the difference is 95 %%, by a bootstrap over programs.\n\n", c.A, c.B)
	b.WriteString("| | | predictions | A | B | B − A | interval |\n| --- | --- | ---: | ---: | ---: | ---: | --- |\n")
	for i := range c.Rows {
		row := &c.Rows[i]
		name := measureTitles[row.Measure]
		if row.Measure == NextState {
			name = row.Action.String()
			if row.What == "right" {
				name += ", executed"
			}
		}
		data := row.Data
		if row.Unconstrained {
			data += ", without constraint"
		}
		count := fmt.Sprint(row.A.Of)
		if !row.Paired {
			count = fmt.Sprintf("%d, %d others", row.A.Of, row.B.Of)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %+.1f | %+.1f to %+.1f |\n", data, name, count,
			share(row.A), share(row.B), 100*row.Difference, 100*row.Low, 100*row.High)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
