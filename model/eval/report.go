package eval

import (
	"cmp"
	"maps"
	"slices"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// Report is all that an evaluation found: the report.json of its folder.
type Report struct {
	Format    int        `json:"format"`
	Predictor model.Info `json:"predictor"`
	// Settings are those of the evaluation, as in settings.json.
	Settings any `json:"settings,omitempty"`
	// Sets are what was measured on.
	Sets        []SetReport        `json:"sets"`
	NextState   []NextStateTable   `json:"next_state,omitempty"`
	Calls       []CallTable        `json:"calls,omitempty"`
	Horizon     []HorizonTable     `json:"horizon,omitempty"`
	Calibration []CalibrationTable `json:"calibration,omitempty"`
	Seconds     float64            `json:"seconds"` // of all predictions together
	Tokens      int                `json:"tokens"`
}

// reportFormat is the version of Report.
const reportFormat = 2

// SetReport tells which programs were measured on.
type SetReport struct {
	Name string `json:"name"`
	// Programs is how many were asked about.
	Programs int `json:"programs"`
	// Left counts, by reason, the programs that were looked at and left out.
	Left map[string]int `json:"left_out,omitempty"`
	// ComparedWith are the datasets whose training programs were left out.
	ComparedWith []string `json:"compared_with,omitempty"`
}

// NextStateTable is the result of NextState on one set.
type NextStateTable struct {
	Data          string         `json:"data"`
	Unconstrained bool           `json:"unconstrained,omitempty"`
	Rows          []NextStateRow `json:"rows"`
}

// NextStateRow is the result for one kind of action.
type NextStateRow struct {
	Action   statetree.ActionKind `json:"action"`
	Model    Scores               `json:"model"`
	Baseline Scores               `json:"baseline"` // the last state again
	// Executed are the answers that were judged by running them.
	Executed Score `json:"executed"`
	Trouble
}

// Trouble counts the questions without a prediction.
type Trouble struct {
	// TooLong were not asked, since the history fills the model's context. They
	// are in no score.
	TooLong int `json:"too_long,omitempty"`
	// Failed ended in an error, the first of which is FirstError. They count as
	// wrong.
	Failed     int    `json:"failed,omitempty"`
	FirstError string `json:"first_error,omitempty"`
}

// count reports whether an answer counts in scores.
func (t *Trouble) count(a *Answer) bool {
	if a.TooLong {
		t.TooLong++
		return false
	}
	if a.Error != "" {
		if t.Failed++; t.Failed == 1 {
			t.FirstError = a.Error
		}
	}
	return true
}

// CallTable is the result of the calls of one set.
type CallTable struct {
	Data          string    `json:"data"`
	Unconstrained bool      `json:"unconstrained,omitempty"`
	Rows          []CallRow `json:"rows"`
}

// CallRow is the result of one measure.
type CallRow struct {
	Measure Measure `json:"measure"`
	// Passed are the greedy predictions that gave the right value, Exact those
	// that are the recorded outcome.
	Passed Score `json:"passed"`
	Exact  Score `json:"exact"`
	// Unknown counts those that could not be judged; they count as not passed.
	Unknown int `json:"unknown,omitempty"`
	// PassAt is pass@k of the sampled predictions (arXiv 2107.03374), and Samples
	// how many there are of each.
	PassAt  map[int]float64 `json:"pass_at,omitempty"`
	Samples int             `json:"samples,omitempty"`
	Trouble
}

// HorizonTable is the result of Horizon on one set.
type HorizonTable struct {
	Data          string       `json:"data"`
	Unconstrained bool         `json:"unconstrained,omitempty"`
	Bins          []HorizonBin `json:"bins"`
	Samples       int          `json:"samples"`
	Trouble
}

// HorizonBin is the result of jumps that skip shares above From and up to To.
type HorizonBin struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	// Questions is how many jumps there are, and Skipped the mean of their shares.
	Questions int     `json:"questions"`
	Skipped   float64 `json:"skipped"`
	// MatchAt is em@k: how probable it is that one of k samples is the recorded
	// state.
	MatchAt map[int]float64 `json:"match_at"`
}

// passKs and matchKs are the k of pass@k and em@k.
var (
	passKs  = []int{1, 5, 10}
	matchKs = []int{1, 5, 10, 20, 50}
)

// horizonBins is how many bins the skipped share has.
const horizonBins = 5

// NewReport computes the tables from the answers.
func NewReport(info model.Info, answers []Answer) Report {
	r := Report{Format: reportFormat, Predictor: info}
	for _, g := range grouped(sorted(answers)) {
		for i := range g.answers {
			r.Seconds += g.answers[i].Seconds
			r.Tokens += g.answers[i].Tokens
		}
		switch g.measure {
		case NextState:
			r.NextState = append(r.NextState, NextStateTable{g.data, g.unconstrained, nextStateRows(g.answers)})
			r.Calibration = append(r.Calibration, NewCalibrationTable(g.data, g.unconstrained, g.answers))
		case Output, Breakpoint, Input:
			row := callRow(g.measure, g.answers)
			if n := len(r.Calls); n > 0 && r.Calls[n-1].Data == g.data && r.Calls[n-1].Unconstrained == g.unconstrained {
				r.Calls[n-1].Rows = append(r.Calls[n-1].Rows, row)
			} else {
				r.Calls = append(r.Calls, CallTable{g.data, g.unconstrained, []CallRow{row}})
			}
		case Horizon:
			r.Horizon = append(r.Horizon, horizonTable(g.data, g.unconstrained, g.answers))
		}
	}
	return r
}

