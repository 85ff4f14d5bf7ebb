package torch

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Sequences is a batch: token sequences one after another, without padding. What
// neighbours have in common at their beginning, before anything is to be predicted, is
// computed once; so those that begin alike are best put side by side.
type Sequences struct {
	Tokens  []int32
	Lengths []int  // of the sequences; they add up to len(Tokens)
	Predict []bool // for each token, whether it is to be predicted from those before it in its sequence
}

// Targets is the number of tokens to be predicted. A sequence's first token
// never is.
func (b Sequences) Targets() int {
	n := 0
	at := 0
	for _, length := range b.Lengths {
		for i := 1; i < length; i++ {
			if b.Predict[at+i] {
				n++
			}
		}
		at += length
	}
	return n
}

func (b Sequences) check(c Config) error {
	if len(b.Predict) != len(b.Tokens) {
		return fmt.Errorf("batch has %d tokens and %d marks of which to predict", len(b.Tokens), len(b.Predict))
	}
	sum := 0
	for _, n := range b.Lengths {
		if n < 1 || n > c.MaxPositionEmbeddings {
			return fmt.Errorf("a sequence has %d tokens, must have 1 to %d (max_position_embeddings)", n, c.MaxPositionEmbeddings)
		}
		sum += n
	}
	if sum != len(b.Tokens) {
		return fmt.Errorf("batch has %d tokens but its lengths add up to %d", len(b.Tokens), sum)
	}
	for _, id := range b.Tokens {
		if id < 0 || int(id) >= c.VocabSize {
			return fmt.Errorf("token id %d is not in a vocabulary of %d", id, c.VocabSize)
		}
	}
	return nil
}

// StepResult is what a training step saw.
type StepResult struct {
	Loss     float64 // mean negative log-likelihood of the targets, nats
	GradNorm float64 // before clipping
	Targets  int
	Tokens   int
}

// Trainer holds a model's weights and the optimizer's state and improves the
// weights, on the CPU or on a CUDA device. It is used by one goroutine at a time.
//
// On the CPU, a batch's sequences are shared out among workers, each on a thread of
// its own that computes everything single-threaded: threads that meet after every
// operation would wait for each other more than they compute. A CUDA device has one
// worker, which attends in few large operations: see padded.go.
type Trainer struct {
	config Config
	device device
	free   int64 // bytes of the device's memory before it was used
	opt    Optimizer
	steps  int // updates done, for Adam's bias correction

	weights []weight
	flat    int // number of all weights
	decayed int // of the first, which are the matrices
	// embedded of these are the embeddings and the output layer.
	embedded int
	theta    tensor
	moment1  tensor
	moment2  tensor
	scratch  tensor

	rope, ropeInverse tensor // [positions, (heads+kvHeads)*head_dim/2] complex
	masks             attentionMasks

	workers []*worker
}

// NewTrainer makes a model with random weights from seed. The device is named as for
// an Engine.
func NewTrainer(c Config, opt Optimizer, deviceName string, seed uint64) (*Trainer, error) {
	on, err := deviceNamed(deviceName)
	if err != nil {
		return nil, fmt.Errorf("new model: %w", err)
	}
	return newTrainerOn(c, opt, on, seed)
}

func newTrainerOn(c Config, opt Optimizer, on device, seed uint64) (*Trainer, error) {
	c, err := c.complete()
	if err != nil {
		return nil, fmt.Errorf("new model: %w", err)
	}
	if err := opt.Check(); err != nil {
		return nil, fmt.Errorf("new model: %w", err)
	}
	t := &Trainer{config: c, opt: opt, device: on, weights: c.weights(), flat: c.Parameters()}
	for _, w := range t.weights {
		if w.cols != 0 {
			t.decayed += w.size()
		}
		if w.embeds() {
			t.embedded += w.size()
		}
	}
	if on != cpu {
		t.free, _ = freeMemory(on)
	}
	rope, err := c.ropeTable(c.MaxPositionEmbeddings, false)
	if err != nil {
		return nil, err
	}
	inverse, err := c.ropeTable(c.MaxPositionEmbeddings, true)
	if err != nil {
		return nil, err
	}
	err = do(func(s *scope) error {
		n := int64(t.flat)
		put := func(data []float32, shape ...int64) tensor {
			return s.detach(s.toDevice(s.float32s(data, shape...), on))
		}
		t.theta = put(initialWeights(c, t.weights, seed), n)
		for _, v := range []*tensor{&t.moment1, &t.moment2, &t.scratch} {
			*v = s.detach(s.zeros(float32Kind, on, n))
		}
		pairs := int64((c.NumAttentionHeads + c.NumKeyValueHeads) * c.HeadDim / 2)
		t.rope = put(rope, int64(c.MaxPositionEmbeddings), pairs, 2)
		t.ropeInverse = put(inverse, int64(c.MaxPositionEmbeddings), pairs, 2)
		t.masks = newAttentionMasks(s, on)
		return nil
	})
	if err == nil {
		err = t.SetWorkers(1)
	}
	if err != nil {
		t.Close()
		return nil, fmt.Errorf("new model: %w", err)
	}
	return t, nil
}

