package spec

import (
	"math/big"
	"strings"
	"testing"
)

// One mechanism with e^ε = 3: the left side is (3 − e^(ε_g))/4.
func TestOptComp_ByHand(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, mechanisms, delta, want string }{
		{"half of what ε = 0 needs", "3 0", "1/4", "2"},
		{"as much as ε = 0 needs", "3 0", "1/2", "1"},
		{"more than ε = 0 needs", "3 0", "0.9", "1"},
		{"none", "3 0", "0", "3"},
		{"its own δ", "3 1/10", "1/10", "3"},
		{"its own δ and half of what ε = 0 needs", "3 1/10", "13/40", "2"},
		{"less than its own δ", "3 1/10", "0.0999", ""},
		{"ε = 0", "1 1/10", "1/10", "1"},
		{"two, of different kinds, δ = 0", "3 0, 2 0", "0", "6"},
		{"two: at e^ε = 3/2, a bend, (6 − 3/2 + 3 − 3)/12", "3 0, 2 0", "3/8", "3/2"},
		{"two: between 3/2 and 6", "3 0, 2 0", "3/16", "15/4"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := pipeline(test.mechanisms, stop(strings.Count(test.mechanisms, ",")+1, "1"))
			got, err := OptComp(p.Mechanisms, rat(test.delta))
			if err != nil {
				t.Fatal(err)
			}
			if got == nil && test.want != "" || got != nil && (test.want == "" || got.Cmp(rat(test.want)) != 0) {
				t.Errorf("e^ε is %v, want %s", got, test.want)
			}
		})
	}
}

// Theorem 3.3 of Kairouz, Oh and Viswanath lists points of the same curve: at δ_i, the ε is
// (k − 2i)·ε.
func TestOptComp_Homogeneous(t *testing.T) {
	t.Parallel()
	const k = 5
	e := rat("3/2")
	m := Mechanism{e, new(big.Rat)}
	for i := 0; 2*i <= k; i++ {
		delta, err := HomogeneousDelta(k, i, e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := OptComp([]Mechanism{m, m, m, m, m}, delta)
		if err != nil || got.Cmp(power(e, k-2*i)) != 0 {
			t.Errorf("i = %d: e^ε is %v, %v, want %v", i, got, err, power(e, k-2*i))
		}
	}
}

func TestOptComp_Refuses(t *testing.T) {
	t.Parallel()
	m := Mechanism{rat("2"), new(big.Rat)}
	many := make([]Mechanism, 11)
	for i := range many {
		many[i] = m
	}
	tests := []struct {
		mechanisms []Mechanism
		delta      *big.Rat
		want       string
	}{
		{nil, one, "OptComp: mechanisms: there are none, must be at least one"},
		{[]Mechanism{m}, nil, "OptComp: δ_g is missing, must be in [0, 1)"},
		{[]Mechanism{m}, one, "OptComp: δ_g is 1, must be in [0, 1)"},
		{[]Mechanism{m}, rat("-1/2"), "OptComp: δ_g is -1/2, must be in [0, 1)"},
		{[]Mechanism{{m.ExpEps, one}}, rat("1/2"), "OptComp: mechanism 1: delta is 1, must be in [0, 1)"},
		{[]Mechanism{{rat("1/2"), m.Delta}}, rat("1/2"), "OptComp: mechanism 1: e^eps is 1/2, must be at least 1"},
		{many, rat("1/2"), "OptComp: there are 4^11 sequences, must be at most 1048576"},
	}
	for _, test := range tests {
		if x, err := OptComp(test.mechanisms, test.delta); err == nil || err.Error() != test.want || x != nil {
			t.Errorf("%v, %v: want %s", x, err, test.want)
		}
	}
}
