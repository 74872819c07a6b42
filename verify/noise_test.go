package verify

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
)

// quadrature is a step as points: what they lose, and their P-mass, some of it with an infinite loss.
type quadrature struct {
	losses, masses []float64
	infinity       float64
}

// noiseQuadrature returns n + 1 points of a mechanism with noise, or fewer: by the trapezoid rule, which is as good as
// exact over all of a smooth density, and for Laplace noise between 0 and 1, with all that is beyond as one point.
// Behind the last step what is paid has a kink, which is worth up to some hundred thousandths. It shares nothing with
// the law of such steps: what a group adds is found by going through all that its members may do.
func noiseQuadrature(a *certify.Additive, n int) (s quadrature) {
	scale, chances, far := rat.Float64(a.Scale), membersChances(a, max(1, a.Group)), 0.0
	for _, x := range chances {
		far = max(far, x.amount)
	}
	mixed := func(density func(y float64) float64, y float64) (sum float64) {
		for _, x := range chances {
			sum += x.p * density(y-x.amount)
		}
		return sum
	}
	trapezoids := func(from, to float64, n int, density func(y float64) float64) {
		h := (to - from) / float64(n)
		for k := range n + 1 {
			weight, y := h, from+h*float64(k)
			if k == 0 || k == n {
				weight /= 2
			}
			s.add(a.Added, weight*mixed(density, y), weight*density(y))
		}
	}
	normal := func(y float64) float64 { return math.Exp(-y * y / (2 * scale * scale)) }
	switch a.Noise {
	case certify.DiscreteGaussian: // the integers
		last, all := math.Ceil(12*scale), 0.0
		for x := -last; x <= last; x++ {
			all += normal(x)
		}
		trapezoids(-last, last+1, int(2*last)+1, func(y float64) float64 { return normal(y) / all })
	case certify.Laplace:
		below := func(y float64) float64 { return math.Exp(y/scale) / 2 }
		above := func(y float64) float64 { return math.Exp(-y/scale) / 2 }
		s.add(a.Added, mixed(below, 0), below(0))
		trapezoids(0, 1, n/2, func(y float64) float64 { return math.Exp(-math.Abs(y)/scale) / (2 * scale) })
		s.add(a.Added, mixed(above, 1), above(1))
	default:
		trapezoids(-9*scale, far+9*scale, n, func(y float64) float64 { return normal(y) / (scale * math.Sqrt(2*math.Pi)) })
	}
	return s
}

// add adds a point with the probabilities with and without the record.
func (s *quadrature) add(isAdded bool, with, without float64) {
	p, l := with, math.Log(with/without)
	if isAdded {
		p, l = without, -l
	}
	s.point(l, p)
}

// point adds a point, unless it has no mass.
func (s *quadrature) point(loss, mass float64) {
	if mass > 0 {
		s.losses, s.masses = append(s.losses, loss), append(s.masses, mass)
	}
}

// byQuadrature returns OptDel by the plain recursion on values u(loss), which are linear between nodes: the first of
// so many on each side of 0.
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

