package adaptive

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/ledger"
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

// isPure reports whether all have δ = 0.
func (m menu) isPure() bool {
	return !slices.ContainsFunc(m, func(c impl.Mechanism) bool { return c.Delta.Sign() > 0 })
}

// counts say how often each mechanism of a menu was played.
type counts [4]int

// rounds returns the parameters of what was played, in the order of the menu.
func (m menu) rounds(n counts) (eps, delta []float64) {
	for i, c := range m {
		eps = append(eps, slices.Repeat([]float64{loss.Float64(c.Eps)}, n[i])...)
		delta = append(delta, slices.Repeat([]float64{rat.Float64(c.Delta)}, n[i])...)
	}
	return eps, delta
}

// with returns what was played, and a mechanism of the menu.
func (m menu) with(n counts, c impl.Mechanism) counts {
	n[slices.IndexFunc(m, func(x impl.Mechanism) bool { return x.Eps.Equal(c.Eps) && rat.Equal(x.Delta, c.Delta) })]++
	return n
}

// stopRule is N of a filter: how many of the rounds with these parameters may run. Those before the last have been
// admitted.
type stopRule func(eps, delta []float64) int

// filterOf is a stopping rule as an [ledger.Filter] against a menu.
type filterOf struct {
	menu
	rule stopRule
}

func (f filterOf) Start() any { return counts{} }

func (f filterOf) Spend(memory any, c impl.Mechanism) (after any, admitted bool) {
	n := memory.(counts)
	eps, delta := f.rounds(n)
	eps, delta = append(eps, loss.Float64(c.Eps)), append(delta, rat.Float64(c.Delta))
	return f.with(n, c), f.rule(eps, delta) == len(eps)
}

// reading is the u_n of an odometer, for the parameters of the rounds so far.
type reading func(eps, delta []float64) float64

// odometerOf is an odometer as an [ledger.OdometerRule] against a menu.
type odometerOf struct {
	menu
	read reading
}

func (o odometerOf) Start() any { return counts{} }

func (o odometerOf) Spend(memory any, c impl.Mechanism) any { return o.with(memory.(counts), c) }

func (o odometerOf) Reading(memory any) interval.Float {
	n := memory.(counts)
	if n == (counts{}) {
		return interval.Point(0)
	}
	return interval.Point(o.read(o.rounds(n)))
}

// hardly is by how much more than a claim does not refute it: many claims are attained.
var hardly = rat.Of("1.000000001")

// worstDelta returns a lower end of the smallest δ for which a stopping rule is (ε, δ)-DP against a menu, and whether
// it is more than the claim.
func worstDelta(t *register.T, m menu, rounds int, f ledger.Filter, eps, claim float64) (worst float64, refuted bool) {
	c, err := ledger.ChallengeFilter(t.Context(), m, rounds, f, loss.Nats(exact(eps)),
		ledger.ChallengeOptions{Claim: rat.Mul(exact(claim), hardly)})
	return judged(t, m, c, err, exact(claim))
}

// worstExcess is the same for the probability that the loss is ever above what an odometer reads.
func worstExcess(t *register.T, m menu, rounds int, r ledger.OdometerRule, claim float64) (worst float64, refuted bool) {
	c, err := ledger.ChallengeOdometer(t.Context(), m, rounds, r,
		ledger.ChallengeOptions{Claim: rat.Mul(exact(claim), hardly)})
	return judged(t, m, c, err, exact(claim))
}

func judged(t *register.T, m menu, c *ledger.Challenge, err error, claim *big.Rat) (worst float64, refuted bool) {
	if t.Must(err); !c.Holds && !c.Refuted {
		t.Undecided("%v: the worst is in [%g, %g], claimed is at most %s", m, c.Worst.Lower, c.Worst.Upper, rat.Show(claim))
	}
	return c.Worst.Float().Lo, c.Refuted
}
