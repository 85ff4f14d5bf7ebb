package dataset

import (
	"math/rand/v2"

	"github.com/neuraldbg/neuraldbg/statetree"
)

// Sample draws the trajectories of one program. They depend on the seed and the
// case's index alone. Missing is how often a direction had none.
func (p *Params) Sample(subject statetree.Subject, index uint64) (list []statetree.Trajectory, missing int, err error) {
	sampler, err := statetree.NewSampler(subject)
	if err != nil {
		return nil, 0, err
	}
	rng := rand.New(rand.NewPCG(p.Seed, index))
	for range p.Trajectories {
		direction := statetree.Inverse
		if rng.Float64() < p.Forward {
			direction = statetree.Forward
		}
		t, ok := sampler.Sample(rng, direction, &p.Sampling)
		if !ok {
			missing++
			continue
		}
		list = append(list, t)
	}
	return list, missing, nil
}
