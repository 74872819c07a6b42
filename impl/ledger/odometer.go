package ledger

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"sync"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// Curve is the charge of an odometer as a function of V = Σ ε_m², the intrinsic time: it is valid
// at all times at once with probability 1 − δ′.
type Curve interface {
	// Charge returns an upper bound of the charge, which may be +Inf. log contains ln(1/δ′).
	Charge(v, log interval.Float) float64
	// checked returns the curve in memory of its own.
	checked(delta1 *big.Rat) (Curve, error)
}

// FilterCurve is the filter odometer, √(2 ln(1/δ′) y*)/2 + V·√(2 ln(1/δ′))/(2√y*) + V/2: a line
// that touches the curve of advanced composition, √(2 ln(1/δ′) V) + V/2, at V = y*.
//
// Source: Whitehouse et al. (2023), Theorem 3, 1; FAC-T3.
// Also in the checks of FAC-F3.
// Symbols: y* solves √(2 ln(1/δ′) y*) + y*/2 = Target.
// Domain: Target > 0.
// Deviation from print: the radicand in y* is 2 ln(1/δ′) + 2·Target; with Target for 2·Target,
// as printed, the line touches at about a quarter of the target variance (FAC-X24). Any y* > 0 is valid.
type FilterCurve struct{ Target float64 }

// Charge implements [Curve].
func (c FilterCurve) Charge(v, log interval.Float) float64 { return c.Enclose(v, log).Hi }

// Enclose returns an interval that contains the charge.
func (c FilterCurve) Enclose(v, log interval.Float) interval.Float {
	two := interval.Point(2)
	level := two.Mul(log).Sqrt()
	// √y* = −√(2L) + √(2L + 2ε) = 2ε/(√(2L) + √(2L + 2ε)), without a difference
	target := interval.Point(c.Target)
	root := two.Mul(target).Quo(level.Add(two.Mul(log).Add(two.Mul(target)).Sqrt()))
	return level.Mul(root.Add(v.Quo(root))).Mul(interval.Point(0.5)).Add(half(v))
}

func (c FilterCurve) checked(*big.Rat) (Curve, error) {
	return c, positiveParameter("target", c.Target)
}

// MixtureCurve is the mixture odometer, √(2 (V + γ) ln((1/δ′) √((V + γ)/γ))) + V/2.
// FAC-T3 fails as printed if δ_m > 0; an [Odometer] of this curve adds what is missing.
//
// Source: Whitehouse et al. (2023), Theorem 3, 2; FAC-T3.
// Also in the checks of FAC-F3.
// Domain: γ = Gamma > 0.
// Deviation from print: none.
type MixtureCurve struct{ Gamma float64 }

// Charge implements [Curve].
func (c MixtureCurve) Charge(v, log interval.Float) float64 { return c.Enclose(v, log).Hi }

// Enclose returns an interval that contains the charge.
func (c MixtureCurve) Enclose(v, log interval.Float) interval.Float {
	return MixtureBoundary(v, interval.Point(c.Gamma), log).Add(half(v))
}

func (c MixtureCurve) checked(*big.Rat) (Curve, error) { return c, positiveParameter("gamma", c.Gamma) }

// StitchedCurve is the stitched odometer, 1.7 √(V (ln ln(2V/v_0) + 0.72 ln(5.2/δ′))) + V/2 from
// V = v_0 on, and ∞ before. So a reading, which is Σ ε_m before, can fall there.
// FAC-T3 fails as printed if δ_m > 0; an [Odometer] of this curve adds what is missing.
//
// Source: Whitehouse et al. (2023), Theorem 3, 3; FAC-T3.
// Also in the checks of FAC-F3.
// Domain: v_0 = V0 > 0.
// Deviation from print: none.
type StitchedCurve struct{ V0 float64 }

// Charge implements [Curve].
func (c StitchedCurve) Charge(v, log interval.Float) float64 {
	return StitchedBoundary(v, interval.Point(c.V0), log).Add(half(v)).Hi
}

// Enclose returns an interval that contains the charge for V of at least v_0.
func (c StitchedCurve) Enclose(v, log interval.Float) interval.Float {
	return stitched(v, interval.Point(c.V0), log).Add(half(v))
}

func (c StitchedCurve) checked(*big.Rat) (Curve, error) { return c, positiveParameter("v0", c.V0) }

