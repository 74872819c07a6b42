package impl

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// No theorem allows less than optimal composition needs; what it allows is enough by its δ, and a millionth less is
// not.
func TestLaw_EpsWith(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	allowed := map[Theorem]int{}
	for range testkit.AtLeast(15, 60) {
		var ms []Mechanism
		for range 1 + rng.IntN(3) {
			ms = append(ms, Mechanism{Eps: exactly(float64(rng.IntN(20)) / 32), Delta: rational.MustParse([]string{"0", "0", "1e-9", "1e-4"}[rng.IntN(4)]), Count: 1 + rng.IntN(60)})
		}
		delta := rational.MustParse([]string{"0", "1e-12", "1e-6", "0.02", "0.5"}[rng.IntN(5)])
		best, bestErr := OptComp(t.Context(), ms, delta, Options{RelWidth: 1e-9})
		for _, theorem := range Theorems {
			eps, ok, err := EpsWith(t.Context(), ms, delta, theorem)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				continue
			}
			allowed[theorem]++
			var least *big.Rat
			if bestErr == nil {
				least, _ = best.Eps.Lower.Rat(nil)
			}
			if least == nil || eps.Cmp(loss.OfRat(least)) < 0 {
				t.Errorf("%v, δ = %v: %s allows ε = %s, optimal composition %v, %v", ms, delta, theorem, eps.Text(), best, bestErr)
			}
			if !staysWithin(theorem.delta()(ms, above(eps)), delta) {
				t.Errorf("%v, δ = %v: ε = %s is not enough for %s", ms, delta, eps.Text(), theorem)
			}
			less := new(big.Rat).Mul(above(eps).Rat(), rational.MustParse("0.999999"))
			if less.Sign() > 0 && staysWithin(theorem.delta()(ms, loss.Nats(less)), delta) {
				t.Errorf("%v, δ = %v: a millionth less than ε = %s is enough for %s", ms, delta, eps.Text(), theorem)
			}
		}
	}
	for _, theorem := range Theorems {
		if allowed[theorem] < testkit.AtLeast(5, 20) {
			t.Errorf("%s allowed an ε %d times, must be more often", theorem, allowed[theorem])
		}
	}
}

func TestEpsWith_ByHand(t *testing.T) {
	t.Parallel()
	ms := []Mechanism{{Eps: loss.Nats(big.NewRat(1, 10)), Delta: new(big.Rat), Count: 100}}
	for theorem, want := range map[Theorem]float64{
		Basic:        10,
		AdvancedBook: 6.3082310, // √(200 ln 10⁶)/10 + 10(e^0.1 − 1)
		Advanced:     5.7561055, // the same root, and 10·tanh(0.05)
	} {
		eps, ok, err := EpsWith(t.Context(), ms, rational.MustParse("1e-6"), theorem)
		if got := eps.Bounds(64).Float().Hi; err != nil || !ok || got < want-1e-6 || got > want+1e-6 {
			t.Errorf("%s: %g, %t, %v, want %g", theorem, got, ok, err, want)
		}
	}
	if eps, ok, err := EpsWith(t.Context(), ms, rational.MustParse("1e-6"), Basic); err != nil || !ok || eps.Cmp(loss.OfRat(big.NewRat(10, 1))) != 0 {
		t.Errorf("basic composition: %s, must be exactly 10", eps.Text())
	}
}

func TestEpsWith_Faults(t *testing.T) {
	t.Parallel()
	ms := []Mechanism{{Eps: loss.Nats(big.NewRat(1, 10)), Delta: rational.MustParse("0.01"), Count: 3}}
	for _, theorem := range Theorems { // no ε is enough
		for _, delta := range []string{"0", "0.02"} {
			if eps, ok, err := EpsWith(t.Context(), ms, rational.MustParse(delta), theorem); ok || err != nil {
				t.Errorf("%s, δ = %s: %s, %v", theorem, delta, eps.Text(), err)
			}
		}
	}
	for _, delta := range []*big.Rat{nil, big.NewRat(-1, 2), big.NewRat(3, 2)} {
		if _, _, err := EpsWith(t.Context(), ms, delta, RDP); err == nil {
			t.Errorf("δ = %v is accepted", delta)
		}
	}
	if _, _, err := EpsWith(t.Context(), ms, big.NewRat(1, 2), "moments"); err == nil {
		t.Error("no such theorem is accepted")
	}
	if _, _, err := EpsWith(t.Context(), nil, big.NewRat(1, 2), RDP); err == nil {
		t.Error("no mechanisms are accepted")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := EpsWith(ended, ms, big.NewRat(1, 2), RDP); err == nil {
		t.Error("goes on though the context ended")
	}
}

// The advanced composition of the book has an ε for large ε_k, too: √(2k ln(1/δ))·ε + kε(e^ε − 1), up to where that
// is out of range.
func TestEpsWith_AdvancedBook_LargeEps(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		eps, delta string
		count      int
		want       float64 // 0 if there is none
	}{{"27", "1e-6", 1, 1.43654e13}, {"30", "1e-6", 1, 3.205942374e14}, {"50", "1e-9", 3, 7.777058e23}, {"1000", "1e-6", 1, 0}, {"1e9", "1e-6", 1, 0}} {
		ms := []Mechanism{{Eps: testkit.NatsOf(row.eps), Delta: new(big.Rat), Count: row.count}}
		eps, ok, err := EpsWith(t.Context(), ms, rational.MustParse(row.delta), AdvancedBook)
		if err != nil || ok != (row.want > 0) {
			t.Errorf("%d × %s: %v, %v, want %g", row.count, row.eps, ok, err, row.want)
		}
		if got := eps.Float().Hi; ok && (got < row.want*(1-1e-5) || got > row.want*(1+1e-5)) {
			t.Errorf("%d × %s: ε = %g, want %g", row.count, row.eps, got, row.want)
		}
	}
}
