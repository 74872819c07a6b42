package selection

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"sort"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// Goal is what a selection is to reach.
type Goal struct {
	Eps   *big.Rat // ε of its output; positive
	Delta *big.Rat // δ of its output: 0, or in [1e-100, 1); nil is 0: its runs have none then
	Reach *big.Rat // the probability that a run reaches the target, in (0, 1)
	Fail  *big.Rat // the largest probability that none does, in (0, 1)
	Slack *big.Rat // how much of Eps a limit of the runs may cost; positive, below Eps
}

// Plan is a selection that reaches a goal: its coin, its limit, and what its runs may spend.
type Plan struct {
	Gamma   *big.Rat          // the probability γ of stopping after a run
	Limit   int               // the largest number of runs T, or [Unlimited]
	Eps     float64           // the largest ε_1 of a run that was found
	Delta   *big.Rat          // δ_1 of a run
	Loss    interval.Interval // what the output loses then, or a bound of it: at most Goal.Eps
	Runs    interval.Interval // the expected number of runs, if one reaches the target with the probability Reach
	Failing interval.Interval // the probability that none does
	Printed PrintedPlan
}

// PrintedPlan is what a theorem allows with the same γ.
type PrintedPlan struct {
	ID    string   // of the theorem
	Eps   *big.Rat // ε_1; nil if there is no theorem with a δ
	Delta *big.Rat // δ_1, rounded down
	Limit *big.Int // T; nil if there is none
}

// selectionLoss is the loss of a selection without a limit, and what a limit adds to it.
type selectionLoss struct {
	unlimited func(eps loss.Epsilon, gamma *big.Rat) interval.Interval
	limit     func(gamma *big.Rat, t int) interval.Interval // nil for a plan without a limit
}

// PlanThresholding plans [Thresholding], where the target is known as a score τ.
//
// Source: Liu and Talwar (2019), Theorem 3.1, with [ThresholdingLoss] for its part (b).
// Accuracy: Eps is within 1e-9 of the largest ε_1 that keeps the bound of the loss; intervals contain their numbers.
// Cost: some hundred logarithms.
func PlanThresholding(g Goal) (Plan, error) {
	p, err := g.plan("PlanThresholding", selectionLoss{
		func(eps loss.Epsilon, gamma *big.Rat) interval.Interval {
			return ThresholdingLoss(eps, gamma, Unlimited)
		},
		thresholdingLimitCost,
	})
	if err != nil {
		return Plan{}, err
	}
	p.Runs = geometricSum(new(big.Rat).Mul(complement(p.Gamma), complement(g.Reach)), p.Limit)
	least := ThresholdingLimit(p.Gamma, rational.Min(g.Slack, rational.One))
	p.Printed = PrintedPlan{"PSC-T3.1b", new(big.Rat).Quo(new(big.Rat).Sub(g.Eps, g.Slack), big.NewRat(2, 1)),
		new(big.Rat), ceiling(least.Upper)}
	if g.Delta != nil && g.Delta.Sign() > 0 { // 3e^(2ε_1 + ε_0)·δ_1/γ = δ
		p.Printed.ID = "PSC-T3.1c"
		most := bits.Quo(bits.Rat(new(big.Rat).Mul(g.Delta, p.Gamma)), bits.Mul(bits.Int(3), bits.ExpRat(g.Eps)))
		delta, _ := most.Rats()
		p.Printed.Delta = sixDigits(delta)
	}
	return p, nil
}

// PlanRandomStopping plans [RandomStopping], where the target is a quantile.
//
// Source: Liu and Talwar (2019), Theorems 3.2 and 3.3, with [RandomStoppingLoss] for the first.
// Accuracy: Eps is within 1e-9 of the largest ε_1; intervals contain their numbers.
// Cost: some hundred logarithms.
func PlanRandomStopping(g Goal) (Plan, error) {
	p, err := g.plan("PlanRandomStopping", selectionLoss{RandomStoppingLoss, nil})
	if err != nil {
		return Plan{}, err
	}
	p.Runs = geometricSum(complement(p.Gamma), Unlimited)
	if g.Delta == nil || g.Delta.Sign() == 0 {
		p.Printed = PrintedPlan{"PSC-T3.2", new(big.Rat).Quo(g.Eps, big.NewRat(3, 1)), new(big.Rat), nil}
	}
	return p, nil
}

