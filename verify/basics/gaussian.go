package basics

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// gaussian are the statements of Section 3.5.3.
func gaussian() register.Checks {
	claim := gaussianClaim{most: rat.One}
	variance, wider := claim, claim
	variance.isVariance, wider.most = true, rat.Of("41/10")
	return register.Checks{
		"AFD-U9": register.Checked(register.With(gaussianTwins, 1), register.NearMiss("with variance 1.05·b", register.With(gaussianTwins, 1.05))),
		"AFD-T3.22": register.Checked(register.All(register.With(gaussianDeltas, 1), register.With(gaussianBoxes, claim)),
			register.AlsoFails(register.Slip, "σ is the mechanism's parameter, its variance", register.With(gaussianBoxes, variance)),
			register.NearMiss("it holds for ε up to 41/10", register.With(gaussianBoxes, wider)),
			register.NearMiss("the smallest δ has 1.001·ε for ε", register.With(gaussianDeltas, 1.001)),
		),
	}
}

// gaussianTwins checks that both rooms add draws times the standard deviation, with so many times the variance.
func gaussianTwins(t *register.T, factor float64) {
	t.Domain("500 tapes, up to 4 coordinates, b in {1/4, 2, 9}")
	t.Random(3, 500, func(t *register.T, d register.Dice) {
		b := []float64{0.25, 2, 9}[d.Roll(3)]
		value, draws, want := drawnValues(d, math.Sqrt(factor*b))
		t.At("f(x) = %v, b = %g, draws %v", value, b, draws)
		literal, err0 := spec.GaussianMechanism(value, b, &finite.Tape{Draws: draws})
		fast, err1 := impl.GaussianMechanism(value, b, &finite.Tape{Draws: draws})
		mustBoth(t, err0, err1)
		isNoisy(t, literal, fast, want)
	})
}

// gaussianDeltas compares the smallest δ with what a partition of the line into cells needs: Σ max(0, P − e^ε·Q) over
// the cells is at most that, and less by no more than the P of the largest cell, where P − e^ε·Q changes its sign.
func gaussianDeltas(t *register.T, factor float64) {
	t.Domain("the smallest δ against 6000 cells: (σ, Δ) in {(1/2, 1), (1, 1), (4, 1), (3, 2)}, ε in {0, 1/10, 1, 3}")
	tail := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	finite.Each2([][]*big.Rat{rat.List("1/2", "1"), rat.List("1", "1"), rat.List("4", "1"), rat.List("3", "2")},
		rat.List("0", "1/10", "1", "3"), func(x []*big.Rat, eps *big.Rat) {
			t.Case()
			sigma, sensitivity := x[0], x[1]
			s, far, e := rat.Float64(sigma), rat.Float64(sensitivity), rat.Float64(eps)*factor
			least, widest := 0.0, 0.0
			for i := -3000; i < 3000; i++ {
				a, b := float64(i)*s/100, float64(i+1)*s/100
				p := tail((a-far)/s) - tail((b-far)/s)
				least += max(0, p-math.Exp(e)*(tail(a/s)-tail(b/s)))
				widest = max(widest, p*s/100) // to the second order
			}
			exact := impl.GaussianDelta(sensitivity, precise.Rat(sigma), eps)
			isAbout(t, "the smallest δ", exact, spec.GaussianDelta(far, s, rat.Float64(eps)))
			delta := exact.Float()
			t.Require(delta.Hi >= least-1e-12 && delta.Lo <= least+widest/10*(1+math.Exp(e))+1e-12, "σ = %s, Δ = %s, ε = %s: "+
				"δ is %.12g, by cells at least %.12g", sigma, sensitivity, eps, delta.Hi, least)
		})
}

// gaussianClaim is a variant of AFD-T3.22: up to which ε, and whether σ is the variance.
type gaussianClaim struct {
	most       *big.Rat
	isVariance bool
}

// needs returns the smallest δ for ε, with the σ of others.
func (c gaussianClaim) needs(t *register.T, eps, of, delta *big.Rat) interval.Interval {
	sigma := gaussianScale(t, of, delta)
	if c.isVariance {
		sigma = precise.Sqrt(sigma)
	}
	return impl.GaussianDelta(rat.One, sigma, eps)
}

// gaussianScale returns the σ of the theorem.
func gaussianScale(t *register.T, eps, delta *big.Rat) interval.Interval {
	sigma := impl.GaussianScale(rat.One, eps, delta)
	isAbout(t, "σ", sigma, spec.GaussianScale(1, rat.Float64(eps), rat.Float64(delta)))
	return sigma
}

// box are ε and δ from … to ….
type box struct{ eps0, eps1, delta0, delta1 *big.Rat }

// boxes cover all ε up to most, and all δ from 1/8 to 1.
func boxes(most *big.Rat) (all []box) {
	for delta, i := rat.One, 0; i < 6; i++ {
		smaller := rat.Mul(delta, rat.Of("181/256")) // about 2^(−1/2)
		for eps := most; eps.Sign() > 0; {
			less := rat.Mul(eps, rat.Of("9/10"))
			if less.Cmp(rat.Mul(smaller, rat.Half)) <= 0 {
				less = new(big.Rat)
			}
			all = append(all, box{less, eps, smaller, delta})
			eps = less
		}
		delta = smaller
	}
	return all
}

// gaussianBoxes checks a claim at the corners of boxes of (ε, δ), and then for all of each box.
func gaussianBoxes(t *register.T, c gaussianClaim) {
	t.AlsoDomain("all ε up to %s and all δ from 1/8 to 1, in boxes; the largest ε with δ in {1/1000, 1e-6, 1e-12}", c.most)
	corners := boxes(c.most)
	for _, delta := range rat.List("1/1000", "1e-6", "1e-12") {
		corners = append(corners, box{eps1: c.most, delta1: delta})
	}
	for _, b := range corners {
		t.Case()
		delta := c.needs(t, b.eps1, b.eps1, b.delta1)
		t.Require(!rat.IsAbove(delta, b.delta1), "ε = %.6g, δ = %.6g: at least %.9g is needed", b.eps1, b.delta1, delta.Lower)
	}
	for _, b := range boxes(c.most) {
		delta := c.needs(t, b.eps0, b.eps1, b.delta1)
		if !rat.IsAtMost(delta, b.delta0) {
			t.Undecided("ε from %.6g to %.6g, δ from %.6g: at most %.9g is needed", rat.Float64(b.eps0), rat.Float64(b.eps1),
				rat.Float64(b.delta0), delta.Upper)
		}
		t.Close(delta.Float().Hi/rat.Float64(b.delta0), "ε up to %.4g, δ up to %.4g", b.eps1, b.delta1)
	}
}
