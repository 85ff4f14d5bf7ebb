package corpus

// Case is one program with what to run of it.
type Case struct {
	// Index numbers the cases of a source from 0.
	Index uint64
	// Source is the program's text.
	Source string
	// Path is the File of the program's states; empty is ProgramFile.
	Path string
	// Module is the dotted name of the module that the program is, if it belongs
	// to a package.
	Module string
	// Entry is a call expression such as `f('berry', 'r')`; empty runs the
	// module.
	Entry string
	// Never says that the program is known not to end.
	Never bool
	// Output is the expected result as Python source, where one is known.
	Output string
	// ID is the case's name in the dataset it comes from; empty otherwise.
	ID string
}

// path is the File of the program's states.
func (c *Case) path() string {
	if c.Path == "" {
		return ProgramFile
	}
	return c.Path
}
