package selection

import (
	"fmt"
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
		"PSC-T4.4.s2": mended(coupled(false), coupled(true), "with Φ_R'", "20/19", "with Φ_R', and ν' more by ln(20/19)"),
		"PSC-T4.4.s3": register.Checked(offsetFor(1),
			register.NearMiss("δ_0 = δ/(3T)", offsetFor(3)),
			register.Corrected("δ_0 = δ/(4T)", offsetFor(4)),
		),
		"PSC-T4.4.s4": tight(factorsMeet, "19/20", "at most 19/20·S"),
		"PSC-T4.4.s5": tight(shifts, "19/20", "19/20 of each bound"),
		"PSC-T4.4.s6": step(noneReported, "19/20"),
		"PSC-T4.4.s7": mended(over.check(printedOffset), over.check(halfOffset), "with Δ = 2(e^(ε_0/2) + 1)/(e^(ε_0/2) − "+
			"1)·ln(4T/δ)/ε_0, if that is more", "1/40", "with 1/40 of the larger Δ"),
		"PSC-T4.4.s8": register.Checked(downTo(true, "1").with("1"),
			register.NearMiss("the second, with 3/2 of that N, and 21/20 of the bound", downTo(false, "3/2").with("21/20")),
			register.Corrected("the second, with twice that N", downTo(false, "2").with("1")),
		),
		"PSC-T4.4.s9": register.Checked(upToBound(true, "1").with("1"),
			register.NearMiss("the bound with 1 − p_*, with 3/2 of that N, and 21/20 of it", upToBound(false,
				"3/2").with("21/20")),
			register.Corrected("the bound with 1 − p_*, with twice that N", upToBound(false, "2").with("1")),
		),
		"PSC-T4.4.s10": mended(under.check(printedOffset), under.check(quarterOffset),
			"with Δ = 4(e^(ε_0/4) + 1)/(e^(ε_0/4) − "+
				"1)·ln(8T/δ)/ε_0, if that is more", "1/40", "with 1/40 of the larger Δ"),
		"PSC-L4.5": tight(goodEvent, "19/20", "with 19/20·δ"),
	}
}

// coupled checks both equivalences, with Φ_R' or Φ_R in the second, and e^ν' more by a factor.
func coupled(isPrimed bool) claim {
	return func(t *register.T, more *big.Rat) {
		for at, x := range finite.Grid(t, "R = 2; Φ_* in {1, 3/2}, e^ν and e^ξ_R and g and g' and Φ_R and Φ_R' in "+
			"{1/2, 1, 3}") {
			t.Case()
			star, nu, xi, g, g2, phi, phi2 := x[0], x[1], x[2], x[3], x[4], x[5], x[6]
			nu2, xi2 := rat.Product(more, nu, rat.Quo(g2, g)), rat.Product(xi, rat.Quo(g2, g), rat.Quo(phi, phi2))
			last := phi
			if isPrimed {
				last = phi2
			}
			first := g.Cmp(rat.Mul(nu, star)) < 0 == (g2.Cmp(rat.Mul(nu2, star)) < 0)
			second := rat.Mul(xi, phi).Cmp(rat.Mul(nu, star)) >= 0 == (rat.Mul(xi2, last).Cmp(rat.Mul(nu2, star)) >= 0)
			if !first || !second {
				t.Refute("%s: the first is %v, the second %v", at, first, second)
			}
		}
	}
}

// offsetFor checks that C·ln(8T/δ)/(ε_0(e^(ε_0 + ε_1) − 1)) is the Δ of Lemma 4.3 with δ_0 = δ/(kT).
func offsetFor(k int) register.Check {
	return func(t *register.T) {
		for at, x := range finite.Grid(t, "ε_0 and ε_1 in {1/10, 9/10}, δ in {1/1000, 1/2}, T in {2, 10}") {
			t.Case()
			eps0, eps1, delta, queries := x[0], x[1], x[2], x[3]
			printed := quo(mul(selection.CountConstant(eps0, eps1), ln(rat.Quo(rat.Mul(rat.Int(8), queries), delta))),
				mul(eps0, sub(exp(rat.Add(eps0, eps1)), 1)))
			equal(t, at, printed, printedOffset(t, eps0, eps1, rat.Quo(delta, rat.Mul(rat.Int(k), queries))))
		}
	}
}

