package odp

import (
	"math/big"
	"sync"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify"
)

var sparseRelease = []verify.Statement{
	{
		ID:      "ODP-X12",
		Title:   "With ε_3' = ε_3 + ((c − c')/c)·ε_2 for the values, ε_t is used up exactly; if c' < c, then ε_3' > ε_3",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note:    "the second part needs ε_2 > 0, as the noise does: with ε_2 = 0 it is ε_3' = ε_3. With c' = 0 nothing is released, and ε_2 + ε_3 is left over",
		In:      []string{"spec.SparseRelease", "impl.SparseRelease"},
		Check:   sparseReleaseSpends(spec.SparseRelease, 1),
		Controls: []verify.Claim{
			{Says: "with ε_2 = 0 too", Check: sparseReleaseSpends(spec.SparseRelease, 0)},
			{Says: "with ε_3' = ε_3 + (c − c')·ε_2", Check: sparseReleaseSpends(variantRelease(false, true), 1)},
			{Says: "with ε_3'/c for each entry", Check: sparseReleaseSpends(variantRelease(true, false), 1)},
		},
	},
	{
		ID:      "ODP-F1",
		Title:   "Figure 1: with ODP there is less noise, in expectation, if fewer than c entries are large",
		Kind:    verify.Certified,
		Verdict: verify.Holds,
		Note: "the noise is the standard deviation √2·Δ/ε for the ε of one released entry, and 0 if none is released. " +
			"Print plots an upper bound by Chebyshev's inequality and does not say which; here it is checked that the expectation itself, " +
			"and a bound by that inequality on the number of small entries that are released, are below the noise without ODP, that both increase, " +
			"and that a small entry is released with probability 0.00172679, rounded, as the authors' notebook prints",
		In:    []string{"impl.Figure1", "impl.SparseReleaseNoise", "impl.SparseReleaseNoiseBound", "impl.SparseReleaseNoiseDP"},
		Check: figure1(figureClaim{below: one, bound: one, released: rational("0.00172679")}),
		Controls: []verify.Claim{
			{Says: "there is at most nine tenths of the noise", Check: figure1(figureClaim{below: rational("9/10"), bound: one, released: rational("0.00172679")})},
			{Says: "a quarter of what Chebyshev's inequality adds to the noise of the large entries is a bound", Check: figure1(figureClaim{below: one, bound: rational("1/4"), released: rational("0.00172679")})},
			{Says: "a small entry is released with probability 0.00172670", Check: figure1(figureClaim{below: one, bound: one, released: rational("0.00172670")})},
		},
	},
}

// releaser is the type of spec.SparseRelease.
type releaser = func(eps2, eps3 *big.Rat, c, released int) (left, each *big.Rat, err error)

// variantRelease returns a wrong budget: each entry gets a share of c, or ε_2 is not divided by c.
func variantRelease(shareOfC, undivided bool) releaser {
	return func(eps2, eps3 *big.Rat, c, released int) (left, each *big.Rat, err error) {
		if undivided {
			eps2 = new(big.Rat).Mul(eps2, big.NewRat(int64(c), 1))
		}
		left, each, err = spec.SparseRelease(eps2, eps3, c, released)
		if shareOfC && each != nil {
			each.Quo(left, big.NewRat(int64(c), 1))
		}
		return left, each, err
	}
}

// sparseReleaseSpends checks the budget of a sparse vector release, for ε_2 ≥ least/4.
func sparseReleaseSpends(release releaser, least int64) verify.Check {
	return func(t *verify.T) {
		n, m := t.Size(6, 25), int64(t.Size(4, 10))
		t.Domain("c ≤ %d, all c', ε_1, ε_2 and ε_3 multiples of 1/4 up to %d/4, ε_2 ≥ %d/4", n, m, least)
		for c := 1; c <= n; c++ {
			for released := range c + 1 {
				for code := range m * m * m {
					eps1, eps2, eps3 := big.NewRat(1+code%m, 4), big.NewRat(least+code/m%m, 4), big.NewRat(1+code/m/m, 4)
					t.Case()
					left, each, err := release(eps2, eps3, c, released)
					t.Must(err)
					spent := must(spec.SparseVectorCharge(eps1, eps2, c, released))
					if each != nil {
						spent.Add(spent, new(big.Rat).Mul(each, big.NewRat(int64(released), 1)))
					} else {
						spent.Add(spent, left)
					}
					total := new(big.Rat).Add(eps1, new(big.Rat).Add(eps2, eps3))
					if spent.Cmp(total) != 0 || released < c && left.Cmp(eps3) <= 0 {
						t.Refute("ε_1 = %s, ε_2 = %s, ε_3 = %s, c = %d, c' = %d: ε_3' = %s, spent %s of %s",
							show(eps1), show(eps2), show(eps3), c, released, show(left), show(spent), show(total))
					}
				}
			}
		}
	}
}

