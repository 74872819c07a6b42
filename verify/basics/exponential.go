package basics

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// exponential are statements of Section 3.4.
func exponential() register.Checks {
	rises := func(w []int) int { return max(w[0], w[1], w[2], w[3], 0) }
	changes := func(w []int) int { return max(rises(w), -min(w[0], w[1], w[2], w[3])) }
	sharper := func(x *big.Rat, u []int) []*big.Rat { return permuteAndFlip(rat.Mul(nearly, x), u) }
	up, both := []int{0, 1}, []int{-1, 0, 1}
	parts := func(c lossClaim) register.Check { return with(lossParts, c, both) }
	return register.Checks{
		"AFD-E3.5": checked(with(revenues, "3"),
			near("it is 4.01 at 1.00", with(revenues, "401/100")),
			corrected("it is 4.00 at 1.00", with(revenues, "4"))),
		"AFD-U3": checked(with(utilities, changes), near("it is the largest rise", with(utilities, rises))),
		"AFD-D3.4": checked(with(exponentialTwins, 1),
			near("to exp(1.05·ε·u(x,r)/(2Δu))", with(exponentialTwins, 1.05))),
		"AFD-X7": checked(with(rangeOfBids, false, false),
			control("for all neighbours", with(rangeOfBids, true, false)),
			near("it has no weight for the larger data set", with(rangeOfBids, false, true))),
		"AFD-T3.10": checked(parts(lossClaim{base: "2", loss: "4"}),
			near("it is (ε − ln(20/19), 0)-DP", parts(lossClaim{base: "2", loss: "19/5"}))),
		"AFD-E3.6": checked(bestOfTwo(rat.Int(2)), near("at most 19/20·e^(−cε/2)", bestOfTwo(nearly))),
		"AFD-U5": checked(with(monotonic, rat.One),
			near("at a price that rises by a twentieth", with(monotonic, "21/20"))),
		"AFD-U6": checked(with(argMaxTwins, 1, 2),
			control("ε/(2Δu) for all", with(argMaxTwins, 2, 2)),
			near("ε/(2.1·Δu) if u is not monotonic", with(argMaxTwins, 1, 2.1))),
		"AFD-X10": checked(
			all(lessLikely(rat.Half), with(oneSidedIsDP, rat.One, 1, up), with(oneSidedIsDP, rat.One, 2, both)),
			near("Pr[A] = 19/40·e^(−cε)", lessLikely(rat.Mul(nearly, rat.Half))),
			near("it is ln(19/20·e^ε)-DP", with(oneSidedIsDP, nearly, 1, up)),
			near("it is ln(19/20·e^2ε)-DP for a utility that is not monotonic", with(oneSidedIsDP, nearly, 2, both))),
		"AFD-T3.13": checked(with(lawOfOneSided, spec.ExponentialLaw),
			near("it is permute-and-flip with another base by a twentieth", with(lawOfOneSided, sharper)),
			corrected("it has the law of permute-and-flip", with(lawOfOneSided, permuteAndFlip))),
		"AFD-X6": checked(parts(lossClaim{base: "4", loss: "4"}),
			alsoHolds("the ratio of the weights is at most e^ε, and so is that of their sums",
				parts(lossClaim{base: "4", weights: "4", sums: "4"})),
			alsoHolds("the loss is at most 2ε", parts(lossClaim{base: "4", loss: "16"})),
			alsoHolds("where all utilities rise or stay, the loss is at most ε, both ways",
				with(lossParts, lossClaim{base: "4", loss: "4"}, up)),
			near("the loss is at most 2ε − ln(20/19)", parts(lossClaim{base: "4", loss: "76/5"})),
			near("with exp(ε·u(x,r)/(2Δu)), the ratio of the sums is at most 19/20·e^(ε/2)",
				parts(lossClaim{base: "2", sums: "19/10"})),
			near("with exp(ε·u(x,r)/(2Δu)), the ratio of the weights is at most 19/20·e^(ε/2)",
				parts(lossClaim{base: "2", weights: "19/10"})),
			corrected("with exp(ε·u(x,r)/(2Δu)) the ratios of the weights and of their sums are at most e^(ε/2) each, "+
				"and the loss is at most ε", parts(lossClaim{"2", "4", "2", "2"}))),
	}
}

// revenues checks the example, with what is earned at 1.00.
func revenues(t *register.T, atOne string) {
	bids := rat.List("1", "1", "1", "301/100")
	finite.Each(t, "the four prices of the example: (price, revenue) in {(301/100, 301/100), (3, 3), (1, "+atOne+"), "+
		"(302/100, 0)}", func(price, claimed *big.Rat) {
		areEqual(t, "it", spec.Revenue(bids, price), impl.Revenue(bids, price), claimed)
	})
}

// sensitivities are the Δu for which impl is compared with spec, which has e^(ε/(2Δu)) only: utilities are their
// multiples.
var sensitivities = rat.List("1", "1/4")

