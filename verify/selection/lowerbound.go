package selection

import (
	"fmt"
	"math/big"

	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lowerBound are the statements of Appendix D.
func lowerBound() register.Checks {
	return register.Checks{
		"PSC-TD.2": register.Checked(usefulAnyway,
			register.NearMiss("ln K ≥ (1 − 3α)ε/(3α²), ε̂ < (2 − 3α)ε", largeK(3).with("1")),
			register.Corrected("if ln K ≥ (1 − 3α)ε/(3α²), by the steps of the proof", largeK(6).with("1")),
		),
		"PSC-TD.2.s1": tight(dominant, "19/20", "(19/20·K^−α)-dominant"),
		"PSC-TD.2.s2": tight(extends, "19/20", "within 19/20 of that"),
		"PSC-TD.2.s3": tight(someRare, "19/20", "at most 19/20 of 1/K"),
		"PSC-TD.2.s4": tight(largeK(6), "1/100", "from a hundredth of that on"),
	}
}

// crowds goes through K = m^8 and α = a/8, for which K^α is a number.
func crowds(t *register.T, visit func(at string, k, root, small *big.Rat)) {
	for _, x := range finite.Grid(t, "K = m^8 for m in {1, 2, 3, 10}, α = a/8 for a in {1, 2, 3}") {
		t.Case()
		k := rat.Power(x[0], 8)
		visit(fmt.Sprintf("K = %s, α = %s/8", rat.Show(k), rat.Show(x[1])), k, rat.Power(x[0], 4), // √K, K^α
			rat.Power(x[0], whole(x[1])))
	}
}

// dominant checks that j is share·K^−α-dominant on D_j: m_j = 1 and the others 0 is enough, and its probability at
// least 1 − Σ.
func dominant(t *register.T, share *big.Rat) {
	crowds(t, func(at string, k, _, small *big.Rat) {
		own, other := rat.Quo(rat.Half, small), rat.Quo(rat.Half, rat.Mul(k, small))
		within(t, at, "the probability that another index is the largest", rat.Add(own, rat.Mul(rat.Sub(k, rat.One), other)),
			share, new(big.Rat).Inv(small))
	})
}

// extends checks the ratios between D_0 and D_j.
func extends(t *register.T, share *big.Rat) {
	crowds(t, func(at string, k, root, small *big.Rat) {
		none := rat.Quo(rat.Half, root)
		for _, p := range []*big.Rat{rat.Complement(rat.Quo(rat.Half, small)), rat.Quo(rat.Half, rat.Mul(k, small))} {
			for _, ratio := range []*big.Rat{rat.Quo(none, p), rat.Quo(rat.Complement(none), rat.Complement(p))} {
				within(t, at, "the ratio of two probabilities", rat.Max(ratio, new(big.Rat).Inv(ratio)), share, rat.Mul(root,
					small))
			}
		}
	})
}

// someRare checks that one of K probabilities is a share of 1/K at most.
func someRare(t *register.T, share *big.Rat) {
	t.Domain("all laws over K in {1, 2, 3, 4} indices with probabilities in multiples of 1/6; then e^(−Δε̂)/K^α ≤ " +
		"1/K for them")
	for k := 1; k <= 4; k++ {
		for law := range oracles(k, 6) {
			t.Case()
			within(t, fmt.Sprintf("Pr[M(D_0) = i] = (%v)", law), "the least", rat.Min(law...), share, big.NewRat(1, int64(k)))
		}
	}
}

// usefulAnyway finds a mechanism that is useful, and more private than the theorem allows: with probability 1/3 the
// index that is the most likely to be the largest, else any.
func usefulAnyway(t *register.T) {
	for at, x := range finite.Grid(t, "K = 4^m for α = 1/m, m in {4, 10}; ε in {1, 10, 100}: an index that is the "+
		"largest with probability 1 − K^−α = 3/4, and the laws of the output") {
		t.Case()
		k, gamma := rat.Power(rat.Int(4), whole(x[0])), rat.Of("1/4")
		any := rat.Quo(rat.Of("2/3"), k) // of an index that was not drawn
		useful := rat.Add(rat.Mul(rat.Complement(gamma), rat.Of("1/3")), any)
		lost := ln(rat.Quo(rat.Add(rat.Of("1/3"), any), any)) // of an index
		claimed := rat.Mul(rat.Sub(rat.Int(2), rat.Quo(rat.Int(6), x[0])), x[1])
		if useful.Cmp(gamma) >= 0 && lost.Upper.Cmp(num(claimed).Lower) < 0 {
			t.Refute("%s: it returns a dominant index with probability %s, and is %.6g-DP, less than %s", at, rat.Show(useful),
				lost.Upper, rat.Show(claimed))
		}
	}
}

// largeK checks (1 − α)·ln K/⌈(1/2 + α)·ln K/ε⌉ ≥ (2 − times·α)ε from a share of (1 − 3α)ε/(3α²) on.
func largeK(times int) claim {
	return func(t *register.T, share *big.Rat) {
		for at, x := range finite.Grid(t, "α in {1/100, 1/10, 1/4}, ε in {1/100, 1, 10}; 200 values of ln K from the bound "+
			"to 4 times as much") {
			alpha, eps := x[0], x[1]
			least := rat.Quo(rat.Mul(rat.Complement(rat.Mul(rat.Int(3), alpha)), eps), rat.Product(rat.Int(3), alpha, alpha))
			for i := range 200 {
				t.Case()
				log := rat.Product(share, least, rat.Add(rat.One, big.NewRat(int64(3*i), 199)))
				steps := rat.Quo(rat.Mul(rat.Add(rat.Half, alpha), log), eps)
				up := new(big.Int).Quo(steps.Num(), steps.Denom())
				if !steps.IsInt() {
					up.Add(up, big.NewInt(1))
				}
				within(t, at+", ln K = "+rat.Show(log), "the least ε̂", rat.Mul(rat.Sub(rat.Int(2), rat.Mul(rat.Int(times),
					alpha)), eps),
					rat.One, rat.Quo(rat.Mul(rat.Complement(alpha), log), new(big.Rat).SetInt(up)))
			}
		}
	}
}
