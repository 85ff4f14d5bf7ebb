// Package source says what the syntax tree of a Python file tells about it,
// without running anything: which lines a trace function would be called for,
// which functions there are, what a line calls, which blocks an entry can
// reach, and which states can follow which.
//
// A File is one parsed file. Context cuts the CODE of the grammar out of it: a
// statetree.Program. A Flow answers, for a Program, which states a debugger
// action can lead to; a decoder uses it to forbid the impossible, and a reader
// of the text form uses it to tell identical lines apart. A Trail answers the same
// more narrowly, since it knows the states before: which calls are open, and which
// names are bound.
//
// Lines count from 1. Columns count from 1 too and are in bytes of UTF-8, as in
// go/token; whoever speaks a protocol with other units converts. Line ends are
// normalised to a single line feed and text to UTF-8 when a file is read, so
// that offsets refer to File.Text and not to the bytes on disk.
//
// The line events are those of CPython 3.11. Since they follow from its
// bytecode and not from its grammar, the package has a small model of that
// compiler (compile*.go): it emits instructions that know their line, whether
// they can raise, and what they call, but no operands.
//
// Trees are parsed with tree-sitter and copied into Go memory at once, so no C
// memory outlives Parse. The package must not know of tokens, models or the
// Debug Adapter Protocol, and starts no process.
package source
