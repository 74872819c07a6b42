package spec

import (
	"math/big"
	"testing"
)

// leak tells the databases apart with probability 1/4, and says ⊥ otherwise.
func leak() Choice {
	quarter, rest := big.NewRat(1, 4), big.NewRat(3, 4)
	return Choice{
		Laws: [2]map[string]*big.Rat{
			{"0": quarter, Bottom: rest, "1": new(big.Rat)},
			{"0": new(big.Rat), Bottom: rest, "1": quarter},
		},
		Part:  func(string) int { return 0 },
		ExpE:  []*big.Rat{one},
		Delta: quarter,
	}
}

// response is randomized response with e^ε = 3.
func response() Choice {
	quarter, rest := big.NewRat(1, 4), big.NewRat(3, 4)
	return Choice{
		Laws:  [2]map[string]*big.Rat{{"0": rest, "1": quarter}, {"0": quarter, "1": rest}},
		Part:  func(string) int { return 0 },
		ExpE:  []*big.Rat{big.NewRat(3, 1)},
		Delta: new(big.Rat),
	}
}

func always(c Choice) Adversary {
	return Adversary{Coins: 1, Choose: func(string, []string) Choice { return c }}
}

// first draws the first output of a law.
func first(law map[string]*big.Rat) string { return union(law, nil)[0] }

// Each condition of line 4 has its error.
func TestODPCompositionRefuses(t *testing.T) {
	t.Parallel()
	run := func(a Adversary, expEpsT, deltaT *big.Rat, b, rounds int, text Text) error {
		return second(ODPComposition(a, expEpsT, deltaT, b, rounds, text, first))
	}
	once := func(c Choice) error { return run(always(c), one, one, 0, 1, TextB) }
	filtered := func(a Adversary) error { return second(ODPFilterComposition(a, SumFilter(one, one), 0, 1, first)) }
	thrice, leaking, nothing := always(response()), always(leak()), new(big.Rat)
	untrue, without := leak(), leak()
	untrue.Delta, without.Delta = big.NewRat(1, 5), nil
	refuse(t, map[string]error{
		"round 2: sup ℰ_i is ln 3, must be at most ε_r = ln 8/3": run(thrice, big.NewRat(8, 1), nothing, 0, 2, TextB),
		"round 2: δ_i is 1/4, must be at most δ_r = 1/12":        run(leaking, one, big.NewRat(1, 3), 1, 2, TextB),
		"δ_i is 1/5, must be at least 1/4 for M_i to be":         once(untrue),
		"number of parts is 0, must be at least 1":               once(Choice{Delta: one}),
		"law0: probabilities sum to 0, must be 1":                once(Choice{Delta: one, ExpE: []*big.Rat{one}}),
		"δ_i is missing":                            once(without),
		"must be at least 1":                        run(leaking, big.NewRat(1, 2), one, 0, 1, TextB),
		"δ_t is -1, must be at least 0":             run(leaking, one, big.NewRat(-1, 1), 0, 1, TextB),
		"b is 2, must be at least 0 and at most 1":  run(leaking, one, one, 2, 1, TextB),
		"rounds is -1":                              run(leaking, one, one, 0, -1, TextB),
		"text is 'C'":                               run(leaking, one, one, 0, 1, 'C'),
		"coins is 0":                                run(Adversary{Choose: leaking.Choose}, one, one, 0, 1, TextB),
		"ODPFilterComposition: coins is 0":          filtered(Adversary{}),
		"round 1: δ_i is 1/5, must be at least 1/4": filtered(always(untrue)),
	})
	// [A] gives the budget back.
	if err := run(thrice, big.NewRat(3, 1), nothing, 0, 5, TextA); err != nil {
		t.Errorf("[A]: %v", err)
	}
}