// PlanHardStopping plans [HardStopping].
//
// Source: Liu and Talwar (2019), Theorem 3.5, with [HardStoppingLoss]; the target as in Theorem 3.3.
// Accuracy and cost: as for [PlanThresholding].
func PlanHardStopping(g Goal) (Plan, error) {
	p, err := g.plan("PlanHardStopping", selectionLoss{RandomStoppingLoss, hardStoppingLimitCost})
	if err != nil {
		return Plan{}, err
	}
	p.Runs = geometricSum(complement(p.Gamma), p.Limit)
	if g.Delta != nil && g.Delta.Sign() > 0 {
		p.Printed = g.approximateHardStopping(p.Gamma)
		return p, nil
	}
	third := big.NewRat(1, 3)
	eps0 := rational.Min(new(big.Rat).Mul(third, g.Slack), big.NewRat(49, 100))
	p.Printed = PrintedPlan{"PSC-T3.5", new(big.Rat).Mul(third, new(big.Rat).Sub(g.Eps, g.Slack)), new(big.Rat),
		HardStoppingLimit(p.Gamma, eps0)}
	return p, nil
}

// approximateHardStopping returns what Theorem 3.4 allows with δ_2 = δ/2: √(2δ_1)·T = δ/2, and 3ε_1 + 3√(2δ_1) = ε.
func (g Goal) approximateHardStopping(gamma *big.Rat) PrintedPlan {
	half := new(big.Rat).Mul(g.Delta, big.NewRat(1, 2))
	t, _, _ := ApproximateHardStopping(loss.Nats(new(big.Rat)), new(big.Rat), gamma, half)
	root := half.Quo(half, new(big.Rat).SetInt(t))
	eps := new(big.Rat).Quo(g.Eps, big.NewRat(3, 1))
	if eps.Sub(eps, root).Sign() <= 0 {
		return PrintedPlan{}
	}
	square := new(big.Rat).Mul(root, root)
	return PrintedPlan{"PSC-T3.4", eps, sixDigits(square.Mul(square, big.NewRat(1, 2))), t}
}

// plan finds γ, T and ε_1. Without a limit, no run reaches the target with the probability γ(1 − p)/(γ(1 − p) + p),
// which is β at γ = βp/((1 − p)(1 − β)); a limit adds to it, for which one part in a hundred of β is left.
func (g Goal) plan(name string, l selectionLoss) (p Plan, err error) {
	defer check.Named(name, &err)
	if err := g.check(); err != nil {
		return p, err
	}
	beta, budget := g.Fail, g.Eps
	if l.limit != nil {
		beta = new(big.Rat).Mul(beta, big.NewRat(99, 100))
		budget = new(big.Rat).Sub(budget, g.Slack)
	}
	p.Gamma = new(big.Rat).Quo(new(big.Rat).Mul(beta, g.Reach), new(big.Rat).Mul(complement(g.Reach), complement(beta)))
	p.Gamma = sixDigits(rational.Min(p.Gamma, rational.One))
	cost := bits.Int(0)
	if l.limit != nil {
		if p.Limit, err = g.limit(p.Gamma, l.limit); err != nil {
			return p, err
		}
		cost = l.limit(p.Gamma, p.Limit)
	}
	of := func(eps loss.Epsilon) interval.Interval { return bits.Add(l.unlimited(eps, p.Gamma), cost) }
	p.Eps = largestEps(of, g.Eps, rational.Float64(budget))
	p.Loss, p.Failing = of(loss.Nats(new(big.Rat).SetFloat64(p.Eps))), noneAbove(complement(g.Reach), p.Gamma, p.Limit)
	p.Delta = g.deltaOfRuns(p.Gamma)
	return p, nil
}