// factorsMeet checks pairs of counts where both conditions hold.
func factorsMeet(t *register.T, share *big.Rat) {
	const n = 40
	for at, x := range finite.Grid(t, "N = 40, Δ in {1, 10}, all pairs of counts that meet both conditions, (ε_0 + ε_1) "+
		"in {(1/10), (1/2), (3/2)}") {
		most, _ := exp(x[1]).Rats()
		for k := range n + 1 {
			for l := range n + 1 {
				if !areWithin(most, rat.Add(rat.Int(k), x[0]), rat.Add(rat.Int(l), x[0])) ||
					!areWithin(most, rat.Add(rat.Int(n-k), x[0]), rat.Add(rat.Int(n-l), x[0])) {
					continue
				}
				t.Case()
				moved := quo(selection.SmoothedOdds(big.NewRat(int64(k), n), n, num(x[0])),
					selection.SmoothedOdds(big.NewRat(int64(l), n), n, num(x[0])))
				rising(t, fmt.Sprintf("%s, counts %d and %d", at, k, l), abs(ln(moved)), mul(share, 2, x[1]))
			}
		}
	}
}

// shifts checks the shift of ν for R ≤ 3, and the densities at shifts that are as large as they may be.
func shifts(t *register.T, share *big.Rat) {
	for x := range finite.Tuples(rat.List("1/2", "1", "3"), 2) {
		for y := range finite.Tuples(rat.List("1/2", "1", "2"), 2) {
			t.Case()
			g, g2, most := new(big.Rat), new(big.Rat), rat.One
			for i := range x {
				g, g2 = rat.Max(g, rat.Mul(x[i], y[i])), rat.Max(g2, x[i])
				most = rat.Max(most, y[i], new(big.Rat).Inv(y[i]))
			}
			rising(t, fmt.Sprintf("e^ξ are %s, Φ_i/Φ_i' are %s", rat.Show(x...), rat.Show(y...)), abs(ln(rat.Quo(g2, g))),
				mul(share, ln(most)))
		}
	}
	for at, v := range finite.Grid(t, "R = 3, e^ξ_i of 1/2, 1, 3, Φ_i/Φ_i' of 1/2, 1, 2; S in {1/5, 2}, ε_3 in {1/2, 3}, "+
		"ξ_R/S and ν/S in {−3, −1, 0, 1/3, 3}, shifts of them, in parts of the largest, a and b in {−1, −1/2, 0, 1}") {
		t.Case()
		eps3 := v[1]
		gain := func(place, move, scale *big.Rat) *big.Rat { // ln of the ratio of densities, for ε_3 = 1
			return rat.Mul(scale, rat.Sub(new(big.Rat).Abs(rat.Add(place, move)), new(big.Rat).Abs(place)))
		}
		sum := rat.Add(gain(v[2], rat.Twice(v[4]), rat.Of("1/4")), gain(v[3], v[5], rat.Half))
		within(t, at, "ln of the ratio of densities", rat.Mul(sum, eps3), share, eps3)
	}
}

// noneReported checks the tail of ν ∼ Lap(2S/ε_3) at x and at x + S, the most that ln g may move.
func noneReported(t *register.T, share *big.Rat) {
	for at, v := range finite.Grid(t, "S in {1/5, 2}, ε_3 in {1/10, 3}, ln g − ln Φ_* = x, x/S in {−3, −1, 0, 2}") {
		t.Case()
		x, rate := rat.Mul(v[2], v[0]), rat.Quo(v[1], rat.Twice(v[0]))
		density := exp(rat.Mul(rat.Half, v[1])) // Lap(4S/ε_3) moved by 2S
		rising(t, at, quo(above(x, rate), above(rat.Add(x, v[0]), rate)), density, mul(share, exp(v[1])))
	}
}

