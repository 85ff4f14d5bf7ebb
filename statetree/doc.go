// Package statetree is the domain of neuraldbg: what a program state is, which
// debugger actions lead from one state to another, and how a recorded execution
// becomes a tree in which every action has an exact answer.
//
// It follows "Towards a Neural Debugger for Python" (arXiv 2603.09951, sections
// 4.1 and 4.2). A Recording is the flat list of states that CPython went
// through. A Tree groups them into levels, one level an activation of a code
// object, and owns the only implementation of the transitions: a Cursor walks
// a Tree by Actions, replay serves what it finds, the dataset samples it, and
// the evaluation compares with it. A Trajectory is such a walk written down.
//
// The package uses the standard library only. It must not know of tokens, of
// models or of the Debug Adapter Protocol. States hold no pointers into a tree,
// so they can be stored, compared and sent anywhere.
package statetree
