package odp

import (
	"math/big"

	"checkrr/spec"
	"checkrr/verify"
)

var privacy = []verify.Statement{
	{
		ID:      "ODP-L3",
		Title:   "An (ε, δ)-DP mechanism is (𝒫, ℰ, δ)-ODP for every partition, with ℰ ≡ ε",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		In:      []string{"spec.SmallestDPDelta", "spec.SmallestDelta"},
		Check:   dpGivesODP(func(expEps *big.Rat, _ int) *big.Rat { return expEps }),
		Controls: []verify.Claim{{
			Says: "it is, with ℰ = ε on the first part and 0 on the others",
			Check: dpGivesODP(func(expEps *big.Rat, k int) *big.Rat {
				if k == 0 {
					return expEps
				}
				return one
			}),
		}},
	},
	{
		ID:      "ODP-L4",
		Title:   "A (𝒫, ℰ, δ)-ODP mechanism is (sup ℰ, δ)-DP",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		In:      []string{"spec.SmallestDPDelta", "spec.SmallestDelta"},
		Check:   odpGivesDP(largest),
		Controls: []verify.Claim{
			{Says: "it is (min ℰ, δ)-DP", Check: odpGivesDP(smallest)},
		},
	},
}

// dpGivesODP checks that a pair of laws that is (ε, δ)-DP is (𝒫, ℰ, δ)-ODP with e^ℰ(P_k) = expE(e^ε, k).
func dpGivesODP(expE func(expEps *big.Rat, k int) *big.Rat) verify.Check {
	return func(t *verify.T) {
		m, d := t.Size(3, 4), t.Size(4, 5)
		t.Domain("all pairs of laws over %d outputs with probabilities in 1/%d, all partitions, e^ε in {1, 3/2, 3}", m, d)
		for pair := range pairs(m, d) {
			for p := range partitions(m) {
				for _, expEps := range charges {
					t.Case()
					e := p.charge(func(k int) *big.Rat { return expE(expEps, k) })
					delta := must(spec.SmallestDPDelta(pair[0], pair[1], expEps))
					if got := must(spec.SmallestDelta(pair[0], pair[1], p.part, e)); got.Cmp(delta) > 0 {
						t.Refute("%v: e^ε = %s needs δ = %s; %v with e^ℰ = %s needs δ = %s",
							pair, show(expEps), show(delta), p, show(e...), show(got))
					}
				}
			}
		}
	}
}

// odpGivesDP checks that a pair of laws that is (𝒫, ℰ, δ)-ODP is (ε, δ)-DP with e^ε = expEps(e^ℰ).
func odpGivesDP(expEps func(expE []*big.Rat) *big.Rat) verify.Check {
	return func(t *verify.T) {
		m, d := t.Size(3, 4), t.Size(4, 5)
		t.Domain("all pairs of laws over %d outputs with probabilities in 1/%d, all partitions, e^ℰ in {1, 3/2, 3}", m, d)
		for pair := range pairs(m, d) {
			for p := range partitions(m) {
				for e := range p.charges() {
					t.Case()
					delta := must(spec.SmallestDelta(pair[0], pair[1], p.part, e))
					eps := expEps(e)
					if got := must(spec.SmallestDPDelta(pair[0], pair[1], eps)); got.Cmp(delta) > 0 {
						t.Refute("%v: %v with e^ℰ = %s needs δ = %s; e^ε = %s needs δ = %s",
							pair, p, show(e...), show(delta), show(eps), show(got))
					}
				}
			}
		}
	}
}
