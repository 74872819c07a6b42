package selection

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// samplingProof are the steps of the proof of Theorem 4.4, and Lemma 4.5, on which it rests.
func samplingProof() register.Checks {
	return register.Checks{
		"PSC-T4.4.s2": register.Checked(coupled(false, rat.One),
			register.Control("with Φ_R', and ν' = ν", coupled(true, nil)),
			register.NearMiss("with Φ_R', and ν' more by ln(20/19)", coupled(true, rat.Of("20/19"))),
			register.Corrected("with Φ_R'", coupled(true, rat.One)),
		),
		"PSC-T4.4.s3": register.Checked(offsetFor(1),
			register.NearMiss("δ_0 = δ/(3T)", offsetFor(3)),
			register.Corrected("δ_0 = δ/(4T)", offsetFor(4)),
		),
		"PSC-T4.4.s4": register.Checked(factorsMeet(rat.One),
			register.NearMiss("at most 19/20·S", factorsMeet(nearly)),
		),
		"PSC-T4.4.s5": register.Checked(shifts(rat.One),
			register.NearMiss("19/20 of each bound", shifts(nearly)),
		),
		"PSC-T4.4.s6": nearStep(noneReported, "19/20"),
		"PSC-T4.4.s7": register.Checked(overestimates(printedOffset, rat.One),
			register.NearMiss("with 1/40 of the larger Δ", overestimates(tailOffset, rat.Of("1/40"))),
			register.Corrected("with Δ = 2(e^(ε_0/2) + 1)/(e^(ε_0/2) − 1)·ln(4T/δ)/ε_0, if that is more",
				overestimates(tailOffset, rat.One)),
		),
		"PSC-T4.4.s8": register.Checked(downTo(true, 1),
			register.Control("the second, with that N", downTo(false, 1)),
			register.NearMiss("the second, with 3/2 of that N, and 21/20 of the bound", downTo(false, -1)),
			register.Corrected("the second, with twice that N", downTo(false, 2)),
		),
		"PSC-T4.4.s9": register.Checked(upTo(true, 1),
			register.Control("the bound with 1 − p_*, with that N", upTo(false, 1)),
			register.NearMiss("the bound with 1 − p_*, with 3/2 of that N, and 21/20 of it", upTo(false, -1)),
			register.Corrected("the bound with 1 − p_*, with twice that N", upTo(false, 2)),
		),
		"PSC-T4.4.s10": register.Checked(underestimates(printedOffset, rat.One),
			register.NearMiss("with 1/40 of the larger Δ", underestimates(quarterOffset, rat.Of("1/40"))),
			register.Corrected("with Δ = 4(e^(ε_0/4) + 1)/(e^(ε_0/4) − 1)·ln(8T/δ)/ε_0, if that is more",
				underestimates(quarterOffset, rat.One)),
		),
		"PSC-L4.5": register.Checked(goodEvent(rat.One),
			register.NearMiss("with 19/20·δ", goodEvent(nearly)),
		),
	}
}

// coupled checks both equivalences, with Φ_R' or Φ_R in the second, and e^ν' more by a factor; nil leaves ν as it is.
func coupled(isPrimed bool, more *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("R = 2; e^ν, e^ξ_2, g and g', Φ_R and Φ_R' in {1/2, 1, 3}, Φ_* in {1, 3/2}")
		values := rat.List("1/2", "1", "3")
		for x := range finite.Tuples(values, 6) {
			nu, xi, g, g2, phi, phi2 := x[0], x[1], x[2], x[3], x[4], x[5]
			for _, star := range rat.List("1", "3/2") {
				t.Case()
				nu2 := nu
				if more != nil {
					nu2 = rat.Product(more, nu, rat.Quo(g2, g))
				}
				xi2 := rat.Product(xi, rat.Quo(g2, g), rat.Quo(phi, phi2))
				last := phi
				if isPrimed {
					last = phi2
				}
				first := g.Cmp(rat.Mul(nu, star)) < 0 == (g2.Cmp(rat.Mul(nu2, star)) < 0)
				second := rat.Mul(xi, phi).Cmp(rat.Mul(nu, star)) >= 0 == (rat.Mul(xi2, last).Cmp(rat.Mul(nu2, star)) >= 0)
				if !first || !second {
					t.Refute("e^ν = %s, e^ξ_R = %s, g = %s, g' = %s, Φ_R = %s, Φ_R' = %s, Φ_* = %s: the first is %v, the second %v",
						rat.Show(nu), rat.Show(xi), rat.Show(g), rat.Show(g2), rat.Show(phi), rat.Show(phi2), rat.Show(star), first,
						second)
				}
			}
		}
	}
}

