// Package expr evaluates Python expressions over predicted values: the
// conditions of breakpoints, log messages, watches, and the arguments of print.
//
// An expression is parsed once and evaluated any number of times. Names stand
// for reprs, the texts that a state has for its values; they become values when
// an expression uses them. Nothing of the user's program runs, nothing outside
// the expression is changed, and the session and its model are not asked.
//
// Expressions run in Starlark's interpreter, which can touch nothing and counts
// its steps. They are written in Python, so the syntax tree of Python is
// translated into Starlark's: names, literals, lambdas, comprehensions and
// conditional expressions are Starlark's own, and all that means something else
// there (operators, comparison, truth, attributes, calls, strings of characters,
// sets, f-strings) becomes a call of a function of this package. The answer is
// Python's, or an Error that says what is not supported or not known. It is
// never a guess: a value that its repr does not tell, because a limit cut it or
// because it is <an object>, can be shown, compared with None and passed on, but
// not computed with.
//
// The package must not know of models, sessions or the Debug Adapter Protocol.
package expr
