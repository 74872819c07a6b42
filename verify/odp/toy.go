package odp

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/verify"
)

// toys are the statements on M_toy.
var toys = []verify.Statement{
	{
		ID:      "ODP-X1",
		Title:   "With |f(x) − f(x′)| ≤ 1, f(x) + Lap(1/ε) and M_toy are ε-DP, and ⊥ is independent of x",
		Kind:    verify.Certified,
		Verdict: verify.Holds,
		Note:    "The loss of f(x) + Lap(1/ε) is that of M_toy given heads, and the coin is fair whatever x is.",
		In:      []string{"spec.Toy", "impl.Toy", "impl.ToyAtMost"},
		Check:   toyLoss(one, one, new(big.Rat), half),
		Controls: []verify.Claim{
			{Says: "with |f(x) − f(x′)| ≤ 2", Check: toyLoss(big.NewRat(2, 1), one, new(big.Rat), half)},
			{Says: "and Lap(1/ε) is so for 9ε/10", Check: toyLoss(one, big.NewRat(9, 10), new(big.Rat), half)},
		},
	},
	{
		ID:      "ODP-X2",
		Title:   "Within a budget ε, a second ε-DP mechanism may run after M_toy has said ⊥, and none after a Laplace output",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note: "Randomized response stands for the ε-DP mechanisms: by Lemma 12 the others are functions of it. “None” is meant " +
			"for mechanisms that depend on the data at all: the control has one with e^ε = 101/100.",
		In:    []string{"spec.ODPComposition", "impl.WorstAdversary"},
		Check: afterToy(1, 0),
		Controls: []verify.Claim{
			{Says: "after a Laplace output one with e^ε = 101/100 may run", Check: afterToy(1, 1)},
			{Says: "after ⊥ two may run", Check: afterToy(2, 0)},
		},
	},
	{
		ID:      "ODP-X6",
		Title:   "M_toy is (𝒫, ℰ, 0)-ODP with ℰ(ℝ) = ε, ℰ({⊥}) = 0",
		Kind:    verify.Certified,
		Verdict: verify.Holds,
		In:      []string{"impl.ToyAtMost"},
		Check:   toyLoss(one, one, new(big.Rat), half),
		Controls: []verify.Claim{
			{Says: "with ℰ(ℝ) = 9ε/10", Check: toyLoss(one, big.NewRat(9, 10), new(big.Rat), half)},
			{Says: "with a coin that shows tails with probability 1/2 for x and 5/8 for x′",
				Check: toyLoss(one, one, new(big.Rat), big.NewRat(5, 8))},
		},
	},
	{
		ID:      "ODP-X32",
		Title:   "M_toy run k times: it is safe to HALT only if an advanced composition bound for the Laplace outputs exceeds the budget",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note: "A conjecture in print. The filter is asked before a round, which may give one more Laplace output: the bound is for " +
			"k − k′ + 1 of them. Our proof: toss all coins beforehand. They are independent of x, and given them the adversary is " +
			"one that sees at most N Laplace outputs, N the largest number whose bound is within the budget, and ⊥ where it knew it would. " +
			"So given the coins its view is (ε_t, δ_t)-DP by the adaptive composition theorem, and so it is on average over them. The " +
			"proof needs of ⊥ only that ℰ({⊥}) = 0 and δ = 0: then its probability does not depend on x. Randomized response " +
			"stands for the Laplace mechanism (Lemma 12), the optimal composition of N of them for the bound.",
		In:    []string{"impl.WorstAdversary"},
		Check: countsLaplace(1, half),
		Controls: []verify.Claim{
			{Says: "the bound is for the Laplace outputs so far, without the next one", Check: countsLaplace(0, half)},
			{Says: "⊥ has probability 1/2 for x and 3/5 for x′, and is not counted", Check: countsLaplace(1, big.NewRat(3, 5))},
		},
	},
}

var half = big.NewRat(1, 2)

// toyLoss checks that M_toy puts its output into each cell with |ln(Pr_0/Pr_1)| ≤ ℰ, where
// ℰ = number·ε for the numbers and bottom·ε for ⊥, |f(x) − f(x′)| goes up to the sensitivity,
// and the coin shows tails with probability 1/2 for x and tails for x′, a multiple of a
// power of 1/2.
func toyLoss(sensitivity, number, bottom, tails *big.Rat) verify.Check {
	return func(t *verify.T) {
		steps := int64(t.Size(4, 16))
		t.Domain("ε in {1/10, 1, 5}, f(x) = 0, f(x′) up to %s in %d steps, cells that %d points in [−4, 4] cut; losses up to 2^−50",
			show(sensitivity), steps, 8*steps+1)
		for _, eps := range []*big.Rat{big.NewRat(1, 10), one, big.NewRat(5, 1)} {
			for i := range steps {
				f := product(sensitivity, big.NewRat(i+1, steps))
				cells0, cells1 := toyCells(t, new(big.Rat), eps, half, steps), toyCells(t, f, eps, tails, steps)
				for cell := range cells0 {
					t.Case()
					charge := product(number, eps)
					if cell == len(cells0)-1 {
						charge = product(bottom, eps)
					}
					loss := impl.LogRatio(cells0[cell], cells1[cell])
					at := fmt.Sprintf("ε = %s, f(x′) = %s, cell %d of %d", show(eps), show(f), cell+1, len(cells0))
					checkLoss(t, at, loss, charge)
				}
			}
		}
	}
}

