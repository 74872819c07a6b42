package odp

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/loss"
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
func randomOrder(order, bound *big.Rat) register.Check {
	return func(t *register.T) {
		d := t.Size(10, 24)
		t.Domain("all laws of which of the two would return a value, with probabilities in 1/%d; M^D_1 and M^D_2 for A_1, A_2 up to 4, (e^ε, δ) as for ODP-X16; their runs on records 0, 0, 2, 7, 7, 7 and all tapes of draws in {−3, −1/2, 0, 1/2, 3}", d)
		for l := range finite.Laws(4, d) {
			atLeastHalf(t, answering(l), order, bound)
		}
		for _, terms := range iqrTerms {
			for a1 := 1; a1 <= 4; a1++ {
				for a2 := 1; a2 <= 4; a2++ {
					silent1, silent2 := register.Must(spec.IQRBottom(a1, terms[0], terms[1])), register.Must(spec.IQRBottom(a2, terms[0], terms[1]))
					answers1, answers2 := rat.Complement(silent1), rat.Complement(silent2)
					atLeastHalf(t, answering{"a": rat.Mul(answers1, answers2), "b": rat.Mul(answers1, silent2), "c": rat.Mul(silent1, answers2), "d": rat.Mul(silent1, silent2)}, order, bound)
				}
			}
		}
		orderedRuns(t, order, bound)
	}
}

func atLeastHalf(t *register.T, l answering, order, bound *big.Rat) {
	if l["d"].Cmp(rat.One) == 0 {
		return
	}
	t.Case()
	case1 := l.caseOne(order)
	if case1.Cmp(bound) < 0 {
		t.Refute("both with probability %s, M^D_1 only with %s, M^D_2 only with %s: case 1 has probability %s, less than %s",
			rat.Show(l["a"]), rat.Show(l["b"]), rat.Show(l["c"]), rat.Show(case1), rat.Show(bound))
	}
	t.Close(rat.Float64(rat.Quo(bound, case1)), "both with probability %s, M^D_1 only with %s, M^D_2 only with %s", rat.Show(l["a"]), rat.Show(l["b"]), rat.Show(l["c"]))
}

// orderedRuns runs M^D_1 and M^D_2 of both rooms on equally likely tapes, a draw for the test of each, and then the one
// that is invoked first, in either order, which must return a value as often as the joint law says.
func orderedRuns(t *register.T, order, bound *big.Rat) {
	x := iqrUnequal()
	levels := []float64{-3, -0.5, 0, 0.5, 3}
	programs := map[string]func(j int, draw float64) bool{
		"spec": func(j int, draw float64) bool {
			_, ok, err := spec.DiscretizedIQR(x, allValues(x), j, 1, 0.5, &finite.Tape{Draws: []float64{draw}})
			t.Must(err)
			return ok
		},
		"impl": func(j int, draw float64) bool {
			_, ok, err := impl.DiscretizedIQR(x, j, loss.Nats(rat.One), rat.Half, &finite.Tape{Draws: []float64{draw}})
			t.Must(err)
			return ok
		},
	}
	for _, room := range []string{"spec", "impl"} {
		l := answering{"a": new(big.Rat), "b": new(big.Rat), "c": new(big.Rat), "d": new(big.Rat)}
		first := new(big.Rat)
		one := big.NewRat(1, int64(len(levels)*len(levels)))
		for _, draw1 := range levels {
			for _, draw2 := range levels {
				answers := [2]bool{programs[room](1, draw1), programs[room](2, draw2)}
				finite.Law(l).Add(map[[2]bool]string{{true, true}: "a", {true, false}: "b", {false, true}: "c", {false, false}: "d"}[answers], one)
				for i, weight := range []*big.Rat{order, rat.Complement(order)} {
					if answers[i] {
						first = rat.Add(first, rat.Mul(weight, one))
					}
				}
			}
		}
		// A_1 = 1 needs a draw above ln 2 = 0.69, and A_2 = 2 one above −0.31: 1 of 5 and 3 of 5.
		if rat.Add(l["a"], l["b"]).Cmp(big.NewRat(1, 5)) != 0 || rat.Add(l["a"], l["c"]).Cmp(big.NewRat(3, 5)) != 0 {
			t.Refute("%s, records %s: M^D_1 answers on %s of the tapes, M^D_2 on %s, must be 1/5 and 3/5", room, rat.Show(x...), rat.Show(rat.Add(l["a"], l["b"])), rat.Show(rat.Add(l["a"], l["c"])))
		}
		if given := rat.Quo(first, rat.Complement(l["d"])); given.Cmp(l.caseOne(order)) != 0 {
			t.Refute("%s: case 1 on %s of the tapes on which one answers, must be %s", room, rat.Show(given), rat.Show(l.caseOne(order)))
		}
		atLeastHalf(t, l, order, bound)
	}
}
