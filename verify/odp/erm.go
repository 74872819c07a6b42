package odp

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// erm are the statements on p_min and on output perturbation.
func erm() register.Checks {
	withRate := func(rate string) register.Check { return perturbation{rat.Of(rate), euclidean, 0}.isPrivate }
	return register.Checks{
		"ODP-E5": checked(with(isMinimum, rat.One),
			alsoFails("", "there is a minimum for every convex N", unbounded5),
			near("it is the minimum with 1.001·Λ", with(isMinimum, "1.001"))),
		"ODP-A4": checked(withRate("1"),
			alsoFails("", "every coordinate is drawn by itself, with density proportional to exp(−γ|q_j|)",
				perturbation{rat.One, manhattan, 0}.isPrivate),
			alsoFails("", "of two neighbours one has a record more", oneRecordMore),
			near("it is, with one in a hundred less noise", withRate("1.01")),
			near("it is, with the length of a noise in d − 1 dimensions",
				perturbation{rat.One, euclidean, 1}.isPrivate)),
		"ODP-T16": checked(all(withRate("1"), with(minimizerMoves, "2", inTheorem)),
			alsoHolds("of two neighbours one has a record more: 2/(nΛ) with the n of that one",
				with(oneMoreMoves, "2")),
			near("it is at most 1.99/(nΛ)", with(minimizerMoves, "1.99", inTheorem)),
			near("it is at most 1.5/(nΛ) for the logistic loss", with(minimizerMoves, "1.5", logistic)),
			near("it is at most 2/(nΛ) also for (3/8)‖p‖², which is 3/4-strongly convex",
				with(minimizerMoves, "2", func(m move) bool { return m.of[0].reg.name == weak.name })),
			near("it is at most 3.9/(nΛ) for |l'| ≤ 2",
				with(minimizerMoves, "3.9", func(m move) bool { return m.of[0].loss.name == doubled.name })),
			near("if one has a record more, 1.95/(nΛ)", with(oneMoreMoves, "1.95")),
			near("Algorithm 4 is ε-DP with 0.99 times the noise", withRate("100/99"))),
	}
}

// minimizerMoves checks that neighbouring p_min are at most c/(nΛ) apart, for some losses, and that both rooms say
// 2/(nΛ).
func minimizerMoves(t *register.T, c *big.Rat, applies func(move) bool) {
	for _, m := range moves(t) {
		if applies(m) {
			t.At("%s", m.text)
			m.areApart(t, sensitivityOf(t, m, c))
		}
	}
}

// areApart refutes that p_min and p'_min are at most a bound apart.
func (m move) areApart(t *register.T, bound *big.Rat) {
	atMost(t, m.l2, rat.Add(bound, rat.Twice(m.off)), "‖p_min − p'_min‖")
	t.Close(rat.Float64(m.l2.lower)/rat.Float64(bound), "")
}

// sensitivityOf returns c/(nΛ), after it has compared 2/(nΛ) with what spec and impl say.
func sensitivityOf(t *register.T, m move, c *big.Rat) *big.Rat {
	want, lambda := 2/rat.Float64(m.weight()), rat.Float64(m.lambda())
	got, above := spec.ERMSensitivity(m.n(), lambda), register.Must(impl.ERMSensitivity(m.n(), lambda))
	t.Require(isClose(got, want, 0x1p-50) && above >= want && above <= want*(1+0x1p-19),
		"2/(nΛ) = %.9g, by spec %.9g, by impl %.9g", want, got, above)
	return rat.Quo(c, m.weight())
}

// oneMoreMoves checks that p_min moves by at most c/(nΛ) if the first of n ≥ 2 records is taken away.
func oneMoreMoves(t *register.T, c *big.Rat) {
	for _, m := range moves(t) {
		if m.n() < 2 || m.n() > 100 || !inTheorem(m) {
			continue
		}
		all, fewer := m.of[0], m.of[0]
		fewer.train = fewer.train[1:]
		t.At("%v, with or without the first", all)
		newMove("", [2]training{all, fewer}, training.minimum).areApart(t, rat.Quo(c, m.weight()))
	}
}

// isMinimum checks that p_min of spec and of impl are the minimum of (5) with Λ multiplied by a factor.
func isMinimum(t *register.T, factor *big.Rat) {
	for i, m := range moves(t) {
		if x := m.of[0]; i%3 == 0 && len(x.train) <= 100 && inTheorem(m) {
			p, off := x.minimum()
			t.At("%v: p_min = %.12g", x, p)
			g := x.gradientNorm(p, factor)
			t.Require(g.lower.Cmp(rat.Of("2e-12")) <= 0, "the gradient has a norm of %.6g", g.lower)
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
			more, half, slack := x.objective(q)-least, step*step/2, 1e-10*(1+math.Abs(least))
			t.Require(more >= lambda*half-slack && more <= curvature*half+slack, "the step %g along axis %d adds "+
				"%.9g to the objective, must be from %.9g to %.9g", step, j+1, more, lambda*half, curvature*half)
		}
	}
}