// checkLoss refutes |loss| ≤ charge, or certifies it up to 2^−50: Laplace noise attains it.
func checkLoss(t *verify.T, at string, loss impl.Interval, charge *big.Rat) {
	lower, _ := loss.Lower.Rat(nil)
	upper, _ := loss.Upper.Rat(nil)
	if lower.Cmp(charge) > 0 || upper.Cmp(new(big.Rat).Neg(charge)) < 0 {
		t.Refute("%s: the loss is in [%.17g, %.17g], ℰ = %s", at, loss.Lower, loss.Upper, show(charge))
	}
	most := add(charge, new(big.Rat).SetFloat64(0x1p-50))
	if upper.Cmp(most) > 0 || lower.Cmp(new(big.Rat).Neg(most)) < 0 {
		t.Undecided("%s: the loss is in [%.17g, %.17g], which is too wide", at, loss.Lower, loss.Upper)
	}
}

// toyCells returns the probabilities of the cells that the points −4, …, 4 cut, 1/steps
// apart, and last of all that of ⊥.
func toyCells(t *verify.T, fx, eps, tails *big.Rat, steps int64) (cells []impl.Interval) {
	below := impl.Interval{Lower: new(big.Float), Upper: new(big.Float)}
	next := func(upTo impl.Interval) {
		share := product(sub(one, tails), big.NewRat(2, 1))
		cells = append(cells, times(impl.Interval{Lower: difference(upTo.Lower, below.Upper), Upper: difference(upTo.Upper, below.Lower)}, share))
		below = upTo
	}
	for i := -4 * steps; i <= 4*steps; i++ {
		upTo, err := impl.ToyAtMost(big.NewRat(i, steps), fx, impl.Nats(eps))
		t.Must(err)
		next(upTo)
	}
	certain := impl.Interval{Lower: big.NewFloat(0.5), Upper: big.NewFloat(0.5)}
	next(certain)
	return append(cells, times(certain, product(tails, big.NewRat(2, 1))))
}

// exactBits is more than differences and products of probabilities of 128 bits need here.
const exactBits = 512

func difference(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(exactBits).Sub(x, y) }

// times returns x·share, for a share that has few bits.
func times(x impl.Interval, share *big.Rat) impl.Interval {
	s := new(big.Float).SetPrec(64).SetRat(share)
	return impl.Interval{
		Lower: new(big.Float).SetPrec(exactBits).Mul(x.Lower, s),
		Upper: new(big.Float).SetPrec(exactBits).Mul(x.Upper, s),
	}
}

// toy is M_toy with randomized response for the Laplace mechanism. It says ⊥ with
// probability 1/2 for x, and tails for x′.
func toy(expEps, tails *big.Rat) impl.Choice {
	r := responseChoice(expEps)
	c := impl.Choice{
		Name: "toy", Outputs: append(r.Outputs, "⊥"),
		Part: []int{0, 0, 1}, ExpE: []*big.Rat{expEps, one}, Delta: new(big.Rat),
	}
	for b, bottom := range []*big.Rat{half, tails} {
		heads := sub(one, bottom)
		c.Laws[b] = []*big.Rat{product(heads, r.Laws[b][0]), product(heads, r.Laws[b][1]), bottom}
	}
	return c
}

// afterToy checks that rounds of M_toy, and so many ε-DP mechanisms after ⊥ and others
// after a number, are ε-DP.
func afterToy(afterBottom, afterNumber int64) verify.Check {
	return func(t *verify.T) {
		rounds := t.Size(5, 9)
		t.Domain("e^ε in {101/100, 3/2, 2, 3, 100}; M_toy up to %d times, then randomized response", rounds-1)
		for played := 1; played <= rounds; played++ {
			for _, expEps := range []*big.Rat{big.NewRat(101, 100), big.NewRat(3, 2), big.NewRat(2, 1), big.NewRat(3, 1), big.NewRat(100, 1)} {
				t.Case()
				first, second, small := toy(expEps, half), responseChoice(expEps), responseChoice(big.NewRat(101, 100))
				small.Name = "small response"
				if !admittedAfter(first, "⊥", second, expEps) || admittedAfter(first, "1", small, expEps) {
					t.Refute("e^ε = %s: Algorithm 1 admits other mechanisms", show(expEps))
				}
				menu := slices.Concat(bothWays(first), bothWays(second), bothWays(small))
				worst, adversary, err := impl.WorstAdversary(t.Context(), menu, played, toyRule(afterBottom, afterNumber), expEps)
				t.Must(err)
				if worst.Sign() > 0 {
					t.Refute("e^ε = %s: the adversary that plays %v needs δ = %s", show(expEps), adversary, show(worst))
				}
			}
		}
	}
}

