package odp

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// toys are the statements on M_toy.
func toys() register.Checks {
	return register.Checks{
		"ODP-X1": register.Checked(toyODP(rat.One, rat.One, rat.Half),
			register.Control("with |f(x) − f(x′)| ≤ 2", toyLoss(big.NewRat(2, 1), rat.One, new(big.Rat), rat.Half)),
			register.NearMiss("with |f(x) − f(x′)| ≤ 101/100", toyLoss(big.NewRat(101, 100), rat.One, new(big.Rat), rat.Half)),
			register.NearMiss("and Lap(1/ε) is so for 99ε/100", toyLoss(rat.One, big.NewRat(99, 100), new(big.Rat), rat.Half)),
			register.NearMiss("and it is the noise of 99ε/100", toyRuns(big.NewRat(99, 100))),
			register.NearMiss("with a coin that shows tails with probability 1/2 for x and 129/256 for x′",
				toyLoss(rat.One, rat.One, new(big.Rat), big.NewRat(129, 256))),
		),
		"ODP-X2": register.Checked(afterToy(1, 0, sameExpE),
			register.Control("after ⊥ two may run", afterToy(2, 0, sameExpE)),
			register.NearMiss("after a Laplace output one with e^ε = 101/100 may run", afterToy(1, 1, sameExpE)),
			register.NearMiss("a budget with a twentieth less e^ε is kept", afterToy(1, 0, shaved)),
		),
		"ODP-X6": register.Checked(register.All(toyODP(rat.One, rat.One, rat.Half), toyAsODP(rat.One, rat.One)),
			register.Control("with ℰ(ℝ) = 9ε/10", toyLoss(rat.One, big.NewRat(9, 10), new(big.Rat), rat.Half)),
			register.NearMiss("with ℰ(ℝ) = 99ε/100", toyLoss(rat.One, big.NewRat(99, 100), new(big.Rat), rat.Half)),
			register.NearMiss("with a coin that shows tails with probability 1/2 for x and 129/256 for x′",
				toyODP(rat.One, rat.One, big.NewRat(129, 256))),
			register.NearMiss("with a hundredth less e^ℰ(ℝ), for the law in cells", toyAsODP(big.NewRat(99, 100), rat.One)),
			register.NearMiss("with a hundredth less probability of ⊥ for x′, for the law in cells",
				toyAsODP(rat.One, big.NewRat(99, 100))),
		),
		"ODP-X32": register.Checked(countsLaplace(1, rat.Half, asPromised),
			register.Control("the bound is for the Laplace outputs so far, without the next one",
				countsLaplace(0, rat.Half, asPromised)),
			register.NearMiss("⊥ has probability 1/2 for x and 51/100 for x′, and is not counted",
				countsLaplace(1, big.NewRat(51, 100), asPromised)),
			register.NearMiss("the views are (ε_t, δ_t)-DP with a twentieth less δ_t", countsLaplace(1, rat.Half, lessDelta)),
			register.NearMiss("they are with a twentieth less e^ε_t", countsLaplace(1, rat.Half, lessEps)),
		),
	}
}

// toyODP is [toyLoss] and then [toyRuns] and [givenFactors].
func toyODP(sensitivity, number, tails *big.Rat) register.Check {
	return register.All(toyLoss(sensitivity, number, new(big.Rat), tails), toyRuns(rat.One), givenFactors)
}

// givenFactors checks that an ε that is given as e^ε has that factor.
func givenFactors(t *register.T) {
	t.AlsoDomain("e^ε in {101/100, 3/2, 3}, given as such")
	for _, x := range rat.List("101/100", "3/2", "3") {
		t.Case()
		if factor := register.Must(loss.Exp(x).Factor()); !factor.Contains(x) || factor.RelWidth() > 0x1p-200 {
			t.Refute("e^ε = %s has the factor [%.70g, %.70g]", rat.Show(x), factor.Lower, factor.Upper)
		}
	}
}

// quantile is noise that is always the quantile u of its law.
type quantile float64

// Laplace returns the x with Pr(Lap(scale) ≤ x) = u.
func (u quantile) Laplace(scale float64) float64 {
	if u < 0.5 {
		return scale * math.Log(2*float64(u))
	}
	return -scale * math.Log(2*(1-float64(u)))
}

