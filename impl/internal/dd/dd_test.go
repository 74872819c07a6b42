package dd_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/internal/dd"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
)

// relative returns |x − y|/|y|.
func relative(x, y *big.Float) float64 {
	d := new(big.Float).SetPrec(400).Sub(x, y)
	q, _ := d.Quo(d.Abs(d), new(big.Float).Abs(y)).Float64()
	return q
}

// bigOf returns a exactly.
func bigOf(a dd.Number) *big.Float {
	return new(big.Float).SetPrec(400).Add(big.NewFloat(a.Hi), new(big.Float).SetPrec(400).SetFloat64(a.Lo))
}

func TestExpWithinError(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 20000 {
		hi := -math.Exp(rng.Float64()*46 - 39.5) // 7e-18 … 664
		x := dd.Number{Hi: hi, Lo: hi * 0x1p-54 * rng.Float64()}
		if i%100 == 0 {
			x = dd.Of(-float64(i) / 30)
		}
		want := interval.Precision(300).Exp(interval.Interval{Lower: bigOf(x), Upper: bigOf(x)})
		if e := relative(bigOf(x.Exp()), want.Lower); e > dd.ExpError {
			t.Fatalf("exp(%v): relative error %g, bound %g", x, e, dd.ExpError)
		}
	}
}

func TestLogWithinError(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		r := new(big.Rat).SetFloat64(1 + math.Exp(rng.Float64()*120-60))
		if rng.IntN(2) == 0 {
			r = big.NewRat(rng.Int64N(1e15)+1, rng.Int64N(1e9)+1)
			if r.Cmp(rational.One) <= 0 {
				r.Inv(r)
			}
		}
		if r.Cmp(rational.One) == 0 {
			continue
		}
		want := interval.Precision(300).Log(r)
		if e := relative(bigOf(dd.LogRat(r)), want.Lower); e > dd.LogError {
			t.Fatalf("log(%s): relative error %g, bound %g", r.RatString(), e, dd.LogError)
		}
	}
}

func BenchmarkExp(b *testing.B) {
	x, sum := dd.Number{Hi: -1.2345, Lo: 1e-18}, 0.0
	for b.Loop() {
		sum += x.Exp().Hi
	}
}
