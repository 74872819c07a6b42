package certify

import (
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"
)

func TestDbg(t *testing.T) {
	for _, x := range []struct {
		s, q      float64
		n         int
		eps, unit float64
	}{{.3, 1e-6, 100, .01, 2e-4}, {.3, 1e-6, 100, .01, 5e-5}, {1, 1e-6, 1000000, .05, 1e-3}, {1, 1e-6, 1000000, .05, 1e-4}, {.6, 1e-4, 100000, 1, 1e-3}, {.6, 1e-4, 100000, 1, 1e-4}} {
		for _, added := range []bool{false, true} {
			m := Mechanism{Additive: &Additive{Gaussian, new(big.Rat).SetFloat64(x.s), new(big.Rat).SetFloat64(x.q), added}, Count: x.n}
			a := m.Additive.law()
			c := a.rare(x.n)
			for _, up := range []bool{true, false} {
				t0 := time.Now()
				cl, err := m.law(t.Context(), x.n, new(big.Rat), exactly(x.unit), 1, up, 0, 1e-20)
				if err != nil {
					fmt.Println(x, added, up, err)
					continue
				}
				v := cl.infinity - cl.deficit
				mean, sum := 0.0, 0.0
				for i, m := range cl.mass[0] {
					l := float64(cl.low+i) * x.unit
					mean += m * l
					sum += m
					qm := m
					if !up {
						qm = cl.mass[1][i]
					}
					v += max(0, m-qm*math.Exp(x.eps-l))
				}
				fmt.Printf("%v added %v c %.3g up %v nodes %d from %.3g value %.6g inf %.3g def %.3g mean %.4g sum-1 %.3g time %v\n", x, added, c, up, len(cl.mass[0]), float64(cl.low)*x.unit, v, cl.infinity, cl.deficit, mean, sum-1, time.Since(t0))
			}
		}
	}
}