// toyRuns checks that both programs of M_toy put as much into (−∞, t] as the cells say, with a noise for share·ε;
// that they say ⊥ if the coin shows tails, whatever f(x) is; and that they toss it once.
func toyRuns(share *big.Rat) register.Check {
	type program = func(fx, eps float64, heads func() bool, noise impl.Noise) (value float64, bottom bool, err error)
	programs := map[string]program{
		"impl": impl.Toy,
		"spec": func(fx, eps float64, heads func() bool, noise impl.Noise) (float64, bool, error) {
			return spec.Toy(fx, eps, heads, noise)
		},
	}
	return func(t *register.T) {
		t.AlsoDomain("both programs at 4 points, by quantiles of the noise up to 2^−40")
		for _, at := range [][3]string{{"0", "1", "3/2"}, {"-7/4", "1/10", "1"}, {"2", "5", "17/8"}, {"1/2", "3/2", "-5/8"}} {
			fx, eps, cut := rat.Of(at[0]), rat.Of(at[1]), rat.Of(at[2])
			cells, err := impl.ToyCells(fx, rat.Mul(share, eps), []*big.Rat{cut})
			t.Must(err)
			below := 2 * rat.Float64(rat.Exact(cells[0].Lower)) // given heads
			for _, name := range []string{"impl", "spec"} {
				t.Case()
				for _, side := range []float64{-1, 1} {
					tosses := 0
					value, bottom, err := programs[name](rat.Float64(fx), rat.Float64(eps), func() bool { tosses++; return true },
						quantile(below*(1+side*0x1p-40)))
					t.Must(err)
					if bottom || tosses != 1 || (value > rat.Float64(cut)) != (side > 0) {
						t.Refute("%s: f(x) = %s, ε = %s: %d tosses, ⊥ is %v; at the quantile %.15g, with the cell that ends at %s, it "+
							"returns %.15g",
							name, at[0], at[1], tosses, bottom, below*(1+side*0x1p-40), at[2], value)
					}
				}
				if _, bottom, err := programs[name](rat.Float64(fx), rat.Float64(eps), func() bool { return false },
					nil); err != nil || !bottom {
					t.Refute("%s: f(x) = %s, ε = %s: tails, but ⊥ is %v, %v", name, at[0], at[1], bottom, err)
				}
			}
		}
	}
}

// toyAsODP checks that the law of M_toy in cells needs no δ with e^ℰ = less·e^ε and 1, by spec, where ⊥ has a
// share of its probability for x′. Cells and e^ε are rounded to 2^−240: δ may be as much.
func toyAsODP(less, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("6 cells of M_toy on 0 and ±1, ±1/2 by all sets of them")
		for _, eps := range rat.List("1/10", "1", "5") {
			for _, f := range rat.List("1", "-1", "1/2", "-1/2") {
				t.Case()
				laws := finite.Pair{cellsOf(t, new(big.Rat), eps, rat.One), cellsOf(t, f, eps, share)}
				factor := rat.Exact(register.Must(loss.Nats(eps).Factor()).Upper)
				part := func(output string) int { return strings.Index("abcdef⊥", output) / len("abcdef") }
				need := register.Must(spec.SmallestDeltaBothWays(laws[0], laws[1], part,
					[]*big.Rat{rat.Max(rat.One, rat.Mul(less, factor)), rat.One}))
				if need.Cmp(rat.Of("1e-70")) > 0 {
					t.Refute("ε = %s, f(x) = 0, f(x′) = %s: δ = %.9g", rat.Show(eps), rat.Show(f), rat.Float64(need))
				}
			}
		}
	}
}

// cellsOf is the law of the cells of M_toy(x), a to f, and of ⊥ with a share of its probability. The last cell has
// what is left.
func cellsOf(t *register.T, f, eps, share *big.Rat) finite.Law {
	cells, err := impl.ToyCells(f, eps, rat.List("-1", "-1/2", "0", "1/2", "1"))
	t.Must(err)
	l := finite.Law{"⊥": rat.Mul(share, rat.Exact(cells[6].Lower))}
	for i := range 5 {
		l[finite.Name(i)] = rat.Exact(cells[i].Lower)
	}
	l["f"] = rat.Complement(l.Mass())
	return l
}

