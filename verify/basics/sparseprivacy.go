package basics

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
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

// showAll shows settings.
func showAll(settings []composed) string {
	text := make([]string, len(settings))
	for i, s := range settings {
		text[i] = s.String()
	}
	return strings.Join(text, "; ")
}

var (
	edgeCases = []composed{{1, "1", "1e-6"}, {1, "1", "9/10"}, {10, "1/2", "1/2"}, {1, "1", "0.99999"},
		{1000, "4200", "1/2"}}
	hugeCases = []composed{{1, "1", "1e-6"}, {1, "1", "0.99999"}, {10, "1/2", "1/2"}, {2000, "11000", "1/2"}}
)

func sparseRounds(c int, eps, delta *big.Rat) interval.Interval {
	return impl.SparseScale(c, eps, delta)
}

func numericRounds(c int, eps, delta *big.Rat) interval.Interval {
	first, _ := impl.NumericSparseScales(c, eps, delta)
	return first
}

// roundsLeak checks (ε, δ)-DP where all answers are T + 1/2 on one database and T − 1/2 on the other: c times ⊤ at once
// has the probabilities (1 − t)^c and t^c, t = (4y − y²)/6 and y = e^(−1/(4σ)).
func roundsLeak(theorem int, scale func(c int, eps, delta *big.Rat) interval.Interval,
	cases []composed) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("answers T + 1/2 or T − 1/2 to all queries, ⊤ to the first c: %s", showAll(cases))
		for _, s := range cases {
			t.Case()
			eps, delta := rat.Of(s.eps), rat.Of(s.delta)
			sigma := scale(s.c, eps, delta)
			literal := spec.SparseScale(s.c, rat.Float64(eps), rat.Float64(delta))
			if theorem == 2 {
				literal, _ = spec.NumericSparseScales(s.c, rat.Float64(eps), rat.Float64(delta))
			}
			if !(math.Abs(literal/sigma.Float().Hi-1) <= 1e-10) { // ln(1/δ) of a δ near 1 cancels in float64
				t.Refute("%v: σ is %.15g by spec, %.15g by impl", s, literal, sigma.Float().Hi)
			}
			y := precise.Exp(precise.Neg(precise.Quo(precise.Rat(rat.Of("1/4")), sigma)))
			tail := precise.Quo(precise.Sub(precise.Mul(precise.Int(4), y), precise.Mul(y, y)), precise.Int(6))
			forth, back := precise.Power(precise.Sub(precise.Int(1), tail), s.c), precise.Power(tail, s.c)
			if needs := precise.Sub(forth, precise.Mul(precise.ExpRat(eps), back)); rat.IsAbove(needs, delta) {
				t.Refute("%v, answers T + 1/2 against T − 1/2: at least δ = %.9g is needed", s, needs.Lower)
			}
		}
	}
}

// bounded says for which settings: those where ε or c is at most n·ln(1/δ), or all with δ ≤ 1/1000 if n is 0.
func bounded(n float64) func(s composed) bool {
	return func(s composed) bool {
		log := math.Log(1 / rat.Float64(rat.Of(s.delta)))
		return n == 0 && log > 6 || min(float64(s.c), rat.Float64(rat.Of(s.eps))) <= n*log
	}
}

// sparseParts returns the mechanisms that Sparse is made of: c that are 2/σ-DP.
func sparseParts(share *big.Rat) func(t *register.T, s composed) []impl.Mechanism {
	return func(t *register.T, s composed) []impl.Mechanism {
		sigma := impl.SparseScale(s.c, rat.Of(s.eps), rat.Of(s.delta))
		isAbout(t, "σ", sigma, spec.SparseScale(s.c, rat.Float64(rat.Of(s.eps)), rat.Float64(rat.Of(s.delta))))
		return []impl.Mechanism{atScale(rat.Int(2), times(sigma, share), s.c)}
	}
}

