package selection

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
)

// passing returns the probability that the test of a threshold passes that a run reaches with probability p: by the
// binomial law and the law of ξ − ν, in float64.
func passing(p SearchPlan, at float64) (pr float64) {
	n, offset := rational.Float64(new(big.Rat).SetInt(p.Samples)), p.Search.offset().Float().Hi
	b, lambda := 4*rational.Float64(p.Search.swing()), p.Search.lambda().Float().Hi
	star := math.Log(n*rational.Float64(p.Search.PStar) + offset)
	all, _ := math.Lgamma(n + 1)
	for k := 0.0; k <= n; k++ {
		first, _ := math.Lgamma(k + 1)
		second, _ := math.Lgamma(n - k + 1)
		weight := math.Exp(all - first - second + k*math.Log(at) + (n-k)*math.Log1p(-at))
		g := (math.Log(k+offset) - star + lambda) / b // ξ + g·b ≥ ν
		tail := (4*math.Exp(-math.Abs(g)) - math.Exp(-2*math.Abs(g))) / 6
		if g > 0 {
			tail = 1 - tail
		}
		pr += weight * tail
	}
	return pr
}

// Each way to fail has a third of the goal's probability at most, by the laws of the two parts, and the budget is kept.
func TestPlanPrivateSelection(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		goal       Goal
		thresholds int
		share      string
	}{
		{goal("20", "0.5", "0.5", "0.1"), 2, "0.95"}, {goal("3", "0.1", "0.9", "0.1"), 1, "0.9"},
		{goal("100", "0.01", "0.3", "1"), 10, "0.95"}, {goal("50", "0.9", "0.6", "1"), 3, "0.9"},
	} {
		x.goal.Delta = rational.MustParse("0.01")
		p, err := PlanPrivateSelection(x.goal, x.thresholds, rational.MustParse(x.share))
		if err != nil {
			t.Fatal(err)
		}
		if p.Samples.Cmp(big.NewInt(3e6)) > 0 {
			t.Fatalf("%v samples are too many for this test", p.Samples)
		}
		spent := new(big.Rat).Add(p.Search.Eps3, x.goal.Slack)
		if spent.Add(spent, new(big.Rat).Add(p.Eps, p.Eps)).Cmp(x.goal.Eps) > 0 {
			t.Errorf("%+v: %v is spent", x, spent)
		}
		third, reach := rational.Float64(x.goal.Fail)/3, rational.Float64(p.Reach)
		low, high := 1-passing(p, rational.Float64(x.goal.Reach)), float64(x.thresholds)*passing(p, reach)
		none := noneAbove(complement(p.Reach), p.Gamma, int(p.Limit.Int64())).Float().Hi
		if low > third || high > third || none > third {
			t.Errorf("%+v: a threshold does not pass with probability %g, one that is too high passes with %g, "+
				"nothing is found with %g", x, low, high, none)
		}
		if none < 0.3*third || low < 1e-3*third || high < 1e-3*third {
			t.Errorf("%+v: %g, %g and %g are far below %g", x, low, high, none, third)
		}
		if new(big.Float).SetInt(p.MostRuns()).Cmp(p.Printed) > 0 {
			t.Errorf("%+v: %v runs, %v by print", x, p.MostRuns(), p.Printed)
		}
	}
}

// A larger share of the search needs fewer runs; what cannot be planned is said.
func TestPlanPrivateSelection_Edges(t *testing.T) {
	t.Parallel()
	g := goal("1", "0.01", "0.05", "0.01")
	g.Delta = rational.MustParse("1e-6")
	var last *big.Int
	for _, share := range []string{"0.1", "0.2", "0.5", "0.9"} {
		p, err := PlanPrivateSelection(g, 10, rational.MustParse(share))
		if err != nil {
			t.Fatal(err)
		}
		if last != nil && p.MostRuns().Cmp(last) >= 0 {
			t.Errorf("share %s: %v runs, with less %v", share, p.MostRuns(), last)
		}
		last = p.MostRuns()
	}
	for _, x := range []struct{ delta, share, want string }{
		{"0", "0.2", "delta is 0"}, {"1e-6", "0.999", "leave nothing"}, {"1e-6", "1", "share of the search is 1"},
		{"1e-6", "0.001", "more than 1e260 runs"},
	} {
		g.Delta = rational.MustParse(x.delta)
		_, err := PlanPrivateSelection(g, 10, rational.MustParse(x.share))
		testkit.ExpectError(t, err, x.want)
	}
	if _, err := PlanPrivateSelection(g, 0, rational.MustParse("0.2")); err == nil {
		t.Error("no threshold is accepted")
	}
}
