package statetree

// Possible returns what an action can lead to from a state of an event, by the
// rules of the tree alone: the events of its target, and the exits. It is nil
// twice for an action that is not offered there. Decoders use it to rule out
// what no tree holds.
func Possible(from Event, k ActionKind) (events []Event, exits []Exit) {
	if !Offered(from, k) {
		return nil, nil
	}
	anyEnd := []Exit{ExitNormal, ExitError, ExitNever}
	switch k {
	case StepInto:
		if from == Return {
			return []Event{Call, Line, Return, Exception}, []Exit{ExitNormal, ExitError}
		}
		return []Event{Call, Line, Return, Exception}, nil
	case StepOver:
		if from == Return {
			return []Event{Line, Return, Exception}, []Exit{ExitNormal, ExitError}
		}
		return []Event{Line, Return, Exception}, []Exit{ExitNever}
	case StepReturn:
		return []Event{Return}, []Exit{ExitNever}
	case Breakpoint:
		return []Event{Call, Line}, anyEnd
	case Continue:
		return nil, anyEnd
	case InvStepInto:
		switch from {
		case InvLineCall:
			return []Event{InvReturn}, nil
		case InvCall: // a call before this one under the same line, or the line
			return []Event{InvCall, InvLine, InvReturn, InvException}, []Exit{ExitEntry}
		}
		return []Event{InvCall, InvLine, InvException, InvLineCall}, nil
	case InvStepOver:
		switch from {
		case InvLineCall:
			return []Event{InvCall, InvLine, InvException}, nil
		case InvCall:
			return []Event{InvCall, InvLine, InvException}, []Exit{ExitEntry}
		}
		return []Event{InvCall, InvLine, InvException, InvLineCall}, nil
	case InvStepCall:
		return []Event{InvCall}, nil
	}
	return nil, nil
}
