package exhaustive

import (
	"context"
	"math"
	"math/big"
	"testing"
)

var inf = math.Inf(1)

func mustRule(t *testing.T, p Pipeline, thresholds ...float64) RuleValue {
	t.Helper()
	v, err := EvaluateRule(context.Background(), p, thresholds)
	if err != nil {
		t.Fatal(err)
	}
	checkEnds(t, p, v)
	return v
}

// checkEnds checks that a run ends with probability 1.
func checkEnds(t *testing.T, p Pipeline, v RuleValue) {
	t.Helper()
	n := enclosing{rulePrec}
	sum := n.rat(new(big.Rat))
	for _, end := range v.Ends {
		sum = n.add(sum, end)
	}
	if !sum.contains(one) || widthOf(sum) > ruleWidth {
		t.Errorf("%v: the probabilities %v sum to %v", p, v.Ends, sum)
	}
}

// ruleWidth allows for 4^6 sums and products of 200 bits, none above 1.
const ruleWidth = 0x1p-180

// Computed by hand; TestPaper_Theorem15ByHand of spec has the probabilities.
func TestEvaluateRuleByHand(t *testing.T) {
	t.Parallel()
	early, late := exact("3 0, 3 0", stop(1, "1"), stop(2, "4")), exact("3 0, 3 0", stop(1, "2"), stop(2, "4"))
	leaking := exact("1 1/2, 1 0", stop(1, "1"), stop(2, "1"))
	for _, test := range []struct {
		name       string
		p          Pipeline
		thresholds []float64
		value      string
		ends       []string
	}{
		{"best: stop early", early, []float64{0.5, 1.5}, "1/2", []string{"3/4", "1/4"}},
		{"best: go on", late, []float64{inf, 1.5}, "5/16", []string{"0", "1"}},
		{"worse: stop early", late, []float64{0.5, 1.5}, "1/4", []string{"3/4", "1/4"}},
		// Output 2 stops too: 3/4 − 1/4 and 1/4 − 3/4.
		{"always stop", early, []float64{math.Inf(-1), 0}, "0", []string{"1", "0"}},
		{"never stop, never count", early, []float64{inf, inf}, "0", []string{"0", "1"}},
		// 11, 12, 21 have the losses 2 ln 3, 0, 0: 9/16 − 1/16, twice 3/16 − 3/16.
		{"loss equal to the threshold", exact("3 0, 3 0", stop(2, "1")), []float64{0}, "1/2", []string{"1"}},
		// Output 0 has b = 0: it stops at once, or counts at the end.
		{"infinite loss stops", leaking, []float64{1000, 1000}, "1/2", []string{"1/2", "1/2"}},
		{"infinite loss goes on", leaking, []float64{inf, inf}, "1/2", []string{"0", "1"}},
		{"delta is 1", exact("2 1", stop(1, "1000000")), []float64{3}, "1", []string{"1"}},
	} {
		v := mustRule(t, test.p, test.thresholds...)
		if !v.Value.contains(rat(test.value)) || widthOf(v.Value) > ruleWidth {
			t.Errorf("%s: value %v, want %s", test.name, v.Value, test.value)
		}
		for i, end := range v.Ends {
			if !end.contains(rat(test.ends[i])) {
				t.Errorf("%s: ends at stop %d with %v, want %s", test.name, i+1, end, test.ends[i])
			}
		}
	}
}

// Losses that equal a threshold exactly, which no precision can tell by intervals.
func TestEvaluateRuleTies(t *testing.T) {
	t.Parallel()
	half, zero := nats("1/2"), rat("0")
	almost0 := Epsilon{Rat: new(big.Rat).Add(one, rat("1e-100")), Exp: true}
	tests := []struct {
		name      string
		eps       []Epsilon
		threshold float64
		stops     []int // sequences of 1 and 2 that stop, as bits 0 for 1 and 1 for 2
	}{
		{"as ε", []Epsilon{half, half}, 0, []int{0b00, 0b01, 0b10}},
		{"as ε, above 0", []Epsilon{half, half}, 1, []int{0b00}},
		{"as ε, above all", []Epsilon{half, half}, math.Nextafter(1, 2), nil},
		{"as e^ε", []Epsilon{exps("5/2"), exps("5/2")}, 0, []int{0b00, 0b01, 0b10}},
		{"as both", []Epsilon{half, exps("5/2")}, 0.5, []int{0b00}},
		{"as both, with e^0", []Epsilon{half, exps("1")}, 0.5, []int{0b00, 0b10}},
		{"almost 0", []Epsilon{almost0, almost0}, 0, []int{0b00, 0b01, 0b10}},
		{"below 0", []Epsilon{half, half}, -1, []int{0b00, 0b01, 0b10, 0b11}},
	}
	for _, test := range tests {
		first, second := Mechanism{Eps: test.eps[0], Delta: zero}, Mechanism{Eps: test.eps[1], Delta: zero}
		p := Pipeline{[]Mechanism{first, second, first}, []Stop{stop(2, "1"), stop(3, "1")}}
		tree, err := newTree(p, enclosing{rulePrec})
		if err != nil {
			t.Fatal(err)
		}
		want := tree.zero
		for _, bits := range test.stops {
			q := tree.child(1, tree.child(0, tree.root(), 1+bits>>0&1), 1+bits>>1&1)
			want = tree.number.add(want, q.a)
		}
		got := mustRule(t, p, test.threshold, 0).Ends[0]
		if got.Lo.Cmp(want.Hi) > 0 || got.Hi.Cmp(want.Lo) < 0 {
			t.Errorf("%s: the rule stops with probability %v, want %v", test.name, got, want)
		}
	}
}

func TestEvaluateRuleDomain(t *testing.T) {
	t.Parallel()
	of := func(thresholds ...float64) error {
		return second(EvaluateRule(t.Context(), exact("2 0", stop(1, "2")), thresholds))
	}
	above := func(more string) error { // a loss that differs from the threshold by so much
		p := decimal("0.5 0", stop(1, "1"))
		p.Mechanisms[0].Eps.Rat.Add(rat("1/2"), rat(more))
		return second(EvaluateRule(t.Context(), p, []float64{0.5}))
	}
	if err := above("1e-1000"); err != nil { // more than 200 bits tell, 4096 do
		t.Error(err)
	}
	refuse(t, map[string]error{
		"EvaluateRule: there are 0 thresholds, must be 1":                                    of(),
		"EvaluateRule: threshold 1 is NaN, must be infinite or between -1000000 and 1000000": of(math.NaN()),
		"EvaluateRule: threshold 1 is 1e+07, must be infinite or":                            of(1e7),
		"EvaluateRule: threshold 1 is -1e+07, must be infinite or":                           of(-1e7),
		"EvaluateRule: threshold 1 is 0.5, too close to the loss of the sequence [1]":        above("1e-2000"),
	})
}
