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
		"PSC-A9": checked(amplificationTwins(1, 0),
			near("2 + 1/γ dummies", amplificationTwins(1, 1)),
			near("exp(0.95·ε_2·A_i)", amplificationTwins(0.95, 0))),
		"PSC-TC.1a1": mended(at(amplifications, dummies, true), at(amplifications, dummies, false), "at most that",
			"19/20", "at most 19/20 of it"),
		"PSC-TC.1a2":  tight(at(amplifications, farBelow), "1/5", "with δ/5"),
		"PSC-TC.1b":   tight(amplifiedLoss, "2/3", "2/3 of that"),
		"PSC-TC.1.s1": tight(at(amplifications, dummies, false), "19/20", "19/20 of it"),
		"PSC-TC.1.s2": step(at(amplifications, belowChain), "9/10"),
		"PSC-TC.1.s3": mended(at(few, oneScore, 1), at(few, oneScore, 0), "Σ_i Pr[A_i = S]·exp(ε_2(S − τ))·E[1/W_i]",
			"19/20", "19/20 of Σ_i Pr[A_i = S]·exp(ε_2(S − τ))·E[1/W_i]"),
		"PSC-TC.1.s4": step(at(few, inverseWeight), "19/20"),
		"PSC-TC.1.s5": tight(lastOfAmplification(), "19/20", "19/20 of the last",
			alsoHolds("E[1/W_i] moves by (Np·e^ε_1 + 1/γ + 2)/(Np + 1/γ − 1) at most", inverseMoves(false).With("1")),
			alsoFails(register.Slip, "it does with 1 for 1 + 1/γ in W_i, as in the lines before",
				inverseMoves(true).With("1"))),
		"PSC-X21": mended(at(reached, uniformly, true), at(reached, uniformly, false), "and 1 + 1/γ dummies", "19/20",
			"and 1 + 1/γ dummies, 19/20 of the probability"),
	}
}

// amplificationTwins checks runs of both rooms, with a share of ε_2 in the weights, and more dummies; and both laws.
func amplificationTwins(share float64, more int) register.Check {
	return func(t *register.T) {
		amplifications(t, func(amplified) {})
		n := t.Size(800, 20000)
		t.AlsoDomain("%d tapes, up to 5 candidates with scores in {−2, 0, 1, 3}, τ in {0, 1}, 2 to 6 dummies, "+
			"ε_2 in {1/5, 2}", n)
		t.Random(35, n, func(t *register.T, d register.Dice) {
			scores := make([]float64, d.Roll(6))
			for i := range scores {
				scores[i] = []float64{-2, 0, 1, 3}[d.Roll(4)]
			}
			tau, count, eps2 := float64(d.Roll(2)), 2+d.Roll(5), []float64{0.2, 2}[d.Roll(2)]
			draw := float64(d.Roll(997)) / 100.3
			t.At("scores %v, τ = %g, %d dummies, ε_2 = %g, draw %g", scores, tau, count, eps2, draw)
			literal, fast := candidates(scores)
			a, isA, err := spec.Amplification(literal, tau, count, eps2, &finite.Tape{Draws: []float64{draw}})
			t.Must(err)
			b, isB, err := selection.Amplification(t.Context(), fast, tau, count, eps2,
				&finite.Tape{Draws: []float64{draw}})
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
			isSame := a.Output == b.Output && a.Output == c && a.Score == b.Score && a.Score <= tau
			t.Require(isA == isB && isA == isC && (!isA || isSame), "%v (%v) by spec, %v (%v) by impl, "+
				"claimed candidate %d (%v)", a, isA, b, isB, c, isC)
		})
	}
}

// amplified is a place of Appendix C: the laws of candidates over weights, the law of the output, and 1/γ.
type amplified struct {
	oracles []samples
	weights []*big.Rat
	found   [][]*big.Rat
	dummy   *big.Rat
	inverse int      // 1/γ
	mean    *big.Rat // Np
}

func newAmplified(oracles []samples, weights []*big.Rat, inverse int) amplified {
	x := amplified{oracles: oracles, weights: weights, inverse: inverse, mean: new(big.Rat)}
	x.found, x.dummy = selection.AmplificationLaw(oracles, weights, inverse+1)
	for _, law := range oracles {
		for l, p := range law {
			x.mean = rat.Add(x.mean, rat.Mul(p, weights[l]))
		}
	}
	return x
}

