package noise

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"checkrr/impl/certify/internal/num"
)

func TestDbg(t *testing.T) {
	for _, c := range []struct {
		q      int64
		n      int
		top    float64
		unit   float64
		lambda float64
		cut    float64
	}{{10000, 10000, 0.2, 1e-4, 400, 4e-14}, {1000000, 1000000, 0.03, 1e-5, 4000, 4e-16}} {
		for _, isUp := range []bool{true, false} {
			a := &Additive{Gaussian, big.NewRat(1, 1), big.NewRat(1, c.q), false}
			d, laws := a.lawsOf(c.n)
			x := Nodes{new(big.Rat).SetFloat64(c.top), num.Exactly(c.unit), isUp, c.cut}
			p := power{dense: d, Nodes: x, count: laws, tilt: c.lambda}
			r := rulerOf(a, x.Top, laws, x.Unit)
			fine := p.fineness(1)
			for range fine {
				r.unit = r.unit.Over(num.Exactly(3))
			}
			fmt.Println("places", p.places(r.unit.Lo))
			start := time.Now()
			s, err := p.step(t.Context(), r)
			fmt.Println(err, time.Since(start))
			if err != nil {
				continue
			}
			s.print()
			_, err = Law(t.Context(), a, c.n, x, c.lambda)
			fmt.Println(err, time.Since(start))
		}
	}
}

