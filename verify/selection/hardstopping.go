package selection

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// hardStopping are the statements of Section 3 and Appendix A.2 on selection that stops after T draws at the latest.
func hardStopping() register.Checks {
	return register.Checks{
		"PSC-A3": register.Checked(stoppingRuns(3, rat.One, true),
			register.Control("the last sample is returned", stoppingRuns(3, rat.One, false)),
			register.NearMiss("the coin comes up with probability 19/20·γ", stoppingRuns(3, nearly, true)),
		),
		"PSC-T3.4": register.Checked(hardStoppingIsApproximate(rat.One, false),
			register.Control("with 1/200 of δ", hardStoppingIsApproximate(rat.Of("1/200"), false)),
			register.NearMiss("with 19/20 of the δ of impl.SelectionDelta", hardStoppingIsApproximate(nearly, true)),
		),
		"PSC-T3.5": register.Checked(hardStoppingIsDP(rat.One, 3, 0),
			register.Control("it is (2ε_1 + 3ε_0)-DP", hardStoppingIsDP(rat.One, 2, 0)),
			register.NearMiss("it is 19/20·(3ε_1 + 3ε_0)-DP", hardStoppingIsDP(nearly, 3, 0)),
			register.NearMiss("for a T of 1/128 of that", hardStoppingIsDP(rat.One, 3, 7)),
		),
		"PSC-T3.5.s1": register.Checked(hardStoppingLaw(spec.HardStoppingLaw, rat.One, 0),
			register.Control("with T − 1 for T", hardStoppingLaw(spec.HardStoppingLaw, rat.One, -1)),
			register.NearMiss("with 19/20 of γ", hardStoppingLaw(spec.HardStoppingLaw, nearly, 0)),
		),
		"PSC-T3.5.s2": register.Checked(hardStoppingLaw(impl.HardStoppingLaw, rat.One, 0),
			register.Control("with T − 1 for T", hardStoppingLaw(impl.HardStoppingLaw, rat.One, -1)),
			register.NearMiss("with 19/20 of γ", hardStoppingLaw(impl.HardStoppingLaw, nearly, 0)),
		),
	}
}

// hardStoppingLaw compares a formula with all that can happen.
func hardStoppingLaw(formula func(oracle []*big.Rat, gamma *big.Rat, t int) []*big.Rat, share *big.Rat,
	more int) register.Check {
	return func(t *register.T) {
		t.Domain("1 to 3 samples of probabilities in multiples of 1/3, γ in {%s}, T in {2, 3, 4}", rat.Show(chances...))
		for m := 1; m <= 3; m++ {
			for q := range oracles(m, 3) {
				for _, gamma := range chances {
					for _, limit := range []int{2, 3, 4} {
						t.Case()
						want := exhaustive.HardStopping(q, gamma, limit)
						for i, p := range formula(q, rat.Mul(share, gamma), limit+more) {
							if !rat.Equal(p, want[i]) {
								t.Refute("Q = (%v), γ = %s, T = %d: output %d has the probability %s, by the formula %s", q, rat.Show(gamma),
									limit, i+1, rat.Show(want[i]), rat.Show(p))
							}
						}
					}
				}
			}
		}
	}
}

func hardStoppingIsDP(share *big.Rat, factor int64, halvings uint) register.Check {
	return func(t *register.T) {
		t.Domain("e^ε_1 in {3/2, 10}, γ in {1/10, 1/2, 1} and, for the worst laws, 1/100, ε_0 in {1/20, 49/100}; 36 ε_1-DP " +
			"oracles over three samples, and the worst one")
		for _, e := range rat.List("3/2", "10") {
			for _, eps0 := range rat.List("1/20", "49/100") {
				bound := logOf(share, factor, e, rat.Mul(rat.Of("3"), eps0))
				try := func(q neighbours, gamma *big.Rat) {
					t.Case()
					least := impl.HardStoppingLimit(gamma, eps0).Int64()
					if literal := spec.HardStoppingLimit(rat.Float64(gamma), rat.Float64(eps0)); literal != float64(least) {
						t.Refute("γ = %s, ε_0 = %s: T = %d by impl, %g by spec", rat.Show(gamma), rat.Show(eps0), least, literal)
					}
					limit := max(1, int(least)>>halvings)
					laws := bothHardStoppings(t, q, gamma, limit)
					at := fmt.Sprintf("e^ε_1 = %s, %v, γ = %s, ε_0 = %s, T = %d", rat.Show(e), q, rat.Show(gamma), rat.Show(eps0),
						limit)
					checkLoss(t, laws, bound, "%s", at)
					checkLossBy(t, "impl.HardStoppingLoss", laws, impl.HardStoppingLoss(loss.Exp(e), gamma, max(2, limit)), "%s", at)
				}
				for _, gamma := range rat.List("1/10", "1/2", "1") {
					for q := range pure(e) {
						try(q, gamma)
					}
				}
				try(worst(e, rat.Of("1/1000")), rat.Of("1/100"))
			}
		}
	}
}

