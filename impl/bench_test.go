package impl

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// BenchmarkTriangle compares OptDel with the same recursion over all reachable nodes, without windows or bounds.
func BenchmarkTriangle(b *testing.B) {
	p := everyStop(10000, 1, "0.05")
	testkit.Compare(b, func() { solve(b, p, Options{}) }, func() { triangle(p, 0.05) })
}

// triangle is OptDel of equal mechanisms (eps, 0) with a stop after each, in plain float64 over all nodes.
func triangle(p Pipeline, eps float64) float64 {
	k := p.Stops[len(p.Stops)-1].After
	up := 1 / (1 + math.Exp(-eps))
	factor := make([]float64, 2*k+1) // e^(−ℓ), from ℓ = −k·eps on
	for i := range factor {
		factor[i] = math.Exp(eps * float64(k-i))
	}
	u := make([]float64, k+2)
	for j := k; j >= 0; j-- {
		atStop := math.Inf(1)
		if j > 0 {
			atStop = math.Exp(loss.Float64(p.Stops[j-1].Eps))
		}
		for m := 0; m <= j; m++ {
			on := 0.0
			if j < k {
				on = (1-up)*u[m] + up*u[m+1]
			}
			u[m] = max(on, 1-atStop*factor[k+2*m-j])
		}
	}
	return u[0]
}

// BenchmarkWorks compares whole calls of OptDel on works with one stop with a plain float64 loop that gives no bounds.
func BenchmarkWorks(b *testing.B) {
	w3 := parsed(rising())
	w3.Stops[0].Eps = exactly(1.5)
	for _, c := range []struct {
		name string
		p    Pipeline
		base func() float64
	}{
		{"W1", parsed("0.1 0 x100 | 100 1"), func() float64 { return plainBinomial(100, 0.1, 0, 1) }},
		{"W2", parsed("0.05 1e-8 x1000 | 1000 2"), func() float64 { return plainBinomial(1000, 0.05, 1e-8, 2) }},
		{"W3", w3, func() float64 { return plainLattice(1.5) }},
		{"W4", parsed("0.01 0 x10000 | 10000 2"), func() float64 { return plainBinomial(10000, 0.01, 0, 2) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			testkit.Compare(b, func() { solve(b, c.p, Options{}) }, func() { c.base() })
		})
	}
}

// plainBinomial is the optimal δ of k equal mechanisms by the formula of Kairouz, Oh and Viswanath, one exponential a
// term.
func plainBinomial(k int, eps, delta, e float64) float64 {
	sum, lnOnce := 0.0, math.Log1p(math.Exp(eps))
	lnK, _ := math.Lgamma(float64(k + 1))
	for m := k; m >= 0; m-- {
		loss := float64(2*m-k) * eps
		if loss <= e {
			break
		}
		a, _ := math.Lgamma(float64(m + 1))
		c, _ := math.Lgamma(float64(k - m + 1))
		sum -= math.Exp(lnK-a-c+float64(m)*eps-float64(k)*lnOnce) * math.Expm1(e-loss)
	}
	alive := math.Pow(1-delta, float64(k))
	return 1 - alive + alive*sum
}

// plainLattice is the optimal δ of W3, forward over all nodes.
func plainLattice(e float64) (sum float64) {
	f, last := make([]float64, 6511), 0
	f[0] = 1
	for j := range 60 {
		n := 20 + 3*j
		up := 1 / (1 + math.Exp(-float64(n)/1000))
		for m := last + n; m >= 0; m-- {
			v := 0.0
			if m <= last {
				v = (1 - up) * f[m]
			}
			if m >= n {
				v += up * f[m-n]
			}
			f[m] = v
		}
		last += n
	}
	for m, p := range f {
		if loss := float64(2*m-last) / 1000; loss > e {
			sum -= p * math.Expm1(e-loss)
		}
	}
	return sum
}

// BenchmarkSchedule compares the search for charges with one call of OptDel on the pipeline that it finds.
func BenchmarkSchedule(b *testing.B) {
	for name, p := range map[string]Pipeline{
		"20": everyStop(1000, 50, "0.05"), "1000": everyStop(1000, 1, "0.05"), "300Distinct": distinct(300, 5),
	} {
		for _, shape := range []Shape{Uniform, Optimal} {
			b.Run(name+"/"+string(shape), func(b *testing.B) {
				design := func() *Schedule {
					s, err := DesignSchedule(b.Context(), p, big.NewRat(1, 1e6), ScheduleOptions{Shape: shape})
					if err != nil {
						b.Fatal(err)
					}
					if s.Shortfall != "" {
						b.Fatal(s.Shortfall)
					}
					return s
				}
				found := design().Pipeline
				testkit.Compare(b, func() { design() }, func() { solve(b, found, Options{RelWidth: DefaultSlack / 8}) })
			})
		}
	}
}
