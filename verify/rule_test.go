package verify

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/verify/register"
)

// propRule: the stopping rule that comes with an answer attains it, with the
// probabilities that it states. Every run is followed.
func propRule(t *rapid.T) {
	kind := rapid.SampledFrom([]terms{ratios, decimals, mixed}).Draw(t, "terms")
	checkRule(t, problems(kind, small).Draw(t, "problem"), auto)
}

func checkRule(t reporter, p problem, o impl.Options) {
	r := solve(t, p, o)
	rule, err := exhaustive.EvaluateRule(t.Context(), p.exhaustive(), losses(r.Rule))
	if err != nil {
		t.Fatalf("%v: %v", p, err)
	}
	if rule.Value.Hi.Cmp(r.OptDel.Lower) < 0 || rule.Value.Lo.Cmp(r.OptDel.Upper) > 0 {
		t.Errorf("%v: %s: OptDel is in [%.20g, %.20g], the rule %v attains %v", p, name(o), r.OptDel.Lower, r.OptDel.Upper, r.Rule, rule.Value)
	}
	for i, end := range rule.Ends {
		want, _ := end.Lo.Float64()
		checkProbability(t, p, r.Rule, i, want)
	}
}

// propLongRule: the same, by the plain walk.
func propLongRule(t *rapid.T) { checkLongRule(t, longProblems(200).Draw(t, "problem"), auto) }

func checkLongRule(t reporter, p problem, o impl.Options) {
	r := solve(t, p, o)
	value, ends := follow(p, losses(r.Rule))
	if attained := about(value); !attained.meets(found(r)["OptDel"]) {
		t.Errorf("%v: %s: OptDel is in [%.20g, %.20g], the rule %v attains %s", p, name(o), r.OptDel.Lower, r.OptDel.Upper, r.Rule, attained)
	}
	for i, want := range ends {
		checkProbability(t, p, r.Rule, i, want)
	}
}

// losses returns the thresholds of a rule.
func losses(rule []impl.Threshold) []float64 {
	out := make([]float64, len(rule))
	for i, line := range rule {
		out[i] = line.LossAtLeast
	}
	return out
}

func checkProbability(t reporter, p problem, rule []impl.Threshold, i int, want float64) {
	if got := rule[i].Probability; math.Abs(got-want) > probabilityError {
		t.Errorf("%v: the rule %v ends at stop %d with probability %g, followed: %g", p, rule, i+1, got, want)
	}
}

// A rule of the bracket is a good one, not the best, and its probabilities are those
// of merged losses: whatever it attains is not above OptDel.
func propBracketRule(t *rapid.T) {
	p := longProblems(60).Draw(t, "problem")
	r := solve(t, p, bracket)
	value, _ := follow(p, losses(r.Rule))
	if attained := about(value); !attained.atMost(found(r)["OptDel"]) {
		t.Errorf("%v: OptDel is at most %.20g, the rule %v attains %s", p, r.OptDel.Upper, r.Rule, attained)
	}
}

// propFollow: the two ways to follow a rule agree, whatever the thresholds from the
// charges on. (Below its charge a stop has a cost; only EvaluateRule counts it.)
func propFollow(t *rapid.T) {
	p := fewGrains(search{t})
	thresholds := make([]float64, len(p.stops))
	for i, s := range p.stops {
		charge, _ := s.eps.rat.Float64()
		thresholds[i] = max(charge, rapid.SampledFrom([]float64{0, 0.01, 0.02, 0.035, 0.5, math.Inf(1)}).Draw(t, "threshold"))
	}
	want, err := exhaustive.EvaluateRule(t.Context(), p.exhaustive(), thresholds)
	if err != nil {
		t.Fatalf("%v: %v", p, err)
	}
	value, ends := follow(p, thresholds)
	for i, pair := range append([]exhaustive.Interval{want.Value}, want.Ends...) {
		got := append([]float64{value}, ends...)[i]
		if x, _ := new(big.Float).Sub(pair.Lo, big.NewFloat(got)).Float64(); math.Abs(x) > plainError {
			t.Errorf("%v: under %v number %d is %v, or %g", p, thresholds, i, pair, got)
		}
	}
}

// fewGrains returns a problem of up to 5 mechanisms in grains, a stop after each.
func fewGrains(d register.Dice) problem {
	var p problem
	for k := range 1 + d.Roll(small) {
		p.mechanisms = append(p.mechanisms, mechanism{grains(int64(5 * d.Roll(5))), longDelta(d), 1})
		p.stops = append(p.stops, stop{k + 1, grains(int64(5 * d.Roll(6)))})
	}
	return p
}

func TestLaw_Rule(t *testing.T)     { t.Parallel(); rapid.Check(t, propRule) }
func TestLaw_LongRule(t *testing.T) { t.Parallel(); rapid.Check(t, propLongRule) }
func TestLaw_BracketRule(t *testing.T) {
	t.Parallel()
	rapid.Check(t, propBracketRule)
}
func TestPair_Follow(t *testing.T) { t.Parallel(); rapid.Check(t, propFollow) }

func FuzzRule(f *testing.F)        { f.Fuzz(rapid.MakeFuzz(propRule)) }
func FuzzLongRule(f *testing.F)    { f.Fuzz(rapid.MakeFuzz(propLongRule)) }
func FuzzBracketRule(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propBracketRule)) }
func FuzzFollow(f *testing.F)      { f.Fuzz(rapid.MakeFuzz(propFollow)) }
