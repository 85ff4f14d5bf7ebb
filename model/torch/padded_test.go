package torch

import (
	"math"
	"strings"
	"testing"
)

// variedBatch has sequences alone, and groups that share prefixes, shorter and longer
// than blocks.
func variedBatch(vocab int) Sequences {
	return join(
		related(3, vocab, 40, 70, 41, 290),
		randomBatch(4, vocab, 30, 1, 2*attentionBlock+9, attentionBlock, 2),
		related(5, vocab, attentionBlock+9, attentionBlock+30, attentionBlock+10, 2*attentionBlock+20))
}

// TestDeviceEqualsCPU compares losses and gradients, one sequence at a time on the CPU,
// with those of a whole batch on a device.
func TestDeviceEqualsCPU(t *testing.T) {
	on := someDevice(t)
	for name, c := range particularConfigs() {
		t.Run(name, func(t *testing.T) {
			b := variedBatch(c.VocabSize)
			want, wantLoss := gradients(t, c, 1, singly(b)...)
			m := newTrainerAt(t, c, DefaultOptimizer(), on)
			got, gotLoss := gradientsOf(t, m, b)
			if math.Abs(gotLoss-wantLoss) > 1e-5 {
				t.Errorf("the loss is %.7f, on the CPU %.7f", gotLoss, wantLoss)
			}
			compareGradients(t, got, want)
			// Buffers that were used are used again, for a batch of other shapes.
			small := randomBatch(8, c.VocabSize, 20, 3)
			want, _ = gradients(t, c, 1, small)
			got, _ = gradientsOf(t, m, small)
			compareGradients(t, got, want)
		})
	}
}

// TestDeviceSteps compares some steps on a device with those on the CPU.
func TestDeviceSteps(t *testing.T) {
	on := someDevice(t)
	for name, opt := range map[string]Optimizer{"adamw": DefaultOptimizer(), "muon": muonOptimizer()} {
		t.Run(name, func(t *testing.T) {
			c := tinyConfig()
			trainers := []*Trainer{newTrainerAt(t, c, opt, cpu), newTrainerAt(t, c, opt, on)}
			if err := trainers[1].SetWorkers(3); err != nil || len(trainers[1].workers) != 1 {
				t.Fatalf("%d workers on one device, %v", len(trainers[1].workers), err)
			}
			for step := range 8 {
				b := variedBatch(c.VocabSize)
				var loss, norm []float64
				for _, m := range trainers {
					result, err := m.Step([]Sequences{b, randomBatch(uint64(step), c.VocabSize, 50)}, 0.02)
					if err != nil {
						t.Fatal(err)
					}
					loss, norm = append(loss, result.Loss), append(norm, result.GradNorm)
				}
				if math.Abs(loss[0]-loss[1]) > 1e-4 || math.Abs(norm[0]-norm[1]) > 1e-3*norm[0] {
					t.Fatalf("step %d: losses %v, gradients' norms %v", step+1, loss, norm)
				}
			}
			if loss := lossOf(t, trainers[1], variedBatch(c.VocabSize)); math.Abs(loss-lossOf(t, trainers[0], variedBatch(c.VocabSize))) > 1e-4 {
				t.Errorf("the loss at the end is %f", loss)
			}
		})
	}
}

// TestDeviceTakesRoundedOperands trains in bfloat16: about as in float32.
func TestDeviceTakesRoundedOperands(t *testing.T) {
	on := someDevice(t)
	c := tinyConfig()
	b := variedBatch(c.VocabSize)
	exact := newTrainerAt(t, c, DefaultOptimizer(), on)
	opt := DefaultOptimizer()
	opt.Precision = BFloat16
	rounded := newTrainerAt(t, c, opt, on)
	want, wantLoss := gradientsOf(t, exact, b)
	got, gotLoss := gradientsOf(t, rounded, b)
	if math.Abs(gotLoss-wantLoss) > 0.02*wantLoss {
		t.Errorf("the loss is %.4f, in float32 %.4f", gotLoss, wantLoss)
	}
	var along, size float64
	for i := range want {
		along += float64(got[i]) * float64(want[i])
		size += float64(want[i]) * float64(want[i])
	}
	if ratio := along / size; math.Abs(ratio-1) > 0.03 {
		t.Errorf("the gradient goes %.3f as far along that in float32", ratio)
	}
}