// offsetFor checks that C·ln(8T/δ)/(ε_0(e^(ε_0 + ε_1) − 1)) is the Δ of Lemma 4.3 with δ_0 = δ/(kT).
func offsetFor(k int) register.Check {
	return func(t *register.T) {
		t.Domain("ε_0 and ε_1 in {1/10, 9/10}, δ in {1/1000, 1/2}, T in {2, 10}")
		for _, v := range []*big.Rat{rat.Of("1/10"), rat.Of("9/10")} {
			for _, eps1 := range rat.List("1/10", "9/10") {
				for _, delta := range rat.List("1/1000", "1/2") {
					for _, queries := range []int{2, 10} {
						t.Case()
						delta0 := rat.Quo(delta, rat.Int(k*queries))
						rise := precise.ExpRat(rat.Add(v, eps1))
						top := precise.Mul(impl.CountConstant(v, eps1), precise.Log(rat.Quo(rat.Int(8*queries), delta)))
						printed := precise.Quo(top, precise.Mul(exactly(v), precise.Sub(rise, precise.Int(1))))
						fast, literal := impl.CountOffset(v, eps1, delta0), spec.CountOffset(rat.Float64(v), rat.Float64(eps1),
							rat.Float64(delta0))
						if !isNear(literal/1e3, precise.Quo(fast, precise.Int(1000))) {
							t.Refute("Δ is %.12g by impl, %.12g by spec", fast.Upper, literal)
						}
						equal(printed, fast).check(t, precise.Int(1), "ε_0 = %s, ε_1 = %s, δ = %s, T = %d", rat.Show(v), rat.Show(eps1),
							rat.Show(delta), queries)
					}
				}
			}
		}
	}
}

// factorsMeet checks pairs of counts where both conditions hold.
func factorsMeet(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("N = 40, Δ in {1, 10}, all pairs of counts that meet both conditions, ε_0 + ε_1 in {1/10, 1/2, 3/2}")
		const n = 40
		for _, offset := range rat.List("1", "10") {
			for _, sum := range rat.List("1/10", "1/2", "3/2") {
				most := precise.ExpRat(sum)
				for k := range n + 1 {
					for l := range n + 1 {
						first := rat.Quo(rat.Add(rat.Int(k), offset), rat.Add(rat.Int(l), offset))
						second := rat.Quo(rat.Add(rat.Int(n-k), offset), rat.Add(rat.Int(n-l), offset))
						if !isWithin(first, most) || !isWithin(second, most) {
							continue
						}
						t.Case()
						x := impl.SmoothedOdds(big.NewRat(int64(k), n), n, exactly(offset))
						y := impl.SmoothedOdds(big.NewRat(int64(l), n), n, exactly(offset))
						moved := abs(precise.LogOf(precise.Quo(x, y)))
						rising(moved, exactly(rat.Product(share, rat.Int(2), sum))).check(t, precise.Int(1), "N = %d, Δ = %s, counts "+
							"%d and %d, ε_0 + ε_1 = %s", n, rat.Show(offset), k, l, rat.Show(sum))
					}
				}
			}
		}
	}
}

func isWithin(ratio *big.Rat, most interval.Interval) bool {
	return exactly(rat.Max(ratio, new(big.Rat).Inv(ratio))).Upper.Cmp(most.Lower) <= 0
}

// shifts checks the shift of ν for R ≤ 3, and the densities at shifts that are as large as they may be.
func shifts(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("R = 3: e^ξ_i in {1/2, 1, 3}, Φ_i/Φ_i' in {1/2, 1, 2}; S in {1/5, 2}, ε_3 in {1/2, 3}, ξ_R and ν in {−3, " +
			"−1, 0, 1/3, 3}·S, shifts in {−1, −1/2, 0, 1} of the largest")
		for x := range finite.Tuples(rat.List("1/2", "1", "3"), 2) {
			for y := range finite.Tuples(rat.List("1/2", "1", "2"), 2) {
				t.Case()
				g, g2, most := new(big.Rat), new(big.Rat), rat.One
				for i := range x {
					g, g2 = rat.Max(g, rat.Mul(x[i], y[i])), rat.Max(g2, x[i])
					most = rat.Max(most, y[i], new(big.Rat).Inv(y[i]))
				}
				moved := abs(precise.Log(rat.Quo(g2, g)))
				rising(moved, precise.Mul(exactly(share), precise.Log(most))).check(t, precise.Int(1),
					"e^ξ are %s, Φ_i/Φ_i' are %s", rat.Show(x...), rat.Show(y...))
			}
		}
		places, moves := rat.List("-3", "-1", "0", "1/3", "3"), rat.List("-1", "-1/2", "0", "1")
		for _, s := range rat.List("1/5", "2") {
			for _, eps3 := range rat.List("1/2", "3") {
				for place := range finite.Tuples(places, 2) {
					for move := range finite.Tuples(moves, 2) {
						t.Case()
						xi, nu := rat.Mul(s, place[0]), rat.Mul(s, place[1])
						xi2, nu2 := rat.Add(xi, rat.Product(move[0], s, rat.Int(2))), rat.Add(nu, rat.Mul(move[1], s))
						rate := rat.Quo(eps3, s)
						gain := func(x, y, scale *big.Rat) *big.Rat { // ln of the ratio of densities
							return rat.Product(rate, scale, rat.Sub(new(big.Rat).Abs(y), new(big.Rat).Abs(x)))
						}
						sum := rat.Add(gain(xi, xi2, rat.Of("1/4")), gain(nu, nu2, rat.Half))
						if sum.Cmp(rat.Mul(share, eps3)) > 0 {
							t.Refute("S = %s, ε_3 = %s, (ξ_R, ν) = (%s), moved to (%s): the densities are a factor of e^%s apart",
								rat.Show(s), rat.Show(eps3), rat.Show(xi, nu), rat.Show(xi2, nu2), rat.Show(sum))
						}
						t.CloseTo(sum, eps3, "S = %s, ε_3 = %s", rat.Show(s), rat.Show(eps3))
					}
				}
			}
		}
	}
}

