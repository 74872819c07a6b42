package adaptive

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/spec"
	"checkrr/verify/rat"
)

// pdp is a mechanism that is (ε, δ)-pDP for neighbours in both orders, and runs n times. Outputs that are impossible
// on the true database are left out of its laws.
type pdp struct {
	name   string
	p, q   []*big.Rat
	expEps *big.Rat
	delta  *big.Rat
	n      int
}

func (m pdp) String() string {
	return fmt.Sprintf("%d mechanisms that are %s, δ_m = %s (laws %s and %s)", m.n, m.name, rat.Show(m.delta),
		rat.Show(m.p...), rat.Show(m.q...))
}

// sureLoss has the laws (1, 0) and (1 − δ, δ), and ε = −ln(1 − δ).
func sureLoss(delta *big.Rat, n int) pdp {
	rest := rat.Complement(delta)
	return pdp{"of sure loss", []*big.Rat{rat.One}, []*big.Rat{rest}, rat.Quo(rat.One, rest), delta, n}
}

// tilted has the losses ±ε, more often ε than randomized response, as on the neighbour it does something else with
// probability δ: a/e + (1 − a)e = 1 − δ for e = e^ε.
func tilted(e, delta *big.Rat, n int) pdp {
	a := rat.Quo(rat.Sub(e, rat.Complement(delta)), rat.Sub(e, rat.Quo(rat.One, e)))
	b := rat.Complement(a)
	return pdp{"tilted, e^ε = " + rat.Show(e), []*big.Rat{a, b}, []*big.Rat{rat.Quo(a, e), rat.Mul(b, e)}, e, delta, n}
}

// response is randomized response.
func response(e, delta *big.Rat, n int) pdp {
	each := rat.Quo(rat.Complement(delta), rat.Add(rat.One, e))
	m := pdp{"randomized response, e^ε = " + rat.Show(e), []*big.Rat{rat.Mul(each, e), each},
		[]*big.Rat{each, rat.Mul(each, e)}, e, delta, n}
	if delta.Sign() > 0 {
		m.p, m.q = append(m.p, delta), append(m.q, new(big.Rat))
	}
	return m
}

// pdps go to both ends: few and many, δ = 0, small and large ε.
func pdps() []pdp {
	return []pdp{
		sureLoss(rat.Of("1/60"), 6), sureLoss(rat.Of("1/30000"), 3000),
		tilted(rat.Of("11/10"), rat.Of("1/100"), 10), tilted(rat.Of("21/20"), rat.Of("1/50"), 8),
		tilted(rat.Of("3"), rat.Of("1/20"), 4),
		response(rat.Of("11/10"), new(big.Rat), 12), response(rat.Of("3"), rat.Of("1/50"), 5),
		response(rat.Of("9"), rat.Of("1/4"), 1),
	}
}

// budget returns δ″ and ε of the filter of Theorem 8 that admits just the n runs, at δ′.
func (m pdp) budget(delta1 float64) (eps, delta2 float64) {
	e := math.Log(rat.Float64(m.expEps))
	delta2 = float64(m.n) * rat.Float64(m.delta) * (1 + 1e-12)
	return spec.AdvancedCharge(float64(m.n)*e*e, delta1) * (1 + 1e-9), delta2
}

// runs returns how many runs the filter of Theorem 8 admits.
func (m pdp) runs(eps, delta1, delta2 float64) int {
	e, d := math.Log(rat.Float64(m.expEps)), rat.Float64(m.delta)
	return spec.AdaptiveFilter(slices.Repeat([]float64{e}, m.n+2), slices.Repeat([]float64{d}, m.n+2), eps, delta1, delta2)
}

// loss is the loss of an output, exceeds whether it is above ε, with its absolute value if that is what counts.
func (m pdp) loss(z int) float64 {
	if m.q[z].Sign() == 0 {
		return math.Inf(1)
	}
	return math.Log(rat.Float64(rat.Quo(m.p[z], m.q[z])))
}

func (m pdp) exceeds(z int, absolute bool) bool {
	return m.p[z].Cmp(rat.Mul(m.expEps, m.q[z])) > 0 || absolute && m.q[z].Cmp(rat.Mul(m.expEps, m.p[z])) > 0
}

// path is where runs can be: how often each output came, whether the sum of losses was above a bound, and one loss
// above its ε.
type path struct {
	came       [3]int
	sum, above bool
}

// happened are the probabilities of the events of the proof of Lemma 8: A, that the sum of losses is above a bound
// after some run, and B, that a loss is above its ε.
type happened struct{ a, b, aNotB *big.Rat }

// run returns them, and the smallest δ of all runs together at ε.
func (m pdp) run(runs int, bound, eps float64, absolute bool) (h happened, delta float64) {
	at := map[path]*big.Rat{{}: rat.One}
	for range runs {
		then := map[path]*big.Rat{}
		for s, pr := range at {
			for z := range m.p {
				next := s
				next.came[z]++
				next.above = s.above || m.exceeds(z, absolute)
				next.sum = s.sum || m.total(next.came) > bound*(1+1e-12)
				before, met := then[next]
				if !met {
					before = new(big.Rat)
				}
				then[next] = rat.Add(before, rat.Mul(pr, m.p[z]))
			}
		}
		at = then
	}
	h = happened{new(big.Rat), new(big.Rat), new(big.Rat)}
	for s, pr := range at {
		if s.sum {
			h.a.Add(h.a, pr)
		}
		if s.above {
			h.b.Add(h.b, pr)
		}
		if s.sum && !s.above {
			h.aNotB.Add(h.aNotB, pr)
		}
		delta += rat.Float64(pr) * max(0, -math.Expm1(eps-m.total(s.came)))
	}
	return h, delta
}

// total returns the sum of losses.
func (m pdp) total(came [3]int) (loss float64) {
	for z := range m.p {
		if came[z] > 0 {
			loss += float64(came[z]) * m.loss(z)
		}
	}
	return loss
}
