package grammar

import (
	"fmt"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Special is one of the closed set of special tokens. A tokenizer has one id for
// each of them.
type Special uint8

// The special tokens of both directions. NoSpecial marks a segment of text.
const (
	NoSpecial Special = iota
	BeginOfText
	EndOfText
	TraceContextStart
	TraceEnd
	FrameSep
	ActionSep
	SrcSep
	ArgSep
	CallSep
	LineSep
	ReturnSep
	ExceptionSep
	StepInto
	StepOver
	StepReturn
	Breakpoint
	Continue
	ExitNormal
	ExitError
	ExitNever
	InvCallSep
	InvLineSep
	InvReturnSep
	InvExceptionSep
	InvLineCallSep
	InvStepInto
	InvStepOver
	InvStepCall
	InvExitEntry
	endOfSpecials
)

var specialNames = [endOfSpecials]string{
	NoSpecial:         "",
	BeginOfText:       "<|begin_of_text|>",
	EndOfText:         "<|end_of_text|>",
	TraceContextStart: "<|trace_context_start|>",
	TraceEnd:          "<|trace_end|>",
	FrameSep:          "<|frame_sep|>",
	ActionSep:         "<|action_sep|>",
	SrcSep:            "<|src_sep|>",
	ArgSep:            "<|arg_sep|>",
	CallSep:           "<|call_sep|>",
	LineSep:           "<|line_sep|>",
	ReturnSep:         "<|return_sep|>",
	ExceptionSep:      "<|exception_sep|>",
	StepInto:          "<|step_into|>",
	StepOver:          "<|step_over|>",
	StepReturn:        "<|step_return|>",
	Breakpoint:        "<|breakpoint|>",
	Continue:          "<|continue|>",
	ExitNormal:        "<|exit_normal|>",
	ExitError:         "<|exit_error|>",
	ExitNever:         "<|exit_never|>",
	InvCallSep:        "<|inv_call_sep|>",
	InvLineSep:        "<|inv_line_sep|>",
	InvReturnSep:      "<|inv_return_sep|>",
	InvExceptionSep:   "<|inv_exception_sep|>",
	InvLineCallSep:    "<|inv_line_call_sep|>",
	InvStepInto:       "<|inv_step_into|>",
	InvStepOver:       "<|inv_step_over|>",
	InvStepCall:       "<|inv_step_call|>",
	InvExitEntry:      "<|inv_exit_entry|>",
}

// String returns the token as it is written, such as "<|frame_sep|>".
func (s Special) String() string {
	if s < endOfSpecials {
		return specialNames[s]
	}
	return fmt.Sprintf("special(%d)", uint8(s))
}

// Specials returns all special tokens in their fixed order. New ones are only
// ever added at the end.
func Specials() []Special {
	all := make([]Special, 0, endOfSpecials-1)
	for s := NoSpecial + 1; s < endOfSpecials; s++ {
		all = append(all, s)
	}
	return all
}

var eventSpecials = map[statetree.Event]Special{
	statetree.Call: CallSep, statetree.Line: LineSep,
	statetree.Return: ReturnSep, statetree.Exception: ExceptionSep,
	statetree.InvCall: InvCallSep, statetree.InvLine: InvLineSep,
	statetree.InvReturn: InvReturnSep, statetree.InvException: InvExceptionSep,
	statetree.InvLineCall: InvLineCallSep,
}

var actionSpecials = map[statetree.ActionKind]Special{
	statetree.StepInto: StepInto, statetree.StepOver: StepOver,
	statetree.StepReturn: StepReturn, statetree.Breakpoint: Breakpoint,
	statetree.Continue:    Continue,
	statetree.InvStepInto: InvStepInto, statetree.InvStepOver: InvStepOver,
	statetree.InvStepCall: InvStepCall,
}

var exitSpecials = map[statetree.Exit]Special{
	statetree.ExitNormal: ExitNormal, statetree.ExitError: ExitError,
	statetree.ExitNever: ExitNever, statetree.ExitEntry: InvExitEntry,
}

// The same, the other way round.
var (
	specialEvents  [endOfSpecials]statetree.Event
	specialActions [endOfSpecials]statetree.ActionKind
	specialExits   [endOfSpecials]statetree.Exit
)

func init() {
	for e, s := range eventSpecials {
		specialEvents[s] = e
	}
	for a, s := range actionSpecials {
		specialActions[s] = a
	}
	for x, s := range exitSpecials {
		specialExits[s] = x
	}
}

// Event returns the event that the token stands for, or NoEvent.
func (s Special) Event() statetree.Event { return specialEvents[s] }

// Action returns the kind of action that the token stands for, or NoAction.
func (s Special) Action() statetree.ActionKind { return specialActions[s] }

// Exit returns the exit that the token stands for, or NoExit.
func (s Special) Exit() statetree.Exit { return specialExits[s] }
