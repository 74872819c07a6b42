package impl

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/internal/check"
	"checkrr/impl/interval"
)

// This file searches for the run of a sparse vector technique that loses most.
//
// The neighbour. P1 is the integral over ρ of a product of the probabilities of the single
// outputs. For every ρ, that of ⊥ falls and that of ⊤ rises with the answer. So, whatever
// the answers on the first database, P1 is smallest, and ln(P0/P1) largest, if every answer
// with ⊥ is higher by Δ = 1 on the second database, and every one with ⊤ lower by 1. What
// is left to choose are the first database's answers, in no order.
//
// The margin. Write s for the scale of ν, w(z) for the integrand of P0 at ρ = z, and shift
// ρ by 1 in P1. This cancels the shift of every ⊥, and
//
//	P1 = e^(−E)·∫ w(z)·e^(x(z)) dz with E = 1/RhoScale + 2c'/s,
//	x(z) = (1 + |z| − |z + 1|)/RhoScale + Σ_⊤ [2/s + ln Pr(ν ≥ t + 2) − ln Pr(ν ≥ t)], t = z − q.
//
// No term of x is negative, so the loss is E − ln(1 + D/P0) with D = ∫ w·(e^x − 1) ≥ 0.
// The search makes ln(D/P0) small, the margin. It has no cancellation, however close the loss
// is to E, and no overflow, however large E is.

// ClosestRun searches for the run with the given number of ⊤, and at most the given number
// of queries, whose loss ln(P0/P1) on neighbouring databases is largest. It returns the
// run on both, and its loss.
//
// Source: Hartmann et al. (2022), Lemma 8; ODP-L8. The search is ours.
// Also in the checks of AFD-X18 and AFD-T3.23.
// Symbols: c' = above; runs[0] and runs[1] are those on x and on x'.
// Domain: Δ = 1, as in NewSparseVectorLaw(1, …), and all thresholds 0: only the gaps
// T_i − q_i count. The answers on x are multiples of 1/4 from −64 to 64: with more than
// c' + 2cε_1/ε_2 times ⊥ the loss comes as close to the charge as one wants, if the answers
// may be as far apart as one wants. Scales from 1e-5 to 1e7; 0 ≤ c' ≤ most,
// most ≥ 1, and c' ≤ Cutoff if there is one.
// Accuracy: the interval contains the loss of these runs, a lower bound of the largest one,
// and is narrower than the loss' distance to ε_1 + (c'/c)·ε_2 is, about; the search ends when
// that is below 1e-15. The
// search is in float64, from several starts: that no run on the grid loses more is not proved,
// and losses below 1e-10 of the charge are not told apart.
// Deviation from print: none.
// Cost: O(most) climbs of at most some hundred evaluations each.
func ClosestRun(law SparseVectorLaw, above, most int) (runs [2][]Comparison, loss interval.Interval, err error) {
	if err := law.checkSearch(above, most); err != nil {
		return runs, interval.Interval{}, fmt.Errorf("ClosestRun: %w", err)
	}
	best := newRunSearch(law).closest(above, most)
	runs = best.runs()
	loss, err = law.Loss(runs[0], runs[1], min(1e-12, max(math.Exp(best.margin)/1000, 1e-60)))
	if err != nil {
		return [2][]Comparison{}, interval.Interval{}, fmt.Errorf("ClosestRun: %w", err)
	}
	return runs, loss, nil
}

func (law SparseVectorLaw) checkSearch(above, most int) error {
	err := cmp.Or(law.check(nil, 1), check.Between("most", most, 1, math.MaxInt), check.Between("c'", above, 0, most))
	if err == nil && law.Cutoff > 0 {
		err = check.Between("c'", above, 0, law.Cutoff)
	}
	return cmp.Or(err, check.In("scale of ρ", law.RhoScale, "[1e-5, 1e7]"),
		check.In("scale of ν", law.NuScale, "[1e-5, 1e7]"))
}

// level is a number of queries with one answer and one output.
type level struct {
	quarters int // the answer on x
	above    bool
	times    int
}

func (l level) answer() float64 { return float64(l.quarters) / 4 }

// candidate is a multiset of levels, in order and without repetition.
type candidate struct {
	levels []level
	margin float64 // ln(D/P0)
}

// runs returns the comparisons on x and on x', those with ⊤ last.
func (c candidate) runs() (runs [2][]Comparison) {
	for _, l := range c.levels {
		change := int64(4) // ⊥ goes up by 1
		if l.above {
			change = -4
		}
		for range l.times {
			for b := range runs {
				query := big.NewRat(int64(l.quarters)+change*int64(b), 4)
				runs[b] = append(runs[b], Comparison{Query: query, Threshold: new(big.Rat), Above: l.above})
			}
		}
	}
	return runs
}

