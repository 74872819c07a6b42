package basics

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// precise is the arithmetic of bounds that are no ratios.
const precise = interval.Precision(128)

// Values that are gone through: of e^ε, of δ, of ε, and of the scale of Laplace noise.
var (
	charges = rat.List("1", "3/2", "2", "3")
	deltas  = rat.List("0", "1/4", "1/3", "1/2", "1")
	weights = rat.List("1/2", "1", "4")
	scales  = rat.List("1/3", "1", "5")
	nearly  = big.NewRat(19, 20) // the factor of a near miss
)

func same(x *big.Rat) *big.Rat { return x }

func absolute(x int) int { return max(x, -x) }

func minus(x *big.Rat) *big.Rat { return new(big.Rat).Neg(x) }

func times(x interval.Interval, share *big.Rat) interval.Interval {
	return precise.Mul(precise.Rat(share), x)
}

// isAbout refutes that the rooms disagree.
func isAbout(t *register.T, what string, fast interval.Interval, literal float64) {
	isWithin(t, what, fast, literal, 1e-12)
}

func isWithin(t *register.T, what string, fast interval.Interval, literal, width float64) {
	x := fast.Float().Hi
	t.Require(math.Abs(x-literal) <= width*math.Abs(x)+1e-300, "%s is %.15g by spec, %.15g by impl", what, literal, x)
}

// atMost refutes that a probability is at most a bound, and tells how close it comes.
func atMost(t *register.T, exact *big.Rat, bound interval.Interval, says string, args ...any) {
	t.Require(exact.Cmp(rat.Exact(bound.Upper)) <= 0, says, args...)
	t.Close(rat.Float64(exact)/bound.Float().Hi, "")
}

// changed returns u with a change of each.
func changed(u, change []int) []int {
	v := make([]int, len(u))
	for i := range u {
		v[i] = u[i] + change[i]
	}
	return v
}

// rats returns whole numbers as rational ones.
func rats(xs ...int) (all []*big.Rat) {
	for _, x := range xs {
		all = append(all, rat.Int(x))
	}
	return all
}

// oneTo returns 1, …, n.
func oneTo(n int) (all []int) {
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

// drawn returns n random multiples of a step, up to so many of them in size.
func drawn(d register.Dice, n, most int, step float64) (xs []float64) {
	for range n {
		xs = append(xs, float64(d.Roll(2*most+1)-most)*step)
	}
	return xs
}

// tapes are two of the same draws, one for each room.
func tapes(draws []float64) [2]*finite.Tape { return [2]*finite.Tape{{Draws: draws}, {Draws: draws}} }

// scaleOf returns the scale that spec asks for.
func scaleOf(sensitivity, eps *big.Rat) *big.Rat {
	tape := &finite.Tape{Draws: []float64{0}}
	register.Must(spec.LaplaceMechanism([]float64{0}, rat.Float64(sensitivity), rat.Float64(eps), tape))
	return new(big.Rat).SetFloat64(tape.Scales[0])
}

// cellsOf returns the probabilities of the cells between cuts of Lap(b) about a center.
func cellsOf(center, b *big.Rat, cuts ...*big.Rat) []interval.Interval {
	return register.Must(impl.LaplaceCells(center, b, cuts))
}

// density returns that of Lap(b), which both rooms have.
func density(t *register.T, x, b *big.Rat) interval.Interval {
	d := impl.LaplaceDensity(x, b)
	isAbout(t, "the density", d, spec.LaplaceDensity(rat.Float64(x), rat.Float64(b)))
	return d
}

// lossOf returns ln(p/q).
func lossOf(p, q interval.Interval) interval.Float { return register.Must(impl.LogRatio(p, q)).Float() }

// losesAtMost refutes that a loss is at most a bound, and tells how close it comes.
func losesAtMost(t *register.T, l interval.Float, bound *big.Rat, says string, args ...any) {
	t.Require(l.Lo <= rat.Float64(bound), says, args...)
	t.Close(rounded(l.Lo/rat.Float64(bound)), "")
}

// rounded returns a ratio to 9 digits, in which equal cases do not differ.
func rounded(ratio float64) float64 { return math.Round(ratio*1e9) / 1e9 }

// grid returns from·step, …, to·step.
func grid(step *big.Rat, from, to int) (points []*big.Rat) {
	for i := from; i <= to; i++ {
		points = append(points, rat.Mul(rat.Int(i), step))
	}
	return points
}
