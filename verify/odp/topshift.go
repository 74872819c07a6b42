package odp

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// shift says how the chain of ODP-E1 reads: its last step has e^(kappa·ε_2/c), the one before shifts z by further·Δ,
// and the answers to a query differ by up to change·Δ.
type shift struct{ kappa, further, change *big.Rat }

var shiftPrinted = shift{kappa: rat.One, further: rat.Of("2"), change: rat.One}

// topShift checks the chain of ODP-E1.
func topShift(claim shift) register.Check {
	return func(t *register.T) {
		n := int64(t.Size(6, 30))
		t.Domain("Δ in {1, 3}, c ≤ 3, ε_2 in {1/2, 2}, T = 1/4, q(x') = 1/2, (q(x) − q(x'))/Δ in {−1, −1/2, …, 1}, z/Δ in "+
			"{−%d, −%d + 1/2, …, %d}", n, n, n)
		for _, delta := range rat.List("1", "3") {
			for c := 1; c <= 3; c++ {
				for _, eps2 := range rat.List("1/2", "2") {
					s := topShifts{t, claim, delta, rat.Quo(eps2, rat.Int(c)),
						register.Must(impl.NewSparseVectorLaw(delta, c, rat.One, eps2))}
					for z := -2 * n; z <= 2*n; z++ {
						at := rat.Mul(big.NewRat(z, 2), delta)
						s.tailIsPrinted(at, noises{rat.Float64(delta), c, 1, rat.Float64(eps2)})
						for change := int64(-2); change <= 2; change++ {
							t.Case()
							s.check(rat.Mul(big.NewRat(change, 2), rat.Mul(claim.change, delta)), at)
						}
					}
				}
			}
		}
	}
}

// topShifts are the chains for one law.
type topShifts struct {
	t            *register.T
	claim        shift
	delta, kappa *big.Rat // Δ, ε_2/c
	law          impl.SparseVectorLaw
}

// The threshold and the answer on x' of the chains.
var shiftThreshold, shiftAnswer = rat.Of("1/4"), rat.Half

// tailIsPrinted checks that g_i(x', z) by spec, which has it as a factor of a density, and by impl is Pr(ν ≥ T + z −
// q).
func (s topShifts) tailIsPrinted(z *big.Rat, n noises) {
	x := []impl.Comparison{{Query: shiftAnswer, Threshold: shiftThreshold, Above: true}}
	want := laplaceAtLeast(rat.Float64(rat.Add(z, rat.Sub(shiftThreshold, shiftAnswer))), n.nu())
	bySpec := n.bySpec(x)(rat.Float64(z)) / laplaceDensity(rat.Float64(z), n.rho())
	p := register.Must(s.law.Given(z, x[0]))
	if !isNear(bySpec, want, 1e-12) || !isNear(floatEnd(p.Lower), want, 1e-12) {
		s.t.Refute("Δ = %g, c = %d, ε_2 = %g, q = %s, T = %s, z = %s: g(z) is %.12g by spec, %.12g by impl, claimed %.12g",
			n.delta, n.c, n.eps2, rat.Show(shiftAnswer), rat.Show(shiftThreshold), rat.Show(z), bySpec, p.Lower, want)
	}
}

// check goes through the steps from x, whose answer is larger by change, to x'.
func (s topShifts) check(change, z *big.Rat) {
	kappa := rat.Mul(s.claim.kappa, s.kappa)
	tail := func(z, q *big.Rat) *big.Rat { return rat.Sub(rat.Add(shiftThreshold, z), q) } // ν is at least this
	first := tail(rat.Sub(z, s.delta), rat.Add(shiftAnswer, change))
	second := tail(rat.Sub(z, s.delta), rat.Add(shiftAnswer, s.delta))
	third := tail(rat.Sub(z, rat.Mul(s.claim.further, s.delta)), shiftAnswer)
	last := tail(z, shiftAnswer)
	for _, step := range []struct {
		name  string
		y, y1 *big.Rat // Pr(ν ≥ y) ≤ e^κ·Pr(ν ≥ y1)
		kappa *big.Rat
	}{
		{"first step", first, second, new(big.Rat)},
		{"second step", second, third, new(big.Rat)},
		{"second step, back", third, second, new(big.Rat)},
		{"third step", third, last, kappa},
		{"both ends", first, last, kappa},
	} {
		place := "%s: Δ = %s, c = %d, ν ~ Lap(%s), T = %s, q(x') = %s, q(x) = q(x') + %s, z = %s: Pr(ν ≥ %s) against " +
			"e^(%s)·Pr(ν ≥ %s)"
		args := []any{step.name, rat.Show(s.delta), s.law.Cutoff, rat.Show(s.law.NuScale), rat.Show(shiftThreshold),
			rat.Show(shiftAnswer), rat.Show(change), rat.Show(z), rat.Show(step.y), rat.Show(step.kappa), rat.Show(step.y1)}
		if tailExceeds(s.t, s.law, step.y, step.y1, step.kappa) {
			s.t.Refute(place, args...)
		}
		if step.name == "both ends" {
			nu := rat.Float64(s.law.NuScale)
			ratio := laplaceAtLeast(rat.Float64(step.y), nu) / laplaceAtLeast(rat.Float64(step.y1), nu)
			s.t.Close(ninePlaces(ratio/math.Exp(rat.Float64(kappa))), place, args...)
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
		return register.Must(law.Given(y, impl.Comparison{Query: new(big.Rat), Threshold: new(big.Rat), Above: true}))
	}
	ratio := register.Must(impl.LogRatio(at(y0), at(y1)))
	if !rat.IsAbove(ratio, kappa) && !rat.IsAtMost(ratio, kappa) {
		t.Undecided("Pr(ν ≥ %s) and e^(%s)·Pr(ν ≥ %s) are too close", rat.Show(y0), rat.Show(kappa), rat.Show(y1))
	}
	return rat.IsAbove(ratio, kappa)
}
