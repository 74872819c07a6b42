package ledger

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"checkrr/impl"
	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// Filter is a privacy filter: a rule that says, before each mechanism, whether it may still run. It is
// given by what it remembers, so that it can be run by a [FilterRun] and challenged by [ChallengeFilter].
//
// What is remembered is a value that == can compare or, if it has a method Key() any, what that returns;
// equal memories must behave the same. Neither method may change a memory.
//
// Source: Whitehouse et al. (2023), Section 3; FAC-U4.
type Filter interface {
	// Start returns what is remembered at first.
	Start() any
	// Spend returns whether m may run now and, if it may, what is remembered then.
	Spend(memory any, m impl.Mechanism) (after any, admitted bool)
}

// SumFilter admits mechanisms while the sum of their ε and that of their δ are within a budget. It is a [PartFilter].
//
// Source: Whitehouse et al. (2023), Section 1.1; FAC-X3.
// Accuracy: exact. Sums that take too much memory are rounded up, see [loss.Sum].
type SumFilter struct{ budget Amount }

// NewSumFilter returns the filter with the budget (eps, delta).
//
// Domain: ε ≥ 0, at most 1e289, or any e^ε ≥ 1; δ in [0, 1].
//
// Also in the checks of FAC-X3.
func NewSumFilter(eps loss.Epsilon, delta *big.Rat) (*SumFilter, error) {
	f, err := sumFilter(eps, delta)
	if err != nil {
		return nil, fmt.Errorf("NewSumFilter: %w", err)
	}
	return &f, nil
}

func sumFilter(eps loss.Epsilon, delta *big.Rat) (SumFilter, error) {
	if err := (&DPGuarantee{eps, delta}).validate(); err != nil {
		return SumFilter{}, err
	}
	return SumFilter{Amount{loss.Of(eps), loss.OfRat(delta)}}, nil
}

// Sums is what filters remember of the mechanisms so far.
type Sums struct {
	Charge loss.Sum `json:"charge"` // Σ ε_m, or Σ ε_m²
	Delta  loss.Sum `json:"delta"`  // Σ δ_m
}

// Key makes equal sums equal.
func (s Sums) Key() any { return [2]any{s.Charge.Key(), s.Delta.Key()} }

// String is the sums for people.
func (s Sums) String() string { return s.Charge.Text() + ", Σδ = " + s.Delta.Text() }

// admit returns s and one more mechanism, if that is within what is given.
func (s Sums) admit(charge loss.Sum, delta *big.Rat, most Amount) (Sums, bool) {
	return s.admitPart(charge, charge, delta, most)
}

// admitPart is admit for a mechanism that is admitted by the worst charge.
func (s Sums) admitPart(worst, charge loss.Sum, delta *big.Rat, most Amount) (Sums, bool) {
	d := loss.OfRat(delta)
	after, admitted := Amount{s.Charge, s.Delta}.spend(Amount{worst, d}, Amount{charge, d}, most)
	return Sums{after.Eps, after.Delta}, admitted
}

// Start implements [Filter]: [Sums] of ε and δ.
func (f *SumFilter) Start() any { return Sums{} }

// Spend implements [Filter].
func (f *SumFilter) Spend(memory any, m impl.Mechanism) (after any, admitted bool) {
	return memory.(Sums).admit(loss.Of(m.Eps), m.Delta, f.budget)
}

// SpendPart implements [PartFilter], as an [Accountant] does: a mechanism is admitted by its worst part, and charged
// for the part observed.
func (f *SumFilter) SpendPart(memory any, g Guarantee, observed int) (after any, admitted bool) {
	return memory.(Sums).admitPart(loss.Of(g.Worst()), loss.Of(g.Parts[observed].Eps), g.Delta, f.budget)
}

// Fits implements [BudgetFilter].
func (f *SumFilter) Fits(memory any, _ Guarantee) float64 {
	left := f.budget.Eps.Minus(memory.(Sums).Charge)
	return largestFit(left.Float().Hi, admittedAlone(f, memory))
}

// Limit returns what is left of ε, exactly.
func (f *SumFilter) Limit(memory any, _ Guarantee) loss.Sum {
	return f.budget.Eps.Minus(memory.(Sums).Charge)
}

// Budget returns (ε, δ).
func (f *SumFilter) Budget() Amount { return f.budget }

// Spent returns what a memory has spent of it: (Σ ε_m, Σ δ_m).
func (f *SumFilter) Spent(memory any) Amount {
	s := memory.(Sums)
	return Amount{s.Charge, s.Delta}
}

// With implements [BudgetFilter].
func (f *SumFilter) With(memory any, g Guarantee) Amount {
	return f.Spent(memory).plusExactly(Amount{loss.Of(g.Worst()), loss.OfRat(g.Delta)})
}

