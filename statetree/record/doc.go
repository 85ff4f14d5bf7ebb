// Package record runs Python programs under sys.settrace and reads back what
// they went through: it makes statetree.Recordings and trace files, which are
// the same thing on disk. It does not interpret what it records; which code a
// model is shown, and what a debugger action leads to, is decided elsewhere.
//
// Record runs one program in an interpreter of the user's choice (Python 3.9 or
// later, nothing to install: the tracer is embedded); Write does so without holding
// what it records. A Worker records many small, trusted programs in one interpreter.
//
// Open reads a trace file, a Reader reads one state by state. Entries lists the
// functions of traces, each a possible entry of a trajectory, and Extract takes
// activations of them out, as recordings of their own.
//
// # What is recorded
//
// Frames of the asked files only, of the main thread only, events as
// sys.settrace gives them. Beyond that:
//   - Comprehensions and generator expressions belong to the line that holds
//     them, whether the Python version gives them a frame or not.
//   - A call's line is that of its def (below the decorators), or of the yield
//     from which a generator resumes. The module's call has line 0 and no source.
//   - Modules and class bodies show no dunder names, modules, functions,
//     classes, and no methods that a decorator has wrapped.
//   - Memory addresses in reprs are dropped, reprs are cut at a length, and a
//     repr that raises becomes `<unrepresentable T: E>`.
//   - Python promises string hashes for a fixed PYTHONHASHSEED only. Unless the
//     caller's environment sets it, it is 0: recordings repeat.
//
// Shortly before Python's recursion limit there is no room for a trace function;
// the program then goes on untraced and its recording is Cut. It finds the room on
// the stack, the limit and sys.gettrace() as without the recorder. What it can tell
// a recorder by are frames below its own (not in a command's processes), counts of
// references, and, before Python 3.13, the order of locals().
//
// # Trace format, version 2
//
// A gzip stream of one or more members, of UTF-8 lines. Fields are separated by
// tabs; inside a field backslash, tab and newline are written \\, \t and \n. A file
// that ends anywhere is read up to its last whole record. While it is being written
// it is in two files, so that a run that is killed leaves everything up to its last
// event; see python/tracefile.py.
//
// A trace holds the run of one entry, or of one thread of a command. A thread's
// has many roots: activations that nothing recorded has called. The first line is
// the header, every other line a record:
//
//	neuraldbg-trace 2
//	P  META                          JSON: Python's version, the entry or thread
//	F  FILE PATH SOURCE              a file, when first needed; FILE counts from 0
//	K  CODE FILE QUALNAME LINE       a code object, the line of its def or 0;
//	                                 CODE counts from 0
//	C  ACTIVATION CODE LINE LOCALS.. call; ACTIVATION counts from 0
//	L  ACTIVATION LINE LOCALS...     line; the names that are new or have changed
//	M  ACTIVATION LINE LOCALS...     line; all names
//	R  ACTIVATION LINE REPR [~]      return
//	E  ACTIVATION LINE REPR [~]      exception
//	X  EXIT                          the end: normal or error
//	Z  REASON                        the end: the recording was cut
//	!  MESSAGE                       the end: nothing could be recorded
//
// LOCALS are pairs of name and repr; ~ before the name, or after an ARGS repr,
// says that the repr was cut. New names come after those known so far. A trace
// without an end was cut short. Version 1, which can be read too, had no LINE in K.
package record
