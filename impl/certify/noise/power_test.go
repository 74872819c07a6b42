package noise

import (
	"math"
	"math/big"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"checkrr/impl/certify/internal/num"
)

// ends returns the laws of count mechanisms that are dominated by them, and that dominate them.
func ends(t *testing.T, m Continuous, count int, unit, tilt float64) (both [2]*Cells) {
	t.Helper()
	for j, isUp := range []bool{false, true} {
		c, err := Law(t.Context(), m, count, Nodes{new(big.Rat), num.Exactly(unit), isUp, 1e-15, MostLoss}, tilt)
		if err != nil {
			t.Fatal(err)
		}
		both[j] = c
	}
	return both
}

// orders are those at which divergences are compared.
var orders = []float64{0, 0.5, 0.9, 0.99, 0.9999, 1, 1.0001, 1.001, 1.01, 1.1, 1.5, 3, 20, 1e3}

// compositions calls yield with all ways in which n mechanisms have k losses.
func compositions(n, k int, yield func(counts []int)) {
	counts := make([]int, k)
	var next func(i, left int)
	next = func(i, left int) {
		if i == k-1 {
			counts[i] = left
			yield(counts)
			return
		}
		for counts[i] = 0; counts[i] <= left; counts[i]++ {
			next(i+1, left-counts[i])
		}
	}
	next(0, n)
}

// exactDivergence returns that of count mechanisms with losses, by how often each of these occurs, in 200 bits.
func (l *Losses) exactDivergence(count int, alpha float64) float64 {
	const prec = 200
	number := func() *big.Float { return new(big.Float).SetPrec(prec) }
	// e^x from its mass: P and Q of each loss in many digits
	var p, q []*big.Float
	for _, x := range l.list {
		mass := number().SetRat(x[1])
		other := qMass(x[0], x[1], prec).Lo
		if l.isReversed {
			mass, other = other, mass
		}
		p, q = append(p, mass), append(q, other)
	}
	finite, all, one := number(), number(), big.NewFloat(1)
	sum := number()
	compositions(count, len(p), func(counts []int) {
		a, b, left := number().SetInt64(1), number().SetFloat64(alpha), int64(count)
		for i, n := range counts {
			for range n {
				a.Mul(a, p[i])
				b.Mul(b, q[i])
			}
			ways := number().SetInt(new(big.Int).Binomial(left, int64(n)))
			a.Mul(a, ways)
			b.Mul(b, ways)
			left -= int64(n)
		}
		all.Add(all, a)
		if b.Sub(a, b); b.Sign() > 0 {
			finite.Add(finite, b)
		}
	})
	sum.Add(finite, number().Sub(one, all)) // what is missing under P is impossible under Q
	x, _ := sum.Float64()
	return x
}

// Laws of many steps contain, at every order, what all ways to lose something amount to in 200 bits: losses of all
// sizes, of which some are very rare, in both orders, by transforms and one by one.
func TestLaw_Exact(t *testing.T) {
	defer func(f func(float64) float64) { shortProducts = f }(shortProducts)
	r := rand.New(rand.NewPCG(53, 1))
	for i := range 45 {
		var list [][2]*big.Rat
		left, q, loss := 1-1e-12, 1-1e-12, -1e-3*r.ExpFloat64()
		for range 2 + r.IntN(3) {
			p := min(left, q*math.Exp(loss)) * (1 - math.Pow(10, -5*r.Float64()))
			if left, q = left-p, q-p*math.Exp(-loss); p > 0 {
				list = append(list, [2]*big.Rat{new(big.Rat).SetFloat64(loss), new(big.Rat).SetFloat64(p)})
			}
			loss += math.Pow(10, -3.5*r.Float64())
		}
		l, err := NewLosses(list)
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(2) == 0 {
			l = l.Reversed()
		}
		if i%3 > 0 {
			shortProducts = func(float64) float64 { return []float64{0, math.Inf(1)}[i%3-1] }
		}
		count := 2 + r.IntN([]int{80, 30, 12, 12}[len(list)-2])
		unit := math.Pow(10, -1-3*r.Float64())
		law := ends(t, l, count, unit, 30*float64(r.IntN(2)))
		for _, alpha := range orders {
			low, high := law[0].divergence(from0(unit), alpha), law[1].divergence(from0(unit), alpha)
			want, rounding := l.exactDivergence(count, alpha), 1e-13*max(1, alpha)
			if low > want+rounding || high < want-rounding {
				t.Errorf("%d: %d of %v (reversed: %t), unit %.3g, α = %v: between %v and %v, must contain %v", i, count,
					l.list, l.isReversed, unit, alpha, low, high, want)
			}
			if high-low > 2*unit+1e-10 {
				t.Errorf("%d: %d of %v, unit %.3g, α = %v: between %v and %v, must be nearer", i, count, l.list, unit, alpha,
					low, high)
			}
		}
	}
}

