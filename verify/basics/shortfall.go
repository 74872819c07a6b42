package basics

import (
	"fmt"
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

// shortfall are the statements of Section 3.4 on how far below the largest the utility of the exponential mechanism is.
func shortfall() register.Checks {
	return register.Checks{
		"AFD-T3.11": checked(all(with(shortfalls, 1, 1, false), leastShortfall),
			near("19/20 of it", with(shortfalls, 19, 20, false))),
		"AFD-X8": checked(unlikely(4, 1, rat.One, -1),
			alsoHolds("C = 6: at most 1/|R|²", unlikely(6, 1, rat.One, -2)),
			alsoHolds("C = 2: at most 1/2", unlikely(2, 1, rat.Half, 0)),
			near("C = 39/10: at most 1/|R|", unlikely(39, 10, rat.One, -1)),
			near("C = 4: at most 19/20 of 1/|R|", unlikely(4, 1, nearly, -1))),
		"AFD-K3.12": checked(all(with(shortfalls, 1, 1, true), leastShortfall),
			near("19/20 of it", with(shortfalls, 19, 20, true))),
	}
}

// wholeAbove returns the smallest whole number that is at least p/q·(2Δu/ε)·ln x, where base is e^(ε/(2Δu)): the first
// d with base^(q·d) ≥ x^p.
func wholeAbove(base *big.Rat, p, q int, x *big.Rat) (d int) {
	step, goal := rat.Power(base, q), rat.Power(x, p)
	for far := rat.One; far.Cmp(goal) < 0; far = rat.Mul(far, step) {
		d++
	}
	return d
}

// isShortfall refutes that both rooms allow another number than that of which [wholeAbove] is the next, for p = q,
// times Δu: for e^ε = base² and all Δu. It returns that for Δu = 1.
func isShortfall(t *register.T, outputs, optimal int, beta, base *big.Rat) (allowed interval.Interval) {
	odds := rat.Float64(rat.Quo(big.NewRat(int64(outputs), int64(optimal)), beta))
	for _, sensitivity := range slices.Backward(sensitivities) {
		eps := loss.Exp(rat.Mul(base, base))
		fast := register.Must(impl.ExponentialShortfall(outputs, optimal, beta, sensitivity, eps))
		log, unit := math.Log(rat.Float64(base)), rat.Float64(sensitivity)
		literal := spec.ExponentialShortfall(outputs, optimal, rat.Float64(beta), unit, 2*log)
		isAbout(t, "the shortfall", fast, literal)
		want := unit * math.Log(odds) / log
		t.Require(math.Abs(literal-want) <= 1e-12*want, "Δu = %s: the shortfall is %.15g, by powers %.15g",
			sensitivity, literal, want)
		allowed = fast
	}
	return allowed
}

// isReached returns the probability of utilities that are so far below 0, or farther.
func isReached(law []*big.Rat, u []int, far int) *big.Rat {
	reached := new(big.Rat)
	for r, x := range u {
		if -x >= far {
			reached = rat.Add(reached, law[r])
		}
	}
	return reached
}

// allBelow returns utilities of which some are 0, and the others a distance below.
func allBelow(optimal, others, distance int) []int {
	return append(make([]int, optimal), slices.Repeat([]int{-distance}, others)...)
}

// eachShortfall goes through utilities 0, −1, …, of which some are best. The last β is that for which the theorem
// allows 12.
func eachShortfall(t *register.T, try func(utilities []int, optimal int, beta *big.Rat)) {
	distances := []int{1, 9, 12}
	if t.Size(0, 1) > 0 {
		distances = oneTo(12)
	}
	t.Domain("e^ε = 4, utilities in Δu, that is 1, and by impl also 1/4: 1 or 3 best outputs, and 0, 1, 3 or 29 "+
		"others %d below, β in {1, 1/2, 1/20, 1/1000} and |R|/(4096·|R_OPT|)", distances)
	finite.Each3([]int{1, 3}, []int{0, 1, 3, 29}, distances, func(optimal, others, distance int) {
		for _, beta := range append(rat.List("1", "1/2", "1/20", "1/1000"),
			big.NewRat(int64(optimal+others), int64(4096*optimal))) {
			t.At("%d best outputs, %d others %d below, β = %s", optimal, others, distance, beta)
			try(allBelow(optimal, others, distance), optimal, beta)
		}
	})
}

// shortfalls checks p/q of what the theorem allows, or of the corollary's.
func shortfalls(t *register.T, p, q int, corollary bool) {
	eachShortfall(t, func(u []int, optimal int, beta *big.Rat) {
		base := rat.Int(2)
		law := lawOf(t, base, u)
		if corollary {
			optimal = 1
		}
		allowed := isShortfall(t, len(u), optimal, beta, base)
		reached := isReached(law, u, wholeAbove(base, p, q, rat.Quo(big.NewRat(int64(len(u)), int64(optimal)), beta)))
		t.Require(reached.Cmp(beta) <= 0, "%d/%d of %.9g below the best, or farther, with the probability %s", p, q,
			allowed.Upper, reached)
		if beta.Cmp(rat.One) < 0 {
			t.CloseTo(reached, beta, "")
		}
	})
}

// leastShortfall checks the exact error: for given utilities by their law, and for the worst ones, which it is not
// below.
func leastShortfall(t *register.T) {
	eachShortfall(t, func(u []int, optimal int, beta *big.Rat) {
		likely := givenShortfall(t, u, beta)
		worst := register.Must(impl.ExactExponentialShortfall(len(u), optimal, beta, rat.One, loss.Exp(rat.Int(4))))
		distance := -u[len(u)-1]
		t.Require(worst.Lower.Sign() >= 0 && worst.RelWidth() <= 0x1p-60, "the shortfall is in [%.9g, %.9g]",
			worst.Lower, worst.Upper)
		t.Require(distance <= 0 || (rat.Exact(worst.Upper).Cmp(rat.Int(distance)) < 0) != (likely == distance),
			"the shortfall is %d by spec, for the worst utilities it is at most %.9g", likely, worst.Upper)
	})
	t.AlsoDomain("the shortfall of 0 and all lists of 3 utilities of 0, −1, −3, −8")
	for others := range finite.Tuples([]int{0, -1, -3, -8}, 3) {
		for _, beta := range rat.List("1/2", "1/5", "1/20", "1/1000") {
			t.At("utilities 0 and %v, β = %s", others, beta)
			givenShortfall(t, append([]int{0}, others...), beta)
		}
	}
}

// givenShortfall refutes that impl has another shortfall for given utilities, of which 0 is the largest, than the law
// of spec has: the largest distance that is reached or exceeded with a probability above β.
func givenShortfall(t *register.T, u []int, beta *big.Rat) (want int) {
	law, isTie := spec.ExponentialLaw(rat.Int(2), u), false
	for _, x := range u {
		isMore := isReached(law, u, -x).Cmp(beta)
		if isTie = isTie || x < 0 && isMore == 0; -x > want && isMore > 0 {
			want = -x
		}
	}
	given := register.Must(impl.ShortfallOf(rats(u...), byImpl(rat.Int(2), u, rat.One), beta))
	isOne := given.Lower.Cmp(given.Upper) == 0
	t.Require(given.Contains(rat.Int(want)) && (isOne || isTie), "the shortfall is in [%.9g, %.9g], and %d by spec",
		given.Lower, given.Upper, want)
	return want
}

// unlikely checks that the utility is C·(Δu/ε)·ln |R| below the largest, C = p/q, or farther, with a probability of at
// most factor·|R|^power: for all small utilities, and for those that are worst, all but one at the distance itself, or
// farther.
func unlikely(p, q int, factor *big.Rat, power int) register.Check {
	return func(t *register.T) {
		most := t.Size(2, 3)
		finite.Each(t, fmt.Sprintf("e^(ε/2) in {9/8, 2 | 3}, utilities in Δu, that is 1, and by impl also 1/4: "+
			"2 to %d outputs, the utilities 0, −1, −3 and −8 for all but one; 2, 16 and 64 outputs, "+
			"all but one at the distance, and 1 and 2 farther", most+1),
			func(at string, base *big.Rat) {
				try := func(u []int) {
					last, n := -u[len(u)-1], rat.Int(len(u))
					t.At("%s, %d outputs, utilities from 0 to %d", at, len(u), -last)
					reached := isReached(lawOf(t, base, u), u, wholeAbove(base, p, 2*q, n))
					isShortfall(t, len(u), 1, rat.Quo(rat.One, n), base) // C = 4
					bound := rat.Mul(factor, rat.Power(n, power))
					t.AtMost(reached, bound, "%d/%d·(Δu/ε)·ln |R| below the best, or farther, "+
						"with a probability of %.9g, claimed at most %.9g", p, q, reached, bound)
				}
				for others := range finite.Lists([]int{0, -1, -3, -8}, 1, most) {
					try(append([]int{0}, others...))
				}
				finite.Each2([]int{2, 16, 64}, []int{0, 1, 2}, func(n, more int) {
					try(allBelow(1, n-1, wholeAbove(base, p, 2*q, rat.Int(n))+more))
				})
			})
	}
}

// oneSidedLaw returns the law of one-sided noisy arg-max by both rooms, which have to agree.
func oneSidedLaw(t *register.T, base *big.Rat, u []int) []*big.Rat {
	literal, fast := spec.OneSidedLaw(base, u), impl.OneSidedLaw(base, u)
	t.Require(slices.EqualFunc(literal, fast, rat.Equal), "the law is %s by spec, %s by impl", literal, fast)
	return literal
}

// lawOfOneSided checks that the law of one-sided noisy arg-max is the claimed one.
func lawOfOneSided(t *register.T, claimed func(base *big.Rat, u []int) []*big.Rat) {
	finite.Each(t, "e^(ε/(2Δu)) in {3/2, 2, 3}, 1 to 4 outputs with utilities 0, 1, 2; the exponential mechanism by "+
		"impl for e^(ε/2) of these, and 0, 1, 2 times Δu for 1 and 1/4", func(at string, base *big.Rat) {
		for u := range finite.Lists([]int{0, 1, 2}, 1, 4) {
			t.At("%s, utilities %v", at, u)
			lawOf(t, base, u)
			law, want := oneSidedLaw(t, base, u), claimed(base, u)
			t.Require(slices.EqualFunc(law, want, rat.Equal), "the law is %s, claimed %s", law, want)
		}
	})
}

// permuteAndFlip takes a random output of those left and returns it with probability base^(u_r − OPT); if not, it is
// left out.
func permuteAndFlip(base *big.Rat, u []int) []*big.Rat {
	best, law := slices.Max(u), zeros(len(u))
	var from func(left []int, pr *big.Rat)
	from = func(left []int, pr *big.Rat) {
		for i, r := range left {
			each := rat.Quo(pr, rat.Int(len(left)))
			taken := rat.Mul(each, rat.Power(base, u[r]-best))
			law[r] = rat.Add(law[r], taken)
			if others := rat.Sub(each, taken); others.Sign() > 0 {
				from(slices.Delete(slices.Clone(left), i, i+1), others)
			}
		}
	}
	from(append([]int{0}, oneTo(len(u)-1)...), rat.One)
	return law
}

// lessLikely checks that Pr[A] is a factor times e^(−cε).
var lessLikely = on("c in {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, e^ε in {21/20, 2, 100}",
	func(t *register.T, factor *big.Rat, c int, base *big.Rat) {
		law, claimed := oneSidedLaw(t, base, []int{0, c}), rat.Mul(factor, rat.Power(base, -c))
		t.Require(rat.Equal(law[0], claimed), "Pr[A] is %s, claimed %s", law[0], claimed)
	})

// oneSidedIsDP checks the losses of one-sided noisy arg-max, for utilities that change by the moves: no output is more
// than share·base^power times as likely.
func oneSidedIsDP(t *register.T, share *big.Rat, power int, moves []int) {
	n := t.Size(3, 4)
	text := fmt.Sprintf("e^λ in {21/20, 2, 100}, 1 to %d utilities of 0, 1 or 9 that change by %v", n, moves)
	finite.Each(t, text, func(at string, base *big.Rat) {
		most := rat.Mul(share, rat.Power(base, power))
		law := known(func(u []int) []*big.Rat { return oneSidedLaw(t, base, u) })
		eachChange(finite.Lists([]int{0, 1, 9}, 1, n), moves, func(here, there []int) {
			t.At("%s, utilities %v and %v", at, here, there)
			first, second := law(here), law(there)
			for i := range here {
				t.In("output %d", i+1)
				x := rat.Max(rat.Quo(first[i], second[i]), rat.Quo(second[i], first[i]))
				t.AtMost(x, most, "it is %s times as likely, claimed at most %s", x, most)
			}
		})
	})
}
