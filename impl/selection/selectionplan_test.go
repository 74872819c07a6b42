package selection

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// plans are the functions that plan, each with the bound of its loss.
var plans = []struct {
	name string
	plan func(Goal) (Plan, error)
	loss func(eps loss.Epsilon, gamma *big.Rat, t int) interval.Interval
}{
	{"threshold", PlanThresholding, ThresholdingLoss},
	{"random-stop", PlanRandomStopping, func(eps loss.Epsilon, gamma *big.Rat, _ int) interval.Interval {
		return RandomStoppingLoss(eps, gamma)
	}},
	{"hard-stop", PlanHardStopping, HardStoppingLoss},
}

func goal(eps, reach, fail, slack string) Goal {
	return Goal{Eps: rational.MustParse(eps), Reach: rational.MustParse(reach), Fail: rational.MustParse(fail),
		Slack: rational.MustParse(slack)}
}

// A plan keeps to its goal, hardly below it, and its limit could not be smaller.
func TestSelectionPlan(t *testing.T) {
	t.Parallel()
	for _, g := range []Goal{
		goal("1", "0.1", "0.05", "0.01"), goal("1e-6", "1/3", "1e-9", "1e-9"), goal("20", "0.001", "0.3", "1"),
		goal("3", "0.999", "0.9", "2.9"), goal("700", "1e-6", "1e-3", "1"),
	} {
		for _, x := range plans {
			p, err := x.plan(g)
			if err != nil {
				t.Fatalf("%s %v: %v", x.name, g, err)
			}
			eps, fail := rational.Float64(g.Eps), bits.Rat(g.Fail)
			got := x.loss(loss.Nats(new(big.Rat).SetFloat64(p.Eps)), p.Gamma, p.Limit)
			if got.Upper.Cmp(p.Loss.Upper) != 0 || got.Upper.Cmp(bits.Rat(g.Eps).Upper) > 0 {
				t.Errorf("%s %v: the loss is %v, in the plan %v", x.name, g, got.Upper, p.Loss.Upper)
			}
			if got := p.Loss.Float().Hi; got < eps*(1-1e-6) && p.Limit == Unlimited {
				t.Errorf("%s %v: the loss is %g only", x.name, g, got)
			}
			if p.Failing.Upper.Cmp(fail.Upper) > 0 || p.Failing.Float().Hi < 0.98*rational.Float64(g.Fail) &&
				p.Gamma.Cmp(rational.One) < 0 {
				t.Errorf("%s %v: fails with %v", x.name, g, p.Failing.Upper)
			}
			if p.Limit > 2 {
				fewer := x.loss(loss.Nats(new(big.Rat)), p.Gamma, p.Limit-1)
				if fewer.Upper.Cmp(bits.Rat(g.Slack).Lower) <= 0 &&
					noneAbove(complement(g.Reach), p.Gamma, p.Limit-1).Upper.Cmp(fail.Lower) <= 0 {
					t.Errorf("%s %v: %d runs would be enough", x.name, g, p.Limit-1)
				}
			}
			if below := rational.Float64(p.Printed.Eps); p.Eps < below {
				t.Errorf("%s %v: ε is %g, the theorem allows %g", x.name, g, p.Eps, below)
			}
		}
	}
}

