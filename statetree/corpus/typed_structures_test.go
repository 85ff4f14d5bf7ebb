package corpus

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// drawInputs calls check with the inputs of many programs.
func drawInputs(check func(in *inputs)) {
	for seed := range uint64(300) {
		check(&inputs{program: newProgram(newRandom(seed, 1), DefaultStyle())})
	}
}

var graphEntry = regexp.MustCompile(`([^\s{,\[]+): \[([^\]]*)\]`)

// TestGraphs checks that a walk in a graph finds each neighbour, and that nodes
// among the arguments are the graph's.
func TestGraphs(t *testing.T) {
	edges := 0
	drawInputs(func(in *inputs) {
		values := in.ofTypes([]string{"node", "graph", "goal"})
		var nodes, neighbours []string
		for _, entry := range graphEntry.FindAllStringSubmatch(values[1], -1) {
			nodes = append(nodes, entry[1])
			if entry[2] != "" {
				neighbours = append(neighbours, strings.Split(entry[2], ", ")...)
			}
		}
		edges += len(neighbours)
		for _, n := range append(neighbours, values[0], values[2]) {
			if !slices.Contains(nodes, n) {
				t.Errorf("%s is no node of %s", n, values[1])
			}
		}
	})
	if edges < 600 {
		t.Errorf("300 graphs have %d edges", edges)
	}
}

// TestReversePolish checks that each operator finds two operands and that one
// value is left.
func TestReversePolish(t *testing.T) {
	drawInputs(func(in *inputs) {
		text := in.typed("rpn")
		held := 0
		for token := range strings.FieldsSeq(strings.Trim(text, `'"`)) {
			if _, err := strconv.Atoi(token); err == nil {
				held++
			} else if held--; held < 1 {
				t.Errorf("%s: an operator without operands", text)
			}
		}
		if held != 1 {
			t.Errorf("%s leaves %d values", text, held)
		}
	})
}

func TestStructuredForms(t *testing.T) {
	forms := map[string]string{
		"edges":    `^\[(\(\S+, \S+\)(, )?){2,4}\]$`,
		"links":    `^\[(\([0-4], [0-4]\)(, )?){2,4}\]$`,
		"lrud":     `^.[LRUD]{2,6}.$`,
		"deep":     `^\[[\[\]\d, ]*\]$`,
		"tree":     `^\((None|\(.*\)), \d+, (None|\(.*\))\)$`,
		"cells":    `^\[(.[#.]{2,4}.(, )?){2,3}\]$`,
		"board":    `^\[(.[XOxo .-]{3}.(, )?){3}\]$`,
		"sums":     `^.\d+( ?[-+*] ?\d+){1,3}.$`,
		"spans":    `^\[(\(\d+, \d+\)(, )?){2,4}\]$`,
		"tinyword": `^.[a-z]{2,4}.$`,
		"rolls":    `^\[([1-6](, )?){2,5}\]$`,
		"members":  `^\[(\{.name.: .[a-z]+., .score.: \d+\}(, )?){2,3}\]$`,
		"commands": `^\[(.[a-z]+( \d)?.(, )?){2,5}\]$`,
		"orders":   `^\[(\(.[a-z]+., \d+\)(, )?){2,4}\]$`,
	}
	for name, form := range forms {
		pattern := regexp.MustCompile(form)
		drawInputs(func(in *inputs) {
			if value := in.typed(name); !pattern.MatchString(value) {
				t.Errorf("%s: %s", name, value)
			}
		})
	}
}
