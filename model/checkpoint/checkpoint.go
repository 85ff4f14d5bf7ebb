// Package checkpoint reads what the folder of a checkpoint says besides its
// weights: the tokenizer, the dialect that the model speaks, the calibration. It
// joins them with an engine that computes with the weights, wherever it runs.
//
// # Dialects
//
// The special tokens of the tokenizer decide. A model with those of package
// statetree/grammar predicts states after debugger actions, if its config.json
// names the grammar that this program writes. One with those of CWM's traces
// predicts traces, which actions are made of (package model/cwm). Any other model
// was not trained to predict states, and is refused.
//
// The package must not know how an engine computes, and reads no weights.
package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/model/cwm"
	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// Dialect is the text form that a model speaks.
type Dialect string

// The dialects.
const (
	States Dialect = neural.DialectStates
	CWM    Dialect = "cwm"
)

// Checkpoint is what a folder says besides weights.
type Checkpoint struct {
	Dir         string
	Dialect     Dialect
	Tokenizer   *tokenizer.Tokenizer
	Calibration neural.Calibration
}

// Open reads the folder dir. A checkpoint that cannot predict states is an error
// that says why.
func Open(dir string) (*Checkpoint, error) {
	if err := checkConfig(dir); err != nil {
		return nil, err
	}
	tok, err := loadTokenizer(dir)
	if err != nil {
		return nil, err
	}
	c := &Checkpoint{Dir: dir, Tokenizer: tok}
	if c.Dialect, err = dialectOf(tok); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if c.Dialect == States {
		if err := checkFormat(dir); err != nil {
			return nil, err
		}
	}
	if c.Calibration, err = neural.ReadCalibration(dir); err != nil {
		return nil, err
	}
	return c, nil
}

func checkConfig(dir string) error {
	_, err := os.Stat(filepath.Join(dir, "config.json"))
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is no checkpoint: it has no config.json; give the folder that has config.json, the weights and the tokenizer", dir)
	}
	return err
}

func checkFormat(dir string) error {
	format, err := neural.ReadFormat(dir)
	if err != nil {
		return err
	}
	if err := format.Check(); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return nil
}

// loadTokenizer reads a tokenizer.json, or else the rank file of CWM's release.
func loadTokenizer(dir string) (*tokenizer.Tokenizer, error) {
	path := filepath.Join(dir, tokenizer.File)
	_, err := os.Stat(path)
	if !errors.Is(err, os.ErrNotExist) {
		return tokenizer.Load(path)
	}
	ranks := filepath.Join(dir, tokenizer.RankFile)
	if _, err := os.Stat(ranks); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s has no tokenizer: neither %s nor %s is there; copy there the one that the model was trained with", dir, tokenizer.File, tokenizer.RankFile)
	}
	return tokenizer.LoadRanks(ranks, tokenizer.Llama3Pattern, cwm.ReservedTokens())
}

// dialectOf tells a dialect by its special tokens.
func dialectOf(tok *tokenizer.Tokenizer) (Dialect, error) {
	var states []string
	for _, s := range grammar.Specials() {
		states = append(states, s.String())
	}
	lacking := lacks(tok, states)
	if lacking == "" {
		return States, nil
	}
	lackingCWM := lacks(tok, cwm.Specials())
	if lackingCWM == "" {
		return CWM, nil
	}
	return "", fmt.Errorf("the model was not trained to predict states: its tokenizer lacks %s, which neuraldbg's grammar needs, and %s, which CWM's traces need; fine-tune it first (neuraldbg train --help)", lacking, lackingCWM)
}

// lacks returns the first special token that a tokenizer does not have; "" when
// it has all.
func lacks(tok *tokenizer.Tokenizer, specials []string) string {
	for _, s := range specials {
		if _, ok := tok.Special(s); !ok {
			return s
		}
	}
	return ""
}

// NewPredictor joins the checkpoint with an engine, which the predictor then
// owns. Info describes the model.
func (c *Checkpoint) NewPredictor(e neural.Engine, info model.Info) (model.Predictor, error) {
	var predictor model.Predictor
	var err error
	switch c.Dialect {
	case CWM:
		predictor, err = cwm.NewPredictor(e, c.Tokenizer, cwm.Options{Info: info})
	default:
		predictor, err = neural.NewPredictor(e, c.Tokenizer, neural.Options{
			Info: info, ConfidenceTemperature: c.Calibration.Temperature,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Dir, err)
	}
	return predictor, nil
}

// StateEnds are the tokens behind which a predicted state is complete.
func (c *Checkpoint) StateEnds() []int32 {
	ends := []string{grammar.ActionSep.String(), grammar.EndOfText.String()}
	if c.Dialect == CWM {
		ends = []string{cwm.FrameEnd, grammar.EndOfText.String()}
	}
	var ids []int32
	for _, s := range ends {
		if id, ok := c.Tokenizer.Special(s); ok {
			ids = append(ids, id)
		}
	}
	return ids
}