func (x amplified) String() string {
	return fmt.Sprintf("γ = 1/%d, weights %s, %d candidates, the first with %s", x.inverse, rat.Show(x.weights...),
		len(x.oracles), show(x.oracles[:min(3, len(x.oracles))]))
}

// literally refutes a law of spec that is another one.
func (x amplified) literally(t *register.T) {
	found, dummy := spec.AmplificationLaw(x.oracles, x.weights, x.inverse+1)
	sameLaw(t, append(slices.Concat(x.found...), x.dummy), append(slices.Concat(found...), dummy))
}

// mostCandidates is of how many candidates all combinations of laws are gone through.
func mostCandidates(t *register.T) int { return t.Size(2, 3) }

// eachAmplified goes through laws of few candidates, by both rooms.
func eachAmplified(t *register.T, laws []samples, weights []*big.Rat, visit func(x amplified)) {
	for _, inverse := range []int{5, 50} {
		for tuple := range finite.Lists(laws, 1, mostCandidates(t)) {
			x := newAmplified(tuple, weights, inverse)
			t.At("%v", x)
			x.literally(t)
			visit(x)
		}
	}
}

// few goes through laws of few candidates.
func few(t *register.T, visit func(x amplified)) {
	t.Domain("1 to %d candidates with laws of multiples of 1/2 over the weights {1/1000, 1/2, 1}, 1/γ in {5, 50}",
		mostCandidates(t))
	eachAmplified(t, oracles(3, 2), rat.List("1/1000", "1/2", "1"), visit)
}

// amplifications goes through these, and many that are alike.
func amplifications(t *register.T, visit func(x amplified)) {
	few(t, visit)
	inverses := []int{5, 50}[:t.Size(1, 2)]
	t.AlsoDomain("40 that are alike, 1/γ in %d", inverses)
	finite.Each2(inverses, oracles(3, 2), func(inverse int, l samples) {
		x := newAmplified(slices.Repeat([]samples{l}, 40), rat.List("1/1000", "1/2", "1"), inverse)
		t.At("%v", x)
		visit(x)
	})
}

// reached goes through weights of 0 and 1.
func reached(t *register.T, visit func(x amplified)) {
	t.Domain("1 to %d candidates that reach τ with probabilities in multiples of 1/2, 1/γ in {5, 50}",
		mostCandidates(t))
	eachAmplified(t, oracles(2, 2), rat.List("0", "1"), visit)
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
func (x amplified) byDelta(t *register.T, visit func(delta, pr *big.Rat)) {
	t.Domain("1 to %d candidates with laws of multiples of 1/2 over the weights {1/1000, 1/2, 1}, "+
		"and 40 that are alike, 1/γ in {5, 50}; δ in {1/200, 6/25}", mostCandidates(t))
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
		t.In("δ = %s", delta)
		visit(delta, sum)
	}
}

func dummies(t *register.T, share *big.Rat, x amplified, isEqual bool) {
	bound := rat.Quo(rat.Int(x.inverse+1), rat.Add(x.mean, rat.Int(x.inverse))) // (γ+1)/(Npγ+1)
	within(t, "the probability of a dummy", x.dummy, share, bound)
	if isEqual {
		equal(t, x.dummy, bound)
	}
}

func farBelow(t *register.T, share *big.Rat, x amplified) {
	x.byDelta(t, func(delta, pr *big.Rat) { within(t, "the probability of a lower score", pr, share, delta) })
}

func belowChain(t *register.T, share *big.Rat, x amplified) {
	inverse := x.sums(x.oracles).inverse(rat.Int(x.inverse))
	x.byDelta(t, func(delta, pr *big.Rat) {
		third := rat.Quo(rat.Mul(x.mean, delta), rat.Add(rat.Int(x.inverse-1), x.mean))
		ordered(t, false, pr, rat.Product(x.mean, delta, inverse), third)
		rising(t, third, mul(share, delta))
	})
}

// oneScore checks the probability of a score by the sum over candidates, with 1 + 1/γ or so many of them.
func oneScore(t *register.T, share *big.Rat, x amplified, dummies int) {
	more := rat.Int(x.inverse + 1)
	if dummies > 0 {
		more = rat.Int(dummies)
	}
	for l, w := range x.weights {
		got, sum := new(big.Rat), new(big.Rat)
		for i, row := range x.found {
			_, others := x.without(i)
			got.Add(got, row[l])
			sum.Add(sum, rat.Product(x.oracles[i][l], w, others.inverse(rat.Add(more, w))))
		}
		t.In("the weight %s", w)
		equal(t, got, mul(share, sum))
	}
}