// sorted returns the answers by their keys: a log has them in the order in which
// they were given.
func sorted(answers []Answer) []Answer {
	return slices.SortedFunc(slices.Values(answers), func(a, b Answer) int { return compareKeys(a.Key, b.Key) })
}

// compareKeys orders by set, constraint, measure, question and sample.
func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Data, b.Data), compareBools(a.Unconstrained, b.Unconstrained),
		cmp.Compare(measureOrder[a.Measure], measureOrder[b.Measure]),
		cmp.Compare(a.ID, b.ID), cmp.Compare(a.Sample, b.Sample))
}

var measureOrder = map[Measure]int{NextState: 0, Output: 1, Breakpoint: 2, Input: 3, Horizon: 4}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// group is the answers of one measure of one set.
type group struct {
	measure       Measure
	data          string
	unconstrained bool
	answers       []Answer
}

// grouped cuts sorted answers into groups.
func grouped(answers []Answer) []group {
	var groups []group
	for i := range answers {
		k := answers[i].Key
		if n := len(groups); n == 0 || groups[n-1].measure != k.Measure || groups[n-1].data != k.Data || groups[n-1].unconstrained != k.Unconstrained {
			groups = append(groups, group{k.Measure, k.Data, k.Unconstrained, nil})
		}
		g := &groups[len(groups)-1]
		g.answers = append(g.answers, answers[i])
	}
	return groups
}

func nextStateRows(answers []Answer) []NextStateRow {
	byAction := map[statetree.ActionKind]*NextStateRow{}
	for i := range answers {
		a := &answers[i]
		row := byAction[a.Action]
		if row == nil {
			row = &NextStateRow{Action: a.Action, Model: Scores{}, Baseline: Scores{}}
			byAction[a.Action] = row
		}
		if !row.Trouble.count(a) {
			continue
		}
		row.Model.count(a.Grades)
		row.Baseline.count(a.Baseline)
		if a.Passed == Yes || a.Passed == No {
			row.Executed.count(a.Passed == Yes)
		}
	}
	var rows []NextStateRow
	for _, kind := range slices.Sorted(maps.Keys(byAction)) {
		rows = append(rows, *byAction[kind])
	}
	return rows
}

func callRow(m Measure, answers []Answer) CallRow {
	row := CallRow{Measure: m}
	exact := Whole
	if m == Output {
		exact = Args
	}
	samples := map[string]*Score{}
	for i := range answers {
		a := &answers[i]
		if a.Sample > 0 {
			if !a.TooLong {
				if samples[a.ID] == nil {
					samples[a.ID] = &Score{}
				}
				samples[a.ID].count(a.Passed == Yes)
			}
			continue
		}
		// A call that is too long to be shown is a problem not solved.
		row.Trouble.count(a)
		row.Passed.count(a.Passed == Yes)
		row.Exact.count(a.Grades[exact])
		if a.Passed == Unknown {
			row.Unknown++
		}
	}
	row.PassAt, row.Samples = atLeastOnce(samples, passKs)
	return row
}

// atLeastOnce returns for every k the mean probability that at least one of k
// samples is right, and the least number of samples that a question has.
func atLeastOnce(samples map[string]*Score, ks []int) (at map[int]float64, least int) {
	for _, s := range samples {
		if least == 0 || s.Of < least {
			least = s.Of
		}
	}
	for _, k := range ks {
		if k > least {
			break
		}
		sum := 0.
		for _, id := range slices.Sorted(maps.Keys(samples)) { // in order: sums of floats depend on it
			sum += passAt(samples[id].Of, samples[id].Correct, k)
		}
		if at == nil {
			at = map[int]float64{}
		}
		at[k] = sum / float64(len(samples))
	}
	return at, least
}

// passAt is the unbiased estimate of the probability that at least one of k
// samples is right, when c of n were: 1 − C(n−c, k)/C(n, k).
func passAt(n, c, k int) float64 {
	if n-c < k {
		return 1
	}
	none := 1.
	for i := n - c + 1; i <= n; i++ {
		none *= 1 - float64(k)/float64(i)
	}
	return 1 - none
}

func horizonTable(data string, unconstrained bool, answers []Answer) HorizonTable {
	t := HorizonTable{Data: data, Unconstrained: unconstrained, Bins: make([]HorizonBin, horizonBins)}
	samples := make([]map[string]*Score, horizonBins)
	for i := range t.Bins {
		t.Bins[i].From, t.Bins[i].To = float64(i)/horizonBins, float64(i+1)/horizonBins
		samples[i] = map[string]*Score{}
	}
	for i := range answers {
		a := &answers[i]
		if !t.Trouble.count(a) {
			continue
		}
		bin := 0
		for bin < horizonBins-1 && a.Skipped > t.Bins[bin].To {
			bin++
		}
		if samples[bin][a.ID] == nil {
			samples[bin][a.ID] = &Score{}
			t.Bins[bin].Questions++
			t.Bins[bin].Skipped += a.Skipped
		}
		samples[bin][a.ID].count(a.Grades[Whole])
	}
	for i := range t.Bins {
		var least int
		t.Bins[i].MatchAt, least = atLeastOnce(samples[i], matchKs)
		if n := t.Bins[i].Questions; n > 0 {
			t.Bins[i].Skipped /= float64(n)
			if t.Samples == 0 || least < t.Samples {
				t.Samples = least
			}
		}
	}
	return t
}
