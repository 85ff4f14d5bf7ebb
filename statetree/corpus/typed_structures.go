package corpus

import (
	"fmt"
	"strconv"
	"strings"
)

// structureTypes are those that have a shape of their own: graphs, trees, grids, and
// what a program reads as commands. No pipeline makes them or hands them on.
var structureTypes = map[string]argumentType{
	"graph": {draw: (*inputs).graph},
	"node":  {draw: func(in *inputs) string { return in.nodes[min(in.IntN(len(in.nodes)), in.IntN(len(in.nodes)))] }},
	// A node too, rather one of the last.
	"goal": {draw: func(in *inputs) string { return in.nodes[max(in.IntN(len(in.nodes)), in.IntN(len(in.nodes)))] }},
	"edges": {draw: func(in *inputs) string {
		nodes := in.nodeNames(in.between(3, 5))
		return in.listOf(2, 4, func() string {
			at := in.IntN(len(nodes))
			return "(" + nodes[at] + ", " + nodes[(at+in.between(1, len(nodes)-1))%len(nodes)] + ")"
		})
	}},
	// Edges of a graph whose nodes are the numbers 0 to 4.
	"links":    {draw: func(in *inputs) string { return in.links(4) }},
	"fewlinks": {draw: func(in *inputs) string { return in.links(3) }},
	// As moves, but down to two, and no later argument refers to them.
	"lrud": {draw: func(in *inputs) string {
		return in.quoted(joinedWith("", in.between(2, 6), func() string { return pick(in.random, []string{"L", "R", "U", "D"}) }))
	}},
	// Dicts in dicts as deep as they happen to be; those of dictofdicts have two levels.
	"config": {draw: func(in *inputs) string { return in.nestedDict(1) }},
	"tree":   {draw: func(in *inputs) string { return in.tupleTree(2) }},
	"cells": {draw: func(in *inputs) string {
		width := in.between(2, 4)
		return in.listOf(2, 3, func() string {
			return in.quoted(joinedWith("", width, func() string { return pick(in.random, []string{"#", ".", "."}) }))
		})
	}},
	"board": {draw: func(in *inputs) string {
		marks := pick(in.random, [][]string{{"X", "O", "X", "O", " "}, {"X", "X", "O", "."}, {"x", "o", "x", "-"}})
		return in.listOf(3, 3, func() string {
			return in.quoted(joinedWith("", 3, func() string { return pick(in.random, marks) }))
		})
	}},
	"rpn": {draw: func(in *inputs) string { return in.quoted(in.rpn(in.between(1, 3))) }},
	// Longer than a formula.
	"sums": {draw: func(in *inputs) string {
		between := pick(in.random, []string{"", " "})
		operators := pick(in.random, [][]string{{"+"}, {"+", "-"}, {"+", "-", "*"}})
		text := in.numeral(1, 20)
		for range in.between(1, 3) {
			text += between + pick(in.random, operators) + between + in.numeral(1, 12)
		}
		return in.quoted(text)
	}},
	// Intervals as tuples.
	"spans": {draw: func(in *inputs) string {
		return in.listOf(2, 4, func() string {
			low := in.between(0, 12)
			return fmt.Sprintf("(%d, %d)", low, low+in.between(1, 6))
		})
	}},
	"threeints": {draw: func(in *inputs) string { return bracketed(in.draws(2, pick(in.random, []int{2, 3}), 1, 9)) }},
	"coins": {draw: func(in *inputs) string {
		return pick(in.random, []string{"[1, 2, 5]", "[1, 5, 10]", "[2, 5]", "[1, 3, 4]", "[2, 3]", "[5, 10, 20]", "[1, 2]", "[3, 5]", "[1, 10, 25]"})
	}},
	"votes": {draw: func(in *inputs) string {
		candidates := []string{pick(in.random, people), pick(in.random, people), pick(in.random, people)}
		if in.chance(0.3) {
			candidates = pick(in.random, [][]string{{"yes", "no"}, {"red", "blue", "green"}, {"tea", "coffee"}, {"A", "B", "C"}})
		}
		in.texts = append(in.texts, candidates...)
		return in.listOf(3, 6, func() string { return in.quoted(pick(in.random, candidates)) })
	}},
	"rolls": {draw: func(in *inputs) string { return bracketed(in.draws(2, 5, 1, 6)) }},
	"dishes": {draw: func(in *inputs) string {
		return in.listOf(2, 4, func() string {
			return in.quoted(pick(in.random, []string{"tea", "coffee", "soup", "cake", "milk", "tea", "bread"}))
		})
	}},
	"hand": {draw: func(in *inputs) string {
		return in.listOf(2, 4, func() string {
			return in.quoted(pick(in.random, []string{"A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2"}))
		})
	}},
	"orders": {draw: func(in *inputs) string {
		verbs := pick(in.random, [][]string{{"add", "sub"}, {"add", "mul", "sub"}, {"deposit", "withdraw"}, {"in", "out"}, {"push", "pop"}, {"buy", "sell"}})
		return in.listOf(2, 4, func() string {
			return "(" + in.quoted(pick(in.random, verbs)) + ", " + in.numeral(1, 20) + ")"
		})
	}},
	"commands": {draw: func(in *inputs) string {
		verbs := pick(in.random, [][]string{{"push", "push", "pop"}, {"add", "add", "undo"}, {"up", "down"}, {"forward", "back"}, {"inc", "dec"}, {"on", "off"}})
		return in.listOf(2, 5, func() string {
			verb := pick(in.random, verbs)
			switch verb {
			case "pop", "undo", "on", "off":
				return in.quoted(verb)
			}
			return in.quoted(verb + " " + in.numeral(1, 9))
		})
	}},
	// Records with a score.
	"members": {draw: func(in *inputs) string {
		return in.listOf(2, 3, func() string {
			return fmt.Sprintf("{%s: %s, %s: %d}", in.quoted("name"), in.quoted(pick(in.random, people)), in.quoted("score"), in.between(1, 60))
		})
	}},
}