// deltaOfRuns returns δγ/(1 − δ(1 − γ)), rounded down: the δ_1 with which [SelectionDelta] is δ, and with a limit less.
func (g Goal) deltaOfRuns(gamma *big.Rat) *big.Rat {
	if g.Delta == nil || g.Delta.Sign() == 0 {
		return new(big.Rat)
	}
	rest := complement(new(big.Rat).Mul(g.Delta, complement(gamma)))
	return sixDigits(rest.Quo(new(big.Rat).Mul(g.Delta, gamma), rest))
}

// maxLimit is the largest number of runs that is planned.
const maxLimit = min(math.MaxInt, 1<<40)

// leastPlannedDelta is the least δ that is not 0, mostPlannedEps the largest ε.
var leastPlannedDelta, mostPlannedEps = rational.MustParse("1e-100"), rational.MustParse("700")

// limit returns the least T with which a limit costs at most Slack and no more than Fail.
func (g Goal) limit(gamma *big.Rat, cost func(gamma *big.Rat, t int) interval.Interval) (int, error) {
	slack, fail := bits.Rat(g.Slack), bits.Rat(g.Fail)
	t := sort.Search(maxLimit, func(t int) bool {
		return t >= 2 && cost(gamma, t).Upper.Cmp(slack.Lower) <= 0 &&
			noneAbove(complement(g.Reach), gamma, t).Upper.Cmp(fail.Lower) <= 0
	})
	if t == maxLimit {
		return 0, fmt.Errorf("more than %d runs would be needed", maxLimit)
	}
	return t, nil
}

func (g Goal) check() error {
	err := cmp.Or(check.Above0("eps", g.Eps), checkShare("reach", g.Reach), checkShare("fail", g.Fail),
		check.Above0("slack", g.Slack))
	if err == nil && g.Slack.Cmp(g.Eps) >= 0 {
		err = fmt.Errorf("slack is %s, must be less than %s", rational.Decimal(g.Slack), rational.Decimal(g.Eps))
	}
	if d := g.Delta; err == nil && d != nil && d.Sign() != 0 &&
		(d.Cmp(leastPlannedDelta) < 0 || d.Cmp(rational.One) >= 0) {
		err = fmt.Errorf("delta is %s, must be 0, or at least %s and less than 1",
			rational.Decimal(d), rational.Decimal(leastPlannedDelta))
	}
	if err == nil && g.Eps.Cmp(mostPlannedEps) > 0 {
		err = fmt.Errorf("eps is %s, must be at most %s", rational.Decimal(g.Eps), rational.Decimal(mostPlannedEps))
	}
	return err
}

func complement(x *big.Rat) *big.Rat { return new(big.Rat).Sub(rational.One, x) }

// sixDigits rounds down to a decimal, for people to type.
func sixDigits(x *big.Rat) *big.Rat {
	size := math.Floor(float64(rational.Magnitude(x)) * math.Log10(2)) // within 1
	if f := rational.Float64(x); f > 1e-300 {
		size = math.Floor(math.Log10(f))
	}
	unit := rational.Power(big.NewRat(10, 1), int(size)-5)
	steps := new(big.Rat).Quo(x, unit)
	whole := new(big.Rat).SetInt(new(big.Int).Quo(steps.Num(), steps.Denom()))
	return whole.Mul(whole, unit)
}

// geometricSum returns Σ_{j=0}^{T−1} a^j for a in [0, 1).
func geometricSum(a *big.Rat, t int) interval.Interval {
	sum := bits.Int(1)
	if t != Unlimited {
		sum = bits.Sub(sum, bits.Power(bits.Rat(a), t))
	}
	return bits.Quo(sum, bits.Rat(complement(a)))
}

// noneAbove is [NoneAbove] for numbers that would be too long.
func noneAbove(s, gamma *big.Rat, t int) interval.Interval {
	a := new(big.Rat).Mul(complement(gamma), s)
	sum := bits.Rat(new(big.Rat).Mul(gamma, s))
	if t != Unlimited {
		sum = bits.Add(sum, bits.Mul(bits.Rat(complement(s)), bits.Power(bits.Rat(a), t)))
	}
	return bits.Quo(sum, bits.Rat(complement(a)))
}