// toyLoss checks that M_toy puts its output into each cell with Pr_0 ≤ e^ℰ Pr_1, both ways,
// where ℰ = number·ε for the numbers and bottom·ε for ⊥, |f(x) − f(x′)| goes up to the
// sensitivity, and the coin shows tails with probability 1/2 for x and tails for x′.
func toyLoss(sensitivity, number, bottom, tails *big.Rat) register.Check {
	return func(t *register.T) {
		steps := int64(t.Size(4, 32))
		t.Domain("ε in {1/10, 1, 5}, f(x) = 0, f(x′) up to %s in %d steps, cells that %d points in [−4, 4] cut; up to a "+
			"factor 1 + 2^−200",
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
					at := fmt.Sprintf("ε = %s, f(x′) = %s, cell %d of %d, ℰ = %s", rat.Show(eps), rat.Show(f), cell+1, len(cells0),
						rat.Show(rat.Mul(charge, eps)))
					bounded(t, at, cells0[cell], scaled(cells1[cell], share), factor)
					bounded(t, at, scaled(cells1[cell], share), cells0[cell], factor)
				}
				t.Close(logRatio(cells0[0], cells1[0])/rat.Float64(rat.Mul(number, eps)), "ε = %s, f(x′) = %s, the first cell",
					rat.Show(eps), rat.Show(f))
				last := len(cuts)
				t.Close(logRatio(cells1[last], cells0[last])/rat.Float64(rat.Mul(number, eps)), "ε = %s, f(x′) = %s, the last "+
					"cell of numbers", rat.Show(eps), rat.Show(f))
				attains(t, cells0[0], cells1[0], rat.Mul(eps, f))
				attains(t, cells1[last], cells0[last], rat.Mul(eps, f))
			}
		}
	}
}

// logRatio is ln(x/y), rounded.
func logRatio(x, y interval.Interval) float64 {
	return math.Log(rat.Float64(rat.Quo(rat.Exact(x.Lower), rat.Exact(y.Lower))))
}

// attains refutes cells beyond f(x) and f(x′) whose ratio is not e^(ε·|f(x) − f(x′)|).
func attains(t *register.T, x, y interval.Interval, tail *big.Rat) {
	factor := register.Must(loss.Nats(tail).Factor())
	if x.Upper.Cmp(times(factor.Lower, y.Lower)) < 0 || x.Lower.Cmp(times(factor.Upper, y.Upper)) > 0 {
		t.Refute("probabilities %.20g and %.20g in a tail, whose loss must be %s", x.Lower, y.Lower, rat.Show(tail))
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
// after a number, keep a budget made of e^ε; and that at a budget of 0 they need the δ of one
// such mechanism, or half of it in one round.
func afterToy(afterBottom, afterNumber int64, budget func(expEps *big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		rounds := t.Size(5, 9)
		t.Domain("e^ε in {101/100, 3/2, 2, 3, 100}; M_toy up to %d times, then randomized response", rounds-1)
		for played := 1; played <= rounds; played++ {
			for _, expEps := range []*big.Rat{big.NewRat(101, 100), big.NewRat(3, 2), big.NewRat(2, 1), big.NewRat(3, 1),
				big.NewRat(100, 1)} {
				t.Case()
				first, second, small := toy(expEps, rat.Half), finite.ResponseChoice(expEps),
					finite.ResponseChoice(big.NewRat(101, 100))
				small.Name = "small response"
				if !admittedByBoth(t, first, "⊥", second, expEps) || admittedByBoth(t, first, "1", small, expEps) {
					t.Refute("e^ε = %s: Algorithm 1 admits other mechanisms", rat.Show(expEps))
				}
				m := finite.Menu{Rounds: played,
					Choices: slices.Concat(finite.BothWays(first), finite.BothWays(second), finite.BothWays(small))}
				worst, adversary := m.Worst(t, toyRule(afterBottom, afterNumber), rat.Max(rat.One, budget(expEps)))
				if worst.Sign() > 0 {
					t.Refute("e^ε = %s: the adversary that plays %v needs δ = %s", rat.Show(expEps), adversary, rat.Show(worst))
				}
				most, adversary := m.Worst(t, toyRule(afterBottom, afterNumber), rat.One)
				want := optimalDelta(expEps, 1, rat.One)
				if played == 1 { // M_toy alone says ⊥ half of the time
					want = rat.Mul(rat.Half, want)
				}
				if most.Cmp(want) != 0 {
					t.Refute("e^ε = %s: the adversary that plays %v needs δ = %s at ε = 0, not %s", rat.Show(expEps), adversary,
						rat.Show(most), rat.Show(want))
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
