package basics

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// exponential are statements of Section 3.4.
func exponential() []register.Statement {
	return []register.Statement{
		{
			ID: "AFD-E3.5", Title: "Bids of 1.00 three times and of 3.01 earn 3.01 at the price 3.01, 3.00 at 3.00, 3.00 at 1.00 and 0 at 3.02",
			Printed: "Section 3.4, Example 3.5: price $3.01 → $3.01; $3.00 → $3.00; $1.00 → $3.00; $3.02 → 0",
			Kind:    register.Exact, Verdict: register.Fails, Weight: register.Slip,
			Note:  "At 1.00 all four buy, and it is 4.00: that is the best price, and not 3.01.",
			In:    []string{"spec.Revenue", "impl.Revenue"},
			Check: revenues("3"), Near: []register.Claim{{Says: "it is 4.01 at 1.00", Check: revenues("401/100")}},
			Corrected: &register.Claim{Says: "it is 4.00 at 1.00", Check: revenues("4")},
		},
		{
			ID: "AFD-T3.10", Title: "The exponential mechanism is (ε, 0)-DP",
			Printed: "Section 3.4, Theorem 3.10", Kind: register.Exact, Verdict: register.Holds,
			In:       []string{"spec.ExponentialLaw", "impl.ExponentialLaw"},
			Check:    ratios(rat.Of("4")),
			Controls: []register.Claim{{Says: "it is (ε/2, 0)-DP", Check: ratios(rat.Of("2"))}},
			Near:     []register.Claim{{Says: "it is (ε − ln(20/19), 0)-DP", Check: ratios(rat.Mul(nearly, rat.Of("4")))}},
		},
		{
			ID: "AFD-T3.13", Title: "One-sided noisy arg-max with the parameter ε/(2Δu) has the law of the exponential mechanism",
			Printed: "Section 3.4, Theorem 3.13; the proof is left out",
			Kind:    register.Exact, Verdict: register.Fails, Weight: register.False,
			Note:      "Of two outputs with utilities a distance d apart, the worse one has the probability q/2, not q/(1 + q), q = e^(−εd/(2Δu)). One-sided exponential noise gives permute-and-flip (McKenna and Sheldon 2020); it is Gumbel noise that gives the exponential mechanism.",
			In:        []string{"spec.ExponentialLaw", "spec.OneSidedLaw", "impl.ExponentialLaw", "impl.OneSidedLaw"},
			Check:     lawOfOneSided(spec.ExponentialLaw),
			Near:      []register.Claim{{Says: "it is permute-and-flip with another base by a twentieth", Check: lawOfOneSided(func(x *big.Rat, u []int) []*big.Rat { return permuteAndFlip(rat.Mul(nearly, x), u) })}},
			Corrected: &register.Claim{Says: "it has the law of permute-and-flip", Check: lawOfOneSided(permuteAndFlip)},
		},
	}
}

// revenues checks the example, with what is earned at 1.00.
func revenues(atOne string) register.Check {
	return func(t *register.T) {
		t.Domain("the four prices of the example")
		bids := rat.List("1", "1", "1", "301/100")
		for i, price := range rat.List("301/100", "3", "1", "302/100") {
			t.Case()
			claimed := rat.List("301/100", "3", atOne, "0")[i]
			if literal, fast := spec.Revenue(bids, price), impl.Revenue(bids, price); !rat.Equal(literal, claimed) || !rat.Equal(fast, claimed) {
				t.Refute("at %s it is %s, by impl %s, claimed %s", rat.Show(price), rat.Show(literal), rat.Show(fast), rat.Show(claimed))
			}
		}
	}
}