// VarianceFilter admits mechanisms while V = Σ ε_m² is at most a capacity, and Σ δ_m at most δ″.
// FAC-T2 fails as printed; [NewZCDPFilter] says how it is mended.
//
// Source: Whitehouse et al. (2023), Theorems 1, 2 and 8; FAC-T1, FAC-T2, FAC-T8.
// Symbols: V = Σ ε_m², δ = δ(δ′, δ″); see [NewAdaptiveFilter] and [NewZCDPFilter].
// Accuracy: V is not below the real number, and hardly above it; the capacity is not above, and hardly below it.
// Cost: O(1) time a mechanism, O(1) space.
type VarianceFilter struct {
	name     string // of the rule
	budget   Amount
	capacity Amount         // of V, δ″
	log      interval.Float // ln(1/δ′)
}

// NewAdaptiveFilter returns the filter of Theorem 8: it admits mechanisms while
// √(2 ln(1/δ′) V) + V/2 ≤ ε and Σ δ_m ≤ δ″, with δ′ = δ − δ″. Everything together is (ε, δ)-DP.
//
// The capacity of V is where there is equality, (2ε/(√(2L) + √(2L + 2ε)))² with L = ln(1/δ′).
//
// Source: Whitehouse et al. (2023), Theorem 8; FAC-T8.
// Symbols: ε = eps, δ = delta, δ″ = delta2.
// Domain: ε in [0, 1e6], or any e^ε; 0 ≤ δ″ < δ < 1; δ′ at least 1e-300.
// Deviation from print: none.
func NewAdaptiveFilter(eps loss.Epsilon, delta, delta2 *big.Rat) (*VarianceFilter, error) {
	return newVarianceFilter("NewAdaptiveFilter", eps, delta, delta2, false)
}

// NewZCDPFilter returns the filter of Theorem 2: it admits mechanisms while Σ ε_m²/2 ≤ ρ and Σ δ_m ≤ δ″. Everything
// together is δ″-approximate ρ-zCDP, hence (ε, δ)-DP for ρ + 2√(ρ ln(1/δ′)) = ε and δ″ + (1 − δ″)δ′ = δ.
//
// The capacity of V, 2ρ, is that of Theorem 8 for a δ′ that is larger by the factor 1/(1 − δ″).
//
// Source: Whitehouse et al. (2023), Theorems 1 and 2, Lemma 1; FAC-T1, FAC-T2, FAC-L1.
// Symbols: ε = eps, δ = delta, δ″ = delta2.
// Domain: ε in [0, 1e6], or any e^ε; 0 ≤ δ″ < δ < 1; δ′ at least 1e-300.
// Deviation from print: δ′ for δ in the logarithm, δ″ for δ as the limit of Σ δ_m, and the last conversion by Lemma 1.
func NewZCDPFilter(eps loss.Epsilon, delta, delta2 *big.Rat) (*VarianceFilter, error) {
	return newVarianceFilter("NewZCDPFilter", eps, delta, delta2, true)
}

func newVarianceFilter(name string, eps loss.Epsilon, delta, delta2 *big.Rat, isZCDP bool) (*VarianceFilter, error) {
	delta1, err := levelOf(name, eps, delta, delta2, isZCDP)
	if err != nil {
		return nil, err
	}
	capacity, _ := TargetVariance(eps, delta1).Lower.Rat(nil)
	return &VarianceFilter{
		name:     map[bool]string{false: "adaptive", true: "zcdp"}[isZCDP],
		budget:   Amount{loss.Of(eps), loss.OfRat(delta)},
		capacity: Amount{loss.OfRat(capacity), loss.OfRat(delta2)},
		log:      interval.Precision(64).Log(new(big.Rat).Inv(delta1)).Float(),
	}, nil
}

// levelOf returns what a budget leaves of δ beside δ″: δ′ = δ − δ″ or, if that is δ″ + (1 − δ″)δ′, a little more.
func levelOf(name string, eps loss.Epsilon, delta, delta2 *big.Rat, isZCDP bool) (delta1 *big.Rat, err error) {
	defer check.Named(name, &err)
	if err := cmp.Or(check.Rule(check.Epsilon(eps)), check.Rule(loss.FaultExp(eps))); err != nil {
		return nil, err
	}
	if delta == nil || delta.Sign() <= 0 || delta.Cmp(rational.One) >= 0 || rational.Bits(delta) > loss.MaxBits {
		return nil, fmt.Errorf("delta is %s, must be more than 0 and less than 1", rational.Decimal(delta))
	}
	if delta2 == nil || delta2.Sign() < 0 || delta2.Cmp(delta) >= 0 || rational.Bits(delta2) > loss.MaxBits {
		return nil, fmt.Errorf("δ″ is %s, must be at least 0 and less than delta, %s", rational.Decimal(delta2),
			rational.Decimal(delta))
	}
	if delta1 = new(big.Rat).Sub(delta, delta2); isZCDP {
		delta1.Quo(delta1, new(big.Rat).Sub(rational.One, delta2))
	}
	return delta1, check.In("δ′", delta1, "[1e-300, 1)")
}

// Start implements [Filter]: [Sums] of ε² and δ.
func (f *VarianceFilter) Start() any { return Sums{} }

// Spend implements [Filter].
func (f *VarianceFilter) Spend(memory any, m impl.Mechanism) (after any, admitted bool) {
	return memory.(Sums).admit(squared(m.Eps), m.Delta, f.capacity)
}

