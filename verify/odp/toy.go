package odp

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// toys are the statements on M_toy.
func toys() []register.Statement {
	return []register.Statement{
		{
			ID:      "ODP-X1",
			Title:   "With |f(x) − f(x′)| ≤ 1, f(x) + Lap(1/ε) and M_toy are ε-DP, and ⊥ is independent of x",
			Kind:    register.Certified,
			Verdict: register.Holds,
			Note:    "The loss of f(x) + Lap(1/ε) is that of M_toy given heads, and the coin is fair whatever x is.",
			In:      []string{"spec.Toy", "impl.Toy", "impl.ToyCells", "loss.Epsilon.Factor"},
			Check:   toyLoss(rat.One, rat.One, new(big.Rat), rat.Half),
			Controls: []register.Claim{
				{Says: "with |f(x) − f(x′)| ≤ 2", Check: toyLoss(big.NewRat(2, 1), rat.One, new(big.Rat), rat.Half)},
				{Says: "and Lap(1/ε) is so for 9ε/10", Check: toyLoss(rat.One, big.NewRat(9, 10), new(big.Rat), rat.Half)},
			},
		},
		{
			ID:      "ODP-X2",
			Title:   "Within a budget ε, a second ε-DP mechanism may run after M_toy has said ⊥, and none after a Laplace output",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "Randomized response stands for the ε-DP mechanisms: by Lemma 12 the others are functions of it. “None” is meant " +
				"for mechanisms that depend on the data at all: the control has one with e^ε = 101/100.",
			In:    []string{"spec.ODPComposition", "impl.WorstAdversary"},
			Check: afterToy(1, 0),
			Controls: []register.Claim{
				{Says: "after a Laplace output one with e^ε = 101/100 may run", Check: afterToy(1, 1)},
				{Says: "after ⊥ two may run", Check: afterToy(2, 0)},
			},
		},
		{
			ID:      "ODP-X6",
			Title:   "M_toy is (𝒫, ℰ, 0)-ODP with ℰ(ℝ) = ε, ℰ({⊥}) = 0",
			Kind:    register.Certified,
			Verdict: register.Holds,
			In:      []string{"impl.ToyCells", "loss.Epsilon.Factor"},
			Check:   toyLoss(rat.One, rat.One, new(big.Rat), rat.Half),
			Controls: []register.Claim{
				{Says: "with ℰ(ℝ) = 9ε/10", Check: toyLoss(rat.One, big.NewRat(9, 10), new(big.Rat), rat.Half)},
				{Says: "with a coin that shows tails with probability 1/2 for x and 5/8 for x′",
					Check: toyLoss(rat.One, rat.One, new(big.Rat), big.NewRat(5, 8))},
			},
		},
		{
			ID:      "ODP-X32",
			Title:   "M_toy run k times: it is safe to HALT only if an advanced composition bound for the Laplace outputs exceeds the budget",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "A conjecture in print. The filter is asked before a round, which may give one more Laplace output: the bound is for " +
				"k − k′ + 1 of them. Our proof: toss all coins beforehand. They are independent of x, and given them the adversary is " +
				"one that sees at most N Laplace outputs, N the largest number whose bound is within the budget, and ⊥ where it knew it would. " +
				"So given the coins its view is (ε_t, δ_t)-DP by the adaptive composition theorem, and so it is on average over them. The " +
				"proof needs of ⊥ only that ℰ({⊥}) = 0 and δ = 0: then its probability does not depend on x. Randomized response " +
				"stands for the Laplace mechanism (Lemma 12), the optimal composition of N of them for the bound.",
			In:    []string{"impl.WorstAdversary"},
			Check: countsLaplace(1, rat.Half),
			Controls: []register.Claim{
				{Says: "the bound is for the Laplace outputs so far, without the next one", Check: countsLaplace(0, rat.Half)},
				{Says: "⊥ has probability 1/2 for x and 3/5 for x′, and is not counted", Check: countsLaplace(1, big.NewRat(3, 5))},
			},
		},
	}
}

