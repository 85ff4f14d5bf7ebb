package neural

import (
	"cmp"
	"math"
	"slices"

	"github.com/neuraldbg/neuraldbg/model"
)

// unseenMass bounds what is left out when a distribution is renormalised over
// the allowed tokens: tokens are looked at from the most probable downward
// until the rest could add at most this share to the allowed ones.
const unseenMass = 1e-3

// weighted is one allowed token.
type weighted struct {
	id int32
	// weight is exp(logit − max) at the temperature of confidences.
	weight float64
	// tempered is the same at the sampling temperature.
	tempered float64
}

// sampler chooses tokens. It holds no state: what it draws depends on its
// settings and on the tokens before alone.
type sampler struct {
	sampling model.Sampling
}

// choice is a token with the logarithm of the probability that the model gave it
// among the allowed ones.
type choice struct {
	id      int32
	logProb float64
}

// decision is a choice together with what else there was to choose.
type decision struct {
	choice
	// next is the most probable of the tokens not chosen; only says that there
	// was none.
	next choice
	only bool
}

// chooseAllowed chooses among the tokens for which allowed is true. ok is false
// when it is true for none. logits are [vocab]; history is all tokens before.
func (s sampler) chooseAllowed(logits []float32, allowed func(id int32) bool, history []int32) (d decision, ok bool) {
	ranking := newRanking(logits)
	confidence, temperature := s.confidenceTemperature(), s.temperature()
	var total, totalTempered float64
	for _, l := range logits {
		weight, tempered := weigh(finite(l)-ranking.max, confidence, temperature)
		total += weight
		totalTempered += tempered
	}
	var found []weighted
	var mass, massTempered float64
	for {
		if mass > 0 && total <= unseenMass*mass && (s.greedy() || totalTempered <= unseenMass*massTempered) {
			break
		}
		id, ok := ranking.next()
		if !ok {
			break
		}
		w := weighted{id: id}
		w.weight, w.tempered = weigh(finite(logits[id])-ranking.max, confidence, temperature)
		total -= w.weight
		totalTempered -= w.tempered
		if !allowed(id) {
			continue
		}
		mass += w.weight
		massTempered += w.tempered
		found = append(found, w)
		if w.weight == 0 { // underflow: nothing later weighs anything either
			break
		}
	}
	if len(found) == 0 {
		return decision{}, false
	}
	return s.draw(found, history), true
}

// weigh returns the weights, at two temperatures, of a logit that exceeds the
// highest by d ≤ 0.
func weigh(d, confidence, temperature float64) (weight, tempered float64) {
	weight = math.Exp(d / confidence)
	if temperature == confidence {
		return weight, weight
	}
	return weight, math.Exp(d / temperature)
}

// chooseAmong chooses one of ids, all of which are allowed.
func (s sampler) chooseAmong(logits []float32, ids []int32, history []int32) decision {
	highest := math.Inf(-1)
	for _, id := range ids {
		highest = max(highest, finite(logits[id]))
	}
	confidence, temperature := s.confidenceTemperature(), s.temperature()
	found := make([]weighted, len(ids))
	for i, id := range ids {
		found[i].id = id
		found[i].weight, found[i].tempered = weigh(finite(logits[id])-highest, confidence, temperature)
	}
	slices.SortStableFunc(found, func(a, b weighted) int { return cmp.Compare(b.weight, a.weight) })
	return s.draw(found, history)
}

// draw takes the first of tokens, which are sorted from the most probable
// downward, or one of them at random.
func (s sampler) draw(tokens []weighted, history []int32) decision {
	var mass float64
	for _, w := range tokens {
		mass += w.weight
	}
	chosen := tokens[0]
	if !s.greedy() {
		chosen = s.drawAtRandom(tokens, history)
	}
	d := decision{choice: asChoice(chosen, mass, len(tokens)), only: len(tokens) == 1}
	for _, w := range tokens {
		if w.id != chosen.id {
			d.next = asChoice(w, mass, len(tokens))
			break
		}
	}
	return d
}

