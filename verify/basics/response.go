package basics

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// response are the statements of Section 3.2, and what Section 3.5 says of the same question again.
func response() register.Checks {
	three, most := rat.Of("3"), rat.Of("3/4")
	truthOn := func(heads bool) answering {
		return func(truth, first, second bool) (yes bool, flips int) {
			if first == heads {
				return truth, 1
			}
			return second, 2
		}
	}
	alwaysTwo := func(truth, first, second bool) (bool, int) { return !first && truth || first && second, 2 }
	return register.Checks{
		"AFD-U1": checked(with(byCoins, truthOn(false)),
			control("heads, the truth", with(byCoins, truthOn(true))),
			near("there are always two coins", with(byCoins, alwaysTwo))),
		"AFD-X1": checked(with(forced, true), near("1/4 is the probability of a forced answer", with(forced, false))),
		"AFD-C3.5": checked(with(responseIsDP, three, most),
			near("it is (ln(57/20), 0)-DP", with(responseIsDP, rat.Mul(nearly, three), most)),
			near("the truth has the probability 2/3", with(responseIsDP, three, "2/3"))),
		"AFD-X11": checked(all(average(1, rat.One), chebyshev()),
			alsoFails("", "if the answers are together ε-DP", average(0, rat.One)),
			alsoHolds("n answers are together (nε, 0)-DP", answersLose(rat.One)),
			near("the mean square error is at most 19/20 of 2/(nε²)", average(1, nearly)),
			near("n answers are together (19/20·nε, 0)-DP", answersLose(nearly))),
	}
}

// answering is what is answered after how many coins.
type answering = func(truth, first, second bool) (yes bool, flips int)

var responders = []struct {
	pkg     string
	program func(truth bool, heads func() bool) bool
}{{"spec", spec.RespondByCoins}, {"impl", impl.RespondByCoins}}

// eachAnswer runs both rooms for both truths on two coins, of which they may flip one only.
func eachAnswer(t *register.T, visit func(pkg string, x []bool, yes bool, flips int)) {
	t.Domain("both truths, all coins")
	for _, r := range responders {
		for x := range finite.Tuples([]bool{false, true}, 3) {
			flips := 0
			yes := r.program(x[0], func() bool {
				flips++
				return x[flips]
			})
			t.At("by %s, truth %t, heads %v", r.pkg, x[0], x[1:])
			visit(r.pkg, x, yes, flips)
		}
	}
}

// byCoins checks both rooms, coin by coin.
func byCoins(t *register.T, claimed answering) {
	eachAnswer(t, func(_ string, x []bool, yes bool, flips int) {
		want, most := claimed(x[0], x[1], x[2])
		t.Require(yes == want && flips == most, "%t after %d coins, claimed %t after %d", yes, flips, want, most)
	})
}

// forced checks that the coins with which the answer is the same for both truths, “Yes” or any, have the probability
// 1/4, as two heads have.
func forced(t *register.T, isYes bool) {
	answers := map[string]map[bool][]bool{"spec": {}, "impl": {}} // in the order of the coins
	eachAnswer(t, func(pkg string, x []bool, yes bool, _ int) {
		answers[pkg][x[0]] = append(answers[pkg][x[0]], yes)
	})
	for _, r := range responders {
		same, by := 0, answers[r.pkg]
		for i, yes := range by[true] {
			if yes == by[false][i] && (yes || !isYes) {
				same++
			}
		}
		t.Require(same == 1, "by %s %d of 4 answers are forced, claimed is 1, as two heads are", r.pkg, same)
	}
}

// responseIsDP checks the ratios of the laws of both answers, and how likely the truth is.
func responseIsDP(t *register.T, expEps, truthful *big.Rat) {
	pr := map[string]map[[2]bool]int64{"spec": {}, "impl": {}} // of truth and answer, in quarters
	eachAnswer(t, func(pkg string, x []bool, yes bool, _ int) { pr[pkg][[2]bool{x[0], yes}]++ })
	for _, r := range responders {
		for _, answer := range []bool{false, true} {
			t.At("by %s, “Yes” is %t", r.pkg, answer)
			right := big.NewRat(pr[r.pkg][[2]bool{answer, answer}], 4)
			wrong := big.NewRat(pr[r.pkg][[2]bool{!answer, answer}], 4)
			t.Require(rat.Equal(right, truthful), "the truth has the probability %s, claimed is %s", right, truthful)
			ratio := rat.Quo(right, wrong)
			t.AtMost(ratio, expEps, "the ratio of the probabilities is %s, claimed at most %s", ratio, expEps)
		}
	}
}