// rarePlaces goes through places of Theorem 4.4 with a p_*, or 1 − p_*, that is 1/2 or less: the least N times times, c
// = e^−ε_0·(β/(R + 1))^(6S/ε_3) for R = T, and Δ/N.
func rarePlaces(t *register.T, times, stars string, visit func(x *estimating, c, each interval.Interval)) {
	for _, v := range finite.Grid(t, "T = 2, (ε_0, ε_1, ε_3, δ, β) = (1/2, 1/10, 72/5, 1/2, 1/2), p_* in "+
		"{"+stars+"}, R = T") {
		t.Case()
		with := selection.SampledPercentile{PStar: v[0], Eps0: rat.Half, Eps1: rat.Of("1/10"), Eps3: rat.Of("72/5"),
			Delta: rat.Half, T: 2}
		least := samplesOf(t, with, rat.Half)
		with.N = int(rat.Float64(rat.Mul(rat.Of(times), new(big.Rat).SetInt(least))))
		x := newEstimating(with, rat.Half, printedOffset(t, with.Eps0, with.Eps1, rat.Quo(with.Delta, rat.Int(8))))
		x.twins(t, rat.Half)
		visit(x, x.shift(2, -1), quo(x.offset, with.N))
	}
}

// leastFrom returns the p with Φ^(N,Δ)(p) = odds, where each = Δ/N: p + Δ/N = odds·(1 − p + Δ/N).
func leastFrom(odds, each interval.Interval) interval.Interval {
	return quo(sub(mul(odds, add(1, each)), each), add(1, odds))
}

// downTo checks the bound of p from below, more by a factor, with so many times N, and before it that Φ^(N,Δ)(p_*) ≥
// 2p_*.
func downTo(withFirst bool, times string) claim {
	return func(t *register.T, more *big.Rat) {
		rarePlaces(t, times, "1/100, 1/4, 1/2", func(x *estimating, c, each interval.Interval) {
			star := x.odds(x.PStar)
			if withFirst {
				rising(t, x.at+", Φ^(N,Δ)(p_*)", mul(2, x.PStar), star)
			}
			rising(t, x.at+", the least p", mul("1/2", c, more, x.PStar), leastFrom(mul(c, star), each))
		})
	}
}

// upToBound checks the bound of p from above: as printed, or the one that follows from downTo with p and 1 − p
// exchanged.
func upToBound(isPrinted bool, times string) claim {
	return func(t *register.T, more *big.Rat) {
		rarePlaces(t, times, "99/100, 3/4, 1/2", func(x *estimating, c, each interval.Interval) {
			rest, star := sub(1, x.PStar), x.odds(x.PStar)
			bound := sub(1, mul("1/2", more, c, rest))
			if isPrinted {
				half := quo(1, mul(2, rest))
				rising(t, x.at+", Φ^(N,Δ)(p_*)", star, half)
				bound = sub(1, quo(1, add(1, quo(half, c))))
			}
			rising(t, x.at+", the largest p", leastFrom(quo(star, c), each), bound)
		})
	}
}

// goodEvent checks the conclusion with a share of δ.
func goodEvent(t *register.T, share *big.Rat) {
	for law := range oracles(8, 5) {
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
		for at, v := range finite.Grid(t, "all laws of ([X ∈ A], [Y ∈ A], [𝒢]) with probabilities in multiples of 1/5 and "+
			"Pr[𝒢] > 0, e^ε in {1, 2}") {
			if e := v[0]; good.Sign() > 0 && areWithin(e, pr(5), pr(6)) {
				t.Case()
				at := fmt.Sprintf("Pr[X ∈ A] = %s, Pr[Y ∈ A] = %s, Pr[𝒢] = %s, %s", rat.Show(pr(1)), rat.Show(pr(2)),
					rat.Show(good), at)
				delta := rat.Mul(share, rat.Complement(good))
				within(t, at, "Pr[X ∈ A]", pr(1), rat.One, rat.Add(rat.Mul(e, pr(2)), delta))
				if pr(1).Cmp(rat.Quo(rat.Sub(pr(2), delta), e)) < 0 {
					t.Refute("%s: Pr[X ∈ A] is too small", at)
				}
			}
		}
	}
}
