package impl

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/internal/rational"
)

// relative returns |x − y|/|y|.
func relative(x, y *big.Float) float64 {
	d := new(big.Float).SetPrec(400).Sub(x, y)
	q, _ := d.Quo(d.Abs(d), new(big.Float).Abs(y)).Float64()
	return q
}

func (a dd) big() *big.Float {
	return new(big.Float).SetPrec(400).Add(big.NewFloat(a.hi), new(big.Float).SetPrec(400).SetFloat64(a.lo))
}

func TestExpWithinError(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 20000 {
		x := dd{-math.Exp(rng.Float64()*46 - 39.5), 0} // 7e-18 … 664
		x = x.add(dd{x.hi * 0x1p-54 * rng.Float64(), 0})
		if i%100 == 0 {
			x = dd{-float64(i) / 30, 0}
		}
		want := expDown(new(big.Float).Neg(x.big()), 300)
		if e := relative(x.exp().big(), want.Lower); e > expError {
			t.Fatalf("exp(%v): relative error %g, bound %g", x, e, expError)
		}
	}
}

func TestLogWithinError(t *testing.T) {
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
		want := encloseLog(r, 300)
		if e := relative(ddLog(r).big(), want.Lower); e > logError {
			t.Fatalf("log(%s): relative error %g, bound %g", r.RatString(), e, logError)
		}
	}
}

// TestEnclosuresKnown compares with published digits of e, e^-10 and ln 2.
func TestEnclosuresKnown(t *testing.T) {
	for _, c := range []struct {
		name string
		got  Interval
		want string
	}{
		{"e^-1", expDown(big.NewFloat(1), 180), "0.36787944117144232159552377016146086744581113103176783450783680169746"},
		{"e^-10", expDown(big.NewFloat(10), 180), "0.0000453999297624848515355915155605506102379180888665649692590713056510"},
		{"ln 2", encloseLog(big.NewRat(2, 1), 180), "0.69314718055994530941723212145817656807550013436025525412068000949339362"},
	} {
		want, _ := new(big.Float).SetPrec(220).SetString(c.want)
		if c.got.Lower.Cmp(want) > 0 || c.got.Upper.Cmp(want) < 0 {
			t.Errorf("%s: [%.60g, %.60g] does not contain %s", c.name, c.got.Lower, c.got.Upper, c.want)
		}
		if w := relative(c.got.Lower, c.got.Upper); w > 0x1p-170 {
			t.Errorf("%s: relative width %g", c.name, w)
		}
	}
}
