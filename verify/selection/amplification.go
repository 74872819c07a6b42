package selection

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/selection"
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
		"PSC-TC.1a1":  mended(dummies(true), dummies(false), "at most that", "19/20", "at most 19/20 of it"),
		"PSC-TC.1a2":  tight(farBelow, "1/5", "with δ/5"),
		"PSC-TC.1b":   tight(amplifiedLoss, "2/3", "2/3 of that"),
		"PSC-TC.1.s1": tight(dummies(false), "19/20", "19/20 of it"),
		"PSC-TC.1.s2": step(belowChain, "9/10"),
		"PSC-TC.1.s3": mended(oneScore(1), oneScore(0), "Σ_i Pr[A_i = S]·exp(ε_2(S − τ))·E[1/W_i]", "19/20",
			"19/20 of Σ_i Pr[A_i = S]·exp(ε_2(S − τ))·E[1/W_i]"),
		"PSC-TC.1.s4": step(inverseWeight, "19/20"),
		"PSC-TC.1.s5": step(lastOfAmplification, "19/20"),
		"PSC-X21": mended(uniformly(true), uniformly(false), "and 1 + 1/γ dummies", "19/20",
			"and 1 + 1/γ dummies, 19/20 of the probability"),
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
			literal, fast := candidates(scores)
			a, isA, err := spec.Amplification(literal, tau, count, eps2, &finite.Tape{Draws: []float64{draw}})
			t.Must(err)
			b, isB, err := selection.Amplification(t.Context(), fast, tau, count, eps2, &finite.Tape{Draws: []float64{draw}})
			t.Must(err)
			weights, sum := make([]float64, len(scores)+count+more), 0.0
			for i := range weights {
				weights[i] = 1
				if i < len(scores) {
					weights[i] = math.Exp(share * eps2 * (math.Min(tau, scores[i]) - tau))
				}
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
		amplifications(t, func(amplified) {})
	}
}

// amplified is a place of Appendix C: the laws of candidates over weights, the law of the output, and 1/γ.
type amplified struct {
	at      string
	oracles []samples
	weights []*big.Rat
	found   [][]*big.Rat
	dummy   *big.Rat
	inverse int      // 1/γ
	mean    *big.Rat // Np
}

func newAmplified(oracles []samples, weights []*big.Rat, inverse int) amplified {
	x := amplified{oracles: oracles, weights: weights, inverse: inverse, mean: new(big.Rat)}
	x.found, x.dummy = selection.AmplificationLaw(lists(oracles), weights, inverse+1)
	x.at = fmt.Sprintf("γ = 1/%d, weights %s, %d candidates, the first with %v", inverse, rat.Show(weights...),
		len(oracles),
		oracles[0])
	for i, law := range oracles {
		if len(oracles) <= 4 && i > 0 {
			x.at += fmt.Sprintf(", then %v", law)
		}
		for l, p := range law {
			x.mean = rat.Add(x.mean, rat.Mul(p, weights[l]))
		}
	}
	return x
}

// literally refutes a law of spec that is another one.
func (x amplified) literally(t *register.T) {
	found, dummy := spec.AmplificationLaw(lists(x.oracles), x.weights, x.inverse+1)
	sameLaw(t, x.at+", by impl and by spec", append(slices.Concat(x.found...), x.dummy), append(slices.Concat(found...),
		dummy))
}

// eachAmplified goes through laws of 1 to 3 candidates, by both rooms.
func eachAmplified(t *register.T, laws []samples, weights []*big.Rat, visit func(x amplified)) {
	for _, inverse := range []int{5, 50} {
		for n := 1; n <= 3; n++ {
			for tuple := range finite.Tuples(laws, n) {
				t.Case()
				x := newAmplified(tuple, weights, inverse)
				x.literally(t)
				visit(x)
			}
		}
	}
}

