package odp

import (
	"math"
	"math/big"
	"slices"

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

// perturbersOf are those that can run on m in reasonable time.
func perturbersOf(m move) (packages []string) {
	if m.n() <= 100 {
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
				if !inTheorem(m) {
					continue
				}
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
		got, err := perturbers[pkg](m.of[b], rat.Float64(eps), both[b])
		t.Must(err)
		want := slices.Clone(m.p[b])
		for i, c := range both[b].direction {
			want[i] += both[b].length * both[b].scale * c
		}
		if !near(got, want, 1e-6) || both[b].calls != 2 || both[b].dimension != m.dimension() {
			t.Refute("%s by %s, ε = %s: p̃_min = %.9g, with p_min = %.9g, length %.9g and direction %.9g in %d dimensions",
				m.text, pkg, rat.Show(eps), got, m.p[b], both[b].length*both[b].scale, both[b].direction, both[b].dimension)
		}
	}
	least := 1 - 0x1p-40
	if pkg == "impl" {
		least = 1 + 0x1p-20 // p_min is known up to that part
	}
	if printed := 2 / (rat.Float64(m.weight()) * rat.Float64(eps)); !(both[0].scale >= printed*least &&
		both[0].scale <= printed*(1+0x1p-18)) {
		t.Refute("%s by %s, ε = %s: noise of the scale %.9g, printed is %.9g", m.text, pkg, rat.Show(eps), both[0].scale,
			printed)
	}
	if both[0].shape != both[1].shape || both[0].scale != both[1].scale {
		t.Refute("%s by %s, ε = %s: Gamma(%g, %g) or Gamma(%g, %g)", m.text, pkg, rat.Show(eps), both[0].shape,
			both[0].scale, both[1].shape, both[1].scale)
	}
	return both[0]
}

// compare compares the loss with ε where it is largest.
func (claim perturbation) compare(t *register.T, m move, eps *big.Rat, noise *script, pkg string) {
	length, rate := claim.length(m), rat.Quo(claim.rate, new(big.Rat).SetFloat64(noise.scale))
	if shape := noise.shape - claim.fewer; shape != float64(m.dimension()) && shape > 0 && length.lower.Sign() > 0 {
		l, power := rat.Float64(length.lower), shape-float64(m.dimension())
		r := l * math.Exp(-(rat.Float64(eps)+l*rat.Float64(rate)+1)/math.Abs(power))
		t.Refute("%s by %s, ε = %s: the length of the noise has a density proportional to r^%g·e^(−r/%.6g), that of q is "+
			"proportional to r^%g·e^(−r/%.6g): at %.3g from p_min and %.6g from p'_min the loss is %.6g",
			m.text, pkg, rat.Show(eps), shape-1, noise.scale, power, noise.scale, r, l+r,
			math.Abs(power*math.Log(r/(l+r)))-l*rat.Float64(rate))
	}
	loss := length.times(rate)
	atMost(t, loss, rat.Mul(rounding, eps), "%s by %s, ε = %s: loss at p_min", m.text, pkg, rat.Show(eps))
	t.Close(rat.Float64(loss.lower)/rat.Float64(eps), "%s, ε = %s", m.text, rat.Show(eps))
}

// lossOnLine checks that the loss with noise for ε = noise is at most eps at some outputs, and is what the distances
// from p_min and p'_min make it.
func lossOnLine(t *register.T, m move, noise, eps *big.Rat) {
	var x [2]impl.ReleaseTest
	for i := range x {
		x[i] = impl.ReleaseTest{Train: m.of[i].train, Eps1: noise, Lambda: m.lambda()}
	}
	for _, p := range []float64{0, 0.25, -3} {
		loss, err := impl.PerturbationLoss(x[0], x[1], p)
		t.Must(err)
		atMost(t, magnitude(loss), eps, "%s, ε = %s: loss at %g", m.text, rat.Show(eps), p)
		gamma := rat.Float64(rat.Mul(m.weight(), noise)) / 2
		want := gamma * (math.Abs(p-m.p[1][0]) - math.Abs(p-m.p[0][0]))
		if got := loss.Float(); !(math.Abs(got.Lo-want) <= 1e-9*(1+math.Abs(want))) {
			t.Refute("%s, ε = %s: loss at %g is %.12g by the distances, by impl %.12g", m.text, rat.Show(eps), p, want, got.Lo)
		}
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
					s := scripted(1, 0, 0)
					min, err := perturbers["spec"](training{records(repeated(n+b, 1)...), linear, halfSquare, rat.One}, eps, s)
					t.Must(err)
					density[b] = -math.Log(2*s.scale) - math.Abs(p-min[0])/s.scale
				}
				if loss := math.Abs(density[0] - density[1]); loss > eps+1e-9 {
					t.Refute("%d or %d records at 1, l(z) = −z, Λ = 1: p_min = 1 for both; ε = %g: the loss at p = %g is %.6g", n,
						n+1, eps, p, loss)
				}
			}
		}
	}
}

