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

// figures are the numbered examples of the chapter, computed again, and what sparse vectors are allowed and need.
var figures = register.Figures(figureOfNames, figureOfPumpkins, figureOfTwo, figureOfLifetime, figureOfSparse)

// figureOfNames is Example 3.3 for other numbers of names.
func figureOfNames(context.Context) (register.Figure, error) {
	beta, eps, all := rat.Of("0.05"), loss.Nats(rat.One), register.Labelled("Theorem 3.8", "exact", "difference")
	all[0].InTable, all[1].InTable = true, true
	for _, k := range []int{10, 100, 1000, 10_000, 100_000, 1_000_000} {
		allowed := register.Must(impl.LaplaceError(k, beta, rat.One, eps))
		exact := register.Must(impl.ExactLaplaceError(k, beta, rat.One, eps))
		all.Add(rat.Int(k), allowed, exact, precise.Sub(allowed, exact))
	}
	return register.Figure{
		ID: "AFD-E3.3", Name: "names", Title: "How far Theorem 3.8 is above the largest error of k noisy counts, " +
			"ε = 1, with probability 95 %", X: "k", Y: "difference of errors", LogX: true, Curves: all,
		Note: "Print has 10,000 first names: with probability 95 % no estimate is off by more than ln(10000/.05) " +
			"≈ 12.2, which is 12.2061. The exact number is 12.1806: the union bound costs less than 0.03, " +
			"for any number of names, and nothing for k = 1.",
	}, nil
}

// figureOfPumpkins is Example 3.5.
func figureOfPumpkins(context.Context) (register.Figure, error) {
	bids, all := rat.List("1", "1", "1", "3.01"), register.Labelled("in print", "computed")
	for _, p := range []struct{ price, printed string }{{"1", "3"}, {"3", "3"}, {"3.01", "3.01"}, {"3.02", "0"}} {
		price := rat.Of(p.price)
		all.Add(price, precise.Rat(rat.Of(p.printed)), precise.Rat(impl.Revenue(bids, price)))
	}
	return register.Figure{
		ID: "AFD-E3.5", Name: "pumpkins", Title: "Revenue from pumpkins by price", X: "price", Y: "revenue", Bare: true,
		Curves: all,
		Note: "Three bidders bid 1.00 and one 3.01. At 1.00 all four of them buy: the revenue is 4.00, " +
			"not 3.00 as in print, and it is the largest. Just above 1.00 it falls to 1.00, as one bidder is left, " +
			"and rises with the price to 3.01; above that it is 0.",
	}, nil
}

// figureOfTwo is Example 3.6 for ε = 1.
func figureOfTwo(context.Context) (register.Figure, error) {
	all := register.Labelled("Corollary 3.12, at most 1", "exponential mechanism",
		"Report Noisy Max", "one-sided arg-max")
	for c := 1; c <= 12; c++ {
		counts := rats(0, c)
		exponential := register.Must(impl.ExponentialLaw(counts, rat.One, loss.Nats(rat.One)))
		noisy := noisyMaxLaw(counts, rat.One, 1e-9)
		bound := precise.Mul(precise.Int(2), precise.ExpRat(rat.Quo(rat.Int(-c), rat.Of("2"))))
		all.Add(rat.Int(c), interval.Min(bound, precise.Int(1)), exponential[0], noisy[0], oneSided(c))
	}
	return register.Figure{
		ID: "AFD-E3.6", Name: "best-of-two", Title: "Probability that A is named, of which the count is c less, ε = 1",
		X: "c", Y: "probability", LogY: true, Curves: all,
		Note: "Print bounds the probability for the exponential mechanism by 2e^(−cε/2), by Corollary 3.12, " +
			"which is more than 1 for c = 1; it is 1/(1 + e^(cε/2)). With Report Noisy Max it is (2 + cε)e^(−cε)/4, " +
			"and with one-sided noise of mean 1/ε, which counts allow, e^(−cε)/2.",
	}, nil
}

// oneSided returns the probability with which one-sided arg-max names the first of the counts 0 and c, for ε = 1: it
// falls in e^ε.
func oneSided(c int) interval.Interval {
	e, counts := precise.ExpRat(rat.One), []int{0, c}
	low, high := impl.OneSidedLaw(rat.Exact(e.Upper), counts)[0], impl.OneSidedLaw(rat.Exact(e.Lower), counts)[0]
	return interval.New(precise.Rat(low).Lower, precise.Rat(high).Upper)
}

// figureOfLifetime is Example 3.7 for other numbers of databases.
func figureOfLifetime(ctx context.Context) (register.Figure, error) {
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
				return register.Figure{}, err
			}
			ys = append(ys, eps.Bounds(128))
		}
		best, err := impl.OptComp(ctx, ms, delta, impl.Options{RelWidth: 1e-6})
		if err != nil {
			return register.Figure{}, err
		}
		all.Add(rat.Int(k), append(ys, best.Eps)...)
	}
	return register.Figure{
		ID: "AFD-E3.7", Name: "lifetime", Title: "Cumulative ε of k databases, each (1/801, 0)-DP, δ = e^(−32)", X: "k",
		Y: "ε", Curves: all,
		Note: "Print says that for k = 10,000 and ε_0 = 1/801 the cumulative loss is at most 1 by Theorem 3.20. " +
			"The theorem gives 1.0143, as its second term was forgotten; 1/813 suffices by it. " +
			"By optimal composition 1/801 does. Basic composition gives k/801, which is 12.484 for k = 10,000.",
	}, nil
}

// figureOfSparse compares Theorems 3.26 and 3.28 with what answers on both sides of the threshold need.
func figureOfSparse(context.Context) (register.Figure, error) {
	all := register.Labelled("Sparse, Theorem 3.26", "Sparse, exact", "NumericSparse, Theorem 3.28",
		"NumericSparse, exact")
	for _, k := range []int{10, 100, 1000, 10_000, 100_000, 1_000_000} {
		s := impl.SparseSetting{Queries: k, Above: 10, Beta: rat.Of("0.05"), Eps: rat.One, Delta: rat.Of("1e-6")}
		all.Add(rat.Int(k), impl.SparseAccuracy(k, s.Above, s.Beta, s.Eps, s.Delta), impl.ExactSparseAccuracy(s),
			impl.NumericSparseAccuracy(k, s.Above, s.Beta, s.Eps, s.Delta), impl.ExactNumericSparseAccuracy(s))
	}
	return register.Figure{
		ID: "AFD-T3.26", Name: "sparse", Title: "Error α of Sparse and NumericSparse over k queries, c = 10 above, " +
			"ε = 1, δ = 1e-6, β = 0.05", X: "k", Y: "α", LogX: true, Curves: all,
		Note: "Not in print. The theorems bound the noise by parts, half of α for threshold and queries each. " +
			"Exact is the worst list of answers just below T − α and just above T + α, " +
			"where a run may end with the last of these. Up to k = 1000, Theorem 3.28 allows less than the ten " +
			"numbers that NumericSparse releases need by themselves: it is wrong there.",
	}, nil
}
