package statetree

// Plan carries an action out by smaller ones where no tree has the answer: it is
// told each state that single steps lead to, and says which of them is the
// action's target, as Cursor.Go finds it on a tree. Debuggers that run programs
// call it a thread plan.
//
// The steps are step_into and step_over, or their inverse; a step_over is one that
// leaves no target out, which Passes tells for the calls that it goes over. An
// exit ends every plan: it is no state, and the plan is not told.
//
// A Plan is a value: copying it clones it.
type Plan struct {
	action Action
	// depth is how many activations were entered and not left since the plan
	// began; negative once that in which it began was left.
	depth int
}

// NewPlan begins an action at the state that it is taken from, which does not
// matter: a level that has ended there is its caller's business already.
func NewPlan(a Action) Plan { return Plan{action: a} }

// Action returns the action that is carried out.
func (p *Plan) Action() Action { return p.action }

// Arrive takes the next state, and reports whether it is the target.
func (p *Plan) Arrive(s *State) bool {
	if s.Event.Enters() {
		p.depth++
	}
	depth := p.depth // of the activation that the state belongs to
	if s.Event.Leaves() {
		p.depth--
	}
	switch p.action.Kind {
	case StepInto, InvStepInto:
		return true
	case StepOver, InvStepOver:
		return depth <= 0 && !s.Event.Enters()
	case StepReturn, InvStepCall:
		return depth <= 0 && s.Event.Leaves()
	case Breakpoint:
		return s.Event.StopsAtBreakpoint() && s.Source == p.action.Source
	}
	return false // continue has no target but the exit
}

// Passes reports whether nothing can be the target between a state that enters an
// activation, which is the last that the plan was told or the one that it began
// at, and the state that leaves it.
func (p *Plan) Passes(entered *State) bool {
	if !entered.Event.Enters() {
		return false
	}
	switch p.action.Kind {
	case StepOver, InvStepOver:
		return p.depth > 0
	case StepReturn, InvStepCall, Continue:
		return true
	}
	return false
}
