package impl

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/rootfind"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// Theorem is a theorem on adaptive composition: which δ it gives at an ε for mechanisms that run one after the other.
type Theorem string

// The theorems. What each of them gives is valid, and none gives less than optimal composition ([OptComp]). All but
// the first two leave the mechanisms' own δ_k apart: their δ is 1 − (1 − δ′)·Π(1 − δ_k), with the δ′ below.
const (
	// Basic gives (Σ ε_k, Σ δ_k): Dwork et al. (2006).
	Basic Theorem = "basic"
	// AdvancedBook gives ε = √(2k ln(1/δ′))·max ε_k + k·max ε_k·(e^(max ε_k) − 1) and δ = k·max δ_k + δ′ for k
	// mechanisms: Dwork and Roth (2014), Theorem 3.20.
	AdvancedBook Theorem = "advanced-book"
	// Advanced gives ε = Σ ε_k·tanh(ε_k/2) + √(2 ln(1/δ′) Σ ε_k²): Kairouz, Oh and Viswanath (2015), Theorem 3.5.
	Advanced Theorem = "advanced"
	// ZCDP takes (ε, 0)-DP for ε²/2-zCDP: Bun and Steinke (2016); δ′ as for RDP.
	ZCDP Theorem = "zcdp"
	// RDP has δ′ = e^((α−1)(Σ D_α − ε))·(1 − 1/α)^α/(α − 1) for some α > 1, the best that is found up to e^60, where
	// D_α is the Rényi divergence of randomized response, and δ′ = 0 for α = ∞ if ε ≥ Σ ε_k: Mironov (2017); Canonne,
	// Kamath and Steinke (2020), Proposition 12.
	RDP Theorem = "rdp"
)

// Theorems are the theorems.
var Theorems = []Theorem{Basic, AdvancedBook, Advanced, ZCDP, RDP}

// Lemma11With returns the δ of Lemma 11 with a composition theorem other than the optimal one, for every stop and in
// sum: a valid δ, at least [Lemma11].
//
// Source: Hartmann et al. (2022), Section 5.3, Lemma 11 with any composition result; ODP-X25. The theorems: see
// [Theorem].
// Symbols: (ε_k, δ_k) = p.Mechanisms, k_i and ℰ(P_i) = p.Stops.
// Domain: p as [Pipeline.Validate] says, without laws. Results in [0, 1], the sum in [0, n].
// Accuracy: contains what the theorem gives, with the α found; relative width at most 2^-60.
// Errors: *[InputError] for p, what is no theorem, ctx.Err().
// Cost: O(stops · mechanisms · 100), equal mechanisms next to each other counting once.
func Lemma11With(ctx context.Context, p Pipeline,
	t Theorem) (stops []interval.Interval, sum interval.Interval, err error) {
	if err := cmp.Or(p.Validate(), check.NotNil("ctx", ctx)); err != nil {
		return nil, sum, err
	}
	if err := p.refuseLaws(); err != nil {
		return nil, sum, err
	}
	delta := t.delta()
	if delta == nil {
		return nil, sum, fmt.Errorf("theorem is %q, must be one of %v", t, Theorems)
	}
	const ends = interval.Precision(64) // are enough for what is found
	sum = bits.Int(0)
	for _, s := range p.Stops {
		if ctx.Err() != nil {
			return nil, sum, ctx.Err()
		}
		d := delta(p.first(s.After), s.Eps)
		stops, sum = append(stops, ends.Add(d, ends.Int(0))), bits.Add(sum, d)
	}
	return stops, ends.Add(sum, ends.Int(0)), nil
}

// delta returns the δ that the theorem gives at an ε; nil if it is none.
func (t Theorem) delta() func([]Mechanism, loss.Epsilon) interval.Interval {
	switch t {
	case Basic:
		return basicDelta
	case AdvancedBook:
		return advancedBookDelta
	case Advanced:
		return advancedDelta
	case ZCDP:
		return zcdp.delta
	case RDP:
		return rdp.delta
	}
	return nil
}

// first returns the first k mechanisms of p.
func (p Pipeline) first(k int) (first []Mechanism) {
	for _, m := range p.Mechanisms {
		if m.Count = min(m.Count, k); m.Count == 0 {
			break
		}
		first, k = append(first, m), k-m.Count
	}
	return first
}

