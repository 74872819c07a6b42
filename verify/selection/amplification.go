package selection

import (
	"context"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// amplification are the statements of Appendix C, where each candidate is run once.
func amplification() register.Checks {
	return register.Checks{
		"PSC-A9": register.Checked(amplificationTwins(1, 0),
			register.NearMiss("2 + 1/γ dummies", amplificationTwins(1, 1)),
			register.NearMiss("exp(0.95·ε_2·A_i)", amplificationTwins(0.95, 0)),
		),
		"PSC-TC.1a1": register.Checked(dummies(true, rat.One),
			register.Control("at most half of it", dummies(false, rat.Half)),
			register.NearMiss("at most 19/20 of it", dummies(false, nearly)),
			register.Corrected("at most that", dummies(false, rat.One)),
		),
		"PSC-TC.1a2": register.Checked(farBelow(rat.One),
			register.NearMiss("with δ/5", farBelow(rat.Of("1/5"))),
		),
		"PSC-TC.1b": register.Checked(amplifiedLoss(rat.One),
			register.NearMiss("2/3 of that", amplifiedLoss(rat.Of("2/3"))),
		),
		"PSC-TC.1.s1": register.Checked(dummies(false, rat.One),
			register.NearMiss("19/20 of it", dummies(false, nearly)),
		),
		"PSC-TC.1.s2": register.Checked(belowChain(rat.One),
			register.NearMiss("9/10 of the last", belowChain(rat.Of("9/10"))),
		),
		"PSC-TC.1.s3": register.Checked(oneScore(true, rat.One),
			register.NearMiss("19/20 of Σ_i Pr[A_i = S]·exp(ε_2(S − τ))·E[1/W_i]", oneScore(false, nearly)),
			register.Corrected("Σ_i Pr[A_i = S]·exp(ε_2(S − τ))·E[1/W_i]", oneScore(false, rat.One)),
		),
		"PSC-TC.1.s4": register.Checked(inverseWeight(rat.One),
			register.NearMiss("19/20 of the last", inverseWeight(nearly)),
		),
		"PSC-TC.1.s5": nearStep(lastOfAmplification, "19/20"),
		"PSC-X21": register.Checked(uniformly(true, rat.One),
			register.NearMiss("and 1 + 1/γ dummies, 19/20 of the probability", uniformly(false, nearly)),
			register.Corrected("and 1 + 1/γ dummies", uniformly(false, rat.One)),
		),
	}
}

// amplificationTwins checks runs of both rooms, with a share of ε_2 in the weights, and more dummies; and both laws.
func amplificationTwins(share float64, more int) register.Check {
	return func(t *register.T) {
		n := t.Size(800, 20000)
		t.Domain("%d tapes, up to 5 candidates with scores in {−2, 0, 1, 3}, τ in {0, 1}, 2 to 6 dummies, ε_2 in {1/5, 2}; "+
			"laws of 1 to 3 candidates over the weights {1/8, 1/2, 1}", n)
		t.Random(35, n, func(t *register.T, d register.Dice) {
			scores := make([]float64, d.Roll(6))
			for i := range scores {
				scores[i] = []float64{-2, 0, 1, 3}[d.Roll(4)]
			}
			tau, count, eps2 := float64(d.Roll(2)), 2+d.Roll(5), []float64{0.2, 2}[d.Roll(2)]
			draw := float64(d.Roll(997)) / 100.3
			var literal []spec.Candidate[int]
			var fast []impl.Candidate[int]
			for i, s := range scores {
				literal = append(literal, func() spec.Scored[int] { return spec.Scored[int]{Output: i, Score: s} })
				fast = append(fast, func(context.Context) (impl.Scored[int], error) {
					return impl.Scored[int]{Output: i, Score: s}, nil
				})
			}
			a, isA, err := spec.Amplification(literal, tau, count, eps2, &finite.Tape{Draws: []float64{draw}})
			t.Must(err)
			b, isB, err := impl.Amplification(t.Context(), fast, tau, count, eps2, &finite.Tape{Draws: []float64{draw}})
			t.Must(err)
			weights := make([]float64, len(scores)+count+more)
			sum := 0.0
			for i := range weights {
				at := tau
				if i < len(scores) {
					at = math.Min(tau, scores[i])
				}
				weights[i] = math.Exp(share * eps2 * (at - tau))
				sum += weights[i]
			}
			point, c := math.Exp(-draw)*sum, 0
			for ; c < len(weights)-1 && weights[c] < point; c++ {
				point -= weights[c]
			}
			isC := c < len(scores)
			if isA != isB || isA != isC || isA && (a.Output != b.Output || a.Output != c || a.Score != b.Score ||
				a.Score > tau) {
				t.Refute("scores %v, τ = %g, %d dummies, ε_2 = %g, draw %g: %v (%v) by spec, %v (%v) by impl, claimed "+
					"candidate %d (%v)", scores, tau, count, eps2, draw, a, isA, b, isB, c, isC)
			}
		})
		amplifications(t, func(x amplified) {})
	}
}

func dummies(isEqual bool, share *big.Rat) register.Check {
	return func(t *register.T) {
		amplifications(t, func(x amplified) {
			bound := rat.Quo(rat.Int(x.inverse+1), rat.Add(x.mean, rat.Int(x.inverse))) // (γ+1)/(Npγ+1)
			most := rat.Mul(share, bound)
			if c := x.dummy.Cmp(most); c > 0 || isEqual && c != 0 {
				t.Refute("%v: a dummy has the probability %s, claimed is %s", x, rat.Show(x.dummy), rat.Show(most))
			}
			t.CloseTo(x.dummy, bound, "%v", x)
		})
	}
}

func farBelow(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("δ in {%s}", rat.Show(amplifiedDeltas...))
		amplifications(t, func(x amplified) {
			for _, delta := range amplifiedDeltas {
				pr := x.below(delta)
				if pr.Cmp(rat.Mul(share, delta)) > 0 {
					t.Refute("%v, δ = %s: a lower score has the probability %s", x, rat.Show(delta), rat.Show(pr))
				}
				t.CloseTo(pr, delta, "%v, δ = %s", x, rat.Show(delta))
			}
		})
	}
}

