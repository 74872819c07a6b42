package odp

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// topShift checks the chain of ODP-E1, with e^(share·ε_2/c) at its end.
func topShift(share string) register.Check {
	return func(t *register.T) {
		n := int64(t.Size(12, 60))
		t.Domain("Δ = 1, c ≤ 3, ε_2 in {1/2, 2}, T = 0, q(x') = 0, q(x) − q(x') in {−1, −1/2, …, 1}, z in {−%d, −%d + 1/2, …, %d}", n, n, n)
		for c := 1; c <= 3; c++ {
			for _, eps2 := range []string{"1/2", "2"} {
				law := register.Must(impl.NewSparseVectorLaw(rat.One, c, rat.One, rat.Of(eps2)))
				kappa := rat.Mul(rat.Of(share), rat.Quo(rat.Of(eps2), rat.Int(c)))
				for change := int64(-2); change <= 2; change++ {
					for z := -2 * n; z <= 2*n; z++ {
						t.Case()
						checkTopShift(t, law, big.NewRat(change, 2), new(big.Rat), big.NewRat(z, 2), kappa)
					}
				}
			}
		}
	}
}

func checkTopShift(t *register.T, law impl.SparseVectorLaw, q0, q1, z, kappa *big.Rat) {
	back := rat.Sub(z, rat.One)       // z − Δ
	further := rat.Sub(back, rat.One) // z − 2Δ
	raised := rat.Add(q1, rat.One)    // q(x') + Δ
	minus := func(x, y *big.Rat) *big.Rat { return rat.Sub(x, y) }
	steps := []struct {
		name  string
		y, y1 *big.Rat // Pr(ν ≥ y) ≤ e^κ·Pr(ν ≥ y1)
		kappa *big.Rat
	}{
		{"first step", minus(back, q0), minus(back, raised), new(big.Rat)},
		{"second step", minus(back, raised), minus(further, q1), new(big.Rat)},
		{"second step, back", minus(further, q1), minus(back, raised), new(big.Rat)},
		{"third step", minus(further, q1), minus(z, q1), kappa},
		{"both ends", minus(back, q0), minus(z, q1), kappa},
	}
	for _, s := range steps {
		if tailExceeds(t, law, s.y, s.y1, s.kappa) {
			t.Refute("%s: c = %d, ν ~ Lap(%s), q(x) = %s, q(x') = %s, z = %s: Pr(ν ≥ %s) > e^(%s)·Pr(ν ≥ %s)",
				s.name, law.Cutoff, rat.Show(law.NuScale), rat.Show(q0), rat.Show(q1), rat.Show(z), rat.Show(s.y), rat.Show(s.kappa), rat.Show(s.y1))
		}
	}
}

// tailExceeds reports whether Pr(ν ≥ y0) > e^κ·Pr(ν ≥ y1). For y0, y1 ≥ 0 these are
// e^(−y/scale)/2, and the exponents decide; for y0 = y1, the sign of κ does.
func tailExceeds(t *register.T, law impl.SparseVectorLaw, y0, y1, kappa *big.Rat) bool {
	if y0.Sign() >= 0 && y1.Sign() >= 0 || y0.Cmp(y1) == 0 {
		exponent := rat.Sub(y1, y0)
		return exponent.Quo(exponent, law.NuScale).Cmp(kappa) > 0
	}
	at := func(y *big.Rat) interval.Interval {
		p, err := law.Given(y, impl.Comparison{Query: new(big.Rat), Threshold: new(big.Rat), Above: true})
		t.Must(err)
		return p
	}
	ratio := register.Must(impl.LogRatio(at(y0), at(y1)))
	if !rat.IsAbove(ratio, kappa) && !rat.IsAtMost(ratio, kappa) {
		t.Undecided("Pr(ν ≥ %s) and e^(%s)·Pr(ν ≥ %s) are too close", rat.Show(y0), rat.Show(kappa), rat.Show(y1))
	}
	return rat.IsAbove(ratio, kappa)
}