// reachOf returns at least what steps lose together, or 12 if that is less, but for what is next to impossible. Up to
// there nodes are fine enough, if steps lose little.
func reachOf(steps []quadrature) float64 {
	sum := 1e-3
	for _, s := range steps {
		most := 0.0
		for i, l := range s.losses {
			if s.masses[i] > 1e-15 {
				most = max(most, math.Abs(l))
			}
		}
		sum += most
	}
	return min(12, sum)
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

func thousandths(x float64) *big.Rat { return big.NewRat(int64(math.Round(x*1000)), 1000) }

// ofNoise returns a mechanism, and its points in both orders.
func ofNoise(a certify.Additive, n int) (m impl.Mechanism, both [2]quadrature) {
	back := a
	back.Added = true
	return impl.Mechanism{Additive: &a}, [2]quadrature{noiseQuadrature(&a, n), noiseQuadrature(&back, n)}
}

// noisyMechanism returns a random mechanism, and its points.
func noisyMechanism(r *rand.Rand, n int) (m impl.Mechanism, both [2]quadrature) {
	switch kind := r.IntN(9); kind {
	case 0, 1, 2, 5, 7, 8:
		a := certify.Additive{Sampling: rat.List("1", "0.5", "0.1", "0.02")[r.IntN(4)]}
		a.Noise = []certify.Noise{certify.Gaussian, certify.Gaussian, certify.Laplace, 5: certify.DiscreteGaussian,
			7: certify.Gaussian, 8: certify.Gaussian}[kind]
		if a.Scale = thousandths(0.7 + 5*r.Float64()); kind > 5 {
			a.Scale = thousandths(drawUsers(r, &a) * (0.7 + 4*r.Float64()))
		}
		return ofNoise(a, n)
	case 3:
		eps, delta := thousandths(0.5*r.Float64()), big.NewRat(r.Int64N(2), 100000)
		e, d := rat.Float64(eps), rat.Float64(delta)
		p := 1 / (1 + math.Exp(-e))
		points := quadrature{[]float64{e, -e}, []float64{(1 - d) * p, (1 - d) * (1 - p)}, d}
		return impl.Mechanism{Eps: loss.Nats(eps), Delta: delta}, [2]quadrature{points, points}
	case 6:
		return lossMechanism(r, n)
	}
	x, y := big.NewRat(1+r.Int64N(9), 10), big.NewRat(1+r.Int64N(9), 10)
	for _, p := range [][2]*big.Rat{{x, y}, {rat.Complement(x), rat.Complement(y)}} {
		both[0].add(false, rat.Float64(p[0]), rat.Float64(p[1]))
		both[1].add(false, rat.Float64(p[1]), rat.Float64(p[0]))
		m.Law = append(m.Law, p)
	}
	return m, both
}

// noisyPipeline returns a random pipeline of up to so many kinds of mechanisms, and its steps as points, for neighbours
// in both orders.
func noisyPipeline(
	r *rand.Rand, most int, mechanism func() (impl.Mechanism, [2]quadrature),
) (p impl.Pipeline, steps [2][]quadrature, charges map[int]float64) {
	for range 1 + r.IntN(most) {
		m, both := mechanism()
		m.Count = 1 + r.IntN(3)
		p.Mechanisms = append(p.Mechanisms, m)
		for i := range both {
			steps[i] = append(steps[i], slices.Repeat([]quadrature{both[i]}, m.Count)...)
		}
	}
	charges = map[int]float64{}
	last := 0.2 + r.Float64()
	for k := 1; k <= len(steps[0]); k++ {
		if k == len(steps[0]) || r.IntN(2) == 0 {
			e := big.NewRat(int64(math.Round(last*1000)), 1000)
			charges[k] = rat.Float64(e)
			p.Stops = append(p.Stops, impl.Stop{After: k, Eps: loss.Nats(e)})
			last += r.Float64() * 0.5
		}
	}
	return p, steps, charges
}

// TestOptDel_Quadrature compares intervals with the plain recursion over losses, with outputs by quadrature and no
// cells: on finer and finer grids, until what is left when that of the grid is taken off (Richardson) hardly changes.
// A few random pipelines with few points, or 600, seed 17. The tolerance is three times that change, and what
// quadrature leaves: below 1e-12 the reference knows nothing, as it has no far tails.
func TestOptDel_Quadrature(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 2022))
	n := amount(600, 4800)
	for i := range amount(8, 600) {
		p, steps, charges := noisyPipeline(r, 3, func() (impl.Mechanism, [2]quadrature) { return noisyMechanism(r, n) })
		least := 1e-30
		if slices.ContainsFunc(p.Mechanisms, func(m impl.Mechanism) bool { return addsMore(m.Additive) }) {
			least = 1e-12
		}
		if !isLeftOut(i) {
			compareWithQuadrature(t, i, p, steps, charges, 1e-4*math.Pow(4800/float64(n), 2), least)
		}
	}
}

