package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/neuraldbg/neuraldbg/adapter/timeline"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		times []time.Duration
		want  time.Duration
	}{
		{[]time.Duration{7}, 7},
		{[]time.Duration{9, 1}, 1},
		{[]time.Duration{5, 900, 1}, 5},
		{[]time.Duration{4, 3, 2, 1}, 2},
	} {
		if got := median(c.times); got != c.want {
			t.Errorf("median(%v) = %v, want %v", c.times, got, c.want)
		}
	}
}

func TestPercentile(t *testing.T) {
	var hundred []time.Duration
	for i := range 100 {
		hundred = append(hundred, time.Duration(100-i))
	}
	for _, c := range []struct {
		p     int
		times []time.Duration
		want  time.Duration
	}{{95, hundred, 95}, {50, hundred, 50}, {100, hundred, 100}, {95, []time.Duration{3}, 3}, {95, []time.Duration{3, 9, 4}, 9}} {
		if got := percentile(c.p, c.times); got != c.want {
			t.Errorf("percentile(%d) of %d times = %v, want %v", c.p, len(c.times), got, c.want)
		}
	}
}

func TestPrintTable(t *testing.T) {
	var out strings.Builder
	printTable(&out, []Result{
		Result{Name: "adapter_initialize_ms", Value: 2.5, Unit: "ms"}.beside("debugpy", 200),
		{Name: "step_p50_ms", Value: 120.04, Unit: "ms"},
	})
	want := strings.Join([]string{
		"                         neuraldbg  unit   peer           ratio",
		"  adapter_initialize_ms        2.5    ms  200.0  debugpy   0.01",
		"            step_p50_ms      120.0    ms      -               -",
		"",
	}, "\n")
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestChoose(t *testing.T) {
	all, err := choose("")
	if err != nil || len(all) != len(measures) {
		t.Errorf("choose all: %d measures, %v", len(all), err)
	}
	one, err := choose("adapter")
	if err != nil || len(one) != 1 || one[0].subject != "adapter" {
		t.Errorf("choose one: %v, %v", one, err)
	}
	if _, err := choose("adapter,nonsense"); err == nil || !strings.Contains(err.Error(), `"nonsense"`) {
		t.Errorf("choose an unknown one: %v", err)
	}
}

// Every program must have the main() that both adapters debug.
func TestPrograms(t *testing.T) {
	t.Chdir("..")
	p, err := loadPrograms()
	if err != nil {
		t.Fatal(err)
	}
	defer p.remove()
	for _, program := range p.list {
		if _, err := timeline.Load(timeline.Launch{Path: program.path, Entry: "main()"}); err != nil {
			t.Errorf("%s: %v", program.name, err)
		}
		text, err := os.ReadFile(program.runnable)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		if got := lines[program.callLine-1]; got != "main()" {
			t.Errorf("%s: line %d is %q, want the call of main", filepath.Base(program.runnable), program.callLine, got)
		}
	}
}
