package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/model/server"
	"github.com/neuraldbg/neuraldbg/model/torch"
	"github.com/neuraldbg/neuraldbg/model/train"
)

// benchFlags are the flags of bench.
type benchFlags struct {
	model, device, kind string
	threads             int
	random              bool
	context, tokens     int
	batch               int
	rounds              int
}

// BenchResult is what bench prints, as one line of JSON.
type BenchResult struct {
	Parameters int    `json:"parameters"`
	Device     string `json:"device"`
	Kind       string `json:"kind"`
	Threads    int    `json:"threads"`
	// Decode and Prefill are tokens a second: one by one after a context, and
	// of a prompt as long as the context. The median of the rounds.
	Decode  float64 `json:"decode_tokens_per_s"`
	Prefill float64 `json:"prefill_tokens_per_s"`
	// Batch is tokens a second of all sequences of a batch together, which share
	// the context: each gets as many tokens as Decode's one does.
	Batch float64 `json:"batch_tokens_per_s,omitempty"`
	// DecodeCPU, PrefillCPU and BatchCPU are the processors' time for a token, in
	// seconds, all threads together: other programs on the machine change it little.
	DecodeCPU  float64 `json:"decode_cpu_s"`
	PrefillCPU float64 `json:"prefill_cpu_s"`
	BatchCPU   float64 `json:"batch_cpu_s,omitempty"`
	// Traffic is the memory that decoding reads, in bytes a second: all
	// weights but the embedding's other rows, and the cached keys and values.
	Traffic float64 `json:"decode_bytes_per_s"`
	// Read is how fast the device reads memory when it does nothing else.
	Read float64 `json:"read_bytes_per_s"`
	// Growth is by how much the process's memory grew while decoding, in bytes.
	Growth int64 `json:"growth_bytes"`
}

