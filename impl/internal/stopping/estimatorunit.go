package stopping

import (
	"context"
	"math"
	"slices"

	"checkrr/impl/certify"
)

// gridUnit returns the unit of an estimator's grid for values near delta, if ctx does not end. Masses below cut are
// left out.
func (p Problem) gridUnit(ctx context.Context, delta, cut float64) float64 {
	if p.IsContinuous() {
		return max(min(p.noiseUnit(), p.tailUnit(delta)), p.widest(ctx, cut)/maxUnits)
	}
	return max(p.deviation()*math.Sqrt(gridWidth/float64(len(p.runs))), p.Reach()/maxUnits)
}

// noiseUnit is gridUnit where laws are smooth: a part of the standard deviation of each, and so much less than that
// at the first stop that values behind it are smooth, too, unless there are very many stops. What is far narrower
// than the widest run is as good as nothing. What is wrong then is corrected when charges are certified.
func (p Problem) noiseUnit() float64 {
	const nothing = 1e-3
	widest := 0.0
	for _, r := range p.runs {
		widest = max(widest, p.deviationOf(r))
	}
	each, first, variance := widest, 0.0, 0.0
	for _, r := range p.runs {
		d := p.deviationOf(r)
		if variance += d * d; d > nothing*widest {
			each = min(each, d)
		}
		if r.Stop >= 0 && first <= nothing*widest {
			first = math.Sqrt(variance)
		}
	}
	return min(0.3*each, max(0.06*first, min(0.3, 0.1*max(1, float64(len(p.runs))/500))*each))
}

// tailUnit is a unit in which masses fall by a factor of at most about e where a mass of delta is above, if that is
// not too small: next to the largest loss of all they fall far faster than they do near the mean.
func (p Problem) tailUnit(delta float64) float64 {
	return max(1/slices.Max(p.slopes(delta)), p.lossRange()/maxUnitsOfTail)
}

// maxUnitsOfTail bounds the units that tails need.
const maxUnitsOfTail = 4e3

// widest returns about how far apart the losses of one run are at most. Where all are rare and large, that is far
// more than they deviate.
func (p Problem) widest(ctx context.Context, cut float64) (span float64) {
	for _, r := range p.runs {
		if ctx.Err() != nil {
			break
		}
		span = max(span, p.pairs[r.Entry].Width(r.Count, cut))
	}
	return span
}

// deviationOf returns the standard deviation of the loss of a run.
func (p Problem) deviationOf(r certify.Run) float64 {
	return math.Sqrt(float64(r.Count)) * p.pairs[r.Entry].Deviation()
}