// initialWeights draws matrices from a normal distribution with deviation 0.02,
// those that write into the residual stream with less, as in GPT-2, and sets
// norms to 1.
func initialWeights(c Config, weights []weight, seed uint64) []float32 {
	random := rand.New(rand.NewPCG(seed, 0x6e65757261))
	theta := make([]float32, c.Parameters())
	for _, w := range weights {
		deviation := 0.02
		if w.rows == c.HiddenSize && w.cols != 0 && !w.embeds() && !w.turned {
			deviation /= math.Sqrt(2 * float64(c.NumHiddenLayers))
		}
		part := theta[w.offset : w.offset+w.size()]
		for i := range part {
			if w.cols == 0 {
				part[i] = 1
			} else {
				part[i] = float32(random.NormFloat64() * deviation)
			}
		}
	}
	return theta
}

// Config is the model's configuration.
func (t *Trainer) Config() Config { return t.config }

// Device is the name of the device that trains: "cpu", "cuda:0".
func (t *Trainer) Device() string { return t.device.String() }

// padsAttention is whether attention is padded, as padded.go says.
func (t *Trainer) padsAttention() bool { return t.device != cpu }

// Steps is the number of updates done.
func (t *Trainer) Steps() int { return t.steps }

// Workers is the number of workers that train.
func (t *Trainer) Workers() int { return len(t.workers) }

// Memory is the bytes that the weights, the gradients, the optimizer and the
// intermediate results of the largest step so far take of the process's memory, and
// those that the process takes of a CUDA device's.
func (t *Trainer) Memory() (process, onDevice int64) {
	const vectors = 4 // theta, the moments and scratch
	n := int64(vectors+len(t.workers)) * int64(t.flat) * 4
	for _, w := range t.workers {
		n += w.buffers.bytes()
	}
	if t.device == cpu {
		return n, 0
	}
	// LibTorch keeps what was freed; others may have taken memory meanwhile.
	if free, known := freeMemory(t.device); known && t.free-free > n {
		n = t.free - free
	}
	return 0, n
}

// Step makes one update from the sum of the batches' gradients: more than one
// batch accumulates gradients, for batches that do not fit in memory at once.
func (t *Trainer) Step(batches []Sequences, learningRate float64) (StepResult, error) {
	result, err := t.checked(batches)
	if err != nil {
		return StepResult{}, err
	}
	err = t.compute(batches, &result, true)
	if err == nil {
		result.GradNorm, err = t.update(learningRate)
	}
	if err != nil {
		return StepResult{}, fmt.Errorf("training step %d: %w", t.steps+1, err)
	}
	t.steps++
	return result, nil
}

// Loss is the mean negative log-likelihood of the batches' targets, in nats.
func (t *Trainer) Loss(batches []Sequences) (StepResult, error) {
	result, err := t.checked(batches)
	if err != nil {
		return StepResult{}, err
	}
	if err := t.compute(batches, &result, false); err != nil {
		return StepResult{}, fmt.Errorf("evaluate the loss: %w", err)
	}
	return result, nil
}

func (t *Trainer) checked(batches []Sequences) (StepResult, error) {
	var r StepResult
	for _, b := range batches {
		if err := b.check(t.config); err != nil {
			return r, err
		}
		r.Tokens += len(b.Tokens)
		r.Targets += b.Targets()
	}
	if r.Targets == 0 {
		return r, errors.New("no token of the batch is to be predicted")
	}
	return r, nil
}

// Close frees the model.
func (t *Trainer) Close() error {
	return do(func(*scope) error {
		for _, w := range t.workers {
			w.release()
		}
		t.workers = nil
		for _, v := range []*tensor{&t.theta, &t.moment1, &t.moment2, &t.scratch, &t.rope, &t.ropeInverse} {
			v.release()
		}
		t.masks.release()
		return nil
	})
}