func basicDelta(ms []Mechanism, eps loss.Epsilon) interval.Interval {
	if largestLoss(ms).Cmp(loss.Of(eps)) > 0 {
		return bits.Int(1)
	}
	return interval.Min(bits.Rat(sumOfDeltas(ms)), bits.Int(1))
}

// sumOfDeltas returns Σ δ_k.
func sumOfDeltas(ms []Mechanism) *big.Rat {
	sum := new(big.Rat)
	for _, m := range ms {
		sum.Add(sum, new(big.Rat).Mul(m.Delta, big.NewRat(int64(m.Count), 1)))
	}
	return sum
}

// largestLoss returns Σ ε_k.
func largestLoss(ms []Mechanism) (sum loss.Sum) {
	for _, m := range ms {
		sum = sum.Plus(times(m.Eps, m.Count))
	}
	return sum
}

// times returns n·ε.
func times(eps loss.Epsilon, n int) (sum loss.Sum) {
	for power := loss.Of(eps); n > 0; n >>= 1 {
		if n&1 == 1 {
			sum = sum.Plus(power)
		}
		power = power.Plus(power)
	}
	return sum
}

// worstOf returns max ε_k, max δ_k and k.
func worstOf(ms []Mechanism) (worst loss.Epsilon, delta *big.Rat, count int) {
	worst, delta = ms[0].Eps, new(big.Rat)
	for _, m := range ms {
		if loss.Of(m.Eps).Cmp(loss.Of(worst)) > 0 {
			worst = m.Eps
		}
		delta, count = rational.Max(delta, m.Delta), count+m.Count
	}
	return worst, delta, count
}

// advancedBookMean returns k·max ε_k·(e^(max ε_k) − 1).
func advancedBookMean(ms []Mechanism) interval.Interval {
	worst, _, count := worstOf(ms)
	up := bits.Max0(bits.Sub(loss.EncloseExp(worst, bits), bits.Int(1)))
	return bits.Mul(bits.Int(int64(count)), bits.Mul(loss.Enclose(worst, bits), up))
}

func advancedBookDelta(ms []Mechanism, eps loss.Epsilon) interval.Interval {
	worst, delta, count := worstOf(ms)
	k, own := bits.Int(int64(count)), bits.Rat(new(big.Rat).Mul(delta, big.NewRat(int64(count), 1)))
	if worst.IsZero() {
		return interval.Min(own, bits.Int(1))
	}
	e := loss.Enclose(worst, bits)
	return interval.Min(bits.Add(own, tailAt(eps, advancedBookMean(ms), bits.Mul(k, bits.Mul(e, e)))), bits.Int(1))
}

// tailAt returns e^(−(ε − mean)²/(2V)) for the sum V of squares, and 1 for an ε below the mean.
func tailAt(eps loss.Epsilon, mean, squares interval.Interval) interval.Interval {
	above := bits.Max0(bits.Sub(loss.Enclose(eps, bits), mean))
	return bits.Exp(bits.Neg(bits.Quo(bits.Mul(above, above), bits.Add(squares, squares))))
}

func advancedDelta(ms []Mechanism, eps loss.Epsilon) interval.Interval {
	mean, squares := bits.Int(0), bits.Int(0)
	for _, m := range ms {
		e, count := loss.Enclose(m.Eps, bits), bits.Int(int64(m.Count))
		down := bits.Exp(bits.Neg(e))
		tanh := bits.Quo(bits.Max0(bits.Sub(bits.Int(1), down)), bits.Add(bits.Int(1), down)) // of ε/2
		mean = bits.Add(mean, bits.Mul(count, bits.Mul(e, tanh)))
		squares = bits.Add(squares, bits.Mul(count, bits.Mul(e, e)))
	}
	if squares.Upper.Sign() == 0 {
		return leak(ms, bits.Int(0))
	}
	return leak(ms, tailAt(eps, mean, squares))
}

