package basics

import (
	"context"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// figures are the numbered examples of the chapter, computed again.
var figures = []register.Drawing{
	register.Draws("names", curvesOfNames), register.Draws("pumpkins", curvesOfPumpkins),
	register.Draws("best-of-two", curvesOfTwo), register.Draws("lifetime", curvesOfLifetime),
}

// curvesOfNames is Example 3.3 for other numbers of names.
func curvesOfNames(context.Context) (register.Curves, error) {
	beta, eps, all := rat.Of("0.05"), loss.Nats(rat.One), register.Labelled("Theorem 3.8", "exact", "difference")
	all[0].InTable, all[1].InTable = true, true
	for _, k := range []int{10, 100, 1000, 10_000, 100_000, 1_000_000} {
		allowed := register.Must(impl.LaplaceError(k, beta, rat.One, eps))
		exact := register.Must(impl.ExactLaplaceError(k, beta, rat.One, eps))
		all.Add(rat.Int(k), allowed, exact, precise.Sub(allowed, exact))
	}
	return all, nil
}

// curvesOfPumpkins is Example 3.5.
func curvesOfPumpkins(context.Context) (register.Curves, error) {
	bids, all := rat.List("1", "1", "1", "3.01"), register.Labelled("in print", "computed")
	for _, p := range []struct{ price, printed string }{{"1", "3"}, {"3", "3"}, {"3.01", "3.01"}, {"3.02", "0"}} {
		price := rat.Of(p.price)
		all.Add(price, precise.Rat(rat.Of(p.printed)), precise.Rat(impl.Revenue(bids, price)))
	}
	return all, nil
}

// curvesOfTwo is Example 3.6 for ε = 1.
func curvesOfTwo(context.Context) (register.Curves, error) {
	all := register.Labelled("Corollary 3.12, at most 1", "exponential mechanism",
		"Report Noisy Max", "one-sided arg-max")
	for c := 1; c <= 12; c++ {
		counts := rats(0, c)
		exponential := register.Must(impl.ExponentialLaw(counts, rat.One, loss.Nats(rat.One)))
		noisy := noisyMaxLaw(counts, rat.One, 1e-9)
		bound := precise.Mul(precise.Int(2), precise.ExpRat(rat.Quo(rat.Int(-c), rat.Of("2"))))
		all.Add(rat.Int(c), interval.Min(bound, precise.Int(1)), exponential[0], noisy[0], oneSided(c))
	}
	return all, nil
}

// oneSided returns the probability with which one-sided arg-max names the first of the counts 0 and c, for ε = 1: it
// falls in e^ε.
func oneSided(c int) interval.Interval {
	e, counts := precise.ExpRat(rat.One), []int{0, c}
	low, high := impl.OneSidedLaw(rat.Exact(e.Upper), counts)[0], impl.OneSidedLaw(rat.Exact(e.Lower), counts)[0]
	return interval.New(precise.Rat(low).Lower, precise.Rat(high).Upper)
}

// curvesOfLifetime is Example 3.7 for other numbers of databases.
func curvesOfLifetime(ctx context.Context) (register.Curves, error) {
	theorems := []impl.Theorem{impl.Basic, impl.AdvancedBook, impl.Advanced, impl.ZCDP}
	all := register.Labelled("basic", "Theorem 3.20", "with the sharper mean", "zCDP", "optimal")
	all[0].InTable = true
	delta := rat.Exact(rare.Lower)
	for _, k := range []int{1000, 2000, 4000, 6000, 8000, 10_000, 12_000} {
		ms := []impl.Mechanism{{Eps: loss.Nats(rat.Of("1/801")), Delta: new(big.Rat), Count: k}}
		var ys []interval.Interval
		for _, t := range theorems {
			eps, _, err := impl.EpsWith(ctx, ms, delta, t)
			if err != nil {
				return nil, err
			}
			ys = append(ys, eps.Bounds(128))
		}
		best, err := impl.OptComp(ctx, ms, delta, impl.Options{RelWidth: 1e-6})
		if err != nil {
			return nil, err
		}
		all.Add(rat.Int(k), append(ys, best.Eps)...)
	}
	return all, nil
}