// amplifications goes through laws of 1 to 3 candidates, by both rooms, and of 40.
func amplifications(t *register.T, visit func(x amplified)) {
	t.AlsoDomain("1 to 3 candidates with laws of multiples of 1/2, and 40 alike, over the weights {1/1000, 1/2, 1}, " +
		"1/γ in {5, 50}")
	laws, weights := slices.Collect(oracles(3, 2)), rat.List("1/1000", "1/2", "1")
	eachAmplified(t, laws, weights, visit)
	for _, inverse := range []int{5, 50} {
		for _, l := range laws {
			t.Case()
			visit(newAmplified(slices.Repeat([]samples{l}, 40), weights, inverse))
		}
	}
}

// without returns the candidates but for one, and the law of Σ exp(ε_2(q̃_i − τ)) over them.
func (x amplified) without(i int) ([]samples, sums) {
	rest := slices.Delete(slices.Clone(x.oracles), i, i+1)
	return rest, x.sums(rest)
}

func (x amplified) sums(oracles []samples) sums {
	law := sums{"0": rat.One}
	for _, o := range oracles {
		law = law.plus(x.weights, o)
	}
	return law
}

// byDelta goes through δ, with the probability of a weight below δp.
func (x amplified) byDelta(visit func(at string, delta, pr *big.Rat)) {
	p := rat.Quo(x.mean, rat.Int(len(x.oracles)))
	for _, delta := range rat.List("1/200", "6/25") {
		sum := new(big.Rat)
		for _, row := range x.found {
			for l, pr := range row {
				if x.weights[l].Cmp(rat.Mul(delta, p)) < 0 {
					sum.Add(sum, pr)
				}
			}
		}
		visit(x.at+", δ = "+rat.Show(delta), delta, sum)
	}
}

func dummies(isEqual bool) claim {
	return func(t *register.T, share *big.Rat) {
		amplifications(t, func(x amplified) {
			bound := rat.Quo(rat.Int(x.inverse+1), rat.Add(x.mean, rat.Int(x.inverse))) // (γ+1)/(Npγ+1)
			within(t, x.at, "the probability of a dummy", x.dummy, share, bound)
			if isEqual {
				equal(t, x.at+", the probability of a dummy", x.dummy, bound)
			}
		})
	}
}

func farBelow(t *register.T, share *big.Rat) {
	t.Domain("δ in {1/200, 6/25}")
	amplifications(t, func(x amplified) {
		x.byDelta(func(at string, delta, pr *big.Rat) {
			within(t, at, "the probability of a lower score", pr, share, delta)
		})
	})
}

func belowChain(t *register.T, share *big.Rat) {
	t.Domain("δ in {1/200, 6/25}")
	amplifications(t, func(x amplified) {
		inverse := x.sums(x.oracles).inverse(rat.Int(x.inverse))
		x.byDelta(func(at string, delta, pr *big.Rat) {
			second := rat.Product(x.mean, delta, inverse)
			third := rat.Quo(rat.Mul(x.mean, delta), rat.Add(rat.Int(x.inverse-1), x.mean))
			apart(t, at, false, []any{pr, second, third})
			rising(t, at, third, mul(share, delta))
		})
	})
}

// oneScore checks the probability of a score by the sum over candidates, with 1 + 1/γ or so many of them.
func oneScore(dummies int) claim {
	return func(t *register.T, share *big.Rat) {
		amplifications(t, func(x amplified) {
			more := rat.Int(x.inverse + 1)
			if dummies > 0 {
				more = rat.Int(dummies)
			}
			if len(x.oracles) > 3 {
				return
			}
			for l, w := range x.weights {
				got, sum := new(big.Rat), new(big.Rat)
				for i, row := range x.found {
					_, others := x.without(i)
					got.Add(got, row[l])
					sum.Add(sum, rat.Product(x.oracles[i][l], w, others.inverse(rat.Add(more, w))))
				}
				equal(t, x.at+", the probability of the weight "+rat.Show(w), got, mul(share, sum))
			}
		})
	}
}

