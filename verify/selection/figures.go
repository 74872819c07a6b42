package selection

import (
	"context"
	"fmt"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/impl/selection"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// figures are the bounds of the text beside exact values, and what later laws of the number of runs change.
var figures = []register.Drawing{
	register.Draws("losses", curvesOfLosses), register.Draws("limits", curvesOfLimits),
	register.Draws("runs", curvesOfRuns), register.Draws("misses", curvesOfMisses),
	register.Draws("approximate", curvesOfApproximate), register.Draws("charges", curvesOfCharges),
}

// decades are numbers over powers of ten, four in each.
func decades(first, last int) (xs []*big.Rat) {
	for e := first; e < last; e++ {
		for _, m := range rat.List("1", "2", "3", "6") {
			xs = append(xs, rat.Mul(m, rat.Power(rat.Of("10"), e)))
		}
	}
	return append(xs, rat.Power(rat.Of("10"), last))
}

// curvesOfLosses is how tight Theorems 3.1(b) and 3.2 are: the exact loss over that of a run.
func curvesOfLosses(context.Context) (register.Curves, error) {
	all := register.Labelled("threshold, ε_1 = 0.1", "threshold, ε_1 = 1", "threshold, ε_1 = 3",
		"random stopping, ε_1 = 0.1", "random stopping, ε_1 = 1", "random stopping, ε_1 = 3")
	for _, gamma := range decades(-6, 0) {
		var ys [6]interval.Interval
		for i, eps1 := range rat.List("0.1", "1", "3") {
			eps := loss.Nats(eps1)
			ys[i] = quo(selection.ThresholdingLoss(eps, gamma, selection.Unlimited), num(eps1))
			ys[3+i] = quo(selection.RandomStoppingLoss(eps, gamma), num(eps1))
		}
		all.Add(gamma, ys[:]...)
	}
	return all, nil
}

// curvesOfLimits is how many runs a limit takes that costs 0.01 of a budget of 1.
func curvesOfLimits(context.Context) (register.Curves, error) {
	all := register.Labelled("threshold, exact bound", "threshold, Theorem 3.1", "hard stopping, bound",
		"hard stopping, Theorem 3.5")
	for _, reach := range decades(-4, -1) {
		g := selection.Goal{Eps: rat.One, Reach: reach, Fail: rat.Of("0.05"), Slack: rat.Of("0.01")}
		var ys []interval.Interval
		for _, plan := range []func(selection.Goal) (selection.Plan, error){selection.PlanThresholding,
			selection.PlanHardStopping} {
			p, err := plan(g)
			if err != nil {
				return nil, err
			}
			ys = append(ys, num(p.Limit), num(new(big.Rat).SetInt(p.Printed.Limit)))
		}
		all.Add(reach, ys...)
	}
	return all, nil
}

// namedLaw is a law of the number of runs.
type namedLaw struct {
	label string
	law   func(mean *big.Rat) (selection.RunsLaw, error)
}

// laws are those that are compared.
var laws = []namedLaw{
	{"η = −1/2", negativeBinomial("-1/2")},
	{"η = 0, logarithmic", negativeBinomial("0")},
	{"η = 1, random stopping", negativeBinomial("1")},
	{"η = 4", negativeBinomial("4")},
	{"Poisson", func(mean *big.Rat) (selection.RunsLaw, error) { return selection.PoissonRuns{Mu: mean}, nil }},
}

func negativeBinomial(eta string) func(mean *big.Rat) (selection.RunsLaw, error) {
	return func(mean *big.Rat) (selection.RunsLaw, error) {
		return selection.NewTruncatedNegativeBinomial(rat.Of(eta), mean)
	}
}

// ofLaws draws something of every law over its mean.
func ofLaws(xs []*big.Rat, of func(l selection.RunsLaw) (interval.Interval, error)) (all register.Curves, err error) {
	for _, n := range laws {
		c := register.Curve{Label: n.label}
		for _, x := range xs {
			l, err := n.law(x)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", n.label, err)
			}
			y, err := of(l)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", n.label, err)
			}
			c.Points = append(c.Points, register.Point{X: x, Y: y})
		}
		all = append(all, c)
	}
	return all, nil
}

