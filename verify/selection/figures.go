package selection

import (
	"context"
	"fmt"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/selection"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// figures are bounds of the text beside exact values, and what later laws of the number of runs change.
var figures = []register.Drawing{
	register.Draws("losses", curvesOfLosses), register.Draws("runs", curvesOfRuns),
	register.Draws("misses", curvesOfMisses), register.Draws("charges", curvesOfCharges),
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
