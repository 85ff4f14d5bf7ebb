package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// Fit is the result of FitTemperature.
type Fit struct {
	Temperature float64 `json:"temperature"`
	// Low and High are the 99 % interval of the temperature, by the bootstrap: what
	// it is for changes all confidences. Programs are drawn, not predictions, as in
	// Comparison.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Before and After are the whole states' calibration at temperature 1 and at
	// the one that was found.
	Before CalibrationRow `json:"before"`
	After  CalibrationRow `json:"after"`
	// LossBefore and LossAfter are the mean negative log likelihoods, in nats, of
	// whole states being right or wrong.
	LossBefore float64 `json:"loss_before"`
	LossAfter  float64 `json:"loss_after"`
}

// leastFitted is how many predictions a fit that is to be used needs. Few come from
// too few programs for the bootstrap: the 95 % interval of one on 320 was 0.60 to 0.83,
// where the next 719 predictions, of other programs, spoke for 1.
const leastFitted = 2000

// Doubt tells why the temperature should not be used, and is empty for one that
// may be.
func (f *Fit) Doubt() string {
	switch {
	case f.Before.Right.Of < leastFitted:
		return fmt.Sprintf("it was fitted on %d predictions, and takes %d", f.Before.Right.Of, leastFitted)
	case f.Low <= 1 && f.High >= 1:
		return "its interval includes 1: the predictions do not tell that the confidences need scaling"
	}
	return ""
}

// The temperatures that are tried are powers of temperatureStep, as far as the
// likelihood goes up, from 1 to one of the limits, and then refinements: where a
// parabola has its end, unless something so near was tried.
const (
	temperatureStep      = math.Sqrt2
	lowestTemperature    = 0.5
	highestTemperature   = 4.
	refinements          = 3
	temperaturePrecision = 0.02 // of the logarithm
)

// FitTemperature finds the temperature of confidences (temperature scaling,
// arXiv 1706.04599) that makes the answers to NextState questions the most
// likely, and so the confidences the most truthful. The questions are asked
// again at every temperature that is tried, four to ten of them. They should be
// others than those of the evaluation. Progress, if set, is called after every
// answer.
func FitTemperature(ctx context.Context, p model.Predictor, questions Questions, workers int, progress func(temperature float64, answered int)) (Fit, error) {
	f := fitter{predictor: p, workers: workers, progress: progress, programs: map[string]int{}}
	for q, err := range questions {
		if err != nil {
			return Fit{}, fmt.Errorf("fit a temperature: %w", err)
		}
		q.check = nil
		f.asked = append(f.asked, q)
		if _, known := f.programs[q.Program]; !known {
			f.programs[q.Program] = len(f.programs)
		}
	}
	fit, err := f.fit(ctx)
	if err != nil {
		return Fit{}, fmt.Errorf("fit a temperature: %w", err)
	}
	return fit, nil
}

// fitter asks the questions at several temperatures.
type fitter struct {
	predictor model.Predictor
	workers   int
	progress  func(temperature float64, answered int)
	asked     []Question
	programs  map[string]int // that the questions are about, numbered
}

// trial is what came of one temperature.
type trial struct {
	temperature float64
	row         CalibrationRow
	byProgram   []lossSum // by the program's number
}

// lossSum adds up negative log likelihoods, in nats.
type lossSum struct {
	nats float64
	of   int
}

func (s lossSum) mean() float64 { return s.nats / float64(s.of) }

func (s *lossSum) add(o lossSum) {
	s.nats += o.nats
	s.of += o.of
}

// loss is the mean over programs, which may come more than once.
func (t *trial) loss(programs []int) float64 {
	var sum lossSum
	for _, number := range programs {
		sum.add(t.byProgram[number])
	}
	return sum.mean()
}

func (f *fitter) fit(ctx context.Context) (Fit, error) {
	trials, err := f.search(ctx)
	if err != nil {
		return Fit{}, err
	}
	programs := f.all()
	for range refinements {
		at := bestTemperature(trials, programs)
		if nearest(trials, at) < temperaturePrecision {
			break
		}
		if trials, err = f.insert(ctx, trials, at); err != nil {
			return Fit{}, err
		}
	}
	one, best := &trials[atOne(trials)], &trials[least(trials, programs)]
	fit := Fit{
		Temperature: best.temperature, Before: one.row, After: best.row,
		LossBefore: one.loss(programs), LossAfter: best.loss(programs),
	}
	rng := rand.New(rand.NewPCG(1, 0))
	drawn := make([]float64, bootstrapSamples)
	for i := range drawn {
		again := make([]int, len(programs))
		for j := range again {
			again[j] = rng.IntN(len(programs))
		}
		drawn[i] = bestTemperature(trials, again)
	}
	slices.Sort(drawn)
	fit.Low, fit.High = drawn[bootstrapSamples*5/1000], drawn[bootstrapSamples*995/1000-1]
	return fit, nil
}

