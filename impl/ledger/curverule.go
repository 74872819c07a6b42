package ledger

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// OdometerRule is a privacy odometer, given by what it remembers, to be challenged by [ChallengeOdometer].
// Memories are as for a [Filter].
//
// Source: Whitehouse et al. (2023), Definition 6; FAC-D6.
type OdometerRule interface {
	// Start returns what is remembered at first.
	Start() any
	// Spend returns what is remembered after m.
	Spend(memory any, m impl.Mechanism) (after any)
	// Reading returns an interval that contains the running ε: a point, if what is shown is meant.
	// [math.MaxFloat64] stands for a number that no finite loss exceeds.
	Reading(memory any) interval.Float
}

// CurveRule is the rule of an [Odometer]: it reads +Inf once Σ δ_m exceeds δ″, and before that what a curve
// charges for V and −ln(1 − Σ δ_m), or Σ ε_m if that is less. The latter is never exceeded by a finite loss, so that
// the rule need not remember it.
//
// Also in the checks of FAC-T3.
type CurveRule struct {
	curve Curve
	log   interval.Float
	most  loss.Sum
}

// NewCurveRule returns the rule of NewOdometer(curve, delta1, delta2).
//
// Also in the checks of FAC-T3.
func NewCurveRule(curve Curve, delta1, delta2 *big.Rat) (*CurveRule, error) {
	o, err := NewOdometer(curve, delta1, delta2)
	if err != nil {
		return nil, err
	}
	return &CurveRule{o.curve, o.log, o.most}, nil
}

// passed is the memory of a [CurveRule] once the δ of the mechanisms have exceeded δ″: nothing is promised any more.
type passed struct{}

// String is the memory for people.
func (passed) String() string { return "no bound any more" }

// Start implements [OdometerRule].
func (r *CurveRule) Start() any { return Sums{} }

// Spend implements [OdometerRule].
func (r *CurveRule) Spend(memory any, m impl.Mechanism) any {
	s, isBound := memory.(Sums)
	if !isBound {
		return memory
	}
	next := Sums{s.Charge.Plus(squared(m.Eps)), s.Delta.Plus(loss.OfRat(m.Delta))}
	if next.Delta.Cmp(r.most) > 0 {
		return passed{}
	}
	return next
}

// Reading implements [OdometerRule].
func (r *CurveRule) Reading(memory any) interval.Float {
	s, isBound := memory.(Sums)
	switch {
	case !isBound:
		return interval.Point(math.Inf(1))
	case s.Charge.Sign() == 0:
		return interval.Point(0)
	}
	return interval.Point(min(charge(r.curve, s.Charge.Float(), r.log, shift(s.Delta)), math.MaxFloat64))
}
