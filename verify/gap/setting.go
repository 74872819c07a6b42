// Package gap measures how much Theorem 15 of the ODP paper gains over Lemma 11, on families
// of pipelines: the size of the gap is what the paper leaves open (ODP-X24).
package gap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// Setting is one pipeline of the families.
type Setting struct {
	Eps        *big.Rat        // ε of a mechanism, the mean one if they differ
	Mechanism  *impl.Mechanism // what all are instead, its Count aside: Eps, Spread and Order are not used; nil if there is none
	Mechanisms int             // k_n
	Stops      int             // n, at most Mechanisms
	Positions  Positions
	Spread     *big.Rat // the largest ε is Eps·(1 + Spread), the smallest Eps·(1 − Spread)
	Order      Order
	Delta      *big.Rat // δ of a single stop, or of the whole
}

// Positions says where the stops are.
type Positions string

// The positions: the i-th of n stops in k mechanisms comes after about k·i/n of them, k·(i/n)²,
// or k·(1 − (1 − i/n)²). The last stop is always the end.
const (
	Even  Positions = "even"
	Early Positions = "early"
	Late  Positions = "late"
)

// Order says how mechanisms of different ε follow each other.
type Order string

// The orders.
const (
	Rising  Order = "rising"
	Falling Order = "falling"
)

// steps is the number of different ε between 0 and Eps: they are multiples of Eps/steps, so that
// all losses lie on a lattice.
const steps = 20

// SettingError says which field of a setting breaks which rule.
type SettingError struct{ Field, Rule string }

// Error names the field, and says the rule.
func (e *SettingError) Error() string { return e.Field + " " + e.Rule }

// The limits of a setting.
const (
	maxMechanisms = 100_000
	manyStops     = 100 // more take minutes where losses are on no lattice
	minEps        = 1e-9
	maxEps        = 100
)

// leastEps is minEps, as it is written.
var leastEps = big.NewRat(1, 1e9)

// Check returns a [*SettingError] for the first rule that s breaks.
func (s Setting) Check() error {
	one := big.NewRat(1, 1)
	delta, _ := s.Delta.Float64()
	number := func(r *big.Rat) string { x, _ := r.Float64(); return fmt.Sprintf("%g", x) }
	switch {
	case s.Mechanisms < 1 || s.Mechanisms > maxMechanisms:
		return &SettingError{"mechanisms", fmt.Sprintf("is %d, must be between 1 and %d", s.Mechanisms, maxMechanisms)}
	case s.Stops < 1 || s.Stops > s.Mechanisms:
		return &SettingError{"stops", fmt.Sprintf("is %d, must be between 1 and %d, the number of mechanisms", s.Stops, s.Mechanisms)}
	case s.Mechanism == nil && (s.Eps.Cmp(leastEps) < 0 || s.Eps.Cmp(big.NewRat(maxEps, 1)) > 0):
		return &SettingError{"eps", fmt.Sprintf("is %s, must be between %g and %d", number(s.Eps), minEps, maxEps)}
	case delta < impl.LeastDelta || s.Delta.Cmp(one) >= 0:
		return &SettingError{"delta", fmt.Sprintf("is %s, must be at least %g and less than 1", number(s.Delta), impl.LeastDelta)}
	case s.Mechanism == nil && (s.Spread.Sign() < 0 || s.Spread.Cmp(one) >= 0):
		return &SettingError{"spread", fmt.Sprintf("is %s, must be at least 0 and less than 1", number(s.Spread))}
	case s.Mechanism != nil:
		return s.checkMechanism()
	}
	return nil
}

// checkMechanism returns a [*SettingError] if there are too many mechanisms of the kind, or if δ is less than theirs amount to.
func (s Setting) checkMechanism() error {
	p := s.pipeline()
	err := p.Validate()
	if broken, ok := errors.AsType[*impl.InputError](err); ok && broken.Field == "count" {
		return &SettingError{"mechanisms", broken.Rule}
	}
	if err == nil {
		err = p.CheckDelta(s.Delta)
	}
	if broken, ok := errors.AsType[*impl.DeltaError](err); ok {
		return &SettingError{"delta", broken.Rule}
	}
	return err
}

// affordable returns how many stops are measured at most, unless more are asked for.
func (s Setting) affordable() int {
	if s.Mechanism == nil || s.Mechanism.Kind() == "eps" {
		return s.Mechanisms
	}
	return min(s.Mechanisms, manyStops)
}

// pipeline returns the pipeline, with all charges 0.
func (s Setting) pipeline() (p impl.Pipeline) {
	p.Mechanisms = s.mechanisms()
	for _, after := range s.places() {
		p.Stops = append(p.Stops, impl.Stop{After: after, Eps: loss.Nats(new(big.Rat))})
	}
	return p
}

// mechanisms returns those of the pipeline.
func (s Setting) mechanisms() (ms []impl.Mechanism) {
	if s.Mechanism != nil {
		m := *s.Mechanism
		m.Count = s.Mechanisms
		return []impl.Mechanism{m}
	}
	for j := range s.Mechanisms {
		ms = append(ms, impl.Mechanism{Eps: loss.Nats(s.eps(j)), Delta: new(big.Rat), Count: 1})
	}
	return ms
}

