// Package record runs Python programs under sys.settrace and reads back what
// they went through: it makes statetree.Recordings and trace files, which are
// the same thing on disk. It does not interpret what it records; which code a
// model is shown, and what a debugger action leads to, is decided elsewhere.
//
// Record runs one program in an interpreter of the user's choice (Python 3.9 or
// later, nothing to install: the tracer is embedded). Open reads a trace file.
// A Worker records many small, trusted programs in one interpreter.
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
// A program that reaches Python's recursion limit leaves no room for a trace
// function; it then goes on untraced and its recording is Cut.
//
// # Trace format, version 1
//
// A gzip stream of UTF-8 lines. Fields are separated by tabs; inside a field
// backslash, tab and newline are written \\, \t and \n. Python writes each
// record at once, so a run that is killed leaves everything up to its last
// event; a file that ends anywhere is read up to its last whole record. The
// first line is the header, every other line a record:
//
//	neuraldbg-trace 1
//	P  META                          JSON: Python's version and the entry
//	F  FILE PATH SOURCE              a file, when first needed; FILE counts from 0
//	K  CODE FILE QUALNAME            a code object; CODE counts from 0
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
// without an end was cut short.
package record