// RogersCurve is the odometer of Rogers, Roth, Ullman and Vadhan (2016) for a database of Size records.
//
// Source: Whitehouse et al. (2023), Lemma 3; FAC-L3.
// Also in the checks of FAC-F3.
// Domain: Size in [2, 1e100]; δ′ at most 1/e.
// It can fall where V reaches 1/Size²; each charge is valid all the same.
// Deviation from print: where V is not in [1/Size², 1], print has ln ln((4/δ′) log_2 Size) for ln((4/δ′) log_2 Size),
// with which it is exceeded too often.
type RogersCurve struct{ Size float64 }

// Charge implements [Curve].
func (c RogersCurve) Charge(v, log interval.Float) float64 { return c.Enclose(v, log).Hi }

// Enclose returns an interval that contains the charge.
func (c RogersCurve) Enclose(v, log interval.Float) interval.Float {
	two, one, size := interval.Point(2), interval.Point(1), interval.Point(c.Size)
	least := one.Quo(size.Mul(size))
	inner := interval.FloatOf(big.NewRat(110, 1)).Log().Add(one).Add(two.Mul(size.Log().Log().Add(log)))
	inside := two.Mul(v).Mul(inner).Sqrt().Add(half(v))
	levels := two.Mul(two.Log()).Add(log).Add(size.Log().Quo(two.Log()).Log()) // ln((4/δ′) log_2 |x|)
	spread := one.Add(half(one.Add(v.Quo(least)).Log()))
	outside := two.Mul(least.Add(v)).Mul(spread).Mul(levels).Sqrt().Add(half(v))
	switch {
	case v.Lo >= least.Hi && v.Hi <= 1:
		return inside
	case v.Hi < least.Lo || v.Lo > 1:
		return outside
	}
	return inside.Hull(outside)
}

func (c RogersCurve) checked(delta1 *big.Rat) (Curve, error) {
	if !(c.Size >= 2 && c.Size <= 1e100) {
		return nil, fmt.Errorf("size is %g, must be at least 2 and at most 1e100", c.Size)
	}
	if bits.Log(new(big.Rat).Inv(delta1)).Float().Lo < 1 {
		return nil, fmt.Errorf("δ′ is %s, must be at most 1/e, 0.3678…", rational.Decimal(delta1))
	}
	return c, nil
}

// BestCurve is the smallest of several curves, each at its share δ′/k of the level (union bound).
type BestCurve []Curve

// Charge implements [Curve].
func (c BestCurve) Charge(v, log interval.Float) float64 {
	share := log.Add(interval.Point(float64(len(c))).Log())
	least := math.Inf(1)
	for _, curve := range c {
		least = min(least, curve.Charge(v, share))
	}
	return least
}

func (c BestCurve) checked(delta1 *big.Rat) (Curve, error) {
	if len(c) == 0 {
		return nil, errors.New("there are 0 curves, must be at least 1")
	}
	share := new(big.Rat).Quo(delta1, big.NewRat(int64(len(c)), 1))
	var own BestCurve
	var errs []error
	for _, curve := range c {
		switch curve.(type) {
		case BestCurve, *BestCurve: // perhaps itself
			return nil, errors.New("a curve of a BestCurve is one, must be another")
		}
		mine, err := ownCurve(curve, share)
		own, errs = append(own, mine), append(errs, err)
	}
	return own, errors.Join(errs...)
}

// ownCurve returns a curve in memory of its own. One that has another inside is not one of this package.
func ownCurve(c Curve, delta1 *big.Rat) (Curve, error) {
	given := reflect.ValueOf(c)
	if !given.IsValid() || given.Kind() == reflect.Pointer && given.IsNil() {
		return nil, errors.New("a curve is missing")
	}
	if reflect.Indirect(given).Type().PkgPath() != reflect.TypeFor[FilterCurve]().PkgPath() {
		return nil, fmt.Errorf("a curve is a %T, must be one of this package", c)
	}
	return c.checked(delta1)
}

func half(x interval.Float) interval.Float { return x.Mul(interval.Point(0.5)) }

func positiveParameter(name string, x float64) error {
	if !(x >= 1e-100 && x <= 1e100) {
		return fmt.Errorf("%s is %g, must be at least 1e-100 and at most 1e100", name, x)
	}
	return nil
}