// asChoice gives a token its probability among n tokens that weigh mass.
func asChoice(w weighted, mass float64, n int) choice {
	if mass == 0 { // all weights underflowed: an even chance is all there is to say
		return choice{id: w.id, logProb: -math.Log(float64(n))}
	}
	// A token so improbable that its weight underflows gets the smallest
	// probability there is, so that sums of logarithms stay finite.
	return choice{id: w.id, logProb: math.Log(max(w.weight/mass, math.SmallestNonzeroFloat64))}
}

func (s sampler) drawAtRandom(tokens []weighted, history []int32) weighted {
	var mass float64
	for _, w := range tokens {
		mass += w.tempered
	}
	if p := s.sampling.TopP; p > 0 && p < 1 {
		var nucleus float64
		for i, w := range tokens {
			if nucleus += w.tempered; nucleus >= p*mass {
				tokens, mass = tokens[:i+1], nucleus
				break
			}
		}
	}
	at := uniform(s.sampling.Seed, history) * mass
	for _, w := range tokens {
		if at -= w.tempered; at < 0 {
			return w
		}
	}
	return tokens[0] // rounding, or no mass at all
}

func (s sampler) greedy() bool { return s.sampling.Temperature <= 0 }

// confidenceTemperature is that at which choices get their probability.
func (s sampler) confidenceTemperature() float64 {
	return cmp.Or(s.sampling.ConfidenceTemperature, 1)
}

func (s sampler) temperature() float64 {
	if s.greedy() {
		return 1
	}
	return s.sampling.Temperature
}

// uniform is a number in [0, 1) that depends on the seed and the history alone:
// FNV-1a over the ids, with the finalizer of SplitMix64.
func uniform(seed uint64, history []int32) float64 {
	h := uint64(14695981039346656037) ^ seed*0x9e3779b97f4a7c15
	for _, id := range history {
		h = (h ^ uint64(uint32(id))) * 1099511628211
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	h ^= h >> 31
	return float64(h>>11) / (1 << 53)
}

// finite is a logit as a number to calculate with: a model that overflowed must
// not end the session. NaN counts as the lowest.
func finite(logit float32) float64 {
	const bound = math.MaxFloat32
	if logit != logit {
		return -bound
	}
	return min(max(float64(logit), -bound), bound)
}

// ranking yields token ids from the highest logit downward: a heap, since
// mostly few are wanted of many.
type ranking struct {
	logits []float32
	heap   []int32
	max    float64
}

func newRanking(logits []float32) *ranking {
	r := &ranking{logits: logits, heap: make([]int32, len(logits))}
	for i := range r.heap {
		r.heap[i] = int32(i)
	}
	for i := len(r.heap)/2 - 1; i >= 0; i-- {
		r.sink(i)
	}
	if len(logits) > 0 {
		r.max = finite(logits[r.heap[0]])
	}
	return r
}

// higher orders ids: by logit, and the smaller id first where they are equal.
func (r *ranking) higher(a, b int32) bool {
	la, lb := finite(r.logits[a]), finite(r.logits[b])
	if la != lb {
		return la > lb
	}
	return a < b
}

func (r *ranking) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(r.heap) {
			return
		}
		if child+1 < len(r.heap) && r.higher(r.heap[child+1], r.heap[child]) {
			child++
		}
		if !r.higher(r.heap[child], r.heap[i]) {
			return
		}
		r.heap[i], r.heap[child] = r.heap[child], r.heap[i]
		i = child
	}
}

// next returns the id with the highest logit of those not yet returned.
func (r *ranking) next() (id int32, ok bool) {
	if len(r.heap) == 0 {
		return 0, false
	}
	id = r.heap[0]
	last := len(r.heap) - 1
	r.heap[0] = r.heap[last]
	r.heap = r.heap[:last]
	r.sink(0)
	return id, true
}