// compareWithQuadrature compares the interval of the i-th pipeline with the recursion over its steps as points, which
// are off by such a part. It is to be narrow where δ is more than the least one.
func compareWithQuadrature(t *testing.T, i int, p impl.Pipeline, steps [2][]quadrature, charges map[int]float64,
	tolerance, least float64) {
	t.Helper()
	result, err := impl.OptDel(t.Context(), p, impl.Options{RelWidth: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	want, off := 0.0, 0.0
	for i, s := range steps {
		if i == 1 && reflect.DeepEqual(s, steps[0]) {
			continue // both orders are the same
		}
		reach := reachOf(s)
		if x, miss := richardson(func(nodes int) float64 { return byQuadrature(s, charges, nodes, reach) }); x > want {
			want, off = x, miss
		}
	}
	lower, _ := result.OptDel.Lower.Float64()
	upper, _ := result.OptDel.Upper.Float64()
	isWide := upper-lower > 1e-3*upper && upper > least && lower < 0.99 // next to 1 nobody asks for more
	if slack := tolerance*want + 3*off + 1e-12; want < lower-slack || want > upper+slack || isWide {
		t.Errorf("%d: %v is between %v and %v, must contain %v, %s", i, p, lower, upper, want, result.Shortfall)
	}
}

// richardson returns what f tends to for ever more nodes, of which the error falls with their square, and by how much
// that has changed last: little, or with the most nodes that are tried.
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

var part = flag.Int("part", -1,
	"with -full, take one in 20 of the pipelines with noise, another one for every number; all if below 0")

// isLeftOut reports whether the i-th problem is in another part.
func isLeftOut(i int) bool { return *full && *part >= 0 && i%20 != *part%20 }

// closedForm is a pipeline of equal steps with one stop, at its end, and its δ.
type closedForm struct {
	noise certify.Noise
	scale *big.Rat
	count int
	eps   *big.Rat
	exact interval.Interval
}

// check holds OptDel against it, for steps that are sampled or not: of one step on a sample e^ε is 1 − q + q·e^ε′,
// and δ is q times that of ε′ without sampling. The relative width is to be no more than so much.
func (c closedForm) check(t *testing.T, sampling, asked, width float64) {
	t.Helper()
	eps, lower, upper := c.eps, c.exact.Float().Lo, c.exact.Float().Hi
	if sampling < 1 {
		e := rat.Float64(eps)
		eps = new(big.Rat).SetFloat64(e + math.Log(sampling+(1-sampling)*math.Exp(-e)))
	}
	const rounding = 1e-9 // of the charge
	lower, upper = sampling*lower*(1-rounding), sampling*upper*(1+rounding)
	a := certify.Additive{Noise: c.noise, Scale: c.scale, Sampling: new(big.Rat).SetFloat64(sampling)}
	p := impl.Pipeline{
		Mechanisms: []impl.Mechanism{{Additive: &a, Count: c.count}},
		Stops:      []impl.Stop{{After: c.count, Eps: loss.Nats(eps)}},
	}
	result, err := impl.OptDel(t.Context(), p, impl.Options{RelWidth: asked})
	if err != nil {
		t.Fatal(err)
	}
	got := result.OptDel.Float()
	isNarrow := got.Hi-got.Lo <= width*got.Hi || got.Hi <= 1e-28
	if e := rat.Float64(c.eps); got.Lo > upper || got.Hi < lower || !isNarrow && (e <= 300 || c.count == 1 && e <= 500) {
		t.Errorf("%+v, sampling %g: between %.8g and %.8g, must contain [%.8g, %.8g], %s",
			c, sampling, got.Lo, got.Hi, lower, upper, result.Shortfall)
	}
}

// gaussianSteps and laplaceStep have their closed forms, in 60 digits or more.
func gaussianSteps(count int, sigma, eps *big.Rat, precision interval.Precision) closedForm {
	return closedForm{certify.Gaussian, sigma, count, eps, impl.ComposedGaussianDelta(count, rat.One,
		precision.Rat(sigma), eps)}
}

func laplaceStep(scale, eps *big.Rat) closedForm {
	return closedForm{certify.Laplace, scale, 1, eps, impl.LaplaceDelta(rat.One, scale, eps)}
}

// TestOptDel_ClosedForms compares random steps of the Gaussian mechanism that do not stop early, with δ from 1e-30
// on, of which those from 1e-28 on are as narrow as asked for, and one of the Laplace mechanism, with their closed
// forms: a few of each, or 1,000.
func TestOptDel_ClosedForms(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(18, 2018))
	for i := range amount(4, 1000) {
		sigma := big.NewRat(int64(math.Exp(math.Log(300)+r.Float64()*math.Log(1e6/3))), 1000) // 0.3 to 100
		count := int(math.Exp(r.Float64() * math.Log(20000)))
		mu := math.Sqrt(float64(count)) / rat.Float64(sigma)
		eps := big.NewRat(int64(1000*max(0, mu*mu/2+mu*(-2+13.5*r.Float64())))+1, 1000)
		scale := big.NewRat(int64(100*math.Exp(r.Float64()*math.Log(1000)))+10, 100)
		less := big.NewRat(int64(1e6*r.Float64()*1.2/rat.Float64(scale)), 1_000_000)
		if isLeftOut(i) {
			continue
		}
		if c := gaussianSteps(count, sigma, eps, 200); c.exact.Float().Lo >= 1e-30 {
			c.check(t, 1, 1e-3, 1e-3)
		}
		laplaceStep(scale, less).check(t, 1, 1e-4, 1e-4)
	}
}

// TestOptDel_LittleNoise does so for one step with little noise, and on a sample of one record in 100.
func TestOptDel_LittleNoise(t *testing.T) {
	t.Parallel()
	// noise in thousandths, and the charge
	rows := [][2]int64{{100, 50}, {63, 200}, {31, 680}, {37, 500}, {50, 200}, {5, 680}, {2, 100}}
	for _, row := range rows[:amount(2, len(rows))] {
		scale, eps := big.NewRat(row[0], 1000), big.NewRat(row[1], 1)
		for _, c := range []closedForm{gaussianSteps(1, scale, eps, 1200), laplaceStep(scale, eps)} {
			c.check(t, 1, 1e-4, 1e-3)
			c.check(t, 0.01, 1e-4, 1e-3)
		}
	}
}
