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
func worstExcess(t *register.T, m menu, rounds int, r ledger.OdometerRule,
	claim float64) (worst float64, refuted bool) {
	c, err := ledger.ChallengeOdometer(t.Context(), m, rounds, r,
		ledger.ChallengeOptions{Claim: rat.Mul(exact(claim), hardly)})
	return judged(t, m, c, err, exact(claim))
}

func judged(t *register.T, m menu, c *ledger.Challenge, err error, claim *big.Rat) (worst float64, refuted bool) {
	if t.Must(err); !c.Holds && !c.Refuted {
		t.Inconclusive("%v: the worst is in [%g, %g], claimed is at most %s",
			m, c.Worst.Lower, c.Worst.Upper, rat.Show(claim))
	}
	return c.Worst.Float().Lo, c.Refuted
}

// isNear reports whether two numbers are the same but for the rounding of float64.
func isNear(x, y float64) bool { return x == y || math.Abs(x-y) <= 1e-11*min(math.Abs(x), math.Abs(y)) }

// agree refutes that the rooms have the same number, but for the rounding of float64.
func agree(t *register.T, what string, fast, literal float64) {
	t.Require(isNear(fast, literal), "%s is %.12g by impl, %.12g by spec", what, fast, literal)
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

// drawn are rounds and the budget of a filter; impl is given some ε as e^ε.
type drawn struct {
	eps, delta           []float64 // of rounds, for spec
	e                    []loss.Epsilon
	deltas               []*big.Rat
	most, delta1, delta2 float64 // ε or ρ, δ′ and δ″
}

// given are rounds for both.
func given(eps, delta []float64) drawn {
	e, deltas := forImpl(eps, delta)
	return drawn{eps: eps, delta: delta, e: e, deltas: deltas}
}

// rounds are random rounds, up to 30, half of their ε given as e^ε, and a random budget of up to most.
func rounds(d register.Dice, most int) drawn {
	r := given(drawnRounds(d))
	for i := 1; i < len(r.e); i += 2 {
		r.e[i] = asExp(r.eps[i])
		r.eps[i] = math.Log(rat.Float64(r.e[i].Rat()))
	}
	r.most, r.delta1, r.delta2 = float64(1+d.Roll(1000*most))/1000, []float64{0.9, 0.1, 1e-6, 1e-40}[d.Roll(4)],
		float64(1+d.Roll(64))/1024
	return r
}

// asExp is an ε that is given to impl as e^ε, as the float64 nearest to that.
func asExp(eps float64) loss.Epsilon { return loss.Exp(exact(math.Exp(eps))) }

// admitAlike checks that impl admits as many rounds as spec does for hardly less and hardly more of the budget.
func admitAlike(t *register.T, most int, bySpec func(r drawn, up float64) int,
	byImpl func(t *register.T, r drawn) int) {
	t.AlsoDomain("random rounds, up to 30, with ε_m or ρ_m from 0 to 0.499, half of the ε_m as e^(ε_m), "+
		"and δ_m from 0 to 7/1024; ε or ρ from 0.001 to %d, δ′ = 0.9, 0.1, 1e-6 and 1e-40", most)
	t.Random(8, t.Size(300, 3000), func(t *register.T, d register.Dice) {
		r := rounds(d, most)
		n, low, high := byImpl(t, r), bySpec(r, 1-1e-12), bySpec(r, 1+1e-12)
		t.Require(low <= n && n <= high, "%g, δ′ = %g, δ″ = %g, ε = %v, δ = %v: %d rounds by impl, "+
			"from %d to %d by spec", r.most, r.delta1, r.delta2, r.eps, r.delta, n, low, high)
	})
}

// none are δ_m of 0.
func (r drawn) none() []float64 { return make([]float64, len(r.eps)) }

// dependsOnSum checks that what is read or charged is the same for equal ε_m with the same Σ ε_m^power and δ_m = 0, but
// for rounding, unless it is infinite.
func dependsOnSum(t *register.T, power, rounding float64, read func(r drawn) float64) {
	t.Domain("random rounds, up to 30, with ε_m from 0 to 0.499 and δ_m from 0 to 7/1024; " +
		"up to 40 equal ones with the same sum")
	t.Random(5, t.Size(50, 500), func(t *register.T, d register.Dice) {
		r := rounds(d, 1)
		time, n := 0.0, 1+d.Roll(40)
		for _, e := range r.eps {
			time += math.Pow(e, power)
		}
		equal := r
		equal.eps = slices.Repeat([]float64{math.Pow(time/float64(n), 1/power)}, n)
		equal.delta = equal.none()
		x, y := read(r), read(equal)
		t.Require(math.IsInf(x, 1) || math.Abs(x-y) <= rounding*x,
			"δ′ = %g, ε = %v and %d times %.6g: %.9g and %.9g", r.delta1, r.eps, n, equal.eps[0], x, y)
	})
}
