package audit

import (
	"iter"
	"math"
	"slices"
)

// Noise may be added modulo a number, and the rest of an output hide that: whole numbers are looked at modulo 2 to
// mostModulus, others modulo 1.
const mostModulus = 12

// wholeResidue is residue, but missing where a number is not whole and the other one is not 1.
func wholeResidue(x float64, modulus int) float64 {
	if modulus > 1 && x != math.Trunc(x) {
		return missing
	}
	return residue(x, modulus)
}

// residue returns what is left of a number modulo another one, from 0 on.
func residue(x float64, modulus int) float64 {
	m := float64(modulus)
	r := math.Mod(x, m)
	if r < 0 {
		r += m
	}
	return math.Abs(r) // no −0
}

// wholeness is whether some numbers are whole, and some are not.
type wholeness struct{ whole, broken bool }

// add looks at the first numbers.
func (w *wholeness) add(numbers iter.Seq[float64]) {
	left := residueRows
	for x := range numbers {
		w.whole = w.whole || x == math.Trunc(x)
		w.broken = w.broken || x != math.Trunc(x)
		if left--; left == 0 || w.whole && w.broken {
			return
		}
	}
}

// moduli returns by what such numbers are looked at.
func (w wholeness) moduli() []int {
	var all []int
	if w.broken {
		all = append(all, 1)
	}
	for m := 2; w.whole && m <= mostModulus; m++ {
		all = append(all, m)
	}
	return all
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
		var kinds wholeness
		kinds.add(slices.Values(numbers))
		for _, m := range kinds.moduli() {
			column := make([]float64, len(numbers))
			for i, x := range numbers {
				column[i] = wholeResidue(x, m)
			}
			if t.tells(column)-known > byChance {
				return true
			}
		}
	}
	return false
}

// residueRows is of how many outputs that are numbers residues are looked at.
const residueRows = 200_000
