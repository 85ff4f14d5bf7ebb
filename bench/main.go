// Command bench measures neuraldbg as its users meet it: the built bin/neuraldbg
// over the Debug Adapter Protocol, beside debugpy where that can be installed.
//
//	adapter_initialize_ms  from the start of the process to its answer to initialize
//	step_p50_ms            from a step request to the stopped event, model nano
//
// It prints a table and writes bench/results.json, a list of Results. Run it
// with `make bench`, in the project's folder, on a machine that does nothing
// else. The peer is installed into bench/.venv, which git ignores; without it
// (no network, no venv) the figures come alone.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"text/tabwriter"
	"time"
)

// resultsFile is where the results are written.
const resultsFile = "bench/results.json"

// Result is one figure. Peer is the same figure of debugpy in the same run, and
// Ratio is Value/Peer: below 1 neuraldbg is the faster one.
type Result struct {
	Name  string   `json:"name"`
	Value float64  `json:"value"`
	Unit  string   `json:"unit"`
	Peer  *float64 `json:"peer,omitempty"`
	Ratio *float64 `json:"ratio,omitempty"`
}

// options are the flags.
type options struct {
	command string
	model   string
	starts  int
	rounds  int
	peer    bool
}

func main() {
	var o options
	flag.StringVar(&o.command, "command", "bin/neuraldbg", "the neuraldbg `EXECUTABLE` to measure")
	flag.StringVar(&o.model, "model", "nano", "the `MODEL` that predicts")
	flag.IntVar(&o.starts, "starts", 20, "how often to start the adapter")
	flag.IntVar(&o.rounds, "rounds", 3, "how often to step through each program")
	flag.BoolVar(&o.peer, "peer", true, "measure debugpy too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, out io.Writer) error {
	subject := adapterUnderTest{command: []string{o.command, "dap"}, launch: neuraldbgLaunch(o.model)}
	var peer *adapterUnderTest
	if o.peer {
		python, err := installPeer(ctx)
		if err != nil {
			fmt.Fprintf(out, "without debugpy: %v\n", err)
		} else {
			peer = &adapterUnderTest{command: []string{python, "-m", "debugpy.adapter"}, launch: debugpyLaunch(python), runs: true}
		}
	}
	programs, err := loadPrograms()
	if err != nil {
		return err
	}
	defer programs.remove()

	measures := []struct {
		name    string
		measure func(adapterUnderTest) ([]time.Duration, error)
	}{
		{"adapter_initialize_ms", func(a adapterUnderTest) ([]time.Duration, error) { return a.initializeTimes(ctx, o.starts) }},
		{"step_p50_ms", func(a adapterUnderTest) ([]time.Duration, error) { return a.stepTimes(ctx, programs, o.rounds) }},
	}
	var results []Result
	for _, m := range measures {
		times, err := m.measure(subject)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		result := Result{Name: m.name, Value: milliseconds(median(times)), Unit: "ms"}
		if peer != nil {
			times, err := m.measure(*peer)
			if err != nil {
				return fmt.Errorf("%s of debugpy: %w", m.name, err)
			}
			value := milliseconds(median(times))
			ratio := result.Value / value
			result.Peer, result.Ratio = &value, &ratio
		}
		results = append(results, result)
	}
	printTable(out, results)
	return writeResults(results)
}

// median returns the middle of the times, the lower one of two.
func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[(len(sorted)-1)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func printTable(out io.Writer, results []Result) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tneuraldbg\tdebugpy\tratio\t")
	for _, r := range results {
		peer, ratio := "-", "-"
		if r.Peer != nil {
			peer, ratio = fmt.Sprintf("%.1f", *r.Peer), fmt.Sprintf("%.2f", *r.Ratio)
		}
		fmt.Fprintf(w, "%s\t%.1f\t%s\t%s\t\n", r.Name, r.Value, peer, ratio)
	}
	w.Flush()
}

func writeResults(results []Result) error {
	text, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the results: %w", err)
	}
	if err := os.WriteFile(resultsFile, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the results: %w; run make bench in the project's folder", err)
	}
	return nil
}