// leak returns 1 − (1 − δ′)·Π(1 − δ_k): nothing cancels.
func leak(ms []Mechanism, delta interval.Interval) interval.Interval {
	or := func(x, y interval.Interval) interval.Interval {
		return bits.Add(x, bits.Mul(bits.Max0(bits.Sub(bits.Int(1), x)), y))
	}
	for _, m := range ms {
		power := bits.Rat(m.Delta)
		for n := m.Count; n > 0; n >>= 1 {
			if n&1 == 1 {
				delta = or(delta, power)
			}
			power = or(power, power)
		}
	}
	return interval.Min(delta, bits.Int(1))
}

// renyi is a bound of (α − 1)·D_α for (ε, 0)-DP: certified, and about that.
type renyi struct {
	enclose  func(eps interval.Interval, alpha *big.Rat) interval.Interval
	estimate func(eps, alpha float64) float64
	isPure   bool // whether D_∞ is ε
}

var zcdp = renyi{
	func(eps interval.Interval, alpha *big.Rat) interval.Interval {
		factor := new(big.Rat).Sub(alpha, big.NewRat(1, 1))
		factor.Mul(factor, alpha).Quo(factor, big.NewRat(2, 1))
		return bits.Mul(bits.Rat(factor), bits.Mul(eps, eps))
	},
	func(eps, alpha float64) float64 { return (alpha - 1) * alpha * eps * eps / 2 },
	false,
}

// With t = 2α − 1, e^((α−1)D_α) is (e^(αε) + e^((1−α)ε))/(1 + e^ε) = e^((α−1)ε)·(1 + e^(−tε))/(1 + e^(−ε)): nothing
// overflows.
var rdp = renyi{
	func(eps interval.Interval, alpha *big.Rat) interval.Interval {
		before := new(big.Rat).Sub(alpha, big.NewRat(1, 1))
		far := bits.Rat(new(big.Rat).Add(alpha, before))
		quotient := bits.Quo(
			bits.Add(bits.Int(1), bits.Exp(bits.Neg(bits.Mul(far, eps)))),
			bits.Add(bits.Int(1), bits.Exp(bits.Neg(eps))))
		return bits.Add(bits.Mul(bits.Rat(before), eps), bits.LogOf(quotient))
	},
	func(eps, alpha float64) float64 {
		return (alpha-1)*eps + math.Log1p(math.Exp(-(2*alpha-1)*eps)) - math.Log1p(math.Exp(-eps))
	},
	true,
}

// delta returns what the conversion gives at the best α that float64 finds: every α is valid.
func (r renyi) delta(ms []Mechanism, eps loss.Epsilon) interval.Interval {
	if all := largestLoss(ms); all.Sign() == 0 || r.isPure && all.Cmp(loss.Of(eps)) <= 0 {
		return leak(ms, bits.Int(0))
	}
	charge, each := loss.Float64(eps), make([]float64, len(ms))
	for k, m := range ms {
		each[k] = loss.Float64(m.Eps)
	}
	alpha := 1 + math.Exp(rootfind.Least(-30, 60, func(x float64) float64 {
		alpha := 1 + math.Exp(x)
		sum := (alpha-1)*(math.Log1p(-1/alpha)-charge) - math.Log(alpha)
		for k, m := range ms {
			sum += float64(m.Count) * r.estimate(each[k], alpha)
		}
		if math.IsNaN(sum) {
			return math.Inf(1)
		}
		return sum
	}))
	return leak(ms, r.deltaAt(ms, eps, new(big.Rat).SetFloat64(alpha)))
}

// deltaAt returns e^((α−1)(Σ D_α − ε))·(1 − 1/α)^α/(α − 1), or 1 if that is less.
func (r renyi) deltaAt(ms []Mechanism, eps loss.Epsilon, alpha *big.Rat) interval.Interval {
	before := new(big.Rat).Sub(alpha, big.NewRat(1, 1))
	exponent := bits.Sub(bits.Log(new(big.Rat).Quo(before, alpha)), loss.Enclose(eps, bits))
	log := bits.Sub(bits.Mul(bits.Rat(before), exponent), bits.Log(alpha))
	for _, m := range ms {
		log = bits.Add(log, bits.Mul(bits.Int(int64(m.Count)), r.enclose(loss.Enclose(m.Eps, bits), alpha)))
	}
	if log.Upper.Sign() > 0 {
		return bits.Int(1)
	}
	return bits.Exp(log)
}