// powerBySums returns the law of so many steps, by sums of products.
func (a *additiveLaw) powerBySums(t *testing.T, count int, unit float64, isUp bool) *Cells {
	t.Helper()
	one, err := cellsOf(t.Context(), a, from0(unit), isUp, 1e-14)
	if err != nil {
		t.Fatal(err)
	}
	all := &Cells{Low: count * one.Low, Infinity: 1 - math.Pow(1-one.Infinity, float64(count)), Mass: one.Mass}
	for k := range all.Mass {
		for range count - 1 {
			if one.Mass[k] != nil {
				all.Mass[k] = product(all.Mass[k], one.Mass[k])
			}
		}
	}
	return all
}

// Laws of few steps of all kinds of noise contain those on fine nodes by sums of products, at every order.
func TestLaw_Sums(t *testing.T) {
	t.Parallel()
	for i, a := range noises() {
		count, largest := 2+i%3, min(4, toFloat64(a.Sampling)*20+1/toFloat64(a.Scale))
		fine := largest / 100
		least, most := a.law().powerBySums(t, count, fine, false), a.law().powerBySums(t, count, fine, true)
		for _, unit := range []float64{fine, 5 * fine} {
			law := ends(t, a, count, unit, float64(i%2)/largest)
			for _, alpha := range orders {
				low, high := law[0].divergence(from0(unit), alpha), law[1].divergence(from0(unit), alpha)
				from, to := least.divergence(from0(fine), alpha), most.divergence(from0(fine), alpha)
				if tiny := 1e-13 * max(1, alpha); low > to+tiny || high < from-tiny {
					t.Errorf("%+v, %d steps, unit %.3g, α = %v: between %v and %v, must contain what is between %v and %v",
						*a, count, unit, alpha, low, high, from, to)
				}
			}
		}
	}
}

// points returns losses and Q-masses of small cells of outputs, such that sums are as good as integrals.
func (a *Additive) points() (losses, masses []float64) {
	s, q := toFloat64(a.Scale), toFloat64(a.Sampling)
	add := func(eta, mass float64) {
		l := math.Log1p(q * math.Expm1(eta))
		if a.Added {
			l, mass = -l, mass*math.Exp(l)
		}
		losses, masses = append(losses, l), append(masses, mass)
	}
	const cells, reach = 2000, 13
	if a.Noise == Gaussian { // a sum over equal distances converges as fast as can be
		h := (2*reach*s + 1) / cells
		for i := range cells {
			y := -reach*s + (float64(i)+0.5)*h
			add((2*y-1)/(2*s*s), math.Exp(-y*y/(2*s*s))/(s*math.Sqrt(2*math.Pi))*h)
		}
		return losses, masses
	}
	add(-1/s, 0.5)
	add(1/s, 0.5*math.Exp(-1/s))
	for i := range cells {
		for _, sign := range []float64{-1, 1} { // Gauss's two places
			y := (float64(i) + 0.5 + sign/math.Sqrt(12)) / cells
			add((2*y-1)/s, math.Exp(-y/s)/(4*s*cells))
		}
	}
	return losses, masses
}

