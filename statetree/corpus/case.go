package corpus

// Case is one program with what to run of it.
type Case struct {
	// Index numbers the cases of a source from 0.
	Index uint64
	// Source is the program's text.
	Source string
	// Entry is a call expression such as `f('berry', 'r')`; empty runs the
	// module.
	Entry string
	// Never says that the program is known not to end.
	Never bool
	// Output is the expected result as Python source, where one is known.
	Output string
	// ID is the case's name in the data set it comes from; empty otherwise.
	ID string
}
