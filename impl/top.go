package impl

import (
	"cmp"
	"slices"
)

// top evaluates ending at one stop by going through the sequences of outputs 1 and 2 whose
// loss is above the charge, if these are few: where the charge is near the largest loss, a
// grid knows least.
//
// They are reached from the sequence of outputs 1 only by turning these into 2, one after the
// other: output j lowers the loss by 2·ε_j. In the order of ε_j, what comes after the first
// that lowers it too much need not be looked at.
type top struct {
	turns []turn // in the order of ε
	only  float64
	value float64 // Σ mass·(1 − e^(E − ℓ))
	paid  float64 // Σ mass·e^(E − ℓ): how fast the value falls as E rises
	found int     // sequences, equal mechanisms in any order counted once
	slack float64 // bounds the error of a gap E − ℓ
}

// turn is a run of mechanisms whose outputs can be turned.
type turn struct {
	fall  dd // 2ε
	odds  dd // of output 2 against output 1
	count int
}

// Limits of [top]: on the sequences that it goes through, on the runs that it can turn (so many
// outputs 1 have a probability below any δ of use), and on an ε, which must have all digits of dd.
var (
	maxTop   = 1 << 12
	maxTurns = 256
	leastEps = 1e-250
)

// atTop evaluates ending at a stop, and only there, for the charge e. It reports false if that is
// beyond its limits.
func (p Pipeline) atTop(stop int, e charge) (top, bool) {
	t := top{slack: e.slack}
	b := &box{}
	var counts []int
	mass, keep, only, left, loss := dd{1, 0}, dd{1, 0}, dd{}, p.Stops[stop].After, 0.0
	for _, m := range p.Mechanisms {
		n := min(m.Count, left)
		if left -= n; n == 0 {
			break
		}
		r := randomizedResponse(m)
		k, o := survive(r, n)
		keep, only = keep.mul(k), only.add(keep.mul(o))
		if m.Eps.isZero() {
			continue
		}
		if len(t.turns) == maxTurns || r.eps.hi < leastEps {
			return t, false
		}
		b.generators, counts = append(b.generators, generator{eps: m.Eps, value: r.eps}), append(counts, n)
		mass = mass.mul(r.up.power(n))
		t.turns = append(t.turns, turn{r.eps.times(2), r.down.div(r.up), n})
		t.slack += (m.Eps.error() + 16*ddError) * r.eps.hi * float64(n)
		loss += r.eps.hi * float64(n)
	}
	t.slack += float64(4*len(t.turns)+16) * ddError * (e.value.hi + loss) // of sums and differences
	slices.SortFunc(t.turns, func(x, y turn) int {
		return cmp.Or(cmp.Compare(x.fall.hi, y.fall.hi), cmp.Compare(x.fall.lo, y.fall.lo))
	})
	t.only = only.float()
	if gap := b.gap(e, counts); gap.negative() {
		t.visit(0, 0, mass.mul(keep), gap)
	} else {
		t.paid = mass.mul(keep).float() // as soon as E falls
	}
	return t, t.found <= maxTop
}

// bounds returns bounds of the value.
//
// A gap that is off changes a payoff by no more, nor does a sequence that is left out because its
// gap is off. Masses are products of dd, off by some 2^-100 a factor: much less than one rounding
// of float64 for all of them.
func (t top) bounds() bounds {
	tiny := t.slack + smallest*float64(t.found+16)
	return newBounds(t.only+t.value, float64(t.found)+16, tiny, tiny)
}

// power returns a^n for n ≥ 0.
func (a dd) power(n int) dd {
	result := dd{1, 0}
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result = result.mul(a)
		}
		a = a.mul(a)
	}
	return result
}

// visit adds the sequence with this mass and gap E − ℓ, and those that follow from it by
// turning outputs from the given run on, of which some are turned already.
func (t *top) visit(from, turned int, mass, gap dd) {
	if t.found++; t.found > maxTop {
		return
	}
	pay := payoff(gap)
	t.value += mass.mul(pay).float()
	t.paid += mass.mul(dd{1, 0}.sub(pay)).float()
	for j := from; j < len(t.turns) && t.found <= maxTop; j++ {
		x := t.turns[j]
		next := gap.add(x.fall)
		if !next.negative() {
			return
		}
		if turned < x.count {
			t.visit(j, turned+1, mass.mul(x.odds).times(float64(x.count-turned)).div(dd{float64(turned + 1), 0}), next)
		}
		turned = 0
	}
}
