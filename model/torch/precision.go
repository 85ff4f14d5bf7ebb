package torch

import (
	"fmt"
	"time"
)

// Precision is the number type of the operands of training's large matrix
// products. Sums, weights, gradients and all else are float32.
type Precision string

const (
	// Float32 is exact and quick everywhere.
	Float32 Precision = "float32"
	// BFloat16 is two to three times quicker on processors that multiply
	// bfloat16 (AVX512-BF16, AMX), and slower on others; on GPUs that do, it is
	// quicker by more, and attention's probabilities are rounded, too.
	BFloat16 Precision = "bfloat16"
)

// QuickestPrecision measures which precision a device multiplies faster in, in some
// tenths of a second. It is named as for an Engine.
func QuickestPrecision(deviceName string) (Precision, error) {
	quickest := Float32
	on, err := deviceNamed(deviceName)
	if err != nil {
		return "", err
	}
	if _, err := chooseKind(string(BFloat16), on); err != nil {
		return Float32, nil // older GPUs do not multiply bfloat16
	}
	size := int64(256)
	if on != cpu {
		size = 4096 // for less a GPU takes no longer than to be asked
	}
	err = do(func(s *scope) error {
		exact := s.zeros(float32Kind, on, 4*size, size)
		rounded := s.to(exact, bfloat16Kind)
		best := func(a tensor) time.Duration {
			b := s.transposed(a)
			shortest := time.Hour
			for range 5 {
				mark, began := s.mark(), time.Now()
				s.item(s.total(s.mm(a, b))) // a GPU is waited for
				shortest = min(shortest, time.Since(began))
				s.freeTo(mark)
			}
			return shortest
		}
		// Rounding operands and results costs time too.
		if 3*best(rounded) < 2*best(exact) {
			quickest = BFloat16
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("measure matrix products: %w", err)
	}
	return quickest, nil
}

func (p Precision) check() error {
	switch p {
	case "", Float32, BFloat16:
		return nil
	}
	return fmt.Errorf("precision %q is unknown; float32 and bfloat16 are known", p)
}

// operandKind is the number type of operands.
func (o Optimizer) operandKind() kind {
	if o.Precision == BFloat16 {
		return bfloat16Kind
	}
	return float32Kind
}

// operand is a matrix as the products take it: itself, or rounded into a buffer
// of that name.
func (t *worker) operand(s *scope, name string, x tensor, rows, cols int64) tensor {
	if t.opt.Precision != BFloat16 {
		return x
	}
	rounded := s.matrix(t.buffers.flat(s, name, bfloat16Kind, rows*cols), 0, rows, cols)
	s.copyIn(rounded, x)
	return rounded
}

// productOut writes a·b, of operands, into out, which is float32.
func (t *worker) productOut(s *scope, out, a, b tensor) {
	if t.opt.Precision != BFloat16 {
		s.mmOut(out, a, b)
		return
	}
	mark := s.mark()
	s.copyIn(out, s.mm(a, b))
	s.freeTo(mark)
}

// addProductIn adds a·b, of operands, to acc, which is float32.
func (t *worker) addProductIn(s *scope, acc, a, b tensor) {
	if t.opt.Precision != BFloat16 {
		s.addmmIn(acc, a, b)
		return
	}
	mark := s.mark()
	s.addIn(acc, s.mm(a, b))
	s.freeTo(mark)
}

// keptAs names the buffer of a matrix that only its operand is kept of: a
// shared one, if the operand is a copy, and one of its own otherwise.
func (t *worker) keptAs(shared, own string) string {
	if t.opt.Precision == BFloat16 {
		return shared
	}
	return own
}

// weightOperand is a weight as an operand, valid until the next use of name.
func (t *worker) weightOperand(s *scope, name string, w parameter) tensor {
	return t.operand(s, name+"Weight", w.value, w.rows, w.cols)
}
