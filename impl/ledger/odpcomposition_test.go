package ledger

import (
	"context"
	"math/big"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
)

func rats4(xs ...int64) (out []*big.Rat) {
	for _, x := range xs {
		out = append(out, big.NewRat(x, 4))
	}
	return out
}

// threeToOne is randomized response with e^ε = 3.
func threeToOne() Choice {
	return Choice{
		Name: "response", Outputs: []string{"1", "2"},
		Laws: [2][]*big.Rat{rats4(3, 1), rats4(1, 3)},
		Part: []int{0, 0}, ExpE: rats4(12), Delta: new(big.Rat),
	}
}

func TestWorstAdversaryDomain(t *testing.T) {
	t.Parallel()
	changed := func(change func(*Choice)) []Choice {
		c := threeToOne()
		change(&c)
		return []Choice{c}
	}
	good := []Choice{threeToOne()}
	tests := []struct {
		menu   []Choice
		rounds int
		at     *big.Rat
		want   string
	}{
		{good, -1, rational.One, "rounds is -1, must be at least 0"},
		{good, 1 << 30, rational.One, "rounds is 1073741824, must be at least 0 and at most 65536"},
		{good, 1, nil, "exp_eps is missing, must be at least 1"},
		{good, 1, big.NewRat(1, 2), "exp_eps is 0.5, must be at least 1"},
		{changed(func(c *Choice) { c.Outputs = nil }), 1, rational.One, "choice 1 (response): there are 0 outputs"},
		{changed(func(c *Choice) { c.Delta = nil }), 1, rational.One, "delta is missing"},
		{changed(func(c *Choice) { c.Part = []int{0, 1} }), 1, rational.One,
			"part of output 2 is 1, must be at least 0 and at most 0"},
		{changed(func(c *Choice) { c.ExpE = rats4(2) }), 1, rational.One, "exp_eps of part 0 is 0.5"},
		{changed(func(c *Choice) { c.Laws[1] = rats4(1, 1) }), 1, rational.One,
			"law 1: probabilities sum to 0.5, must be 1"},
		{changed(func(c *Choice) { c.Laws[0] = rats4(5, -1) }), 1, rational.One,
			"law 0: probability of output 1 is -0.25"},
		{changed(func(c *Choice) { c.Laws[0][1] = nil }), 1, rational.One, "law 0: probability of output 1 is missing"},
		{changed(func(c *Choice) { c.Laws[1] = rats4(4) }), 1, rational.One, "laws of 2 and 1"},
		{changed(func(c *Choice) { c.ExpE = nil }), 1, rational.One, "part of output 1 is 0, must be"},
		{changed(func(c *Choice) { c.ExpE = []*big.Rat{nil} }), 1, rational.One, "exp_eps of part 0 is missing"},
		{changed(func(c *Choice) { *c = Choice{} }), 1, rational.One, "there are 0 outputs"},
	}
	for _, test := range tests {
		_, _, err := WorstAdversary(t.Context(), test.menu, test.rounds, SumRule(rational.One, rational.One), test.at)
		testkit.ExpectError(t, err, test.want)
	}
}

// An accountant that forgets or is none is refused, and so is a context that is none or has ended; what nobody made is
// to stop.
func TestWorstAdversaryMissing(t *testing.T) {
	t.Parallel()
	for want, rule := range map[string]Rule{
		"rule: Admits is nil, must be given": {}, "number 2 of Start is missing": SumRule(rational.One, nil),
	} {
		_, _, err := WorstAdversary(t.Context(), nil, 1, rule, rational.One)
		testkit.ExpectError(t, err, want)
	}
	rule := SumRule(big.NewRat(9, 1), rational.One)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if worst, _, err := WorstAdversary(ended, []Choice{threeToOne()}, 3, rule, rational.One); err == nil ||
		worst != nil {
		t.Errorf("%v, %v", worst, err)
	}
	rule.Next = func([]*big.Rat, *Choice, int) []*big.Rat { return []*big.Rat{rational.One, nil} }
	_, _, err := WorstAdversary(t.Context(), []Choice{threeToOne()}, 2, rule, rational.One)
	testkit.ExpectError(t, err, "number 2 of Next is missing")
	var none context.Context
	if _, _, err := WorstAdversary(none, nil, 1, rule, rational.One); err == nil {
		t.Error("no context: no error")
	}
	c := threeToOne()
	for _, s := range []*Strategy{nil, {}, {Then: []*Strategy{nil}},
		{Choice: &Choice{Name: "stop"}, Then: []*Strategy{{Choice: &c}}}} {
		if s.String() != "stop" {
			t.Errorf("%v, want stop", s)
		}
	}
}
