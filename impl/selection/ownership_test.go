package selection

import (
	"checkrr/impl/internal/testkit"
	"testing"
)

// selectionKeepers are constructors that are given numbers by a caller, and functions whose results have them.
var selectionKeepers = map[string]func(t *testing.T, m *testkit.Mine) testkit.Answer{
	"NewTruncatedNegativeBinomial": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		l, err := NewTruncatedNegativeBinomial(m.Of("1/3"), m.Of("4"))
		if err != nil {
			t.Fatal(err)
		}
		return testkit.Asked(func() any { return l })
	},
	"PlanThresholding": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		p, err := PlanThresholding(goalOf(m))
		if err != nil {
			t.Fatal(err)
		}
		return testkit.Asked(func() any { return p })
	},
	"PlanPrivateSelection": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		p, err := PlanPrivateSelection(goalOf(m), 10, m.Of("1/2"))
		if err != nil {
			t.Fatal(err)
		}
		return testkit.Asked(func() any { return p })
	},
}

func goalOf(m *testkit.Mine) Goal {
	return Goal{Eps: m.Of("1"), Delta: m.Of("1e-6"), Reach: m.Of("1/100"), Fail: m.Of("1/20"), Slack: m.Of("1/10")}
}

// TestNumbersAreCopiedBySelection: what was made of numbers does not change when they do.
func TestNumbersAreCopiedBySelection(t *testing.T) { testkit.NumbersAreCopied(t, selectionKeepers) }
