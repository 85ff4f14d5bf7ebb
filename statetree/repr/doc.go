// Package repr turns Python reprs into values in a tree, and back.
//
// A program state holds the repr of every variable. The package reads them so
// that a debugger can unfold collections and objects, an evaluation can compare
// values rather than texts, and conditions can be computed. It never evaluates:
// what is not the repr of a type that it knows is Text, and a Text is a value
// like any other.
//
// A Value is one node: [1, 'a'] is a List with two Children, an Int whose Text
// is 1 and a String whose Text is a. Reprs of any size and depth are read in
// linear time; below a limit of nesting the rest is Text.
package repr
