package odp

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// toys are the statements on M_toy.
func toys() register.Checks {
	isODP := all(with(toyODP, rat.One, rat.One, rat.Half), with(toyRuns, rat.One), givenFactors)
	lessCharge := with(toyODP, rat.One, "99/100", rat.Half)
	otherCoin := near("with a coin that shows tails with probability 1/2 for x and 129/256 for x′",
		with(toyODP, rat.One, rat.One, "129/256"))
	return register.Checks{
		"ODP-X1": checked(isODP,
			near("with |f(x) − f(x′)| ≤ 101/100", with(toyODP, "101/100", rat.One, rat.Half)),
			near("and Lap(1/ε) is so for 99ε/100", lessCharge),
			near("and it is the noise of 99ε/100", with(toyRuns, "99/100")),
			otherCoin),
		"ODP-X2": checked(with(afterToy, 1, 0, rat.One),
			control("after ⊥ two may run", with(afterToy, 2, 0, rat.One)),
			near("after a Laplace output one with e^ε = 101/100 may run", with(afterToy, 1, 1, rat.One)),
			near("a budget with a twentieth less e^ε is kept", with(afterToy, 1, 0, nearly))),
		"ODP-X6": checked(isODP, near("with ℰ(ℝ) = 99ε/100", lessCharge), otherCoin),
		"ODP-X32": checked(with(countsLaplace, asPromised),
			near("the views are (ε_t, δ_t)-DP with a twentieth less δ_t", with(countsLaplace, lessDelta)),
			near("they are with a twentieth less e^ε_t", with(countsLaplace, lessEps))),
	}
}