// toyRule admits M_toy until it gives a number, and something else after it. It remembers how many ε-DP mechanisms
// and how many small ones may still run, and whether M_toy may.
func toyRule(afterBottom, afterNumber int64) impl.Rule {
	kind := func(c *impl.Choice) int {
		switch {
		case len(c.ExpE) == 2:
			return 2
		case c.Name[0] == 's':
			return 1
		}
		return 0
	}
	return impl.Rule{
		Start:  []*big.Rat{new(big.Rat), new(big.Rat), one},
		Admits: func(left []*big.Rat, c *impl.Choice) bool { return left[kind(c)].Sign() > 0 },
		Next: func(left []*big.Rat, c *impl.Choice, output int) []*big.Rat {
			switch kind(c) {
			case 2:
				if c.Part[output] == 1 {
					return []*big.Rat{big.NewRat(afterBottom, 1), new(big.Rat), one}
				}
				return []*big.Rat{new(big.Rat), big.NewRat(afterNumber, 1), new(big.Rat)}
			case 1:
				return []*big.Rat{left[0], sub(left[1], one), new(big.Rat)}
			}
			return []*big.Rat{sub(left[0], one), left[1], new(big.Rat)}
		},
	}
}

// countsLaplace checks the filter that admits M_toy as long as the optimal composition
// of the numbers so far, and ahead more, is within the budget.
func countsLaplace(ahead int, tails *big.Rat) verify.Check {
	return func(t *verify.T) {
		most := t.Size(8, 16)
		t.Domain("e^ε in {3/2, 2, 3}, ε_t up to 3ε, δ_t that of 1 to 4 numbers; M_toy up to %d times", most)
		for rounds := 1; rounds <= most; rounds++ {
			for _, expEps := range []*big.Rat{big.NewRat(3, 2), big.NewRat(2, 1), big.NewRat(3, 1)} {
				for j := range 4 {
					for n := 1; n <= 4; n++ {
						t.Case()
						expEpsT := power(expEps, j)
						attackLaplace(t, toy(expEps, tails), rounds, ahead, expEpsT, optimalDelta(expEps, n, expEpsT))
					}
				}
			}
		}
	}
}

// attackLaplace refutes the filter with a budget.
func attackLaplace(t *verify.T, c impl.Choice, rounds, ahead int, expEpsT, deltaT *big.Rat) {
	rule := laplaceRule(func(count int) bool {
		return optimalDelta(c.ExpE[0], count+ahead, expEpsT).Cmp(deltaT) <= 0
	})
	worst, adversary, err := impl.WorstAdversary(t.Context(), bothWays(c), rounds, rule, expEpsT)
	t.Must(err)
	if worst.Cmp(deltaT) > 0 {
		t.Refute("e^ε = %s, e^ε_t = %s, δ_t = %s: the adversary that plays %v needs δ = %s",
			show(c.ExpE[0]), show(expEpsT), show(deltaT), adversary, show(worst))
	}
}

// laplaceRule remembers how many numbers there were.
func laplaceRule(admits func(count int) bool) impl.Rule {
	return impl.Rule{
		Start:  []*big.Rat{new(big.Rat)},
		Admits: func(count []*big.Rat, _ *impl.Choice) bool { return admits(int(count[0].Num().Int64())) },
		Next: func(count []*big.Rat, c *impl.Choice, output int) []*big.Rat {
			if c.Part[output] == 1 {
				return count
			}
			return []*big.Rat{add(count[0], one)}
		},
	}
}

// optimalDelta returns the δ at ε_t of n randomized responses with ε: the sum over j of
// C(n, j)·max(0, e^((n−j)ε) − e^ε_t·e^(jε)) / (1 + e^ε)^n.
func optimalDelta(expEps *big.Rat, n int, expEpsT *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for j := range n + 1 {
		excess := positive(sub(power(expEps, n-j), product(expEpsT, power(expEps, j))))
		sum = add(sum, product(new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(j))), excess))
	}
	return ratio(sum, power(add(one, expEps), n))
}
