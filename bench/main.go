// Command bench measures neuraldbg as its users meet it, beside others that do
// the same work in the same run.
//
//	adapter_initialize_ms  from the start of the process to its answer to initialize; peer debugpy
//	step_p50_ms            from a step request to the stopped event, model nano; peer debugpy
//	step_p95_ms            the same, what 95 steps in a hundred take at most
//	first_stop_ms          from the launch to the first stop; first_stop_cold_ms: with the model loaded for it; peer debugpy
//	step_ahead_ms          the same as step_p50_ms, for a user who reads before the next step, which is predicted meanwhile
//	adapter_request_p50_ms a request that needs no prediction, with 1,000 frames and 10,000 variables; peer debugpy
//	train_tokens_per_s     training a model of nano's size, float32; peer PyTorch eager
//	decode_nano            tokens a second, one after another; prefill_nano: of a prompt; peer PyTorch eager
//	decode_large           the same with a random Llama of 125 M parameters, and prefill_large
//	decode_nano_llamacpp   the same figures; peer llama.cpp with a model of that shape, float32
//	decode_batch8_nano     of 8 sequences at once that share a prompt, and decode_batch8_large; peer: one by one
//	decode_large_bandwidth what its decoding reads; peer: the memory, read by LibTorch's sum
//	pipeline_tokens_per_s  from trace files to token shards, on two processors
//	recorder_overhead      recording a program; peer the smallest trace function that takes the same reprs
//	decode_growth_mb       by how much the memory grows over 100,000 tokens
//
// It prints a table and writes bench/results.json, a list of Results. Run it
// with `make bench`, in the project's folder, on a machine that does nothing
// else. A peer that has to be installed goes into bench/.venv, which git
// ignores; without it (no network, no venv) the figures come alone. PyTorch is
// taken where a python3 has it, and llama.cpp too, which is not installed unasked:
//
//	python3 -m venv bench/.venv
//	bench/.venv/bin/pip install debugpy==1.8.17 xllamacpp==2026.10.11549 gguf==0.19.0
//
// Every subject has a file of its own with its measure; the table in this file
// lists them.
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
	"strings"
	"text/tabwriter"
	"time"
)

// resultsFile is where the results are written.
const resultsFile = "bench/results.json"

// Result is one figure. Peer is the same figure of another program in the same
// run, and Ratio is Value/Peer.
type Result struct {
	Name     string   `json:"name"`
	Value    float64  `json:"value"`
	Unit     string   `json:"unit"`
	Peer     *float64 `json:"peer,omitempty"`
	PeerName string   `json:"peer_name,omitempty"`
	Ratio    *float64 `json:"ratio,omitempty"`
}

// beside adds the peer's figure.
func (r Result) beside(name string, value float64) Result {
	ratio := r.Value / value
	r.Peer, r.PeerName, r.Ratio = &value, name, &ratio
	return r
}

// options are the flags.
type options struct {
	command string
	model   string
	starts  int
	rounds  int
	events  int
	peer    bool
	only    string

	out io.Writer // for what is said while measuring
}

// measure makes the figures of one subject. It says on out why a peer is
// missing.
type measure struct {
	subject string
	run     func(context.Context, options) ([]Result, error)
}

// measures are made in this order.
var measures = []measure{
	{"adapter", measureAdapter},
	{"requests", measureRequests},
	{"training", measureTraining},
	{"engine", measureEngine},
	{"memory", measureMemory},
	{"pipeline", measurePipeline},
	{"recorder", measureRecorder},
}

func main() {
	o := options{out: os.Stdout}
	flag.StringVar(&o.command, "command", "bin/neuraldbg", "the neuraldbg `EXECUTABLE` to measure")
	flag.StringVar(&o.model, "model", "nano", "the `MODEL` that predicts")
	flag.IntVar(&o.starts, "starts", 20, "how often to start the adapter")
	flag.IntVar(&o.rounds, "rounds", 3, "how often to step through each program, and to record")
	flag.IntVar(&o.events, "events", 200_000, "how many events the recorded program makes, about")
	flag.BoolVar(&o.peer, "peer", true, "measure peers too")
	flag.StringVar(&o.only, "only", "", "measure only the `SUBJECTS` of this list, separated by commas")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	chosen, err := choose(o.only)
	if err != nil {
		return err
	}
	var results []Result
	for _, m := range chosen {
		r, err := m.run(ctx, o)
		if err != nil {
			return fmt.Errorf("%s: %w", m.subject, err)
		}
		results = append(results, r...)
	}
	printTable(o.out, results)
	return writeResults(results)
}

// choose is the measures of the subjects in the list; all for an empty one.
func choose(list string) ([]measure, error) {
	if list == "" {
		return measures, nil
	}
	var chosen []measure
	for _, subject := range strings.Split(list, ",") {
		i := slices.IndexFunc(measures, func(m measure) bool { return m.subject == subject })
		if i < 0 {
			var known []string
			for _, m := range measures {
				known = append(known, m.subject)
			}
			return nil, fmt.Errorf("there is no subject %q; there are: %s", subject, strings.Join(known, ", "))
		}
		chosen = append(chosen, measures[i])
	}
	return chosen, nil
}

// median returns the middle of the times, the lower one of two.
func median(times []time.Duration) time.Duration { return percentile(50, times) }

// percentile returns the time that p in a hundred of the times are at most.
func percentile(p int, times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[(len(sorted)*p+99)/100-1]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func printTable(out io.Writer, results []Result) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tneuraldbg\tunit\tpeer\t\tratio\t")
	for _, r := range results {
		peer, ratio := "-", "-"
		if r.Peer != nil {
			peer, ratio = fmt.Sprintf("%.1f", *r.Peer), fmt.Sprintf("%.2f", *r.Ratio)
		}
		fmt.Fprintf(w, "%s\t%.1f\t%s\t%s\t%s\t%s\t\n", r.Name, r.Value, r.Unit, peer, r.PeerName, ratio)
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