// squared returns ε²; if ε was given as e^ε, slightly more.
func squared(eps loss.Epsilon) loss.Sum {
	e := eps.Rat()
	if eps.Log {
		e, _ = loss.Enclose(eps, interval.Precision(96)).Upper.Rat(nil)
	}
	return loss.OfRat(e.Mul(e, e)) // e is a copy
}

// Fits implements [BudgetFilter].
func (f *VarianceFilter) Fits(memory any, _ Guarantee) float64 {
	left := f.capacity.Eps.Minus(memory.(Sums).Charge)
	return largestFit(left.Float().Sqrt().Hi, admittedAlone(f, memory))
}

// largestFit returns the largest number for which a filter admits an (ε, 0)-DP mechanism, as it does for its shortest
// decimal; 0 always fits, nothing above x does. It goes down from x with strides that double, and bisects the last
// one. Float64s are taken by their bits, which are in the same order, so that 64 steps of each kind reach all of
// them.
//
// A charge that is rounded may fall where ε grows by little. There are several numbers then that fit although the
// next float64 does not, and it is one of them.
func largestFit(x float64, admits func(loss.Epsilon) bool) float64 {
	fits := func(at uint64) bool { return admitsBoth(admits, math.Float64frombits(at)) }
	hi := math.Float64bits(max(0, x)) + 1
	lo := hi - 1
	for stride := uint64(1); lo > 0 && !fits(lo); stride *= 2 {
		hi, lo = lo, lo-min(lo, stride)
	}
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; fits(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Float64frombits(lo)
}

// admittedAlone returns whether a filter admits an (ε, 0)-DP mechanism.
func admittedAlone(f Filter, memory any) func(loss.Epsilon) bool {
	return func(eps loss.Epsilon) bool {
		_, admitted := f.Spend(memory, impl.Mechanism{Eps: eps, Delta: new(big.Rat), Count: 1})
		return admitted
	}
}

// admitsBoth reports whether an ε is admitted for a float64 as it is and for its shortest decimal, as the larger one
// need not be dearer.
func admitsBoth(admits func(loss.Epsilon) bool, x float64) bool {
	return admits(loss.Nats(rational.MustParse(strconv.FormatFloat(x, 'g', -1, 64)))) &&
		admits(loss.Nats(new(big.Rat).SetFloat64(x)))
}

// Limit returns the root of what is left of the capacity, rounded down.
func (f *VarianceFilter) Limit(memory any, _ Guarantee) loss.Sum {
	left := f.capacity.Eps.Minus(memory.(Sums).Charge)
	if left.Sign() <= 0 {
		return loss.Sum{}
	}
	root, _ := bits.Sqrt(left.Bounds(uint(bits))).Lower.Rat(nil)
	return loss.OfRat(root)
}

// Budget returns (ε, δ).
func (f *VarianceFilter) Budget() Amount { return f.budget }

// Spent returns what a memory has spent of the budget: √(2 ln(1/δ′) V) + V/2, rounded up and at most ε, and
// Σ δ_m beside δ − δ″, which is for the bound from the start. So δ″ − Σ δ_m remains.
func (f *VarianceFilter) Spent(memory any) Amount {
	spent := f.spentBy(memory.(Sums))
	if spent.Eps.Cmp(f.budget.Eps) > 0 { // by rounding only: V is within the capacity
		spent.Eps = f.budget.Eps
	}
	return spent
}

func (f *VarianceFilter) spentBy(s Sums) Amount {
	spent := Amount{Delta: f.budget.Delta.Minus(f.capacity.Delta).PlusExactly(s.Delta)}
	if s.Charge.Sign() == 0 {
		return spent
	}
	v := s.Charge.Float()
	spent.Eps = loss.OfRat(new(big.Rat).SetFloat64(interval.Point(2).Mul(f.log).Mul(v).Sqrt().Add(half(v)).Hi))
	return spent
}

// With implements [BudgetFilter].
func (f *VarianceFilter) With(memory any, g Guarantee) Amount {
	s := memory.(Sums)
	eps, delta := g.AsDP()
	return f.spentBy(Sums{s.Charge.Plus(squared(eps)), s.Delta.Plus(loss.OfRat(delta))})
}

// BudgetFilter is a filter that keeps a budget (ε, δ) and knows what is left of it.
type BudgetFilter interface {
	Filter
	Budget() Amount
	Spent(memory any) Amount
	With(memory any, g Guarantee) Amount // what Spent would be after a mechanism at its worst, be it admitted or not
	// Fits returns the largest ε, rounded down, that the worst part of a mechanism with δ = 0 may have to be admitted
	// yet. The mechanism is like a guarantee in its other parts; with none, it has one part: it is (ε, 0)-DP.
	Fits(memory any, like Guarantee) float64
	Limit(memory any, like Guarantee) loss.Sum // the same as a sum: hardly below the real number, and never above it
	Check(events int, memory any) error        // why it cannot be this that the filter remembers of so many mechanisms
}