func newBenchCommand() *cobra.Command {
	flags := benchFlags{model: "nano"}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast a model computes on this machine",
		Long: `Measure how fast a model computes on this machine: tokens a second, one by one
and of a prompt, and the share of the memory's bandwidth that this uses. Prints
one line of JSON.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBench(cmd.Context(), flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.model, "model", flags.model, "a bundled model's name, or a checkpoint's `FOLDER`")
	f.BoolVar(&flags.random, "random", false, "draw the weights at random: --model needs a config.json only")
	f.StringVar(&flags.device, "device", "", deviceUsage)
	f.StringVar(&flags.kind, "dtype", "", "float32, bfloat16 or float16 (default: float32 on the CPU, bfloat16 on CUDA)")
	f.IntVar(&flags.threads, "threads", 0, "threads of an operation (default: as for debugging)")
	f.IntVar(&flags.context, "context", 256, "length of the prompt in `TOKENS`")
	f.IntVar(&flags.tokens, "tokens", 64, "tokens to decode in a round")
	f.IntVar(&flags.batch, "batch", 0, "sequences to decode at once, from one context, besides (default: none)")
	f.IntVar(&flags.rounds, "rounds", 5, "rounds; the median counts")
	return cmd
}

func runBench(ctx context.Context, flags benchFlags) error {
	if flags.context < 1 || flags.tokens < 1 || flags.rounds < 1 {
		return usageError{fmt.Errorf("--context, --tokens and --rounds must be positive")}
	}
	if cores := runtime.NumCPU(); flags.threads < 0 || flags.threads > cores {
		return usageError{fmt.Errorf("--threads must be 0 to %d, the cores that there are, got %d", cores, flags.threads)}
	}
	if flags.batch < 0 {
		return usageError{fmt.Errorf("--batch is %d sequences", flags.batch)}
	}
	engine, err := openBenchEngine(flags)
	if err != nil {
		return err
	}
	defer engine.Close()
	if most := engine.MaxContext() - flags.tokens; flags.context > most {
		return usageError{fmt.Errorf("--context %d and --tokens %d do not fit into the model's context of %d", flags.context, flags.tokens, engine.MaxContext())}
	}
	result := BenchResult{
		Parameters: engine.Config().Parameters(), Device: engine.Device(), Kind: engine.Kind(), Threads: engine.Threads(),
	}
	if err := measure(ctx, engine, flags, &result); err != nil {
		return err
	}
	if result.Read, err = engine.ReadBandwidth(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func openBenchEngine(flags benchFlags) (*torch.Engine, error) {
	options := torch.EngineOptions{Device: flags.device, Kind: flags.kind, Threads: flags.threads}
	dir, err := server.Resolve(flags.model)
	if err != nil {
		return nil, err
	}
	if !flags.random {
		return torch.OpenEngine(dir, options)
	}
	config, err := torch.ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	return torch.OpenRandomEngine(config, options)
}

// measure fills in the speeds.
func measure(ctx context.Context, engine *torch.Engine, flags benchFlags, result *BenchResult) error {
	m := benchRound{flags: flags, ids: make([]int32, flags.context)}
	for i := range m.ids {
		m.ids[i] = int32(i * 7 % engine.VocabSize())
	}
	var before int64
	for round := range flags.rounds + 1 {
		cache, err := engine.NewCache()
		if err != nil {
			return err
		}
		if err := m.run(ctx, cache); err != nil {
			return err
		}
		if err := cache.Close(); err != nil {
			return err
		}
		if round == 0 { // the first is not counted
			before = residentMemory()
			m = benchRound{flags: flags, ids: m.ids}
		}
	}
	result.Growth = residentMemory() - before
	result.Prefill, result.PrefillCPU = m.prefill.medians()
	result.Decode, result.DecodeCPU = m.decode.medians()
	if flags.batch > 0 {
		result.Batch, result.BatchCPU = m.batch.medians()
	}
	result.Traffic = result.Decode * float64(engine.DecodeTraffic(flags.context+flags.tokens/2))
	return nil
}

// benchRound measures one round after another.
type benchRound struct {
	flags                  benchFlags
	ids                    []int32 // the prompt
	prefill, decode, batch speeds
}

// speeds are those of rounds: tokens a second, and seconds of the processors a
// token.
type speeds struct{ tokens, costs []float64 }

// time measures a job of so many tokens.
func (s *speeds) time(tokens int, job func() error) error {
	cpu, began := train.ProcessorTime(), time.Now()
	if err := job(); err != nil {
		return err
	}
	s.tokens = append(s.tokens, float64(tokens)/time.Since(began).Seconds())
	s.costs = append(s.costs, (train.ProcessorTime()-cpu).Seconds()/float64(tokens))
	return nil
}

func (s *speeds) medians() (tokens, cost float64) { return median(s.tokens), median(s.costs) }

func (m *benchRound) run(ctx context.Context, cache neural.Cache) error {
	ids := m.ids
	if err := m.prefill.time(len(ids), func() error {
		_, err := cache.Extend(ctx, ids, len(ids)-1)
		return err
	}); err != nil {
		return err
	}
	if m.flags.batch > 0 {
		if err := m.runBatch(ctx, cache); err != nil {
			return err
		}
	}
	return m.decode.time(m.flags.tokens, func() error {
		for i := range m.flags.tokens {
			if _, err := cache.Extend(ctx, ids[i%len(ids):][:1], 0); err != nil {
				return err
			}
		}
		return nil
	})
}

// runBatch decodes several sequences that begin with the cache's positions.
func (m *benchRound) runBatch(ctx context.Context, cache neural.Cache) error {
	n := m.flags.batch
	batch, err := cache.Fork(slices.Repeat([]int{cache.Len()}, n))
	if err != nil {
		return err
	}
	if err := m.batch.time(n*m.flags.tokens, func() error {
		for i := range m.flags.tokens {
			next := make([][]int32, n)
			for j := range next {
				next[j] = m.ids[(i+j)%len(m.ids):][:1]
			}
			if _, err := batch.Extend(ctx, next); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return batch.Close()
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

// residentMemory is this process's, in bytes; 0 where it is not known.
func residentMemory() int64 {
	text, err := os.ReadFile(filepath.Join("/proc", "self", "statm"))
	if err != nil {
		return 0
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		return 0
	}
	return resident * int64(os.Getpagesize())
}
