package basics

import (
	"math/big"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// response are the statements of Section 3.2.
func response() register.Checks {
	three, most := rat.Of("3"), rat.Of("3/4")
	return register.Checks{
		"AFD-U1": register.Checked(register.With(byCoins, func(truth, first, second bool) (yes bool, flips int) {
			if !first {
				return truth, 1
			}
			return second, 2
		}),
			register.Control("heads, the truth", register.With(byCoins, func(truth, first, second bool) (yes bool, flips int) {
				if first {
					return truth, 1
				}
				return second, 2
			})),
			register.NearMiss("there are always two coins", register.With(byCoins, func(truth, first, second bool) (yes bool,
				flips int) {
				return !first && truth || first && second, 2
			})),
		),
		"AFD-X1": register.Checked(register.With(forced, true),
			register.NearMiss("1/4 is the probability of a forced answer", register.With(forced, false)),
		),
		"AFD-C3.5": register.Checked(register.With2(responseIsDP, three, most),
			register.NearMiss("it is (ln(57/20), 0)-DP", register.With2(responseIsDP, rat.Mul(nearly, three), most)),
			register.NearMiss("the truth has the probability 2/3", register.With2(responseIsDP, three, rat.Of("2/3"))),
		),
	}
}

var responders = []struct {
	pkg     string
	program func(truth bool, heads func() bool) bool
}{{"spec", spec.RespondByCoins}, {"impl", impl.RespondByCoins}}

// respond runs a program on two coins, of which it may flip one only.
func respond(program func(bool, func() bool) bool, truth bool, coins []bool) (yes bool, flips int) {
	yes = program(truth, func() bool {
		flips++
		return coins[flips-1]
	})
	return yes, flips
}

// byCoins checks both rooms, coin by coin.
func byCoins(t *register.T, claimed func(truth, first, second bool) (yes bool, flips int)) {
	t.Domain("both truths, all coins")
	for _, r := range responders {
		for x := range finite.Tuples([]bool{false, true}, 3) {
			t.At("truth %t, heads %v", x[0], x[1:])
			yes, flips := respond(r.program, x[0], x[1:])
			want, most := claimed(x[0], x[1], x[2])
			t.Require(yes == want && flips == most, "%t after %d coins by %s, claimed %t after %d", yes, flips, r.pkg, want,
				most)
		}
	}
}

// forced checks that the coins with which the answer is the same for both truths, “Yes” or any, have the probability
// 1/4, as two heads have.
func forced(t *register.T, isYes bool) {
	t.Domain("all coins")
	claimed := rat.Of("1/4")
	for _, r := range responders {
		t.Case()
		pr, heads := new(big.Rat), new(big.Rat)
		for coins := range finite.Tuples([]bool{false, true}, 2) {
			yes, _ := respond(r.program, true, coins)
			no, _ := respond(r.program, false, coins)
			if yes == no && (yes || !isYes) {
				pr = rat.Add(pr, claimed)
			}
			if coins[0] && coins[1] {
				heads = rat.Add(heads, claimed)
			}
		}
		t.Require(rat.Equal(pr, claimed) && rat.Equal(heads, claimed), "by %s it has the probability %s, two heads have "+
			"%s, claimed is %s", r.pkg, pr, heads, claimed)
	}
}

// responseIsDP checks the ratios of the laws of both answers, and how likely the truth is.
func responseIsDP(t *register.T, expEps, truthful *big.Rat) {
	t.Domain("both truths, both answers")
	for _, r := range responders {
		pr := map[[2]bool]int64{} // of truth and answer, in quarters
		for x := range finite.Tuples([]bool{false, true}, 3) {
			yes, _ := respond(r.program, x[0], x[1:])
			pr[[2]bool{x[0], yes}]++
		}
		for _, answer := range []bool{false, true} {
			t.At("“Yes” is %t", answer)
			right, wrong := big.NewRat(pr[[2]bool{answer, answer}], 4), big.NewRat(pr[[2]bool{!answer, answer}], 4)
			ratio := rat.Quo(right, wrong)
			t.Require(ratio.Cmp(expEps) <= 0 && rat.Equal(right, truthful), "the probabilities are %s and %s by %s, claimed "+
				"are %s and a ratio of at most %s", right, wrong, r.pkg, truthful, expEps)
			t.CloseTo(ratio, expEps, "")
		}
	}
}
