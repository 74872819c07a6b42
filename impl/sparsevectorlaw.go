package impl

import (
	"cmp"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/laplace"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
)

// SparseVectorLaw is the noise of a sparse vector technique: ρ ~ Lap(RhoScale) on the
// thresholds, ν_i ~ Lap(NuScale) on the queries, and the most ⊤ there can be. It is
// general enough for variants of Algorithm 2 that are not private.
//
// Also in the checks of ODP-E1, ODP-E2, ODP-L8, ODP-X11, ODP-X12, AFD-T3.23, AFD-X19, PSC-T4.1a, PSC-T4.1b,
// PSC-T4.1c, PSC-T4.1d, PSC-T1.5a, PSC-C4.2a, PSC-C4.2b, PSC-C4.2c and PSC-C4.2d.
type SparseVectorLaw struct {
	RhoScale *big.Rat
	NuScale  *big.Rat // 0: the queries get no noise
	Cutoff   int      // 0: none
}

// NewSparseVectorLaw returns the noise of Algorithm 2: scales Δ/ε_1 and 2cΔ/ε_2, cutoff c.
//
// Source: Hartmann et al. (2022), Algorithm 2; ODP-A2.
// Also in the checks of ODP-X11.
func NewSparseVectorLaw(delta *big.Rat, c int, eps1, eps2 *big.Rat) (SparseVectorLaw, error) {
	err := cmp.Or(check.In("Δ", delta, "(0, ∞)"), check.In("ε_1", eps1, "(0, ∞)"), check.In("ε_2", eps2, "(0, ∞)"),
		check.Between("c", c, 1, math.MaxInt))
	if err != nil {
		return SparseVectorLaw{}, err
	}
	nu := new(big.Rat).Mul(big.NewRat(2, 1), new(big.Rat).SetInt64(int64(c)))
	nu.Mul(nu, delta)
	return SparseVectorLaw{new(big.Rat).Quo(delta, eps1), nu.Quo(nu, eps2), c}, nil
}

// Comparison is one query of a run, with its output.
type Comparison struct {
	Query, Threshold *big.Rat // q_i(x) and T_i
	Above            bool     // ⊤
	// Released is set for a variant that prints q_i(x) + ν_i with its ⊤: the event is that
	// this number is in the range.
	Released *Range
}

// Range is the set of the numbers from Low to High.
type Range struct{ Low, High *big.Rat }

// maxBits bounds the precision of the probabilities.
const maxBits = 1 << 15

// Probability returns the probability of the outputs of a run, given the answers: that
// the comparisons come out as they do, to the relative width asked for. STOP follows the
// last one, unless the cutoff does.
//
// Given ρ = z the comparisons are independent, so it is the integral over z of the
// density of ρ times ∏_⊥ f_i(x, z) ∏_⊤ g_i(x, z), in closed form; see package laplace.
//
// Source: Hartmann et al. (2022), proof of Lemma 8; ODP-L8.
// Also in the checks of ODP-E2, AFD-X19, PSC-T4.1a, PSC-T4.1b, PSC-T4.1c, PSC-T4.1d, PSC-T1.5a, PSC-C4.2a, PSC-C4.2b,
// PSC-C4.2c and PSC-C4.2d.
// Symbols: f_i and g_i are the probabilities of ⊥ and of ⊤ given ρ = z.
// Domain: RhoScale > 0, NuScale ≥ 0; Low < High.
// Accuracy: the interval contains the probability. One below e^(−2^25), or so, is an error.
// Deviation from print: the probability of STOP is left out, as it cancels there.
// Cost: O(l³) multiplications for l comparisons with different gaps, in bits that grow with l.
func (law SparseVectorLaw) Probability(run []Comparison, relWidth float64) (p interval.Interval, err error) {
	defer check.Named("Probability", &err)
	if err := law.check(run, relWidth); err != nil {
		return p, err
	}
	if !law.possible(run) {
		return interval.Of(0, 0), nil
	}
	low, high := law.support(run)
	cut := laplace.Panes(low, high, law.breakpoints(run))
	if len(cut) == 0 {
		return interval.Of(0, 0), nil
	}
	different, times := tally(run)
	return narrowed(uint(64+2*len(run)), relWidth, func(n interval.Precision) interval.Interval {
		return law.integrate(different, times, cut, n)
	})
}

