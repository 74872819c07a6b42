package exhaustive

import (
	"math/big"
	"testing"
)

// toss is a step with the probabilities p and q of its first output of two.
func toss(p, q *big.Rat, then ...*Branch) *Branch {
	rest := func(x *big.Rat) *big.Rat { return new(big.Rat).Sub(one, x) }
	return &Branch{Laws: [2][]*big.Rat{{p, rest(p)}, {q, rest(q)}}, Then: then}
}

func history(next *Branch) History { return History{A: one, B: one, Next: next} }

// After the first output, 1/2 and 1/4, it is best to end with a gain of 1/4; after the second, 1/2 and 3/4, the next
// step tells the databases apart.
func TestWorstRule(t *testing.T) {
	t.Parallel()
	half, zero := big.NewRat(1, 2), new(big.Rat)
	tree := toss(half, big.NewRat(1, 4), toss(half, half, nil, nil), toss(one, zero, nil, nil))
	stops := []Stop{{1, Epsilon{one, true}}, {2, Epsilon{big.NewRat(3, 2), true}}}
	for _, test := range []struct {
		stops []Stop
		want  *big.Rat
		rules int
	}{
		{stops, big.NewRat(3, 4), 4},
		{stops[1:], big.NewRat(5, 8), 1},
	} {
		got, rules, err := WorstRule(t.Context(), history(tree), test.stops)
		if err != nil || got.Cmp(test.want) != 0 || rules != test.rules {
			t.Errorf("%v: %v, %d rules, %v, must be %v, %d", test.stops, got, rules, err, test.want, test.rules)
		}
	}
}

func TestWorstRule_Refuses(t *testing.T) {
	t.Parallel()
	half := big.NewRat(1, 2)
	end := Stop{1, Epsilon{one, true}}
	many := toss(half, half, nil, nil)
	var early []Stop
	for k := 1; k <= 6; k++ {
		many = toss(half, half, many, many)
		early = append(early, Stop{k, Epsilon{one, true}})
	}
	early = append(early, Stop{7, Epsilon{one, true}})
	of := func(next *Branch, stops ...Stop) error {
		_, _, err := WorstRule(t.Context(), history(next), stops)
		return err
	}
	short, inNats := &Branch{Laws: [2][]*big.Rat{{half}, {one}}, Then: []*Branch{nil}}, Stop{1, Epsilon{one, false}}
	refuse(t, map[string]error{
		"there is no stop after 1 steps":                    of(toss(half, half, nil, nil), Stop{2, end.Eps}),
		"eps is 1, exact numbers need e^eps":                of(toss(half, half, nil, nil), inNats),
		"law 0 has 2 outputs, must be 1":                    of(toss(half, half, nil), end),
		"probability of output 1 is -1, must be at least 0": of(toss(big.NewRat(2, 1), half, nil, nil), end),
		"must be at most 1048576":                           of(many, early...),
		"law 0 sums to 1/2, must be 1":                      of(short, end),
	})
}