// inverseMean returns E[1/(more + Σ)].
func inverseMean(law map[string]*big.Rat, more *big.Rat) *big.Rat {
	mean := new(big.Rat)
	for sum, p := range law {
		mean = rat.Add(mean, rat.Quo(p, rat.Add(more, rat.Of(sum))))
	}
	return mean
}

func belowChain(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("δ in {%s}", rat.Show(amplifiedDeltas...))
		amplifications(t, func(x amplified) {
			inverse := inverseMean(x.sums(x.oracles), rat.Int(x.inverse))
			for _, delta := range amplifiedDeltas {
				first := x.below(delta)
				second := rat.Product(x.mean, delta, inverse)
				third := rat.Quo(rat.Mul(x.mean, delta), rat.Add(rat.Int(x.inverse-1), x.mean))
				last := rat.Mul(share, delta)
				if first.Cmp(second) > 0 || second.Cmp(third) > 0 || third.Cmp(last) > 0 {
					t.Refute("%v, δ = %s: the sides are %s", x, rat.Show(delta), rat.Show(first, second, third, last))
				}
				t.CloseTo(third, delta, "%v, δ = %s", x, rat.Show(delta))
			}
		})
	}
}

// oneScore checks the probability of a score by the sum over candidates, with 1 or with 1 + 1/γ.
func oneScore(isPrinted bool, share *big.Rat) register.Check {
	return func(t *register.T) {
		amplifications(t, func(x amplified) {
			more := rat.Int(x.inverse + 1)
			if isPrinted {
				more = rat.One
			}
			if len(x.oracles) > 3 {
				return
			}
			for l, w := range x.weights {
				got, sum := new(big.Rat), new(big.Rat)
				for i, row := range x.found {
					got = rat.Add(got, row[l])
					others := x.sums(slices.Delete(slices.Clone(x.oracles), i, i+1))
					sum = rat.Add(sum, rat.Product(x.oracles[i][l], w, inverseMean(others, rat.Add(more, w))))
				}
				if claimed := rat.Mul(share, sum); !rat.Equal(got, claimed) {
					t.Refute("%v: the weight %s has the probability %s, claimed is %s", x, rat.Show(w), rat.Show(got),
						rat.Show(claimed))
				}
			}
		})
	}
}

func inverseWeight(share *big.Rat) register.Check {
	return func(t *register.T) {
		amplifications(t, func(x amplified) {
			if len(x.oracles) > 3 {
				return
			}
			for i := range x.oracles {
				rest := slices.Delete(slices.Clone(x.oracles), i, i+1)
				others, without := x.sums(rest), newAmplified(rest, x.weights, x.inverse).mean
				for l, w := range x.weights {
					if x.oracles[i][l].Sign() == 0 {
						continue
					}
					got := inverseMean(others, rat.Add(rat.Int(x.inverse+1), w))
					least := rat.Quo(rat.One, rat.Sum(rat.Int(2), rat.Int(x.inverse), x.mean))
					second := rat.Quo(rat.One, rat.Add(rat.Int(x.inverse), without))
					third := rat.Quo(rat.One, rat.Sub(rat.Sum(rat.Int(x.inverse), without, w), rat.One)) // A_i = S is given
					last := rat.Quo(rat.One, rat.Add(rat.Int(x.inverse-1), x.mean))
					if least.Cmp(got) > 0 || got.Cmp(second) > 0 || second.Cmp(third) > 0 || second.Cmp(last) > 0 ||
						got.Cmp(rat.Mul(share, last)) > 0 {
						t.Refute("%v, candidate %d with the weight %s: the sides are %s", x, i+1, rat.Show(w),
							rat.Show(least, got, second, third, last))
					}
					t.CloseTo(got, last, "%v, candidate %d with the weight %s", x, i+1, rat.Show(w))
				}
			}
		})
	}
}

