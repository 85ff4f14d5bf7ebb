package corpus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// structured is an argument of one of the types that have a shape of their own:
// graphs, trees, grids, texts that a program reads as commands. It reports false
// for a type that it does not know.
func (in *inputs) structured(t string) (string, bool) {
	r := in.random
	list := func(low, high int, item func(i int) string) string {
		return "[" + joined(r.between(low, high), item) + "]"
	}
	switch t {
	case "graph":
		return in.graph(), true
	case "node":
		return in.nodes[min(r.IntN(len(in.nodes)), r.IntN(len(in.nodes)))], true
	case "goal": // a node too, rather one of the last
		return in.nodes[max(r.IntN(len(in.nodes)), r.IntN(len(in.nodes)))], true
	case "edges":
		nodes := in.nodeNames(r.between(3, 5))
		return list(2, 4, func(int) string {
			at := r.IntN(len(nodes))
			return "(" + nodes[at] + ", " + nodes[(at+r.between(1, len(nodes)-1))%len(nodes)] + ")"
		}), true
	case "links", "fewlinks": // edges of a graph whose nodes are the numbers 0 to 4
		return list(2, map[string]int{"links": 4, "fewlinks": 3}[t], func(int) string {
			a := r.IntN(5)
			return fmt.Sprintf("(%d, %d)", a, (a+r.between(1, 4))%5)
		}), true
	case "lrud":
		return in.quoteText(joinedWith("", r.between(2, 6), func() string { return pick(r, []string{"L", "R", "U", "D"}) })), true
	case "deeplist":
		return in.nestedList(2), true
	case "config":
		return in.nestedDict(1), true
	case "tree":
		return in.tupleTree(2), true
	case "cells":
		width := r.between(2, 4)
		return list(2, 3, func(int) string {
			return in.quoteText(joinedWith("", width, func() string { return pick(r, []string{"#", ".", "."}) }))
		}), true
	case "board":
		marks := pick(r, [][]string{{"X", "O", "X", "O", " "}, {"X", "X", "O", "."}, {"x", "o", "x", "-"}})
		return list(3, 3, func(int) string {
			return in.quoteText(joinedWith("", 3, func() string { return pick(r, marks) }))
		}), true
	case "rpn":
		return in.quoteText(in.rpn(r.between(1, 3))), true
	case "sums":
		between := pick(r, []string{"", " "})
		operators := pick(r, [][]string{{"+"}, {"+", "-"}, {"+", "-", "*"}})
		text := strconv.Itoa(r.between(1, 20))
		for range r.between(1, 3) {
			text += between + pick(r, operators) + between + strconv.Itoa(r.between(1, 12))
		}
		return in.quoteText(text), true
	case "spans":
		return list(2, 4, func(int) string {
			low := r.between(0, 12)
			return fmt.Sprintf("(%d, %d)", low, low+r.between(1, 6))
		}), true
	case "tinyword":
		w := in.plainWord()
		if len(in.texts) > 0 && r.chance(0.5) {
			w = in.relative(pick(r, in.texts))
		}
		w = w[:min(len(w), 4)]
		in.texts = append(in.texts, w)
		return in.quoteText(w), true
	case "threeints":
		return list(2, pick(r, []int{2, 3}), func(int) string { return strconv.Itoa(r.between(1, 9)) }), true
	case "coins":
		return pick(r, []string{"[1, 2, 5]", "[1, 5, 10]", "[2, 5]", "[1, 3, 4]", "[2, 3]", "[5, 10, 20]", "[1, 2]", "[3, 5]", "[1, 10, 25]"}), true
	case "votes":
		candidates := []string{pick(r, people), pick(r, people), pick(r, people)}
		if r.chance(0.3) {
			candidates = pick(r, [][]string{{"yes", "no"}, {"red", "blue", "green"}, {"tea", "coffee"}, {"A", "B", "C"}})
		}
		in.texts = append(in.texts, candidates...)
		return list(3, 6, func(int) string { return in.quoteText(pick(r, candidates)) }), true
	case "rolls":
		return list(2, 5, func(int) string { return strconv.Itoa(r.between(1, 6)) }), true
	case "dishes":
		return list(2, 4, func(int) string {
			return in.quoteText(pick(r, []string{"tea", "coffee", "soup", "cake", "milk", "tea", "bread"}))
		}), true
	case "hand":
		return list(2, 4, func(int) string {
			return in.quoteText(pick(r, []string{"A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2"}))
		}), true
	case "orders":
		verbs := pick(r, [][]string{{"add", "sub"}, {"add", "mul", "sub"}, {"deposit", "withdraw"}, {"in", "out"}, {"push", "pop"}, {"buy", "sell"}})
		return list(2, 4, func(int) string {
			return "(" + in.quoteText(pick(r, verbs)) + ", " + strconv.Itoa(r.between(1, 20)) + ")"
		}), true
	case "commands":
		verbs := pick(r, [][]string{{"push", "push", "pop"}, {"add", "add", "undo"}, {"up", "down"}, {"forward", "back"}, {"inc", "dec"}, {"on", "off"}})
		return list(2, 5, func(int) string {
			verb := pick(r, verbs)
			switch verb {
			case "pop", "undo", "on", "off":
				return in.quoteText(verb)
			}
			return in.quoteText(verb + " " + strconv.Itoa(r.between(1, 9)))
		}), true
	case "members":
		return list(2, 3, func(int) string {
			return fmt.Sprintf("{%s: %s, %s: %d}", in.quoteText("name"), in.quoteText(pick(r, people)), in.quoteText("score"), r.between(1, 60))
		}), true
	}
	return "", false
}

