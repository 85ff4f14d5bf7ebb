package neural

import (
	"math"

	"github.com/neuraldbg/neuraldbg/statetree/grammar"
)

// openValue is the value that is being written.
type openValue struct {
	part  grammar.Part
	name  string
	begin int // in the sequence
}

// endless reports whether the value being written has reached its limit. A
// model that is lost repeats itself, and never ends a string by itself.
func (d *decoder) endless() bool {
	now := openValue{part: d.parser.Part(), name: d.parser.Variable(), begin: d.value.begin}
	if now != d.value {
		now.begin = len(d.sequence.ids)
		d.value = now
	}
	return (now.part == grammar.PartValue || now.part == grammar.PartArg) &&
		len(d.sequence.ids)-now.begin >= d.valueLimit
}

// cut ends the value being written with an ellipsis, as a recorder ends a repr
// that is too long. Nothing is certain about such a value. False where the text
// does not allow it, as within an escape sequence.
func (d *decoder) cut() (bool, error) {
	const end = "…\""
	if !d.parser.Try(end) {
		return false, nil
	}
	d.certainty.add(&d.parser, math.Inf(-1))
	return true, d.append(d.vocabulary.tokenizer.Encode(nil, end)...)
}
