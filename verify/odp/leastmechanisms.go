package odp

import (
	"fmt"
	"math/big"
	"math/bits"
	"sort"

	"checkrr/impl"
	"checkrr/impl/loss"
)

// mostMechanisms is the largest result of [leastMechanisms].
const mostMechanisms = 1 << min(40, bits.UintSize-3)

// leastMechanisms returns the least number of ε-DP mechanisms whose composition, in the list of
// Theorem 3.3, has an ε below simple composition at a δ of at most limit: the least k ≥ 2
// with δ_1 ≤ limit.
//
// Source: Hartmann et al. (2022), Table 1; ODP-TB1.
// Symbols: δ_1 is [impl.HomogeneousDelta] with i = 1, which falls as k grows: by a factor
// e^ε/(1 + e^ε) for each mechanism.
// Domain: ε > 0, limit > 0; a result of more than 2^40 is an error (2^29 where an int has 32
// bits).
// Accuracy: exact, as long as δ_1 is not within 2^-60 of limit, which is an error.
// Cost: O(log k) evaluations of δ_1.
func leastMechanisms(eps loss.Epsilon, limit *big.Rat) (int, error) {
	if field, rule := loss.FaultExp(eps); rule != "" {
		return 0, fmt.Errorf("table 1: %s %s", field, rule)
	}
	if eps.IsZero() || limit == nil || limit.Sign() <= 0 {
		return 0, fmt.Errorf("table 1: eps and limit must be more than 0")
	}
	var failed error
	enough := func(k int) bool {
		x, err := impl.HomogeneousDelta(k, 1, eps)
		if err != nil {
			failed = err
			return true
		}
		lower, upper := x.Rats()
		if lower.Cmp(limit) <= 0 && upper.Cmp(limit) > 0 {
			failed = fmt.Errorf("table 1: limit is too close to the δ of %d mechanisms", k)
		}
		return upper.Cmp(limit) <= 0
	}
	most := 2
	for !enough(most) {
		if most *= 2; most > mostMechanisms {
			return 0, fmt.Errorf("table 1: more than %d mechanisms", mostMechanisms)
		}
	}
	return 2 + sort.Search(most-2, func(k int) bool { return enough(2 + k) }), failed
}