// normal puts levels in order, ⊤ last, and merges equal ones.
func normal(levels []level) []level {
	slices.SortFunc(levels, func(x, y level) int {
		if x.above != y.above {
			return map[bool]int{false: -1, true: 1}[x.above]
		}
		return cmp.Compare(x.quarters, y.quarters)
	})
	var result []level
	for _, l := range levels {
		last := len(result) - 1
		switch {
		case l.times == 0:
		case last >= 0 && result[last].above == l.above && result[last].quarters == l.quarters:
			result[last].times += l.times
		default:
			result = append(result, l)
		}
	}
	return result
}

// runSearch has the scales of a law, and what is known of runs: climbs come to the same ones again.
type runSearch struct {
	sigma, s float64
	margins  map[string]float64 // by levels
}

func newRunSearch(law SparseVectorLaw) runSearch {
	sigma, _ := law.RhoScale.Float64()
	s, _ := law.NuScale.Float64()
	return runSearch{sigma, s, map[string]float64{}}
}

// closest takes the numbers of ⊥ one after the other, and climbs from the best of the last
// one with one more of the lowest ⊥, and from all answers 0. What is found for one number of ⊥ does not
// depend on most, so more queries never find less.
func (r runSearch) closest(above, most int) candidate {
	var best candidate
	var last []level
	for below := 0; below <= most-above; below++ {
		if above+below == 0 {
			continue
		}
		found := r.climb(level{0, false, below}, level{0, true, above})
		if i := slices.IndexFunc(last, func(l level) bool { return !l.above }); i >= 0 {
			more := slices.Clone(last)
			more[i].times++
			found = found.better(r.climb(more...))
		}
		last = found.levels
		if best.levels == nil {
			best = found
		}
		if best = best.better(found); best.margin < enough {
			break
		}
	}
	return best
}

// better returns the candidate with the smaller margin, c if they are about equal.
func (c candidate) better(d candidate) candidate {
	if d.margin < c.margin-negligible*max(1, math.Abs(c.margin)) {
		return d
	}
	return c
}

// climb makes moves while they help, with steps from about the largest scale to 1/4.
func (r runSearch) climb(levels ...level) candidate {
	levels = normal(levels)
	best := candidate{levels, r.margin(levels)}
	for step, tries := r.firstStep(), maxMoves; step >= 1 && tries > 0 && best.margin >= enough; tries-- {
		found := best
		for _, levels := range moves(best.levels, step) {
			found = found.better(candidate{levels, r.margin(levels)})
		}
		if !(found.margin < best.margin-leastGain) {
			step /= 2
		}
		best = found
	}
	return best
}

const (
	negligible = 1e-11 // differences of margins that are below this, or this part of them, are no gain
	leastGain  = 1e-6  // the gain for which a step is tried once more
	maxMoves   = 40    // of one climb: an answer that is best at infinity is not followed for ever
	enough     = -34.5 // a margin at which the search ends: e^−34.5 is 1e-15
	furthest   = 256   // quarters: answers are from −64 to 64
)

// firstStep returns the power of two of quarters above the larger scale, from 1
// to a quarter of the furthest answer.
func (r runSearch) firstStep() int {
	step := 4
	for step < furthest/4 && float64(step) < 4*max(r.sigma, r.s) {
		step *= 2
	}
	return step
}

// moves returns what comes of moving all ⊥, all ⊤, both, or one query of a level, by one step.
func moves(levels []level, step int) [][]level {
	var result [][]level
	for _, change := range [...]int{step, -step} {
		for _, which := range [...]struct{ below, above int }{{1, 0}, {0, 1}, {1, 1}} {
			moved := slices.Clone(levels)
			for i := range moved {
				if moved[i].above {
					moved[i].quarters += change * which.above
				} else {
					moved[i].quarters += change * which.below
				}
			}
			result = append(result, normal(moved))
		}
		for i, l := range levels {
			moved := slices.Clone(levels)
			moved[i].times--
			result = append(result, normal(append(moved, level{l.quarters + change, l.above, 1})))
		}
	}
	return slices.DeleteFunc(result, func(levels []level) bool {
		return slices.ContainsFunc(levels, func(l level) bool { return max(l.quarters, -l.quarters) > furthest })
	})
}

// margin returns ln(D/P0), and −Inf if D is 0.
func (r runSearch) margin(levels []level) float64 {
	key := fmt.Sprint(levels)
	margin, isKnown := r.margins[key]
	if !isKnown {
		margin = r.quadrature(levels)
		r.margins[key] = margin
	}
	return margin
}

const (
	tailDecay = 25  // the quadrature ends where w is below e^(−25) of its largest value, or so
	stretch   = 6   // w changes by a factor of at most e^6 on one piece, unless
	maxPieces = 300 // there would be more than that many: then on those next to kinks
)