// gammas returns the probabilities w_1, …, w_n with which the sum of n independent Lap(1) is positive, and then the sum
// of j exponential variables, j = 1, …, n. Lap(1) is the difference of two of these, so that the sum is one of n
// arrivals in one stream less that of n in another, in which those of either are equally likely to be the next: j are
// left in the first stream when the second has had its n.
func gammas(n int) (w []*big.Rat) {
	for j := 1; j <= n; j++ {
		ways, all := new(big.Int).Binomial(int64(2*n-1-j), int64(n-j)), new(big.Int).Lsh(big.NewInt(1), uint(2*n-j))
		w = append(w, new(big.Rat).SetFrac(ways, all))
	}
	return w
}

// sumIsFar returns the probability that the sum of n independent Lap(1) is s or more in size, s ≥ 0: twice that of
// e^(−s)·Σ_j w_j·Σ_{i<j} s^i/i!.
func sumIsFar(n int, s *big.Rat) interval.Interval {
	sum, term, left := precise.Int(0), precise.Int(1), rat.Half
	for i, w := range gammas(n) {
		sum = precise.Add(sum, times(term, left))
		term = times(term, rat.Quo(s, rat.Int(i+1)))
		left = rat.Sub(left, w)
	}
	return precise.Mul(precise.ExpRat(minus(s)), precise.Add(sum, sum))
}

// average checks by the law that the mean square error of n answers is at most a share of 2/(nε²), where each of them
// is n^(power − 1)·ε-DP, and what both rooms answer.
var average = on("n in {1, 2, 3, 10, 40}, ε in {1/2, 1, 4}",
	func(t *register.T, power int, share *big.Rat, n int, eps *big.Rat) {
		each := rat.Quo(rat.Mul(eps, rat.Power(rat.Int(n), power)), rat.Int(n))
		b := laplaceScale(rat.One, each)
		answersAverage(t, n, each, b)
		square := new(big.Rat) // of the sum, for b = 1
		for i, w := range gammas(n) {
			square.Add(square, rat.Product(rat.Twice(w), rat.Int(i+1), rat.Int(i+2)))
		}
		square = rat.Product(square, b, b, big.NewRat(1, int64(n*n)))
		bound := rat.Quo(rat.Twice(share), rat.Product(rat.Int(n), eps, eps))
		t.AtMost(square, bound, "the mean square error is %s, claimed at most %s", square, bound)
	})

// answersAverage refutes that the average of n answers is off by that of n draws, times b.
func answersAverage(t *register.T, n int, eps, b *big.Rat) {
	noise := tapes([]float64{1, -0.5, 2, -0.25, 0})
	var literal, fast, want float64
	for i := range n {
		x := register.Must(spec.LaplaceMechanism([]float64{3}, 1, rat.Float64(eps), noise[0]))
		y := register.Must(impl.LaplaceMechanism([]float64{3}, 1, rat.Float64(eps), noise[1]))
		literal, fast, want = literal+x[0], fast+y[0], want+3+rat.Float64(b)*noise[0].Draws[i%5]
	}
	most := 1e-12 * float64(n) * (3 + rat.Float64(b))
	t.Require(math.Abs(literal-want) <= most && math.Abs(fast-want) <= most,
		"to what is 3, they sum to %.15g by spec, %.15g by impl, with these draws %.15g", literal, fast, want)
}

// chebyshev checks that the average is off by a or more with a probability of at most 2/(nε²a²).
var chebyshev = on("off by a or more: n in {1, 2, 10, 100}, aε in {1/4, 1, 2}", func(t *register.T, n int, a *big.Rat) {
	far, bound := sumIsFar(n, rat.Mul(rat.Int(n), a)), rat.Quo(rat.Int(2), rat.Product(rat.Int(n), a, a))
	t.Require(!rat.IsAbove(far, bound), "with a probability of at least %.9g, claimed at most %s", far.Lower, bound)
})

// answersLose checks that n answers together lose at most a share of nε.
var answersLose = on("n in {1, 2, 3}, ε in {1/2, 1, 4}, what is asked for is 0 and 1, answers in −2, …, 3",
	func(t *register.T, share *big.Rat, at string, n int, eps *big.Rat) {
		losses := lossesOfCounts(t, laplaceScale(rat.One, eps), 5)
		for z := range finite.Tuples([]int{-2, -1, 0, 1, 2, 3}, n) {
			t.At("%s, answers %v", at, z)
			losesAtMost(t, lossAt(z, make([]int, n), slices.Repeat([]int{1}, n), losses),
				rat.Product(share, rat.Int(n), eps))
		}
	})
