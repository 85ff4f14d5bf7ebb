package source_test

import (
	"testing"

	"github.com/neuraldbg/neuraldbg/statetree"
	"github.com/neuraldbg/neuraldbg/statetree/source"
)

// benchmarkProgram has 15 lines, as the generator's programs have.
const benchmarkProgram = `def count(s, t):
    n = 0
    for c in s:
        n += int(c == t)
    return n

def other(a, b=3):
    x = [i * a for i in range(b)]
    while x:
        y = x.pop()
        if y > 3:
            break
    return count(str(y), "3")

LIMIT = 3
`

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := source.Parse("x.py", []byte(benchmarkProgram)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkContext(b *testing.B) {
	f := parse(b, benchmarkProgram)
	entry, err := source.ParseEntry("other(2)", f)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := source.Context(f, entry); err != nil {
			b.Fatal(err)
		}
	}
}

// benchmarkContext is the CODE of a call in benchmarkProgram.
func benchmarkContext(b *testing.B) statetree.Program {
	b.Helper()
	f := parse(b, benchmarkProgram)
	entry, err := source.ParseEntry("other(2)", f)
	if err != nil {
		b.Fatal(err)
	}
	program, err := source.Context(f, entry)
	if err != nil {
		b.Fatal(err)
	}
	return program
}

func BenchmarkNewFlow(b *testing.B) {
	program := benchmarkContext(b)
	for b.Loop() {
		if _, err := source.NewFlow(program); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTargets(b *testing.B) {
	program := benchmarkContext(b)
	flow, err := source.NewFlow(program)
	if err != nil {
		b.Fatal(err)
	}
	at := flow.Locate(statetree.Line, "    for c in s:")
	for b.Loop() {
		flow.Targets(statetree.StepInto, at)
	}
}
