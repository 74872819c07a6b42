package odp

import (
	"math/big"
	"slices"
	"strings"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
)

// setFamilies are all families (Q_{k_1}, …, Q_{k_n}) of sets of outputs, as in ODP-T15, but
// of outputs that occur: for δ_k = 0 the responses 0 and 3 do not, and add nothing to any
// sum. That leaves few enough families for three stops. A set is a number, with one bit
// for each output.
type setFamilies struct {
	unit   *big.Rat
	sums   [][]int64  // by stop and set: the sum of the terms of its outputs, in units
	begins [][][]uint // [i][j][Q_{k_i}]: the outputs at stop j that begin with one in Q_{k_i}
}

// terms returns, by stop, Pr_b(q) − e^ℰ Pr_(1−b)(q) of the outputs q that occur, times a share.
func terms(p finite.Pipeline, b int, share func(q string) *big.Rat) []finite.Law {
	var terms []finite.Law
	for _, s := range p.Stops {
		pr := finite.Responses(p.Mechanisms[:s.After]...)
		at := finite.Law{}
		for q := range pr[b] {
			at[q] = rat.Mul(share(q), rat.Sub(pr[b][q], rat.Mul(s.ExpEps, pr[1-b][q])))
		}
		terms = append(terms, at)
	}
	return terms
}

// familiesOf returns the families of sets with the terms of ODP-E3.
func familiesOf(p finite.Pipeline) setFamilies {
	return newFamilies(terms(p, 0, func(string) *big.Rat { return rat.One }))
}

func newFamilies(terms []finite.Law) setFamilies {
	f := setFamilies{unit: commonUnit(terms)}
	for _, at := range terms {
		sums := []int64{0}
		for _, q := range at.Outputs() {
			term := rat.Quo(at[q], f.unit).Num().Int64()
			for _, without := range sums[:len(sums):len(sums)] {
				sums = append(sums, without+term)
			}
		}
		f.sums = append(f.sums, sums)
	}
	for _, short := range terms {
		var row [][]uint
		for _, long := range terms {
			row = append(row, beginnings(short.Outputs(), long.Outputs()))
		}
		f.begins = append(f.begins, row)
	}
	return f
}

// commonUnit returns the largest 1/d that all terms are whole multiples of.
func commonUnit(terms []finite.Law) *big.Rat {
	d := big.NewInt(1)
	for _, at := range terms {
		for _, x := range at {
			gcd := new(big.Int).GCD(nil, nil, d, x.Denom())
			d.Mul(d, new(big.Int).Quo(x.Denom(), gcd))
		}
	}
	if d.BitLen() > 50 {
		panic("internal error: sums in units of 1/" + d.String() + " may overflow")
	}
	return new(big.Rat).SetFrac(big.NewInt(1), d)
}

// beginnings returns, for every set of short outputs, the set of long ones that begin with one of them.
func beginnings(short, long []string) []uint {
	sets := []uint{0}
	for _, q := range short {
		var begin uint
		for i, l := range long {
			if strings.HasPrefix(l, q) {
				begin |= 1 << i
			}
		}
		for _, without := range slices.Clone(sets) {
			sets = append(sets, without|begin)
		}
	}
	return sets
}

// maximum returns the largest sum of a family in which the sets at the stops i < j are
// prefix-disjoint if apart says so.
func (f setFamilies) maximum(apart func(i, j int) bool) *big.Rat {
	var best int64 // of the family of empty sets
	chosen := make([]int, len(f.sums))
	var choose func(j int, sum int64)
	choose = func(j int, sum int64) {
		if j == len(f.sums) {
			best = max(best, sum)
			return
		}
		var taken uint
		for i, q := range chosen[:j] {
			if apart(i, j) {
				taken |= f.begins[i][j][q]
			}
		}
		for q, value := range f.sums[j] {
			if uint(q)&taken == 0 {
				chosen[j] = q
				choose(j+1, sum+value)
			}
		}
	}
	choose(0, 0)
	return rat.Mul(f.unit, new(big.Rat).SetInt64(best))
}

// The formulas of ODP-E3 and of both lines of ODP-E4, and a wrong one.
func prefixDisjoint(p finite.Pipeline) *big.Rat {
	return familiesOf(p).maximum(func(int, int) bool { return true })
}

func neighboursDisjoint(p finite.Pipeline) *big.Rat {
	return familiesOf(p).maximum(func(i, j int) bool { return j == i+1 })
}

func maximumOfSums(p finite.Pipeline) *big.Rat {
	return familiesOf(p).maximum(func(int, int) bool { return false })
}

func sumOfMaxima(p finite.Pipeline) *big.Rat { return rat.Sum(singles(p)...) }

// singles returns the largest sum at each stop by itself.
func singles(p finite.Pipeline) []*big.Rat {
	var singles []*big.Rat
	for _, s := range p.Stops {
		singles = append(singles, maximumOfSums(finite.Pipeline{Mechanisms: p.Mechanisms[:s.After], Stops: []spec.Stop{s}}))
	}
	return singles
}

func largestSingle(p finite.Pipeline) *big.Rat { return rat.Max(singles(p)...) }
