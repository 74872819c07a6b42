package selection

import (
	"fmt"
	"math/big"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lowerBound are the statements of Appendix D.
func lowerBound() register.Checks {
	return register.Checks{
		"PSC-TD.2": register.Checked(usefulAnyway,
			register.NearMiss("ln K ≥ (1 − 3α)ε/(3α²), ε̂ < (2 − 3α)ε", forLarge("3")),
			register.Corrected("if ln K ≥ (1 − 3α)ε/(3α²), by the steps of the proof", forLarge("6")),
		),
		"PSC-TD.2.s1": register.Checked(dominant(rat.One),
			register.NearMiss("(19/20·K^−α)-dominant", dominant(nearly)),
		),
		"PSC-TD.2.s2": register.Checked(extends(rat.One),
			register.NearMiss("within 19/20 of that", extends(nearly)),
		),
		"PSC-TD.2.s3": register.Checked(someRare(rat.One),
			register.NearMiss("at most 19/20 of 1/K", someRare(nearly)),
		),
		"PSC-TD.2.s4": register.Checked(largeK("6", rat.One),
			register.Control("at least 2ε", largeK("0", rat.One)),
			register.NearMiss("from a hundredth of that on", largeK("6", rat.Of("1/100"))),
		),
	}
}

// crowds goes through K = m^8 and α = a/8, for which K^α is a number.
func crowds(t *register.T, visit func(k, root, small *big.Rat, at string)) {
	t.Domain("K in {1, 2^8, 3^8, 10^8}, α in {1/8, 1/4, 3/8}")
	for _, m := range rat.List("1", "2", "3", "10") {
		for a := 1; a <= 3; a++ {
			t.Case()
			k := rat.Power(m, 8)
			visit(k, rat.Power(m, 4), rat.Power(m, a), fmt.Sprintf("K = %s, α = %d/8", rat.Show(k), a)) // K, √K, K^α
		}
	}
}

// dominant checks that j is share·K^−α-dominant on D_j: m_j = 1 and the others 0 is enough, and its probability at
// least 1 − Σ.
func dominant(share *big.Rat) register.Check {
	return func(t *register.T) {
		crowds(t, func(k, _, small *big.Rat, at string) {
			own, other := rat.Quo(rat.Half, small), rat.Quo(rat.Half, rat.Mul(k, small))
			fails := rat.Add(own, rat.Mul(rat.Sub(k, rat.One), other))
			if most := rat.Quo(share, small); fails.Cmp(most) > 0 {
				t.Refute("%s: another index may be the largest with probability %s, claimed is %s at most", at, rat.Show(fails),
					rat.Show(most))
			}
			t.CloseTo(fails, rat.Quo(rat.One, small), "%s", at)
		})
	}
}

// extends checks the ratios between D_0 and D_j.
func extends(share *big.Rat) register.Check {
	return func(t *register.T) {
		crowds(t, func(k, root, small *big.Rat, at string) {
			none, own, other := rat.Quo(rat.Half, root), rat.Complement(rat.Quo(rat.Half, small)),
				rat.Quo(rat.Half, rat.Mul(k, small))
			most := rat.Product(share, root, small)
			for _, p := range []*big.Rat{own, other} {
				for _, pair := range [][2]*big.Rat{{none, p}, {rat.Complement(none), rat.Complement(p)}} {
					ratio := rat.Quo(pair[0], pair[1])
					if ratio = rat.Max(ratio, new(big.Rat).Inv(ratio)); ratio.Cmp(most) > 0 {
						t.Refute("%s: probabilities %s, claimed are within %s", at, rat.Show(pair[0], pair[1]), rat.Show(most))
					}
					t.CloseTo(ratio, rat.Mul(root, small), "%s", at)
				}
			}
		})
	}
}

// someRare checks that one of K probabilities is a share of 1/K at most.
func someRare(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("all laws over K in {1, 2, 3, 4} indices with probabilities in multiples of 1/6; then e^(−Δε̂)/K^α ≤ " +
			"1/K for them")
		for k := 1; k <= 4; k++ {
			for law := range oracles(k, 6) {
				t.Case()
				if least := rat.Min(law...); least.Cmp(rat.Quo(share, rat.Int(k))) > 0 {
					t.Refute("Pr[M(D_0) = i] = (%v): the least is %s", law, rat.Show(least))
				}
				t.CloseTo(rat.Min(law...), big.NewRat(1, int64(k)), "Pr[M(D_0) = i] = (%v)", law)
			}
		}
	}
}

