package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
	"github.com/neuraldbg/neuraldbg/model/jsonerror"
	"github.com/neuraldbg/neuraldbg/model/torch/safetensors"
)

// Description is what can be told of a model without loading it.
type Description struct {
	Dir       string `json:"folder"`
	ModelType string `json:"model_type"`
	// Dialect is empty, and Reason says why, when the model cannot predict
	// states.
	Dialect Dialect `json:"dialect,omitempty"`
	Reason  string  `json:"reason,omitempty"`
	// Grammar is the hash of the grammar that a model with Dialect States speaks.
	Grammar    string   `json:"grammar,omitempty"`
	Parameters int64    `json:"parameters"`
	DTypes     []string `json:"dtypes"` // as safetensors names them: "F16"
	Bytes      int64    `json:"bytes"`  // of the weights
	Context    int      `json:"context"`
	Vocabulary int      `json:"vocabulary"`
	// Calibration is the temperature of its confidence; 1 when it has none.
	Calibration float64 `json:"calibration"`
}

// Describe reads the small files of a model's folder and the headers of its
// weights.
func Describe(dir string) (Description, error) {
	d, err := ReadConfig(dir)
	if err != nil {
		return d, err
	}
	if c, err := Open(dir); err != nil {
		d.Reason = err.Error()
	} else {
		d.Dialect, d.Calibration = c.Dialect, c.Calibration.Temperature
	}
	archive, err := safetensors.OpenDir(dir)
	if err != nil {
		return d, err
	}
	defer archive.Close()
	for _, t := range archive.Tensors {
		d.Parameters += int64(t.Len())
		d.Bytes += t.Bytes()
		if !slices.Contains(d.DTypes, t.DType) {
			d.DTypes = append(d.DTypes, t.DType)
		}
	}
	slices.Sort(d.DTypes)
	return d, nil
}

// maxSize is above every context and every vocabulary that there is, in tokens.
const maxSize = 1 << 24

// ReadConfig describes a model as far as its config.json does.
func ReadConfig(dir string) (Description, error) {
	d := Description{Dir: dir, Calibration: 1}
	if err := checkConfig(dir); err != nil {
		return d, err
	}
	path := filepath.Join(dir, "config.json")
	text, err := regularfile.ReadFile(path)
	if err != nil {
		return d, fmt.Errorf("describe a model: %w", err)
	}
	var config struct {
		ModelType string `json:"model_type"`
		Context   int    `json:"max_position_embeddings"`
		Vocab     int    `json:"vocab_size"`
		Format    struct {
			Grammar string `json:"grammar"`
		} `json:"neuraldbg"`
	}
	if err := json.Unmarshal(text, &config); err != nil {
		return d, fmt.Errorf("%s: %w", path, jsonerror.Describe(err))
	}
	for _, n := range []struct {
		key   string
		value int
	}{{"max_position_embeddings", config.Context}, {"vocab_size", config.Vocab}} {
		if n.value < 0 || n.value > maxSize { // an engine that computes here is stricter
			return d, fmt.Errorf("%s: %s is %d, must be from 1 to %d", path, n.key, n.value, maxSize)
		}
	}
	d.ModelType, d.Context, d.Vocabulary, d.Grammar = config.ModelType, config.Context, config.Vocab, config.Format.Grammar
	return d, nil
}

// List returns the folders of the models in a folder of models.
func List(models string) ([]string, error) {
	entries, err := os.ReadDir(models)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the models: %w", err)
	}
	var dirs []string
	for _, e := range entries {
		dir := filepath.Join(models, e.Name())
		if _, err := os.Stat(filepath.Join(dir, "config.json")); err == nil {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}
