package adaptive

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// precise is the arithmetic of bounds that are no ratios.
const precise = interval.Precision(128)

// charges are values of e^ε, from tiny to large; deltas are values of δ, both ends included.
var (
	charges = rat.List("101/100", "3/2", "2", "5/2", "3", "20")
	deltas  = rat.List("0", "1/1000", "1/4", "19/20", "1")
	inner   = deltas[1:4]
	nearly  = big.NewRat(19, 20)
	more    = big.NewRat(21, 20)
)

// scaled returns x times a factor.
func scaled(factor *big.Rat) func(x *big.Rat) *big.Rat {
	return func(x *big.Rat) *big.Rat { return rat.Mul(factor, x) }
}

var same, less = scaled(rat.One), scaled(nearly)

// pairsIn are all pairs of laws over up to 3 outputs with probabilities in 1/d.
func pairsIn(d int) []finite.Pair { return slices.Collect(finite.Pairs(3, d)) }

// responses are the laws of (ε, δ)-randomized response on the inputs 0 and 1: its outputs 0 to 3 are ⊥, 0, 1 and ⊤.
func responses(expEps, delta *big.Rat) finite.Pair {
	return finite.Responses(spec.Mechanism{ExpEps: expEps, Delta: delta})
}

// eachResponse goes through randomized responses.
func eachResponse(t *register.T, charges, deltas []*big.Rat, visit func(e, delta *big.Rat, p finite.Pair)) {
	finite.Each2(charges, deltas, func(e, delta *big.Rat) {
		t.At("e^ε = %s, δ = %s", e, delta)
		visit(e, delta, responses(e, delta))
	})
}

// coin is the law of a with a probability, and of b otherwise.
func coin(p *big.Rat) finite.Law { return finite.Law{"a": p, "b": rat.Complement(p)} }

// mirrored is the pair of two outputs with the probabilities r/(1 + r) and 1/(1 + r), and the same exchanged: its
// losses are ln r and −ln r.
func mirrored(r *big.Rat) finite.Pair {
	likely := rat.Quo(r, rat.Add(rat.One, r))
	return finite.Pair{coin(likely), coin(rat.Complement(likely))}
}

// isMixture refutes that a law is (1 − δ)·pure + δ·rest.
func isMixture(t *register.T, law finite.Law, delta *big.Rat, pure, rest finite.Law) {
	mix := finite.Combine(rat.Complement(delta), pure, delta, rest)
	for _, off := range finite.Combine(rat.One, law, big.NewRat(-1, 1), mix) {
		t.Require(off.Sign() == 0, "%v is not the mixture with δ = %s, which is %v", law, delta, mix)
	}
}

// isAtMost reports whether x ≤ bound; the check is undecided if the interval does not tell.
func isAtMost(t *register.T, x *big.Rat, bound interval.Interval) bool {
	below, above := x.Cmp(rat.Exact(bound.Lower)), x.Cmp(rat.Exact(bound.Upper))
	if below > 0 && above < 0 {
		t.Undecided("%s is in [%g, %g]", rat.Show(x), bound.Lower, bound.Upper)
	}
	return above <= 0
}

// pdpDelta returns the smallest δ of (ε, δ)-pDP, in both orders.
func pdpDelta(p finite.Pair, expEps *big.Rat) *big.Rat {
	return rat.Max(spec.SmallestPDPDelta(p[0], p[1], expEps), spec.SmallestPDPDelta(p[1], p[0], expEps))
}

// dpDelta returns the smallest δ of (ε, δ)-DP, in both orders.
func dpDelta(p finite.Pair, expEps *big.Rat) *big.Rat {
	return rat.Max(register.Must(spec.SmallestDPDelta(p[0], p[1], expEps)),
		register.Must(spec.SmallestDPDelta(p[1], p[0], expEps)))
}

// near reports whether two numbers are the same but for the rounding of float64.
func near(x, y float64) bool { return x == y || math.Abs(x-y) <= 1e-11*min(math.Abs(x), math.Abs(y)) }

// agree refutes that the rooms have the same number, but for the rounding of float64.
func agree(t *register.T, what string, fast, literal float64) {
	t.Require(near(fast, literal), "%s is %.12g by impl, %.12g by spec", what, fast, literal)
}

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

// exact returns the number that x is.
func exact(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// drawnRounds are random parameters.
func drawnRounds(d register.Dice) (eps, delta []float64) {
	for range 1 + d.Roll(30) {
		eps, delta = append(eps, float64(d.Roll(500))/1000), append(delta, float64(d.Roll(8)*d.Roll(2))/1024)
	}
	return eps, delta
}

// forImpl are the same parameters as impl takes them: as the numbers that the float64 are.
func forImpl(eps, delta []float64) (e []loss.Epsilon, d []*big.Rat) {
	for i := range eps {
		e, d = append(e, loss.Nats(exact(eps[i]))), append(d, exact(delta[i]))
	}
	return e, d
}

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