// minimizersAgree checks that the minimizers of impl are as near to p_min as they claim.
func minimizersAgree(t *register.T, x training, p []float64, off *big.Rat) {
	q, distance, err := impl.Minimizer(x.train, rat.Float64(x.lambda))
	t.Must(err)
	apart, most := differenceOf([2][]float64{p, q}), new(big.Rat).SetFloat64(distance)
	certain := rat.Quo(x.gradientNorm(q, rat.One).lower, x.lambda)
	t.Require(rootOf(inner(apart, apart)).lower.Cmp(rat.Add(off, most)) <= 0 && certain.Cmp(most) <= 0 &&
		distance <= 0x1p-20/rat.Float64(x.lambda)/float64(len(x.train)), "by impl %.12g within %.6g", q, distance)
	if len(p) > 1 {
		return
	}
	on := register.Must(impl.MinimizerOnLine(x.train, x.lambda))
	t.Require(between(on, point(p[0])).lower.Cmp(off) <= 0 && width(on).Cmp(rat.Quo(rat.Of("1e-12"), x.lambda)) <= 0,
		"on the line from %.12g to %.12g", on.Lower, on.Upper)
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
	t.Refute("l(z) = −z, N(p) = |p|, Λ = 1/2, one record at 1: the objective is −p/2 for p > 0: "+
		"%g at 1, %g at 10, %g at 100", at(1), at(10), at(100))
}

// perturbation is a variant of Algorithm 4: with its rate multiplied, with noise of a density proportional to
// exp(−γ·length(q)), and with a radius whose law is that of so many dimensions less.
type perturbation struct {
	rate   *big.Rat
	length func(move) bounds
	fewer  float64
}

// perturbers are the programs of both rooms; impl has the logistic loss only.
var perturbers = map[string]func(x training, eps float64, noise impl.VectorNoise) ([]float64, error){
	"spec": func(x training, eps float64, noise impl.VectorNoise) ([]float64, error) {
		return spec.ERMOutputPert(specRecords(x.train), eps, x.loss.spec, x.reg.spec, rat.Float64(x.lambda), noise)
	},
	"impl": func(x training, eps float64, noise impl.VectorNoise) ([]float64, error) {
		return impl.ERMOutputPert(x.train, eps, rat.Float64(x.lambda), noise)
	},
}

// perturbersOf are those that can run on m in reasonable time, if it is one of Theorem 16.
func perturbersOf(m move) (packages []string) {
	if m.n() <= 100 && inTheorem(m) {
		packages = append(packages, "spec")
	}
	if logistic(m) {
		packages = append(packages, "impl")
	}
	return packages
}

// rounding is what float64 may add to a loss, as a part of it.
var rounding = rat.Add(rat.One, new(big.Rat).SetFrac64(1, 1<<36))

// isPrivate checks that the privacy loss of what the programs release is at most ε. A length r with a density
// proportional to r^(shape−1)·e^(−r/scale) in a uniform direction has, in d dimensions, a joint density
// proportional to r^(shape−d)·e^(−r/scale): that of the sphere is divided out.
func (claim perturbation) isPrivate(t *register.T) {
	for _, m := range moves(t) {
		for _, eps := range rat.List("1/2", "3") {
			for _, pkg := range perturbersOf(m) {
				t.At("%s by %s, ε = %s", m.text, pkg, eps)
				claim.compare(t, m, eps, claim.asked(t, m, eps, pkg))
			}
			if logistic(m) && m.dimension() == 1 {
				lossOnLine(t, m, rat.Mul(claim.rate, eps), eps)
			}
		}
	}
	t.Domain("%s; ε in {1/2, 3}; the loss is that of the law of noise that the programs ask for, "+
		"at p_min, up to a part 2^-36", movesDomain(t))
}

