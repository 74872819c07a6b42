package stopping

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/loss"
)

// Problem is a sequence of steps that may end early.
type Problem struct {
	Steps []Step // in the order of invocation
	Stops []Stop // k_1 < … < k_n; the last one is the end
}

// Step stands for Count equal steps, each dominated by Pair.
type Step struct {
	Pair  Pair
	Count int
}

// Stop is a point at which the sequence may end.
type Stop struct {
	After  int          // k_i
	Charge loss.Epsilon // E_i
}

// New returns a problem of the checker, which must be valid, with equal mechanisms together: they share a pair.
func New(p certify.Problem) (q Problem) {
	pairs := map[string]Pair{}
	p = p.Grouped()
	for _, m := range p.Mechanisms {
		key := m.Key()
		if pairs[key] == nil {
			pairs[key] = pairOf(m)
		}
		q.Steps = append(q.Steps, Step{pairs[key], m.Count})
	}
	for _, s := range p.Stops {
		q.Stops = append(q.Stops, Stop{s.After, s.Eps})
	}
	return q
}

// pairOf returns the dominating pair of m: without a law that is randomized response (ODP-L12).
func pairOf(m certify.Mechanism) Pair {
	switch {
	case m.Law != nil:
		return NewFinite(m.Law)
	case m.Additive != nil:
		return NewAdditive(*m.Additive)
	case m.Losses != nil:
		return NewLosses(m.Losses)
	}
	return NewResponse(m.Eps, m.Delta)
}

// Certified returns p in the words of the checker.
func (p Problem) Certified() (q certify.Problem) {
	for _, s := range p.Steps {
		m := s.Pair.Mechanism()
		m.Count = s.Count
		q.Mechanisms = append(q.Mechanisms, m)
	}
	for _, s := range p.Stops {
		q.Stops = append(q.Stops, certify.Stop{After: s.After, Eps: s.Charge})
	}
	return q
}

// isContinuous reports whether some step has losses that are on no lattice.
func (p Problem) isContinuous() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return isContinuous(s.Pair) })
}

// isBounded reports whether every step has a largest finite loss.
func (p Problem) isBounded() bool {
	return !slices.ContainsFunc(p.Steps, func(s Step) bool {
		switch x := s.Pair.(type) {
		case *Additive:
			return x.most == nil
		case *Losses:
			return x.most == nil
		}
		return false
	})
}

// nodeZero returns the losses that are node 0 behind the runs of steps whose losses are on no lattice; nil for
// others, and if there are none. What is above node 0 counts as infinite, and on nodes that are a unit apart losses
// spread: so node 0 is some units above what matters.
func (p Problem) nodeZero(cut, unit float64) (losses []*big.Rat) {
	if !p.isContinuous() {
		return nil
	}
	const units = 8
	known, runs := map[run]*big.Rat{}, 0
	for range p.runs {
		runs++
	}
	spread := units * unit
	if runs == 1 { // there are no finer nodes for the steps of a run
		spread *= math.Sqrt(float64(p.length()))
	}
	for r := range p.runs {
		r.end = false
		if _, ok := known[r]; !ok {
			known[r] = p.Steps[r.step].Pair.Top(r.count, cut, spread)
		}
		losses = append(losses, known[r])
	}
	return losses
}

// isDivided reports whether the checker finds the law of a run in two parts, and needs no nodes for what most of its
// steps lose; isFree is as in [certify.Hints].
func (p Problem) isDivided(isFree bool) bool {
	known := map[run]bool{}
	for r := range p.runs {
		if r.end = false; known[r] {
			continue
		}
		known[r] = true
		if a, ok := p.Steps[r.step].Pair.(*Additive); ok && a.mechanism.IsDivided(r.count, isFree) {
			return true
		}
	}
	return false
}

// length returns k_n.
func (p Problem) length() int { return p.Stops[len(p.Stops)-1].After }

// run is a longest run of equal steps without a stop inside that may be taken together.
type run struct {
	step, count int
	end         bool // whether a stop follows
}

// runs calls yield for every run, in order.
func (p Problem) runs(yield func(r run) bool) {
	done, stop := 0, 0
	for step, s := range p.Steps {
		for left := s.Count; left > 0; {
			r := run{step: step, count: min(left, p.Stops[stop].After-done, s.Pair.Batch())}
			done += r.count
			left -= r.count
			if r.end = done == p.Stops[stop].After; r.end {
				stop++
			}
			if !yield(r) {
				return
			}
		}
	}
}

// Charged returns p with other charges.
func (p Problem) Charged(charges []*big.Rat) Problem {
	stops := make([]Stop, len(charges))
	for i, e := range charges {
		stops[i] = Stop{p.Stops[i].After, loss.Nats(e)}
	}
	return Problem{p.Steps, stops}
}

// Losses returns, per stop, the largest finite loss, or slightly more.
func (p Problem) Losses() (losses []*big.Rat) {
	sum := new(big.Rat)
	for r := range p.runs {
		each := p.Steps[r.step].Pair.Largest()
		sum.Add(sum, new(big.Rat).Mul(each, new(big.Rat).SetInt64(int64(r.count))))
		if r.end {
			losses = append(losses, new(big.Rat).Set(sum))
		}
	}
	return losses
}

// Infinities returns about the P-mass of an infinite loss up to every stop: what no charge can buy.
func (p Problem) Infinities() (masses []float64) {
	finite := 0.0 // its logarithm
	for r := range p.runs {
		finite += float64(r.count) * math.Log1p(-p.Steps[r.step].Pair.Infinity())
		if r.end {
			masses = append(masses, -math.Expm1(finite))
		}
	}
	return masses
}

// Reach returns about the largest |loss| at the end.
func (p Problem) Reach() float64 {
	sum := 0.0
	for _, s := range p.Steps {
		sum += s.Pair.Reach() * float64(s.Count)
	}
	return sum
}

// deviation returns about the standard deviation of the loss at the end.
func (p Problem) deviation() float64 { return max(p.root(Pair.Deviation), 1e-300) }

// span returns about the range of losses that matter (by Hoeffding's inequality).
func (p Problem) span() float64 { return min(2*p.Reach(), 22*p.root(Pair.Reach)) }

// root returns the square root of the sum of the squares of a length of all steps.
func (p Problem) root(length func(Pair) float64) float64 {
	largest, sum := 0.0, 0.0
	for _, s := range p.Steps {
		largest = max(largest, length(s.Pair))
	}
	if largest == 0 {
		return 0
	}
	for _, s := range p.Steps {
		x := length(s.Pair) / largest
		sum += float64(s.Count) * x * x
	}
	return largest * math.Sqrt(sum)
}
