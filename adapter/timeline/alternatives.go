package timeline

import (
	"fmt"
	"slices"

	"github.com/neuraldbg/neuraldbg/model"
	"github.com/neuraldbg/neuraldbg/statetree"
)

// Ranked returns the entry's outcome and its alternatives, the most probable
// first, and the index of the one that the entry shows.
func (e *Entry) Ranked() (outcomes []model.Alternative, chosen int) {
	outcomes = append(outcomes, model.Alternative{Outcome: e.Outcome, Confidence: e.Confidence})
	for _, a := range e.Alternatives {
		if !a.Ended() || !e.Inferred() { // the beginning is no state to choose
			outcomes = append(outcomes, a)
		}
	}
	order := make([]int, len(outcomes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch pa, pb := outcomes[a].Confidence.State, outcomes[b].Confidence.State; {
		case pa > pb:
			return -1
		case pa < pb:
			return 1
		}
		return 0
	})
	ranked := make([]model.Alternative, len(order))
	for rank, i := range order {
		ranked[rank] = outcomes[i]
		if ranked[rank].State = shown(ranked[rank].State); i == 0 {
			chosen = rank
		}
	}
	return ranked, chosen
}

// Choose puts the outcome with an index in Ranked in the place of the one that
// the position shows. What was predicted from that one is dropped: what follows
// it, or, where it was predicted backward, what precedes it.
func (t *Timeline) Choose(index int) (Stop, error) {
	e := t.at(t.pos)
	outcomes, chosen := e.Ranked()
	switch {
	case index < 0 || index >= len(outcomes):
		return Stop{}, fmt.Errorf("there is no alternative %d; there are %d", index+1, len(outcomes))
	case e.Edited:
		return Stop{}, fmt.Errorf("this state was edited; what was predicted in its place is not known any more")
	case index == chosen:
		return t.Here(), nil
	}
	p := e.Prediction
	p.Outcome, p.Confidence = outcomes[index].Outcome, outcomes[index].Confidence
	p.Alternatives = slices.Delete(outcomes, index, index+1)
	if t.pos < t.origin {
		t.chooseBackward(p)
	} else {
		t.chooseForward(p)
	}
	return t.Here(), nil
}

func (t *Timeline) chooseBackward(p model.Prediction) {
	kind := t.at(t.pos).Action.Kind
	k := t.origin - 1 - t.pos
	e := t.precede(t.at(t.pos+1), p, kind)
	t.past = append(t.past[:k], e)
	t.begun = false
	closeSession(&t.inverse)
	clear(t.visited)
}

func (t *Timeline) chooseForward(p model.Prediction) {
	e := *t.at(t.pos)
	if t.pos > t.origin {
		e = t.follow(t.at(t.pos-1), p, e.Action)
	} else {
		// The forward session begins here. What was predicted backward from here
		// led to the other outcome.
		t.places.locate(&p.State, nil, statetree.Action{}, nil)
		e.Prediction, e.Stack = p, e.Stack.update(p.State)
		t.past, t.begun = nil, false
		closeSession(&t.inverse)
	}
	dropped := t.cut(t.pos) - 1
	t.future = append(t.future, e)
	closeSession(&t.forward) // it holds the other outcome
	clear(t.visited)
	t.noteCut(dropped)
}
