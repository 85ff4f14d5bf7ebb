package grammar

import "github.com/neuraldbg/neuraldbg/statetree"

// Part is a part of an outcome's text, as a confidence is reported for it.
type Part uint8

// The parts. A name and what surrounds names and values in LOCALS are told apart
// so that a decoder can see the decision that a name has changed.
const (
	PartEvent  Part = iota // frame_sep, the event or exit, and separators that follow from it
	PartSource             // SRC with the special token that ends it
	PartLocals             // punctuation of LOCALS: whether another name follows
	PartName               // a name in LOCALS, with its closing quote
	PartValue              // the value of a name, with its closing quote
	PartArg                // ARGS
	PartEnd                // what follows from all that was read: the last separator
)

// Part returns the part of the outcome to which the next byte or token belongs.
func (p *StateParser) Part() Part {
	switch p.phase {
	case atFrame, atEvent, atSource, atValues:
		return PartEvent
	case inSource:
		return PartSource
	case inObject, inFirst, inNext, inComma, inQuote:
		return PartLocals
	case inName, inColon, inSpace:
		return PartName
	case inOpen, inValue:
		return PartValue
	case inArgs, inArg:
		return PartArg
	}
	return PartEnd
}

// Event returns the event of the outcome, or NoEvent as long as it is not known.
func (p *StateParser) Event() statetree.Event { return p.event }

// Source returns SRC as far as it was read.
func (p *StateParser) Source() string {
	if p.phase == inSource {
		return string(p.raw[p.source.from:])
	}
	return string(p.in(p.source))
}

// Variable returns the name whose value is being read; "" outside values and for
// the unchanged mark.
func (p *StateParser) Variable() string {
	if p.Part() != PartValue || p.readsMark() {
		return ""
	}
	return unescapeJSON(string(p.in(p.current.name)))
}

// IsDifference reports whether the LOCALS read so far begins with the mark that
// stands for all names that it does not list.
func (p *StateParser) IsDifference() bool { return p.difference }

// Changed returns the names of LOCALS whose values were read so far, in order.
func (p *StateParser) Changed() []string {
	names := make([]string, len(p.entries))
	for i, e := range p.entries {
		names[i] = unescapeJSON(string(p.in(e.name)))
	}
	return names
}
