package impl

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// TestOptComp_NoDelta: for δ = 0 ε is the sum of the largest losses, which OptDel, and closed forms, confirm: nothing
// is left a little above it, and something a little below.
func TestOptComp_NoDelta(t *testing.T) {
	t.Parallel()
	r := big.NewRat
	noise := func(scale, sampling *big.Rat, count int) Mechanism {
		return Mechanism{Additive: &certify.Additive{Noise: certify.Laplace, Scale: scale, Sampling: sampling}, Count: count}
	}
	law := Mechanism{Law: Law{{r(1, 2), r(1, 4)}, {r(1, 2), r(3, 4)}}, Count: 3}
	pure := Mechanism{Eps: loss.Nats(r(1, 10)), Delta: new(big.Rat), Count: 2}
	for _, c := range []struct {
		ms    []Mechanism
		want  float64
		exact *big.Rat // nil if ε is no ratio
	}{
		{[]Mechanism{noise(r(2, 1), r(1, 1), 10)}, 5, r(5, 1)},
		{[]Mechanism{noise(r(13, 4), r(1, 1), 10), pure}, 10/3.25 + 0.2, r(213, 65)},
		// the larger one of both orders of neighbours
		{[]Mechanism{noise(r(2, 1), r(1, 10), 10)}, 10 * math.Log(0.9+0.1*math.Exp(0.5)), nil},
		{[]Mechanism{law}, 3 * math.Ln2, nil},
		{[]Mechanism{law, pure, noise(r(2, 1), r(1, 1), 1)}, 3*math.Ln2 + 0.7, nil},
		{[]Mechanism{{Law: Law{{r(1, 3), r(1, 3)}, {r(2, 3), r(2, 3)}}, Count: 4}}, 0, new(big.Rat)},
	} {
		x, err := OptComp(context.Background(), c.ms, new(big.Rat), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if (x.Exact == nil) != (c.exact == nil) || x.Exact != nil && x.Exact.Cmp(c.exact) != 0 {
			t.Errorf("exact is %v, must be %v", x.Exact, c.exact)
		}
		upper, _ := x.Eps.Upper.Float64()
		if lower, _ := x.Eps.Lower.Float64(); math.Abs(lower-c.want) > 1e-14*c.want || math.Abs(upper-c.want) > 1e-14*c.want {
			t.Errorf("ε is %g to %g, must be %.17g", lower, upper, c.want)
		}
		if upper == 0 {
			continue
		}
		at := func(factor float64) *Result {
			q := OneStop(c.ms).charged([]*big.Rat{new(big.Rat).SetFloat64(upper * factor)})
			s, err := OptDel(context.Background(), q, Options{RelWidth: 1e-2})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		if d, _ := at(1 + 1e-6).OptDel.Upper.Float64(); d > 1e-15 {
			t.Errorf("above ε = %g δ is up to %g, must be next to nothing", upper, d)
		}
		if d := at(0.99).OptDel.Lower; d.Sign() <= 0 {
			t.Errorf("below ε = %g δ is from %g on, must be more than 0", upper, d)
		}
	}
}

// TestOptComp_NoBound: where some losses are above every number, no ε has δ = 0.
func TestOptComp_NoBound(t *testing.T) {
	t.Parallel()
	r := big.NewRat
	gaussian := &certify.Additive{Noise: certify.Gaussian, Scale: r(1, 1), Sampling: r(1, 100)}
	discrete := &certify.Additive{Noise: certify.DiscreteGaussian, Scale: r(1, 1), Sampling: r(1, 1)}
	for _, m := range []Mechanism{{Additive: gaussian}, {Additive: discrete}, {Law: Law{{r(1, 2), r(1, 1)}, {r(1, 2), r(0, 1)}}}, {Law: Law{{r(1, 1), r(1, 2)}, {r(0, 1), r(1, 2)}}}} {
		m.Count = 2
		_, err := OptComp(context.Background(), []Mechanism{m}, new(big.Rat), Options{})
		if _, isOfDelta := errors.AsType[*DeltaError](err); !isOfDelta {
			t.Errorf("%s: %v, must be an error of δ", m.Kind(), err)
		}
	}
}

// TestOptComp_RarelySampled: no ε is needed where δ is no less than how often noise is sampled in all, as OptDel
// without a charge says, too; with somewhat less δ, and little noise, some is.
func TestOptComp_RarelySampled(t *testing.T) {
	t.Parallel()
	for _, n := range testkit.Few(1, []certify.Noise{certify.Gaussian, certify.Laplace, certify.DiscreteGaussian}) {
		ms := []Mechanism{noisy(n, "0.1", "1e-4", 3), noisy(n, "0.2", "1e-3", 2)}
		r, err := OptDel(t.Context(), stoppedAfter(ms, 5), Options{RelWidth: 1e-2})
		if most, _ := r.OptDel.Upper.Float64(); err != nil || most > 0.0023*1.01 {
			t.Errorf("%v: %v, %v", n, r, err)
		}
		if c, err := OptComp(t.Context(), ms, rational.MustParse("0.0023"), Options{}); err != nil || c.Method != ClosedForm || c.Exact.Sign() != 0 {
			t.Errorf("%v: %v, %v", n, c, err)
		}
		if c, err := OptComp(t.Context(), ms, rational.MustParse("0.0019"), Options{RelWidth: 1e-2}); err != nil || c.Eps.Lower.Sign() == 0 {
			t.Errorf("%v: %v, %v", n, c, err)
		}
	}
}
