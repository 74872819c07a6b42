package adaptive

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// menu are the parameters (ε_j, δ_j) that an adversary chooses from: at most 4 of them.
type menu []impl.Mechanism

// menuOf returns the menu of pairs "ε δ".
func menuOf(pairs ...string) (m menu) {
	for _, pair := range pairs {
		eps, delta, _ := strings.Cut(pair, " ")
		m = append(m, impl.Mechanism{Eps: loss.Nats(rat.Of(eps)), Delta: rat.Of(delta), Count: 1})
	}
	return m
}

func (m menu) String() string {
	var all []string
	for _, c := range m {
		all = append(all, fmt.Sprintf("(%s, %s)", c.Eps, rat.Show(c.Delta)))
	}
	return strings.Join(all, ", ")
}

// counts say how often each mechanism of a menu was played.
type counts [4]int

// rounds returns the parameters of what was played, in the order of the menu.
func (m menu) rounds(n counts) (eps, delta []float64) {
	for i, c := range m {
		for range n[i] {
			eps, delta = append(eps, loss.Float64(c.Eps)), append(delta, rat.Float64(c.Delta))
		}
	}
	return eps, delta
}

// index returns the place of a mechanism in a menu.
func (m menu) index(c impl.Mechanism) int {
	for i := range m {
		if m[i].Eps.Equal(c.Eps) && m[i].Delta.Cmp(c.Delta) == 0 {
			return i
		}
	}
	panic("internal error: not of the menu")
}

// stopRule is N of a filter: how many of the rounds with these parameters may run. Those before the last have been
// admitted.
type stopRule func(eps, delta []float64) int

// filterOf is a stopping rule as an [impl.Filter] against a menu.
type filterOf struct {
	menu
	rule stopRule
}

func (f filterOf) Start() any { return counts{} }

func (f filterOf) Spend(memory any, c impl.Mechanism) (after any, admitted bool) {
	n := memory.(counts)
	eps, delta := f.rounds(n)
	eps, delta = append(eps, loss.Float64(c.Eps)), append(delta, rat.Float64(c.Delta))
	n[f.index(c)]++
	return n, f.rule(eps, delta) == len(eps)
}

// reading is the u_n of an odometer, for the parameters of the rounds so far.
type reading func(eps, delta []float64) float64

// odometerOf is an odometer as an [impl.OdometerRule] against a menu.
type odometerOf struct {
	menu
	read reading
}

func (o odometerOf) Start() any { return counts{} }

func (o odometerOf) Spend(memory any, c impl.Mechanism) any {
	n := memory.(counts)
	n[o.index(c)]++
	return n
}

func (o odometerOf) Reading(memory any) interval.Float {
	n := memory.(counts)
	if n == (counts{}) {
		return interval.Point(0)
	}
	return interval.Point(o.read(o.rounds(n)))
}

// hardly is by how much more than a claim does not refute it: many claims are attained.
var hardly = rat.Of("1.000000001")

// worstDelta returns an interval that contains the smallest δ for which a stopping rule is (ε, δ)-DP against a menu,
// and whether it is more than the claim.
func worstDelta(t *register.T, m menu, rounds int, f impl.Filter, eps float64,
	claim *big.Rat) (worst interval.Interval, refuted bool) {
	c, err := impl.ChallengeFilter(t.Context(), m, rounds, f, loss.Nats(new(big.Rat).SetFloat64(eps)),
		impl.ChallengeOptions{Claim: rat.Mul(claim, hardly)})
	t.Must(err)
	if !c.Holds && !c.Refuted {
		t.Undecided("%v: the worst δ is in [%g, %g], claimed are at most %s", m, c.Worst.Lower, c.Worst.Upper,
			rat.Show(claim))
	}
	return c.Worst, c.Refuted
}

// worstExcess is the same for the probability that the loss is ever above what an odometer reads.
func worstExcess(t *register.T, m menu, rounds int, r impl.OdometerRule,
	claim *big.Rat) (worst interval.Interval, refuted bool) {
	c, err := impl.ChallengeOdometer(t.Context(), m, rounds, r, impl.ChallengeOptions{Claim: rat.Mul(claim, hardly)})
	t.Must(err)
	if !c.Holds && !c.Refuted {
		t.Undecided("%v: the worst is in [%g, %g], claimed is at most %s", m, c.Worst.Lower, c.Worst.Upper, rat.Show(claim))
	}
	return c.Worst, c.Refuted
}

// near reports whether two numbers are the same but for the rounding of float64.
func near(x, y float64) bool { return x == y || math.Abs(x-y) <= 1e-11*min(math.Abs(x), math.Abs(y)) }

// sum returns Σ x.
func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// squares returns V = Σ ε².
func squares(eps []float64) (v float64) {
	for _, e := range eps {
		v += e * e
	}
	return v
}

// multiplied returns all numbers times c.
func multiplied(x []float64, c float64) (y []float64) {
	for _, v := range x {
		y = append(y, c*v)
	}
	return y
}