// hardStoppingIsApproximate checks a share of the δ of Theorem 3.4, or of the one of impl.SelectionDelta, and this
// itself.
func hardStoppingIsApproximate(share *big.Rat, ofOurs bool) register.Check {
	return func(t *register.T) {
		t.Domain("e^ε_1 in {1, 4}, δ_1 in {1/10000, 1/100, 1/4}, γ in {1/10, 1/2, 1}, δ_2 in {1/1000000, 1/10}; all " +
			"functions of randomized response onto three samples")
		for _, e := range rat.List("1", "4") {
			for _, delta := range rat.List("1/10000", "1/100", "1/4") {
				for _, gamma := range rat.List("1/10", "1/2", "1") {
					for _, delta2 := range rat.List("1/1000000", "1/10") {
						count, eps, printed := impl.ApproximateHardStopping(loss.Exp(e), delta, gamma, delta2)
						checkApproximateTwins(t, e, delta, gamma, delta2)
						limit := int(count.Int64())
						ours := precise.Rat(impl.SelectionDelta(delta, gamma, limit))
						claimed := precise.Mul(precise.Rat(share), printed)
						if ofOurs {
							claimed = precise.Mul(precise.Rat(share), ours)
						}
						lost := precise.Int(1)
						if limit >= 2 {
							lost = precise.Exp(impl.HardStoppingLoss(loss.Exp(e), gamma, limit))
						}
						for f, q := range approximate(e, delta) {
							t.Case()
							at := fmt.Sprintf("e^ε_1 = %s, δ_1 = %s, γ = %s, δ_2 = %s, T = %d, answers to samples %v", rat.Show(e),
								rat.Show(delta), rat.Show(gamma), rat.Show(delta2), limit, f)
							laws := bothHardStoppings(t, q, gamma, limit)
							checkDelta(t, laws, precise.Exp(eps), claimed, at)
							t.Close(precise.Quo(excess(laws, precise.Exp(eps)), claimed).Float().Lo, "%s", at)
							if limit >= 2 && !lost.Upper.IsInf() {
								checkDelta(t, laws, lost, ours, at+", by impl.SelectionDelta")
							}
						}
					}
				}
			}
		}
	}
}

// checkApproximateTwins refutes a formula of Theorem 3.4 that is another one in the other room.
func checkApproximateTwins(t *register.T, e, delta, gamma, delta2 *big.Rat) {
	count, eps, d := impl.ApproximateHardStopping(loss.Exp(e), delta, gamma, delta2)
	limit, literal, literalDelta := spec.ApproximateHardStopping(math.Log(rat.Float64(e)), rat.Float64(delta),
		rat.Float64(gamma), rat.Float64(delta2))
	more := (float64(count.Int64()) - limit) * math.Sqrt(2*rat.Float64(delta)) // as T is rounded up
	if math.Ceil(limit-1e-9) != float64(count.Int64()) || !isNear(literal, eps) || !isNear(literalDelta+more, d) {
		t.Refute("e^ε_1 = %s, δ_1 = %s, γ = %s, δ_2 = %s: T = %d, ε = %.9g and δ = %.9g by impl; %g, %g and %g by spec",
			rat.Show(e), rat.Show(delta), rat.Show(gamma), rat.Show(delta2), count, eps.Upper, d.Upper, limit, literal,
			literalDelta)
	}
}

// isNear reports whether a float64 is the number but for rounding.
func isNear(x float64, of interval.Interval) bool {
	y, _ := of.Upper.Float64()
	return math.Abs(x-y) <= 1e-12*math.Max(1, math.Abs(y))
}

// bothHardStoppings returns the laws of the output by both rooms, which have to agree where T is small.
func bothHardStoppings(t *register.T, q neighbours, gamma *big.Rat, limit int) (laws [2]samples) {
	for b := range q {
		laws[b] = impl.HardStoppingLaw(q[b], gamma, limit)
		if literal := samples(spec.HardStoppingLaw(q[b], gamma, min(limit, 8))); limit <= 8 &&
			!equalSamples(literal, laws[b]) {
			t.Refute("Q = (%v), γ = %s, T = %d: (%v) by impl, (%v) by spec", q[b], rat.Show(gamma), limit, laws[b], literal)
		}
	}
	return laws
}

func equalSamples(a, b samples) bool {
	for i := range a {
		if !rat.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}