// noiseLevel is the probability with which one comparison of draws rejects a law that is right, by the inequality of
// Dvoretzky, Kiefer, Wolfowitz and Massart: sup |F_n − F| is more than x with probability at most 2e^(−2nx²).
const noiseLevel = 1e-9

// drawsLaw checks draws of q in d dimensions: γ‖q‖ has the law of Erlang with d steps, and the first coordinate of the
// direction is that of a uniform point of the circle or of the sphere (Archimedes).
//
// Power: a law that differs by 2·0.0127 somewhere is rejected with probability at least 1 − 1e-9 with 66000 draws;
// noise that is 7 % too small differs by 0.037 for d = 2 and by 0.045 for d = 3.
func drawsLaw(t *register.T) {
	n := t.Size(66_000, 1_000_000)
	far := math.Sqrt(math.Log(2/noiseLevel) / (2 * float64(n)))
	for d := 2; d <= 3; d++ {
		x := make([]float64, d)
		x[0] = 1
		db := training{[]impl.LabelledRecord{{X: x, Y: 1}, {X: x, Y: 0.5}}, logisticLoss, halfSquare, rat.Of("3/2")}
		gamma := 2 * 1.5 * 0.75 / 2 // nΛε/2 with ε = 3/4
		min, _ := db.minimum()
		runs, err := impl.NewERMRuns(db.train, 0.75, 1.5)
		t.Must(err)
		noise := impl.NewNoise([32]byte{4, byte(d)})
		var radius, first []float64
		for range n {
			q := runs.Draw(noise)
			square := 0.0
			for i := range q {
				q[i] -= min[i]
				square += q[i] * q[i]
			}
			radius, first = append(radius, gamma*math.Sqrt(square)), append(first, q[0]/math.Sqrt(square))
		}
		t.Case()
		if x, at := farthest(radius, func(r float64) float64 { return erlang(d, r) }); x > far {
			t.Refute("d = %d: of %d draws, the part with γ‖q‖ up to %.6g differs by %.6g from that of the density e^(−γ‖q‖), "+
				"more than %.6g", d, n, at, x, far)
		}
		if x, at := farthest(first, func(c float64) float64 { return axis(d, c) }); x > far {
			t.Refute("d = %d: of %d draws, the part with a first coordinate of the direction up to %.6g differs by %.6g from "+
				"that of a uniform one, more than %.6g", d, n, at, x, far)
		}
	}
	t.AlsoDomain("%d draws of q for d = 2 and 3 with the noise of impl: radius and direction, each at a level of %g", n,
		noiseLevel)
}

// farthest returns the largest |F_n − F|, and where it is.
func farthest(draws []float64, law func(x float64) float64) (most, at float64) {
	slices.Sort(draws)
	n := float64(len(draws))
	for i, x := range draws {
		f := law(x)
		if far := max(f-float64(i)/n, float64(i+1)/n-f); far > most {
			most, at = far, x
		}
	}
	return most, at
}

// erlang returns the probability that d steps of exponential length come to at most r: 1 − e^(−r) Σ_{k<d} r^k/k!.
func erlang(d int, r float64) float64 {
	term, sum := 1.0, 0.0
	for k := range d {
		sum += term
		term *= r / float64(k+1)
	}
	return 1 - math.Exp(-r)*sum
}

// axis returns the probability that a coordinate of a uniform point of the circle, d = 2, or of the sphere, d = 3, is
// at most c.
func axis(d int, c float64) float64 {
	if d == 2 {
		return 1 - math.Acos(max(-1, min(1, c)))/math.Pi
	}
	return (1 + c) / 2
}
