package selection

import (
	"math/big"

	"checkrr/impl/interval"
	"checkrr/impl/selection"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// samplingProof are the steps of the proof of Theorem 4.4, and Lemma 4.5, on which it rests.
func samplingProof() register.Checks {
	over := misestimate{oddsOfCount, rat.Of("1/8"), rat.One, rat.Of("1/4")}         // with probability 2δ/(4T)
	under := misestimate{oddsOfCount, rat.Of("1/8"), rat.Of("-1/2"), rat.Of("1/8")} // δ/(4T)
	return register.Checks{
		"PSC-T4.4.s2": mended(coupled(false), coupled(true), "with Φ_R'", "20/19",
			"with Φ_R', and ν' more by ln(20/19)"),
		"PSC-T4.4.s3": checked(offsetFor(1), near("δ_0 = δ/(3T)", offsetFor(3)),
			corrected("δ_0 = δ/(4T)", offsetFor(4))),
		"PSC-T4.4.s4": tight(factorsMeet(), "19/20", "at most 19/20·S"),
		"PSC-T4.4.s5": tight(shifts, "19/20", "19/20 of each bound"),
		"PSC-T4.4.s6": step(noneReported(), "19/20"),
		"PSC-T4.4.s7": mended(misestimates(over, printedOffset), misestimates(over, halfOffset), "with "+
			"Δ = 2(e^(ε_0/2) + 1)/(e^(ε_0/2) − 1)·ln(4T/δ)/ε_0, if that is more", "1/40", "with 1/40 of the larger Δ"),
		"PSC-T4.4.s8": checked(downTo(true, "1").With("1"),
			near("the second, with 3/2 of that N, and 21/20 of the bound", downTo(false, "3/2").With("21/20")),
			corrected("the second, with twice that N", downTo(false, "2").With("1"))),
		"PSC-T4.4.s9": checked(upToBound(true, "1").With("1"),
			near("the bound with 1 − p_*, with 3/2 of that N, and 21/20 of it", upToBound(false, "3/2").With("21/20")),
			corrected("the bound with 1 − p_*, with twice that N", upToBound(false, "2").With("1"))),
		"PSC-T4.4.s10": mended(misestimates(under, printedOffset), misestimates(under, quarterOffset), "with "+
			"Δ = 4(e^(ε_0/4) + 1)/(e^(ε_0/4) − 1)·ln(8T/δ)/ε_0, if that is more", "1/40", "with 1/40 of the larger Δ"),
		"PSC-L4.5": tight(goodEvent, "19/20", "with 19/20·δ"),
	}
}

// coupled checks both equivalences, with Φ_R' or Φ_R in the second, and e^ν' more by a factor.
var coupled = on("R = 2; Φ_* in {1, 3/2}, e^ν and e^ξ_R and g and g' and Φ_R and Φ_R' in {1/2, 1, 3}",
	func(t *register.T, more *big.Rat, isPrimed bool, star, nu, xi, g, g2, phi, phi2 *big.Rat) {
		nu2, xi2 := rat.Product(more, nu, rat.Quo(g2, g)), rat.Product(xi, rat.Quo(g2, g), rat.Quo(phi, phi2))
		last := phi
		if isPrimed {
			last = phi2
		}
		first := g.Cmp(rat.Mul(nu, star)) < 0 == (g2.Cmp(rat.Mul(nu2, star)) < 0)
		second := rat.Mul(xi, phi).Cmp(rat.Mul(nu, star)) >= 0 == (rat.Mul(xi2, last).Cmp(rat.Mul(nu2, star)) >= 0)
		t.Require(first && second, "the first is %v, the second %v", first, second)
	})

// offsetFor checks that C·ln(8T/δ)/(ε_0(e^(ε_0 + ε_1) − 1)) is the Δ of Lemma 4.3 with δ_0 = δ/(kT).
var offsetFor = finite.Over("ε_0 and ε_1 in {1/10, 9/10}, δ in {1/1000, 1/2}, T in {2, 10}",
	func(t *register.T, k int, eps0, eps1, delta, queries *big.Rat) {
		printed := quo(mul(selection.CountConstant(eps0, eps1), ln(rat.Quo(rat.Mul(rat.Int(8), queries), delta))),
			mul(eps0, sub(exp(rat.Add(eps0, eps1)), 1)))
		equal(t, printed, printedOffset(t, eps0, eps1, rat.Quo(delta, rat.Mul(rat.Int(k), queries))))
	})

// factorsMeet checks pairs of counts where both conditions hold.
var factorsMeet = on("N = 40, Δ in {1 | 10}, all pairs of counts that meet both conditions, "+
	"(ε_0 + ε_1) in {(1/10), (1/2), (3/2)}",
	func(t *register.T, share *big.Rat, at string, offset, eps *big.Rat) {
		const n = 40
		most, _ := exp(eps).Rats()
		odds := func(k int) interval.Interval { return selection.SmoothedOdds(big.NewRat(int64(k), n), n, num(offset)) }
		for k := range n + 1 {
			for l := range n + 1 {
				if areWithin(most, rat.Add(rat.Int(k), offset), rat.Add(rat.Int(l), offset)) &&
					areWithin(most, rat.Add(rat.Int(n-k), offset), rat.Add(rat.Int(n-l), offset)) {
					t.At("%s, counts %d and %d", at, k, l)
					rising(t, abs(ln(quo(odds(k), odds(l)))), mul(share, 2, eps))
				}
			}
		}
	})

// shifts checks the shift of ν for R ≤ 3, and the densities at shifts that are as large as they may be.
func shifts(t *register.T, share *big.Rat) {
	finite.Each(t, "R = 3, e^ξ_1 and e^ξ_2 in {1/2, 1, 3}, Φ_1/Φ_1' and Φ_2/Φ_2' in {1/2, 1, 2}",
		func(x1, x2, y1, y2 *big.Rat) {
			g, g2 := rat.Max(rat.Mul(x1, y1), rat.Mul(x2, y2)), rat.Max(x1, x2)
			most := rat.Max(y1, y2, new(big.Rat).Inv(y1), new(big.Rat).Inv(y2))
			rising(t, abs(ln(rat.Quo(g2, g))), mul(share, ln(most)))
		})
	gain := func(place, move, scale *big.Rat) *big.Rat { // ln of the ratio of densities, for ε_3 = 1
		return rat.Mul(scale, rat.Sub(new(big.Rat).Abs(rat.Add(place, move)), new(big.Rat).Abs(place)))
	}
	finite.Each(t, "ε_3 in {1/2, 3}, ξ_R/S and ν/S in {−3, −1, 0, 1/3, 3}, shifts of them, in parts of the largest, "+
		"a and b in {−1, −1/2, 0, 1}", func(eps3, xi, nu, a, b *big.Rat) {
		sum := rat.Add(gain(xi, rat.Twice(a), rat.Of("1/4")), gain(nu, b, rat.Half))
		within(t, "ln of the ratio of densities", rat.Mul(sum, eps3), share, eps3)
	})
}

// noneReported checks the tail of ν ∼ Lap(2S/ε_3) at x and at x + S, the most that ln g may move.
var noneReported = on("S in {1/5, 2}, ε_3 in {1/10, 3}, ln g − ln Φ_* = x, x/S in {−3, −1, 0, 2}",
	func(t *register.T, share, s, eps3, place *big.Rat) {
		x, rate := rat.Mul(place, s), rat.Quo(eps3, rat.Twice(s))
		density := exp(rat.Mul(rat.Half, eps3)) // Lap(4S/ε_3) moved by 2S
		rising(t, quo(above(x, rate), above(rat.Add(x, s), rate)), density, mul(share, exp(eps3)))
	})

// rarely is a claim about places of Theorem 4.4 with a p_*, or 1 − p_*, that is 1/2 or less: the least N times times, c
// = e^−ε_0·(β/(R + 1))^(6S/ε_3) for R = T, and Δ/N.
func rarely(times, stars string, visit func(t *register.T, more *big.Rat, x *estimate, c,
	each interval.Interval)) claim {
	return on("T = 2, (ε_0, ε_1, ε_3, δ, β) = (1/2, 1/10, 72/5, 1/2, 1/2), p_* in {"+stars+"}, R = T",
		func(t *register.T, more, pStar *big.Rat) {
			x := &estimate{pStar: pStar, eps0: rat.Half, eps1: rat.Of("1/10"), eps3: rat.Of("72/5"), delta: rat.Half,
				beta: rat.Half, rounds: 2}
			n := new(big.Rat).SetInt(asSampled(t, x, printedOffset))
			x.n = int(rat.Float64(rat.Mul(rat.Of(times), n)))
			asSampled(t, x, printedOffset)
			visit(t, more, x, x.shift(2, -1), quo(x.offset, x.n))
		})()
}

// leastFrom returns the p with Φ^(N,Δ)(p) = odds, where each = Δ/N: p + Δ/N = odds·(1 − p + Δ/N).
func leastFrom(odds, each interval.Interval) interval.Interval {
	return quo(sub(mul(odds, add(1, each)), each), add(1, odds))
}

// downTo checks the bound of p from below, more by a factor, with so many times N, and before it that Φ^(N,Δ)(p_*) ≥
// 2p_*.
func downTo(withFirst bool, times string) claim {
	return rarely(times, "1/100, 1/4, 1/2", func(t *register.T, more *big.Rat, x *estimate, c, each interval.Interval) {
		star := x.odds(x.pStar)
		if withFirst {
			rising(t, mul(2, x.pStar), star)
		}
		rising(t, mul("1/2", c, more, x.pStar), leastFrom(mul(c, star), each))
	})
}

// upToBound checks the bound of p from above: as printed, or the one that follows from downTo with p and 1 − p
// exchanged.
func upToBound(isPrinted bool, times string) claim {
	return rarely(times, "99/100, 3/4, 1/2",
		func(t *register.T, more *big.Rat, x *estimate, c, each interval.Interval) {
			rest, star := sub(1, x.pStar), x.odds(x.pStar)
			bound := sub(1, mul("1/2", more, c, rest))
			if isPrinted {
				half := quo(1, mul(2, rest))
				rising(t, star, half)
				bound = sub(1, quo(1, add(1, quo(half, c))))
			}
			rising(t, leastFrom(quo(star, c), each), bound)
		})
}

// goodEvent checks the conclusion with a share of δ.
func goodEvent(t *register.T, share *big.Rat) {
	t.Domain("all laws of ([X ∈ A], [Y ∈ A], [𝒢]) with probabilities in multiples of 1/5 and Pr[𝒢] > 0, e^ε in {1, 2}")
	finite.Each2(oracles(8, 5), rat.List("1", "2"), func(law samples, e *big.Rat) {
		pr := func(events int) *big.Rat { // of X ∈ A if bit 0 is set, Y ∈ A for bit 1, 𝒢 for bit 2
			sum := new(big.Rat)
			for i, p := range law {
				if i&events == events {
					sum.Add(sum, p)
				}
			}
			return sum
		}
		good := pr(4)
		if good.Sign() > 0 && areWithin(e, pr(5), pr(6)) {
			t.At("Pr[X ∈ A] = %s, Pr[Y ∈ A] = %s, Pr[𝒢] = %s, e^ε = %s", pr(1), pr(2), good, e)
			delta := rat.Mul(share, rat.Complement(good))
			within(t, "Pr[X ∈ A]", pr(1), rat.One, rat.Add(rat.Mul(e, pr(2)), delta))
			t.Require(pr(1).Cmp(rat.Quo(rat.Sub(pr(2), delta), e)) >= 0, "Pr[X ∈ A] is too small")
		}
	})
}
