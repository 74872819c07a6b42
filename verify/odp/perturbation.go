package odp

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

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
				t.Case()
				claim.compare(t, m, eps, claim.asked(t, m, eps, pkg), pkg)
			}
			if logistic(m) && m.dimension() == 1 {
				lossOnLine(t, m, rat.Mul(claim.rate, eps), eps)
			}
		}
	}
	t.Domain("%s; ε in {1/2, 3}; the loss is that of the law of noise that the programs ask for, at p_min, up to "+
		"a part 2^-36", movesDomain(t))
}

// asked runs a program on both databases, and returns what noise it asked for: the same on both, and what is
// added to p_min has the length and the direction that were drawn.
func (claim perturbation) asked(t *register.T, m move, eps *big.Rat, pkg string) *script {
	var both [2]*script
	for b := range both {
		both[b] = scripted(m.dimension(), 1.5+float64(b), 0)
		got := register.Must(perturbers[pkg](m.of[b], rat.Float64(eps), both[b]))
		want := plus(m.p[b], each(both[b].direction, func(c float64) float64 { return both[b].length * both[b].scale * c }))
		t.Require(areNear(got, want, 1e-6) && both[b].calls == 2 && both[b].dimension == m.dimension(),
			"%s by %s, ε = %s: p̃_min = %.9g, with p_min = %.9g, length %.9g and direction %.9g in %d dimensions", m.text, pkg,
			eps, got, m.p[b], both[b].length*both[b].scale, both[b].direction, both[b].dimension)
	}
	least := 1 - 0x1p-40
	if pkg == "impl" {
		least = 1 + 0x1p-20 // p_min is known up to that part
	}
	printed := 2 / (rat.Float64(m.weight()) * rat.Float64(eps))
	t.Require(both[0].scale >= printed*least && both[0].scale <= printed*(1+0x1p-18),
		"%s by %s, ε = %s: noise of the scale %.9g, printed is %.9g", m.text, pkg, eps, both[0].scale, printed)
	t.Require(both[0].shape == both[1].shape && both[0].scale == both[1].scale, "%s by %s, ε = %s: Gamma(%g, %g) or "+
		"Gamma(%g, %g)", m.text, pkg, eps, both[0].shape, both[0].scale, both[1].shape, both[1].scale)
	return both[0]
}

// compare compares the loss with ε where it is largest.
func (claim perturbation) compare(t *register.T, m move, eps *big.Rat, noise *script, pkg string) {
	length, rate := claim.length(m), rat.Quo(claim.rate, new(big.Rat).SetFloat64(noise.scale))
	if shape := noise.shape - claim.fewer; shape != float64(m.dimension()) && shape > 0 && length.lower.Sign() > 0 {
		l, power := rat.Float64(length.lower), shape-float64(m.dimension())
		r := l * math.Exp(-(rat.Float64(eps)+l*rat.Float64(rate)+1)/math.Abs(power))
		t.Refute("%s by %s, ε = %s: the length of the noise has a density proportional to r^%g·e^(−r/%.6g), that of q is "+
			"proportional to r^%g·e^(−r/%.6g): at %.3g from p_min and %.6g from p'_min the loss is %.6g", m.text, pkg, eps,
			shape-1, noise.scale, power, noise.scale, r, l+r, math.Abs(power*math.Log(r/(l+r)))-l*rat.Float64(rate))
	}
	loss := length.times(rate)
	atMost(t, loss, rat.Mul(rounding, eps), "%s by %s, ε = %s: loss at p_min", m.text, pkg, rat.Show(eps))
	t.Close(rat.Float64(loss.lower)/rat.Float64(eps), "%s, ε = %s", m.text, eps)
}

// lossOnLine checks that the loss with noise for ε = noise is at most eps at some outputs, and is what the distances
// from p_min and p'_min make it.
func lossOnLine(t *register.T, m move, noise, eps *big.Rat) {
	var x [2]impl.ReleaseTest
	for i := range x {
		x[i] = impl.ReleaseTest{Train: m.of[i].train, Eps1: noise, Lambda: m.lambda()}
	}
	for _, p := range []float64{0, 0.25, -3} {
		loss := register.Must(impl.PerturbationLoss(x[0], x[1], p))
		atMost(t, magnitude(loss), eps, "%s, ε = %s: loss at %g", m.text, rat.Show(eps), p)
		gamma := rat.Float64(rat.Mul(m.weight(), noise)) / 2
		want := gamma * (math.Abs(p-m.p[1][0]) - math.Abs(p-m.p[0][0]))
		got := loss.Float()
		t.Require(math.Abs(got.Lo-want) <= 1e-9*(1+math.Abs(want)), "%s, ε = %s: loss at %g is %.12g by the distances, by "+
			"impl %.12g", m.text, eps, p, want, got.Lo)
	}
}

// oneRecordMore checks the loss if neighbours are databases of which one has a record more: noise and p_min of
// n records and of n + 1, all of them at 1, for l(z) = −z. The loss of an output p is
// ln(γ_{n+1}/γ_n) − γ_{n+1}·|p − p_min| + γ_n·|p − p'_min|, d = 1.
func oneRecordMore(t *register.T) {
	t.Domain("l(z) = −z, N = (1/2)‖p‖², d = 1, Λ = 1: n or n + 1 records at 1, n up to 3; ε in {1/2, 1}; p in " +
		"{1, 11, 101}")
	for n := 1; n <= 3; n++ {
		for _, eps := range []float64{1, 0.5} {
			for _, p := range []float64{1, 11, 101} {
				t.Case()
				var density [2]float64 // ln f(p)
				for b := range density {
					s, x := scripted(1, 0, 0), training{records(repeated(n+b, 1)...), linear, halfSquare, rat.One}
					min := register.Must(perturbers["spec"](x, eps, s))
					density[b] = -math.Log(2*s.scale) - math.Abs(p-min[0])/s.scale
				}
				loss := math.Abs(density[0] - density[1])
				t.Require(loss <= eps+1e-9, "%d or %d records at 1, l(z) = −z, Λ = 1: p_min = 1 for both; ε = %g: the loss at p "+
					"= %g is %.6g", n, n+1, eps, p, loss)
			}
		}
	}
}
