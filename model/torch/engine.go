package torch

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/neuraldbg/neuraldbg/model/neural"
	"github.com/neuraldbg/neuraldbg/model/torch/safetensors"
)

// Engine computes logits with a checkpoint's weights. It is a neural.Engine.
//
// What can be multiplied into the weights is, when they are loaded: each norm's
// weight into the matrix that follows it, and the scale of attention into q.
type Engine struct {
	config  Config
	device  device
	kind    kind // of weights, cached keys and values, and products
	context int  // positions of a session at most
	threads int  // of an operation
	closed  atomic.Bool

	embed  tensor // [V, D]
	head   linear // [V, D]
	layers []engineLayer
	rope   tensor // [positions, head_dim/2] complex
	masks  attentionMasks
	pool   cachePool

	workspace workspace // for forwardFew, on LibTorch's thread
}

// engineLayer is one block's weights.
type engineLayer struct {
	q, kv, out, gateUp, down linear
	qNorm, kNorm             tensor // [head_dim], qwen3 only
	window                   int64  // positions attended to; 0: all
	attention, feedForward   string // names for errors
}

// linear is a matrix [rows, cols] that vectors of cols numbers are multiplied by.
type linear struct {
	weight, transposed tensor
	bias               tensor // [rows], or undefined
	rows, cols         int64
}

// EngineOptions say where and in which numbers to compute.
type EngineOptions struct {
	// Device is "cpu", "cuda", "cuda:1" and so on; "" and "auto" are the best
	// there is: the CUDA device with the most free memory, or the CPU.
	Device string
	// Kind is "float32", "bfloat16" or "float16"; "" and "auto" are float32 on the
	// CPU, if it fits into the memory, and bfloat16 otherwise.
	Kind string
	// Threads is the number of threads that an operation uses, in the whole
	// process; 0 is one for each processor that the process may use, but 1 for a
	// model so small that starting threads takes longer than they save.
	Threads int
	// FreeMemory is how many bytes the model and its sessions may use; 0 is
	// what the device has free.
	FreeMemory int64
}

// smallModel is the number of weights up to which one thread decodes fastest.
const smallModel = 30_000_000

// OpenEngine loads the checkpoint in dir: config.json and safetensors as
// Hugging Face's transformers writes them. A missing, extra or misshapen tensor
// is an error that names it.
func OpenEngine(dir string, o EngineOptions) (*Engine, error) {
	c, err := ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	archive, err := safetensors.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	if err := checkNames(c, archive); err != nil {
		return nil, fmt.Errorf("load the model: %w", err)
	}
	return newEngine(c, o, func(w weight) ([]float32, error) {
		data, err := readWeight(c, archive, "", w)
		if err == nil {
			err = checkNumbers(w, data)
		}
		if err != nil {
			file := dir
			if entry, ok := archive.Tensors[w.name]; ok {
				file = entry.Path()
			}
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return data, nil
	})
}

// checkNumbers refuses weights that are no numbers: what is computed with them
// is none either.
func checkNumbers(w weight, data []float32) error {
	for i, v := range data {
		if v-v != 0 { // NaN or an infinity
			return fmt.Errorf("tensor %s has %v at number %d: the file is damaged, or its numbers overflowed when it was converted; get the checkpoint anew", w.name, v, i)
		}
	}
	return nil
}

// newEngine builds an engine from the weights that read returns, in the order
// that they have in memory.
func newEngine(c Config, o EngineOptions, read func(weight) ([]float32, error)) (*Engine, error) {
	e := &Engine{config: c}
	if err := e.place(o); err != nil {
		return nil, fmt.Errorf("load the model: %w", err)
	}
	e.threads = o.Threads
	if e.threads <= 0 {
		e.threads = defaultThreads(c)
	}
	if err := setThreads(e.threads, e.kind); err != nil {
		return nil, fmt.Errorf("load the model: %w", err)
	}
	if err := e.load(read); err != nil {
		e.Close()
		return nil, fmt.Errorf("load the model: %w", err)
	}
	return e, nil
}

// defaultThreads is how many threads compute with a model where the user does not say.
// Go knows how many the process's control group lets run at once: more of them would
// only wait for each other.
func defaultThreads(c Config) int {
	if c.Parameters() <= smallModel {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// checkNames finds tensors that the configuration does not have.
func checkNames(c Config, archive *safetensors.Archive) error {
	known := map[string]bool{"lm_head.weight": true} // a tied head may stand in the file
	for _, w := range c.weights() {
		known[w.name] = true
	}
	for _, name := range archive.Names() {
		if !known[name] {
			return fmt.Errorf("tensor %s of shape %v is in %s, but not in a %s model of this configuration", name, archive.Tensors[name].Shape, archive.Tensors[name].Path(), c.ModelType)
		}
	}
	return nil
}

// Config is the model's configuration.
func (e *Engine) Config() Config { return e.config }

// VocabSize implements neural.Engine.
func (e *Engine) VocabSize() int { return e.config.VocabSize }

// MaxContext implements neural.Engine.
func (e *Engine) MaxContext() int { return e.context }

var errClosed = errors.New("the model is closed")

// NewCache implements neural.Engine.
func (e *Engine) NewCache() (neural.Cache, error) {
	if e.closed.Load() {
		return nil, errClosed
	}
	return &cache{engine: e}, nil
}

// do runs job on LibTorch's thread unless the engine is closed.
func (e *Engine) do(job func(s *scope) error) error {
	return do(func(s *scope) error {
		if e.closed.Load() {
			return errClosed
		}
		return job(s)
	})
}

// Close implements neural.Engine.
func (e *Engine) Close() error {
	return do(func(*scope) error {
		if e.closed.Swap(true) {
			return nil
		}
		for i := range e.layers {
			l := &e.layers[i]
			for _, m := range []*linear{&l.q, &l.kv, &l.out, &l.gateUp, &l.down} {
				m.release()
			}
			l.qNorm.release()
			l.kNorm.release()
		}
		e.head.release()
		e.embed.release()
		e.rope.release()
		e.masks.release()
		return nil
	})
}

func (l *linear) release() {
	l.weight.release()
	l.transposed.release()
	l.bias.release()
}
