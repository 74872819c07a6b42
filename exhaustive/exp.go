package exhaustive

import "math/big"

// expRat returns an interval around e^x, for |x| ≤ 10^6.
//
// For x ≥ 0 let r = x/2^m ≤ 1/2. Then e^x = (e^r)^(2^m), and
//
//	Σ_{j<J} r^j/j! ≤ e^r ≤ Σ_{j<J} r^j/j! + 2·r^J/J!,
//
// because each term of the rest is at most half of the one before it. All of it
// is done in intervals, so rounding needs no further thought. Every squaring
// doubles the relative width; m + 16 more bits than asked for make up for this
// and for the fewer than 2^12 roundings of the sum. For x < 0, e^x = 1/e^(−x).
//
// Accuracy: contains e^x; width at most 4·2^(−prec)·e^x.
// Cost: O(prec) operations.
func (n enclosing) expRat(x *big.Rat) Interval {
	m := new(big.Int).Quo(x.Num(), x.Denom()).BitLen() + 1 // |x| < 2^(m−1)
	work := enclosing{n.prec + uint(m) + 16}
	r := new(big.Rat).Abs(x)
	r.Quo(r, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(m))))
	power := work.taylor(work.rat(r))
	for range m {
		power = work.mul(power, power)
	}
	if x.Sign() < 0 {
		power = work.quo(work.rat(one), power)
	}
	return n.round(power)
}

// taylor returns an interval around e^r, for 0 ≤ r ≤ 1/2.
func (n enclosing) taylor(r Interval) Interval {
	enough := new(big.Float).SetMantExp(big.NewFloat(1), -int(n.prec))
	sum, term := n.rat(new(big.Rat)), n.rat(one)
	for j := int64(1); term.Hi.Cmp(enough) > 0; j++ {
		sum = n.add(sum, term)
		term = n.quo(n.mul(term, r), n.rat(big.NewRat(j, 1)))
	}
	rest := n.up().Add(term.Hi, term.Hi)
	return n.add(sum, Interval{new(big.Float), rest})
}