// inImpl refutes that impl has another law than spec, for e^(ε/(2Δu)) = base.
func inImpl(t *register.T, base *big.Rat, u []int, literal []*big.Rat) {
	var utilities []*big.Rat
	for _, x := range u {
		utilities = append(utilities, rat.Int(x))
	}
	var law []interval.Interval
	law, err := impl.ExponentialLaw(utilities, rat.One, loss.Exp(rat.Mul(base, base)))
	t.Must(err)
	for r, p := range law {
		if !p.Contains(literal[r]) {
			t.Refute("base %s, utilities %v: Pr[%d] is %s by spec, [%g, %g] by impl", rat.Show(base), u, r, rat.Show(literal[r]), p.Lower, p.Upper)
		}
	}
}

// ratios checks the largest ratio of probabilities, for e^(ε/2) = 2 and utilities that differ by at most 1.
func ratios(most *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("e^ε = 4, two outputs with utilities 0 to 7, three with 0 to 2, that change by −1, 0 or 1")
		for _, size := range []struct{ outputs, top int }{{2, 7}, {3, 2}} {
			var utilities []int
			for u := range size.top + 1 {
				utilities = append(utilities, u)
			}
			for u := range finite.Tuples(utilities, size.outputs) {
				here := spec.ExponentialLaw(rat.Of("2"), u)
				inImpl(t, rat.Of("2"), u, here)
				for change := range finite.Tuples([]int{-1, 0, 1}, size.outputs) {
					t.Case()
					v := make([]int, len(u))
					for r := range u {
						v[r] = u[r] + change[r]
					}
					for r, there := range spec.ExponentialLaw(rat.Of("2"), v) {
						ratio := rat.Quo(here[r], there)
						if ratio.Cmp(most) > 0 {
							t.Refute("e^ε = 4, utilities %v and %v: the ratio for output %d is %s, claimed at most %s", u, v, r, rat.Show(ratio), rat.Show(most))
						}
						t.CloseTo(ratio, most, "utilities %v and %v, output %d", u, v, r)
					}
				}
			}
		}
	}
}

// lawOfOneSided checks that the law of one-sided noisy arg-max is the claimed one.
func lawOfOneSided(claimed func(base *big.Rat, u []int) []*big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("e^(ε/(2Δu)) in {3/2, 2, 3}, 1 to 4 outputs with utilities 0, 1, 2")
		for m := 1; m <= 4; m++ {
			for u := range finite.Tuples([]int{0, 1, 2}, m) {
				for _, base := range rat.List("3/2", "2", "3") {
					t.Case()
					inImpl(t, base, u, spec.ExponentialLaw(base, u))
					want, fast := claimed(base, u), impl.OneSidedLaw(base, u)
					for r, p := range spec.OneSidedLaw(base, u) {
						if !rat.Equal(p, want[r]) || !rat.Equal(fast[r], p) {
							t.Refute("e^(ε/(2Δu)) = %s, utilities %v: output %d has the probability %s, by impl %s, claimed %s", rat.Show(base), u, r, rat.Show(p), rat.Show(fast[r]), rat.Show(want[r]))
						}
					}
				}
			}
		}
	}
}

// permuteAndFlip takes a random output of those left and returns it with probability base^(u_r − OPT); if not, it is left out.
func permuteAndFlip(base *big.Rat, u []int) []*big.Rat {
	best := u[0]
	for _, x := range u {
		best = max(best, x)
	}
	law := make([]*big.Rat, len(u))
	for r := range law {
		law[r] = new(big.Rat)
	}
	var from func(left []int, pr *big.Rat)
	from = func(left []int, pr *big.Rat) {
		for i, r := range left {
			each := rat.Quo(pr, rat.Int(len(left)))
			taken := rat.Mul(each, rat.Power(base, u[r]-best))
			law[r] = rat.Add(law[r], taken)
			if others := rat.Sub(each, taken); others.Sign() > 0 {
				from(append(append([]int(nil), left[:i]...), left[i+1:]...), others)
			}
		}
	}
	var all []int
	for r := range u {
		all = append(all, r)
	}
	from(all, rat.One)
	return law
}
