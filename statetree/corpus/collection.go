package corpus

import "iter"

// Collection is cases that can be had from any one on: a range of them is the
// same whoever asks for it, and whatever was asked before.
type Collection interface {
	// Len is the number of cases.
	Len() int
	// Range yields the cases from one index up to another, which it leaves out.
	// An error ends the sequence.
	Range(from, to int) iter.Seq2[Case, error]
	// Provenance says what the cases come from.
	Provenance() Provenance
	// Foreign tells how cases that others have written are run; nil are the
	// generator's own.
	Foreign() *Foreign
}

// Foreign says how programs are run that others have written: confined, so that
// they cannot write files, start processes or open sockets.
type Foreign struct {
	// ImportPath are the folders from which they import, before Python's own.
	ImportPath []string
}

// Provenance says what a corpus was made from, for those who use it.
type Provenance struct {
	// Name is short, such as "generated/1" or "tree/toolz".
	Name string `json:"name"`
	// Files, Functions and Entries count what was found: files of code, functions
	// that are called, calls.
	Files     int `json:"files,omitempty"`
	Functions int `json:"functions,omitempty"`
	Entries   int `json:"entries"`
	// Dropped counts what was found and is no entry, by the reason.
	Dropped map[string]int `json:"dropped,omitempty"`
	// Licences are those of the code.
	Licences []Licence `json:"licences,omitempty"`
}