// nodeNames are n names of a graph's nodes, as literals. They are remembered for
// arguments that name a node.
func (in *inputs) nodeNames(n int) []string {
	names := strings.Split(pick(in.random, []string{"a b c d e", "A B C D E", "s t u v w", "0 1 2 3 4", "1 2 3 4 5", "home shop park bank zoo", "x y z p q"}), " ")[:n]
	if _, err := strconv.Atoi(names[0]); err != nil {
		for i, name := range names {
			names[i] = in.quoted(name)
		}
	}
	in.nodes = names
	return names
}

// links is a list of two to most edges of a graph whose nodes are numbers.
func (in *inputs) links(most int) string {
	return in.listOf(2, most, func() string {
		a := in.IntN(5)
		return fmt.Sprintf("(%d, %d)", a, (a+in.between(1, 4))%5)
	})
}

// graph is a dict from nodes to the lists of their neighbours, all of them
// keys of it.
func (in *inputs) graph() string {
	nodes := in.nodeNames(in.between(3, 4))
	return "{" + joined(len(nodes), func(i int) string {
		var next []string
		for step := range pick(in.random, []int{0, 1, 1, 2, 2}) {
			// Mostly onward, so that walks get somewhere; now and then back.
			at := (i + 1 + step) % len(nodes)
			if at < i && in.chance(0.6) {
				continue
			}
			next = append(next, nodes[at])
		}
		return nodes[i] + ": [" + strings.Join(next, ", ") + "]"
	}) + "}"
}

// nestedDict is a dict from names to numbers and to such dicts.
func (in *inputs) nestedDict(depth int) string {
	return in.dict(in.between(2, 3), func() string {
		if depth > 0 && in.chance(0.4) {
			return in.nestedDict(depth - 1)
		}
		return in.numeral(0, 20)
	}).text
}

// tupleTree is a binary tree of tuples (left, value, right) with None for no
// tree.
func (in *inputs) tupleTree(depth int) string {
	branch := func() string {
		if depth == 0 || in.chance(0.4) {
			return "None"
		}
		return in.tupleTree(depth - 1)
	}
	return fmt.Sprintf("(%s, %d, %s)", branch(), in.between(1, 20), branch())
}

// rpn is a formula in reverse Polish notation with so many operators.
func (in *inputs) rpn(operators int) string {
	number := func() string { return in.numeral(1, 9) }
	parts := []string{number(), number()}
	held := 2
	for operators > 0 {
		if held > 1 && in.chance(0.6) {
			parts = append(parts, pick(in.random, []string{"+", "-", "*"}))
			held--
			operators--
		} else if held < 3 {
			parts = append(parts, number())
			held++
		}
	}
	for ; held > 1; held-- {
		parts = append(parts, pick(in.random, []string{"+", "*"}))
	}
	return strings.Join(parts, " ")
}
