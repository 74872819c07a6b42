package verify

import (
	"bytes"
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl"
	"checkrr/impl/certificate"
	"checkrr/impl/certify"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// quadrature is a step as points: what they lose, and their P-mass, some of it with an infinite loss.
type quadrature struct {
	losses, masses []float64
	infinity       float64
}

// noiseQuadrature returns the points of a mechanism with noise: by the trapezoid rule, which is as good as exact over all of a smooth density, and for Laplace noise
// between 0 and 1, with all that is beyond as one point. Behind the last step what is paid has a kink, which is worth up to some hundred thousandths.
func noiseQuadrature(a *certify.Additive) (s quadrature) {
	scale, _ := a.Scale.Float64()
	q, _ := a.Sampling.Float64()
	switch a.Noise {
	case certify.DiscreteGaussian:
		return discreteQuadrature(scale, q, a.Added)
	case certify.Laplace:
		s.add(a.Added, q, 0.5*math.Exp(-1/scale), 0.5)
		density := func(y float64) float64 { return math.Exp(-math.Abs(y)/scale) / (2 * scale) }
		s.trapezoids(a.Added, q, 0, 1, 2000, density)
		s.add(a.Added, q, 0.5, 0.5*math.Exp(-1/scale))
	default:
		density := func(y float64) float64 { return math.Exp(-y*y/(2*scale*scale)) / (scale * math.Sqrt(2*math.Pi)) }
		s.trapezoids(a.Added, q, -9*scale, 1+9*scale, 4800, density)
	}
	return s
}

// add adds a point with the probabilities with and without the record, which is sampled with probability q.
func (s *quadrature) add(isAdded bool, q, with, without float64) {
	with = (1-q)*without + q*with
	p, l := with, math.Log(with/without)
	if isAdded {
		p, l = without, -l
	}
	s.losses, s.masses = append(s.losses, l), append(s.masses, p)
}

// trapezoids adds n + 1 points of a density from one place to another.
func (s *quadrature) trapezoids(isAdded bool, q, from, to float64, n int, density func(y float64) float64) {
	h := (to - from) / float64(n)
	for k := range n + 1 {
		weight, y := h, from+h*float64(k)
		if k == 0 || k == n {
			weight /= 2
		}
		s.add(isAdded, q, density(y-1)*weight, density(y)*weight)
	}
}

// discreteQuadrature returns the integers.
func discreteQuadrature(scale, q float64, added bool) (s quadrature) {
	last := math.Ceil(12 * scale)
	weight := func(x float64) float64 { return math.Exp(-x * x / (2 * scale * scale)) }
	all := 0.0
	for x := -last; x <= last; x++ {
		all += weight(x)
	}
	for x := -last; x <= last+1; x++ {
		with, without := ((1-q)*weight(x)+q*weight(x-1))/all, weight(x)/all
		p, l := with, math.Log(with/without)
		if added {
			p, l = without, -l
		}
		s.losses, s.masses = append(s.losses, l), append(s.masses, p)
	}
	return s
}

// responseQuadrature returns the outputs of randomized response.
func responseQuadrature(eps, delta float64) quadrature {
	p := 1 / (1 + math.Exp(-eps))
	return quadrature{[]float64{eps, -eps}, []float64{(1 - delta) * p, (1 - delta) * (1 - p)}, delta}
}

// byQuadrature returns OptDel by the plain recursion on values u(loss), which are linear between nodes: the first of so many on each side of 0.
func byQuadrature(steps []quadrature, charges map[int]float64, nodes int, reach float64) float64 {
	h := reach / float64(nodes)
	u, next := make([]float64, 2*nodes+1), make([]float64, 2*nodes+1)
	for k := len(steps); k >= 0; k-- {
		if k < len(steps) {
			for m := range next {
				next[m] = steps[k].infinity
			}
			for i, l := range steps[k].losses {
				addShifted(next, u, l/h, steps[k].masses[i])
			}
			u, next = next, u
		}
		if charge, ok := charges[k]; ok {
			for m := range u {
				u[m] = max(u[m], -math.Expm1(charge-float64(m-nodes)*h))
			}
		}
	}
	return u[nodes]
}

// addShifted adds mass·u(m + shift) to every sum m. Below its first node u is 0, above the last one it is as there.
func addShifted(sums, u []float64, shift, mass float64) {
	last := len(u) - 1
	whole := math.Floor(shift)
	first, part := int(whole), shift-whole
	from, to := min(max(0, -first), len(u)), min(max(0, last-first), len(u)) // of the sums that are between nodes
	for m := from; m < to; m++ {
		sums[m] += mass * (u[m+first] + part*(u[m+first+1]-u[m+first]))
	}
	for m := max(from, to); m <= last; m++ {
		sums[m] += mass * u[last]
	}
}

// noisyPipeline returns a random pipeline of mechanisms of all kinds, and its steps as points, for neighbours in both orders.
func noisyPipeline(r *rand.Rand) (p impl.Pipeline, steps [2][]quadrature, charges map[int]float64) {
	rat := func(x float64) *big.Rat { return big.NewRat(int64(math.Round(x*1000)), 1000) }
	for range 1 + r.IntN(3) {
		count := 1 + r.IntN(3)
		var both [2]quadrature
		switch kind := r.IntN(7); kind {
		case 0, 1, 2, 5:
			noise := []certify.Noise{certify.Gaussian, certify.Gaussian, certify.Laplace, 5: certify.DiscreteGaussian}[kind]
			a := certify.Additive{Noise: noise, Scale: rat(0.7 + 5*r.Float64()), Sampling: rat([]float64{1, 0.5, 0.1, 0.02}[r.IntN(4)])}
			p.Mechanisms = append(p.Mechanisms, impl.Mechanism{Additive: &a, Count: count})
			both[0] = noiseQuadrature(&a)
			back := a
			back.Added = true
			both[1] = noiseQuadrature(&back)
		case 3:
			eps, delta := rat(0.5*r.Float64()), big.NewRat(r.Int64N(2), 100000)
			p.Mechanisms = append(p.Mechanisms, impl.Mechanism{Eps: loss.Nats(eps), Delta: delta, Count: count})
			e, _ := eps.Float64()
			d, _ := delta.Float64()
			both[0] = responseQuadrature(e, d)
			both[1] = both[0]
		case 6:
			l := randomLosses(r)
			p.Mechanisms = append(p.Mechanisms, impl.Mechanism{Losses: l, Count: count})
			both = lossQuadrature(l)
		default:
			x, y := 1+r.Int64N(9), 1+r.Int64N(9)
			p.Mechanisms = append(p.Mechanisms, impl.Mechanism{Law: impl.Law{
				{big.NewRat(x, 10), big.NewRat(y, 10)}, {big.NewRat(10-x, 10), big.NewRat(10-y, 10)}}, Count: count})
			f := func(x, y float64) quadrature {
				return quadrature{[]float64{math.Log(x / y), math.Log((10 - x) / (10 - y))}, []float64{x / 10, 1 - x/10}, 0}
			}
			both = [2]quadrature{f(float64(x), float64(y)), f(float64(y), float64(x))}
		}
		for range count {
			steps[0], steps[1] = append(steps[0], both[0]), append(steps[1], both[1])
		}
	}
	charges = map[int]float64{}
	last := 0.2 + r.Float64()
	for k := 1; k <= len(steps[0]); k++ {
		if k == len(steps[0]) || r.IntN(2) == 0 {
			e := rat(last)
			charges[k], _ = e.Float64()
			p.Stops = append(p.Stops, impl.Stop{After: k, Eps: loss.Nats(e)})
			last += r.Float64() * 0.5
		}
	}
	return p, steps, charges
}

// TestOptDel_Quadrature compares intervals with the plain recursion over losses, with outputs by quadrature and no cells: on finer and finer grids, until what is left when
// that of the grid is taken off (Richardson) hardly changes. 12 random pipelines, or 300, seed 17. The tolerance is three times that change, and what quadrature leaves: below 1e-12 the reference knows
// nothing, as it has no far tails. The certificate of each is accepted by a checker that has nothing but it.
func TestOptDel_Quadrature(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 2022))
	for i := range atLeast(12, 300) {
		p, steps, charges := noisyPipeline(r)
		if isLeftOut(i) {
			continue
		}
		result, err := impl.OptDel(t.Context(), p, impl.Options{RelWidth: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		want, off := 0.0, 0.0
		for _, s := range steps {
			if x, miss := richardson(func(nodes int) float64 { return byQuadrature(s, charges, nodes, 12) }); x > want {
				want, off = x, miss
			}
		}
		lower, _ := result.OptDel.Lower.Float64()
		upper, _ := result.OptDel.Upper.Float64()
		if slack := 1e-4*want + 3*off + 1e-12; want < lower-slack || want > upper+slack || upper > 1e-30 && upper-lower > 1e-3*upper {
			t.Errorf("%d: %v is between %v and %v, must contain %v", i, p, lower, upper, want)
		}
		checkCertificate(t, result)
	}
}

// richardson returns what f tends to for ever more nodes, of which the error falls with their square, and by how much that has changed last: little, or with the most nodes that are tried.
func richardson(f func(nodes int) float64) (limit, change float64) {
	rough, last := f(1600), math.Inf(1)
	for nodes := 3200; ; nodes *= 2 {
		better := f(nodes)
		limit = better + (better-rough)/3
		if change = math.Abs(limit - last); change < 1e-4*limit || nodes == 25600 {
			return limit, change
		}
		rough, last = better, limit
	}
}

// atLeast returns n, or with -full another number.
func atLeast(n, all int) int {
	if *full {
		return all
	}
	return n
}

var part = flag.Int("part", -1, "with -full, take one in 20 of the pipelines with noise, another one for every number; all if below 0")

// isLeftOut reports whether the i-th problem is in another part.
func isLeftOut(i int) bool { return *full && *part >= 0 && i%20 != *part%20 }

// checkCertificate writes what was found, and checks what was written.
func checkCertificate(t *testing.T, r *impl.Result) {
	t.Helper()
	var claims []*certificate.Claim
	for _, b := range r.Certified {
		c, err := certificate.New(t.Context(), b, certificate.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		claims = append(claims, c)
	}
	var file bytes.Buffer
	if err := certificate.Write(&file, claims...); err != nil {
		t.Fatal(err)
	}
	read, err := certificate.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range read {
		if err := c.Verify(t.Context()); err != nil {
			t.Errorf("not accepted: %v", err)
		}
	}
}

// TestOptDel_GaussianSteps compares steps of the Gaussian mechanism that do not stop early with their closed form, in 60 digits: 30 random ones, or 1,000, with δ from 1e-30 on, seed 18.
func TestOptDel_GaussianSteps(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(18, 2018))
	for i := range atLeast(30, 1000) {
		sigma := big.NewRat(int64(math.Exp(math.Log(300)+r.Float64()*math.Log(1e6/3))), 1000) // 0.3 to 100
		count := int(math.Exp(r.Float64() * math.Log(20000)))
		s, _ := sigma.Float64()
		mu := math.Sqrt(float64(count)) / s
		eps := big.NewRat(int64(1000*max(0, mu*mu/2+mu*(-2+13.5*r.Float64())))+1, 1000)
		exact := impl.ComposedGaussianDelta(count, big.NewRat(1, 1), interval.Precision(200).Rat(sigma), eps)
		if x, _ := exact.Lower.Float64(); x < 1e-30 || isLeftOut(i) {
			continue
		}
		a := certify.Additive{Noise: certify.Gaussian, Scale: sigma, Sampling: big.NewRat(1, 1)}
		p := impl.Pipeline{Mechanisms: []impl.Mechanism{{Additive: &a, Count: count}}, Stops: []impl.Stop{{After: count, Eps: loss.Nats(eps)}}}
		result, err := impl.OptDel(t.Context(), p, impl.Options{RelWidth: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		got := result.OptDel
		if got.Lower.Cmp(exact.Upper) > 0 || got.Upper.Cmp(exact.Lower) < 0 || interval.Interval(got).RelWidth() > 1e-3 {
			t.Errorf("%d steps with σ = %v, charged %v: between %.8g and %.8g, must contain %.8g, %s", count, sigma, eps, got.Lower, got.Upper, exact.Lower, result.Shortfall)
		}
	}
}

// TestOptDel_LittleNoise compares one step with little noise with its closed form. On a sample of one record in 100, e^ε is 1 − q + q·e^ε′ and δ is q times that of ε′ without sampling.
func TestOptDel_LittleNoise(t *testing.T) {
	t.Parallel()
	const q = 0.01
	for _, tt := range []struct{ noise, eps int64 }{{100, 50}, {63, 200}, {37, 500}, {50, 200}, {31, 680}, {5, 680}, {2, 100}} { // noise in thousandths
		for _, kind := range []certify.Noise{certify.Gaussian, certify.Laplace} {
			scale, eps := big.NewRat(tt.noise, 1000), big.NewRat(tt.eps, 1)
			exact := impl.LaplaceDelta(big.NewRat(1, 1), scale, eps)
			if kind == certify.Gaussian {
				exact = impl.ComposedGaussianDelta(1, big.NewRat(1, 1), interval.Precision(1200).Rat(scale), eps)
			}
			delta, _ := exact.Upper.Float64()
			charge := big.NewRat(tt.eps, 1)
			for _, sampling := range []float64{1, q} {
				if sampling < 1 {
					charge.SetFloat64(float64(tt.eps) + math.Log(q+(1-q)*math.Exp(-float64(tt.eps))))
				}
				a := certify.Additive{Noise: kind, Scale: scale, Sampling: new(big.Rat).SetFloat64(sampling)}
				p := impl.Pipeline{Mechanisms: []impl.Mechanism{{Additive: &a, Count: 1}}, Stops: []impl.Stop{{After: 1, Eps: loss.Nats(charge)}}}
				result, err := impl.OptDel(t.Context(), p, impl.Options{})
				if err != nil {
					t.Fatal(err)
				}
				lower, _ := result.OptDel.Lower.Float64()
				upper, _ := result.OptDel.Upper.Float64()
				const rounding = 1e-9 // of the charge
				want := sampling * delta
				isWide := upper-lower > 1e-3*upper && upper > 1e-30 && tt.eps <= 500
				if lower > want*(1+rounding) || upper < want*(1-rounding) || isWide {
					t.Errorf("%s %v, sampling %g, charged %d: between %.8g and %.8g, must contain %.8g, %s", kind, scale, sampling, tt.eps, lower, upper, want, result.Shortfall)
				}
			}
		}
	}
}

// TestOptDel_LaplaceStep compares one step of the Laplace mechanism with its closed form: 60 random ones, seed 19.
func TestOptDel_LaplaceStep(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(19, 2018))
	for range 60 {
		scale := big.NewRat(int64(100*math.Exp(r.Float64()*math.Log(1000)))+10, 100)
		b, _ := scale.Float64()
		eps := big.NewRat(int64(1e6*r.Float64()*1.2/b), 1_000_000)
		exact := impl.LaplaceDelta(big.NewRat(1, 1), scale, eps)
		a := certify.Additive{Noise: certify.Laplace, Scale: scale, Sampling: big.NewRat(1, 1)}
		p := impl.Pipeline{Mechanisms: []impl.Mechanism{{Additive: &a, Count: 1}}, Stops: []impl.Stop{{After: 1, Eps: loss.Nats(eps)}}}
		result, err := impl.OptDel(t.Context(), p, impl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := result.OptDel
		if got.Lower.Cmp(exact.Upper) > 0 || got.Upper.Cmp(exact.Lower) < 0 || interval.Interval(got).RelWidth() > 1e-4 {
			t.Errorf("scale %v, charged %v: between %.8g and %.8g, must contain %.8g, %s", scale, eps, got.Lower, got.Upper, exact.Lower, result.Shortfall)
		}
	}
}
