package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
	"github.com/neuraldbg/neuraldbg/model/torch"
)

// kept is how many checkpoints stay: the newest and the one before.
const kept = 2

// state is what a run is resumed from, beside the model and the optimizer.
type state struct {
	Step    int     `json:"step"`
	Tokens  int64   `json:"tokens"`
	Seconds float64 `json:"seconds"` // of training, over all resumes
	// ProcessorSeconds are those that the process used meanwhile.
	ProcessorSeconds float64 `json:"processor_seconds,omitempty"`
	Source           []byte  `json:"source"`
}

func checkpointsDir(dir string) string { return filepath.Join(dir, "checkpoints") }

// checkpoints lists the complete checkpoints of a run's folder, oldest first.
// One being written has another name.
func checkpoints(dir string) ([]string, error) {
	entries, err := os.ReadDir(checkpointsDir(dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", err)
	}
	var list []string
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), "step-") {
			list = append(list, filepath.Join(checkpointsDir(dir), e.Name()))
		}
	}
	sort.Strings(list) // names have leading zeros
	return list, nil
}

// Latest is the folder of a run's newest checkpoint.
func Latest(dir string) (string, error) {
	list, err := checkpoints(dir)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", fmt.Errorf("there is no checkpoint in %s", dir)
	}
	return list[len(list)-1], nil
}

// save writes a checkpoint under another name, renames it and removes old ones.
func save(dir string, trainer *torch.Trainer, st state, afterSave func(dir string) error) error {
	final := filepath.Join(checkpointsDir(dir), fmt.Sprintf("step-%09d", st.Step))
	next := filepath.Join(checkpointsDir(dir), "next")
	if err := os.RemoveAll(next); err != nil {
		return fmt.Errorf("save a checkpoint: %w", err)
	}
	if err := os.MkdirAll(next, 0o755); err != nil {
		return fmt.Errorf("save a checkpoint: %w", err)
	}
	if err := trainer.Save(next); err != nil {
		return fmt.Errorf("save a checkpoint: %w", err)
	}
	text, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return fmt.Errorf("save a checkpoint: %w", err)
	}
	if err := os.WriteFile(filepath.Join(next, "state.json"), text, 0o644); err != nil {
		return fmt.Errorf("save a checkpoint: %w", err)
	}
	if afterSave != nil {
		if err := afterSave(next); err != nil {
			return fmt.Errorf("save a checkpoint: %w", err)
		}
	}
	if err := os.RemoveAll(final); err != nil {
		return fmt.Errorf("save a checkpoint: %w", err)
	}
	if err := os.Rename(next, final); err != nil {
		return fmt.Errorf("save a checkpoint: %w", err)
	}
	list, err := checkpoints(dir)
	if err != nil {
		return err
	}
	for _, old := range list[:max(0, len(list)-kept)] {
		if err := os.RemoveAll(old); err != nil {
			return fmt.Errorf("remove an old checkpoint: %w", err)
		}
	}
	return nil
}

// load reads the newest checkpoint that is whole; a damaged one is named in
// skipped and the one before is tried. Without any it returns no trainer.
func load(dir string, opt torch.Optimizer, device string) (trainer *torch.Trainer, st state, skipped error, err error) {
	list, err := checkpoints(dir)
	if err != nil {
		return nil, st, nil, err
	}
	for i := len(list) - 1; i >= 0; i-- {
		trainer, st, err := loadOne(list[i], opt, device)
		if err == nil {
			return trainer, st, skipped, nil
		}
		if errors.Is(err, torch.ErrMemory) {
			return nil, st, nil, err // the checkpoint is good
		}
		skipped = errors.Join(skipped, err)
	}
	if skipped != nil {
		return nil, st, nil, fmt.Errorf("no checkpoint can be read: %w", skipped)
	}
	return nil, st, nil, nil
}

func loadOne(dir string, opt torch.Optimizer, device string) (*torch.Trainer, state, error) {
	var st state
	text, err := regularfile.ReadFile(filepath.Join(dir, "state.json"))
	if err != nil {
		return nil, st, fmt.Errorf("read a checkpoint: %w", err)
	}
	if err := json.Unmarshal(text, &st); err != nil {
		return nil, st, fmt.Errorf("read state.json in %s: %w", dir, err)
	}
	trainer, err := torch.LoadTrainer(dir, opt, device)
	if err != nil {
		return nil, st, err
	}
	if trainer.Steps() != st.Step {
		trainer.Close()
		return nil, st, fmt.Errorf("checkpoint %s is of step %d but its optimizer of step %d", dir, st.Step, trainer.Steps())
	}
	return trainer, st, nil
}
