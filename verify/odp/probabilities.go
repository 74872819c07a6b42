package odp

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// probabilities are those of one law.
type probabilities struct {
	t   *register.T
	law impl.SparseVectorLaw
}

// relative is how narrow the probabilities are at first.
const relative = 1e-13

// knownProbabilities has what was computed once for each law and each list of comparisons
// without order: given the answers, a run's probability does not depend on it, but for the
// cutoff. A statement and its controls are about the same ones.
var knownProbabilities sync.Map

func (p probabilities) of(run []impl.Comparison) interval.Interval {
	key := fmt.Sprint(rat.Show(p.law.RhoScale, p.law.NuScale), p.law.Cutoff, unordered(run))
	if known, ok := knownProbabilities.Load(key); ok {
		return known.(interval.Interval)
	}
	known, err := p.law.Probability(run, relative)
	p.t.Must(err)
	knownProbabilities.Store(key, known)
	return known
}

// unordered writes the comparisons of a run such that their order does not matter.
func unordered(run []impl.Comparison) string {
	var words []string
	for _, c := range run {
		word := rat.Sub(c.Threshold, c.Query).RatString() + arrows([]bool{c.Above})
		if c.Released != nil {
			word += rat.Show(c.Query, c.Released.Low, c.Released.High)
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// exceeds reports whether P0 > e^ε·P1. Floating-point logarithms of numbers that are
// known to 1e-13 decide, unless they come within 1e-9; then certified ones do.
func (p probabilities) exceeds(pair neighbours, eps *big.Rat) bool {
	if unordered(pair[0]) == unordered(pair[1]) {
		return eps.Sign() < 0
	}
	p0, p1 := p.of(pair[0]), p.of(pair[1])
	if p0.Upper.Sign() == 0 || p1.Upper.Sign() == 0 {
		return p0.Upper.Sign() > 0
	}
	x, _ := p0.Lower.Float64()
	y, _ := p1.Lower.Float64()
	e, _ := eps.Float64()
	if gap := math.Log(x) - math.Log(y) - e; min(x, y) > 1e-290 && !(math.Abs(gap) <= 1e-9) {
		return gap > 0
	}
	for width := 1e-20; width > 1e-200; width *= width {
		loss, err := p.law.Loss(pair[0], pair[1], width)
		p.t.Must(err)
		if rat.IsAbove(loss, eps) || rat.IsAtMost(loss, eps) {
			return rat.IsAbove(loss, eps)
		}
	}
	p.t.Undecided("%v: the loss is too close to ε = %s", pair, rat.Show(eps))
	return false
}

// loss returns about ln(P0/P1), 0 if either is too small for float64.
func (p probabilities) loss(pair neighbours) float64 {
	x, y := floatEnd(p.of(pair[0]).Lower), floatEnd(p.of(pair[1]).Lower)
	if min(x, y) < 1e-290 {
		return 0
	}
	return math.Log(x) - math.Log(y)
}

// evidence writes the numbers of a counterexample.
func (p probabilities) evidence(pair neighbours) string {
	p0, p1 := p.of(pair[0]), p.of(pair[1])
	text := fmt.Sprintf("%v: P0 = %.12g, P1 = %.12g", pair, p0.Lower, p1.Lower)
	if p0.Lower.Sign() > 0 && p1.Lower.Sign() > 0 {
		text += fmt.Sprintf(", ln(P0/P1) = %.10f", register.Must(impl.LogRatio(p0, p1)).Lower)
	}
	return fmt.Sprintf("ρ ~ Lap(%s), ν ~ Lap(%s): ", rat.Show(p.law.RhoScale), rat.Show(p.law.NuScale)) + text
}