// Odometer is a running ε of mechanisms whose parameters are chosen as one goes: with probability
// 1 − δ the privacy loss never exceeds it. It is safe for concurrent use.
//
// Each mechanism is (ε_m, δ_m)-probabilistically DP given the outputs before it; for δ_m = 0 that is
// ε_m-DP. (ε_m, δ_m)-DP is not enough if δ_m > 0: FAC-X32.
//
// What a curve charges is short of the truth if δ_m > 0. Where the loss L of a mechanism is in [−ε, ε] it has
// Pr_1 ≥ 1 − δ, not 1: E[e^(−L)] ≥ 1 − δ there. For s = −ln(1 − δ), E[e^(−(L−s))] ≥ 1, and e^(λx) lies below its chord
// in e^(−x) on [−ε − s, ε − s]. By Hoeffding's lemma for the two ends, E[e^(λ(L−s))] ≤ e^(λ(λ+1)ε²/2): the curves are
// for L − s. So Σ s_m ≤ −ln(1 − Σ δ_m) is added. The smallest mechanism that needs it has the laws (1, 0) and (1 − δ,
// δ), and ε = −ln(1 − δ): its loss is ε for sure, and n·ε exceeds a charge of about √(2 ln(1/δ′) n)·ε.
//
// A mechanism may read one of several disjoint parts of the data only, its partition; see [Partitioned]. Then each
// partition has an odometer, and the reading is the largest. A pair of neighbours differs in one partition. For that
// pair all other mechanisms are (0, 0)-DP, which adds nothing to any of the sums, so the odometer of that partition
// is that of Theorem 3, and with probability 1 − δ the loss never exceeds it, hence not the largest. That is so for
// every curve: each bounds the loss of a pair by V alone. The Size of a [RogersCurve] is a number in it, whatever
// number of records a partition has.
//
// Source: Whitehouse et al. (2023), Definition 6 and Theorem 3; FAC-D6, FAC-T3.
// Symbols: δ = δ′ + δ″; V = Σ ε_m².
// Accuracy: never below the real number, and hardly above it.
// Deviation from print: −ln(1 − Σ δ_m) is added, without which Theorem 3 does not hold; the first mechanism counts,
// too, if its δ exceeds δ″; the charge is never above Σ ε_m.
// Cost: O(1) time a mechanism, O(1) space; a mechanism on all of the data and a reading take a step for every
// partition.
type Odometer struct {
	curve Curve
	level loss.Sum       // δ′
	log   interval.Float // ln(1/δ′)
	most  loss.Sum       // δ″

	mu    sync.Mutex
	n     int
	lanes Partitioned[*odometerLane]
}

// odometerLane is what an [Odometer] remembers of the mechanisms that read some records.
type odometerLane struct {
	OdometerSums
	shift   float64  // for Σ δ_m
	isStale bool     // as Σ δ_m has changed since
	shown   *Reading // of these sums; nil until it is asked for
}

// NewOdometer returns an odometer of a curve at level δ′ for mechanisms that may leak δ″ together.
//
// Domain: δ′ in [1e-300, 1), δ″ ≥ 0 with δ′ + δ″ < 1.
func NewOdometer(curve Curve, delta1, delta2 *big.Rat) (*Odometer, error) {
	err := check.In("δ′", delta1, "[1e-300, 1)")
	if err == nil {
		curve, err = ownCurve(curve, delta1)
	}
	if err = cmp.Or(err, check.In("δ″", delta2, "[0, 1)")); err == nil { // with more nothing is promised
		err = check.In("δ′ + δ″", new(big.Rat).Add(delta1, delta2), "[0, 1)")
	}
	if err != nil {
		return nil, fmt.Errorf("NewOdometer: %w", err)
	}
	log := interval.Precision(64).Log(new(big.Rat).Inv(delta1)).Float()
	return &Odometer{curve: curve, level: loss.OfRat(delta1), log: log, most: loss.OfRat(delta2),
		lanes: NewPartitioned(&odometerLane{})}, nil
}

// Spend counts a mechanism on all of the data, or returns a [*GuaranteeError] for one that is none. A δ above 0 must be
// that of probabilistic DP, as [Guarantee.AsPDP] has it. Once the δ of all together exceed δ″, the reading is infinite
// from there on; that is no error.
func (o *Odometer) Spend(eps loss.Epsilon, delta *big.Rat) error { return o.SpendOn("", eps, delta) }

// SpendOn counts a mechanism on a partition or, if that is "", on all of the data. The error is a [*GuaranteeError]
// for a mechanism that is none, or that of a partition that cannot be told apart.
func (o *Odometer) SpendOn(partition string, eps loss.Epsilon, delta *big.Rat) error {
	if err := (&DPGuarantee{eps, delta}).validate(); err != nil {
		return err
	}
	square, once := squared(eps), loss.Of(eps)
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.lanes.Step(partition, func(l *odometerLane) (*odometerLane, error) {
		next := *l
		next.V, next.Eps, next.shown = l.V.Plus(square), l.Eps.Plus(once), nil
		if delta.Sign() > 0 {
			next.Delta, next.isStale = l.Delta.Plus(loss.OfRat(delta)), true
		}
		return &next, nil
	})
	if err == nil {
		o.n++
	}
	return err
}

