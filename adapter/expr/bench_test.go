package expr_test

import (
	"context"
	"testing"

	"github.com/neuraldbg/neuraldbg/adapter/expr"
)

// BenchmarkEval is what a condition costs at every state that is passed.
func BenchmarkEval(b *testing.B) {
	for _, text := range []string{"n > 3", "s[0] == 'b' and n < 10", "f'{n}: {s!r}'", "sum(x * x for x in range(100))"} {
		b.Run(text, func(b *testing.B) {
			e, err := expr.Parse(text)
			if err != nil {
				b.Fatal(err)
			}
			scope := scopeOf(map[string]string{"n": "7", "s": "'berry'"})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Eval(context.Background(), scope); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			if _, err := expr.Parse("s[0] == 'b' and n < 10"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
