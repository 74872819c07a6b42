package selection

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

type claim = finite.Claim

// The words of which the entries are made: a claim is about the places of a grid, holds and is tight, or fails and is
// mended.
var (
	on, tight, mended  = finite.On, finite.Tight, finite.Mended
	checked, corrected = register.Checked, register.Corrected
	near, control      = register.NearMiss, register.Control
	alsoFails          = register.AlsoFails
	alsoHolds          = register.AlsoHolds
)

// with returns a claim for some arguments.
func with(c any, args ...any) claim { return on("", c)(args...) }

// places go through what a claim is about.
type places[X any] func(t *register.T, visit func(x X))

// at returns a claim about some places: the function takes T, the share, the place, and some arguments.
func at[X any](all places[X], c any, args ...any) claim {
	return func(t *register.T, share *big.Rat) {
		all(t, func(x X) { finite.With(c, append([]any{share, x}, args...)...)(t) })
	}
}

// step is that for a line of a proof.
func step(c claim, near string) []register.Part { return tight(c, near, near+" of the last") }

// formulaOfT is that for a formula that has T in it: with T − 1 it is wrong.
func formulaOfT(c func(args ...any) claim, formula any, says string) []register.Part {
	return tight(c(formula, 0), "19/20", says, control("with T − 1 for T", c(formula, -1).With("1")))
}

// rising refutes a line of which a side is above the next, and says how close the first comes to the last.
func rising(t *register.T, sides ...any) {
	ordered(t, false, sides...)
	if last := num(sides[len(sides)-1]); last.Lower.Sign() > 0 {
		t.Close(quo(sides[0], last).Float().Lo, "")
	}
}

// ordered refutes a line of which a side is above the next or, if they are to be equal, below it.
func ordered(t *register.T, isEqual bool, sides ...any) {
	for i := range len(sides) - 1 {
		x, y := num(sides[i]), num(sides[i+1])
		t.Require(x.Lower.Cmp(y.Upper) <= 0 && !(isEqual && x.Upper.Cmp(y.Lower) < 0),
			"sides %d and %d are %.9g and %.9g", i+1, i+2, x.Lower, y.Upper)
	}
}

// equal refutes a line of which two sides differ.
func equal(t *register.T, sides ...any) { ordered(t, true, sides...) }

// within refutes what is above a share of its bound, and says how close it comes.
func within(t *register.T, what string, x, share, bound *big.Rat) {
	most := rat.Mul(share, bound)
	t.Require(x.Cmp(most) <= 0, "%s is %s, claimed at most %s", what, x, most)
	t.CloseTo(x, bound, "")
}

// twins refutes a number of spec that is another one in impl, but for rounding.
func twins(t *register.T, what string, literal float64, fast any) {
	x := num(fast)
	y, _ := x.Upper.Float64()
	t.Require(math.Abs(literal-y) <= 1e-12*math.Max(1, math.Abs(y)), "%s is %.12g by spec, %.12g by impl",
		what, literal, x.Upper)
}

// same refutes a rational number of spec that is another one in impl, and returns it.
func same(t *register.T, what string, literal, fast *big.Rat) *big.Rat {
	t.Require(rat.Equal(literal, fast), "%s is %s by spec, %s by impl", what, literal, fast)
	return fast
}

// sameLaw refutes a law that is not what is claimed.
func sameLaw(t *register.T, law, claimed []*big.Rat) {
	for i := range claimed {
		t.Require(rat.Equal(law[i], claimed[i]), "output %d has the probability %s, claimed is %s",
			i+1, law[i], claimed[i])
	}
}

// areWithin reports whether two numbers are within a factor.
func areWithin(factor, x, y *big.Rat) bool {
	return x.Cmp(rat.Mul(factor, y)) <= 0 && y.Cmp(rat.Mul(factor, x)) <= 0
}