// lawOf returns the law for utilities u·Δu and e^ε = base², and refutes that impl has another one, for any Δu.
func lawOf(t *register.T, base *big.Rat, u []int) []*big.Rat {
	literal := spec.ExponentialLaw(base, u)
	for _, sensitivity := range sensitivities {
		for r, p := range byImpl(base, u, sensitivity) {
			t.Require(p.Contains(literal[r]), "base %s, utilities %v times Δu = %s: "+
				"Pr[%d] is %s by spec, [%g, %g] by impl", base, u, sensitivity, r, literal[r], p.Lower, p.Upper)
		}
	}
	return literal
}

func byImpl(base *big.Rat, u []int, sensitivity *big.Rat) []interval.Interval {
	var utilities []*big.Rat
	for _, x := range u {
		utilities = append(utilities, rat.Mul(rat.Int(x), sensitivity))
	}
	return register.Must(impl.ExponentialLaw(utilities, sensitivity, loss.Exp(rat.Mul(base, base))))
}

// utilities compares the sensitivities of a linear utility with what two weights for each of two outputs say.
func utilities(t *register.T, claimed func(w []int) int) {
	t.Domain("u(x,r) = w·x with weights in −2, …, 2, two types, two outputs, up to 1 record")
	for w := range finite.Tuples([]int{-2, -1, 0, 1, 2}, 4) {
		t.At("weights %v", w)
		u := func(x []int, r int) *big.Rat {
			t.Require(len(x) == 2, "a database of %d types", len(x))
			return rat.Int(w[r]*x[0] + w[2+r]*x[1])
		}
		areEqual(t, "Δu", spec.UtilitySensitivity(2, 1, 2, u), impl.UtilitySensitivity(2, 1, 2, u), rat.Int(claimed(w)))
	}
}

// exponentialTwins checks both programs against weights with so many times ε, and the laws of both rooms against each
// other. Of 300 outputs there are two to a block of impl.
func exponentialTwins(t *register.T, times float64) {
	most := t.Size(2, 3)
	t.Domain("1 to %d outputs with utilities of 0, 1 and 3 times Δu, (e^ε, Δu) in {(9/4, 1), (16, 1/4)}, "+
		"and 300 in turn; %d points, by impl with utilities larger by 2^20; the law by impl for Δu in {1, 1/4}", most, points)
	for i, base := range rat.List("3/2", "4") {
		for u := range finite.Lists([]int{0, 1, 3}, 1, most) {
			exponentialTwin(t, base, rat.Float64(sensitivities[i]), times, u)
		}
	}
	exponentialTwin(t, rat.Of("3/2"), 1, times, slices.Repeat([]int{0, 1, 3}, 100))
}

// points is how many are drawn.
const points = 4096

// exponentialTwin checks it for one list of utilities, as multiples of Δu.
func exponentialTwin(t *register.T, base *big.Rat, sensitivity, times float64, u []int) {
	t.At("utilities %v times Δu = %g, e^(ε/2) = %s", u, sensitivity, base)
	law := lawOf(t, base, u)
	var floats, far, weights []float64 // far from 0 the law is the same, and e^(εu/(2Δu)) is none of float64
	sum, eps := 0.0, 2*math.Log(rat.Float64(base))
	for _, x := range u {
		floats, weights = append(floats, sensitivity*float64(x)), append(weights, math.Exp(times*eps*float64(x)/2))
		far = append(far, 1<<20+sensitivity*float64(x))
		sum += weights[len(weights)-1]
	}
	drawn := [2][]float64{make([]float64, len(u)), make([]float64, len(u))}
	for i := range points {
		noise := tapes([]float64{-math.Log((float64(i) + 0.5) / points)})
		drawn[0][register.Must(spec.ExponentialMechanism(floats, sensitivity, eps, noise[0]))] += 1.0 / points
		drawn[1][register.Must(impl.ExponentialMechanism(far, sensitivity, eps, noise[1]))] += 1.0 / points
	}
	for r, w := range weights {
		want := w / sum
		isDrawn := math.Abs(drawn[0][r]-want) <= 1.0/points && math.Abs(drawn[1][r]-want) <= 1.0/points
		t.Require(isDrawn && math.Abs(rat.Float64(law[r])-want) <= 1e-12,
			"output %d has the probability %s, drawn %.6g and by impl %.6g, claimed %.6g",
			r, law[r], drawn[0][r], drawn[1][r], want)
	}
}

// rangeOfBids checks the laws over the prices that are bid, with one bid less.
func rangeOfBids(t *register.T, all, larger bool) {
	t.Domain("2 or 3 bids of 1, 2, 3, of which the last is taken away; e^(ε/(2Δu)) = 2")
	prices := func(bids []int) []*big.Rat {
		law := zeros(3)
		var inRange, revenue []int
		for p := 1; p <= 3; p++ {
			if slices.Contains(bids, p) {
				inRange = append(inRange, p)
				revenue = append(revenue, int(spec.Revenue(rats(bids...), rat.Int(p)).Num().Int64()))
			}
		}
		for i, pr := range spec.ExponentialLaw(rat.Int(2), revenue) {
			law[inRange[i]-1] = pr
		}
		return law
	}
	for bids := range finite.Lists([]int{1, 2, 3}, 2, 3) {
		t.At("bids %v", bids)
		rest, last := bids[:len(bids)-1], bids[len(bids)-1]
		if slices.Contains(rest, last) && !all {
			continue
		}
		here, there := prices(bids)[last-1], prices(rest)[last-1]
		if larger {
			here, there = there, here
		}
		t.Require(here.Sign() != 0 && there.Sign() <= 0,
			"the last price has the probability %s, without the last bid %s", here, there)
	}
}

