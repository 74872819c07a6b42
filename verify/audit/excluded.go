package audit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"

	"checkrr/impl/loss"
)

// What samples say of ε and δ together rests on events that are chosen before a round is drawn. Let S be
// one, p = P0(S) and q = P1(S). Of n fresh outputs on either input, h and k were in S. The
// likelihoods of these counts, averaged over what earlier outputs let one expect, and divided by those at the
// true p and q, are nonnegative martingales as n grows, that start at 1; so is their product, which
// ever reaches 1/α with probability at most α (Ville 1939). Hence (p, q) is, whenever one looks,
// with probability 1 − α in the region
//
//	n·KL(h/n ‖ p) + n·KL(k/n ‖ q) ≤ B
//
// where B is ln(1/α) and what the averages are behind the largest likelihoods. No claim is true
// with δ below the least of p − e^ε·q there, whatever ε is: all points of a curve, and of several events that share α,
// are right together.

// line is such an event, with what was seen of it.
type line struct {
	direction int
	part      int
	event     event
	hits      [2]float64 // under P0 and P1
	size      float64    // of the fresh outputs
	budget    float64    // B
}

// linesShare is the share of the bounds' α that belongs to lines; walks have the rest.
const linesShare = 0.1

// lineRounds is how many of the last rounds are looked at for lines.
const lineRounds = 2

// lineShare returns the share of α of a round, which is fixed before anything is drawn: which rounds are the last
// ones depends on the outputs, if the audit may end early. For the last one that is planned it is 1/2, then 1/6, 1/12
// and so on, all together at most 1.
func (r *round) lineShare() float64 { return 1 / (float64(r.left+1) * float64(r.left+2)) }

// believed is how many standard deviations probabilities are expected to be off by where lines are chosen.
const believed = 4

// lines returns the events of a part that bound its curve, with their bounds. It leaves out
// pairs when time is up.
func (a *auditor) lines(part int) []line {
	share := boundShare
	if a.refuted() {
		share = 1
	}
	alpha := a.Alpha * share * linesShare / float64(len(a.matches)*len(a.parts))
	var all []line
	for _, t := range a.matches {
		for _, r := range t.history[max(0, len(t.history)-lineRounds):] {
			views := r.views()
			for _, v := range views {
				if v.freshSize == 0 || a.hurried() {
					continue
				}
				lines := v.linesOf(part, a.null)
				for _, l := range lines {
					all = append(all, l.counted(v, len(a.parts), alpha*r.lineShare()/float64(len(views)*len(lines))))
				}
			}
		}
	}
	return all
}

// linesOf returns events that promise most by the outputs before the round, for several ε and
// several δ.
func (r *round) linesOf(part int, h hypothesis) []line {
	claimed := math.Log(h.weights[part])
	aims := []func(p, q float64) float64{
		func(p, q float64) float64 { return p - q },
		func(p, q float64) float64 { return p - math.Exp(claimed/2)*q },
		func(p, q float64) float64 { return p - h.weights[part]*q },
	}
	for _, delta := range []float64{h.delta, 1e-3, 1e-2, 1e-1} {
		aims = append(aims, func(p, q float64) float64 { return (p - delta) / q })
	}
	best := make([]line, len(aims))
	values := []float64{0, 0, 0, 1, 1, 1, 1} // of what says nothing
	for direction := range 2 {
		var hits [2]float64
		cells := r.order(direction, h, func(k int) bool { return k == part })
		for i, c := range cells {
			hits[0] += float64(r.past[direction][c])
			hits[1] += float64(r.past[1-direction][c])
			p, q := r.expected(hits)
			for j, aim := range aims {
				if value := aim(p, q); value > values[j] {
					values[j], best[j] = value, line{direction: direction, part: part, event: cells[:i+1]}
				}
			}
		}
	}
	var lines []line
	for _, l := range best {
		same := func(m line) bool { return m.direction == l.direction && len(m.event) == len(l.event) }
		if l.event != nil && !slices.ContainsFunc(lines, same) {
			lines = append(lines, l)
		}
	}
	return lines
}

// expected returns about which bounds on probabilities the round will give, from earlier hits.
func (r *round) expected(hits [2]float64) (low, high float64) {
	n, planned := float64(r.pastSize)+1, float64(r.planned)
	slack := func(p float64) float64 {
		return believed*math.Sqrt(p*(1-p)/planned) + believed*believed/2/planned
	}
	p, q := min(1, hits[0]/n), min(1, (hits[1]+0.5)/n)
	return p - slack(p), q + slack(q)
}