// eps returns the ε of mechanism j, from 0.
func (s Setting) eps(j int) *big.Rat {
	if s.Spread.Sign() == 0 {
		return s.Eps
	}
	at := big.NewRat(int64(2*j+1-s.Mechanisms), int64(s.Mechanisms)) // from −1 to 1
	if s.Order == Falling {
		at.Neg(at)
	}
	at.Mul(at, s.Spread)
	at.Add(at, big.NewRat(1, 1))
	at.Mul(at, big.NewRat(steps, 1))
	at.Add(at, big.NewRat(1, 2))
	n := new(big.Int).Quo(at.Num(), at.Denom()) // rounded
	return at.Mul(s.Eps, at.SetFrac(n, big.NewInt(steps)))
}

// places returns after how many mechanisms the stops are.
func (s Setting) places() []int {
	k, n := s.Mechanisms, s.Stops
	places := make([]int, n)
	last := 0
	for i := range places {
		last = max(last+1, k*(i+1)/n)
		if s.Positions != Even {
			last = max(places[max(0, i-1)]+1, k*(i+1)*(i+1)/(n*n))
		}
		places[i] = last
	}
	if s.Positions != Late {
		return places
	}
	mirrored := make([]int, n)
	for i := range mirrored[:n-1] {
		mirrored[i] = k - places[n-2-i]
	}
	mirrored[n-1] = k
	return mirrored
}

// Point is what was found for a setting.
type Point struct {
	Setting
	X float64 // the parameter that is varied

	// Charges of single stops for Delta, so that Lemma 11 needs n·Delta:
	Lemma11 interval.Interval
	OptDel  interval.Interval

	// Charges for which each of the two needs Delta; of Lemma 11 there are none if the mechanisms' own δ are too large for it:
	Schedule *impl.Schedule
}

// measure compares Lemma 11 and Theorem 15 in one setting.
func (s Setting) measure(ctx context.Context, x float64) (Point, error) {
	if err := s.Check(); err != nil {
		return Point{}, err
	}
	p := s.pipeline()
	schedule, err := impl.DesignSchedule(ctx, p, s.Delta, impl.ScheduleOptions{})
	if err == nil && (schedule.SingleStop == nil || schedule.Lemma11 == nil && schedule.Shortfall != "") {
		err = cmp.Or(ctx.Err(), errors.New(schedule.Shortfall))
	}
	if err != nil {
		return Point{}, err
	}
	for i, e := range schedule.SingleStop {
		p.Stops[i].Eps = loss.Nats(e)
	}
	r, err := impl.OptDel(ctx, p, impl.Options{})
	if err == nil {
		err = ctx.Err() // what was interrupted is no measurement
	}
	if err == nil && r.OptDel.Upper.Sign() == 0 {
		err = errors.New("OptDel is 0, must be more for a comparison: what every stop alone may be charged is the largest loss, rounded up")
	}
	if err != nil {
		return Point{}, err
	}
	return Point{Setting: s, X: x, Lemma11: r.Lemma11, OptDel: r.OptDel, Schedule: schedule}, nil
}

// Ratio returns Lemma 11's δ divided by OptDel, for the same charges. It is at least 1, as OptDel is never more, and at most
// the number of stops, as OptDel is at least the δ of every single one.
func (p Point) Ratio() interval.Interval {
	quo := func(x, y *big.Float, mode big.RoundingMode) *big.Float {
		return new(big.Float).SetPrec(53).SetMode(mode).Quo(x, y)
	}
	lower, upper := quo(p.Lemma11.Lower, p.OptDel.Upper, big.ToNegativeInf), big.NewFloat(float64(p.Stops))
	if p.OptDel.Lower.Sign() > 0 {
		upper = quo(p.Lemma11.Upper, p.OptDel.Lower, big.ToPositiveInf)
	}
	if one := big.NewFloat(1); lower.Cmp(one) < 0 {
		lower = one
	}
	return interval.Interval{Lower: lower, Upper: upper}
}

// SavedAtEnd returns how much less is charged at the last stop than with Lemma 11 for the same
// δ, as a part of that; NaN if there is no such charge. Both charges are upper ends, of which each leaves a little of δ.
func (p Point) SavedAtEnd() float64 {
	n := p.Stops - 1
	return saved(p.Schedule.Charges()[n:], p.Schedule.Lemma11[min(n, len(p.Schedule.Lemma11)):])
}

// SavedInMean is SavedAtEnd for the mean over all stops.
func (p Point) SavedInMean() float64 { return saved(p.Schedule.Charges(), p.Schedule.Lemma11) }

// saved returns 1 − Σ charges/Σ others, or NaN if there are no others. The smallest charges are never more with Theorem 15, in the uniform
// shape: what is below 0 is the difference of what is left of δ, and counts as 0.
func saved(charges, others []*big.Rat) float64 {
	if len(others) == 0 {
		return math.NaN()
	}
	x, y := new(big.Rat), new(big.Rat)
	for i := range charges {
		x.Add(x, charges[i])
		y.Add(y, others[i])
	}
	if y.Sign() == 0 {
		return 0
	}
	q, _ := x.Sub(y, x).Quo(x, y).Float64()
	return max(q, 0)
}
