package stopping

import (
	"context"
	"math/big"
	"slices"
)

// objective searches the charges of one pipeline on its [estimator].
type objective struct {
	*estimator
	laws    []arrival  // at the stops; nil if not known yet, or too large
	losses  []*big.Rat // per stop, the largest loss
	largest []float64  // the same
	other   *objective // of another pipeline with these stops, whose δ counts where it is more; nil if there is none
	beyond  []float64  // per stop, by how much its largest loss is larger
}

// searchWidth is the relative error up to which a δ is met, unless [scheduler.tolerance] says more.
const searchWidth = 1e-12

// leastPart is the part of a δ that is next to nothing.
const leastPart = 1e-14

// newObjective returns the search for charges with values near delta.
func newObjective(ctx context.Context, p Problem, delta float64) (*objective, error) {
	d := &objective{losses: p.Losses()}
	var err error
	if d.estimator, err = newEstimator(ctx, p, delta*leastPart); err != nil {
		return nil, err
	}
	for i, loss := range d.losses {
		if origin := d.places[d.behind[i]].origin; origin != 0 {
			off := new(big.Rat).SetFloat64(d.scale.unit)
			loss.Sub(loss, off.Mul(off, new(big.Rat).SetInt64(int64(origin))))
		}
		x, _ := loss.Float64()
		d.largest = append(d.largest, x)
	}
	return d, nil
}

// with returns d where the δ of another pipeline counts, too.
func (d *objective) with(other *objective) *objective {
	both := *d
	both.other, both.beyond = other, nil
	for i, loss := range other.losses {
		x, _ := new(big.Rat).Sub(loss, d.losses[i]).Float64()
		both.beyond = append(both.beyond, x)
	}
	return &both
}

// others returns the discounts of the other pipeline with the same charges.
func (d *objective) others(discounts []float64) []float64 {
	moved := slices.Clone(discounts)
	for i, x := range d.beyond {
		moved[i] += x
	}
	return moved
}

// least returns the discount at a stop with which nothing is lost: 0, or less if the other pipeline may lose more.
func (d *objective) least(stop int) float64 {
	if d.other == nil {
		return 0
	}
	return min(0, -d.beyond[stop])
}

// exact returns the charge with a discount, exactly.
func (d *objective) exact(stop int, discount float64) *big.Rat {
	if discount >= d.largest[stop] {
		return new(big.Rat)
	}
	r := new(big.Rat).SetFloat64(discount)
	return r.Sub(d.losses[stop], r)
}

// discounts returns the largest discounts with which ending at stop i, and only there, is worth at
// most deltas[i], or 0 if there are none.
func (d *objective) discounts(ctx context.Context, deltas []float64) []float64 {
	discounts := make([]float64, len(deltas))
	d.arrivals(ctx, func(stop int, a *arrival) { discounts[stop] = a.discount(deltas[stop], d.largest[stop]) })
	if d.other != nil {
		for i, r := range d.other.discounts(ctx, deltas) {
			discounts[i] = min(discounts[i], r-d.beyond[i])
		}
	}
	return discounts
}

// arrivals calls yield at every stop with the law of the runs that come there. It depends on no
// charge, so the laws are kept, if they are not too large together.
func (d *objective) arrivals(ctx context.Context, yield func(stop int, a *arrival)) {
	if d.laws != nil {
		for stop := range d.laws {
			yield(stop, &d.laws[stop])
		}
		return
	}
	var laws []arrival
	left := maxKept
	d.forward(ctx, nil, func(stop int, a *arrival) {
		yield(stop, a)
		if left -= a.size; left >= 0 {
			laws = append(laws, arrival{a.nodes, slices.Clone(a.mass), a.infinity})
		}
	})
	if len(laws) == len(d.behind) {
		d.laws = laws
	}
}

// maxKept is how many nodes of laws are kept.
const maxKept = 1 << 24

// singles returns the δ of ending at one stop, and only there.
func (d *objective) singles(ctx context.Context, discounts []float64) []float64 {
	deltas := make([]float64, len(discounts))
	d.arrivals(ctx, func(stop int, a *arrival) { deltas[stop] = a.value(discounts[stop]) })
	return deltas
}

// lemma11 returns Lemma 11's δ (ODP-E4).
func (d *objective) lemma11(ctx context.Context, discounts []float64) float64 {
	all := sum(d.singles(ctx, discounts))
	if d.other != nil {
		all = max(all, d.other.lemma11(ctx, d.others(discounts)))
	}
	return all
}

// optDel returns OptDel (ODP-T15).
func (d *objective) optDel(ctx context.Context, discounts []float64) float64 {
	value, _ := d.backward(ctx, func(stop int, _ []float64) float64 { return discounts[stop] })
	if d.other != nil {
		value = max(value, d.other.optDel(ctx, d.others(discounts)))
	}
	return value
}

// shifted returns the curve that lowers all charges together.
func (d *objective) shifted(discounts []float64) curve {
	return func(t float64) []float64 {
		lower := slices.Clone(discounts)
		for i := range lower {
			lower[i] = min(max(d.least(i), lower[i]+t), d.largest[i])
		}
		return lower
	}
}

// cost returns Σ w·E.
func (d *objective) cost(weights, discounts []float64) (sum float64) {
	for i, w := range weights {
		sum += w * (d.largest[i] - discounts[i])
	}
	return sum
}