// all are the numbers of all programs.
func (f *fitter) all() []int {
	numbers := make([]int, len(f.programs))
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// search tries 1 and the temperatures beside it, and others as long as the best is
// at one end. They are in order, each temperatureStep times the one before.
func (f *fitter) search(ctx context.Context) (trials []trial, err error) {
	for _, temperature := range []float64{1 / temperatureStep, 1, temperatureStep} {
		if trials, err = f.insert(ctx, trials, temperature); err != nil {
			return nil, err
		}
	}
	for {
		best, last := least(trials, f.all()), len(trials)-1
		lower, higher := trials[0].temperature/temperatureStep, trials[last].temperature*temperatureStep
		const rounding = 1e-9
		switch {
		case best == 0 && lower > lowestTemperature-rounding:
			trials, err = f.insert(ctx, trials, lower)
		case best == last && higher < highestTemperature+rounding:
			trials, err = f.insert(ctx, trials, higher)
		default:
			return trials, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// insert tries a temperature, and puts the trial in its place.
func (f *fitter) insert(ctx context.Context, trials []trial, temperature float64) ([]trial, error) {
	t, err := f.try(ctx, temperature)
	if err != nil {
		return nil, err
	}
	at, _ := slices.BinarySearchFunc(trials, temperature, func(t trial, temperature float64) int {
		return cmp.Compare(t.temperature, temperature)
	})
	return slices.Insert(trials, at, t), nil
}

// nearest is how far the nearest trial's temperature is, in the logarithm.
func nearest(trials []trial, temperature float64) float64 {
	distance := math.Inf(1)
	for i := range trials {
		distance = min(distance, math.Abs(math.Log(trials[i].temperature/temperature)))
	}
	return distance
}

// least is the number of the trial with the least loss on programs: that of
// temperature 1, where no other is better.
func least(trials []trial, programs []int) int {
	best := atOne(trials)
	loss := trials[best].loss(programs)
	for i := range trials {
		if l := trials[i].loss(programs); l < loss {
			best, loss = i, l
		}
	}
	return best
}

// atOne is the number of the trial at temperature 1.
func atOne(trials []trial) int {
	return slices.IndexFunc(trials, func(t trial) bool { return t.temperature == 1 })
}

// bestTemperature is where a parabola through the best trial and those beside it
// has its least loss on programs. The loss is nearly one in the inverse of the
// temperature, which multiplies the logits.
func bestTemperature(trials []trial, programs []int) float64 {
	best := least(trials, programs)
	middle := min(max(best, 1), len(trials)-2)
	var x, y [3]float64
	for i := range x {
		t := &trials[middle-1+i]
		x[i], y[i] = 1/t.temperature, t.loss(programs)
	}
	slope := (y[1] - y[0]) / (x[1] - x[0])
	curvature := ((y[2]-y[1])/(x[2]-x[1]) - slope) / (x[2] - x[0])
	if !(curvature > 0) {
		return trials[best].temperature
	}
	inverse := (x[0]+x[1])/2 - slope/(2*curvature)
	return 1 / min(max(inverse, 1/highestTemperature), 1/lowestTemperature)
}

// try asks all questions at a temperature.
func (f *fitter) try(ctx context.Context, temperature float64) (trial, error) {
	t := trial{temperature: temperature, byProgram: make([]lossSum, len(f.programs))}
	log := NewLog()
	r := Runner{Predictor: f.predictor, Log: log, Workers: f.workers}
	if f.progress != nil {
		r.Progress = func(answered int) { f.progress(temperature, answered) }
	}
	err := r.Run(ctx, func(yield func(Question, error) bool) {
		for _, q := range f.asked {
			q.Context.Sampling.ConfidenceTemperature = temperature
			if !yield(q, nil) {
				return
			}
		}
	})
	if err != nil {
		return t, err
	}
	answers := log.Answers()
	slices.SortFunc(answers, func(a, b Answer) int { return compareKeys(a.Key, b.Key) }) // sums of floats depend on it
	for i := range answers {
		if loss, ok := answers[i].loss(); ok {
			t.byProgram[f.programs[answers[i].Program]].add(lossSum{loss, 1})
		}
	}
	if math.IsNaN(t.loss(f.all())) {
		return t, errors.New("there are no predictions")
	}
	for _, row := range NewCalibrationTable("", false, answers).Rows {
		if row.Action == statetree.NoAction && row.Component == Whole {
			t.row = row
		}
	}
	return t, nil
}

// loss is the negative log likelihood of the whole state being as right, or as
// wrong, as it is, given its confidence. One that is certain and wrong counts as
// if it were nearly certain. It reports false where nothing was predicted.
func (a *Answer) loss() (float64, bool) {
	const certain = 1e-6
	confidence, predicted := a.Confidence[Whole]
	if !predicted {
		return 0, false
	}
	confidence = min(max(confidence, certain), 1-certain)
	if !a.Grades[Whole] {
		confidence = 1 - confidence
	}
	return -math.Log(confidence), true
}
