package odp

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"checkrr/impl"
	"checkrr/spec"

	"pgregory.net/rapid"
)

// coinTape is noise that is written down beforehand.
type coinTape struct {
	coins []bool
	draws []float64
}

func (t *coinTape) Coin() bool {
	heads := t.coins[0]
	t.coins = t.coins[1:]
	return heads
}

func (t *coinTape) Laplace(scale float64) float64 {
	x := t.draws[0]
	t.draws = t.draws[1:]
	return scale * x
}

// M_toy, fast and literal, on one tape.
func TestPair_Toy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fx := rapid.Float64Range(-1e6, 1e6).Draw(t, "f(x)")
		eps := big.NewRat(int64(1+rapid.IntRange(0, 100).Draw(t, "ε in 10ths")), 10)
		float, _ := eps.Float64()
		heads, draw := rapid.Bool().Draw(t, "heads"), rapid.Float64Range(-50, 50).Draw(t, "draw")
		first, second := &coinTape{[]bool{heads}, []float64{draw}}, &coinTape{[]bool{heads}, []float64{draw}}
		x, okX, errX := spec.Toy(fx, float, first)
		y, okY, errY := impl.Toy(fx, impl.Nats(eps), second)
		if x != y || okX != okY || okX != heads || errX != nil || errY != nil || len(first.draws) != len(second.draws) {
			t.Fatalf("spec %v %v %v, impl %v %v %v", x, okX, errX, y, okY, errY)
		}
	})
}

// The distribution function, against the standard library's exponential; its ends.
func TestPaper_ToyLaw(t *testing.T) {
	for _, r := range []float64{-3, 1, 1.5, 7} {
		got := must(impl.ToyAtMost(new(big.Rat).SetFloat64(r), one, impl.Nats(big.NewRat(2, 1))))
		want := math.Exp(2*(r-1)) / 4
		if r > 1 {
			want = (1 - math.Exp(-2*(r-1))/2) / 2
		}
		if lower, _ := got.Lower.Float64(); math.Abs(lower-want) > 1e-15 || got.RelWidth() > 0x1p-100 {
			t.Errorf("Pr(at most %g) is [%g, %g], must be %g", r, got.Lower, got.Upper, want)
		}
	}
}

func TestToyRefuses(t *testing.T) {
	eps := impl.Nats(one)
	for want, err := range map[string]error{
		"Toy: f(x) is NaN, must be finite":                       third(impl.Toy(math.NaN(), eps, nil)),
		"Toy: eps is -1, must be at least 0":                     third(impl.Toy(1, impl.Nats(big.NewRat(-1, 1)), nil)),
		"Toy: ε is 0, must be at least 1e-300 and at most 1e300": third(impl.Toy(1, impl.Nats(new(big.Rat)), nil)),
		"Toy: ε is -1, must be finite and greater than 0":        third(spec.Toy(1, -1, nil)),
		"Toy: f(x) is +Inf, must be finite":                      third(spec.Toy(math.Inf(1), 1, nil)),
		"ToyAtMost: ε·|r − f(x)| is 2e+06, must be at most 1e6":  second(impl.ToyAtMost(big.NewRat(2e6, 1), new(big.Rat), eps)),
	} {
		if fmt.Sprint(err) != want {
			t.Errorf("error is %v, must be %s", err, want)
		}
	}
}

func third[X, Y any](_ X, _ Y, err error) error { return err }
