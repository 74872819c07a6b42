package selection

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// searching is a place where the algorithm for one threshold is: its parameters, Δ, and 4S/ε_3.
type searching struct {
	impl.Search
	offset interval.Interval
	scale  *big.Rat
}

func (x *searching) String() string {
	return fmt.Sprintf("ε_0 = %s, ε_1 = %s, ε_3 = %s, δ = %s, β = %s, R = %d, N = %d, p_* = %s", rat.Show(x.Eps0),
		rat.Show(x.Eps1), rat.Show(x.Eps3), rat.Show(x.Delta), rat.Show(x.Beta), x.R, x.N, rat.Show(x.PStar))
}

func newSearching(t *register.T, with impl.Search, offset anOffset) *searching {
	delta0 := rat.Quo(with.Delta, rat.Int(2*with.R))
	return &searching{with, offset(t, with.Eps0, with.Eps1, delta0),
		rat.Quo(rat.Mul(rat.Int(4), rat.Add(with.Eps0, with.Eps1)), with.Eps3)}
}

// plus returns x + Δ.
func (x *searching) plus(y *big.Rat) interval.Interval { return precise.Add(exactly(y), x.offset) }

// base returns ((β/(R + 1))·β)^(6S/ε_3) = (1/(R + 1))^(6S/ε_3)·β^(12S/ε_3).
func (x *searching) base() interval.Interval {
	log := precise.Log(rat.Quo(rat.Mul(x.Beta, x.Beta), rat.Int(x.R+1)))
	return precise.Exp(precise.Mul(exactly(rat.Mul(rat.Of("3/2"), x.scale)), log))
}

// gap returns ln(k + Δ) − (ln(N·p_* + Δ) − Λ).
func (x *searching) gap(k int) interval.Interval {
	lambda := precise.Sub(exactly(rat.Mul(rat.Half, x.Eps0)), precise.Mul(exactly(rat.Mul(rat.Of("3/2"), x.scale)),
		precise.Log(x.Beta)))
	ratio := precise.Quo(x.plus(rat.Int(k)), x.plus(rat.Mul(rat.Int(x.N), x.PStar)))
	return precise.Add(precise.LogOf(ratio), lambda)
}

// passes returns the probability that the test of one threshold passes that is reached with probability p, whatever
// came before.
func (x *searching) passes(p *big.Rat) interval.Interval {
	return mean(binomialLaw(x.N, p), func(k int) interval.Interval { return overtakes(x.gap(k), x.scale) })
}

// searchings goes through places with the N of Theorem 4.6, for ε_3 so large that it is not huge; in the last there is
// hardly any noise.
func searchings(t *register.T, offset anOffset, visit func(x *searching)) {
	t.AlsoDomain("R = 2, (ε_0, ε_1, ε_3, δ, β, p_*) in {(1/2, 1/10, 36/5, 1/2, 1/2, 1/2), (9/10, 1/10, 12, 9/10, 1/10, " +
		"1/4), (7/100, 9/10, 100000, 1/1000, 1/10000, 1/2)}, and the N of the theorem")
	for _, v := range [][]*big.Rat{rat.List("1/2", "1/10", "36/5", "1/2", "1/2", "1/2"),
		rat.List("9/10", "1/10", "12", "9/10", "1/10", "1/4"), rat.List("7/100", "9/10", "100000", "1/1000", "1/10000",
			"1/2")} {
		with := impl.Search{Eps0: v[0], Eps1: v[1], Eps3: v[2], Delta: v[3], Beta: v[4], PStar: v[5], R: 2}
		n := impl.SearchSamples(with)
		if literal := math.Ceil(spec.SearchSamples(literalSearch(with))); literal != float64(n.Int64()) {
			t.Refute("%v: N is %d by impl, %g by spec", rat.Show(v...), n, literal)
		}
		x := newSearching(t, with, offset)
		x.N = samplesFor(n, x.offset, newSearching(t, with, printedOffset).offset)
		t.Case()
		visit(x)
	}
}

// outputs returns a function from a law of three samples, below 0.5, at 0.5 and at 1, to the probabilities of 1/2, 0
// and nothing, for R = 2 thresholds of which the lower is taken for one that the lowest sample does not reach.
func (x *searching) outputs(t *register.T) func(q samples) []interval.Interval {
	law := impl.SparseVectorLaw{RhoScale: rat.Mul(rat.Half, x.scale), NuScale: x.scale, Cutoff: 1}
	const steps = 1 << 40
	near := func(g interval.Interval, more int64) *big.Rat {
		middle := big.NewRat(int64(math.Round(g.Float().Hi*steps)), steps)
		return rat.Add(middle, big.NewRat(more, steps))
	}
	pr := func(a, b *big.Rat) interval.Interval {
		p, err := law.Probability([]impl.Comparison{{Query: a, Threshold: new(big.Rat)},
			{Query: b, Threshold: new(big.Rat), Above: true}}, 1e-15)
		t.Must(err)
		return p
	}
	type counts struct{ high, both int }
	early, late := map[counts]interval.Interval{}, map[counts]interval.Interval{}
	for both := range x.N + 1 {
		for high := range both + 1 {
			c := counts{high, both}
			first, second := x.gap(high), x.gap(both)
			early[c] = overtakes(first, x.scale)
			late[c] = interval.New(pr(near(first, 2), near(second, -2)).Lower, pr(near(first, -2), near(second, 2)).Upper)
		}
	}
	return func(q samples) []interval.Interval {
		sums := []interval.Interval{precise.Int(0), precise.Int(0), precise.Int(1)}
		for path := range finite.Tuples([]int{0, 1, 2}, x.N) {
			c, p := counts{}, rat.One
			for _, i := range path {
				p = rat.Mul(p, q[i])
				if i == 2 {
					c.high++
				}
				if i >= 1 {
					c.both++
				}
			}
			sums[0] = precise.Add(sums[0], precise.Mul(exactly(p), early[c]))
			sums[1] = precise.Add(sums[1], precise.Mul(exactly(p), late[c]))
		}
		sums[2] = precise.Sub(sums[2], precise.Add(sums[0], sums[1]))
		return sums
	}
}
