package spec

import (
	"math/big"
	"testing"
)

// ptrOf returns a table with the bounds s and ⊥ and two neighbours.
func ptrOf(law0, law1 map[string]*big.Rat) PTR {
	never := map[string]*big.Rat{"⊥": one}
	return PTR{
		Law:        []map[string]map[string]*big.Rat{{"s": law0, "⊥": never}, {"s": law1, "⊥": never}},
		Neighbours: [][2]int{{0, 1}},
	}
}

func quarters(a, b, bottom int64) map[string]*big.Rat {
	return map[string]*big.Rat{"a": big.NewRat(a, 4), "b": big.NewRat(b, 4), "⊥": big.NewRat(bottom, 4)}
}

func TestIsPTR_Errors(t *testing.T) {
	t.Parallel()
	good := func() PTR { return ptrOf(quarters(1, 2, 1), quarters(1, 2, 1)) }
	without, apart := good(), good()
	delete(without.Law[1], "⊥")
	apart.Neighbours = [][2]int{{0, 2}}
	of := func(t PTR, expEps, delta *big.Rat) error { return second(IsPTR(t, expEps, delta)) }
	refuse(t, map[string]error{
		"e^eps is 1/2, must be at least 1": of(good(), big.NewRat(1, 2), one),
		"δ is 3/2, must be in [0, 1]":      of(good(), one, big.NewRat(3, 2)),
		"there are 0 databases":            of(PTR{}, one, one),
		"database 1: bound ⊥ is missing":   of(without, one, one),
		"neighbours are [0 2]":             of(apart, one, one),
		"probabilities sum to 3/4":         of(ptrOf(quarters(1, 2, 1), quarters(1, 1, 1)), one, one),
	})
}
