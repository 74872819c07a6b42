package adaptive

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// fixedRounds are mechanisms with parameters fixed beforehand, and δ′.
type fixedRounds struct {
	menu   menu
	counts []int
	delta1 float64
}

var fixedSettings = []fixedRounds{
	{menuOf("1 0"), []int{1}, 1e-3},
	{menuOf("0 1/4", "1/10 0"), []int{2, 3}, 1. / 16},
	{menuOf("1/2 1/64", "1/5 1/1024"), []int{3, 10}, 1. / 2},
	{menuOf("1/100 1/1024"), []int{20}, 1},
	{menuOf("0 1/8"), []int{1}, 1e-9},
	{menuOf("5 0"), []int{60}, 1. / 2},
	{menuOf("1/50 0"), []int{3000}, 1e-40},
}

// rounds are what they are, in order.
func (s fixedRounds) rounds() (eps, delta []float64) {
	for i, c := range s.menu {
		eps = append(eps, repeated(loss.Float64(c.Eps), s.counts[i])...)
		delta = append(delta, repeated(rat.Float64(c.Delta), s.counts[i])...)
	}
	return eps, delta
}

func (s fixedRounds) String() string { return fmt.Sprintf("%v of %v", s.counts, s.menu) }

// composesTo checks that the smallest δ at ε is at most δ, with the terms of both scaled; impl has the same ε and δ.
func composesTo(first, second, delta1 float64) register.Check {
	return composesAs(func(t *register.T, s fixedRounds) (float64, float64) {
		eps, deltas := s.rounds()
		e, d := spec.AdvancedComposition(eps, deltas, s.delta1)
		exactEps, exactDeltas := forImpl(eps, deltas)
		if fast, all := impl.AdvancedComposition(exactEps, exactDeltas, new(big.Rat).SetFloat64(s.delta1)); !near(fast.Float().Lo,
			e) || !near(rat.Float64(all), d) {
			t.Refute("%v, δ′ = %g: (%.12g, %.12g) by impl, (%.12g, %.12g) by spec", s, s.delta1, fast.Float().Lo, all, e, d)
		}
		root := math.Sqrt(2 * math.Log(1/s.delta1) * squares(eps))
		return first*root + second*(e-root), d - (1-delta1)*s.delta1
	})
}

var composesWithoutLargest = composesAs(func(_ *register.T, s fixedRounds) (float64, float64) {
	eps, deltas := s.rounds()
	return spec.AdvancedComposition(eps, withoutLargest(deltas), s.delta1)
})

func composesAs(claim func(t *register.T, s fixedRounds) (eps, delta float64)) register.Check {
	return func(t *register.T) {
		t.Domain("%d sequences of 1 to 3000 mechanisms, ε_m from 0 to 5, δ_m from 0 to 1/4, δ′ from 1e-40 to 1",
			len(fixedSettings))
		for _, s := range fixedSettings {
			t.Case()
			eps, delta := claim(t, s)
			p, n := impl.Pipeline{}, 0
			for i, c := range s.menu {
				c.Count = s.counts[i]
				n += c.Count
				p.Mechanisms = append(p.Mechanisms, c)
			}
			p.Stops = []impl.Stop{{After: n, Eps: loss.Nats(new(big.Rat).SetFloat64(eps))}}
			got, err := impl.OptDel(t.Context(), p, impl.Options{RelWidth: 1e-6})
			t.Must(err)
			if low := got.OptDel.Float().Lo; low > delta*(1+1e-9) {
				t.Refute("%v, δ′ = %g: at ε = %.8g they need δ = %.6g, claimed is %.6g", s, s.delta1, eps, low, delta)
			}
			t.Close(got.OptDel.Float().Lo/delta, "%v, δ′ = %g", s, s.delta1)
		}
	}
}
