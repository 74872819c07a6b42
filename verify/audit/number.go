package audit

import (
	"math/big"

	"checkrr/impl/interval"
)

// lawBits is the precision of sums and products of probabilities. It is more than those have
// themselves, so that nothing is lost that was known.
const lawBits = interval.Precision(320)

var floatOne = big.NewFloat(1)

// excess returns p − f·q for p, q, f ≥ 0, or 0 where that is negative.
func excess(p, f, q interval.Interval) interval.Interval {
	return lawBits.Max0(lawBits.Sub(p, lawBits.Mul(f, q)))
}