// Loss returns ln(Pr(run0)/Pr(run1)), to about the absolute width asked for. Both
// probabilities must be positive.
//
// Also in the check of AFD-T3.23.
// Source and symbols: as for [SparseVectorLaw.Probability].
// Domain: RhoScale > 0, NuScale ≥ 0; Low < High.
func (law SparseVectorLaw) Loss(run0, run1 []Comparison, width float64) (interval.Interval, error) {
	var p [2]interval.Interval
	for i, run := range [...][]Comparison{run0, run1} {
		var err error
		if p[i], err = law.Probability(run, width/4); err != nil {
			return interval.Interval{}, err
		}
		if p[i].Upper.Sign() == 0 {
			return interval.Interval{}, fmt.Errorf("Loss: probability of run%d is 0, must be positive", i)
		}
	}
	return LogRatio(p[0], p[1])
}

// LogRatio returns ln(x/y) for positive x and y, to 128 bits or their precision.
func LogRatio(x, y interval.Interval) (interval.Interval, error) {
	if x.Lower == nil || y.Lower == nil || x.Lower.Sign() <= 0 || y.Lower.Sign() <= 0 {
		return interval.Interval{}, fmt.Errorf("LogRatio: x and y are [%g, %g] and [%g, %g], must be positive",
			x.Lower, x.Upper, y.Lower, y.Upper)
	}
	n := interval.Precision(max(128, x.Lower.Prec(), y.Lower.Prec()))
	return n.LogOf(n.Quo(x, y)), nil
}

// Given returns the probability of one output given ρ = z: f_i(x, z) for ⊥ and g_i(x, z)
// for ⊤, to 128 bits.
//
// Source: Hartmann et al. (2022), proof of Lemma 8; ODP-L8, ODP-E1.
// Domain: NuScale > 0; nothing is released.
// Accuracy: the interval contains the probability.
// Deviation from print: none.
// Cost: O(1).
func (law SparseVectorLaw) Given(z *big.Rat, c Comparison) (interval.Interval, error) {
	if err := law.check([]Comparison{c}, 1); err != nil {
		return interval.Interval{}, fmt.Errorf("Given: %w", err)
	}
	if law.NuScale.Sign() == 0 || c.Released != nil || z == nil {
		return interval.Interval{}, fmt.Errorf("Given: scale of ν is %s, released %v, z is %s, must be positive, "+
			"nothing, and a number", rational.Decimal(law.NuScale), c.Released, rational.Decimal(z))
	}
	n, rate := interval.Precision(128), new(big.Rat).Inv(law.NuScale)
	edge := new(big.Rat).Add(c.gap(), z)
	if c.Above {
		return laplace.Above(n, edge, rate), nil
	}
	return laplace.Below(n, edge, rate), nil
}

func (law SparseVectorLaw) check(run []Comparison, relWidth float64) error {
	err := cmp.Or(check.In("scale of ρ", law.RhoScale, "(0, ∞)"), check.In("scale of ν", law.NuScale, "[0, ∞)"),
		check.Between("cutoff", law.Cutoff, 0, math.MaxInt), checkWidth(relWidth))
	if err != nil {
		return err
	}
	for i, c := range run {
		r := c.Released
		switch {
		case c.Query == nil || c.Threshold == nil:
			return fmt.Errorf("comparison %d: query is %s and threshold %s, must be numbers",
				i+1, rational.Decimal(c.Query), rational.Decimal(c.Threshold))
		case r != nil && !c.Above:
			return fmt.Errorf("comparison %d: a value is released with ⊥, must be with ⊤", i+1)
		case r != nil && (r.Low == nil || r.High == nil || r.Low.Cmp(r.High) >= 0):
			return fmt.Errorf("comparison %d: released is from %s to %s, must be from a number to a larger one",
				i+1, rational.Decimal(r.Low), rational.Decimal(r.High))
		}
	}
	return nil
}

// possible reports whether the run ends at the cutoff at the latest, and releases
// noiseless values as they are.
func (law SparseVectorLaw) possible(run []Comparison) bool {
	count := 0
	for _, c := range run {
		if law.Cutoff > 0 && count == law.Cutoff {
			return false
		}
		if c.Above {
			count++
		}
		if r := c.Released; r != nil && law.NuScale.Sign() == 0 && (c.Query.Cmp(r.Low) < 0 || c.Query.Cmp(r.High) > 0) {
			return false
		}
	}
	return true
}

