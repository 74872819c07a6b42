package spec

import (
	"math/big"
	"slices"
	"strings"
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

// On a tape, the view is the tape, and the adversary sees what comes before its choice.
func TestODPCompositionOnATape(t *testing.T) {
	t.Parallel()
	var seen []string
	a := Adversary{Coins: 2, Choose: func(coins string, outputs []string) Choice {
		seen = append(seen, coins+":"+strings.Join(outputs, ""))
		return response()
	}}
	tape := []string{"1", "0", "1"}
	view, err := ODPComposition(a, big.NewRat(9, 1), new(big.Rat), 0, 2, TextB, func(map[string]*big.Rat) string {
		next := tape[0]
		tape = tape[1:]
		return next
	})
	if err != nil || !slices.Equal(view, []string{"1", "0", "1"}) {
		t.Errorf("view %v, %v", view, err)
	}
	if !slices.Equal(seen, []string{"1:", "1:0"}) {
		t.Errorf("the adversary saw %v", seen)
	}
}

// Each condition of line 4 has its error.
func TestODPCompositionRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a       Adversary
		expEpsT *big.Rat
		deltaT  *big.Rat
		b       int
		rounds  int
		text    Text
		want    string
	}{
		{always(response()), big.NewRat(8, 1), new(big.Rat), 0, 2, TextB, "round 2: sup ℰ_i is ln 3, must be at most ε_r = ln 8/3"},
		{always(leak()), one, big.NewRat(1, 3), 1, 2, TextB, "round 2: δ_i is 1/4, must be at most δ_r = 1/12"},
		{always(func() Choice { c := leak(); c.Delta = big.NewRat(1, 5); return c }()), one, one, 0, 1, TextB,
			"δ_i is 1/5, must be at least 1/4 for M_i to be"},
		{always(Choice{Delta: one}), one, one, 0, 1, TextB, "number of parts is 0, must be at least 1"},
		{always(Choice{Delta: one, ExpE: []*big.Rat{one}}), one, one, 0, 1, TextB, "law0: probabilities sum to 0, must be 1"},
		{always(func() Choice { c := leak(); c.Delta = nil; return c }()), one, one, 0, 1, TextB, "δ_i is missing"},
		{always(leak()), big.NewRat(1, 2), one, 0, 1, TextB, "must be at least 1"},
		{always(leak()), one, big.NewRat(-1, 1), 0, 1, TextB, "δ_t is -1, must be at least 0"},
		{always(leak()), one, one, 2, 1, TextB, "b is 2, must be at least 0 and at most 1"},
		{always(leak()), one, one, 0, -1, TextB, "rounds is -1"},
		{always(leak()), one, one, 0, 1, 'C', "text is 'C'"},
		{Adversary{Choose: always(leak()).Choose}, one, one, 0, 1, TextB, "coins is 0"},
	}
	first := func(law map[string]*big.Rat) string { return union(law, nil)[0] }
	for _, test := range tests {
		view, err := ODPComposition(test.a, test.expEpsT, test.deltaT, test.b, test.rounds, test.text, first)
		if err == nil || view != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, %v, want %q", view, err, test.want)
		}
	}
	// [A] gives the budget back.
	if _, err := ODPComposition(always(response()), big.NewRat(3, 1), new(big.Rat), 0, 5, TextA, first); err != nil {
		t.Errorf("[A]: %v", err)
	}
}

func TestODPFilterCompositionRefuses(t *testing.T) {
	t.Parallel()
	untrue := leak()
	untrue.Delta = big.NewRat(1, 5)
	for _, test := range []struct {
		a    Adversary
		want string
	}{
		{Adversary{}, "coins is 0"},
		{always(untrue), "round 1: δ_i is 1/5, must be at least 1/4"},
	} {
		first := func(law map[string]*big.Rat) string { return union(law, nil)[0] }
		if _, err := ODPFilterComposition(test.a, SumFilter(one, one), 0, 1, first); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func TestSumFilter(t *testing.T) {
	t.Parallel()
	halt := SumFilter(big.NewRat(9, 1), big.NewRat(1, 2))
	three, quarter := big.NewRat(3, 1), big.NewRat(1, 4)
	for _, test := range []struct {
		expEps, delta []*big.Rat
		want          bool
	}{
		{nil, nil, false},
		{[]*big.Rat{three, three}, []*big.Rat{quarter, quarter}, false},
		{[]*big.Rat{three, three, big.NewRat(11, 10)}, []*big.Rat{quarter, quarter, new(big.Rat)}, true},
		{[]*big.Rat{one, one, one}, []*big.Rat{quarter, quarter, quarter}, true},
	} {
		if got := halt(test.expEps, test.delta); got != test.want {
			t.Errorf("%v, %v: HALT is %v", test.expEps, test.delta, got)
		}
	}
}

type fixedNoise float64

func (x fixedNoise) Laplace(scale float64) float64 { return float64(x) * scale }

func TestToy(t *testing.T) {
	t.Parallel()
	for _, heads := range []bool{true, false} {
		value, bottom, err := Toy(3, 0.5, func() bool { return heads }, fixedNoise(1))
		if err != nil || bottom == heads || (heads && value != 5) {
			t.Errorf("heads is %v: %g, %v, %v", heads, value, bottom, err)
		}
	}
	if _, _, err := Toy(3, 0, nil, fixedNoise(1)); err == nil {
		t.Error("eps is 0: no error")
	}
}