// noneReported checks the tail of ν ∼ Lap(2S/ε_3) at x and at x + S, the most that ln g may move.
func noneReported(t *register.T, share interval.Interval) {
	t.Domain("S in {1/5, 2}, ε_3 in {1/10, 3}, ln g − ln Φ_* in {−3, −1, 0, 2}·S")
	for _, s := range rat.List("1/5", "2") {
		for _, eps3 := range rat.List("1/10", "3") {
			rate := rat.Quo(eps3, rat.Twice(s))
			tail := func(x *big.Rat) interval.Interval { // Pr[ν > x]
				half := precise.Half(precise.ExpRat(new(big.Rat).Neg(rat.Mul(rate, new(big.Rat).Abs(x)))))
				if x.Sign() < 0 {
					return precise.Sub(precise.Int(1), half)
				}
				return half
			}
			for _, place := range rat.List("-3", "-1", "0", "2") {
				t.Case()
				x := rat.Mul(place, s)
				ratio := precise.Quo(tail(x), tail(rat.Add(x, s)))
				density := precise.ExpRat(rat.Mul(rat.Half, eps3)) // Lap(4S/ε_3) moved by 2S
				rising(ratio, density, precise.ExpRat(eps3)).check(t, share, "S = %s, ε_3 = %s, at %s", rat.Show(s),
					rat.Show(eps3), rat.Show(x))
			}
		}
	}
}

// rarePlaces goes through places of Theorem 4.4 with a p_*, or 1 − p_*, that is 1/2 or less: the least N times times, c
// = e^−ε_0·(β/(R + 1))^(6S/ε_3) for R = T, and Δ/N.
func rarePlaces(t *register.T, times *big.Rat, stars []*big.Rat, visit func(x *estimating, c, each interval.Interval)) {
	t.Domain("T = 2, (ε_0, ε_1, ε_3, δ, β) = (1/2, 1/10, 72/5, 1/2, 1/2), p_* in {%s}, R = T", rat.Show(stars...))
	for _, star := range stars {
		with := impl.SampledPercentile{PStar: star, Eps0: rat.Half, Eps1: rat.Of("1/10"), Eps3: rat.Of("72/5"),
			Delta: rat.Half, T: 2}
		least := impl.PercentileSamples(with, rat.Half)
		same := spec.SampledPercentile{PStar: rat.Float64(star), Eps0: 0.5, Eps1: 0.1, Eps3: 14.4, Delta: 0.5, T: 2}
		if literal := spec.PercentileSamples(same, 0.5); literal > rat.Float64(new(big.Rat).SetInt(least)) ||
			literal < rat.Float64(new(big.Rat).SetInt(least))-1 {
			t.Refute("p_* = %s: N is %v by impl, %g by spec", rat.Show(star), least, literal)
		}
		with.N = int(rat.Float64(rat.Mul(times, new(big.Rat).SetInt(least))))
		x := &estimating{SampledPercentile: with, beta: rat.Half, scale: rat.Quo(rat.Of("24/5"), with.Eps3)}
		x.offset = impl.CountOffset(with.Eps0, with.Eps1, rat.Quo(with.Delta, rat.Int(8)))
		if literal, fast := spec.SmoothedOdds(0.5, with.N, x.offset.Float().Hi), impl.SmoothedOdds(rat.Half, with.N,
			x.offset); !isNear(literal, fast) {
			t.Refute("%v: Φ(1/2) is %.9g by impl, %.9g by spec", x, fast.Upper, literal)
		}
		t.Case()
		visit(x, x.shift(2, -1), precise.Quo(x.offset, precise.Int(int64(with.N))))
	}
}

