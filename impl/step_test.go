package impl

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestApplyAgrees compares the fast forms of apply with the plain one.
func TestApplyAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		s := randomStep(rng)
		n := rng.IntN(40)
		a := make([]float64, n+s.rise()+8)
		for i := range a {
			a[i] = rng.Float64()
		}
		b := append([]float64(nil), a...)
		lo := rng.IntN(5)
		s.apply(a, lo, lo+n-1, s.only)
		s.applyAny(b, lo, lo+n-1, s.only)
		for i := range a {
			if math.Abs(a[i]-b[i]) > 1e-15*float64(len(s.mass)) {
				t.Fatalf("shifts %v: a[%d] = %g, want %g", s.shift, i, a[i], b[i])
			}
		}
	}
}

// randomStep returns a step with a few atoms at random or even distances.
func randomStep(rng *rand.Rand) *step {
	var shift []int
	var mass []dd
	at := rng.IntN(3)
	even := 1 + rng.IntN(3)
	for range 1 + rng.IntN(6) {
		shift, mass = append(shift, at), append(mass, dd{rng.Float64() / 6, 0})
		at += even
		if rng.IntN(2) == 0 {
			at += rng.IntN(2)
		}
	}
	return newStep(shift, mass, dd{rng.Float64() / 10, 0}, dd{1, 0}, dd{})
}

// TestBinomial compares with exact binomial probabilities.
func TestBinomial(t *testing.T) {
	for _, c := range []struct {
		exp   string
		count int
	}{{"3/2", 1}, {"3/2", 7}, {"2", 40}, {"1001/1000", 60}, {"1000000", 30}, {"1", 25}} {
		m := Mechanism{Exp(parseRat(c.exp)), new(big.Rat), c.count}
		want := exactBinomial(m.Eps.rat, c.count)
		first, got, dropped := binomial(randomizedResponse(m), c.count, 1e-20)
		for i, w := range want {
			exact := new(big.Float).SetPrec(300).SetRat(w)
			if j := i - first; j >= 0 && j < len(got) {
				if e := relative(got[j].big(), exact); e > 0x1p-90+1e-20 {
					t.Errorf("%v: atom %d is off by %g", c, i, e)
				}
				continue
			}
			f, _ := w.Float64()
			dropped -= f
		}
		if dropped < 0 || dropped > 1e-20 {
			t.Errorf("%v: bound on dropped masses exceeds them by %g", c, dropped)
		}
	}
}

// exactBinomial returns the binomial law with the odds e : 1.
func exactBinomial(e *big.Rat, count int) (mass []*big.Rat) {
	w := ratPower(new(big.Rat).Inv(new(big.Rat).Add(one, e)), count)
	for i := range count + 1 {
		mass = append(mass, new(big.Rat).Set(w))
		w.Mul(w, e).Mul(w, big.NewRat(int64(count-i), int64(i+1)))
	}
	return mass
}

// TestSurvive covers sizes at which 1 − (1 − δ)^n cancels completely.
func TestSurvive(t *testing.T) {
	for _, c := range []struct {
		delta string
		count int
	}{{"1e-300", 1000}, {"1e-20", 12345}, {"0.25", 10}, {"1", 3}, {"0", 9}} {
		m := Mechanism{Nats(one), parseRat(c.delta), c.count}
		keep, only := survive(randomizedResponse(m), c.count)
		alive := ratPower(new(big.Rat).Sub(one, m.Delta), c.count)
		if c.delta == "0" && (only != dd{} || keep != dd{1, 0}) {
			t.Errorf("%v: got %v, %v", c, keep, only)
		}
		if gone := new(big.Rat).Sub(one, alive); gone.Sign() > 0 {
			if e := relative(only.big(), new(big.Float).SetPrec(300).SetRat(gone)); e > 0x1p-50 {
				t.Errorf("%v: 1 − (1 − δ)^n is off by %g", c, e)
			}
		}
	}
}
