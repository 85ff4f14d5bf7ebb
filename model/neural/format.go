package neural

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/neuraldbg/neuraldbg/internal/regularfile"
	"github.com/neuraldbg/neuraldbg/model/atomicfile"
	"github.com/neuraldbg/neuraldbg/model/jsonerror"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// Format says which text a checkpoint was trained on. It is the "neuraldbg"
// section of the checkpoint's config.json, whose other keys belong to the
// engine.
type Format struct {
	// Grammar is the grammar.Hash of the training text.
	Grammar string `json:"grammar"`
	// Dialect is DialectStates.
	Dialect string `json:"dialect"`
}

// DialectStates is the text form of package statetree/grammar: states and
// debugger actions.
const DialectStates = "neuraldbg"

// CurrentFormat is the format that this program writes and reads.
func CurrentFormat() Format { return Format{Grammar: grammar.Hash(), Dialect: DialectStates} }

const (
	configFile    = "config.json"
	formatSection = "neuraldbg"
)

// ReadFormat reads the format of the checkpoint in a folder.
func ReadFormat(dir string) (Format, error) {
	config, err := readConfig(dir)
	if err != nil {
		return Format{}, err
	}
	section, ok := config[formatSection]
	if !ok {
		return Format{}, fmt.Errorf("%s has no %q section: the model was not trained to be a debugger", filepath.Join(dir, configFile), formatSection)
	}
	var f Format
	if err := json.Unmarshal(section, &f); err != nil {
		return Format{}, fmt.Errorf("%s: the %q section: %w", filepath.Join(dir, configFile), formatSection, jsonerror.Describe(err))
	}
	return f, nil
}

// Check refuses a format that this program does not speak.
func (f Format) Check() error {
	switch now := CurrentFormat(); {
	case f.Dialect != now.Dialect:
		return fmt.Errorf("the checkpoint speaks the dialect %q, this program %q", f.Dialect, now.Dialect)
	case f.Grammar == "":
		return fmt.Errorf("the %q section of its %s does not say the grammar that it was trained with: train it anew, or get the checkpoint again", formatSection, configFile)
	case f.Grammar != now.Grammar:
		return fmt.Errorf("the checkpoint was trained with the grammar %s, this program has %s: train it anew, or use the version of neuraldbg that made it", f.Grammar, now.Grammar)
	}
	return nil
}

// Write puts the format into the config.json in a folder.
func (f Format) Write(dir string) error {
	return EditConfig(dir, map[string]any{formatSection: f})
}

// EditConfig sets keys of the config.json in a folder and leaves the others as
// they are.
func EditConfig(dir string, keys map[string]any) error {
	config, err := readConfig(dir)
	if err != nil {
		return err
	}
	for key, value := range keys {
		if config[key], err = json.Marshal(value); err != nil {
			return fmt.Errorf("writing %s of a checkpoint: %w", key, err)
		}
	}
	text, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return fmt.Errorf("writing a checkpoint's configuration: %w", err)
	}
	if err := atomicfile.WriteFile(filepath.Join(dir, configFile), append(text, '\n')); err != nil {
		return fmt.Errorf("writing a checkpoint's configuration: %w", err)
	}
	return nil
}

func readConfig(dir string) (map[string]json.RawMessage, error) {
	path := filepath.Join(dir, configFile)
	text, err := regularfile.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no checkpoint: it has no %s; give the folder that has it, the weights and the tokenizer", dir, configFile)
	}
	if err != nil {
		return nil, fmt.Errorf("reading a checkpoint: %w", err)
	}
	var config map[string]json.RawMessage
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, jsonerror.Describe(err))
	}
	return config, nil
}
