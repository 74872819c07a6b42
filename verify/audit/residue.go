package audit

import (
	"math"
	"slices"
)

// Noise may be added modulo a number, and the rest of an output hide that: whole numbers are looked at modulo 2 to
// mostModulus, others modulo 1.
const mostModulus = 12

// residue returns what is left of a number modulo another one, from 0 on.
func residue(x float64, modulus int) float64 {
	m := float64(modulus)
	r := math.Mod(x, m)
	if r < 0 {
		r += m
	}
	return math.Abs(r) // no −0
}

// moduli returns by what numbers are looked at: whole ones, or others.
func moduli(whole bool) []int {
	if !whole {
		return []int{1}
	}
	var all []int
	for m := 2; m <= mostModulus; m++ {
		all = append(all, m)
	}
	return all
}

// areWhole reports whether some numbers are whole, by the first of them.
func areWhole(numbers []float64) bool {
	const few = 100
	return !slices.ContainsFunc(numbers[:min(len(numbers), few)], func(x float64) bool { return x != math.Trunc(x) })
}

// residuesTell reports whether outputs that are one number tell the inputs apart by residues, by more than chance: a tree of the numbers themselves is all
// that is learned otherwise.
func residuesTell(samples [2]*Sample) bool {
	const byChance = 12 // hardly ever is it that much
	for _, k := range keysOf(samples) {
		rows, counts := rowsOf(k, samples, min(1, residueRows/float64(samples[0].countOf(k)+samples[1].countOf(k))))
		t := table{counts: counts}
		numbers := numbersOf(rows, 1)[0]
		known := t.tells(numbers)
		for _, m := range moduli(areWhole(numbers)) {
			column := make([]float64, len(numbers))
			for i, x := range numbers {
				column[i] = residue(x, m)
			}
			if t.tells(column)-known > byChance {
				return true
			}
		}
	}
	return false
}

// residueRows is of how many outputs that are numbers residues are looked at.
const residueRows = 20_000
