package noise

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"testing"
	"time"

	"checkrr/impl/certify/internal/num"
)

func delta(c *Cells, top, unit, eps float64) (sum float64) {
	sum = c.Infinity
	for i, p := range c.Mass[0] {
		q := p
		if c.Mass[1] != nil {
			q = c.Mass[1][i]
		}
		sum += max(0, p-q*math.Exp(eps-top-unit*float64(c.Low+i)))
	}
	return sum
}

type dbgCase struct {
	q      int64
	n      int
	top    float64
	unit   float64
	lambda float64
	cut    float64
	eps    float64
}

func TestDbg(t *testing.T) {
	old := shortProducts
	for _, c := range []dbgCase{{10000, 10000, 1.92, 2.4e-5, 22, 5e-14, .04695}, {10000, 10000, 1.92, 2.4e-5, 100, 5e-14, .04695}, {10000, 10000, 1.92, 2.4e-5, 280, 5e-14, .04695}, {10000, 10000, .2, 2.4e-5, 280, 1e-12, .04695},
 {100000, 100000, 2.23, 5.4e-6, 200, 3e-16, .017844}, {100000, 100000, 2.23, 5.4e-6, 800, 3e-16, .017844}, {100000, 100000, .2, 5.4e-6, 800, 1e-14, .017844},
		{1000000, 1000000, .5, 2e-6, 1000, 3e-16, .00525}, {1000000, 1000000, .5, 2e-6, 4000, 3e-16, .00525}, {1000000, 1000000, .1, 2e-6, 4000, 1e-14, .00525}} {
		for _,m := range []int{0} {
			if os.Getenv("M") != "" && os.Getenv("M") != fmt.Sprint(m) { continue }
			shortProducts = old
			if m == 1 {
				shortProducts = func(float64) float64 { return math.Inf(1) }
			}
			if m == 2 {
				shortProducts = func(left float64) float64 { return max(65536, min(256*65536, 1024*left)) }
			}
			var d [2]float64
			var ts [2]time.Duration
			for j, isUp := range []bool{false, true} {
				a := &Additive{Gaussian, big.NewRat(1, 1), big.NewRat(1, c.q), false}
				x := Nodes{new(big.Rat).SetFloat64(c.top), num.Exactly(c.unit), isUp, c.cut}
				if !isUp {
					x.Unit = num.Exactly(2 * c.unit)
				}
				start := time.Now()
				r, err := Law(t.Context(), a, c.n, x, c.lambda)
				if err != nil {
					t.Fatal(err)
				}
				ts[j] = time.Since(start)
				d[j] = delta(r, c.top, x.Unit.Lo, c.eps)
			}
			fmt.Printf("%d %d tilt %v mode %d: %.9g %.9g width %.3g %v\n", c.q, c.n, c.lambda, m, d[0], d[1], 1-d[0]/d[1], ts)
		}
	}
}