func inverseWeight(t *register.T, share *big.Rat, x amplified) {
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
			t.In("candidate %d with the weight %s", i+1, w)
			got := others.inverse(rat.Add(rat.Int(x.inverse+1), w))
			second, last := quo(1, add(x.inverse, without)), quo(1, add(x.inverse-1, x.mean))
			rising(t, got, mul(share, last))
			ordered(t, false, quo(1, add(2, x.inverse, x.mean)), got, second, last)
			ordered(t, false, second, quo(1, sub(add(x.inverse, without, w), 1))) // A_i = S is given
		}
	}
}

// amplifiedLoss checks a share of 2ε_1 + 8γ.
func amplifiedLoss(t *register.T, share *big.Rat) {
	finite.Each(t, "1 or 2 candidates of 37 pairs that are ε_1-DP, and 100 of randomized response alike; "+
		"e^ε_1 in {100 | 3/2}, 1/γ in {5 | 100}, weights {1/1000, 1/2, 1}", func(at string, e *big.Rat, inverse int) {
		bound := mul(share, add(mul(2, ln(e)), quo(8, inverse)))
		try := func(candidates ...neighbours) {
			t.At("%s, %d candidates, the first with %v", at, len(candidates), candidates[0])
			losesAtMost(t, amplifiedLaws(t, inverse, candidates), bound)
		}
		pairs := pure(e)
		for _, a := range pairs {
			try(a)
			for _, b := range pairs[:t.Size(2, 4)] {
				try(a, b)
			}
		}
		try(slices.Repeat([]neighbours{respond(e, rat.List("1", "0", "0"), rat.List("0", "0", "1"))}, 100)...)
	})
}

// amplifiedLaws returns the laws of what is returned, a dummy first; of many candidates, which are alike, for three.
func amplifiedLaws(t *register.T, inverse int, candidates []neighbours) (laws [2]samples) {
	for b := range laws {
		var list []samples
		for _, c := range candidates {
			list = append(list, c[b])
		}
		x := newAmplified(list, rat.List("1/1000", "1/2", "1"), inverse)
		if len(list) <= 2 {
			x.literally(t)
		}
		laws[b] = append(samples{x.dummy}, slices.Concat(x.found[:min(3, len(x.found))]...)...)
	}
	return laws
}

var lastOfAmplification = on("Np in {0, 1/100, 1, 1000}, e^ε_1 in {1, 3/2, 100}, γ in {1/1000, 1/10, 24/100}",
	func(t *register.T, share, mean, e, gamma *big.Rat) {
		inverse := new(big.Rat).Inv(gamma)
		last := mul(share, e, e, exp(rat.Mul(rat.Int(8), gamma)))
		rising(t, quo(mul(e, add(mul(mean, e), inverse, 2)), sub(add(mean, inverse), 1)), last)
		rising(t, quo(mul(e, add(mean, inverse, 2)), sub(add(quo(mean, e), inverse), 1)), last)
	})

// inverseMoves checks how far E[1/W_i] moves for S = τ, where W_i has 1 + 1/γ, or 1 as printed.
var inverseMoves = on("11 candidates that reach τ with probability 1/11 on D1 and 10/11 on D2, e^ε_1 = 10, and else "+
	"weigh 0; γ in {1/1000, 1/10}", func(t *register.T, share *big.Rat, isPrinted bool, gamma *big.Rat) {
	inverse := new(big.Rat).Inv(gamma)
	dummies := rat.Add(rat.One, inverse)
	if isPrinted {
		dummies = rat.One
	}
	means := [2]any{0, 0}
	for b, p := range rat.List("1/11", "10/11") {
		for k, pr := range binomialLaw(10, p) {
			means[b] = add(means[b], quo(pr, rat.Add(dummies, rat.Int(k+1))))
		}
	}
	rising(t, quo(means[0], means[1]), mul(share, quo(add(12, inverse), inverse)))
})

// uniformly checks the law for weights 0 and 1, with one dummy or with all.
func uniformly(t *register.T, share *big.Rat, x amplified, isOne bool) {
	count := rat.Int(x.inverse + 2)
	if isOne {
		count = rat.Int(2)
	}
	for i, law := range x.oracles {
		_, others := x.without(i)
		t.In("candidate %d", i+1)
		sameLaw(t, x.found[i], samples{new(big.Rat), rat.Product(share, law[1], others.inverse(count))})
	}
}