// toyLoss checks that M_toy puts its output into each cell with Pr_0 ≤ e^ℰ Pr_1, both ways,
// where ℰ = number·ε for the numbers and bottom·ε for ⊥, |f(x) − f(x′)| goes up to the
// sensitivity, and the coin shows tails with probability 1/2 for x and tails for x′.
func toyLoss(sensitivity, number, bottom, tails *big.Rat) register.Check {
	return func(t *register.T) {
		steps := int64(t.Size(4, 32))
		t.Domain("ε in {1/10, 1, 5}, f(x) = 0, f(x′) up to %s in %d steps, cells that %d points in [−4, 4] cut; up to a factor 1 + 2^−200",
			rat.Show(sensitivity), steps, 8*steps+1)
		var cuts []*big.Rat
		for i := -4 * steps; i <= 4*steps; i++ {
			cuts = append(cuts, big.NewRat(i, steps))
		}
		for _, eps := range []*big.Rat{big.NewRat(1, 10), rat.One, big.NewRat(5, 1)} {
			for i := range steps {
				f := rat.Mul(sensitivity, big.NewRat(i+1, steps))
				cells0, err := impl.ToyCells(new(big.Rat), eps, cuts)
				t.Must(err)
				cells1, err := impl.ToyCells(f, eps, cuts)
				t.Must(err)
				for cell := range cells0 {
					t.Case()
					share, charge := rat.Mul(rat.Complement(tails), big.NewRat(2, 1)), number
					if cell == len(cuts)+1 {
						share, charge = rat.Mul(tails, big.NewRat(2, 1)), bottom
					}
					factor := register.Must(loss.Nats(rat.Mul(charge, eps)).Factor())
					at := fmt.Sprintf("ε = %s, f(x′) = %s, cell %d of %d, ℰ = %s", rat.Show(eps), rat.Show(f), cell+1, len(cells0), rat.Show(rat.Mul(charge, eps)))
					bounded(t, at, cells0[cell], scaled(cells1[cell], share), factor)
					bounded(t, at, scaled(cells1[cell], share), cells0[cell], factor)
				}
			}
		}
	}
}

// bounded refutes x ≤ factor·y, or else certifies it up to a factor 1 + 2^−200.
func bounded(t *register.T, at string, x, y, factor interval.Interval) {
	if x.Lower.Cmp(times(factor.Upper, y.Upper)) > 0 {
		t.Refute("%s: probabilities %.20g and %.20g", at, x.Lower, y.Upper)
	}
	slack := new(big.Float).SetPrec(256).Add(big.NewFloat(1), big.NewFloat(0x1p-200))
	if x.Upper.Cmp(times(times(factor.Lower, y.Lower), slack)) > 0 {
		t.Undecided("%s: intervals are too wide", at)
	}
}

// times returns x·y, exactly for numbers of up to 512 bits.
func times(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(1024).Mul(x, y) }

// scaled returns a share of an interval, exactly for a share in 1/4.
func scaled(x interval.Interval, share *big.Rat) interval.Interval {
	if share.Cmp(rat.One) == 0 {
		return x
	}
	s := new(big.Float).SetPrec(256).SetRat(share)
	return interval.Interval{Lower: times(x.Lower, s), Upper: times(x.Upper, s)}
}

// toy is M_toy with randomized response for the Laplace mechanism. It says ⊥ with
// probability 1/2 for x, and tails for x′.
func toy(expEps, tails *big.Rat) impl.Choice {
	r := finite.ResponseChoice(expEps)
	c := impl.Choice{
		Name: "toy", Outputs: append(r.Outputs, "⊥"),
		Part: []int{0, 0, 1}, ExpE: []*big.Rat{expEps, rat.One}, Delta: new(big.Rat),
	}
	for b, bottom := range []*big.Rat{rat.Half, tails} {
		heads := rat.Complement(bottom)
		c.Laws[b] = []*big.Rat{rat.Mul(heads, r.Laws[b][0]), rat.Mul(heads, r.Laws[b][1]), bottom}
	}
	return c
}

