package eval

import (
	"context"
	"fmt"
	"math"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// CalibrationTable compares the confidences of NextState answers with how often
// they were right.
type CalibrationTable struct {
	Data          string           `json:"data"`
	Unconstrained bool             `json:"unconstrained,omitempty"`
	Rows          []CalibrationRow `json:"rows"`
}

// CalibrationRow is the calibration of one component after one kind of action, or
// after all.
type CalibrationRow struct {
	Action    statetree.ActionKind `json:"action"` // NoAction: all
	Component Component            `json:"component"`
	// Confidence is the mean confidence, Right the share that was right.
	Confidence float64 `json:"confidence"`
	Right      Score   `json:"right"`
	// Error is the expected calibration error: the mean over the predictions of
	// how far their bin's confidence is from the share that is right in it
	// (arXiv 1706.04599).
	Error float64 `json:"expected_calibration_error"`
	// Bins have equal widths, from 0 to 1.
	Bins []CalibrationBin `json:"bins"`
}

// CalibrationBin is the predictions whose confidence is in one range.
type CalibrationBin struct {
	Confidence float64 `json:"confidence"` // the mean; 0 for none
	Right      Score   `json:"right"`
}

// calibrationBins is how many bins there are.
const calibrationBins = 10

// NewCalibrationTable computes the table of NextState answers: the rows of all
// actions together first, then those of each.
func NewCalibrationTable(data string, unconstrained bool, answers []Answer) CalibrationTable {
	t := CalibrationTable{Data: data, Unconstrained: unconstrained}
	for _, kind := range append([]statetree.ActionKind{statetree.NoAction}, AllActions...) {
		for _, c := range Components {
			row := CalibrationRow{Action: kind, Component: c, Bins: make([]CalibrationBin, calibrationBins)}
			for i := range answers {
				a := &answers[i]
				if kind != statetree.NoAction && a.Action != kind {
					continue
				}
				confidence, predicted := a.Confidence[c]
				right, asked := a.Grades[c]
				if predicted && asked {
					row.count(confidence, right)
				}
			}
			if row.Right.Of > 0 {
				row.finish()
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}

func (r *CalibrationRow) count(confidence float64, right bool) {
	bin := &r.Bins[min(int(confidence*calibrationBins), calibrationBins-1)]
	bin.Confidence += confidence
	bin.Right.count(right)
	r.Confidence += confidence
	r.Right.count(right)
}

// finish makes means of sums.
func (r *CalibrationRow) finish() {
	for i := range r.Bins {
		bin := &r.Bins[i]
		if bin.Right.Of == 0 {
			continue
		}
		r.Error += math.Abs(bin.Confidence-float64(bin.Right.Correct)) / float64(r.Right.Of)
		bin.Confidence /= float64(bin.Right.Of)
	}
	r.Confidence /= float64(r.Right.Of)
}

// Fit is the result of FitTemperature.
type Fit struct {
	Temperature float64 `json:"temperature"`
	// Before and After are the whole states' calibration at temperature 1 and at
	// the one that was found.
	Before CalibrationRow `json:"before"`
	After  CalibrationRow `json:"after"`
	// LossBefore and LossAfter are the mean negative log likelihoods, in nats, of
	// whole states being right or wrong.
	LossBefore float64 `json:"loss_before"`
	LossAfter  float64 `json:"loss_after"`
}

// The range of temperatures looked at, and the precision of their logarithm.
const (
	lowestTemperature    = 0.5
	highestTemperature   = 4
	temperaturePrecision = 0.03
)

// FitTemperature finds the temperature of confidences (temperature scaling,
// arXiv 1706.04599) that makes the answers to NextState questions the most
// likely, and so the confidences the most truthful. The questions are asked
// again at every temperature that is tried, about ten of them. They should be
// others than those of the evaluation. Progress, if set, is called after every
// answer.
func FitTemperature(ctx context.Context, p model.Predictor, questions Questions, workers int, progress func(temperature float64, answered int)) (Fit, error) {
	var asked []Question
	for q, err := range questions {
		if err != nil {
			return Fit{}, fmt.Errorf("fit a temperature: %w", err)
		}
		q.check = nil
		asked = append(asked, q)
	}
	if len(asked) == 0 {
		return Fit{}, fmt.Errorf("fit a temperature: there are no questions")
	}
	var failed error
	rows := map[float64]CalibrationRow{}
	loss := func(temperature float64) float64 {
		if failed != nil {
			return math.Inf(1)
		}
		log := NewLog()
		r := Runner{Predictor: p, Log: log, Workers: workers}
		if progress != nil {
			r.Progress = func(answered int) { progress(temperature, answered) }
		}
		failed = r.Run(ctx, func(yield func(Question, error) bool) {
			for _, q := range asked {
				q.Context.Sampling.ConfidenceTemperature = temperature
				if !yield(q, nil) {
					return
				}
			}
		})
		answers := log.Answers()
		for _, row := range NewCalibrationTable("", false, answers).Rows {
			if row.Action == statetree.NoAction && row.Component == Whole {
				rows[temperature] = row
			}
		}
		return meanLoss(answers)
	}
	fit := Fit{LossBefore: loss(1)}
	found, least := minimum(loss, lowestTemperature, highestTemperature)
	if least > fit.LossBefore {
		found, least = 1, fit.LossBefore
	}
	fit.Temperature, fit.LossAfter = found, least
	fit.Before, fit.After = rows[1], rows[found]
	return fit, failed
}

// minimum finds where a function with one minimum has it, between two positive
// numbers, by golden sections of the logarithm.
func minimum(f func(float64) float64, low, high float64) (at, value float64) {
	ratio := (math.Sqrt(5) - 1) / 2
	a, b := math.Log(low), math.Log(high)
	x, y := b-ratio*(b-a), a+ratio*(b-a)
	fx, fy := f(math.Exp(x)), f(math.Exp(y))
	for b-a > temperaturePrecision {
		if fx <= fy {
			b, y, fy = y, x, fx
			x = b - ratio*(b-a)
			fx = f(math.Exp(x))
		} else {
			a, x, fx = x, y, fy
			y = a + ratio*(b-a)
			fy = f(math.Exp(y))
		}
	}
	if fx <= fy {
		return math.Exp(x), fx
	}
	return math.Exp(y), fy
}

// meanLoss is the mean negative log likelihood of whole states being right or
// wrong, given their confidences. One that is certain and wrong counts as if it
// were nearly certain.
func meanLoss(answers []Answer) float64 {
	const certain = 1e-6
	sum, n := 0., 0
	for i := range answers {
		confidence, predicted := answers[i].Confidence[Whole]
		if !predicted {
			continue
		}
		confidence = min(max(confidence, certain), 1-certain)
		if !answers[i].Grades[Whole] {
			confidence = 1 - confidence
		}
		sum -= math.Log(confidence)
		n++
	}
	return sum / float64(n)
}