// amplifiedLoss checks a share of 2ε_1 + 8γ.
func amplifiedLoss(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("1 or 2 candidates of 36 pairs that are ε_1-DP, and 150 of randomized response alike; e^ε_1 in {3/2, " +
			"100}, 1/γ in {5, 100}, weights {1/1000, 1/2, 1}")
		weights := rat.List("1/1000", "1/2", "1")
		for _, e := range rat.List("3/2", "100") {
			for _, inverse := range []int{5, 100} {
				bound := precise.Mul(exactly(share), precise.Add(precise.Mul(precise.Int(2), precise.Log(e)),
					exactly(big.NewRat(8, int64(inverse)))))
				try := func(on, off [][]*big.Rat) {
					t.Case()
					var laws [2]samples
					for b, list := range [2][][]*big.Rat{on, off} {
						x := newAmplified(list, weights, inverse)
						laws[b] = samples{x.dummy}
						for i, row := range x.found {
							if i < 3 { // the others are the same
								laws[b] = append(laws[b], row...)
							}
						}
						if len(list) <= 2 {
							if found, dummy := spec.AmplificationLaw(list, weights, inverse+1); !rat.Equal(dummy, x.dummy) ||
								!rat.Equal(found[0][0], x.found[0][0]) {
								t.Refute("%v: impl and spec differ", x)
							}
						}
					}
					checkLoss(t, laws, bound, "e^ε_1 = %s, γ = 1/%d, %d candidates, the first with %s and %s", rat.Show(e), inverse,
						len(on), rat.Show(on[0]...), rat.Show(off[0]...))
				}
				pairs := slices.Collect(pure(e))
				for _, a := range pairs {
					try([][]*big.Rat{a[0]}, [][]*big.Rat{a[1]})
					for _, b := range pairs[:4] {
						try([][]*big.Rat{a[0], b[0]}, [][]*big.Rat{a[1], b[1]})
					}
				}
				q := respond(e, samples{rat.One, new(big.Rat), new(big.Rat)}, samples{new(big.Rat), new(big.Rat), rat.One})
				try(slices.Repeat([][]*big.Rat{q[0]}, 150), slices.Repeat([][]*big.Rat{q[1]}, 150))
			}
		}
	}
}

func lastOfAmplification(t *register.T, share interval.Interval) {
	t.Domain("Np in {0, 1/100, 1, 1000}, e^ε_1 in {1, 3/2, 100}, γ in {1/1000, 1/10, 24/100}")
	for _, mean := range rat.List("0", "1/100", "1", "1000") {
		for _, e := range rat.List("1", "3/2", "100") {
			for _, gamma := range rat.List("1/1000", "1/10", "24/100") {
				t.Case()
				inverse := new(big.Rat).Inv(gamma)
				last := precise.Mul(exactly(rat.Mul(e, e)), precise.ExpRat(rat.Mul(rat.Int(8), gamma)))
				first := rat.Quo(rat.Mul(e, rat.Sum(rat.Mul(mean, e), inverse, rat.Int(2))),
					rat.Sub(rat.Add(mean, inverse), rat.One))
				other := rat.Quo(rat.Mul(e, rat.Sum(mean, inverse, rat.Int(2))), rat.Sub(rat.Add(rat.Quo(mean, e), inverse),
					rat.One))
				for _, x := range []*big.Rat{first, other} {
					rising(exactly(x), last).check(t, share, "Np = %s, e^ε_1 = %s, γ = %s", rat.Show(mean), rat.Show(e),
						rat.Show(gamma))
				}
			}
		}
	}
}

// uniformly checks the law for weights 0 and 1, with one dummy or with all.
func uniformly(isOne bool, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("1 to 3 candidates that reach τ with probabilities in multiples of 1/2, 1/γ in {5, 50}")
		weights := rat.List("0", "1")
		laws := slices.Collect(oracles(2, 2))
		for _, inverse := range []int{5, 50} {
			count := inverse + 1
			if isOne {
				count = 1
			}
			for n := 1; n <= 3; n++ {
				for tuple := range finite.Tuples(laws, n) {
					t.Case()
					var list [][]*big.Rat
					for _, l := range tuple {
						list = append(list, l)
					}
					x := newAmplified(list, weights, inverse)
					if found, _ := spec.AmplificationLaw(list, weights, inverse+1); !rat.Equal(found[0][1], x.found[0][1]) {
						t.Refute("%v: impl and spec differ", x)
					}
					for i := range list {
						others := x.sums(slices.Delete(slices.Clone(list), i, i+1))
						claimed := rat.Product(share, list[i][1], inverseMean(others, rat.Int(count+1)))
						if !rat.Equal(x.found[i][1], claimed) || x.found[i][0].Sign() != 0 {
							t.Refute("%v: candidate %d has the probability %s, claimed is %s", x, i+1, rat.Show(x.found[i][1]),
								rat.Show(claimed))
						}
					}
				}
			}
		}
	}
}