func (in *inputs) quoteText(s string) string { return in.quote + s + in.quote }

// nodeNames are n names of a graph's nodes, as literals. They are remembered for
// arguments that name a node.
func (in *inputs) nodeNames(n int) []string {
	names := strings.Split(pick(in.random, []string{"a b c d e", "A B C D E", "s t u v w", "0 1 2 3 4", "1 2 3 4 5", "home shop park bank zoo", "x y z p q"}), " ")[:n]
	if _, err := strconv.Atoi(names[0]); err != nil {
		for i, name := range names {
			names[i] = in.quoteText(name)
		}
	}
	in.nodes = names
	return names
}

// graph is a dict from nodes to the lists of their neighbours, all of them
// keys of it.
func (in *inputs) graph() string {
	r := in.random
	nodes := in.nodeNames(r.between(3, 4))
	return "{" + joined(len(nodes), func(i int) string {
		var next []string
		for step := range pick(r, []int{0, 1, 1, 2, 2}) {
			// Mostly onward, so that walks get somewhere; now and then back.
			at := (i + 1 + step) % len(nodes)
			if at < i && r.chance(0.6) {
				continue
			}
			next = append(next, nodes[at])
		}
		return nodes[i] + ": [" + strings.Join(next, ", ") + "]"
	}) + "}"
}

// nestedList is a list of numbers and of such lists.
func (in *inputs) nestedList(depth int) string {
	r := in.random
	return "[" + joined(r.between(1, 3), func(int) string {
		if depth > 0 && r.chance(0.4) {
			return in.nestedList(depth - 1)
		}
		return strconv.Itoa(r.between(0, 12))
	}) + "]"
}

// nestedDict is a dict from names to numbers and to such dicts.
func (in *inputs) nestedDict(depth int) string {
	return in.dict(in.between(2, 3), func() string {
		if depth > 0 && in.chance(0.4) {
			return in.nestedDict(depth - 1)
		}
		return strconv.Itoa(in.between(0, 20))
	}).text
}

// tupleTree is a binary tree of tuples (left, value, right) with None for no
// tree.
func (in *inputs) tupleTree(depth int) string {
	r := in.random
	branch := func() string {
		if depth == 0 || r.chance(0.4) {
			return "None"
		}
		return in.tupleTree(depth - 1)
	}
	return fmt.Sprintf("(%s, %d, %s)", branch(), r.between(1, 20), branch())
}

// rpn is a formula in reverse Polish notation with so many operators.
func (in *inputs) rpn(operators int) string {
	r := in.random
	number := func() string { return strconv.Itoa(r.between(1, 9)) }
	parts := []string{number(), number()}
	held := 2
	for operators > 0 {
		if held > 1 && r.chance(0.6) {
			parts = append(parts, pick(r, []string{"+", "-", "*"}))
			held--
			operators--
		} else if held < 3 {
			parts = append(parts, number())
			held++
		}
	}
	for ; held > 1; held-- {
		parts = append(parts, pick(r, []string{"+", "*"}))
	}
	return strings.Join(parts, " ")
}

// namesSomething reports whether values of the type are taken from the other
// arguments, which are drawn first.
func namesSomething(t string) bool {
	return slices.Contains([]string{"char", "node", "goal", "key"}, t)
}
