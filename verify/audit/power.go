package audit

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Seen is the smallest violation that an audit of this size finds with probability
// [SeenPower], so that "no violation found" is a number. It is computed by playing the
// game, on counts that are drawn instead of outputs, against mechanisms that break the
// claim by less and less. What is not seen at all is +Inf.
type Seen struct {
	// Eps is, for every part, the smallest ε that would have been seen if it is that of
	// an event that has the Probability given on the less likely side.
	Eps         []float64
	Probability []float64
	// Delta is the smallest probability that would have been seen of an output that is
	// possible on one input only, beyond which the claim is kept.
	Delta float64
}

// SeenPower is the probability with which a violation that is reported as seen is found.
const SeenPower = 0.9

const (
	seenGames = 200 // for each size of a violation
	seenSteps = 12  // of a bisection
)

// seen returns the smallest violations that the pair with the fewest outputs would have shown.
func (a *auditor) seen() Seen {
	t := a.tables[0]
	for _, u := range a.tables {
		if u.drawn < t.drawn {
			t = u
		}
	}
	s := Seen{Delta: a.seenDelta(t)}
	for _, part := range a.parts {
		eps, p := a.seenEps(t, part)
		s.Eps, s.Probability = append(s.Eps, eps), append(s.Probability, p)
	}
	return s
}

// seenEps returns the smallest ε of a part that is seen, and the probability of the event
// that has it.
func (a *auditor) seenEps(t *gaming, part int) (eps, p1 float64) {
	if len(t.history) == 0 {
		return math.Inf(1), math.NaN()
	}
	p1 = t.history[len(t.history)-1].telling(part, a.null)
	most := math.Log((1 - a.null.delta) / p1)
	found := func(eps float64) bool {
		p0 := min(1, math.Exp(eps)*p1+a.null.delta)
		return a.finds(t, planted{part: part, p: [2]float64{p0, p1}})
	}
	return least(epsilon(a.claim.Parts[part].Eps), most, found), p1
}

// telling returns the probability, on the less likely side, of the event within a part that
// has the largest loss by the earlier outputs, three standard deviations taken off.
func (r *round) telling(part int, h hypothesis) (p float64) {
	most := math.Inf(-1)
	for direction := range 2 {
		var hits [2]float64
		for _, c := range r.order(direction, h, func(p int) bool { return p == part }) {
			hits[0] += float64(r.past[direction][c])
			hits[1] += float64(r.past[1-direction][c])
			low, high := hits[0]-3*math.Sqrt(hits[0]+1), hits[1]+3*math.Sqrt(hits[1]+1)
			if ratio := low / high; ratio > most {
				most, p = ratio, (hits[1]+0.5)/float64(r.pastSize+1)
			}
		}
	}
	return p
}

// seenDelta returns the smallest probability of an output of one input only that is seen.
func (a *auditor) seenDelta(t *gaming) float64 {
	part := a.lightest()
	found := func(p float64) bool {
		return a.finds(t, planted{part: part, p: [2]float64{math.Exp(p), 0}, atom: true})
	}
	return math.Exp(least(math.Log(a.null.delta+0.1/float64(t.drawn+1)), 0, found))
}

// lightest returns the part with the smallest ε: where nothing is allowed but δ.
func (a *auditor) lightest() int {
	best := 0
	for i, w := range a.null.weights {
		if w < a.null.weights[best] {
			best = i
		}
	}
	return best
}

// least returns about the least x in [low, high] that is found, or +Inf.
func least(low, high float64, found func(float64) bool) float64 {
	if !(low < high) || !found(high) {
		return math.Inf(1)
	}
	for range seenSteps {
		if middle := (low + high) / 2; found(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// planted is a mechanism with one event that is worth betting on.
type planted struct {
	part int
	p    [2]float64 // its probability on either input
	atom bool       // it is one output, which has to be seen to be known of
}

// finds reports whether enough games against a planted violation are won.
func (a *auditor) finds(t *gaming, v planted) bool {
	won := 0
	for i := range seenGames {
		if a.wins(t, v, rand.New(rand.NewChaCha8(a.seed(-1, i)))) {
			won++
		}
	}
	return float64(won) >= SeenPower*seenGames
}

// wins plays one game, with as many outputs as were drawn.
func (a *auditor) wins(t *gaming, v planted, source *rand.Rand) bool {
	draw := func(n int, p float64) int { return binomial(n, p, source) }
	var g game
	var learned, judged [2]int
	drawn := 0
	sizes := rounds(a.Samples)
	for number, size := range sizes {
		if drawn >= t.drawn {
			break
		}
		r := &round{
			cells:    []cellInfo{{v.part, 1}, {v.part, -1}},
			past:     [2][]int{{judged[0], drawn/2 - judged[0]}, {judged[1], drawn/2 - judged[1]}},
			fresh:    [2][]int{{0, 0}, {0, 0}},
			pastSize: drawn / 2,
			planned:  size,
			left:     len(sizes) - 1 - number,
		}
		betting := drawn > 0 && (!v.atom || learned[0] >= minRepeats)
		if betting {
			g.bet(r, 0, a.null, a.parts, a.goal(verdictShare))
		}
		for look := range looks {
			n := lookSize(size, look)
			for side, p := range v.p {
				hits := draw(n, p)
				r.fresh[side][0] += hits
				half := draw(hits, 0.5)
				learned[side] += half
				judged[side] += hits - half
			}
			r.freshSize += n
			if !betting {
				continue
			}
			g.look(r, a.null)
			if g.wealth >= a.goal(verdictShare) {
				return true
			}
		}
		drawn += size
	}
	return false
}

// binomial returns how many of n events with probability p come.
func binomial(n int, p float64, source *rand.Rand) int {
	switch {
	case n == 0 || p <= 0:
		return 0
	case p >= 1:
		return n
	}
	return int(distuv.Binomial{N: float64(n), P: p, Src: source}.Rand())
}