func inverseWeight(t *register.T, share *big.Rat) {
	amplifications(t, func(x amplified) {
		if len(x.oracles) > 3 {
			return
		}
		for i := range x.oracles {
			rest, others := x.without(i)
			without := new(big.Rat)
			if len(rest) > 0 {
				without = newAmplified(rest, x.weights, x.inverse).mean
			}
			for l, w := range x.weights {
				if x.oracles[i][l].Sign() == 0 {
					continue
				}
				at, got := fmt.Sprintf("%s, candidate %d with the weight %s", x.at, i+1, rat.Show(w)), others.inverse(
					rat.Add(rat.Int(x.inverse+1), w))
				second, last := quo(1, add(x.inverse, without)), quo(1, add(x.inverse-1, x.mean))
				rising(t, at, got, mul(share, last))
				apart(t, at, false, []any{quo(1, add(2, x.inverse, x.mean)), got, second, last})
				// A_i = S is given
				apart(t, at, false, []any{second, quo(1, sub(add(x.inverse, without, w), 1))})
			}
		}
	})
}

// amplifiedLoss checks a share of 2ε_1 + 8γ.
func amplifiedLoss(t *register.T, share *big.Rat) {
	for at, v := range finite.Grid(t, "1 or 2 candidates of 36 pairs that are ε_1-DP, and 150 of randomized response "+
		"alike; e^ε_1 in {3/2, 100}, 1/γ in {5, 100}, weights {1/1000, 1/2, 1}") {
		e, inverse := v[0], whole(v[1])
		bound := mul(share, add(mul(2, ln(e)), quo(8, inverse)))
		try := func(n int, candidates ...neighbours) {
			t.Case()
			var laws [2]samples
			for b := range laws {
				var list []samples
				for _, c := range candidates {
					list = append(list, c[b])
				}
				x := newAmplified(slices.Concat(slices.Repeat([][]samples{list}, n)...), rat.List("1/1000", "1/2", "1"), inverse)
				if len(x.oracles) <= 2 {
					x.literally(t)
				}
				laws[b] = append(samples{x.dummy}, slices.Concat(x.found[:min(3, len(x.found))]...)...) // the others are the same
			}
			losesAtMost(t, fmt.Sprintf("%s, %d candidates, the first with %v and %v", at, n*len(candidates), candidates[0][0],
				candidates[0][1]), laws, bound)
		}
		pairs := slices.Collect(pure(e, ""))
		for _, a := range pairs {
			try(1, a)
			for _, b := range pairs[:4] {
				try(1, a, b)
			}
		}
		try(150, respond(e, rat.List("1", "0", "0"), rat.List("0", "0", "1")))
	}
}

func lastOfAmplification(t *register.T, share *big.Rat) {
	for at, x := range finite.Grid(t, "Np in {0, 1/100, 1, 1000}, e^ε_1 in {1, 3/2, 100}, γ in {1/1000, 1/10, 24/100}") {
		t.Case()
		mean, e, inverse := x[0], x[1], new(big.Rat).Inv(x[2])
		last := mul(share, e, e, exp(rat.Mul(rat.Int(8), x[2])))
		rising(t, at, quo(mul(e, add(mul(mean, e), inverse, 2)), sub(add(mean, inverse), 1)), last)
		rising(t, at, quo(mul(e, add(mean, inverse, 2)), sub(add(quo(mean, e), inverse), 1)), last)
	}
}

// uniformly checks the law for weights 0 and 1, with one dummy or with all.
func uniformly(isOne bool) claim {
	return func(t *register.T, share *big.Rat) {
		t.Domain("1 to 3 candidates that reach τ with probabilities in multiples of 1/2, 1/γ in {5, 50}")
		eachAmplified(t, slices.Collect(oracles(2, 2)), rat.List("0", "1"), func(x amplified) {
			count := x.inverse + 1
			if isOne {
				count = 1
			}
			for i, law := range x.oracles {
				_, others := x.without(i)
				sameLaw(t, fmt.Sprintf("%s, candidate %d", x.at, i+1), x.found[i],
					samples{new(big.Rat), rat.Product(share, law[1], others.inverse(rat.Int(count+1)))})
			}
		})
	}
}
