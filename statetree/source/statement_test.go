package source

import "testing"

func TestStatementLines(t *testing.T) {
	f, err := Parse("a.py", []byte(`@cached(
    size=3,
)
def f(
    a,
):
    """Doc
    string."""
    x = g(a,
          a + 1)
    y = x; z = [
        y,
    ]
    if (y and
            z):
        pass
    elif (x or
          y):
        y = 1

    else:
        while (
            x
        ): x -= 1
    try:
        pass
    except (A,
            B):
        raise
    return (
        z
    )
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct{ from, to, first, last int }{
		{1, 3, 1, 3}, {4, 6, 4, 6}, {7, 8, 7, 8}, {9, 10, 9, 10}, {12, 13, 11, 13},
		{14, 15, 14, 15}, {16, 16, 16, 16}, {17, 18, 17, 18}, {19, 19, 19, 19}, {20, 20, 20, 20}, {21, 21, 21, 21},
		{22, 23, 22, 24}, {25, 25, 25, 25}, {26, 26, 26, 26}, {27, 28, 27, 28}, {30, 32, 30, 32}, {33, 33, 33, 33},
	} {
		for line := want.from; line <= want.to; line++ {
			if first, last := f.StatementLines(line); first != want.first || last != want.last {
				t.Errorf("line %d is in %d to %d, want %d to %d", line, first, last, want.first, want.last)
			}
		}
	}
}
