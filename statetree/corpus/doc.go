// Package corpus is where programs to learn from come from: a generator of
// small Python programs in the manner of CruxEval (arXiv 2401.03065), calls with
// literal arguments in the doctests and assertions of people's code, such calls with
// varied arguments, and JSON lines of code and input. It also records them in bulk.
//
// A Case is a source text with an entry. A Generator makes them: terminating
// programs with inputs that suit them, where case i depends on (seed, i) and the
// Style alone. Most are people's: idioms, the functions that are written again and
// again, from text with slots in the folder idioms, called with arguments that suit
// them (argumentTypes); pipelines, in which a function hands its arguments on to
// several idioms. The others are random, typed functions, and relays, which hand
// arguments on to several of those. Drills, which a DrillStyle asks for, are a
// corpus of their own: a function that is a row of single operations, of many sorts, or
// of one kind with the pieces in drills/drills.txt (drillKind). What a Style and a seed
// give is not to change: datasets were made from it.
//
// Record runs cases through Python and keeps the recordings that are within limits, in
// the order of the cases, whatever the number of workers.
//
// A Collection is cases that can be had from any one on: Generated, Tree, JSONL.
// Each says what it was made from and under what licences (Provenance). Programs
// that other people have written run confined (Foreign): they cannot write files,
// start processes or open sockets, and have limits of time and memory.
//
// The package must not know of tokens or of models, nor interpret recordings
// beyond counting them and refusing those that are too large.
package corpus
