package basics

import (
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// divergenceProofs are the steps of the proofs of Lemmas 3.17 and 3.18.
func divergenceProofs() register.Checks {
	more := rat.Of("21/20")
	return register.Checks{
		"AFD-L3.17.s1": checked(with(excessOfFirst, rat.One), near("at most 19/20·δ", with(excessOfFirst, nearly))),
		"AFD-L3.17.s2": checked(with(roomForExcess, rat.One),
			near("at least 21/20 of the last", with(roomForExcess, more))),
		"AFD-L3.17.s3": checked(with(firstIsClose, rat.One), near("at most 19/20·δ", with(firstIsClose, nearly))),
		"AFD-L3.17.s4": checked(with(shareOnS, rat.One), near("Y' = 19/20 of that", with(shareOnS, nearly))),
		"AFD-L3.17.s5": checked(with(movesOnS, rat.One, true),
			alsoFails("", "without the last “=”, as the text at hand has it", with(movesOnS, rat.One, false)),
			near("both are 19/20 of the quotient", with(movesOnS, nearly, true))),
		"AFD-L3.17.s6": checked(with(movesInAll, rat.One),
			near("at most 19/20·δ/(e^ε + 1)", with(movesInAll, nearly))),
		"AFD-L3.17.s7": checked(with(equalMoves, rat.One, false),
			near("D_∞(Y'‖Z') ≤ ε and Δ(Y,Y') = Δ(Z,Z') = 19/20·α", with(equalMoves, nearly, true)),
			corrected("D_∞(Y'‖Z') ≤ ε and Δ(Y,Y') = Δ(Z,Z') = α", with(equalMoves, rat.One, true))),
		"AFD-L3.17.s8": checked(with(unequalMoves, rat.One),
			near("the sum over all y is 21/10·β", with(unequalMoves, more))),
		"AFD-L3.17.s9": checked(with(bothAreClose, rat.One), near("at most 19/20·α", with(bothAreClose, nearly))),
		"AFD-L3.18.s1": checked(with(entropyOneWay, rat.One),
			near("D(Y‖Z) is at most half of the sum", with(entropyOneWay, rat.Half))),
		"AFD-L3.18.s2": checked(with(entropyBothWays, rat.One), near("19/20·ε for ε", with(entropyBothWays, nearly))),
		"AFD-L3.18.s3": checked(with(smallerOfBoth, rat.One),
			near("19/20·(e^ε − 1) for e^ε − 1", with(smallerOfBoth, nearly))),
	}
}

// laws are Y and Z, with e^ε.
type laws struct {
	y, z finite.Law
	e    *big.Rat
}

// eachLaws goes through small laws, and values of e^ε.
func eachLaws(t *register.T, visit func(x laws)) {
	n := t.Size(4, 6)
	t.Domain("all pairs of laws over up to 3 outputs with probabilities in 1/1, …, 1/%d, e^ε in {%s}", n, charges)
	for p := range finite.Pairs(3, n) {
		for _, e := range charges {
			t.At("%v, e^ε = %s", p, e)
			visit(laws{p[0], p[1], e})
		}
	}
}

// back are they with Y and Z exchanged.
func (x laws) back() laws { return laws{x.z, x.y, x.e} }

// on returns the outputs where Y > e^ε·Z: S, and S′ for the laws exchanged.
func (x laws) on() []string {
	return slices.DeleteFunc(finite.Pair{x.y, x.z}.Outputs(), func(o string) bool {
		return x.y.Pr(o).Cmp(rat.Mul(x.e, x.z.Pr(o))) <= 0
	})
}

// delta returns the least δ ≥ 0 with D_∞^δ(Y‖Z) ≤ ε, by the divergence and by the definition of DP.
func (x laws) delta(t *register.T) *big.Rat {
	delta := register.Must(spec.SmallestDPDelta(x.y, x.z, x.e))
	d := spec.ExpApproximateMaxDivergence(x.y, x.z, delta)
	t.Require(d != nil && d.Cmp(x.e) <= 0, "D_∞^δ is %s at δ = %s", shownLog(d), delta)
	return delta
}

// most returns the least δ for both directions.
func (x laws) most(t *register.T) *big.Rat { return rat.Max(x.delta(t), x.back().delta(t)) }

// sumOver adds up of over outputs.
func sumOver(outputs []string, of func(o string) *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, o := range outputs {
		sum.Add(sum, of(o))
	}
	return sum
}

// excess returns Σ_{y∈S} (Y − e^ε·Z).
func (x laws) excess() *big.Rat {
	return sumOver(x.on(), func(o string) *big.Rat { return rat.Sub(x.y.Pr(o), rat.Mul(x.e, x.z.Pr(o))) })
}

// areAll refutes that some numbers are the last of them.
func areAll(t *register.T, what string, numbers ...*big.Rat) {
	last := numbers[len(numbers)-1]
	for _, x := range numbers {
		t.Require(rat.Equal(x, last), "%s: %s and %s", what, x, last)
	}
}

func excessOfFirst(t *register.T, share *big.Rat) {
	eachLaws(t, func(x laws) {
		apart := rat.Sub(sumOver(x.on(), x.y.Pr), rat.Mul(x.e, sumOver(x.on(), x.z.Pr)))
		areAll(t, "the sum, and the difference of probabilities", x.excess(), apart)
		bound := rat.Mul(share, x.delta(t))
		t.AtMost(apart, bound, "%s, claimed at most %s", apart, bound)
	})
}

func roomForExcess(t *register.T, more *big.Rat) {
	eachLaws(t, func(x laws) {
		var below, rest []string // T, and what is not in it
		for _, o := range (finite.Pair{x.y, x.z}).Outputs() {
			if x.y.Pr(o).Cmp(x.z.Pr(o)) < 0 {
				below = append(below, o)
			} else {
				rest = append(rest, o)
			}
		}
		gain := func(o string) *big.Rat { return rat.Sub(x.y.Pr(o), x.z.Pr(o)) }
		onT := sumOver(below, func(o string) *big.Rat { return rat.Sub(x.z.Pr(o), x.y.Pr(o)) })
		areAll(t, "the sums over T and over the rest", onT, sumOver(rest, gain))
		onS, last := sumOver(x.on(), gain), rat.Mul(more, x.excess())
		t.AtMost(onS, onT, "over S %s, over the rest of T %s", onS, onT)
		t.AtMost(last, onS, "the last sum is %s, the one before %s", last, onS)
	})
}

func firstIsClose(t *register.T, share *big.Rat) {
	eachLaws(t, func(x laws) {
		near, s := finite.Law(spec.CloseToFirst(x.y, x.z, x.e)), x.on()
		for _, o := range (finite.Pair{x.y, x.z}).Outputs() {
			y, z, got := x.y.Pr(o), x.z.Pr(o), near.Pr(o)
			isRight := rat.Equal(got, y) && y.Cmp(rat.Mul(x.e, z)) <= 0
			switch {
			case slices.Contains(s, o):
				isRight = rat.Equal(got, rat.Mul(x.e, z)) && got.Cmp(y) < 0
			case y.Cmp(z) < 0:
				isRight = y.Cmp(got) <= 0 && got.Cmp(z) <= 0
			}
			t.Require(isRight && isLaw(near), "Pr[Y' = %s] is %s, of Y it is %s, of Z %s", o, got, y, z)
		}
		distance := spec.StatisticalDistance(x.y, near)
		areAll(t, "Δ(Y,Y'), and by the probabilities of S", distance,
			rat.Sub(sumOver(s, x.y.Pr), sumOver(s, near.Pr)), rat.Sub(sumOver(s, x.y.Pr), rat.Mul(x.e, sumOver(s, x.z.Pr))))
		bound := rat.Mul(share, x.delta(t))
		t.AtMost(distance, bound, "Δ(Y,Y') is %s, claimed at most %s", distance, bound)
	})
}

// close returns Y′ and Z′ of the proof of part 2.
func (x laws) close() (y, z finite.Law) {
	closeY, closeZ := spec.CloseToBoth(x.y, x.z, x.e)
	return closeY, closeZ
}

// before returns them before β is moved: on S and S′ they share Y + Z in the ratios e^ε : 1 and 1 : e^ε.
func (x laws) before() (y, z finite.Law) {
	y, z = finite.Law{}, finite.Law{}
	small, above, below := rat.Quo(rat.One, rat.Add(rat.One, x.e)), x.on(), x.back().on()
	for _, o := range (finite.Pair{x.y, x.z}).Outputs() {
		y[o], z[o] = x.y.Pr(o), x.z.Pr(o)
		both := rat.Add(y[o], z[o])
		if slices.Contains(above, o) {
			y[o], z[o] = rat.Mul(rat.Complement(small), both), rat.Mul(small, both)
		} else if slices.Contains(below, o) {
			y[o], z[o] = rat.Mul(small, both), rat.Mul(rat.Complement(small), both)
		}
	}
	return y, z
}

// eachLarger goes through the laws with α ≥ α′, of which print speaks, where nothing is moved on S.
func eachLarger(t *register.T, visit func(x laws)) {
	eachLaws(t, func(x laws) {
		if x.moves().Cmp(x.back().moves()) >= 0 {
			visit(x)
		}
	})
}

func shareOnS(t *register.T, factor *big.Rat) {
	eachLarger(t, func(x laws) {
		y, z := x.close()
		for _, o := range x.on() {
			both := rat.Mul(rat.Quo(x.e, rat.Add(rat.One, x.e)), rat.Add(x.y.Pr(o), x.z.Pr(o)))
			areAll(t, "Y', e^ε·Z' and the part of the sum at "+o,
				y.Pr(o), rat.Mul(x.e, z.Pr(o)), rat.Mul(factor, both))
			t.Require(rat.Mul(x.e, x.z.Pr(o)).Cmp(both) <= 0 && both.Cmp(x.y.Pr(o)) <= 0, "%s at %s", both, o)
		}
	})
}

// movesOnS checks the display for y in S: with the sign that is lost, or a product.
func movesOnS(t *register.T, factor *big.Rat, isSigned bool) {
	eachLarger(t, func(x laws) {
		y, z := x.close()
		for _, o := range x.on() {
			left, right := rat.Sub(x.y.Pr(o), y.Pr(o)), rat.Sub(z.Pr(o), x.z.Pr(o))
			part := rat.Quo(rat.Sub(x.y.Pr(o), rat.Mul(x.e, x.z.Pr(o))), rat.Add(rat.One, x.e))
			part = rat.Mul(factor, part)
			if isSigned {
				areAll(t, "the sides at "+o, left, right, part)
				continue
			}
			product := rat.Sub(z.Pr(o), rat.Mul(x.z.Pr(o), part))
			t.Require(rat.Equal(left, product), "at %s the left side is %s, the right one %s", o, left, product)
		}
	})
}

// moves returns α, or α′ for the laws exchanged, by Y and Y′.
func (x laws) moves() *big.Rat {
	y, _ := x.before()
	return sumOver(x.on(), func(o string) *big.Rat { return rat.Sub(x.y.Pr(o), y.Pr(o)) })
}

func movesInAll(t *register.T, share *big.Rat) {
	eachLaws(t, func(x laws) {
		bound := rat.Quo(rat.Mul(share, x.most(t)), rat.Add(rat.One, x.e))
		for i, at := range []laws{x, x.back()} {
			_, z := at.before()
			if at.moves().Cmp(at.back().moves()) >= 0 {
				_, z = at.close()
			}
			alpha := at.moves()
			areAll(t, "α by Y and Y', by Z and Z', and by the probabilities of S", alpha,
				sumOver(at.on(), func(o string) *big.Rat { return rat.Sub(z.Pr(o), at.z.Pr(o)) }),
				rat.Quo(at.excess(), rat.Add(rat.One, at.e)))
			t.In("direction %d", i+1)
			t.AtMost(alpha, bound, "α is %s, claimed at most %s", alpha, bound)
		}
	})
}

// equalMoves checks the case α = α′, for Y and Z as printed or for Y′ and Z′.
func equalMoves(t *register.T, share *big.Rat, isPrimed bool) {
	eachLaws(t, func(x laws) {
		alpha, y, z := x.moves(), x.y, x.z
		if !rat.Equal(alpha, x.back().moves()) {
			return
		}
		closeY, closeZ := x.close()
		if isPrimed {
			y, z = closeY, closeZ
		}
		d := impl.ExpMaxDivergence(finite.Pair{y, z}.Dense())
		t.Require(d != nil && d.Cmp(x.e) <= 0, "α = α' = %s, and the divergence is %s", alpha, shownLog(d))
		areAll(t, "Δ(Y,Y'), Δ(Z,Z') and α", spec.StatisticalDistance(x.y, closeY),
			spec.StatisticalDistance(x.z, closeZ), rat.Mul(share, alpha))
	})
}

// unequalMoves checks the case α > α′, for Y′ and Z′ before β is moved.
func unequalMoves(t *register.T, more *big.Rat) {
	eachLaws(t, func(x laws) {
		beta := rat.Sub(x.moves(), x.back().moves())
		if beta.Sign() <= 0 {
			return
		}
		y, z := x.before()
		closeY, closeZ := x.close()
		areAll(t, "Σ Pr[Y'=y] and 1 − β", y.Mass(), rat.Complement(beta))
		areAll(t, "Σ Pr[Z'=y] and 1 + β", z.Mass(), rat.Add(rat.One, beta))
		room := sumOver(y.Outputs(), func(o string) *big.Rat { return rat.Positive(rat.Sub(z[o], y[o])) })
		whole := rat.Sub(z.Mass(), y.Mass())
		areAll(t, "Σ_y (Pr[Z'=y] − Pr[Y'=y])", whole, rat.Mul(more, rat.Twice(beta)))
		t.AtMost(whole, room, "the sum over R is %s, claimed at least %s", room, whole)
		t.Require(isLaw(closeY) && isLaw(closeZ), "Y' or Z' is no law")
	})
}

func bothAreClose(t *register.T, share *big.Rat) {
	eachLaws(t, func(x laws) {
		y, z := x.close()
		t.Require(isLaw(y) && isLaw(z) && hasLoss(y, z, x.e) && hasLoss(z, y, x.e), "Y' = %v, Z' = %v", y, z)
		bound := rat.Mul(share, rat.Max(x.moves(), x.back().moves()))
		apart := rat.Max(spec.StatisticalDistance(x.y, y), spec.StatisticalDistance(x.z, z))
		t.AtMost(apart, bound, "the larger distance is %s, claimed at most %s", apart, bound)
	})
}

// finiteLoss goes through the pairs with D_∞ finite both ways, and not equal, and the larger as e^ε.
func finiteLoss(t *register.T, visit func(y, z []*big.Rat, e *big.Rat)) {
	everyPair(t, func(_ finite.Pair, y, z []*big.Rat) {
		forth, back := impl.ExpMaxDivergence(y, z), impl.ExpMaxDivergence(z, y)
		if forth != nil && back != nil && !rat.Equal(forth, rat.One) {
			visit(y, z, rat.Max(forth, back))
		}
	})
}

func entropyOneWay(t *register.T, share *big.Rat) {
	finiteLoss(t, func(y, z []*big.Rat, _ *big.Rat) {
		d, _ := impl.ExpectedLoss(y, z)
		back, _ := impl.ExpectedLoss(z, y)
		isBelow(t, "D(Y‖Z)", d, times(precise.Add(d, back), share))
	})
}

// entropyBothWays checks D(Y‖Z) + D(Z‖Y) = Σ (Z − Y)·ln(Z/Y) ≤ share·ε·Σ |Z − Y|, and that the last sum is that of the
// larger less the smaller.
func entropyBothWays(t *register.T, share *big.Rat) {
	finiteLoss(t, func(y, z []*big.Rat, e *big.Rat) {
		d, _ := impl.ExpectedLoss(y, z)
		back, _ := impl.ExpectedLoss(z, y)
		both, sum, apart, larger := precise.Add(d, back), precise.Int(0), new(big.Rat), new(big.Rat)
		for o := range y {
			if y[o].Sign() == 0 {
				continue
			}
			more := rat.Sub(z[o], y[o])
			sum = precise.Add(sum, times(precise.Log(rat.Quo(z[o], y[o])), more))
			apart.Add(apart, new(big.Rat).Abs(more))
			larger.Add(larger, rat.Sub(rat.Max(y[o], z[o]), rat.Min(y[o], z[o])))
		}
		t.Require(rat.Meet(both, sum), "D(Y‖Z) + D(Z‖Y) is %.12g, the sum %.12g", both.Lower, sum.Lower)
		areAll(t, "Σ |Z − Y|, and of the larger less the smaller", apart, larger)
		isBelow(t, "the sum", sum, times(precise.Log(e), rat.Mul(share, apart)))
	})
}

// smallerOfBoth checks Σ (max − min) ≤ share·Σ (e^ε − 1)·min ≤ e^ε − 1, from which ε is left out.
func smallerOfBoth(t *register.T, share *big.Rat) {
	finiteLoss(t, func(y, z []*big.Rat, e *big.Rat) {
		apart, smaller, rise := new(big.Rat), new(big.Rat), rat.Sub(e, rat.One)
		for o := range y {
			smaller.Add(smaller, rat.Min(y[o], z[o]))
			apart.Add(apart, rat.Sub(rat.Max(y[o], z[o]), rat.Min(y[o], z[o])))
		}
		second := rat.Product(share, rise, smaller)
		t.AtMost(apart, second, "the first sum is %s, the second %s", apart, second)
		t.AtMost(second, rise, "the second sum is %s, and e^ε − 1 %s", second, rise)
	})
}
