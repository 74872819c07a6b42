package ledger

import (
	"fmt"
	"math/big"
	"testing"

	"checkrr/impl"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
)

// ledgerKeepers are constructors that are given numbers by a caller, and functions whose results have them.
var ledgerKeepers = map[string]func(t *testing.T, m *testkit.Mine) testkit.Answer{
	"Accountant": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		a, err := NewAccountant(m.Eps("4/3"), m.Of("1/3"))
		if err == nil {
			parts, dp := []Part{{"a", m.Eps("1/7")}}, &DPGuarantee{m.Eps("1/8"), m.Of("1/11")}
			a, err = a.Spend(Guarantee{Parts: parts, Delta: m.Of("1/9"), DP: dp}, "a")
		}
		if err != nil {
			t.Fatal(err)
		}
		return testkit.Asked(func() any { return fmt.Sprint(a.Budget(), a.Spent(), a.Remaining(), a.Fits()) })
	},
	"NotAdmittedError": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		err := budget(t, "1", "0").Spend(m.Eps("8/7"), m.Of("1/9"))
		return testkit.Asked(func() any { return err.Error() })
	},
	"SumFilter": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		f, err := NewSumFilter(m.Eps("4/3"), m.Of("1/3"))
		return readsOf(t, f, err)
	},
	"NewAdaptiveFilter": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		f, err := NewAdaptiveFilter(m.Eps("4/3"), m.Of("1/3"), m.Of("1/7"))
		return readsOf(t, f, err)
	},
	"NewZCDPFilter": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		f, err := NewZCDPFilter(m.Eps("4/3"), m.Of("1/3"), m.Of("1/7"))
		return readsOf(t, f, err)
	},
	"ODPFilter": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		f, err := NewODPFilter(m.Eps("4/3"), m.Of("1/3"), m.Of("1/7"), m.Of("11/3"))
		reads := readsOf(t, f, err)
		return func() (string, []*big.Rat) {
			text, _ := reads()
			return text + f.Lambda().String(), []*big.Rat{f.Lambda()}
		}
	},
	"Reservation": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		r := budget(t, "3", "1")
		parts := []Part{{"a", m.Eps("1/7")}, {"b", m.Eps("1/3")}}
		dp := &DPGuarantee{m.Eps("1/4"), m.Of("1/5")}
		v, err := r.Reserve("", Guarantee{Parts: parts, Delta: m.Of("1/9"), DP: dp})
		if err != nil {
			t.Fatal(err)
		}
		parts[0] = Part{"c", testkit.NatsOf("2")}
		return testkit.Asked(func() any { return fmt.Sprint(r.Read(), v.g.Parts, v.g.Delta, v.g.DP.Delta) })
	},
	"Odometer": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		o, err := NewOdometer(MixtureCurve{0.1}, m.Of("1/9"), m.Of("1/3"))
		if err == nil {
			err = o.Spend(m.Eps("1/7"), m.Of("1/19"))
		}
		if err != nil {
			t.Fatal(err)
		}
		state := o.State()
		return testkit.Asked(func() any { return fmt.Sprint(o.Read(), o.State(), state, o.most) })
	},
	"curves": func(t *testing.T, _ *testkit.Mine) testkit.Answer {
		line, mixture := &FilterCurve{1}, &MixtureCurve{0.1}
		curves := BestCurve{mixture, StitchedCurve{1}}
		var rules []*CurveRule
		for _, c := range []Curve{line, curves} {
			r, err := NewCurveRule(c, rational.MustParse("1e-5"), new(big.Rat))
			if err != nil {
				t.Fatal(err)
			}
			rules = append(rules, r)
		}
		ask := testkit.Asked(func() any {
			m := impl.Mechanism{Eps: testkit.NatsOf("0.1"), Delta: new(big.Rat)}
			return fmt.Sprint(rules[0].Reading(rules[0].Spend(Sums{}, m)), rules[0].curve,
				rules[1].Reading(rules[1].Spend(Sums{}, m)), rules[1].curve)
		})
		return func() (string, []*big.Rat) {
			defer func() { // before it is asked again
				line.Target, mixture.Gamma, curves[1] = 20, 20, FilterCurve{20}
			}()
			return ask()
		}
	},
	"CurveRule": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		r, err := NewCurveRule(MixtureCurve{0.1}, m.Of("1/9"), m.Of("1/3"))
		if err != nil {
			t.Fatal(err)
		}
		memory := r.Spend(r.Start(), impl.Mechanism{Eps: m.Eps("1/7"), Delta: m.Of("1/19")})
		return testkit.Asked(func() any { return fmt.Sprint(r.Reading(memory), memory, r.most) })
	},
	"SumRule": func(_ *testing.T, m *testkit.Mine) testkit.Answer {
		r := SumRule(m.Of("7/3"), m.Of("1/3"))
		return testkit.Asked(func() any { return r.Start })
	},
}

// readsOf are the answers of a run of a filter, before and after one more mechanism.
func readsOf(t *testing.T, f BudgetFilter, err error) testkit.Answer {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return testkit.Asked(func() any {
		r := NewFilterRun(f)
		before, err := r.Read(), r.Spend(testkit.NatsOf("0.3"), rational.MustParse("1e-7"))
		return fmt.Sprintf("%+v %v %+v", before, err, r.Read())
	})
}

// TestNumbersAreCopiedByLedgers: what was made of numbers does not change when they do.
func TestNumbersAreCopiedByLedgers(t *testing.T) { testkit.NumbersAreCopied(t, ledgerKeepers) }
