package spec

import "math/big"

// L1Sensitivity returns Δf = max ‖f(x) − f(y)‖_1 over databases with ‖x − y‖_1 = 1.
//
// Source: Dwork and Roth (2014), Definition 3.1; AFD-D3.1.
// Also in the checks of AFD-E3.1, AFD-X4, AFD-E3.2 and AFD-X5.
// Symbols: |X| = types; x[i] is how many records of type i there are.
// Domain: types ≥ 1, most ≥ 1; f always returns equally many numbers.
// Accuracy: exact.
// Deviation from print: databases have at most so many records.
// Cost: f of all pairs of databases.
func L1Sensitivity(types, most int, f func(x []int) []*big.Rat) *big.Rat {
	largest := new(big.Rat)
	for _, x := range databases(types, most) {
		for _, y := range databases(types, most) {
			if distance(x, y) == 1 {
				largest = larger(largest, l1(f(x), f(y)))
			}
		}
	}
	return largest
}

// UtilitySensitivity returns Δu = max |u(x,r) − u(y,r)| over r in R and databases with ‖x − y‖_1 ≤ 1.
//
// Source: Dwork and Roth (2014), Section 3.4; AFD-U3.
// Symbols: R = 0, …, outputs − 1; otherwise as for [L1Sensitivity].
// Domain: types ≥ 1, most ≥ 1, outputs ≥ 1.
// Accuracy and deviation from print: as for [L1Sensitivity].
// Cost: u of all pairs of databases and all outputs.
func UtilitySensitivity(types, most, outputs int, u func(x []int, r int) *big.Rat) *big.Rat {
	largest := new(big.Rat)
	for r := range outputs {
		for _, x := range databases(types, most) {
			for _, y := range databases(types, most) {
				if distance(x, y) <= 1 {
					largest = larger(largest, new(big.Rat).Abs(sub(u(x, r), u(y, r))))
				}
			}
		}
	}
	return largest
}

// databases returns all histograms of at most so many records.
func databases(types, most int) [][]int {
	if types == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, x := range databases(types-1, most) {
		for n := range most + 1 - distance(x, make([]int, len(x))) {
			all = append(all, append(x[:len(x):len(x)], n))
		}
	}
	return all
}

// distance returns ‖x − y‖_1.
func distance(x, y []int) int {
	sum := 0
	for i := range x {
		sum += max(x[i]-y[i], y[i]-x[i])
	}
	return sum
}

// l1 returns ‖a − b‖_1.
func l1(a, b []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for i := range a {
		sum = add(sum, new(big.Rat).Abs(sub(a[i], b[i])))
	}
	return sum
}
