package impl

import (
	"math/big"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// p ≤ e^(kε) q, with ε in nats so close that 64 bits do not decide.
func TestEpsilon_AtMost(t *testing.T) {
	t.Parallel()
	ln2 := rational.MustParse("0.693147180559945309417232121458176568075500134360255254120680")
	tiny := rational.MustParse("1e-50")
	above, below := loss.Nats(new(big.Rat).Add(ln2, tiny)), loss.Nats(new(big.Rat).Sub(ln2, tiny))
	half, quarter, zero := big.NewRat(1, 2), big.NewRat(1, 4), new(big.Rat)
	tests := []struct {
		eps  loss.Epsilon
		p, q *big.Rat
		k    int
		want bool
	}{
		{above, half, quarter, 1, true},
		{below, half, quarter, 1, false},
		{above, rational.One, quarter, 2, true},
		{below, rational.One, quarter, 2, false},
		{below, zero, zero, 1, true},
		{below, tiny, zero, 1, false},
		{loss.Nats(zero), half, half, 2, true},
		{loss.Nats(zero), half, quarter, 2, false},
		{loss.Exp(big.NewRat(2, 1)), rational.One, quarter, 2, true},
		{loss.Exp(big.NewRat(2, 1)), rational.One, quarter, 1, false},
	}
	for _, test := range tests {
		if got := ratioAtMost(test.p, test.q, test.eps, test.k); got != test.want {
			t.Errorf("%v ≤ e^(%d·%v)·%v is %v", test.p, test.k, test.eps.Rat().FloatString(60), test.q, got)
		}
	}
}

// Ratios between e^ε and e^(2ε): condition 2 forbids them, for ⊥ and for ≠ ⊥, condition 3 does not.
func TestIsPTR_Between(t *testing.T) {
	t.Parallel()
	quarters := func(a, b, bottom int64) map[string]*big.Rat {
		return map[string]*big.Rat{"a": big.NewRat(a, 4), "b": big.NewRat(b, 4), "⊥": big.NewRat(bottom, 4)}
	}
	never := map[string]*big.Rat{"⊥": rational.One}
	tests := []struct {
		x, y   map[string]*big.Rat
		expEps *big.Rat
		want   int // the condition that fails
		output string
	}{
		{quarters(1, 3, 0), quarters(3, 1, 0), big.NewRat(2, 1), 0, ""},
		{quarters(1, 3, 0), quarters(3, 1, 0), big.NewRat(3, 2), 4, "b"},
		{quarters(1, 0, 3), quarters(2, 0, 2), big.NewRat(3, 2), 2, ""},
		{quarters(3, 0, 1), quarters(2, 0, 2), big.NewRat(3, 2), 2, "⊥"},
	}
	for _, test := range tests {
		table := PTR{Law: []map[string]map[string]*big.Rat{{"s": test.x, "⊥": never}, {"s": test.y, "⊥": never}}, Neighbours: [][2]int{{0, 1}}}
		v, err := IsPTR(table, loss.Exp(test.expEps), new(big.Rat))
		if err != nil {
			t.Fatal(err)
		}
		if (v != nil) != (test.want != 0) || v != nil && (v.Condition != test.want || v.Output != test.output) {
			t.Errorf("%v against %v, e^ε = %v: %v, must be condition %d, output %q", test.x, test.y, test.expEps, v, test.want, test.output)
		}
	}
}

func TestIsPTR_Errors(t *testing.T) {
	t.Parallel()
	table := func(s, bottom map[string]*big.Rat) PTR {
		return PTR{Law: []map[string]map[string]*big.Rat{{"s": s, "⊥": bottom}}, Neighbours: [][2]int{{0, 0}}}
	}
	never := map[string]*big.Rat{"⊥": rational.One}
	tests := []struct {
		t     PTR
		eps   loss.Epsilon
		delta *big.Rat
		want  string
	}{
		{table(never, never), loss.Nats(big.NewRat(-1, 1)), rational.One, "eps is -1, must be at least 0"},
		{table(never, never), loss.Epsilon{}, rational.One, "eps is missing"},
		{table(never, never), loss.Nats(rational.One), nil, "δ is missing, must be in [0, 1]"},
		{table(never, nil), loss.Nats(rational.One), rational.One, "database 0: bound ⊥ is missing"},
		{table(map[string]*big.Rat{"a": big.NewRat(1, 3)}, never), loss.Nats(rational.One), rational.One, "bound s: probabilities sum to 1/3, must be 1"},
		{PTR{}, loss.Nats(rational.One), rational.One, "there are 0 databases"},
	}
	for _, test := range tests {
		_, err := IsPTR(test.t, test.eps, test.delta)
		testkit.ExpectError(t, err, test.want)
	}
	if v, err := IsPTR(table(never, never), loss.Nats(rational.One), new(big.Rat)); v != nil || err != nil {
		t.Errorf("a function that is always ⊥: %v, %v", v, err)
	}
}
