package torch

import "math"

// adamW makes AdamW's step (Loshchilov and Hutter, 2019) on n weights of the
// flat vectors from offset on. Weights before decayed have weight decay.
func (t *Trainer) adamW(s *scope, learningRate float64, offset, n, decayed int) {
	part := func(v tensor) tensor { return s.matrix(v, int64(offset), 1, int64(n)) }
	theta, moment1, moment2 := part(t.theta), part(t.moment1), part(t.moment2)
	grad, scratch := part(t.workers[0].grad), part(t.scratch)
	step := float64(t.steps + 1)
	s.lerpIn(moment1, grad, 1-t.opt.Beta1)
	s.mulOut(scratch, grad, grad)
	s.lerpIn(moment2, scratch, 1-t.opt.Beta2)

	// theta -= rate * (moment1/c1) / (sqrt(moment2/c2) + epsilon)
	c1 := 1 - math.Pow(t.opt.Beta1, step)
	c2 := 1 - math.Pow(t.opt.Beta2, step)
	s.sqrtOut(scratch, moment2)
	s.addScalarIn(scratch, t.opt.Epsilon*math.Sqrt(c2))
	s.divOut(scratch, moment1, scratch)
	s.mulScalarIn(scratch, learningRate*math.Sqrt(c2)/c1)

	if decayed > offset {
		matrices := s.matrix(t.theta, int64(offset), 1, int64(min(decayed, offset+n)-offset))
		s.mulScalarIn(matrices, 1-learningRate*t.opt.WeightDecay)
	}
	s.subIn(theta, scratch)
}
