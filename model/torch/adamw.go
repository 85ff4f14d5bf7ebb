package torch

import "math"

// update clips the gradient, makes AdamW's step on the flat vectors, and
// returns the gradient's norm before clipping.
func (t *Trainer) update(s *scope, learningRate float64) float64 {
	s.where = "optimizer"
	grad := t.workers[0].grad
	norm := s.item(s.norm(grad))
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		s.fail(errNotFinite)
		return norm
	}
	if t.opt.ClipNorm > 0 && norm > t.opt.ClipNorm {
		s.mulScalarIn(grad, t.opt.ClipNorm/norm)
	}
	step := float64(t.steps + 1)
	s.lerpIn(t.moment1, grad, 1-t.opt.Beta1)
	s.mulOut(t.scratch, grad, grad)
	s.lerpIn(t.moment2, t.scratch, 1-t.opt.Beta2)

	// theta -= rate * (moment1/c1) / (sqrt(moment2/c2) + epsilon)
	c1 := 1 - math.Pow(t.opt.Beta1, step)
	c2 := 1 - math.Pow(t.opt.Beta2, step)
	s.sqrtOut(t.scratch, t.moment2)
	s.addScalarIn(t.scratch, t.opt.Epsilon*math.Sqrt(c2))
	s.divOut(t.scratch, t.moment1, t.scratch)
	s.mulScalarIn(t.scratch, learningRate*math.Sqrt(c2)/c1)

	matrices := s.matrix(t.theta, 0, 1, int64(t.decayed))
	s.mulScalarIn(matrices, 1-learningRate*t.opt.WeightDecay)
	s.subIn(t.theta, t.scratch)
	return norm
}
