package selection

import (
	"fmt"
	"math/big"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lowerBound are the statements of Appendix D.
func lowerBound() []register.Statement {
	return []register.Statement{
		opinion("PSC-X22", "At least K calls are needed, and Õ(K) are made; with ε-DP inputs the guarantee is 2ε + ε' for ε' arbitrarily small; NoisyMax with Lap(S/ε) is 2ε-DP", "Appendix D, its first lines",
			"What O( ) hides is open, and that K calls are needed is said of all algorithms. The losses of the algorithms are checked as PSC-T3.1b and PSC-T4.7a, noisy max in the register of the book (AFD)."),
		{
			ID: "PSC-D.1", Title: "i^* is γ-dominant on D if Pr[argmax_i m_i = i^*] ≥ 1 − γ; M is γ-weakly useful if Pr[M(D) = i^*] ≥ γ wherever i^* is γ-dominant", Printed: "Definition D.1",
			Kind: register.Definition, Verdict: register.NotCheckable, Note: "A definition.",
		},
		{
			ID: "PSC-TD.2", Title: "If M is γ-weakly useful for γ = K^−α, small enough α > 0, it cannot be ε̂-DP for any ε̂ < (2 − 6α)ε", Printed: "Theorem D.2",
			Kind: register.Exact, Verdict: register.Fails, Weight: register.Edge,
			Note:      "K has to be large beside ε, too: to return the most likely index with probability 1/3 and any other uniformly is useful for K^−α = 1/4 whatever the candidates are, and ln(K/2 + 1)-DP. No function of spec is part of it.",
			Check:     usefulAnyway,
			Near:      []register.Claim{{Says: "ln K ≥ (1 − 3α)ε/(3α²), ε̂ < (2 − 3α)ε", Check: forLarge("3")}},
			Corrected: &register.Claim{Says: "if ln K ≥ (1 − 3α)ε/(3α²), by the steps of the proof", Check: forLarge("6")},
		},
		{
			ID: "PSC-TD.2.s1", Title: "p_i(D_0) = 1/(2√K), p_i(D_j) = 1 − 1/(2K^α) if i = j, else 1/(2K^(1+α)): j is K^−α-dominant on D_j", Printed: "Proof of Theorem D.2",
			Reading: "That D_j has a dominant index is what the construction is for.",
			Kind:    register.Exact, Verdict: register.Holds, Note: "No function of spec is part of it.",
			Check:    dominant(rat.One),
			Controls: []register.Claim{{Says: "(K^−α/2)-dominant", Check: dominant(rat.Half)}},
			Near:     []register.Claim{{Says: "(19/20·K^−α)-dominant", Check: dominant(nearly)}},
		},
		{
			ID: "PSC-TD.2.s2", Title: "With Δ = ⌈(1/2 + α)·ln K/ε⌉ between D_0 and D_i the M_i extend to ε-DP: probabilities are within K^(1/2 + α)", Printed: "Proof of Theorem D.2",
			Reading: "Laws within e^(εΔ) have ε-DP ones between them at Δ steps.",
			Kind:    register.Exact, Verdict: register.Holds, Note: "No function of spec is part of it.",
			Check:    extends(rat.One),
			Controls: []register.Claim{{Says: "within half of that", Check: extends(rat.Half)}},
			Near:     []register.Claim{{Says: "within 19/20 of that", Check: extends(nearly)}},
		},
		{
			ID: "PSC-TD.2.s3", Title: "Pr[M(D_i) = i] ≥ 1/K^α, Pr[M(D_0) = i] ≥ e^(−Δε̂)/K^α, and Pr[M(D_0) = i] ≤ 1/K for some i", Printed: "Proof of Theorem D.2",
			Kind: register.Exact, Verdict: register.Holds, Note: "No function of spec is part of it.",
			Check:    someRare(rat.One),
			Controls: []register.Claim{{Says: "at most 1/(2K)", Check: someRare(rat.Half)}},
			Near:     []register.Claim{{Says: "at most 19/20 of 1/K", Check: someRare(nearly)}},
		},
		{
			ID: "PSC-TD.2.s4", Title: "−ln K ≥ −Δε̂ − α·ln K just if ε̂ ≥ (1 − α)·ln K/⌈(1/2 + α)·ln K/ε⌉; for large K that is at least 2(1 − 3α)ε", Printed: "Proof of Theorem D.2",
			Reading: "Large is ln K ≥ (1 − 3α)ε/(3α²), from where on it is so.",
			Kind:    register.Exact, Verdict: register.Holds, Note: "No function of spec is part of it.",
			Check:    largeK("6", rat.One),
			Controls: []register.Claim{{Says: "at least 2ε", Check: largeK("0", rat.One)}},
			Near:     []register.Claim{{Says: "from a hundredth of that on", Check: largeK("6", rat.Of("1/100"))}},
		},
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

// dominant checks that j is share·K^−α-dominant on D_j: m_j = 1 and the others 0 is enough, and its probability at least 1 − Σ.
func dominant(share *big.Rat) register.Check {
	return func(t *register.T) {
		crowds(t, func(k, _, small *big.Rat, at string) {
			own, other := rat.Quo(rat.Half, small), rat.Quo(rat.Half, rat.Mul(k, small))
			fails := rat.Add(own, rat.Mul(rat.Sub(k, rat.One), other))
			if most := rat.Quo(share, small); fails.Cmp(most) > 0 {
				t.Refute("%s: another index may be the largest with probability %s, claimed is %s at most", at, rat.Show(fails), rat.Show(most))
			}
			t.CloseTo(fails, rat.Quo(rat.One, small), "%s", at)
		})
	}
}

// extends checks the ratios between D_0 and D_j.
func extends(share *big.Rat) register.Check {
	return func(t *register.T) {
		crowds(t, func(k, root, small *big.Rat, at string) {
			none, own, other := rat.Quo(rat.Half, root), rat.Complement(rat.Quo(rat.Half, small)), rat.Quo(rat.Half, rat.Mul(k, small))
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
		t.Domain("all laws over K in {1, 2, 3, 4} indices with probabilities in multiples of 1/6; then e^(−Δε̂)/K^α ≤ 1/K for them")
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

// usefulAnyway finds a mechanism that is useful, and more private than the theorem allows: with probability 1/3 the index that is the
// most likely to be the largest, else any.
func usefulAnyway(t *register.T) {
	t.Domain("K = 4^m for α = 1/m, m in {4, 10}; ε in {1, 10, 100}: an index that is the largest with probability 1 − K^−α = 3/4, and the laws of the output")
	for _, m := range []int{4, 10} {
		for _, eps := range rat.List("1", "10", "100") {
			t.Case()
			k, gamma := rat.Power(rat.Int(4), m), rat.Of("1/4")
			any := rat.Quo(rat.Of("2/3"), k) // of an index that was not drawn
			useful := rat.Add(rat.Mul(rat.Complement(gamma), rat.Of("1/3")), any)
			most := rat.Quo(rat.Add(rat.Of("1/3"), any), any) // of the ratio of two probabilities of an index
			claimed := rat.Mul(rat.Sub(rat.Int(2), big.NewRat(6, int64(m))), eps)
			if useful.Cmp(gamma) >= 0 && precise.Log(most).Upper.Cmp(exactly(claimed).Lower) < 0 {
				t.Refute("K = %s, α = 1/%d, ε = %s: it returns a dominant index with probability %s, and is %.6g-DP, less than %s", rat.Show(k), m, rat.Show(eps), rat.Show(useful), precise.Log(most).Upper, rat.Show(claimed))
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
						t.Refute("α = %s, ε = %s, ln K = %s: ε̂ ≥ %s, claimed is %s", rat.Show(alpha), rat.Show(eps), rat.Show(log), rat.Show(got), rat.Show(want))
					}
					t.CloseTo(want, got, "α = %s, ε = %s, ln K = %s", rat.Show(alpha), rat.Show(eps), rat.Show(log))
				}
			}
		}
	}
}
