package spec

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
)

// One mechanism with e^ε = 3: the left side is (3 − e^(ε_g))/4.
func TestOptComp_ByHand(t *testing.T) {
	t.Parallel()
	var none *big.Rat
	tests := []struct {
		name, mechanisms, delta string
		want                    *big.Rat
	}{
		{"half of what ε = 0 needs", "3 0", "1/4", rat("2")},
		{"as much as ε = 0 needs", "3 0", "1/2", rat("1")},
		{"more than ε = 0 needs", "3 0", "0.9", rat("1")},
		{"none", "3 0", "0", rat("3")},
		{"its own δ", "3 1/10", "1/10", rat("3")},
		{"its own δ and half of what ε = 0 needs", "3 1/10", "13/40", rat("2")},
		{"less than its own δ", "3 1/10", "0.0999", none},
		{"ε = 0", "1 1/10", "1/10", rat("1")},
		{"two, of different kinds, δ = 0", "3 0, 2 0", "0", rat("6")},
		{"two: at e^ε = 3/2, a bend, (6 − 3/2 + 3 − 3)/12", "3 0, 2 0", "3/8", rat("3/2")},
		{"two: between 3/2 and 6", "3 0, 2 0", "3/16", rat("15/4")},
	}
	for _, test := range tests {
		got, err := OptComp(pipeline(test.mechanisms).Mechanisms, rat(test.delta))
		if err != nil || fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s: e^ε is %v, %v, want %v", test.name, got, err, test.want)
		}
	}
}

func TestOptComp_Refuses(t *testing.T) {
	t.Parallel()
	m := Mechanism{rat("2"), new(big.Rat)}
	eleven := slices.Repeat([]Mechanism{m}, 11)
	of := func(delta *big.Rat, mechanisms ...Mechanism) error { return second(OptComp(mechanisms, delta)) }
	refuse(t, map[string]error{
		"OptComp: mechanisms: there are none, must be at least one":  of(one),
		"OptComp: δ_g is missing, must be in [0, 1)":                 of(nil, m),
		"OptComp: δ_g is 1, must be in [0, 1)":                       of(one, m),
		"OptComp: δ_g is -1/2, must be in [0, 1)":                    of(rat("-1/2"), m),
		"OptComp: mechanism 1: delta is 1, must be in [0, 1)":        of(rat("1/2"), Mechanism{m.ExpEps, one}),
		"OptComp: mechanism 1: e^eps is 1/2, must be at least 1":     of(rat("1/2"), Mechanism{rat("1/2"), m.Delta}),
		"OptComp: there are 4^11 sequences, must be at most 1048576": of(rat("1/2"), eleven...),
	})
}
