package cwm

import (
	"fmt"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// The special tokens of a trace.
const (
	beginOfText  = "<|begin_of_text|>"
	endOfText    = "<|end_of_text|>"
	contextStart = "<|trace_context_start|>"
	frameSep     = "<|frame_sep|>"
	actionSep    = "<|action_sep|>"
	argSep       = "<|arg_sep|>"
	callSep      = "<|call_sep|>"
	lineSep      = "<|line_sep|>"
	returnSep    = "<|return_sep|>"
	exceptionSep = "<|exception_sep|>"
)

// FrameEnd is the special token that ends a frame.
const FrameEnd = frameSep

// StartMark stands behind the line at which a trace begins.
const StartMark = "  # << START_OF_TRACE"

// Specials lists the special tokens that the dialect needs.
func Specials() []string {
	return []string{beginOfText, endOfText, contextStart, frameSep, actionSep, argSep, callSep, lineSep, returnSep, exceptionSep}
}

// reservedCount is how many ids follow those of a CWM rank file.
const reservedCount = 256

// reserved are those that have a meaning, by their place among the reserved.
var reserved = map[int]string{
	0: beginOfText, 1: endOfText, 4: "<|pad|>",
	6: "<|start_header_id|>", 7: "<|end_header_id|>", 8: "<|eom_id|>", 9: "<|eot_id|>",
	100: frameSep, 101: actionSep, 102: returnSep, 103: callSep, 104: lineSep, 105: exceptionSep, 106: argSep,
	107: contextStart, 120: "<|reasoning_thinking_start|>", 121: "<|reasoning_thinking_end|>",
}

// ReservedTokens are the special tokens of CWM's tokenizer in the order of their
// ids, which follow those of its rank file (tokenizer.LoadRanks).
func ReservedTokens() []string {
	tokens := make([]string, reservedCount)
	for i := range tokens {
		if name, ok := reserved[i]; ok {
			tokens[i] = name
		} else {
			tokens[i] = fmt.Sprintf("<|reserved_special_token_%d|>", i)
		}
	}
	return tokens
}

var eventTokens = map[statetree.Event]string{
	statetree.Call: callSep, statetree.Line: lineSep, statetree.Return: returnSep, statetree.Exception: exceptionSep,
}