// usefulAnyway finds a mechanism that is useful, and more private than the theorem allows: with probability 1/3 the
// index that is the most likely to be the largest, else any.
func usefulAnyway(t *register.T) {
	t.Domain("K = 4^m for α = 1/m, m in {4, 10}; ε in {1, 10, 100}: an index that is the largest with probability 1 − " +
		"K^−α = 3/4, and the laws of the output")
	for _, m := range []int{4, 10} {
		for _, eps := range rat.List("1", "10", "100") {
			t.Case()
			k, gamma := rat.Power(rat.Int(4), m), rat.Of("1/4")
			any := rat.Quo(rat.Of("2/3"), k) // of an index that was not drawn
			useful := rat.Add(rat.Mul(rat.Complement(gamma), rat.Of("1/3")), any)
			most := rat.Quo(rat.Add(rat.Of("1/3"), any), any) // of the ratio of two probabilities of an index
			claimed := rat.Mul(rat.Sub(rat.Int(2), big.NewRat(6, int64(m))), eps)
			if useful.Cmp(gamma) >= 0 && precise.Log(most).Upper.Cmp(exactly(claimed).Lower) < 0 {
				t.Refute("K = %s, α = 1/%d, ε = %s: it returns a dominant index with probability %s, and is %.6g-DP, less than %s",
					rat.Show(k), m, rat.Show(eps), rat.Show(useful), precise.Log(most).Upper, rat.Show(claimed))
			}
		}
	}
}

// forLarge is the theorem where K is large, by its steps; times is the 6 in 2 − 6α.
func forLarge(times string) register.Check { return largeK(times, rat.One) }

// largeK checks (1 − α)·ln K/⌈(1/2 + α)·ln K/ε⌉ ≥ (2 − times·α)ε from a share of (1 − 3α)ε/(3α²) on.
func largeK(times string, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("α in {1/100, 1/10, 1/4}, ε in {1/100, 1, 10}; 200 values of ln K from the bound to 4 times as much")
		for _, alpha := range rat.List("1/100", "1/10", "1/4") {
			for _, eps := range rat.List("1/100", "1", "10") {
				least := rat.Quo(rat.Mul(rat.Complement(rat.Mul(rat.Int(3), alpha)), eps), rat.Product(rat.Int(3), alpha, alpha))
				for i := range 200 {
					t.Case()
					log := rat.Product(share, least, rat.Add(rat.One, big.NewRat(int64(3*i), 199)))
					steps := rat.Quo(rat.Mul(rat.Add(rat.Half, alpha), log), eps)
					up := new(big.Int).Quo(steps.Num(), steps.Denom())
					if !steps.IsInt() {
						up.Add(up, big.NewInt(1))
					}
					got := rat.Quo(rat.Mul(rat.Complement(alpha), log), new(big.Rat).SetInt(up))
					want := rat.Mul(rat.Sub(rat.Int(2), rat.Mul(rat.Of(times), alpha)), eps)
					if got.Cmp(want) < 0 {
						t.Refute("α = %s, ε = %s, ln K = %s: ε̂ ≥ %s, claimed is %s", rat.Show(alpha), rat.Show(eps), rat.Show(log),
							rat.Show(got), rat.Show(want))
					}
					t.CloseTo(want, got, "α = %s, ε = %s, ln K = %s", rat.Show(alpha), rat.Show(eps), rat.Show(log))
				}
			}
		}
	}
}
