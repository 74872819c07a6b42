package impl

import (
	"context"
	"math"
	"math/big"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

func solve(b testing.TB, p Pipeline, o Options) *Result {
	r, err := OptDel(context.Background(), p, o)
	if err != nil || r.Shortfall != "" {
		b.Fatal(err, r.Shortfall)
	}
	return r
}

// BenchmarkTriangle compares OptDel with the same recursion over all reachable nodes, without
// windows or bounds.
func BenchmarkTriangle(b *testing.B) {
	p := everyStop(10000, 1, "0.05")
	testkit.Compare(b, func() { solve(b, p, Options{}) }, func() { triangle(p, 0.05) })
}

// triangle is OptDel of equal mechanisms (eps, 0) with a stop after each, in plain
// float64 over all nodes.
func triangle(p Pipeline, eps float64) float64 {
	k := p.Stops[len(p.Stops)-1].After
	up := 1 / (1 + math.Exp(-eps))
	factor := make([]float64, 2*k+1) // e^(−ℓ), from ℓ = −k·eps on
	for i := range factor {
		factor[i] = math.Exp(eps * float64(k-i))
	}
	u := make([]float64, k+2)
	for j := k; j >= 0; j-- {
		strike := math.Inf(1)
		if j > 0 {
			e, _ := p.Stops[j-1].Eps.Rat().Float64()
			strike = math.Exp(e)
		}
		for m := 0; m <= j; m++ {
			on := 0.0
			if j < k {
				on = (1-up)*u[m] + up*u[m+1]
			}
			u[m] = max(on, 1-strike*factor[k+2*m-j])
		}
	}
	return u[0]
}

// BenchmarkWorks compares whole calls of OptDel on works with one stop with a plain
// float64 loop that gives no bounds.
func BenchmarkWorks(b *testing.B) {
	w3 := Pipeline{Stops: []Stop{{After: 60, Eps: testkit.NatsOf("1.5")}}}
	for j := range 60 {
		w3.Mechanisms = append(w3.Mechanisms, Mechanism{Eps: loss.Nats(big.NewRat(int64(20+3*j), 1000)), Delta: rational.MustParse("1e-9"), Count: 1})
	}
	for _, c := range []struct {
		name string
		p    Pipeline
		base func()
	}{
		{"W1", pipe(100, "0.1", "0", "1"), func() { plainBinomial(100, 0.1, 0, 1) }},
		{"W2", pipe(1000, "0.05", "1e-8", "2"), func() { plainBinomial(1000, 0.05, 1e-8, 2) }},
		{"W3", w3, func() { plainLattice(1.5) }},
		{"W4", pipe(10000, "0.01", "0", "2"), func() { plainBinomial(10000, 0.01, 0, 2) }},
	} {
		b.Run(c.name, func(b *testing.B) { testkit.Compare(b, func() { solve(b, c.p, Options{}) }, c.base) })
	}
}

// plainBinomial is the optimal δ of k equal mechanisms by the formula of Kairouz,
// Oh and Viswanath, one exponential a term.
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
func plainLattice(e float64) float64 {
	f := make([]float64, 6511)
	f[0] = 1
	last := 0
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
	sum := 0.0
	for m, p := range f {
		if loss := float64(2*m-last) / 1000; loss > e {
			sum -= p * math.Expm1(e-loss)
		}
	}
	return sum
}

// BenchmarkCalls times whole calls of OptDel.
func BenchmarkCalls(b *testing.B) {
	for _, c := range []struct {
		name string
		p    Pipeline
		o    Options
	}{
		{"1000EveryStop", everyStop(1000, 1, "0.05"), Options{}},
		{"1000EveryStopWidth1e-15", everyStop(1000, 1, "0.05"), Options{RelWidth: 1e-15}},
		{"10000EveryStop", everyStop(10000, 1, "0.05"), Options{}},
		{"1e6With1000Stops", everyStop(1_000_000, 1000, "0.001"), Options{}},
		{"300DistinctWidth1e-6", distinct(300, 5, 1), Options{RelWidth: 1e-6}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				solve(b, c.p, c.o)
			}
		})
	}
}

// BenchmarkSchedule compares the search for charges with one call of OptDel on the
// pipeline that it finds.
func BenchmarkSchedule(b *testing.B) {
	for _, c := range []struct {
		name  string
		p     Pipeline
		shape Shape
	}{
		{"20Uniform", everyStop(1000, 50, "0.05"), Uniform},
		{"20Optimal", everyStop(1000, 50, "0.05"), Optimal},
		{"1000Uniform", everyStop(1000, 1, "0.05"), Uniform},
		{"1000Optimal", everyStop(1000, 1, "0.05"), Optimal},
		{"300DistinctUniform", distinct(300, 5, 1), Uniform},
		{"300DistinctOptimal", distinct(300, 5, 1), Optimal},
	} {
		b.Run(c.name, func(b *testing.B) {
			design := func() *Schedule {
				s, err := DesignSchedule(context.Background(), c.p, big.NewRat(1, 1e6), ScheduleOptions{Shape: c.shape})
				if err != nil || s.Shortfall != "" {
					b.Fatal(err, s)
				}
				return s
			}
			found := design().Pipeline
			testkit.Compare(b, func() { design() }, func() { solve(b, found, Options{RelWidth: DefaultSlack / 8}) })
		})
	}
}