// afterToy checks that rounds of M_toy, and so many ε-DP mechanisms after ⊥ and others
// after a number, are ε-DP.
func afterToy(afterBottom, afterNumber int64) register.Check {
	return func(t *register.T) {
		rounds := t.Size(5, 9)
		t.Domain("e^ε in {101/100, 3/2, 2, 3, 100}; M_toy up to %d times, then randomized response", rounds-1)
		for played := 1; played <= rounds; played++ {
			for _, expEps := range []*big.Rat{big.NewRat(101, 100), big.NewRat(3, 2), big.NewRat(2, 1), big.NewRat(3, 1), big.NewRat(100, 1)} {
				t.Case()
				first, second, small := toy(expEps, rat.Half), finite.ResponseChoice(expEps), finite.ResponseChoice(big.NewRat(101, 100))
				small.Name = "small response"
				if !admittedAfter(first, "⊥", second, expEps) || admittedAfter(first, "1", small, expEps) {
					t.Refute("e^ε = %s: Algorithm 1 admits other mechanisms", rat.Show(expEps))
				}
				menu := slices.Concat(finite.BothWays(first), finite.BothWays(second), finite.BothWays(small))
				worst, adversary, err := impl.WorstAdversary(t.Context(), menu, played, toyRule(afterBottom, afterNumber), expEps)
				t.Must(err)
				if worst.Sign() > 0 {
					t.Refute("e^ε = %s: the adversary that plays %v needs δ = %s", rat.Show(expEps), adversary, rat.Show(worst))
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
		Start:  []*big.Rat{new(big.Rat), new(big.Rat), rat.One},
		Admits: func(left []*big.Rat, c *impl.Choice) bool { return left[kind(c)].Sign() > 0 },
		Next: func(left []*big.Rat, c *impl.Choice, output int) []*big.Rat {
			switch kind(c) {
			case 2:
				if c.Part[output] == 1 {
					return []*big.Rat{big.NewRat(afterBottom, 1), new(big.Rat), rat.One}
				}
				return []*big.Rat{new(big.Rat), big.NewRat(afterNumber, 1), new(big.Rat)}
			case 1:
				return []*big.Rat{left[0], rat.Sub(left[1], rat.One), new(big.Rat)}
			}
			return []*big.Rat{rat.Sub(left[0], rat.One), left[1], new(big.Rat)}
		},
	}
}

// countsLaplace checks the filter that admits M_toy as long as the optimal composition
// of the numbers so far, and ahead more, is within the budget.
func countsLaplace(ahead int, tails *big.Rat) register.Check {
	return func(t *register.T) {
		most := t.Size(8, 16)
		t.Domain("e^ε in {3/2, 2, 3}, ε_t up to 3ε, δ_t that of 1 to 4 numbers; M_toy up to %d times", most)
		for rounds := 1; rounds <= most; rounds++ {
			for _, expEps := range []*big.Rat{big.NewRat(3, 2), big.NewRat(2, 1), big.NewRat(3, 1)} {
				for j := range 4 {
					for n := 1; n <= 4; n++ {
						t.Case()
						expEpsT := rat.Power(expEps, j)
						attackLaplace(t, toy(expEps, tails), rounds, ahead, expEpsT, optimalDelta(expEps, n, expEpsT))
					}
				}
			}
		}
	}
}

// attackLaplace refutes the filter with a budget.
func attackLaplace(t *register.T, c impl.Choice, rounds, ahead int, expEpsT, deltaT *big.Rat) {
	rule := laplaceRule(func(count int) bool {
		return optimalDelta(c.ExpE[0], count+ahead, expEpsT).Cmp(deltaT) <= 0
	})
	worst, adversary, err := impl.WorstAdversary(t.Context(), finite.BothWays(c), rounds, rule, expEpsT)
	t.Must(err)
	if worst.Cmp(deltaT) > 0 {
		t.Refute("e^ε = %s, e^ε_t = %s, δ_t = %s: the adversary that plays %v needs δ = %s",
			rat.Show(c.ExpE[0]), rat.Show(expEpsT), rat.Show(deltaT), adversary, rat.Show(worst))
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
			return []*big.Rat{rat.Add(count[0], rat.One)}
		},
	}
}

// optimalDelta returns the δ at ε_t of n randomized responses with ε: the sum over j of
// C(n, j)·max(0, e^((n−j)ε) − e^ε_t·e^(jε)) / (1 + e^ε)^n.
func optimalDelta(expEps *big.Rat, n int, expEpsT *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for j := range n + 1 {
		excess := rat.Positive(rat.Sub(rat.Power(expEps, n-j), rat.Mul(expEpsT, rat.Power(expEps, j))))
		sum = rat.Add(sum, rat.Mul(new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(j))), excess))
	}
	return rat.Quo(sum, rat.Power(rat.Add(rat.One, expEps), n))
}