// byCharacteristic returns about the δ at e^ε of count steps, E_Q max(0, e^L − e^ε), by the integral of Carr and
// Madan of the characteristic function of the loss: no sums of losses are put anywhere. With it comes how much
// cancels.
func (a *Additive) byCharacteristic(count int, eps float64) (delta, most float64) {
	losses, masses := a.points()
	moment := func(s complex128) complex128 { // ln E_Q e^(s·L)
		sum := complex(0, 0)
		for i, l := range losses {
			sum += complex(masses[i], 0) * expm1(s*complex(l, 0))
		}
		return complex(float64(count), 0) * cmplx.Log(1+sum)
	}
	variance, damping, least := 0.0, 0.0, math.Inf(1)
	for i, l := range losses {
		variance += masses[i] * l * l
	}
	deviation := math.Sqrt(variance * float64(count))
	for x := 0.05 / deviation; x < 100/deviation; x *= 1.2 {
		if e := real(moment(complex(x+1, 0))) - x*eps - math.Log(x); e < least {
			damping, least = x, e
		}
	}
	const step = 0.02
	for k := range 6000 {
		u := (float64(k) + 0.5) * step / deviation
		s := complex(damping, u)
		x := cmplx.Exp(moment(s+1)-s*complex(eps, 0)) / (s * (s + 1)) * complex(step/deviation/math.Pi, 0)
		delta, most = delta+real(x), most+cmplx.Abs(x)
		if cmplx.Abs(x) < 1e-13*math.Abs(delta) {
			break
		}
	}
	return delta, most
}

// expm1 returns e^z − 1.
func expm1(z complex128) complex128 {
	if cmplx.Abs(z) > 0.1 {
		return cmplx.Exp(z) - 1
	}
	sum, term := complex(0, 0), complex(1, 0)
	for k := 1; k < 12; k++ {
		term *= z / complex(float64(k), 0)
		sum += term
	}
	return sum
}

// Laws of up to a million steps, of all rates, contain what characteristic functions say, and are near.
func TestLaw_Characteristic(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(53, 2))
	tried := 0
	for range atLeast(6, 20) {
		a := &Additive{Noise: Gaussian, Scale: rational(0.6 * math.Exp(2*r.Float64())),
			Sampling: rational(math.Pow(10, -6+5.7*r.Float64())), Added: r.IntN(2) == 0}
		count := int(math.Pow(10, 0.5+5.5*r.Float64()))
		if r.IntN(3) == 0 {
			a.Noise, count = Laplace, max(count, 300)
		}
		losses, masses := a.points()
		mean, square := 0.0, 0.0
		for i, l := range losses {
			mean += masses[i] * math.Exp(l) * l
			square += masses[i] * math.Exp(l) * l * l
		}
		deviation := math.Sqrt(square * float64(count))
		eps := mean*float64(count) + deviation*(4*r.Float64()-0.5)
		delta, most := a.byCharacteristic(count, eps)
		if !(delta > 1e-6*most && delta > 1e-12) || deviation > 30 {
			continue // too much cancels
		}
		tried++
		top, tilt := rational(eps+12*deviation+1), max(0, eps/(deviation*deviation)-0.5)
		unit := deviation / 60
		var found [2]float64
		for j, isUp := range []bool{false, true} {
			c, err := Law(t.Context(), a, count, Nodes{top, num.Exactly(unit), isUp, 1e-9 * delta, MostLoss}, tilt)
			if err != nil {
				t.Fatal(err)
			}
			nodes := ruler{num.SpanOf(top), num.Exactly(unit), MostLoss, false}
			found[j] = c.divergence(nodes, math.Exp(eps))
		}
		off := 1e-9*delta + 1e-12*most
		if found[0] > delta+off || found[1] < delta-off || found[1]-found[0] > 0.1*delta {
			t.Errorf("%d steps of %+v, σ = %v, q = %v at ε = %v: between %v and %v, must contain %v, and be near", count, *a,
				toFloat64(a.Scale), toFloat64(a.Sampling), eps, found[0], found[1], delta)
		}
	}
	if least := atLeast(3, 8); tried < least {
		t.Errorf("%d laws were compared, must be at least %d", tried, least)
	}
}

// rational returns about x, in few digits.
func rational(x float64) *big.Rat {
	r, _ := new(big.Float).SetPrec(20).SetFloat64(x).Rat(nil)
	return r
}

// What is left out of a law that is dominated is no infinite loss: noise has none, whatever is next to impossible.
func TestLaw_NoInfinity(t *testing.T) {
	t.Parallel()
	for _, a := range noises() {
		for _, cut := range []float64{1e-6, 1e-14, 1e-30} {
			c, err := Law(t.Context(), a, 3, Nodes{new(big.Rat), num.Exactly(1e-2), false, cut, MostLoss}, 10)
			if err != nil {
				t.Fatal(err)
			}
			if c.Infinity > 0 {
				t.Errorf("%+v, cut %g: %g is infinite, must be nothing", *a, cut, c.Infinity)
			}
		}
	}
}