// What a plan says is what the laws say: of how often a goal is missed, how many draws there are, and what the worst
// oracle loses.
func TestSelectionPlan_Laws(t *testing.T) {
	t.Parallel()
	g := goal("1", "0.4", "0.1", "0.1")
	for _, x := range plans {
		p, err := x.plan(g)
		if err != nil {
			t.Fatal(err)
		}
		if want := NoneAbove(complement(g.Reach), p.Gamma, p.Limit); !p.Failing.Contains(want) {
			t.Errorf("%s: fails with %s, in the plan %v", x.name, want.FloatString(9), p.Failing)
		}
		e := new(big.Rat).SetFloat64(math.Exp(p.Eps))
		high := new(big.Rat).Inv(new(big.Rat).Add(rational.One, e)) // the unlikely answer is the highest sample
		const share = 1e-6                                          // of the likely one is the next
		tiny := new(big.Rat).SetFloat64(share)
		one := []*big.Rat{new(big.Rat).Mul(complement(high), complement(tiny)),
			new(big.Rat).Mul(complement(high), tiny), high}
		two := []*big.Rat{new(big.Rat).Mul(high, complement(tiny)), new(big.Rat).Mul(high, tiny), complement(high)}
		law := func(q []*big.Rat) *big.Rat {
			if x.name == "threshold" {
				law, _ := ThresholdingLaw(q, 1, p.Gamma, p.Limit)
				return law[1]
			}
			return HardStoppingLaw(q, p.Gamma, p.Limit)[1]
		}
		got := math.Log(rational.Float64(new(big.Rat).Quo(law(one), law(two))))
		if most := p.Loss.Float().Hi; got > most || got < most-0.1-1e-5 || p.Limit == Unlimited && got < most-1e-5 {
			t.Errorf("%s: the worst oracle loses %g, in the plan %g", x.name, got, most)
		}
	}
	p, err := PlanThresholding(g)
	if want := drawsOf(g.Reach, p.Gamma, p.Limit); err != nil || !p.Runs.Contains(want) {
		t.Errorf("%s draws on average, in the plan %v", want.FloatString(9), p.Runs)
	}
}

func TestSelectionPlan_Refuses(t *testing.T) {
	t.Parallel()
	for want, g := range map[string]Goal{
		"eps is 0, must be greater than 0": goal("0", "0.1", "0.1", "0.1"),
		"reach is 1, must be less than 1":  goal("1", "1", "0.1", "0.1"),
		"fail is missing, must be a number": {Eps: rational.One, Reach: big.NewRat(1, 2),
			Slack: big.NewRat(1, 2)},
		"slack is 1, must be less than 1":              goal("1", "0.1", "0.1", "1"),
		"eps is 701, must be at most 700":              goal("701", "0.5", "0.1", "1"),
		"delta is 1, must be 0, or at least 1e-100":    withDelta("1"),
		"delta is 1e-101, must be 0, or at least":      withDelta("1e-101"),
		"more than 1099511627776 runs would be needed": goal("1", "1e-20", "0.1", "0.1"),
	} {
		if _, err := PlanHardStopping(g); err == nil || !strings.HasPrefix(err.Error(), "PlanHardStopping: "+want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// withDelta is a goal with a δ.
func withDelta(delta string) Goal {
	g := goal("1", "0.1", "0.05", "0.01")
	g.Delta = rational.MustParse(delta)
	return g
}

// With a δ, runs may spend what makes it, hardly less, and no less δ than by the theorems; all else is as without.
func TestSelectionPlan_Delta(t *testing.T) {
	t.Parallel()
	for _, delta := range []string{"1e-100", "1e-6", "0.5", "999/1000"} {
		g := withDelta(delta)
		for _, x := range plans {
			p, err := x.plan(g)
			if err != nil {
				t.Fatal(err)
			}
			got := SelectionDelta(p.Delta, p.Gamma, Unlimited)
			if least := new(big.Rat).Mul(g.Delta, rational.MustParse("0.9998")); got.Cmp(g.Delta) > 0 ||
				got.Cmp(least) < 0 {
				t.Errorf("%s, δ = %s: the runs make %s", x.name, delta, rational.Decimal(got))
			}
			if printed := p.Printed; printed.Delta != nil && printed.Delta.Cmp(p.Delta) > 0 {
				t.Errorf("%s, δ = %s: the theorem allows δ_1 = %s", x.name, delta, rational.Decimal(printed.Delta))
			}
			g.Delta = nil
			if pure, err := x.plan(g); err != nil || pure.Eps != p.Eps || pure.Limit != p.Limit ||
				pure.Delta.Sign() != 0 {
				t.Errorf("%s: without δ ε is %g, with it %g", x.name, pure.Eps, p.Eps)
			}
			g = withDelta(delta)
		}
	}
}
