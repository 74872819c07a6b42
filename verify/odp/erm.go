package odp

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// erm are the statements on p_min and on output perturbation.
func erm() register.Checks {
	private := perturbation{rat.One, euclidean, 0}
	return register.Checks{
		"ODP-E5": register.Checked(register.With(isMinimum, rat.One),
			register.AlsoFails("", "there is a minimum for every convex N", unbounded5),
			near("it is the minimum with 1.001·Λ", isMinimum, rat.Of("1.001")),
		),
		"ODP-A4": register.Checked(perturbation{rat.One, euclidean, 0}.isPrivate,
			register.AlsoFails("", "every coordinate is drawn by itself, with density proportional to exp(−γ|q_j|)",
				perturbation{rat.One, manhattan, 0}.isPrivate),
			register.AlsoFails("", "of two neighbours one has a record more", oneRecordMore),
			register.NearMiss("it is, with one in a hundred less noise", perturbation{rat.Of("1.01"), euclidean, 0}.isPrivate),
			register.NearMiss("it is, with the length of a noise in d − 1 dimensions",
				perturbation{rat.One, euclidean, 1}.isPrivate),
		),
		"ODP-T16": register.Checked(register.All(private.isPrivate, register.With2(minimizerMoves, rat.Of("2"), inTheorem)),
			register.AlsoHolds("of two neighbours one has a record more: 2/(nΛ) with the n of that one",
				register.With(oneMoreMoves, rat.Of("2"))),
			near2("it is at most 1.99/(nΛ)", minimizerMoves, rat.Of("1.99"), inTheorem),
			near2("it is at most 1.5/(nΛ) for the logistic loss", minimizerMoves, rat.Of("1.5"), logistic),
			near2("it is at most 2/(nΛ) also for (2/5)‖p‖², which is 4/5-strongly convex", minimizerMoves, rat.Of("2"),
				func(m move) bool { return m.of[0].reg.name == weak.name }),
			near2("it is at most 3.9/(nΛ) for |l'| ≤ 2", minimizerMoves, rat.Of("3.9"),
				func(m move) bool { return m.of[0].loss.name == doubled.name }),
			near("if one has a record more, 1.95/(nΛ)", oneMoreMoves, rat.Of("1.95")),
			register.NearMiss("Algorithm 4 is ε-DP with 0.99 times the noise",
				perturbation{rat.Of("100/99"), euclidean, 0}.isPrivate),
		),
	}
}

// minimizerMoves checks that neighbouring p_min are at most c/(nΛ) apart, for some losses, and that both rooms say
// 2/(nΛ).
func minimizerMoves(t *register.T, c *big.Rat, applies func(move) bool) {
	most, where := 0.0, ""
	for _, m := range moves(t) {
		if !applies(m) {
			continue
		}
		t.Case()
		m.areApart(t, sensitivityOf(t, m, c), m.text)
		if part := rat.Float64(rat.Mul(m.l2.lower, m.weight())); part > most && logistic(m) {
			most, where = part, m.text
		}
	}
	t.Domain("%s; the largest ‖p_min − p'_min‖ for the logistic loss is %.4g/(nΛ): %s", movesDomain(t), most, where)
}

// areApart refutes that p_min and p'_min are at most a bound apart.
func (m move) areApart(t *register.T, bound *big.Rat, what string) {
	atMost(t, m.l2, rat.Add(bound, rat.Twice(m.off)), "%s: ‖p_min − p'_min‖", what)
	t.Close(rat.Float64(m.l2.lower)/rat.Float64(bound), "%s", what)
}

// sensitivityOf returns c/(nΛ), after it has compared 2/(nΛ) with what spec and impl say.
func sensitivityOf(t *register.T, m move, c *big.Rat) *big.Rat {
	want, lambda := 2/rat.Float64(m.weight()), rat.Float64(m.lambda())
	above, err := impl.ERMSensitivity(m.n(), lambda)
	t.Must(err)
	if got := spec.ERMSensitivity(m.n(), lambda); !isClose(got, want, 0x1p-50) ||
		!(above >= want && above <= want*(1+0x1p-19)) {
		t.Refute("n = %d, Λ = %g: 2/(nΛ) = %.9g, by spec %.9g, by impl %.9g", m.n(), lambda, want, got, above)
	}
	return rat.Quo(c, m.weight())
}

