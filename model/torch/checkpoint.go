package torch

import (
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/neuraldbg/neuraldbg/model/torch/safetensors"
)

// The optimizer's file, beside config.json and model.safetensors: the two
// moments of every weight, under its name with these prefixes, and the number
// of steps in the metadata.
const (
	optimizerFile = "optimizer.safetensors"
	moment1Prefix = "moment1."
	moment2Prefix = "moment2."
	stepsKey      = "steps"
)

// Save writes config.json and model.safetensors, which Hugging Face's
// transformers reads, and the optimizer's state to the folder dir.
func (t *Trainer) Save(dir string) error {
	if err := t.SaveModel(dir); err != nil {
		return err
	}
	m1, err := t.entries(t.moment1, moment1Prefix)
	if err != nil {
		return fmt.Errorf("save the optimizer: %w", err)
	}
	m2, err := t.entries(t.moment2, moment2Prefix)
	if err != nil {
		return fmt.Errorf("save the optimizer: %w", err)
	}
	metadata := map[string]string{stepsKey: strconv.Itoa(t.steps)}
	return safetensors.Write(filepath.Join(dir, optimizerFile), append(m1, m2...), metadata)
}

// SaveModel writes config.json and model.safetensors only.
func (t *Trainer) SaveModel(dir string) error {
	c := t.config
	c.Architectures, c.TorchDtype = []string{families[c.ModelType].architecture}, "float32"
	if err := c.write(dir); err != nil {
		return err
	}
	entries, err := t.entries(t.theta, "")
	if err != nil {
		return fmt.Errorf("save the model: %w", err)
	}
	return safetensors.Write(filepath.Join(dir, "model.safetensors"), entries, map[string]string{"format": "pt"})
}

// LoadTrainer continues from what Save wrote, on any device.
func LoadTrainer(dir string, opt Optimizer, deviceName string) (*Trainer, error) {
	c, err := ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	t, err := NewTrainer(c, opt, deviceName, 0)
	if err != nil {
		return nil, err
	}
	if err := t.load(dir); err != nil {
		t.Close()
		return nil, fmt.Errorf("load the training state in %s: %w", dir, err)
	}
	return t, nil
}

// NewTrainerFrom begins with the weights of the checkpoint in dir, which must
// have c's shape, and a new optimizer. c says the context length.
func NewTrainerFrom(dir string, c Config, opt Optimizer, deviceName string) (*Trainer, error) {
	t, err := NewTrainer(c, opt, deviceName, 0)
	if err != nil {
		return nil, err
	}
	if err := t.loadModel(dir); err != nil {
		t.Close()
		return nil, fmt.Errorf("begin with the model in %s: %w", dir, err)
	}
	return t, nil
}

func (t *Trainer) loadModel(dir string) error {
	model, err := safetensors.OpenDir(dir)
	if err != nil {
		return err
	}
	defer model.Close()
	return t.fill(t.theta, model, "")
}

func (t *Trainer) load(dir string) error {
	if err := t.loadModel(dir); err != nil {
		return err
	}
	optimizer, err := safetensors.Open(filepath.Join(dir, optimizerFile))
	if err != nil {
		return err
	}
	defer optimizer.Close()
	if t.steps, err = strconv.Atoi(optimizer.Metadata[stepsKey]); err != nil {
		return fmt.Errorf("%s does not tell the number of steps: %w", optimizerFile, err)
	}
	if err := t.fill(t.moment1, optimizer, moment1Prefix); err != nil {
		return err
	}
	return t.fill(t.moment2, optimizer, moment2Prefix)
}

// entries are the parts of a flat vector as they stand in a file.
func (t *Trainer) entries(v tensor, prefix string) ([]safetensors.Entry, error) {
	flat := make([]float32, t.flat)
	err := do(func(s *scope) error {
		s.read(v, flat)
		return nil
	})
	if err != nil {
		return nil, err
	}
	entries := make([]safetensors.Entry, len(t.weights))
	for i, w := range t.weights {
		part := flat[w.offset : w.offset+w.size()]
		if w.turned {
			halves := make([]float32, len(part))
			fromPairs(halves, part, t.config.HeadDim, max(w.cols, 1))
			part = halves
		}
		entries[i] = safetensors.Entry{Name: prefix + w.name, Shape: w.shape(), Data: part}
	}
	return entries, nil
}

// fill reads a flat vector from the archive's tensors.
func (t *Trainer) fill(v tensor, archive *safetensors.Archive, prefix string) error {
	flat := make([]float32, t.flat)
	for _, w := range t.weights {
		data, err := readWeight(t.config, archive, prefix, w)
		if err != nil {
			return err
		}
		copy(flat[w.offset:], data)
	}
	return do(func(s *scope) error {
		s.copyIn(v, s.float32s(flat, int64(t.flat)))
		return nil
	})
}

// readWeight reads one weight in the order that it has in memory.
func readWeight(c Config, archive *safetensors.Archive, prefix string, w weight) ([]float32, error) {
	data, err := w.read(archive, prefix)
	if err != nil || !w.turned {
		return data, err
	}
	pairs := make([]float32, len(data))
	toPairs(pairs, data, c.HeadDim, max(w.cols, 1))
	return pairs, nil
}

// read reads the weight in the order that it has in files.
func (w weight) read(archive *safetensors.Archive, prefix string) ([]float32, error) {
	entry, ok := archive.Tensors[prefix+w.name]
	if !ok {
		return nil, fmt.Errorf("tensor %s of shape %v is missing", prefix+w.name, w.shape())
	}
	if want := w.shape(); fmt.Sprint(entry.Shape) != fmt.Sprint(want) {
		return nil, fmt.Errorf("tensor %s has shape %v, the configuration says %v", prefix+w.name, entry.Shape, want)
	}
	data, err := entry.Float32()
	if err != nil {
		return nil, fmt.Errorf("tensor %s: %w", prefix+w.name, err)
	}
	return data, nil
}
