package impl

import (
	"math/big"

	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
)

// RenyiMoment returns E_{Y~P}[(P(Y)/Q(Y))^(λ−1)], which is e^((λ−1)·D_λ(P‖Q)), and whether it is finite.
// FAC-D2 fails as printed at λ = 1, where it has 0/0; this is 1 there.
//
// Source: Whitehouse et al. (2023), Definition 2; FAC-D2.
// Also in the checks of FAC-L1.
// Symbols: P = p, Q = q, λ = order.
// Domain: two laws over the same outputs; λ ≥ 1, (λ − 1)·|ln(P/Q)| at most 1e6.
// Accuracy: contains it; relative width about 2^-180.
// Deviation from print: none.
// Cost: O(m) logarithms for m outputs.
func RenyiMoment(p, q []*big.Rat, order *big.Rat) (interval.Interval, bool) {
	mean, exponent := bits.Int(0), bits.Rat(new(big.Rat).Sub(order, rational.One))
	for y := range p {
		switch {
		case p[y].Sign() == 0:
			continue
		case q[y].Sign() == 0 && order.Cmp(rational.One) > 0:
			return interval.Interval{}, false
		case q[y].Sign() == 0:
			mean = bits.Add(mean, bits.Rat(p[y]))
			continue
		}
		power := bits.Exp(bits.Mul(exponent, bits.Log(new(big.Rat).Quo(p[y], q[y]))))
		mean = bits.Add(mean, bits.Mul(bits.Rat(p[y]), power))
	}
	return mean, true
}

// RenyiDivergence returns D_λ(P‖Q), and whether it is finite. At λ = 1 it is the limit, the relative entropy.
//
// Source: Whitehouse et al. (2023), Definition 2; FAC-D2.
// Also in the checks of FAC-D3 and FAC-L1.
// Symbols and cost: as for [RenyiMoment].
// Domain: two laws over the same outputs; λ ≥ 1, (λ − 1)·|ln(P/Q)| at most 1e6.
// Accuracy: contains it; absolute width about 2^-180/(λ − 1).
// Deviation from print: at λ = 1, where print has 0/0, the limit.
func RenyiDivergence(p, q []*big.Rat, order *big.Rat) (interval.Interval, bool) {
	less := new(big.Rat).Sub(order, rational.One)
	if less.Sign() == 0 {
		return ExpectedLoss(p, q)
	}
	moment, finite := RenyiMoment(p, q, order)
	if !finite {
		return moment, false
	}
	return bits.Quo(bits.LogOf(moment), bits.Rat(less)), true
}

// SmallestRho returns an upper bound of the smallest ρ with D_λ(P‖Q) ≤ ρλ and D_λ(Q‖P) ≤ ρλ for all λ ≥ 1, and
// whether there is one.
//
// D_λ does not fall in λ: from one order to the next, 21/20 times as large, D_λ/λ is at most the divergence at the
// upper one over the lower one; above the last, 2^10, it is at most the largest loss over 2^10.
//
// Source: Whitehouse et al. (2023), Definition 3 and Lemma 1; FAC-D3, FAC-L1.
// Symbols: P = p, Q = q.
// Domain: two laws over the same outputs, with |ln(P/Q)| at most 500.
// Accuracy: never below it; relative excess at most 5 %, and of the largest loss 2^-10.
// Deviation from print: δ = 0.
// Cost: O(m) logarithms and exponentials for m outputs, some 150 times.
func SmallestRho(p, q []*big.Rat) (rho interval.Interval, finite bool) {
	rho, step, last := bits.Int(0), big.NewRat(21, 20), big.NewRat(1<<10, 1)
	for y := range p {
		if p[y].Sign() != q[y].Sign() {
			return rho, false
		}
		if p[y].Sign() > 0 && p[y].Cmp(q[y]) != 0 {
			ratio := new(big.Rat).Quo(p[y], q[y])
			most := bits.Quo(interval.Max(bits.Log(ratio), bits.Neg(bits.Log(ratio))), bits.Rat(last))
			rho = interval.Max(rho, most)
		}
	}
	for order := rational.One; order.Cmp(last) < 0; {
		next, _ := new(big.Rat).Mul(order, step).Float64()
		upper := new(big.Rat).SetFloat64(next)
		for _, pair := range [2][2][]*big.Rat{{p, q}, {q, p}} {
			d, _ := RenyiDivergence(pair[0], pair[1], upper)
			rho = interval.Max(rho, bits.Quo(d, bits.Rat(order)))
		}
		order = upper
	}
	return rho, true
}
