package basics

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// composed is a setting of the theorems on privacy.
type composed struct {
	c          int
	eps, delta string
}

func (s composed) String() string {
	return fmt.Sprintf("c = %d, ε = %s, δ = %s", s.c, s.eps, s.delta)
}

var (
	edgeCases = []composed{{1, "1", "1e-6"}, {1, "1", "9/10"}, {10, "1/2", "1/2"}, {1, "1", "0.99999"},
		{1000, "4200", "1/2"}}
	hugeCases = []composed{{1, "1", "1e-6"}, {1, "1", "0.99999"}, {10, "1/2", "1/2"}, {2000, "11000", "1/2"}}
)

// noiseScales are the scales of an algorithm, which the rooms must have to a width: of the thresholds, and of the
// numbers that are released, if any are.
type noiseScales func(t *register.T, c int, eps, delta *big.Rat, width float64) []interval.Interval

func sparseScales(t *register.T, c int, eps, delta *big.Rat, width float64) []interval.Interval {
	sigma := impl.SparseScale(c, eps, delta)
	isWithin(t, "σ", sigma, spec.SparseScale(c, rat.Float64(eps), rat.Float64(delta)), width)
	return []interval.Interval{sigma}
}

func numericScales(t *register.T, c int, eps, delta *big.Rat, width float64) []interval.Interval {
	first, second := impl.NumericSparseScales(c, eps, delta)
	a, b := spec.NumericSparseScales(c, rat.Float64(eps), rat.Float64(delta))
	isWithin(t, "σ(ε_1)", first, a, width)
	isWithin(t, "σ(ε_2)", second, b, width)
	return []interval.Interval{first, second}
}

// roundsLeak checks (ε, δ)-DP where all answers are T + 1/2 on one database and T − 1/2 on the other: c times ⊤ at once
// has the probabilities (1 − t)^c and t^c, t = (4y − y²)/6 and y = e^(−1/(4σ)).
func roundsLeak(t *register.T, scales noiseScales, cases []composed) {
	text := ""
	for _, s := range cases {
		text += "; " + s.String()
	}
	t.AlsoDomain("answers T + 1/2 or T − 1/2 to all queries, ⊤ to the first c: %s", text[2:])
	for _, s := range cases {
		t.Case()
		eps, delta := rat.Of(s.eps), rat.Of(s.delta)
		sigma := scales(t, s.c, eps, delta, 1e-10)[0] // ln(1/δ) of a δ near 1 cancels in float64
		tail := wrongTail(precise.Exp(precise.Neg(precise.Quo(precise.Rat(rat.Of("1/4")), sigma))))
		forth, back := precise.Power(precise.Sub(precise.Int(1), tail), s.c), precise.Power(tail, s.c)
		needs := precise.Sub(forth, precise.Mul(precise.ExpRat(eps), back))
		t.Require(!rat.IsAbove(needs, delta), "%v, answers T + 1/2 against T − 1/2: at least δ = %.9g is needed", s,
			needs.Lower)
	}
}

// isIn reports whether ε or c is at most n·ln(1/δ), or if n is 0, whether δ ≤ 1/1000.
func (s composed) isIn(n float64) bool {
	log := math.Log(1 / rat.Float64(rat.Of(s.delta)))
	return n == 0 && log > 6 || min(float64(s.c), rat.Float64(rat.Of(s.eps))) <= n*log
}

// parts returns the ε of the mechanisms that an algorithm with δ and a share of its noise is made of, c of each.
type parts func(t *register.T, c int, eps, delta *big.Rat, share string) []interval.Interval

// sparseParts has mechanisms that are 2/σ-DP.
func sparseParts(t *register.T, c int, eps, delta *big.Rat, share string) []interval.Interval {
	sigma := sparseScales(t, c, eps, delta, 1e-12)[0]
	return []interval.Interval{precise.Quo(precise.Int(2), times(sigma, rat.Of(share)))}
}

// numericParts has those of NumericSparse: the numbers are 1/σ(ε_2)-DP.
func numericParts(t *register.T, c int, eps, delta *big.Rat, share string) []interval.Interval {
	scales := numericScales(t, c, eps, delta, 1e-12)
	return []interval.Interval{precise.Quo(precise.Int(2), times(scales[0], rat.Of(share))),
		precise.Quo(precise.Int(1), times(scales[1], rat.Of(share)))}
}

// compose checks that the parts are together (ε, δ)-DP, by optimal composition of ε to 12 digits, upward: in the
// settings for which ε or c is at most so many times ln(1/δ).
func compose(t *register.T, of parts, share string, most float64) {
	t.AlsoDomain("optimal composition for c in {1, 20, 100}, ε in {1, 5, 100}, δ in {1e-6, 1/1000, 1/2, 9/10}, as far as claimed")
	finite.Each3([]int{1, 20, 100}, []string{"1", "5", "100"}, []string{"1e-6", "1/1000", "1/2", "9/10"},
		func(c int, eps, delta string) {
			s := composed{c, eps, delta}
			if !s.isIn(most) {
				return
			}
			t.At("%v", s)
			var ms []impl.Mechanism
			for _, e := range of(t, c, rat.Of(eps), rat.Of(delta), share) {
				upward := loss.Nats(rat.Of(fmt.Sprintf("%.12e", e.Float().Hi*(1+1e-11))))
				ms = append(ms, impl.Mechanism{Eps: upward, Delta: new(big.Rat), Count: c})
			}
			needed, err := impl.OptComp(t.Context(), ms, rat.Of(delta), impl.Options{RelWidth: 1e-2})
			t.Must(err)
			x, claimed := needed.Eps.Float().Lo, rat.Float64(rat.Of(eps))
			t.Require(x <= claimed*(1+1e-9), "at least ε = %.9g is needed", x)
			t.Close(x/claimed, "")
		})
}

// addsUp checks that c rounds add up to at most a share of ε, for δ = 0.
func addsUp(t *register.T, of parts, share float64) {
	t.AlsoDomain("the sum of all ε for δ = 0, c in {1, 2, 9}, ε in {1/10, 3}")
	finite.Each2([]int{1, 2, 9}, rat.List("1/10", "3"), func(c int, eps *big.Rat) {
		t.At("c = %d, ε = %s", c, eps)
		sum, most := 0.0, share*rat.Float64(eps)
		for _, e := range of(t, c, eps, new(big.Rat), "1") {
			sum += float64(c) * e.Float().Lo
		}
		t.Require(sum <= most*(1+1e-12), "the parts add up to %.12g", sum)
		t.Close(rounded(sum/most), "")
	})
}