// Reading is what an odometer shows.
type Reading struct {
	Events int
	V      interval.Float // contains Σ ε_m², the largest of all partitions
	Eps    float64        // the running ε, rounded up, likewise; +Inf while there is none
}

// Read returns what the odometer shows now.
func (o *Odometer) Read() Reading {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := Reading{Events: o.n}
	for l := range o.lanes.values() {
		of := o.read(l)
		r.V, r.Eps = interval.NewFloat(max(r.V.Lo, of.V.Lo), max(r.V.Hi, of.V.Hi)), max(r.Eps, of.Eps)
	}
	return r
}

// ReadOn returns V and the running ε for the records of one partition; without a name, for those in none.
func (o *Odometer) ReadOn(partition string) (v interval.Float, eps float64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.read(o.lanes.On(partition))
	return r.V, r.Eps
}

// read returns the reading for some records.
func (o *Odometer) read(l *odometerLane) *Reading {
	if l.shown != nil {
		return l.shown
	}
	r := &Reading{V: l.V.Float(), Eps: math.Inf(1)}
	if l.Delta.Cmp(o.most) <= 0 {
		if l.isStale {
			l.shift, l.isStale = shift(l.Delta), false
		}
		// no loss exceeds its ε, but with probability δ″
		r.Eps = min(charge(o.curve, r.V, o.log, l.shift), l.Eps.Float().Hi)
	}
	l.shown = r
	return r
}

// charge returns what a curve charges, and the shift for the δ of the mechanisms.
func charge(c Curve, v, log interval.Float, shift float64) float64 {
	of := c.Charge(v, log)
	if math.IsNaN(of) { // of a V beyond float64
		return math.Inf(1)
	}
	if shift == 0 || math.IsInf(of, 1) {
		return of
	}
	return interval.Point(of).Add(interval.Point(shift)).Hi
}

// shift returns −ln(1 − Σ δ_m), rounded up, for Σ δ_m < 1. δ/(1 − δ) is an upper bound, and the better one of the
// smallest.
func shift(delta loss.Sum) float64 {
	d, _ := delta.Rat()
	if d.Sign() == 0 {
		return 0
	}
	rest := new(big.Rat).Sub(rational.One, d)
	return min(interval.FloatOf(rest).Log().Neg().Hi, interval.FloatOf(d.Quo(d, rest)).Hi)
}

// TargetVariance returns y*, where √(2 ln(1/δ′) y*) + y*/2 = ε: the V up to which advanced composition
// charges at most ε, and where the filter odometer is tightest.
//
// With L = ln(1/δ′) it is (2ε/(√(2L) + √(2L + 2ε)))², without a difference.
//
// Source: Whitehouse et al. (2023), Theorem 3, 1, and eq. (11); FAC-T3, FAC-E11.
// Symbols: ε = target, δ′ = delta1.
// Domain: ε ≥ 0, δ′ in (0, 1).
// Accuracy: contains y*; relative width about 2^-180.
// Deviation from print: the radicand is 2L + 2ε; print has 2L + ε, which does not solve the equation (FAC-X24).
// Cost: O(1).
func TargetVariance(target loss.Epsilon, delta1 *big.Rat) interval.Interval {
	log := bits.Log(new(big.Rat).Inv(delta1))
	twice, level := loss.Enclose(target, bits), bits.Add(log, log)
	twice = bits.Add(twice, twice)
	root := bits.Quo(twice, bits.Add(bits.Sqrt(level), bits.Sqrt(bits.Add(level, twice))))
	return bits.Mul(root, root)
}

// AdvancedCharge returns f(y) = √(2 ln(1/δ′) y) + y/2, for y = Σ ε_m².
//
// Source: Whitehouse et al. (2023), eq. (11); FAC-E11.
// Also in the checks of FAC-F3 and FAC-X24.
// Symbols: δ′ = delta1.
// Domain: y ≥ 0, δ′ in (0, 1).
// Accuracy: contains f(y); relative width about 2^-180.
// Deviation from print: none.
// Cost: O(1).
func AdvancedCharge(y, delta1 *big.Rat) interval.Interval {
	v, log := bits.Rat(y), bits.Log(new(big.Rat).Inv(delta1))
	return bits.Add(bits.Sqrt(bits.Mul(bits.Add(log, log), v)), bits.Half(v))
}
