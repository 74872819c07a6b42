package ledger

import "checkrr/impl/interval"

// bits is the precision of what is computed once: far more than a float64 has, so that differences keep their digits.
const bits = interval.Precision(192)
