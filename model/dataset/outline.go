package dataset

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/neuraldbg/neuraldbg/model/tokenizer"
	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// Outline is a Sequence without its text: what statistics are made from.
type Outline struct {
	Direction, Source string
	// Tokens is its length, LossTokens those of it that a model predicts, Events
	// its states.
	Tokens, LossTokens, Events int
	Actions                    []string
	Truncated                  bool
}

// outlineRow are the columns that an Outline needs.
type outlineRow struct {
	InputIDs  []int32  `parquet:"input_ids,list"`
	LossMask  []bool   `parquet:"loss_mask,list"`
	Direction string   `parquet:"direction"`
	Actions   []string `parquet:"actions,list"`
	Source    string   `parquet:"source"`
	Truncated bool     `parquet:"truncated"`
}

// Outlines yields the outlines of all sequences of a split, shard by shard, in
// constant memory. An error ends the sequence.
func Outlines(dir string, split Split) iter.Seq2[Outline, error] {
	return func(yield func(Outline, error) bool) {
		if err := outlines(dir, split, yield); err != nil {
			yield(Outline{}, err)
		}
	}
}

// outlines yields what there is until yield wants no more.
func outlines(dir string, split Split, yield func(Outline, error) bool) error {
	tok, err := tokenizer.Load(filepath.Join(dir, tokenizer.File))
	if err != nil {
		return fmt.Errorf("read a dataset: %w", err)
	}
	frame, ok := tok.Special(grammar.FrameSep.String())
	end, alsoOK := tok.Special(grammar.EndOfText.String())
	if !ok || !alsoOK {
		return fmt.Errorf("read a dataset: the tokenizer of %s is not one for this grammar", dir)
	}
	paths, err := shards(dir, split)
	if err != nil {
		return fmt.Errorf("read a dataset: %w", err)
	}
	for _, path := range paths {
		more, err := shardOutlines(path, frame, end, yield)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func shardOutlines(path string, frame, end int32, yield func(Outline, error) bool) (more bool, err error) {
	r, err := openShard[outlineRow](path)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	for {
		rows, err := r.next(rowGroup)
		if err != nil || len(rows) == 0 {
			return true, err
		}
		for i := range rows {
			if !yield(rows[i].outline(frame, end), nil) {
				return false, nil
			}
		}
	}
}

// outline counts. A frame separator stands before each state, and before the exit
// of a trajectory that has one.
func (r *outlineRow) outline(frame, end int32) Outline {
	o := Outline{Direction: r.Direction, Source: r.Source, Tokens: len(r.InputIDs), Actions: r.Actions, Truncated: r.Truncated}
	for i, id := range r.InputIDs {
		if id == frame {
			o.Events++
		}
		if r.LossMask[i] {
			o.LossTokens++
		}
	}
	if o.Tokens > 0 && r.InputIDs[o.Tokens-1] == end {
		o.Events--
	}
	return o
}
