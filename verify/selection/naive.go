package selection

import (
	"math/big"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// naive are the negative examples of Appendix B.
func naive() register.Checks {
	return register.Checks{
		"PSC-X17": register.Checked(bestOf(asInAppendix(rat.Half), rat.One),
			register.AlsoFails(register.ProofStep, "1 − e^ε/2 for (1 − e^ε)/2", bestOf(asInAppendix(rat.One), rat.One)),
			register.Control("with randomized response it is Kε/2", bestOf(responseScores, rat.Half)),
			register.NearMiss("with randomized response it is (K − 1)ε", bestOf(responseScores, nil)),
			register.Corrected("0.8 with probability 1/(1 + e^ε) on d_1, e^ε/(1 + e^ε) on d_1'",
				bestOf(responseScores, rat.One)),
		),
	}
}

// lowScores are the probabilities of the scores 0.8 and 0.95 of a candidate, on d_1 and on d_1'.
type lowScores func(expEps *big.Rat) [2][2]*big.Rat

// asInAppendix has whole − e^ε/2 as the last probability; that is whole/2 for the one in the appendix.
func asInAppendix(whole *big.Rat) lowScores {
	return func(e *big.Rat) [2][2]*big.Rat {
		half := rat.Mul(rat.Half, e)
		return [2][2]*big.Rat{{rat.Half, rat.Half}, {half, rat.Sub(whole, half)}}
	}
}

func responseScores(e *big.Rat) [2][2]*big.Rat {
	likely := rat.Quo(e, rat.Add(rat.One, e))
	return [2][2]*big.Rat{{rat.Complement(likely), likely}, {likely, rat.Complement(likely)}}
}

// bestOf checks that the candidates are ε-DP, and that naming the one with the score 0.9 loses a share of Kε, or (K −
// 1)ε.
func bestOf(scores lowScores, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("e^ε in {11/10, 3/2, 4}, K in {2, 4, 6}")
		for _, e := range rat.List("11/10", "3/2", "4") {
			law := scores(e)
			for b := range law {
				if sum := rat.Add(law[b][0], law[b][1]); !rat.Equal(sum, rat.One) || rat.Min(law[b][0], law[b][1]).Sign() < 0 {
					t.Case()
					t.Refute("e^ε = %s: the probabilities of 0.8 and 0.95 are %s", rat.Show(e), rat.Show(law[b][0], law[b][1]))
				}
			}
			for s := range 2 {
				if rat.Mul(e, law[0][s]).Cmp(law[1][s]) < 0 || rat.Mul(e, law[1][s]).Cmp(law[0][s]) < 0 {
					t.Case()
					t.Refute("e^ε = %s: a candidate is not ε-DP: its probabilities %s and %s of one score", rat.Show(e),
						rat.Show(law[0][s]), rat.Show(law[1][s]))
				}
			}
			for _, k := range []int{2, 4, 6} {
				t.Case()
				claimed := k - 1
				if share != nil {
					claimed = int(rat.Mul(share, rat.Int(k)).Num().Int64()) // k is even
				}
				ratio := rat.Quo(rat.Power(law[1][0], k), rat.Power(law[0][0], k))
				if want := rat.Power(e, claimed); !rat.Equal(ratio, want) {
					t.Refute("e^ε = %s, K = %d: {i_* = 0} is %s times as likely on d_1', claimed %s", rat.Show(e), k, rat.Show(ratio),
						rat.Show(want))
				}
			}
		}
	}
}