// TestDeviceCheckpoint goes on, on the CPU, with what was trained on a device, and
// back.
func TestDeviceCheckpoint(t *testing.T) {
	on := someDevice(t)
	c := tinyConfig()
	b := variedBatch(c.VocabSize)
	m := newTrainerAt(t, c, muonOptimizer(), on)
	if _, err := m.Step([]Sequences{b}, 0.01); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
	onCPU, err := LoadTrainer(dir, muonOptimizer(), "cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer onCPU.Close()
	back := newTrainerAt(t, c, muonOptimizer(), on)
	if err := back.load(dir); err != nil {
		t.Fatal(err)
	}
	var losses []float64
	for _, m := range []*Trainer{m, onCPU, back} {
		if _, err := m.Step([]Sequences{b}, 0.01); err != nil {
			t.Fatal(err)
		}
		losses = append(losses, lossOf(t, m, b))
	}
	if math.Abs(losses[0]-losses[1]) > 1e-4 || math.Abs(losses[0]-losses[2]) > 1e-4 {
		t.Errorf("after one more step the losses are %v", losses)
	}
}

// TestMemoryOfADevice: what a device holds is not the process's.
func TestMemoryOfADevice(t *testing.T) {
	for _, on := range []device{cpu, someDevice(t)} {
		m := newTrainerAt(t, tinyConfig(), DefaultOptimizer(), on)
		if _, err := m.Step([]Sequences{variedBatch(11)}, 0); err != nil {
			t.Fatal(err)
		}
		process, onDevice := m.Memory()
		if least := int64(5 * 4 * m.flat); on == cpu && (process < least || onDevice != 0) || on != cpu && (process != 0 || onDevice < least) {
			t.Errorf("on %s: %d bytes of the process, %d of the device", on, process, onDevice)
		}
	}
}

// TestPaddedShapes counts what is padded for the varied batch.
func TestPaddedShapes(t *testing.T) {
	m := newTrainerAt(t, tinyConfig(), DefaultOptimizer(), someDevice(t))
	err := do(func(s *scope) error {
		p := m.workers[0].newPass(s, variedBatch(11))
		a := p.padded[0]
		blocks := p.queryBlocks(0)
		var n, queries, scores int64
		for _, c := range a.classes {
			if c.t%paddedQueries != 0 || c.s%paddedKeys != 0 || c.first != queries || c.scores != scores {
				t.Errorf("class %+v after %d queries and %d scores", c, queries, scores)
			}
			n, queries, scores = n+c.b, queries+c.b*c.t, scores+c.b*4*c.t*c.s
		}
		if n != int64(len(blocks)) || queries != a.queries || scores != a.scores || len(a.classes) > 6 {
			t.Errorf("%d classes have %d of %d blocks, %d of %d queries and %d of %d scores",
				len(a.classes), n, len(blocks), queries, a.queries, scores, a.scores)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTensorsOfTwoDevicesDoNotMeet(t *testing.T) {
	pretendDevices(t)
	err := do(func(s *scope) error {
		s.where = "layer 3"
		s.addIn(s.zeros(float32Kind, 1, 2), s.toDevice(s.zeros(float32Kind, cpu, 2), 0))
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "layer 3: add: tensors on cuda:1 and cuda:0") {
		t.Errorf("the error is %v", err)
	}
	if err := do(func(s *scope) error { s.zeros(float32Kind, 0, 2).data(); return nil }); err == nil {
		t.Error("the memory of a device was read from the CPU")
	}
}

func TestNoSuchDevice(t *testing.T) {
	for _, name := range []string{"cuda:99", "tpu"} {
		if _, err := NewTrainer(tinyConfig(), DefaultOptimizer(), name, 1); err == nil {
			t.Errorf("a model is trained on %s", name)
		}
		if _, err := QuickestPrecision(name); err == nil {
			t.Errorf("%s is measured", name)
		}
	}
}

// newTrainerAt is newTrainer on a device.
func newTrainerAt(t *testing.T, c Config, opt Optimizer, on device) *Trainer {
	t.Helper()
	m, err := newTrainerOn(c, opt, on, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func lossOf(t *testing.T, m *Trainer, b Sequences) float64 {
	t.Helper()
	r, err := m.Loss([]Sequences{b})
	if err != nil {
		t.Fatal(err)
	}
	return r.Loss
}