// bestOfTwo checks Pr[A] against a factor times e^(−cε/2).
var bestOfTwo = on("c in {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, e^(ε/2) in {21/20, 2, 100}; "+
	"by impl also c/4 with Δu = 1/4",
	func(t *register.T, factor *big.Rat, c int, base *big.Rat) {
		law, most := lawOf(t, base, []int{0, c}), rat.Mul(factor, rat.Power(base, -c))
		t.AtMost(law[0], most, "Pr[A] = %s, claimed at most %s", law[0], most)
	})

// monotonic checks that a bid more never lowers the revenue, at a price that rises by a factor then.
func monotonic(t *register.T, factor *big.Rat) {
	t.Domain("up to 3 bids in {0, 1, 2, 5}, prices in {0, 1/2, 1, 2, 3}")
	for bids := range finite.Lists(rat.List("0", "1", "2", "5"), 1, 3) {
		for _, price := range rat.List("0", "1/2", "1", "2", "3") {
			t.At("bids %s, price %s", bids, price)
			after := rat.Mul(factor, price)
			before, then := spec.Revenue(bids[:len(bids)-1], price), spec.Revenue(bids, after)
			areEqual(t, "it", then, impl.Revenue(bids, after), then)
			t.Require(then.Cmp(before) >= 0, "%s without the last bid, %s with it", before, then)
		}
	}
}

// argMaxTwins checks both rooms against the procedure, with means of so many times Δu/ε.
func argMaxTwins(t *register.T, monotonic, other float64) {
	t.Domain("1000 tapes, up to 5 outputs, Δu in {1/4, 1, 3}, ε in {1/2, 1, 4}")
	t.Random(13, 1000, func(t *register.T, d register.Dice) {
		sensitivity, eps, isMonotonic := oneOf(d, 1, 0.25, 3), oneOf(d, 1, 0.5, 4), d.Roll(2) == 1
		mean, n := other*sensitivity/eps, 1+d.Roll(5)
		if isMonotonic {
			mean = monotonic * sensitivity / eps
		}
		u, draws, want := drawn(d, n, 3, 1), drawn(d, n, 8, 0.25), 0
		for r := range u {
			if u[r]+math.Abs(mean*draws[r]) > u[want]+math.Abs(mean*draws[want]) {
				want = r
			}
		}
		t.At("utilities %v, Δu = %g, ε = %g, monotonic %t, draws %v", u, sensitivity, eps, isMonotonic, draws)
		noise := tapes(draws)
		literal := register.Must(spec.OneSidedArgMax(u, sensitivity, eps, isMonotonic, noise[0]))
		fast := register.Must(impl.OneSidedArgMax(u, sensitivity, eps, isMonotonic, noise[1]))
		areSame(t, literal, fast, want, isSame)
	})
}

// lossClaim bounds, for weights base^u, e^(loss) and the two ratios that it is the product of. What is empty is not
// claimed.
type lossClaim struct{ base, loss, weights, sums string }

// lossParts checks it for utilities that change as given, and back, with e^ε = 4 and Δu = 1.
func lossParts(t *register.T, c lossClaim, moves []int) {
	t.Domain("e^ε = 4, Δu = 1, weights %s^u; two outputs with utilities 0 to 7, three with 0 to %d, that change by "+
		"%v, and back; the law by impl also for a quarter of Δu and of all utilities", c.base, t.Size(1, 2), moves)
	base := rat.Of(c.base)
	law := known(func(u []int) []*big.Rat { return lawOf(t, base, u) })
	for _, size := range []struct{ outputs, top int }{{2, 7}, {3, t.Size(1, 2)}} {
		eachChange(finite.Tuples(append([]int{0}, oneTo(size.top)...), size.outputs), moves, func(u, v []int) {
			c.try(t, u, v, law(u), law(v))
			c.try(t, v, u, law(v), law(u))
		})
	}
}

// try checks one pair of utilities.
func (c lossClaim) try(t *register.T, u, v []int, here, there []*big.Rat) {
	t.At("utilities %v and %v", u, v)
	for r := range u {
		whole, weights := rat.Quo(here[r], there[r]), rat.Power(rat.Of(c.base), u[r]-v[r])
		for _, part := range []struct {
			what, most string
			ratio      *big.Rat
		}{{"of the probabilities", c.loss, whole}, {"of the weights", c.weights, weights},
			{"of the sums", c.sums, rat.Quo(whole, weights)}} {
			if part.most != "" {
				t.In("output %d, the ratio %s", r, part.what)
				t.AtMost(part.ratio, rat.Of(part.most), "it is %s, claimed at most %s", part.ratio, part.most)
			}
		}
	}
}