// curvesOfRuns is what a run may spend.
func curvesOfRuns(context.Context) (register.Curves, error) {
	return ofLaws(decades(1, 5), func(l selection.RunsLaw) (interval.Interval, error) {
		eps, err := selection.LargestRunEps(l, rat.One)
		return interval.Of(eps, eps), err
	})
}

// curvesOfMisses is how often the best hundredth is missed.
func curvesOfMisses(context.Context) (register.Curves, error) {
	return ofLaws(decades(1, 4), func(l selection.RunsLaw) (interval.Interval, error) {
		y := l.Miss(rat.Of("0.99"))
		return interval.Max(y, num(rat.Of("1e-12"))), nil
	})
}

// curvesOfApproximate compares two ways to count runs that are ρ-zCDP, such as Gaussian ones.
func curvesOfApproximate(context.Context) (register.Curves, error) {
	rho, delta := rat.Of("0.01"), rat.Of("1e-6")
	all := register.Labelled("one run", "runs with their δ, η = 1", "Rényi, η = 1",
		"runs with their δ, η = 0", "Rényi, η = 0")
	for _, mean := range decades(0, 5)[2:] {
		one, _ := ledger.ZCDPToDP(rho, new(big.Rat), delta)
		ys := []interval.Interval{one}
		for _, eta := range rat.List("1", "0") {
			l, err := selection.NewTruncatedNegativeBinomial(eta, mean)
			if err != nil {
				return nil, err
			}
			run, _ := ledger.ZCDPToDP(rho, new(big.Rat), rat.Quo(delta, mean)) // E[J] runs are bad with at most δ
			ys = append(ys, l.Loss(loss.Nats(rat.Exact(run.Upper))), add(run, renyiCost(l, rho)))
		}
		all.Add(mean, ys...)
	}
	return all, nil
}

// renyiCost returns what the repetition adds to the ε of a run that is ρ-zCDP: (1 + η)(2√(ρ·ln(1/γ)) − ρ), at the order
// √(ln(1/γ)/ρ), or that of the order 1 if this is below it.
func renyiCost(l selection.TruncatedNegativeBinomial, rho *big.Rat) interval.Interval {
	n, r := precise, num(rho)
	log := n.Neg(n.Log(l.Gamma))
	cost := log // at the order 1
	if log.Lower.Cmp(r.Upper) > 0 {
		root := n.Sqrt(n.Mul(r, log))
		cost = n.Sub(n.Add(root, root), r)
	}
	return n.Mul(num(rat.Add(rat.One, l.Eta)), cost)
}

// curvesOfCharges is what is charged if all runs are published, by how many there were.
func curvesOfCharges(ctx context.Context) (register.Curves, error) {
	run, delta := impl.Mechanism{Eps: loss.Nats(rat.Of("0.1")), Delta: new(big.Rat), Count: 1000}, rat.Of("1e-6")
	p := impl.Pipeline{Mechanisms: []impl.Mechanism{run}}
	for _, j := range []int{1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000} {
		p.Stops = append(p.Stops, impl.Stop{After: j})
	}
	s, err := impl.DesignSchedule(ctx, p, delta, impl.ScheduleOptions{Slack: 1e-4})
	if err != nil {
		return nil, err
	}
	all := register.Labelled("all runs, if the data may say when to stop", "all runs, "+
		"if their number is drawn beforehand", "the best run only")
	for i, charge := range s.Charges() {
		all.Add(rat.Int(p.Stops[i].After), num(charge), num(s.SingleStop[i]), num(rat.Of("0.3")))
	}
	return all, nil
}
