package impl

import (
	"math/big"
	"testing"
)

func TestX(t *testing.T) {
	g := SelectionGoal{Eps: big.NewRat(1, 1), Reach: big.NewRat(1, 10), Fail: big.NewRat(1, 20), Slack: big.NewRat(1, 100)}
	for _, f := range []func(SelectionGoal) (SelectionPlan, error){PlanThresholding, PlanRandomStopping, PlanHardStopping} {
		p, err := f(g)
		t.Log(p.Gamma.FloatString(8), p.Limit, p.Eps, p.Loss.Upper, p.Runs.Upper, p.Failing.Upper, p.Printed.Eps, p.Printed.Limit, err)
	}
}
