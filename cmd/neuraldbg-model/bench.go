package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/neuraldbg/neuraldbg/model/server"
	"github.com/neuraldbg/neuraldbg/model/torch"
)

// benchFlags are the flags of bench.
type benchFlags struct {
	model, device, kind string
	threads             int
	random              bool
	context, tokens     int
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
	// DecodeCPU is the processors' time for a token, in seconds, all threads
	// together: other programs on the machine change it little.
	DecodeCPU float64 `json:"decode_cpu_s"`
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
	f.StringVar(&flags.device, "device", "", "auto, cpu or cuda:0 (default: auto, the best there is)")
	f.StringVar(&flags.kind, "dtype", "", "float32, bfloat16 or float16 (default: float32 on the CPU, bfloat16 on CUDA)")
	f.IntVar(&flags.threads, "threads", 0, "threads of an operation (default: as for debugging)")
	f.IntVar(&flags.context, "context", 256, "length of the prompt in `TOKENS`")
	f.IntVar(&flags.tokens, "tokens", 64, "tokens to decode in a round")
	f.IntVar(&flags.rounds, "rounds", 5, "rounds; the median counts")
	return cmd
}

func runBench(ctx context.Context, flags benchFlags) error {
	if flags.context < 1 || flags.tokens < 1 || flags.rounds < 1 {
		return usageError{fmt.Errorf("--context, --tokens and --rounds must be positive")}
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
	ids := make([]int32, flags.context)
	for i := range ids {
		ids[i] = int32(i * 7 % engine.VocabSize())
	}
	var prefills, decodes, costs []float64
	var before int64
	for round := range flags.rounds + 1 { // the first is not counted
		cache, err := engine.NewCache()
		if err != nil {
			return err
		}
		began := time.Now()
		if _, err := cache.Extend(ctx, ids, len(ids)-1); err != nil {
			return err
		}
		prefill := time.Since(began)
		cpu := processorTime()
		began = time.Now()
		for i := range flags.tokens {
			if _, err := cache.Extend(ctx, ids[i%len(ids):][:1], 0); err != nil {
				return err
			}
		}
		decode, cost := time.Since(began), processorTime()-cpu
		if err := cache.Close(); err != nil {
			return err
		}
		if round == 0 {
			before = residentMemory()
			continue
		}
		prefills = append(prefills, float64(len(ids))/prefill.Seconds())
		decodes = append(decodes, float64(flags.tokens)/decode.Seconds())
		costs = append(costs, cost.Seconds()/float64(flags.tokens))
	}
	result.Growth = residentMemory() - before
	result.Prefill, result.Decode, result.DecodeCPU = median(prefills), median(decodes), median(costs)
	result.Traffic = result.Decode * float64(engine.DecodeTraffic(flags.context+flags.tokens/2))
	return nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

// processorTime is what this process has used of the processors.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
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