// leastFrom returns the p with Φ^(N,Δ)(p) = odds, where each = Δ/N: p + Δ/N = odds·(1 − p + Δ/N).
func leastFrom(odds, each interval.Interval) interval.Interval {
	one := precise.Int(1)
	return precise.Quo(precise.Sub(precise.Mul(odds, precise.Add(one, each)), each), precise.Add(one, odds))
}

// numberOf returns by how much N and a bound are multiplied; −1 stands for what is a little too much.
func numberOf(times int) (n, more *big.Rat) {
	if times < 0 {
		return rat.Of("3/2"), rat.Of("21/20")
	}
	return rat.Int(times), rat.One
}

// downTo checks the bound of p from below, with so many times N, and before it that Φ^(N,Δ)(p_*) ≥ 2p_*.
func downTo(withFirst bool, times int) register.Check {
	return func(t *register.T) {
		n, more := numberOf(times)
		rarePlaces(t, n, rat.List("1/100", "1/4", "1/2"), func(x *estimating, c, each interval.Interval) {
			star := impl.SmoothedOdds(x.PStar, x.N, x.offset)
			if withFirst {
				rising(exactly(rat.Twice(x.PStar)), star).check(t, precise.Int(1), "%v, Φ^(N,Δ)(p_*)", x)
			}
			bound := precise.Mul(precise.Half(c), exactly(rat.Mul(more, x.PStar)))
			rising(bound, leastFrom(precise.Mul(c, star), each)).check(t, precise.Int(1), "%v, the least p", x)
		})
	}
}

// upTo checks the bound of p from above: as printed, or the one that follows from downTo with p and 1 − p exchanged.
func upTo(isPrinted bool, times int) register.Check {
	return func(t *register.T) {
		n, more := numberOf(times)
		rarePlaces(t, n, rat.List("99/100", "3/4", "1/2"), func(x *estimating, c, each interval.Interval) {
			one, rest := precise.Int(1), exactly(rat.Complement(x.PStar))
			star := impl.SmoothedOdds(x.PStar, x.N, x.offset)
			largest := leastFrom(precise.Quo(star, c), each)
			bound := precise.Sub(one, precise.Mul(precise.Half(precise.Mul(exactly(more), c)), rest))
			if isPrinted {
				half := precise.Quo(one, precise.Mul(precise.Int(2), rest))
				rising(star, half).check(t, one, "%v, Φ^(N,Δ)(p_*)", x)
				bound = precise.Sub(one, precise.Quo(one, precise.Add(one, precise.Quo(half, c))))
			}
			rising(largest, bound).check(t, one, "%v, the largest p", x)
		})
	}
}

// goodEvent checks the conclusion with a share of δ.
func goodEvent(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("all laws of ([X ∈ A], [Y ∈ A], [𝒢]) with probabilities in multiples of 1/5 and Pr[𝒢] > 0, e^ε in {1, 2}")
		for law := range oracles(8, 5) {
			var x, y, good, xGood, yGood = new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)
			for i, p := range law {
				inX, inY, inG := i&1 > 0, i&2 > 0, i&4 > 0
				for _, s := range []struct {
					sum *big.Rat
					is  bool
				}{{x, inX}, {y, inY}, {good, inG}, {xGood, inX && inG}, {yGood, inY && inG}} {
					if s.is {
						s.sum.Add(s.sum, p)
					}
				}
			}
			if good.Sign() == 0 {
				continue
			}
			delta := rat.Mul(share, rat.Complement(good))
			for _, e := range rat.List("1", "2") {
				if xGood.Cmp(rat.Mul(e, yGood)) > 0 || yGood.Cmp(rat.Mul(e, xGood)) > 0 {
					continue
				}
				t.Case()
				most := rat.Add(rat.Mul(e, y), delta)
				if x.Cmp(most) > 0 || x.Cmp(rat.Quo(rat.Sub(y, delta), e)) < 0 {
					t.Refute("Pr[X ∈ A] = %s, Pr[Y ∈ A] = %s, Pr[𝒢] = %s, e^ε = %s, δ = %s", rat.Show(x), rat.Show(y), rat.Show(good),
						rat.Show(e), rat.Show(delta))
				}
				t.CloseTo(x, most, "Pr[X ∈ A] = %s, Pr[Y ∈ A] = %s, Pr[𝒢] = %s, e^ε = %s", rat.Show(x), rat.Show(y),
					rat.Show(good), rat.Show(e))
			}
		}
	}
}