// counted counts the fresh outputs; alpha is the probability with which the region is wrong, at most.
func (l line) counted(r *round, parts int, alpha float64) line {
	t := r.count(l.direction, l.event, parts)
	l.size, l.hits[0] = t.n, t.first
	l.hits[1] = floats.Sum(t.second)
	l.budget = -math.Log(alpha)
	for side, hits := range l.hits {
		before := 0.0
		for _, c := range l.event {
			before += float64(r.past[side^l.direction][c])
		}
		l.budget += regret(hits, l.size, before, float64(r.pastSize))
	}
	l.budget += 1e-9 + rounding(l.size)
	return l
}

// regret returns by how much the largest logarithm of the likelihood of hits in n trials is above the average
// one, if probabilities have the beta law that earlier hits suggest.
func regret(hits, n, before, trials float64) float64 {
	a, b := before+0.5, trials-before+0.5
	average := mathext.Lbeta(a+hits, b+n-hits) - mathext.Lbeta(a, b)
	return -n*entropy(hits/n) - average
}

// entropy returns that of a coin.
func entropy(p float64) float64 {
	if p <= 0 || p >= 1 {
		return 0
	}
	return -p*math.Log(p) - (1-p)*math.Log1p(-p)
}

// deltaAt returns which δ the line excludes all below of, for a weight e^ε; rounded down. By weak duality, the least of
// p − w·q in the region is at least that of p − w·q + λ·(n·KL + n·KL − B) anywhere, for
// any λ ≥ 0; the best λ is looked for.
func (l line) deltaAt(weight float64) float64 {
	p, q := l.hits[0]/l.size, l.hits[1]/l.size
	if !(p > weight*q) || math.IsInf(weight, 1) {
		return 0
	}
	dual := func(logarithm float64) float64 {
		lambda := math.Exp(logarithm)
		return least(1, l.hits[0], l.size, lambda) + least(-weight, l.hits[1], l.size, lambda) - lambda*l.budget
	}
	variance := (p + weight*weight*(q+1/l.size)) / l.size
	about := 0.5 * math.Log(variance/(2*l.budget))
	low, high := about-dualWidth, about+dualWidth
	const golden = 0.6180339887498949
	for range dualSteps {
		if a, b := high-golden*(high-low), low+golden*(high-low); dual(a) < dual(b) {
			low = a
		} else {
			high = b
		}
	}
	if x := dual((low+high)/2) - 1e-12; x > 0 {
		return x
	}
	return 0
}

// The search for λ: the logarithm is within dualWidth of what it would be if counts were normal, and is searched for
// in so many steps.
const (
	dualWidth = 4.0
	dualSteps = 30
)

// least returns the least of s·p + λ·n·KL(hits/n ‖ p) over p in [0, 1].
func least(s, hits, n, lambda float64) float64 {
	// The derivative is 0 where s·p² − (s + λ·n)·p + λ·hits = 0.
	b, c := s+lambda*n, lambda*hits
	root := math.Sqrt(max(0, b*b-4*s*c))
	p := 0.0
	switch {
	case b >= 0 && b+root > 0:
		p = 2 * c / (b + root)
	case s < 0:
		p = (b - root) / (2 * s)
	}
	p = min(1, max(0, p))
	return s*p + lambda*n*divergence(hits/n, p)
}

// divergence returns the relative entropy of two coins, of which the first has the probability p.
func divergence(p, q float64) float64 {
	x := 0.0
	if p > 0 {
		x = p * math.Log(p/q)
	}
	if p < 1 {
		x += (1 - p) * (math.Log1p(-p) - math.Log1p(-q))
	}
	return max(0, x)
}

// eps returns which ε the line excludes all below of, for a δ.
func (l line) eps(delta float64) float64 {
	excludes := func(eps float64) bool { return l.deltaAt(math.Exp(eps)*(1+1e-15)) > delta }
	if !excludes(0) {
		return 0
	}
	low, high := 0.0, 1.0
	for high < maxEps && excludes(high) {
		low, high = high, 2*high
	}
	for range 40 {
		if middle := (low + high) / 2; excludes(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// maxEps is more than any ε that samples show.
const maxEps = 512

// excluded returns the curve of a part that lines and walks exclude: with the claimed δ up to eps, and
// with at least delta up to the claimed ε.
func (a *auditor) excluded(part int, lines []line, eps, delta float64) Curve {
	claimed := loss.Float64(a.claim.Parts[part].Eps)
	last := eps
	for _, l := range lines {
		last = max(last, l.eps(0))
	}
	if delta > 0 {
		last = max(last, claimed)
	}
	var curve Curve
	for _, x := range curveGrid(last, []float64{claimed, eps}) {
		most := 0.0
		if x <= eps {
			most = a.null.delta
		}
		if x <= claimed {
			most = max(most, delta)
		}
		for _, l := range lines {
			most = max(most, l.deltaAt(math.Exp(x)*(1+1e-15)))
		}
		curve = append(curve, Point{x, most})
	}
	return curve
}