// lossOf returns the largest loss of laws in both orders, and of which output; it refutes one above a bound.
func lossOf(t *register.T, laws [2]samples, bound interval.Interval) (largest interval.Interval, output int) {
	largest = num(0)
	for i := range laws[0] {
		for b := range laws {
			p, q := laws[b][i], laws[1-b][i]
			if p.Sign() == 0 {
				continue
			}
			t.Require(q.Sign() > 0, "output %d has the probabilities %s and 0", i+1, p)
			x := ln(rat.Quo(p, q))
			t.Require(x.Lower.Cmp(bound.Upper) <= 0, "output %d loses %.9g, claimed at most %.9g",
				i+1, x.Lower, bound.Upper)
			if x.Lower.Cmp(largest.Lower) > 0 || output == 0 {
				largest, output = x, i+1
			}
		}
	}
	return largest, output
}

// losesAtMost refutes a loss above what is claimed, and says how close the largest comes.
func losesAtMost(t *register.T, laws [2]samples, claimed interval.Interval) {
	if x, output := lossOf(t, laws, claimed); claimed.Lower.Sign() > 0 {
		t.Close(quo(x, claimed).Float().Lo, "output %d", output)
	}
}

// neededDelta returns the least δ for which two laws are (ε, δ)-DP.
func neededDelta(expEps any, laws pair) interval.Interval {
	most := num(0)
	for b := range laws {
		sum := num(0)
		for i, p := range laws[b] {
			sum = add(sum, precise.Max0(sub(p, mul(expEps, laws[1-b][i]))))
		}
		most = interval.Max(most, sum)
	}
	return most
}

// needsAtMost refutes laws that need a larger δ than is claimed, and returns what they need.
func needsAtMost(t *register.T, laws [2]samples, expEps, claimed interval.Interval) interval.Interval {
	need := neededDelta(expEps, pair{nums(laws[0]), nums(laws[1])})
	t.Require(need.Lower.Cmp(claimed.Upper) <= 0, "δ is %.9g, claimed %.9g", need.Lower, claimed.Upper)
	return need
}

// Bounds are written as expressions of numbers of any kind: intervals, rational numbers, ints, and text such as "1/2".

func num(x any) interval.Interval {
	switch x := x.(type) {
	case interval.Interval:
		return x
	case *big.Rat:
		return precise.Rat(x)
	case int:
		return precise.Int(int64(x))
	case string:
		return precise.Rat(rat.Of(x))
	}
	panic(fmt.Sprintf("internal error: a %T is no number", x))
}

func add(x any, more ...any) interval.Interval {
	sum := num(x)
	for _, y := range more {
		sum = precise.Add(sum, num(y))
	}
	return sum
}

func mul(x any, more ...any) interval.Interval {
	product := num(x)
	for _, y := range more {
		product = precise.Mul(product, num(y))
	}
	return product
}

func sub(x, y any) interval.Interval { return precise.Sub(num(x), num(y)) }
func quo(x, y any) interval.Interval { return precise.Quo(num(x), num(y)) }
func neg(x any) interval.Interval    { return precise.Neg(num(x)) }
func root(x any) interval.Interval   { return precise.Sqrt(num(x)) }

func abs(x any) interval.Interval {
	return interval.Max(precise.Max0(num(x)), precise.Max0(neg(x)))
}

func exp(x any) interval.Interval {
	if r, isRat := x.(*big.Rat); isRat {
		return precise.ExpRat(r)
	}
	return precise.Exp(num(x))
}

func ln(x any) interval.Interval {
	if r, isRat := x.(*big.Rat); isRat {
		return precise.Log(r)
	}
	return precise.LogOf(num(x))
}

// power returns x^n.
func power(x any, n int) interval.Interval { return precise.Power(num(x), n) }

// nums returns numbers as intervals.
func nums(xs []*big.Rat) (all []interval.Interval) {
	for _, x := range xs {
		all = append(all, num(x))
	}
	return all
}

// whole returns a whole number as an int.
func whole(x *big.Rat) int { return int(x.Num().Int64()) }

// up returns the least whole number above x.
func up(x interval.Interval) int {
	n, _ := x.Upper.Int64()
	return int(n) + 1
}
