package stopping

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

// Problem is a problem of the checker with what the search knows of its mechanisms.
type Problem struct {
	certify.Problem               // with equal mechanisms together
	pairs           []pair        // of its mechanisms; equal ones share one
	runs            []certify.Run // of it
	known           *certify.Known
}

// New returns p, which must be valid, with equal mechanisms together.
func New(p certify.Problem) Problem {
	q, known := Problem{Problem: p.Grouped(), known: &certify.Known{}}, map[string]pair{}
	for _, m := range q.Mechanisms {
		key := m.Key()
		if known[key] == nil {
			known[key] = pairOf(m)
		}
		q.pairs = append(q.pairs, known[key])
	}
	q.runs = q.Runs()
	return q
}

// once returns of, which is asked but once for all runs with the same law.
func once[T any](of func(r certify.Run) T) func(r certify.Run) T {
	known := map[certify.Alike]T{}
	return func(r certify.Run) T {
		x, isKnown := known[r.Alike()]
		if !isKnown {
			x = of(r)
			known[r.Alike()] = x
		}
		return x
	}
}

// pairOf returns the dominating pair of m: without a law that is randomized response (ODP-L12). Of a range it is one of
// many.
func pairOf(m certify.Mechanism) pair {
	switch {
	case m.Law != nil:
		return ofLaw(m.Law)
	case m.IsContinuous():
		return ofPoints(m)
	case m.IsRange:
		return ofRange(m.Eps)
	}
	return ofResponse(m.Eps, m.Delta)
}

// isBounded reports whether every mechanism has a largest finite loss.
func (p Problem) isBounded() bool {
	return !slices.ContainsFunc(p.pairs, func(x pair) bool {
		y, isContinuous := x.(*points)
		return isContinuous && y.most == nil
	})
}

// nodeZero returns the losses that are node 0 behind the runs of steps whose losses are on no lattice; nil for
// others, and if there are none. What is above node 0 counts as infinite, and on nodes that are a unit apart losses
// spread: so node 0 is some units above what matters. What is lost above all charges, by so much that no more than a
// mass of cut loses as much again, may as well be infinite.
func (p Problem) nodeZero(cut, unit float64) (losses []*big.Rat) {
	if !p.IsContinuous() {
		return nil
	}
	const units = 8
	const steps = 8 // of what is above all charges, so that the laws for others are often the same
	most := steps * math.Ceil((p.mostCharge()-math.Log(cut))/steps)
	top := once(func(r certify.Run) *big.Rat {
		x := p.pairs[r.Entry].Top(r.Count, cut, units*unit)
		if p.pairs[r.Entry].Largest().Sign() == 0 && x != nil && most < 1e15 { // else losses would not be on nodes
			x = rational.Min(x, big.NewRat(int64(most), 1))
		}
		return x
	})
	for _, r := range p.runs {
		losses = append(losses, top(r))
	}
	return losses
}

// mostCharge returns about the largest charge.
func (p Problem) mostCharge() (most float64) {
	for _, stop := range p.Stops {
		most = max(most, loss.Float64(stop.Eps))
	}
	return most
}

// length returns k_n.
func (p Problem) length() int { return p.Stops[len(p.Stops)-1].After }

// roundings returns how often losses are put on a grid: once a step or, where the steps of a run become one law, a run.
func (p Problem) roundings() float64 {
	if p.IsContinuous() {
		return float64(len(p.runs))
	}
	return float64(p.length())
}

// Charged returns p with other charges.
func (p Problem) Charged(charges []*big.Rat) Problem {
	stops := slices.Clone(p.Stops)
	for i, e := range charges {
		stops[i].Eps = loss.Nats(e)
	}
	p.Stops = stops
	return p
}

// Losses returns, per stop, the largest finite loss, or slightly more.
func (p Problem) Losses() (losses []*big.Rat) {
	sum := new(big.Rat)
	for _, r := range p.runs {
		each := p.pairs[r.Entry].Largest()
		sum.Add(sum, new(big.Rat).Mul(each, new(big.Rat).SetInt64(int64(r.Count))))
		if r.Stop >= 0 {
			losses = append(losses, new(big.Rat).Set(sum))
		}
	}
	return losses
}

// Infinities returns about the P-mass of an infinite loss up to every stop: what no charge can buy.
func (p Problem) Infinities() (masses []float64) {
	finite := 0.0 // its logarithm
	for _, r := range p.runs {
		finite += float64(r.Count) * math.Log1p(-p.pairs[r.Entry].Infinity())
		if r.Stop >= 0 {
			masses = append(masses, -math.Expm1(finite))
		}
	}
	return masses
}

// Reach returns about the largest |loss| at the end.
func (p Problem) Reach() float64 {
	sum := 0.0
	for i, x := range p.pairs {
		sum += x.Reach() * float64(p.Mechanisms[i].Count)
	}
	return sum
}

// deviation returns about the standard deviation of the loss at the end.
func (p Problem) deviation() float64 { return max(p.root(pair.Deviation), 1e-300) }

// lossRange returns about how far apart losses are that matter (by Hoeffding's inequality).
func (p Problem) lossRange() float64 { return min(2*p.Reach(), 22*p.root(pair.Reach)) }

// root returns the square root of the sum of the squares of a length of all mechanisms.
func (p Problem) root(length func(pair) float64) float64 {
	largest, sum := 0.0, 0.0
	for _, x := range p.pairs {
		largest = max(largest, length(x))
	}
	if largest == 0 {
		return 0
	}
	for i, pair := range p.pairs {
		x := length(pair) / largest
		sum += float64(p.Mechanisms[i].Count) * x * x
	}
	return largest * math.Sqrt(sum)
}
