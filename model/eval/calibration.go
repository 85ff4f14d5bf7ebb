package eval

import (
	"math"

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
