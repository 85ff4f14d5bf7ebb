package neural

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
	"github.com/neuraldbg/neuraldbg/model/atomicfile"
)

// CalibrationFile is the name of the file in a checkpoint's folder that holds
// its Calibration.
const CalibrationFile = "calibration.json"

// Calibration is what makes a model's confidence agree with how often it is
// right (temperature scaling, arXiv 1706.04599).
type Calibration struct {
	// Temperature divides the logits that confidences are computed from; above 1
	// for a model that is too sure of itself.
	Temperature float64 `json:"temperature"`
	// FittedOn tells people what it was fitted on.
	FittedOn string `json:"fitted_on,omitempty"`
}

// ReadCalibration reads the calibration of the checkpoint in a folder. Without
// one the temperature is 1.
func ReadCalibration(dir string) (Calibration, error) {
	path := filepath.Join(dir, CalibrationFile)
	text, err := regularfile.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Calibration{Temperature: 1}, nil
	}
	if err != nil {
		return Calibration{}, fmt.Errorf("reading a checkpoint: %w", err)
	}
	var c Calibration
	if err := json.Unmarshal(text, &c); err != nil {
		return Calibration{}, fmt.Errorf("%s is damaged: %w", path, err)
	}
	if !(c.Temperature > 0) {
		return Calibration{}, fmt.Errorf("%s is damaged: its temperature is %g", path, c.Temperature)
	}
	return c, nil
}

// Write puts the calibration into a checkpoint's folder.
func (c Calibration) Write(dir string) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err == nil {
		err = atomicfile.WriteFile(filepath.Join(dir, CalibrationFile), append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("writing a checkpoint's calibration: %w", err)
	}
	return nil
}