// asked runs a program on both databases, and returns what noise it asked for: the same on both, and what is
// added to p_min has the length and the direction that were drawn.
func (claim perturbation) asked(t *register.T, m move, eps *big.Rat, pkg string) *script {
	var both [2]*script
	for b := range both {
		s := scripted(m.dimension(), 1.5+float64(b), 0)
		got := register.Must(perturbers[pkg](m.of[b], rat.Float64(eps), s))
		want := plus(m.p[b], each(s.direction, func(c float64) float64 { return s.length * s.scale * c }))
		t.Require(areNear(got, want, 1e-6) && s.calls == 2 && s.dimension == m.dimension(),
			"p̃_min = %.9g, with p_min = %.9g, length %.9g and direction %.9g in %d dimensions",
			got, m.p[b], s.length*s.scale, s.direction, s.dimension)
		both[b] = s
	}
	least := 1 - 0x1p-40
	if pkg == "impl" {
		least = 1 + 0x1p-20 // p_min is known up to that part
	}
	printed := 2 / (rat.Float64(m.weight()) * rat.Float64(eps))
	p, q := both[0], both[1]
	t.Require(p.scale >= printed*least && p.scale <= printed*(1+0x1p-18) && p.shape == q.shape && p.scale == q.scale,
		"noise of the scale %.9g, printed is %.9g: Gamma(%g, %g) or Gamma(%g, %g)",
		p.scale, printed, p.shape, p.scale, q.shape, q.scale)
	return both[0]
}

// compare compares the loss with ε where it is largest.
func (claim perturbation) compare(t *register.T, m move, eps *big.Rat, noise *script) {
	length, rate := claim.length(m), rat.Quo(claim.rate, new(big.Rat).SetFloat64(noise.scale))
	if shape := noise.shape - claim.fewer; shape != float64(m.dimension()) && shape > 0 && length.lower.Sign() > 0 {
		l, power := rat.Float64(length.lower), shape-float64(m.dimension())
		r := l * math.Exp(-(rat.Float64(eps)+l*rat.Float64(rate)+1)/math.Abs(power))
		t.Refute("the length of the noise has a density proportional to r^%g·e^(−r/%.6g), that of q is proportional "+
			"to r^%g·e^(−r/%.6g): at %.3g from p_min and %.6g from p'_min the loss is %.6g",
			shape-1, noise.scale, power, noise.scale, r, l+r, math.Abs(power*math.Log(r/(l+r)))-l*rat.Float64(rate))
	}
	loss := length.times(rate)
	atMost(t, loss, rat.Mul(rounding, eps), "loss at p_min")
	t.Close(rat.Float64(loss.lower)/rat.Float64(eps), "")
}

// lossOnLine checks that the loss with noise for ε = noise is at most eps at some outputs, and is what the distances
// from p_min and p'_min make it.
func lossOnLine(t *register.T, m move, noise, eps *big.Rat) {
	x := impl.ReleaseTest{Train: m.of[0].train, Eps1: noise, Lambda: m.lambda()}
	y := x
	y.Train = m.of[1].train
	for _, p := range []float64{0, 0.25, -3} {
		loss := register.Must(impl.PerturbationLoss(x, y, p))
		atMost(t, magnitude(loss), eps, "loss at %g", p)
		gamma := rat.Float64(rat.Mul(m.weight(), noise)) / 2
		got, want := loss.Float().Lo, gamma*(math.Abs(p-m.p[1][0])-math.Abs(p-m.p[0][0]))
		t.Require(math.Abs(got-want) <= 1e-9*(1+math.Abs(want)), "loss at %g is %.12g by the distances, by impl %.12g",
			p, want, got)
	}
}

// oneRecordMore checks the loss if neighbours are databases of which one has a record more: noise and p_min of
// n records and of n + 1, all of them at 1, for l(z) = −z. The loss of an output p is
// ln(γ_{n+1}/γ_n) − γ_{n+1}·|p − p_min| + γ_n·|p − p'_min|, d = 1.
func oneRecordMore(t *register.T) {
	finite.Each(t, "l(z) = −z, N = (1/2)‖p‖², d = 1, Λ = 1: n or n + 1 records at 1, n in {1, 2, 3}, ε in {1, 1/2}, "+
		"p in {1, 11, 101}", func(_ string, n int, eps, p float64) {
		t.Case()
		var density [2]float64 // ln f(p)
		for b := range density {
			s, x := scripted(1, 0, 0), training{records(repeated(n+b, 1)...), linear, halfSquare, rat.One}
			min := register.Must(perturbers["spec"](x, eps, s))
			density[b] = -math.Log(2*s.scale) - math.Abs(p-min[0])/s.scale
		}
		loss := math.Abs(density[0] - density[1])
		t.Require(loss <= eps+1e-9, "%d or %d records at 1, l(z) = −z, Λ = 1: p_min = 1 for both; ε = %g: "+
			"the loss at p = %g is %.6g", n, n+1, eps, p, loss)
	})
}
