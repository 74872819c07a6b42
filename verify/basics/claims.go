package basics

import (
	"fmt"
	"iter"
	"math"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// The words of which the entries are made.
var (
	with, on                = finite.With, finite.Over
	checked, corrected, all = register.Checked, register.Corrected, register.All
	near, control           = register.NearMiss, register.Control
	alsoHolds, alsoFails    = register.AlsoHolds, register.AlsoFails
)

// isAbout refutes that the rooms agree on a number, but for rounding.
func isAbout(t *register.T, what string, fast interval.Interval, literal float64) {
	isWithin(t, what, fast, literal, 1e-12)
}

func isWithin(t *register.T, what string, fast interval.Interval, literal, width float64) {
	x := fast.Float().Hi
	t.Require(math.Abs(x-literal) <= width*math.Abs(x)+1e-300, "%s is %.15g by spec, %.15g by impl", what, literal, x)
}

// areEqual refutes that a rational number is in both rooms what is claimed.
func areEqual(t *register.T, what string, literal, fast, claimed *big.Rat) {
	t.Require(rat.Equal(literal, claimed) && rat.Equal(fast, claimed), "%s is %s by spec, %s by impl, claimed is %s",
		what, literal, fast, claimed)
}

// areSame refutes that programs of both rooms return what is claimed.
func areSame[X any](t *register.T, literal, fast, claimed X, isSame func(x, y X) bool) {
	t.Require(isSame(literal, claimed) && isSame(fast, claimed), "%v by spec, %v by impl, claimed is %v",
		literal, fast, claimed)
}

func isSame[X comparable](x, y X) bool { return x == y }

// isBelow refutes that all of a number is above its bound, and tells how close it comes.
func isBelow(t *register.T, what string, x, bound interval.Interval) {
	t.Require(x.Lower.Cmp(bound.Upper) <= 0, "%s is %.9g, claimed at most %.9g", what, x.Lower, bound.Upper)
	t.Close(rounded(x.Float().Lo/bound.Float().Hi), "")
}

// losesAtMost refutes that a loss is at most a bound, and tells how close it comes.
func losesAtMost(t *register.T, l interval.Float, bound *big.Rat) {
	t.Require(l.Lo <= rat.Float64(bound), "the loss is at least %.9g, claimed at most %.9g", l.Lo, bound)
	t.Close(rounded(l.Lo/rat.Float64(bound)), "")
}

// rounded returns a ratio to 9 digits, in which equal cases do not differ.
func rounded(ratio float64) float64 { return math.Round(ratio*1e9) / 1e9 }

// drawn returns n random multiples of a step, up to so many of them in size.
func drawn(d register.Dice, n, most int, step float64) (xs []float64) {
	for range n {
		xs = append(xs, float64(d.Roll(2*most+1)-most)*step)
	}
	return xs
}

// oneOf returns one of some numbers.
func oneOf(d register.Dice, xs ...float64) float64 { return xs[d.Roll(len(xs))] }

// tapes are two of the same draws, one for each room.
func tapes(draws []float64) [2]*finite.Tape { return [2]*finite.Tape{{Draws: draws}, {Draws: draws}} }

// scaleOf returns the scale of the noise that a program of spec asks for first.
func scaleOf(run func(tape *finite.Tape)) *big.Rat {
	tape := &finite.Tape{Draws: []float64{0}}
	run(tape)
	return new(big.Rat).SetFloat64(tape.Scales[0])
}

// precise is the arithmetic of bounds that are no ratios.
const precise = interval.Precision(128)

var nearly = big.NewRat(19, 20) // the factor of a near miss

func absolute(x int) int { return max(x, -x) }

func minus(x *big.Rat) *big.Rat { return new(big.Rat).Neg(x) }

func times(x interval.Interval, share *big.Rat) interval.Interval {
	return precise.Mul(precise.Rat(share), x)
}

// complement returns 1 − x.
func complement(x interval.Interval) interval.Interval { return precise.Sub(precise.Int(1), x) }

// eachChange visits lists, each with all that they become when every number changes by one of the moves.
func eachChange(lists iter.Seq[[]int], moves []int, visit func(here, there []int)) {
	for here := range lists {
		for there := range finite.Tuples(moves, len(here)) {
			for i := range there {
				there[i] += here[i]
			}
			visit(here, there)
		}
	}
}

// known is a function of lists that keeps what it returns: many changes lead to the same list.
func known[X any](of func(u []int) X) func(u []int) X {
	kept := map[string]X{}
	return func(u []int) X {
		key := fmt.Sprint(u)
		if _, is := kept[key]; !is {
			kept[key] = of(u)
		}
		return kept[key]
	}
}

// rats returns whole numbers as rational ones.
func rats(xs ...int) (all []*big.Rat) {
	for _, x := range xs {
		all = append(all, rat.Int(x))
	}
	return all
}

// zeros returns n of them.
func zeros(n int) []*big.Rat { return rats(make([]int, n)...) }

// oneTo returns 1, …, n.
func oneTo(n int) (all []int) {
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

// multiples returns from·step, …, to·step.
func multiples(step *big.Rat, from, to int) (points []*big.Rat) {
	for i := from; i <= to; i++ {
		points = append(points, rat.Mul(rat.Int(i), step))
	}
	return points
}
