package odp

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// answering is the joint law of which of M^D_1 and M^D_2 would return a value: a both, b M^D_1 only, c M^D_2 only, d
// neither.
type answering finite.Law

// caseOne returns the probability of case 1, that the one that is invoked first returns a value, if that is M^D_1 with
// probability order. It is given that at least one would.
func (l answering) caseOne(order *big.Rat) *big.Rat {
	given := rat.Sum(l["a"], l["b"], l["c"])
	first1, first2 := rat.Add(l["a"], l["b"]), rat.Add(l["a"], l["c"])
	return rat.Quo(rat.Add(rat.Mul(order, first1), rat.Mul(rat.Complement(order), first2)), given)
}

// randomOrder checks that case 1 has at least the probability bound.
func randomOrder(t *register.T, order, bound *big.Rat) {
	d := t.Size(10, 24)
	t.Domain("all laws of which of the two would return a value, with probabilities in 1/%d; M^D_1 and M^D_2 for A_1, "+
		"A_2 up to 4, (e^ε, δ) as for ODP-X16; their runs, and those of M_IQR in random order, on records 0, 0, 2, 7, 7, "+
		"7 and all tapes of draws in {−3, −1/2, 0, 1/2, 3}, after coins of ±1 and ±10^−9", d)
	for l := range finite.Laws(4, d) {
		atLeastHalf(t, answering(l), order, bound)
	}
	for _, terms := range iqrTerms {
		for a1 := 1; a1 <= 4; a1++ {
			for a2 := 1; a2 <= 4; a2++ {
				silent1 := register.Must(spec.IQRBottom(a1, terms[0], terms[1]))
				silent2 := register.Must(spec.IQRBottom(a2, terms[0], terms[1]))
				atLeastHalf(t, eachAnswers(rat.Complement(silent1), rat.Complement(silent2)), order, bound)
			}
		}
	}
	orderedRuns(t, order, bound)
}

// eachAnswers is the joint law where M^D_1 and M^D_2 return a value with these probabilities, each by itself.
func eachAnswers(p1, p2 *big.Rat) answering {
	none1, none2 := rat.Complement(p1), rat.Complement(p2)
	return answering{"a": rat.Mul(p1, p2), "b": rat.Mul(p1, none2), "c": rat.Mul(none1, p2), "d": rat.Mul(none1, none2)}
}

func atLeastHalf(t *register.T, l answering, order, bound *big.Rat) {
	if l["d"].Cmp(rat.One) == 0 {
		return
	}
	t.Case()
	case1 := l.caseOne(order)
	t.Require(case1.Cmp(bound) >= 0, "both with probability %s, M^D_1 only with %s, M^D_2 only with %s: case 1 has "+
		"probability %s, less than %s", l["a"], l["b"], l["c"], case1, bound)
	t.Close(rat.Float64(rat.Quo(bound, case1)), "both with probability %s, M^D_1 only with %s, M^D_2 only with %s", l["a"],
		l["b"], l["c"])
}

// orderedRuns runs M^D_1 and M^D_2 of both rooms on equally likely tapes, a draw for the test of each, and M_IQR in
// random order on tapes with a coin before them, which must return a value at once as often as the joint law says.
func orderedRuns(t *register.T, order, bound *big.Rat) {
	one := big.NewRat(1, int64(4*len(orderedDraws)*len(orderedDraws)))
	// A_1 = 1 needs a draw above ln 2 = 0.69, and A_2 = 2 one above −0.31: 1 of 5 and 3 of 5.
	l := eachAnswers(big.NewRat(1, 5), big.NewRat(3, 5))
	for _, programs := range orderedPrograms {
		first := new(big.Rat)
		for i, draw1 := range orderedDraws {
			for j, draw2 := range orderedDraws {
				value1, ok1, _ := orderedRun(t, programs[0], draw1, 1.5)
				value2, ok2, _ := orderedRun(t, programs[1], draw2, 1.5)
				t.Require(ok1 == (i > 3) && ok2 == (j > 1), "%s: M^D_1 answers after %g: %v, M^D_2 after %g: %v", programs[2].name,
					draw1, ok1, draw2, ok2)
				value := max(value1, value2) // both are the range with the same noise, or 0 for ⊥
				for coin, of := range orderedCoins(draw1, draw2) {
					draws := []float64{coin, of[0], of[1], 1.5}
					if coin > 0 && ok1 || coin < 0 && ok2 {
						draws = []float64{coin, of[0], 1.5}
					}
					got, ok, asked := orderedRun(t, programs[2], draws...)
					t.Require(ok == (ok1 || ok2) && got == value, "%s, coin %g, draws %v: M_IQR in random order returns %g, %v; "+
						"M^D_1 %g, %v, M^D_2 %g, %v (false: ⊥)", programs[2].name, coin, draws, got, ok, value1, ok1, value2, ok2)
					if ok && asked == 3 { // the coin, one test, and the noise of a value
						first.Add(first, one)
					}
				}
			}
		}
		if given := rat.Quo(first, rat.Complement(l["d"])); given.Cmp(l.caseOne(order)) != 0 {
			t.Refute("%s: case 1 on %s of the tapes on which one answers, must be %s", programs[2].name, given, l.caseOne(order))
		}
		atLeastHalf(t, l, order, bound)
	}
}

// orderedRun runs a program on a tape, and returns how many draws it asked for, too.
func orderedRun(t *register.T, program iqrProgram, draws ...float64) (value float64, ok bool, asked int) {
	tape := &finite.Tape{Draws: draws}
	value, ok, err := program.run(iqrUnequal(), rat.One, rat.Half, tape)
	t.Must(err)
	return value, ok, len(tape.Scales)
}

// orderedCoins are draws for the coin, two of which only just show heads or tails, with the tests' draws in the order
// that they ask for.
func orderedCoins(draw1, draw2 float64) map[float64][]float64 {
	heads, tails := []float64{draw1, draw2}, []float64{draw2, draw1}
	return map[float64][]float64{1: heads, 1e-9: heads, -1e-9: tails, -1: tails}
}

var orderedDraws = []float64{-3, -0.5, 0, 0.5, 3}

// orderedPrograms are M^D_1, M^D_2, and M_IQR in random order, of both rooms.
var orderedPrograms = [][3]iqrProgram{
	{specDiscretized(1), specDiscretized(2),
		{"spec", bothDiscretizations, func(x []*big.Rat, eps, delta *big.Rat, random noise.Source) (float64, bool, error) {
			return spec.RandomOrderIQR(x, allValues(x), rat.Float64(eps), rat.Float64(delta), random)
		}}},
	{implDiscretized(1), implDiscretized(2),
		{"impl", bothDiscretizations, func(x []*big.Rat, eps, delta *big.Rat, random noise.Source) (float64, bool, error) {
			return impl.RandomOrderIQR(x, loss.Nats(eps), delta, random)
		}}},
}