// numericParts returns those of NumericSparse: the numbers are 1/σ(ε_2)-DP.
func numericParts(share *big.Rat) func(t *register.T, s composed) []impl.Mechanism {
	return func(t *register.T, s composed) []impl.Mechanism {
		first, second := impl.NumericSparseScales(s.c, rat.Of(s.eps), rat.Of(s.delta))
		a, b := spec.NumericSparseScales(s.c, rat.Float64(rat.Of(s.eps)), rat.Float64(rat.Of(s.delta)))
		isAbout(t, "σ(ε_1)", first, a)
		isAbout(t, "σ(ε_2)", second, b)
		return []impl.Mechanism{atScale(rat.Int(2), times(first, share), s.c), atScale(rat.One, times(second, share), s.c)}
	}
}

// atScale returns mechanisms with ε = top/scale, to 12 digits, upward.
func atScale(top *big.Rat, scale interval.Interval, count int) impl.Mechanism {
	eps := rat.Of(fmt.Sprintf("%.12e", rat.Float64(rat.Quo(top, rat.Exact(scale.Lower)))*(1+1e-11)))
	return impl.Mechanism{Eps: loss.Nats(eps), Delta: new(big.Rat), Count: count}
}

// compose checks that the parts are together (ε, δ)-DP, by optimal composition.
func compose(parts func(t *register.T, s composed) []impl.Mechanism, in func(s composed) bool) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("optimal composition for c in {1, 20, 100}, ε in {1, 5, 100}, δ in {1e-6, 1/1000, 1/2, 9/10}, as " +
			"far as claimed")
		for _, c := range []int{1, 20, 100} {
			for _, eps := range []string{"1", "5", "100"} {
				for _, delta := range []string{"1e-6", "1/1000", "1/2", "9/10"} {
					s := composed{c, eps, delta}
					if !in(s) {
						continue
					}
					t.Case()
					needed, err := impl.OptComp(t.Context(), parts(t, s), rat.Of(delta), impl.Options{RelWidth: 1e-2})
					t.Must(err)
					if x := needed.Eps.Float().Lo; x > rat.Float64(rat.Of(eps))*(1+1e-9) {
						t.Refute("%v: at least ε = %.9g is needed", s, x)
					}
					t.Close(needed.Eps.Float().Lo/rat.Float64(rat.Of(eps)), "%v", s)
				}
			}
		}
	}
}

// sparseRound returns the ε of a round of Sparse with δ = 0: 2/σ.
func sparseRound(t *register.T, c int, eps *big.Rat) interval.Interval {
	sigma := impl.SparseScale(c, eps, new(big.Rat))
	isAbout(t, "σ", sigma, spec.SparseScale(c, rat.Float64(eps), 0))
	return precise.Quo(precise.Int(2), sigma)
}

// numericRound returns that of a round of NumericSparse: 2/σ(ε_1) for ⊤, and 1/σ(ε_2) for its number.
func numericRound(t *register.T, c int, eps *big.Rat) interval.Interval {
	first, second := impl.NumericSparseScales(c, eps, new(big.Rat))
	a, b := spec.NumericSparseScales(c, rat.Float64(eps), 0)
	isAbout(t, "σ(ε_1)", first, a)
	isAbout(t, "σ(ε_2)", second, b)
	return precise.Add(precise.Quo(precise.Int(2), first), precise.Quo(precise.Int(1), second))
}

// addsUp checks that c rounds add up to at most ε.
func addsUp(round func(t *register.T, c int, eps *big.Rat) interval.Interval, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("the sum of all ε for δ = 0, c in {1, 2, 9}, ε in {1/10, 3}")
		for _, c := range []int{1, 2, 9} {
			for _, eps := range rat.List("1/10", "3") {
				t.Case()
				sum, most := rat.Float64(rat.Mul(rat.Exact(round(t, c, eps).Lower), rat.Int(c))), rat.Float64(rat.Mul(share, eps))
				if sum > most*(1+1e-12) {
					t.Refute("c = %d, ε = %s: the parts add up to %.12g", c, rat.Show(eps), sum)
				}
				t.Close(min(1, sum/most), "c = %d, ε = %s", c, rat.Show(eps))
			}
		}
	}
}
