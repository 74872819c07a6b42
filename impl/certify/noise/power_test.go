package noise

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/certify/internal/num"
)

// ends returns the laws of count mechanisms that are dominated by them, and that dominate them.
func ends(t *testing.T, m Continuous, count int, unit, tilt float64) (both [2]*Cells) {
	t.Helper()
	for j, isUp := range []bool{false, true} {
		c, err := Law(t.Context(), m, count, Nodes{new(big.Rat), num.Exactly(unit), isUp, 1e-15}, tilt)
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

// Laws of many steps contain, at every order, what all ways to lose something amount to in 200 bits: losses of all sizes,
// of which some are very rare, in both orders, by transforms and one by one.
func TestLaw_Exact(t *testing.T) {
	defer func(f func(float64) float64) { shortProducts = f }(shortProducts)
	r := rand.New(rand.NewPCG(53, 1))
	for i := range 120 {
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
