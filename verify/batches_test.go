package verify

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
)

// cutChances goes through all samples of the records but one, and returns how probable it is that these are fewer than
// a batch, and that they are not, and how probable it is then that the one is in the batch.
func cutChances(q float64, most, records int) (kept, cut, rate float64) {
	for sample := range uint(1) << (records - 1) {
		p, n := 1.0, bits.OnesCount(sample)
		for i := range records - 1 {
			if sample>>i&1 == 1 {
				p *= q
			} else {
				p *= 1 - q
			}
		}
		if n < most {
			kept += p
			continue
		}
		cut += p
		rate += p * q * float64(most) / float64(n+1)
	}
	return kept, cut, rate / max(cut, 1e-300)
}

// mixture is the density of the one with probability q, and of the other otherwise.
func mixture(q, one, other float64) float64 { return q*one + (1-q)*other }

// batchQuadrature returns points of both kinds of batches, by the trapezoid rule over their densities: of those that
// may be full, and of the others.
func batchQuadrature(a *certify.Additive, n int) (s quadrature) {
	scale, q := rat.Float64(a.Scale), rat.Float64(a.Sampling)
	kept, cut, rate := 1.0, 0.0, 0.0
	if a.MaxBatch > 0 {
		kept, cut, rate = cutChances(q, a.MaxBatch, a.Records)
	}
	density := func(y float64) float64 { return math.Exp(-y*y/(2*scale*scale)) / (scale * math.Sqrt(2*math.Pi)) }
	reach := 2 + 9*scale
	h := 2 * reach / float64(n)
	atom := 0.0
	for k := range n + 1 {
		y := h*float64(k) - reach
		middle, one, other := density(y)*h, density(y-1)*h, density(y+1)*h
		if !a.Replaced {
			s.add(a.Added, mixture(q, kept*one, kept*middle), kept*middle)
			s.add(a.Added, mixture(rate, cut*density(y-2)*h, cut*middle), cut*middle)
			continue
		}
		same := min(one, other)
		with, without := mixture(q, one, middle), mixture(q, other, middle)
		s.point(math.Log(with/without), kept*with)
		with, without = mixture(rate, one, same), mixture(rate, other, same)
		s.point(math.Log(with/without), cut*with)
		atom += cut * (1 - rate) * (one - same)
	}
	s.point(0, atom)
	return s
}

// batchMechanism returns a random step with batches, and its points in both orders. It shares nothing with the law of
// such steps: how probable it is that a batch is full is found by going through all samples.
func batchMechanism(r *rand.Rand, n int, replaces bool) (m impl.Mechanism, both [2]quadrature) {
	a := certify.Additive{Noise: certify.Gaussian, Sampling: rat.List("1", "0.7", "0.3", "0.05")[r.IntN(4)],
		Replaced: replaces, Scale: big.NewRat(int64(1400+8000*r.Float64()), 1000)}
	if !replaces || r.IntN(4) > 0 || a.Sampling.Cmp(rat.One) == 0 {
		a.Records = 2 + r.IntN(8)
		a.MaxBatch = 1 + r.IntN(a.Records-1)
	}
	back := a
	back.Added = !a.Replaced
	return impl.Mechanism{Additive: &a}, [2]quadrature{batchQuadrature(&a, n), batchQuadrature(&back, n)}
}

// TestOptDel_PublishedBatches has the δ of Google's dp_accounting from the pairs that it takes, by the recursion over
// losses: where batches are cut, noise around 2 and −2, and not around 2 and 0. That is larger than what is needed.
func TestOptDel_PublishedBatches(t *testing.T) {
	t.Parallel()
	var p impl.Pipeline
	var steps []quadrature
	for _, x := range [][2]int{{4, 3}, {3, 2}} {
		a := &certify.Additive{Noise: certify.Gaussian, Scale: rat.One, Sampling: rat.Of("1/2"), MaxBatch: 2, Records: x[0]}
		p.Mechanisms = append(p.Mechanisms, impl.Mechanism{Additive: a, Count: x[1]})
		kept, cut, rate := cutChances(0.5, 2, x[0])
		const h = 0.01
		density := func(y float64) float64 { return math.Exp(-y*y/2) / math.Sqrt(2*math.Pi) * h }
		s := quadrature{}
		for y := -12.0; y < 12; y += h {
			s.add(false, mixture(0.5, kept*density(y-1), kept*density(y)), kept*density(y))
			with, without := mixture(rate, density(y-2), density(y)), mixture(rate, density(y+2), density(y))
			s.point(math.Log(with/without), cut*with)
		}
		steps = append(steps, slices.Repeat([]quadrature{s}, x[1])...)
	}
	const eps = "17.904330"
	charges := map[int]float64{len(steps): rat.Float64(rat.Of(eps))}
	theirs, _ := richardson(func(nodes int) float64 { return byQuadrature(steps, charges, nodes, 40) })
	if math.Abs(theirs-1e-6) > 1e-9 {
		t.Errorf("the pairs that it takes have δ = %.7g at ε = %s, must be 1e-6", theirs, eps)
	}
	p.Stops = []impl.Stop{{After: len(steps), Eps: loss.Nats(rat.Of(eps))}}
	result, err := impl.OptDel(t.Context(), p, impl.Options{RelWidth: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	if x := result.OptDel.Float(); x.Hi > 2.1560e-7 || x.Lo < 2.1555e-7 {
		t.Errorf("δ is between %v and %v", x.Lo, x.Hi)
	}
}
