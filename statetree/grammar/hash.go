package grammar

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// version names the grammar. It changes with every change of what a text says.
const version = "neuraldbg 1"

// choices are the points that the paper leaves open, as this package decides
// them. Rewording one changes Hash, so reword only with a change of meaning.
var choices = []string{
	"exception states are written like return states, in both directions",
	"forward, a state of another activation in between makes a line full",
	"inverse lines always begin with the unchanged mark; without a base it stands alone",
	"a start or edited state is full; one only partly known begins with the unchanged mark",
	"the action_sep after a state belongs to the state",
	"bytes that are no UTF-8 are written as U+FFFD",
}

// Hash identifies the grammar. A checkpoint carries the hash of the grammar that
// it was trained with, and one of another grammar is refused.
func Hash() string {
	h := sha256.New()
	fmt.Fprintln(h, version)
	for _, s := range Specials() {
		fmt.Fprintln(h, s)
	}
	for _, c := range choices {
		fmt.Fprintln(h, c)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
