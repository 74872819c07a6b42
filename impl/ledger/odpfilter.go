package ledger

import (
	"fmt"
	"math"
	"math/big"
	"sync"

	"checkrr/impl"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/rootfind"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// PartFilter is a [Filter] that charges a mechanism for the part of its outputs that was observed.
type PartFilter interface {
	Filter
	// SpendPart returns whether a mechanism with the guarantee g may run now, which must not depend on what it will
	// output, and, if it may and its output is in that part, by number from 0, what is remembered then.
	SpendPart(memory any, g Guarantee, observed int) (after any, admitted bool)
}

// ODPFilter is a filter for output differential privacy whose charge for a small ε is quadratic: it admits a
// mechanism if the [ODPReading] after it is at most ε even if the part with the largest ℰ is observed, and Σ δ_i is
// at most δ″. What it admits contains what [SumFilter] with the budget (ε, δ″) does. All of it together is (ε, δ)-DP.
//
// Source: docs/odp-filter.md, Theorem 2; OUR-T4.
// Symbols: c_i = [BetCharge] of the part observed with the bet of the mechanism, [ODPBet]; δ = δ″ + (1 − δ″)δ′.
// Accuracy: charges are rounded up to multiples of 10^-18, those of a mechanism with one part by less than 10^-14·(1
// + λℰ), others by less than 10^-11·e^(3λℰ) for the largest ℰ, as the bet is known to 10^-12 only, and to at most
// twice the charge of ℰ alone; the capacity down.
// Cost: O(parts) time a mechanism, O(1) space.
type ODPFilter struct {
	budget   Amount
	leak     loss.Sum // δ″
	lambda   *big.Rat
	at       interval.Float    // λ
	floor    interval.Interval // the capacity for ε = 0
	capacity loss.Sum          // of Σ c_i; may be negative

	mu      sync.Mutex
	charges map[[3]interval.Float]loss.Sum // some that were asked for, by the smallest, the largest and the observed ℰ
}

// NewODPFilter returns the filter for the budget (ε, δ), of which δ″ is for the δ of the mechanisms.
// Without a lambda, nil, it is about [BestLambda].
//
// Source: docs/odp-filter.md, Theorem 2; OUR-T4.
// Symbols: ε = eps, δ = delta, δ″ = delta2, λ = lambda.
// Domain: ε in [0, 1e6], or any e^ε; 0 ≤ δ″ < δ < 1; δ′ at least 1e-300; λ in [1e-6, 1e12].
func NewODPFilter(eps loss.Epsilon, delta, delta2, lambda *big.Rat) (*ODPFilter, error) {
	delta1, err := levelOf("NewODPFilter", eps, delta, delta2, true)
	if err != nil {
		return nil, err
	}
	if lambda == nil {
		lambda = rational.MustParse(fmt.Sprintf("%.4g", BestLambda(loss.Float64(eps), rational.Float64(delta1))))
	}
	if lambda.Cmp(leastLambda) < 0 || lambda.Cmp(mostLambda) > 0 || rational.Bits(lambda) > loss.MaxBits {
		return nil, fmt.Errorf("NewODPFilter: lambda is %s, must be between 1e-6 and 1e12", rational.Decimal(lambda))
	}
	f := &ODPFilter{budget: Amount{loss.Of(eps), loss.OfRat(delta)}, leak: loss.OfRat(delta2),
		lambda: rational.Copy(lambda), at: interval.FloatOf(lambda)}
	f.floor = BetCapacity(lambda, loss.Nats(new(big.Rat)), delta1)
	capacity, _ := BetCapacity(lambda, eps, delta1).Lower.Rat(nil)
	f.capacity = loss.OfRat(capacity)
	return f, nil
}

var leastLambda, mostLambda = rational.MustParse("1e-6"), rational.MustParse("1e12")

// Lambda returns a copy of λ.
func (f *ODPFilter) Lambda() *big.Rat { return rational.Copy(f.lambda) }

// Budget returns (ε, δ).
func (f *ODPFilter) Budget() Amount { return f.budget }

// ODPSums is what an [ODPFilter] remembers of the mechanisms so far.
type ODPSums struct {
	Eps    loss.Sum `json:"eps"`    // Σ ℰ_i of the parts observed
	Charge loss.Sum `json:"charge"` // Σ c_i of the parts observed
	Delta  loss.Sum `json:"delta"`  // Σ δ_i
}

// Key makes equal sums equal.
func (s ODPSums) Key() any { return [3]any{s.Eps.Key(), s.Charge.Key(), s.Delta.Key()} }

// String is the sums for people.
func (s ODPSums) String() string {
	return fmt.Sprintf("Σℰ = %s, Σc = %.6g, Σδ = %s", s.Eps.Text(), s.Charge.Float().Hi, s.Delta.Text())
}

func (s ODPSums) plus(eps, charge, delta loss.Sum) ODPSums {
	return ODPSums{s.Eps.Plus(eps), s.Charge.Plus(charge), s.Delta.Plus(delta)}
}

// Start implements [Filter]: [ODPSums].
func (f *ODPFilter) Start() any { return ODPSums{} }

// Spend implements [Filter]: a mechanism with one part.
func (f *ODPFilter) Spend(memory any, m impl.Mechanism) (after any, admitted bool) {
	return f.spend(memory.(ODPSums), m.Delta, m.Eps, m.Eps, m.Eps)
}

// SpendPart implements [PartFilter].
func (f *ODPFilter) SpendPart(memory any, g Guarantee, observed int) (after any, admitted bool) {
	if len(g.Parts) == 1 {
		return f.Spend(memory, impl.Mechanism{Eps: g.Parts[0].Eps, Delta: g.Delta})
	}
	return f.spend(memory.(ODPSums), g.Delta, g.least(), g.Worst(), g.Parts[observed].Eps)
}

func (f *ODPFilter) spend(s ODPSums, delta *big.Rat, least, most, observed loss.Epsilon) (after any, admitted bool) {
	d := loss.OfRat(delta)
	if s.Delta.PlusExactly(d).Cmp(f.leak) > 0 {
		return s, false
	}
	low, high := around(least), around(most)
	charge := f.charge(low, high, high)
	isInSum := s.Eps.PlusExactly(loss.Of(most)).Cmp(f.budget.Eps) <= 0
	if !isInSum && s.Charge.PlusExactly(charge).Cmp(f.capacity) > 0 {
		return s, false
	}
	if !observed.Equal(most) { // no part is charged more than the worst one, but rounding may say so
		if c := f.charge(low, high, around(observed)); c.Cmp(charge) < 0 {
			charge = c
		}
	}
	sums := s.plus(loss.Of(observed), charge, d)
	sums.Delta = sums.Delta.CutTo(f.leak)
	if isInSum { // then what is above the budget is rounding
		sums.Eps = sums.Eps.CutTo(f.budget.Eps)
	}
	return sums, true
}

// maxCharges is how many charges a filter keeps.
const maxCharges = 4096

// charge returns what a part is charged, rounded up. Ledgers repeat themselves, and a charge takes some microseconds.
func (f *ODPFilter) charge(least, most, eps interval.Float) loss.Sum {
	if eps.Hi == 0 {
		return loss.Sum{}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	at := [3]interval.Float{least, most, eps}
	c, known := f.charges[at]
	if !known {
		c = roundedUp(pricingOf(f.at, least, most).charge(eps).Hi)
		if f.charges == nil || len(f.charges) == maxCharges {
			f.charges = map[[3]interval.Float]loss.Sum{}
		}
		f.charges[at] = c
	}
	return c
}

// Spent returns what a memory has spent of the budget: the [ODPReading], rounded up and at most ε, and Σ δ_i beside
// δ − δ″, which is for the bound from the start. So δ″ − Σ δ_i remains.
func (f *ODPFilter) Spent(memory any) Amount {
	spent := f.spentBy(memory.(ODPSums))
	if spent.Eps.Cmp(f.budget.Eps) > 0 { // by rounding only
		spent.Eps = f.budget.Eps
	}
	return spent
}

func (f *ODPFilter) spentBy(s ODPSums) Amount {
	spent := Amount{s.Eps, f.budget.Delta.Minus(f.leak).PlusExactly(s.Delta)}
	if reading := loss.OfRat(new(big.Rat).SetFloat64(reading(f.at, f.floor, s.Eps,
		s.Charge).Hi)); reading.Cmp(spent.Eps) < 0 {
		spent.Eps = reading
	}
	return spent
}

// With implements [BudgetFilter]: by the [ODPReading] with the charge of its worst part.
func (f *ODPFilter) With(memory any, g Guarantee) Amount {
	worst := around(g.Worst())
	return f.spentBy(memory.(ODPSums).plus(loss.Of(g.Worst()), f.charge(around(g.least()), worst, worst),
		loss.OfRat(g.Delta)))
}

// Fits implements [BudgetFilter]. The bet of a mechanism with several parts serves the smallest ℰ as well, and
// charges the largest more.
func (f *ODPFilter) Fits(memory any, like Guarantee) float64 {
	s := memory.(ODPSums)
	bySum := f.budget.Eps.Minus(s.Eps).Float().Hi
	byCharge := max(0, f.capacity.Minus(s.Charge).Float().Quo(f.at).Hi) + 0.7/f.at.Lo // a charge is at least λε − ln 2
	return largestFit(max(bySum, byCharge), func(most loss.Epsilon) bool {
		least := most
		if len(like.Parts) > 1 && loss.Of(like.least()).Cmp(loss.Of(most)) < 0 {
			least = like.least()
		}
		_, admitted := f.spend(s, new(big.Rat), least, most, most)
		return admitted
	})
}

// Limit returns what is left of ε by the sum, exactly, or Fits if that is more.
func (f *ODPFilter) Limit(memory any, like Guarantee) loss.Sum {
	bySum, fits := f.budget.Eps.Minus(memory.(ODPSums).Eps), loss.OfRat(new(big.Rat).SetFloat64(f.Fits(memory, like)))
	if bySum.Cmp(fits) < 0 {
		return fits
	}
	return bySum
}

// BestLambda returns about the λ for which a budget admits the most mechanisms of small ε: it maximizes [BetCapacity]
// over λ(λ + 1)/2, where a charge is nearly λ(λ + 1)ε²/2.
//
// Source: docs/odp-filter.md, "Which λ"; OUR-X20.
// Symbols: ε = eps, δ′ = delta1.
// Domain: ε ≥ 0, δ′ in (0, 1).
// Accuracy: about 7 digits; any λ is valid. Result in [1e-6, 1e12].
// Cost: O(1).
func BestLambda(eps, delta1 float64) float64 {
	log := math.Log(delta1)
	return math.Exp(rootfind.Least(math.Log(1e-6), math.Log(1e12), func(x float64) float64 {
		lambda := math.Exp(x)
		return -(lambda*eps + log + math.Log1p(lambda) + lambda*math.Log1p(1/lambda)) / (lambda * (lambda + 1))
	}))
}

// ODPReading returns the ε of everything so far: Σ ℰ_i of the parts observed or, if that is less, what their charges
// say, (Σ c_i + ln(1/δ′) − (1 + λ)ln(1 + λ) + λ ln λ)/λ. Wherever one stops, everything together is (𝒫, ℰ, δ)-ODP,
// if the parts of 𝒫 are where the reading is the same, and ℰ is the reading. That is an odometer for ODP.
//
// Source: docs/odp-filter.md, Theorem 1; OUR-T3.
// Symbols: λ = lambda, δ′ = delta1, Σ ℰ_i = eps, Σ c_i = charges.
// Domain: λ in [1e-6, 1e12], δ′ in [1e-300, 1); sums ≥ 0. Result at least 0.
// Accuracy: contains the number; width at most 10^-14 times 1 + the result.
// Cost: O(1).
func ODPReading(lambda, delta1 *big.Rat, eps, charges loss.Sum) interval.Float {
	return reading(interval.FloatOf(lambda), BetCapacity(lambda, loss.Nats(new(big.Rat)), delta1), eps, charges)
}

func reading(lambda interval.Float, floor interval.Interval, eps, charges loss.Sum) interval.Float {
	sum := eps.Float()
	x := bits.Sub(charges.Bounds(64), floor).Float().Quo(lambda)
	return interval.NewFloat(min(sum.Lo, max(0, x.Lo)), min(sum.Hi, max(0, x.Hi)))
}

// BetCapacity returns what all charges together may be: λε − ln(1/δ′) + (1 + λ)ln(1 + λ) − λ ln λ.
//
// Source: docs/odp-filter.md, Theorem 2; OUR-X20.
// Symbols: λ = lambda, ε = eps, δ′ = delta1.
// Domain: λ in [1e-6, 1e12]; ε in [0, 1e6], or any e^ε; δ′ in [1e-300, 1).
// Accuracy: contains the number; about 2^-150 of the largest term.
// Cost: O(1).
func BetCapacity(lambda *big.Rat, eps loss.Epsilon, delta1 *big.Rat) interval.Interval {
	more := new(big.Rat).Add(lambda, rational.One)
	at := bits.Rat(lambda)
	room := bits.Add(bits.Log(more), bits.Mul(at, bits.Log(new(big.Rat).Quo(more, lambda))))
	return bits.Add(bits.Sub(bits.Mul(at, loss.Enclose(eps, bits)), bits.Log(new(big.Rat).Inv(delta1))), room)
}
