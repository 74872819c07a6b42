package impl

import (
	"math/big"

	"checkrr/impl/internal/rational"
)

// L1Sensitivity returns Δf = max ‖f(x) − f(y)‖_1 over databases with ‖x − y‖_1 = 1. Of two such databases one has one
// record more: it goes through the smaller ones, and adds a record of each type. It panics if f is nil.
//
// Source: Dwork and Roth (2014), Definition 3.1; AFD-D3.1.
// Also in the check of AFD-E3.2.
// Symbols, accuracy and deviation from print: as for spec.L1Sensitivity.
// Domain: types ≥ 1, most ≥ 1; f always returns equally many numbers.
// Cost: f of all databases, types times.
func L1Sensitivity(types, most int, f func(x []int) []*big.Rat) *big.Rat {
	largest := new(big.Rat)
	eachDatabase(make([]int, types), 0, most-1, func(x []int) {
		before := f(x)
		for i := range x {
			x[i]++
			sum := new(big.Rat)
			for j, after := range f(x) {
				sum.Add(sum, new(big.Rat).Abs(new(big.Rat).Sub(after, before[j])))
			}
			x[i]--
			largest = rational.Max(largest, sum)
		}
	})
	return largest
}

// UtilitySensitivity returns Δu = max |u(x,r) − u(y,r)| over r in R and databases with ‖x − y‖_1 ≤ 1: the largest
// [L1Sensitivity] of u(·,r). It panics if u is nil.
//
// Source: Dwork and Roth (2014), Section 3.4; AFD-U3.
// Symbols, accuracy and deviation from print: as for spec.UtilitySensitivity.
// Domain: types ≥ 1, most ≥ 1, outputs ≥ 1.
// Cost: u of all databases and outputs, types times.
func UtilitySensitivity(types, most, outputs int, u func(x []int, r int) *big.Rat) *big.Rat {
	largest := new(big.Rat)
	for r := range outputs {
		largest = rational.Max(largest, L1Sensitivity(types, most, func(x []int) []*big.Rat {
			return []*big.Rat{u(x, r)}
		}))
	}
	return largest
}

// eachDatabase calls visit with all databases that have at most so many records of the types from i on, in place.
func eachDatabase(x []int, i, most int, visit func(x []int)) {
	if i == len(x) {
		visit(x)
		return
	}
	for n := range most + 1 {
		x[i] = n
		eachDatabase(x, i+1, most-n, visit)
	}
	x[i] = 0
}