// oneMoreMoves checks that p_min moves by at most c/(nΛ) if the first of n ≥ 2 records is taken away.
func oneMoreMoves(t *register.T, c *big.Rat) {
	for _, m := range moves(t) {
		if m.n() < 2 || m.n() > 100 || !inTheorem(m) {
			continue
		}
		t.Case()
		all, fewer := m.of[0], m.of[0]
		fewer.train = fewer.train[1:]
		p, off := all.minimum()
		q, offQ := fewer.minimum()
		moved := move{of: m.of, off: rat.Add(off, offQ), difference: differenceOf([2][]float64{p, q})}.measured()
		moved.areApart(t, rat.Quo(c, m.weight()), fmt.Sprintf("%v, with or without the first", all))
	}
}

// isMinimum checks that p_min of spec and of impl are the minimum of (5) with Λ multiplied by a factor.
func isMinimum(t *register.T, factor *big.Rat) {
	for i, m := range moves(t) {
		if x := m.of[0]; i%3 == 0 && len(x.train) <= 100 && inTheorem(m) {
			t.Case()
			p, off := x.minimum()
			g := x.gradientNorm(p, factor)
			t.Require(g.lower.Cmp(rat.Of("2e-12")) <= 0, "%v: the gradient at p = %.6g has a norm of %.6g", x, p, g.lower)
			growsAround(t, x, p)
			if logistic(m) {
				minimizersAgree(t, x, p, off)
			}
		}
	}
	t.Domain("every third of these x^train of up to 100 records: %s", movesDomain(t))
}

// growsAround checks that the objective is larger around its minimum, by (Λ/2)‖·‖² at least and by half the curvature
// at most.
func growsAround(t *register.T, x training, p []float64) {
	least, lambda := x.objective(p), rat.Float64(x.lambda)
	curvature := x.loss.spec.Curvature + lambda*x.reg.spec.Curvature
	for j := range p {
		for _, step := range []float64{0.01, -0.01, 0.5, -0.5} {
			q := slices.Clone(p)
			q[j] += step
			more, slack := x.objective(q)-least, 1e-10*(1+math.Abs(least))
			t.Require(more >= lambda/2*step*step-slack && more <= curvature/2*step*step+slack,
				"%v: from p_min = %.6g the step %g along axis %d adds %.9g to the objective, must be from %.9g to %.9g", x, p, step,
				j+1, more, lambda/2*step*step, curvature/2*step*step)
		}
	}
}

// minimizersAgree checks that the minimizers of impl are as near to p_min as they claim.
func minimizersAgree(t *register.T, x training, p []float64, off *big.Rat) {
	q, distance, err := impl.Minimizer(x.train, rat.Float64(x.lambda))
	t.Must(err)
	apart := rootOf(square(differenceOf([2][]float64{p, q})))
	most := new(big.Rat).SetFloat64(distance)
	certain := rat.Quo(x.gradientNorm(q, rat.One).lower, x.lambda)
	t.Require(
		apart.lower.Cmp(rat.Add(off, most)) <= 0 && certain.Cmp(most) <= 0 &&
			distance <= 0x1p-20/rat.Float64(x.lambda)/float64(len(x.train)), "%v: p_min = %.12g, by impl %.12g within %.6g", x,
		p,
		q, distance)
	if len(p) > 1 {
		return
	}
	on, err := impl.MinimizerOnLine(x.train, x.lambda)
	t.Must(err)
	t.Require(between(on, point(p[0])).lower.Cmp(off) <= 0 && width(on).Cmp(rat.Quo(rat.Of("1e-12"), x.lambda)) <= 0,
		"%v: p_min = %.12g, on the line from %.12g to %.12g", x, p, on.Lower, on.Upper)
}

// unbounded5 is that there is a minimum if N is convex: none with N(p) = |p|, which is not strongly so.
func unbounded5(t *register.T) {
	t.Domain("l(z) = −z, N(p) = |p|, Λ = 1/2, one record at 1; p in {0, 1, 10, 100}")
	size := spec.Regularizer{Value: func(p []float64) float64 { return math.Abs(p[0]) }}
	at := func(p float64) float64 {
		return spec.Objective([]float64{p}, specRecords(records(1)), linear.spec, size, 0.5)
	}
	for p := 1.0; p <= 100; p *= 10 {
		t.Case()
		if at(p) != -p/2 {
			return
		}
	}
	t.Refute("l(z) = −z, N(p) = |p|, Λ = 1/2, one record at 1: the objective is −p/2 for p > 0: %g at 1, %g at "+
		"10, %g at 100", at(1), at(10), at(100))
}

// square returns ‖x‖².
func square(x []*big.Rat) *big.Rat { return inner(x, x) }
