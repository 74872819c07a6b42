package spec

import "math/big"

// InBadEvent reports whether an output is in B = {x : Pr_P[x]/Pr_Q[x] ≥ e^ε'}.
//
// Source: Liu and Talwar (2019), proof of Lemma E.2; PSC-LE.2.s1. Also in the check of PSC-LE.2b.
// Symbols: Pr_P[x] = p, Pr_Q[x] = q, e^ε' = expEps.
// Domain: p and q in [0, 1], expEps at least 1.
// Accuracy: exact.
// Deviation from print: where p and q are 0 the output is in B; it counts for nothing.
// Cost: O(1).
func InBadEvent(p, q, expEps *big.Rat) bool { return p.Cmp(mul(expEps, q)) >= 0 }