// givenFactors checks that an ε that is given as e^ε has that factor.
func givenFactors(t *register.T) {
	t.AlsoDomain("e^ε in {101/100, 3/2, 3}, given as such")
	for _, x := range rat.List("101/100", "3/2", "3") {
		t.Case()
		factor := register.Must(loss.Factor(loss.Exp(x)))
		t.Require(factor.Contains(x) && factor.RelWidth() <= 0x1p-200, "e^ε = %s has the factor [%.70g, %.70g]", x,
			factor.Lower, factor.Upper)
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
func toyRuns(t *register.T, share *big.Rat) {
	t.AlsoDomain("both programs at 4 points, by quantiles of the noise up to 2^−40")
	programs := []func(fx, eps float64, heads func() bool, u quantile) (value float64, bottom bool, err error){
		func(fx, eps float64, heads func() bool, u quantile) (float64, bool, error) {
			return impl.Toy(fx, eps, heads, u)
		},
		func(fx, eps float64, heads func() bool, u quantile) (float64, bool, error) {
			return spec.Toy(fx, eps, heads, u)
		},
	}
	for _, at := range [][]*big.Rat{rat.List("0", "1", "3/2"), rat.List("-7/4", "1/10", "1"),
		rat.List("2", "5", "17/8"), rat.List("1/2", "3/2", "-5/8")} {
		cells := register.Must(impl.ToyCells(at[0], rat.Mul(share, at[1]), at[2:]))
		below := 2 * rat.Float64(rat.Exact(cells[0].Lower)) // given heads
		f := rat.Floats(at)
		for i, program := range programs {
			t.At("%s: f(x), ε and the end of a cell = %s", []string{"impl", "spec"}[i], at)
			for _, side := range []float64{-1, 1} {
				tosses, u := 0, below*(1+side*0x1p-40)
				value, bottom, err := program(f[0], f[1], func() bool { tosses++; return true }, quantile(u))
				t.Must(err)
				t.Require(!bottom && tosses == 1 && (value > f[2]) == (side > 0),
					"%d tosses, ⊥ is %v; at the quantile %.15g it returns %.15g", tosses, bottom, u, value)
			}
			value, bottom, err := program(f[0], f[1], func() bool { return false }, 0.5)
			t.Require(err == nil && bottom && value == 0, "tails, but ⊥ is %v with %g, %v", bottom, value, err)
		}
	}
}

// toyODP checks that the law of M_toy in cells needs no δ, both ways, with ℰ = number·ε for the numbers and 0 for ⊥,
// where |f(x) − f(x′)| goes up to the sensitivity, and the coin shows tails with probability 1/2 for x and tails for
// x′. Few cells go through spec. Cells and e^ε are rounded to 2^−240: δ may be as much.
func toyODP(t *register.T, sensitivity, number, tails *big.Rat) {
	steps := int64(t.Size(2, 32))
	t.Domain("ε in {1/10, 1, 5}, f(x) = 0, f(x′) up to %s in %d steps, cells that %d points in [−4, 4] cut; "+
		"6 cells by all sets of them; up to a δ of 10^−70", sensitivity, steps, 8*steps+1)
	var cuts []*big.Rat
	for i := -4 * steps; i <= 4*steps; i++ {
		cuts = append(cuts, big.NewRat(i, steps))
	}
	few := rat.List("-1", "-1/2", "0", "1/2", "1")
	for _, eps := range rat.List("1/10", "1", "5") {
		expE := []*big.Rat{rat.Exact(register.Must(loss.Factor(loss.Nats(rat.Mul(number, eps)))).Upper), rat.One}
		for i := range steps {
			f := rat.Mul(sensitivity, big.NewRat(i+1, steps))
			t.At("ε = %s, f(x′) = %s, the first cell", eps, f)
			fine := finite.Pair{toyLaw(t, new(big.Rat), eps, rat.Half, cuts), toyLaw(t, f, eps, tails, cuts)}
			coarse := finite.Pair{toyLaw(t, new(big.Rat), eps, rat.Half, few), toyLaw(t, f, eps, tails, few)}
			need := rat.Max(fine.DeltaBothWays(func(output string) *big.Rat { return expE[isBottom(output)] }),
				register.Must(spec.SmallestDeltaBothWays(coarse[0], coarse[1], isBottom, expE)))
			t.Require(need.Cmp(rat.Of("1e-70")) <= 0, "ℰ = %s·ε: the cells need δ = %.9g", number, need)
			t.Close(math.Log(rat.Float64(rat.Quo(fine[0]["0"], fine[1]["0"])))/rat.Float64(rat.Mul(number, eps)), "")
		}
	}
}

// toyLaw is the law of the cells of M_toy(x), numbered, and of ⊥, with a coin that shows tails with this probability.
// The last cell has what is left.
func toyLaw(t *register.T, f, eps, tails *big.Rat, cuts []*big.Rat) finite.Law {
	l, cells, heads := finite.Law{}, register.Must(impl.ToyCells(f, eps, cuts)), rat.Twice(rat.Complement(tails))
	for i := range cuts {
		l[fmt.Sprint(i)] = rat.Mul(heads, rat.Exact(cells[i].Lower))
	}
	l["⊥"] = rat.Mul(rat.Twice(tails), rat.Exact(cells[len(cuts)+1].Lower))
	l["rest"] = rat.Complement(l.Mass())
	last := rat.Mul(heads, rat.Exact(cells[len(cuts)].Lower))
	t.Require(isClose(rat.Float64(last), rat.Float64(l["rest"]), 1e-12),
		"the last cell of %d at %s is %.12g, and %.12g is left", len(cuts)+1, f, last, l["rest"])
	return l
}

// toy is M_toy with randomized response for the Laplace mechanism. It says ⊥ with probability 1/2.
func toy(expEps *big.Rat) ledger.Choice {
	r := finite.ResponseChoice(expEps)
	c := ledger.Choice{
		Name: "toy", Outputs: append(r.Outputs, "⊥"),
		Part: []int{0, 0, 1}, ExpE: []*big.Rat{expEps, rat.One}, Delta: new(big.Rat),
	}
	for b, law := range r.Laws {
		c.Laws[b] = []*big.Rat{rat.Mul(rat.Half, law[0]), rat.Mul(rat.Half, law[1]), rat.Half}
	}
	return c
}

// afterToy checks that rounds of M_toy, and so many ε-DP mechanisms after ⊥ and others
// after a number, keep a budget of a share of e^ε; and that at a budget of 0 they need the δ of one
// such mechanism, or half of it in one round.
func afterToy(t *register.T, afterBottom, afterNumber int, share *big.Rat) {
	rounds := t.Size(4, 9)
	t.Domain("e^ε in {101/100, 3/2, 2, 3, 100}; M_toy up to %d times, then randomized response", rounds-1)
	small := finite.ResponseChoice(rat.Of("101/100"))
	small.Name = "small response"
	for played := 1; played <= rounds; played++ {
		for _, expEps := range rat.List("101/100", "3/2", "2", "3", "100") {
			t.At("e^ε = %s, %d rounds", expEps, played)
			first, second := toy(expEps), finite.ResponseChoice(expEps)
			t.Require(admittedByBoth(t, first, "⊥", second, expEps) && !admittedByBoth(t, first, "1", small, expEps) &&
				!admittedByBoth(t, first, "1", leakOrBottom(rat.Of("1/1000")), expEps),
				"Algorithm 1 admits other mechanisms")
			m := finite.Menu{Rounds: played,
				Choices: slices.Concat(finite.BothWays(first), finite.BothWays(second), finite.BothWays(small))}
			worst, adversary := m.Worst(t, toyRule(afterBottom, afterNumber), chargeOf(share, expEps))
			t.Require(worst.Sign() <= 0, "the adversary that plays %v needs δ = %s", adversary, worst)
			most, adversary := m.Worst(t, toyRule(afterBottom, afterNumber), rat.One)
			want := optimalDelta(expEps, 1, rat.One)
			if played == 1 { // M_toy alone says ⊥ half of the time
				want = rat.Mul(rat.Half, want)
			}
			t.Require(rat.Equal(most, want), "the adversary that plays %v needs δ = %s at ε = 0, not %s",
				adversary, most, want)
		}
	}
}

// toyRule admits M_toy until it gives a number, and something else after it. It remembers how many ε-DP mechanisms
// and how many small ones may still run, and whether M_toy may.
func toyRule(afterBottom, afterNumber int) ledger.Rule {
	kind := func(c *ledger.Choice) int {
		return map[string]int{"response": 0, "small response": 1, "toy": 2}[strings.TrimSuffix(c.Name, "′")]
	}
	return ledger.Rule{
		Start:  []*big.Rat{new(big.Rat), new(big.Rat), rat.One},
		Admits: func(left []*big.Rat, c *ledger.Choice) bool { return left[kind(c)].Sign() > 0 },
		Next: func(left []*big.Rat, c *ledger.Choice, output int) []*big.Rat {
			switch k := kind(c); {
			case k == 2 && c.Part[output] == 1:
				return []*big.Rat{rat.Int(afterBottom), new(big.Rat), rat.One}
			case k == 2:
				return []*big.Rat{new(big.Rat), rat.Int(afterNumber), new(big.Rat)}
			default:
				left = []*big.Rat{left[0], left[1], new(big.Rat)}
				left[k] = rat.Sub(left[k], rat.One)
				return left
			}
		},
	}
}

// countsLaplace checks the filter that admits M_toy as long as the optimal composition of the numbers so far, and one
// more, is within the budget.
func countsLaplace(t *register.T, of promise) {
	most := t.Size(5, 16)
	t.Domain("e^ε in {3/2, 2, 3}, ε_t up to 3ε, δ_t that of 1 to 4 numbers; M_toy up to %d times; "+
		"what is found for 3 times, played by Algorithm 6", most)
	for rounds := 1; rounds <= most; rounds++ {
		for _, expEps := range rat.List("3/2", "2", "3") {
			for j := range 4 {
				for n := 1; n <= 4; n++ {
					expEpsT := rat.Power(expEps, j)
					t.At("e^ε = %s, e^ε_t = %s, δ_t that of %d, %d rounds", expEps, expEpsT, n, rounds)
					x := laplaceCount{toy(expEps), rounds, expEpsT, optimalDelta(expEps, n, expEpsT)}
					x.attack(t, of)
				}
			}
		}
	}
}

// laplaceCount is a filter for runs of M_toy that counts the numbers.
type laplaceCount struct {
	toy             ledger.Choice
	rounds          int
	expEpsT, deltaT *big.Rat
}

// admits says whether M_toy may run after so many numbers.
func (x laplaceCount) admits(count int) bool {
	return optimalDelta(x.toy.ExpE[0], count+1, x.expEpsT).Cmp(x.deltaT) <= 0
}

// filter is the same as print has it: it sees the ε^[i] so far, and ε for the next one.
func (x laplaceCount) filter(expEps, _ []*big.Rat) (halt bool) {
	count := 0
	for _, e := range expEps {
		count += e.Cmp(rat.One)
	}
	return !x.admits(count - 1)
}

// attack refutes the filter if an adversary breaks what is promised of the budget.
func (x laplaceCount) attack(t *register.T, of promise) {
	expEps, delta := of(x.expEpsT, x.deltaT)
	m := finite.Menu{Choices: finite.BothWays(x.toy), Rounds: x.rounds}
	worst, adversary := m.Worst(t, laplaceRule(x.admits), expEps)
	t.AtMost(worst, delta, "the adversary that plays %v needs δ = %s", adversary, worst)
	if x.rounds == 3 {
		laws := register.Must(finite.ODPFilterComposition(asAdversary(adversary), x.filter, x.rounds))
		played := laws.Delta(finite.Constant(expEps))
		t.Require(rat.Equal(played, worst), "%v needs δ = %s, by Algorithm 6 %s", adversary, worst, played)
	}
}

// laplaceRule remembers how many numbers there were.
func laplaceRule(admits func(count int) bool) ledger.Rule {
	return ledger.Rule{
		Start:  []*big.Rat{new(big.Rat)},
		Admits: func(count []*big.Rat, _ *ledger.Choice) bool { return admits(int(count[0].Num().Int64())) },
		Next: func(count []*big.Rat, c *ledger.Choice, output int) []*big.Rat {
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