// gap returns T_i − q_i: ⊤ is ν ≥ gap + z.
func (c Comparison) gap() *big.Rat { return new(big.Rat).Sub(c.Threshold, c.Query) }

// support returns the interval of z outside of which the probability is 0, a missing end
// being infinite: a released value of at most High is above T_i + z only for z up to
// High − T_i, and without noise ⊤ and ⊥ say on which side of q_i − T_i z is.
func (law SparseVectorLaw) support(run []Comparison) (low, high *big.Rat) {
	for _, c := range run {
		edge := new(big.Rat).Neg(c.gap())
		switch {
		case law.NuScale.Sign() > 0 && c.Released == nil:
			continue
		case law.NuScale.Sign() > 0:
			edge.Sub(c.Released.High, c.Threshold)
		case !c.Above:
			if low == nil || edge.Cmp(low) > 0 {
				low = edge
			}
			continue
		}
		if high == nil || edge.Cmp(high) < 0 {
			high = edge
		}
	}
	return low, high
}

// breakpoints returns where a factor changes its form.
func (law SparseVectorLaw) breakpoints(run []Comparison) []*big.Rat {
	var result []*big.Rat
	if law.NuScale.Sign() == 0 {
		return nil
	}
	for _, c := range run {
		result = append(result, new(big.Rat).Neg(c.gap()))
		if c.Released != nil {
			result = append(result, new(big.Rat).Sub(c.Released.Low, c.Threshold))
		}
	}
	return result
}

// tally returns the different comparisons of a run, and how often each occurs.
func tally(run []Comparison) (different []Comparison, times []int) {
	index := map[string]int{}
	for _, c := range run {
		key := fmt.Sprint(c.gap().RatString(), c.Above)
		if c.Released != nil {
			low, high := c.Released.Low.RatString(), c.Released.High.RatString()
			key += fmt.Sprintf(" %s [%s, %s]", c.Query.RatString(), low, high)
		}
		i, ok := index[key]
		if !ok {
			i = len(different)
			index[key] = i
			different = append(different, c)
			times = append(times, 0)
		}
		times[i]++
	}
	return different, times
}

// integrate returns the probability with the bits of n.
func (law SparseVectorLaw) integrate(run []Comparison, times []int, cut []laplace.Pane,
	n interval.Precision) interval.Interval {
	l := laplace.NewIntegral(n, law.RhoScale, law.NuScale)
	sum := n.Int(0)
	for _, p := range cut {
		var factors []laplace.Factor
		if law.NuScale.Sign() > 0 {
			for _, c := range run {
				factors = append(factors, law.factor(l, p, c))
			}
		}
		sum = n.Add(sum, l.Integrate(p, l.Product(factors, times)))
	}
	return n.Max0(sum)
}

// factor returns the probability of one output, given ρ = z.
func (law SparseVectorLaw) factor(l *laplace.Integral, p laplace.Pane, c Comparison) laplace.Factor {
	below := l.Below(p, c.gap())
	switch {
	case !c.Above:
		return below
	case c.Released == nil:
		return l.Minus(l.Int(1), below)
	}
	// ν is in [max(T + z, Low), High] − q. Far above 0 the difference is that of the upper
	// tails: those of nearly 1 would take more bits the farther it is.
	rate := new(big.Rat).Inv(law.NuScale)
	high := new(big.Rat).Sub(c.Released.High, c.Query)
	switch {
	case p.Below(new(big.Rat).Sub(c.Released.Low, c.Threshold)):
		all := laplace.Between(l.Precision, new(big.Rat).Sub(c.Released.Low, c.Query), high, rate)
		return laplace.Factor{Constant: all, Slope: l.Int(0), Falling: below.Falling}
	case below.Falling: // T + z ≥ q
		above := laplace.Above(l.Precision, high, rate)
		return laplace.Factor{Constant: l.Neg(above), Slope: l.Neg(below.Slope), Falling: true}
	}
	return l.Minus(laplace.Below(l.Precision, high, rate), below)
}
