package basics

import (
	"math/big"

	"checkrr/impl/interval"
	"checkrr/verify/rat"
)

// precise is the arithmetic of bounds that are no ratios.
const precise = interval.Precision(128)

var nearly = big.NewRat(19, 20) // the factor of a near miss

func absolute(x int) int { return max(x, -x) }

func minus(x *big.Rat) *big.Rat { return new(big.Rat).Neg(x) }

func times(x interval.Interval, share *big.Rat) interval.Interval {
	return precise.Mul(precise.Rat(share), x)
}

// complement returns 1 − x.
func complement(x interval.Interval) interval.Interval { return precise.Sub(precise.Int(1), x) }

// changed returns u with a change of each.
func changed(u, change []int) []int {
	v := make([]int, len(u))
	for i := range u {
		v[i] = u[i] + change[i]
	}
	return v
}

// rats returns whole numbers as rational ones.
func rats(xs ...int) (all []*big.Rat) {
	for _, x := range xs {
		all = append(all, rat.Int(x))
	}
	return all
}

// zeros returns n of them.
func zeros(n int) []*big.Rat { return rats(make([]int, n)...) }

// oneTo returns 1, …, n.
func oneTo(n int) (all []int) {
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

// multiples returns from·step, …, to·step.
func multiples(step *big.Rat, from, to int) (points []*big.Rat) {
	for i := from; i <= to; i++ {
		points = append(points, rat.Mul(rat.Int(i), step))
	}
	return points
}
