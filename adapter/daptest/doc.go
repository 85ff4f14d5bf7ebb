// Package daptest drives a debug adapter without an editor: a client of the
// Debug Adapter Protocol that reads like a script of the conversation.
//
//	c, err := daptest.Start(ctx, "neuraldbg", "dap")
//	s := daptest.NewScript(t, c)
//	s.Initialize()
//	s.Launch(map[string]any{"program": "/tmp/count.py", "entry": "count('berry', 'r')"})
//	s.SetBreakpoints("/tmp/count.py", 4)
//	s.ConfigurationDone()
//	s.ExpectStopped("entry")
//	s.Continue()
//	s.ExpectStopped("breakpoint")
//	s.ExpectLine(4)
//	s.ExpectLocal("n", "0")
//
// A Client's methods return errors, for programs that are no tests; a Script
// has the same conversation with failures reported to a test. Any adapter can
// be driven: over a subprocess's standard input and output, a TCP address, or a
// function that serves one connection in this process.
//
// Every message received is kept: events are waited for by name and taken once,
// responses belong to their requests, and Transcript shows the order in which
// all of them came. The package must not know the adapter.
package daptest