// curves are those of Figure 1, by the number of large entries.
type curves struct {
	noise, bound []impl.Interval
	dp           impl.Interval
	released     impl.Interval // probability that one small entry is
}

// figure1Curves computes them once: all claims are about the same numbers.
var figure1Curves = sync.OnceValues(func() (curves, error) {
	s := impl.Figure1()
	n := s.C + 1
	all := curves{noise: make([]impl.Interval, n), bound: make([]impl.Interval, n)}
	errs := make([]error, 2*n+2)
	var workers sync.WaitGroup
	for large := range n {
		workers.Go(func() {
			all.noise[large], errs[large] = impl.SparseReleaseNoise(s, large, 1e-9)
			all.bound[large], errs[n+large] = impl.SparseReleaseNoiseBound(s, large, 1e-9)
		})
	}
	workers.Wait()
	all.dp, errs[2*n] = impl.SparseReleaseNoiseDP(s)
	law := must(impl.NewSparseVectorLaw(s.Delta, s.C, s.Eps1, s.Eps2))
	all.released, errs[2*n+1] = law.Probability([]impl.Comparison{{Query: s.Small, Threshold: s.Threshold, Above: true}}, 1e-12)
	for _, err := range errs {
		if err != nil {
			return curves{}, err
		}
	}
	return all, nil
})

// figureClaim is what is claimed of Figure 1.
type figureClaim struct {
	below    *big.Rat // the noise with ODP is below this times the one without
	bound    *big.Rat // the bound is one with this times what it adds to the noise of the large entries
	released *big.Rat // rounded to eight digits after the point, the probability that a small entry is released
}

// figure1 checks a claim. The curves are certified, so comparisons are between ends.
func figure1(claim figureClaim) verify.Check {
	return func(t *verify.T) {
		t.Domain("dimension 100, entries 0 or 1000, T = 500, c = 20, ε_1 = 0.0393823, ε_2 = 0.4606177, ε_3 = 1/2, Δ = 1, 0 to 20 large entries")
		all, err := figure1Curves()
		t.Must(err)
		for large, noise := range all.noise {
			t.Case()
			limit := new(big.Float).Mul(all.dp.Lower, new(big.Float).SetPrec(200).SetRat(claim.below))
			if large < 20 && noise.Upper.Cmp(limit) >= 0 {
				t.Refute("%d large entries: noise with ODP %.10g, limit %.10g, without ODP %.10g", large, noise.Upper, limit, all.dp.Lower)
			}
			if bound := claim.scaled(large, all.bound[large].Upper); noise.Lower.Cmp(bound) > 0 {
				t.Refute("%d large entries: expectation %.10g, bound %.10g", large, noise.Lower, bound)
			}
			if all.bound[large].Lower.Cmp(all.dp.Upper) > 0 {
				t.Refute("%d large entries: bound %.10g, noise without ODP %.10g", large, all.bound[large].Lower, all.dp.Upper)
			}
			if large > 0 && (noise.Lower.Cmp(all.noise[large-1].Upper) <= 0 || all.bound[large].Lower.Cmp(all.bound[large-1].Upper) <= 0) {
				t.Refute("%d large entries: noise %.10g, bound %.10g, no more than with %d", large, noise.Lower, all.bound[large].Lower, large-1)
			}
		}
		rounding := big.NewRat(5, 1e9)
		if !above(all.released, new(big.Rat).Sub(claim.released, rounding)) || !below(all.released, new(big.Rat).Add(claim.released, rounding)) {
			t.Refute("a small entry is released with probability %.12g, claimed %s", all.released.Lower, claim.released.FloatString(8))
		}
	}
}

// scaled returns the claimed bound. All but the bound itself is for controls, and rounded.
func (claim figureClaim) scaled(large int, bound *big.Float) *big.Float {
	if claim.bound.Cmp(one) == 0 {
		return bound
	}
	s := impl.Figure1()
	_, each, err := spec.SparseRelease(s.Eps2, s.Eps3, s.C, large)
	base := new(big.Float).SetPrec(200)
	if each = must(each, err); each != nil {
		base.Sqrt(big.NewFloat(2)).Quo(base, new(big.Float).SetPrec(200).SetRat(each))
	}
	added := new(big.Float).Sub(bound, base)
	return added.Add(base, added.Mul(added, new(big.Float).SetRat(claim.bound)))
}
