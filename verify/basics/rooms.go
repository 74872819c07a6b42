package basics

import (
	"math"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
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
	t.Require(rat.Equal(literal, claimed) && rat.Equal(fast, claimed), "%s is %s by spec, %s by impl, claimed is %s", what,
		literal, fast, claimed)
}

// areSame refutes that programs of both rooms return what is claimed.
func areSame[X any](t *register.T, literal, fast, claimed X, isSame func(x, y X) bool) {
	t.Require(isSame(literal, claimed) && isSame(fast, claimed), "%v by spec, %v by impl, claimed is %v", literal, fast,
		claimed)
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
