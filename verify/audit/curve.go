package audit

import (
	"math"
	"math/big"
	"slices"
	"strconv"

	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// Point is a pair (ε, δ) of a curve: for this ε, a part of the outputs needs at least this δ, so
// that every claim with an ε that is not larger and a smaller δ is excluded.
type Point struct {
	Eps   float64
	Delta float64 // never above what is needed
}

// Curve is points by rising ε, with δ that does not rise.
type Curve []Point

// How many points a curve has, about, and up to which ε if losses are unbounded.
const (
	curvePoints   = 32
	beyondClaimed = 2 // times the claimed ε, and 1
)

// curveGrid returns the values of ε at which a curve is computed, ascending: evenly from 0 to the
// last, and some that should be there if they are not too many.
func curveGrid(last float64, special []float64) []float64 {
	grid := []float64{0}
	if last > 0 {
		for i := 1; i <= curvePoints; i++ {
			grid = append(grid, last*float64(i)/curvePoints)
		}
	}
	slices.Sort(special)
	if special = slices.Compact(special); len(special) <= curvePoints {
		for _, x := range special {
			if x > 0 && x < last {
				grid = append(grid, x)
			}
		}
	}
	slices.Sort(grid)
	return slices.Compact(grid)
}

// Curves returns, for every part, the δ that the laws need for it by itself. Where the losses of the
// outputs are few, each of them is the ε of a point: between those the curve is linear in e^ε.
//
// Accuracy: δ are rounded down; they are exact but for that where the laws are complete and ratios
// constant on cells.
// Cost: O(cells) for each of some 64 points.
func (e *Examination) Curves(claim Claim) []Curve {
	curves := make([]Curve, len(claim.Parts))
	for part := range curves {
		claimed := loss.Float64(claim.Parts[part].Eps)
		last, special := beyondClaimed*claimed+1, []float64{claimed}
		if l := e.Losses[part].Loss.Upper; !l.IsInf() {
			last, _ = l.Float64()
			last = max(last, claimed)
		}
		for _, l := range e.Laws {
			special = append(special, l.lossesOf(part)...)
		}
		for _, eps := range curveGrid(last, special) {
			curves[part] = append(curves[part], Point{eps, e.deltaAt(part, eps)})
		}
	}
	return curves
}

// lossesOf returns the positive finite losses of the cells of a part, in either direction, as far as
// they are few.
func (l Law) lossesOf(part int) []float64 {
	var all []float64
	for _, c := range l.Cells {
		p, _ := c.P[0].Lower.Float64()
		q, _ := c.P[1].Lower.Float64()
		if c.Part != part || p <= 0 || q <= 0 {
			continue
		}
		x := math.Abs(math.Log(p / q))
		if !slices.ContainsFunc(all, func(y float64) bool { return math.Abs(x-y) <= 1e-12*y }) {
			all = append(all, x)
		}
		if len(all) > curvePoints {
			break
		}
	}
	return all
}

// deltaAt returns the largest δ that a part needs by itself for an ε, rounded down.
func (e *Examination) deltaAt(part int, eps float64) float64 {
	charge := loss.Nats(new(big.Rat).SetFloat64(eps))
	factor, err := loss.Factor(charge)
	if err != nil {
		return 0 // too large to be computed: nothing is known
	}
	most := 0.0
	for _, l := range e.Laws {
		for direction := range 2 {
			most = max(most, l.partExcess(part, direction, charge, factor))
		}
	}
	return most
}

// partExcess returns the sum of the excess of a part's cells, rounded down.
func (l Law) partExcess(part, direction int, eps loss.Epsilon, factor interval.Interval) float64 {
	k := newCheck()
	for _, cell := range l.Cells {
		if cell.Part == part {
			k.addCell(cell, eps, factor, direction)
		}
	}
	low, _ := k.bounds()
	return ratDown(low)
}

// ratDown returns about the largest float64 that is at most r, as a number and as the decimal that it is written as.
func ratDown(r *big.Rat) float64 {
	x, _ := r.Float64()
	for {
		written, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
		if written.Cmp(r) <= 0 && new(big.Rat).SetFloat64(x).Cmp(r) <= 0 {
			return x
		}
		x = math.Nextafter(x, math.Inf(-1))
	}
}

// Allowed returns the largest δ that a claim lets a part of the outputs have, by itself, at an ε: the
// claimed δ from the claimed ε on, and more below, as a set of outputs and the rest of them are
// both charged.
//
// With p = P0(S), q = P1(S) and E the largest ε of the claim, p ≤ e^(ε_k)·q + δ and
// 1 − q ≤ e^E·(1 − p) + δ; p − e^ε·q is largest where both are equal.
func (c Claim) Allowed(part int, eps float64) float64 {
	delta, _ := c.Delta.Float64()
	own := loss.Float64(c.Parts[part].Eps)
	largest := own
	for _, p := range c.Parts {
		largest = max(largest, loss.Float64(p.Eps))
	}
	if eps >= own || delta >= 1 {
		return delta
	}
	// q = (1 − δ)·(e^E − 1)/(e^(E + ε_k) − 1); times e^ε_k, so that nothing is too large.
	scaled := (1 - delta) * -math.Expm1(-largest) / -math.Expm1(-largest-own)
	return min(1, delta+scaled*-math.Expm1(eps-own))
}
