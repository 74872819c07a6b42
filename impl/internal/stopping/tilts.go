package stopping

import (
	"cmp"
	"math"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/loss"
)

// tilts returns, per run, about the λ with which losses behind it should be tilted: those that matter are then the
// likely ones. For a stop that is the λ for which the mean of e^(λ·(loss − charge)) is least, or the least one that
// is almost as good. Behind a run it is the largest of the stops that follow, of those where that mean is not far
// below what it is where it is largest: others matter little. There are none if losses are on a lattice.
func (p Problem) tilts() (tilts []float64) {
	if !p.IsContinuous() {
		return nil
	}
	// nodes reach as far as is rare enough to be given up: tilted by more, what is there would hide all else
	bounds := p.chernoff(p.rarest(1e-7 * p.about() / float64(p.length())))
	largest := slices.MaxFunc(bounds, func(x, y chernoff) int { return cmp.Compare(x.least, y.least) })
	stop := len(p.Stops) - 1
	most := largest.best
	if bounds[stop].least >= largest.least-irrelevant {
		most = bounds[stop].best
	}
	for _, r := range slices.Backward(p.runs) {
		if r.Stop >= 0 {
			if bounds[stop].least >= largest.least-irrelevant {
				most = max(most, bounds[stop].nearly)
			}
			stop--
		}
		tilts = append(tilts, min(most, 9e8)) // the checker takes less than 1e9
	}
	slices.Reverse(tilts)
	return tilts
}

// rarest returns about the largest loss of one step, of those that are exceeded with the probability cut: larger ones
// say nothing of what matters.
func (p Problem) rarest(cut float64) (most float64) {
	for _, pair := range p.pairs {
		if x, ok := pair.(*points); ok {
			most = max(most, x.exceeded(cut))
		} else {
			most = max(most, pair.Reach())
		}
	}
	return most
}

// about returns less than the value, where losses are on no lattice, but not much less. A loss that is above all
// charges is as good as one that is as large as the largest one: where large losses are rare, their moments would say
// nothing.
func (p Problem) about() float64 {
	if slices.Max(p.beyond()) == 0 { // nothing is lost above the charges: the value is what infinite losses have
		return negligibleValue
	}
	least := math.Inf(-1)
	for _, b := range p.chernoff(p.mostCharge()) {
		least = max(least, b.least)
	}
	return max(1e-2*math.Exp(min(0, least)), 1e-240)
}

// negligibleValue is far below all that is sought.
const negligibleValue = leastOfNoise * 1e-8

// irrelevant is a logarithm of how much less a δ is that matters little, and almost one of how much more a tilted
// mass may be that transforms have digits for.
const (
	irrelevant = 12
	almost     = 8
)

// steeper is how much more than that losses are tilted, while that mean stays almost as good: where one large loss is
// what matters, it is still that of many small ones at the best λ.
const steeper = 1.25

// chernoff is about the least bound of ln δ of a stop alone, the λ for which ln E_P e^(λ·(loss − charge)) is least,
// and the least λ with which it is almost that, both somewhat steeper.
//
// With x = loss − charge, 1 − e^−x is at most e^(λx) times the largest (1 − e^−y)·e^(−λy), which is about 1/(eλ) for
// large λ: next to the largest loss, where that is rare no more, it is these that say how small δ is. To tilt by them
// is of no use. Where y can be at most r, as no loss is larger than that beyond the charge, the largest is that at r
// if it is at more without.
type chernoff struct{ least, best, nearly float64 }

// chernoff returns that of each stop, where no loss of one step is more than most.
func (p Problem) chernoff(most float64) (bounds []chernoff) {
	tilts, all := 48, 160 // λ for tilts, and for bounds
	guess := 1 / p.deviation()
	if more := int(4 * math.Log2(guess)); more > 0 {
		// where losses are rare, and large, they are far larger than their deviation: λ of about 1/64 count, too
		guess *= math.Exp2(-float64(more) / 4)
		tilts, all = tilts+more, all+more
	}
	lambda := func(i int) float64 { return guess * math.Exp2(float64(i)/4-6) }
	pay := func(l, r float64) float64 { // ln max (1 − e^−y)·e^(−λy)
		y := min(r, math.Log1p(1/l))
		return math.Log(-math.Expm1(-y)) - l*y
	}
	beyond := p.beyond()
	p.logMoments(all, lambda, most, func(r certify.Run, moments []float64) {
		if r.Stop < 0 {
			return
		}
		charge := loss.Float64(p.Stops[len(bounds)].Eps)
		mean := func(i int) float64 { return moments[i] - lambda(i)*charge }
		best, nearly, least := 0, 0, math.Inf(1)
		for i := range moments {
			if bound := mean(i) + pay(lambda(i), beyond[len(bounds)]); bound < least {
				// not if it is no number, as λ is too large
				least = bound
			}
			if i < tilts && mean(i) < mean(best) {
				best = i
			}
		}
		if !(mean(best) < 0) { // the charge is below the mean loss
			bounds = append(bounds, chernoff{min(least, 0), 0, 0})
			return
		}
		for mean(nearly) > mean(best)+almost {
			nearly++
		}
		last := best
		for last+1 < len(moments) && mean(last+1) <= mean(best)+almost {
			last++
		}
		steep := func(i int) float64 { return min(steeper*lambda(i), lambda(last)) }
		bounds = append(bounds, chernoff{least, steep(best), steep(nearly)})
	})
	return bounds
}

// beyond returns, per stop, about how much larger than the charge losses can be, at least 0.
func (p Problem) beyond() (reaches []float64) {
	const more = 1 + 1e-15 // what a largest loss may be rounded up by
	for i, largest := range p.Losses() {
		reach := math.Inf(1)
		if p.isBounded() {
			x, _ := largest.Float64()
			reach = max(0, x/more-loss.Float64(p.Stops[i].Eps))
		}
		reaches = append(reaches, reach)
	}
	return reaches
}

// slopes returns, per run, about the λ with which e^(λ·loss) bounds the probability of losses that are exceeded with
// the probability delta behind it.
func (p Problem) slopes(delta float64) (slopes []float64) {
	lambda := func(i int) float64 { return math.Exp2(float64(i)/4 - 4) }
	p.logMoments(60, lambda, math.Inf(1), func(_ certify.Run, moments []float64) {
		best, least := 0, math.Inf(1)
		for i, x := range moments {
			if loss := (x - math.Log(delta)) / lambda(i); loss < least {
				best, least = i, loss
			}
		}
		slopes = append(slopes, lambda(best))
	})
	return slopes
}

// logMoments calls yield behind every run with about ln E_P e^(λ·loss) of all losses so far, for n of λ, where no
// loss of one step is more than most.
func (p Problem) logMoments(n int, lambda func(i int) float64, most float64,
	yield func(r certify.Run, moments []float64)) {
	moments, known := make([]float64, n), map[int][]float64{}
	for _, r := range p.runs {
		each := known[r.Entry]
		if each == nil {
			for i := range moments {
				each = append(each, p.pairs[r.Entry].LogMoment(lambda(i), most))
			}
			known[r.Entry] = each
		}
		for i := range moments {
			moments[i] += float64(r.Count) * each[i]
		}
		yield(r, moments)
	}
}
