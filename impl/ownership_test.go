package impl

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

// mine are numbers of a caller, who changes them later.
type mine []*big.Rat

// of returns a number of the caller's.
func (m *mine) of(text string) *big.Rat {
	x := rational.MustParse(text)
	*m = append(*m, x)
	return x
}

// change changes all numbers, in their own memory.
func (m mine) change() {
	for _, x := range m {
		x.Num().SetInt64(5)
		x.SetFrac64(4, 5)
	}
}

// answer is a text that depends on all that is kept, and numbers that a getter returned.
type answer func() (text string, got []*big.Rat)

// asked is an answer without numbers.
func asked(of ...func() any) answer {
	return func() (string, []*big.Rat) {
		var all []any
		for _, f := range of {
			all = append(all, f())
		}
		return fmt.Sprint(all...), nil
	}
}

// readsOf are the answers of a run of a filter, before and after one more mechanism.
func readsOf(t *testing.T, f BudgetFilter, err error) answer {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return asked(func() any {
		r := NewFilterRun(f)
		before, err := r.Read(), r.Spend(natsOf("0.3"), rational.MustParse("1e-7"))
		return fmt.Sprintf("%+v %v %+v", before, err, r.Read())
	})
}

// keepers are constructors that are given numbers by a caller, and functions whose results have them.
var keepers = map[string]func(t *testing.T, m *mine) answer{
	"loss.Nats": func(_ *testing.T, m *mine) answer {
		e := loss.Nats(m.of("1/3"))
		return func() (string, []*big.Rat) { return e.String(), []*big.Rat{e.Rat()} }
	},
	"loss.Exp": func(_ *testing.T, m *mine) answer {
		e := loss.Exp(m.of("7/3"))
		return func() (string, []*big.Rat) { return e.String(), []*big.Rat{e.Rat()} }
	},
	"loss.OfRat": func(_ *testing.T, m *mine) answer {
		s := loss.OfRat(m.of("1/3"))
		return func() (string, []*big.Rat) { r, _ := s.Rat(); return s.String(), []*big.Rat{r} }
	},
	"loss.Sum": func(_ *testing.T, m *mine) answer {
		s := loss.Of(loss.Nats(m.of("1/3"))).Plus(loss.Of(loss.Exp(m.of("7/3")))).PlusExactly(loss.OfRat(m.of("0.25"))).Minus(loss.OfRat(m.of("1/7")))
		return func() (string, []*big.Rat) { r, _ := s.Rat(); return s.String(), []*big.Rat{r} }
	},
	"Accountant": func(t *testing.T, m *mine) answer {
		a, err := NewAccountant(loss.Nats(m.of("4/3")), m.of("1/3"))
		if err == nil {
			a, err = a.Spend(Guarantee{Parts: []Part{{"a", loss.Nats(m.of("1/7"))}}, Delta: m.of("1/9"), DP: &DPGuarantee{loss.Nats(m.of("1/8")), m.of("1/11")}}, "a")
		}
		if err != nil {
			t.Fatal(err)
		}
		return asked(func() any { return fmt.Sprint(a.Budget(), a.Spent(), a.Remaining(), a.Fits()) })
	},
	"NotAdmittedError": func(t *testing.T, m *mine) answer {
		err := budget(t, "1", "0").Spend(loss.Nats(m.of("8/7")), m.of("1/9"))
		return asked(func() any { return err.Error() })
	},
	"SumFilter": func(t *testing.T, m *mine) answer {
		f, err := NewSumFilter(loss.Nats(m.of("4/3")), m.of("1/3"))
		return readsOf(t, f, err)
	},
	"NewAdaptiveFilter": func(t *testing.T, m *mine) answer {
		f, err := NewAdaptiveFilter(loss.Nats(m.of("4/3")), m.of("1/3"), m.of("1/7"))
		return readsOf(t, f, err)
	},
	"NewZCDPFilter": func(t *testing.T, m *mine) answer {
		f, err := NewZCDPFilter(loss.Nats(m.of("4/3")), m.of("1/3"), m.of("1/7"))
		return readsOf(t, f, err)
	},
	"ODPFilter": func(t *testing.T, m *mine) answer {
		f, err := NewODPFilter(loss.Nats(m.of("4/3")), m.of("1/3"), m.of("1/7"), m.of("11/3"))
		reads := readsOf(t, f, err)
		return func() (string, []*big.Rat) {
			text, _ := reads()
			return text + f.Lambda().String(), []*big.Rat{f.Lambda()}
		}
	},
	"Reservation": func(t *testing.T, m *mine) answer {
		r := budget(t, "3", "1")
		parts := []Part{{"a", loss.Nats(m.of("1/7"))}, {"b", loss.Nats(m.of("1/3"))}}
		v, err := r.Reserve("", Guarantee{Parts: parts, Delta: m.of("1/9"), DP: &DPGuarantee{loss.Nats(m.of("1/4")), m.of("1/5")}})
		if err != nil {
			t.Fatal(err)
		}
		parts[0] = Part{"c", natsOf("2")}
		return asked(func() any { return fmt.Sprint(r.Read(), v.g.Parts, v.g.Delta, v.g.DP.Delta) })
	},
	"Odometer": func(t *testing.T, m *mine) answer {
		o, err := NewOdometer(MixtureCurve{0.1}, m.of("1/9"), m.of("1/3"))
		if err == nil {
			err = o.Spend(loss.Nats(m.of("1/7")), m.of("1/19"))
		}
		if err != nil {
			t.Fatal(err)
		}
		state := o.State()
		return asked(func() any { return fmt.Sprint(o.Read(), o.State(), state, o.most) })
	},
	"CurveRule": func(t *testing.T, m *mine) answer {
		r, err := NewCurveRule(MixtureCurve{0.1}, m.of("1/9"), m.of("1/3"))
		if err != nil {
			t.Fatal(err)
		}
		memory := r.Spend(r.Start(), Mechanism{Eps: loss.Nats(m.of("1/7")), Delta: m.of("1/19")})
		return asked(func() any { return fmt.Sprint(r.Reading(memory), memory, r.most) })
	},
	"SumRule": func(_ *testing.T, m *mine) answer {
		r := SumRule(m.of("7/3"), m.of("1/3"))
		return asked(func() any { return r.Start })
	},
	"NewTruncatedNegativeBinomial": func(t *testing.T, m *mine) answer {
		l, err := NewTruncatedNegativeBinomial(m.of("1/3"), m.of("4"))
		if err != nil {
			t.Fatal(err)
		}
		return asked(func() any { return l })
	},
	"NewSparseVectorLaw": func(t *testing.T, m *mine) answer {
		l, err := NewSparseVectorLaw(m.of("1/3"), 2, m.of("1/7"), m.of("1/9"))
		if err != nil {
			t.Fatal(err)
		}
		return asked(func() any { return l })
	},
	"PlanThresholding": func(t *testing.T, m *mine) answer {
		p, err := PlanThresholding(goalOf(m))
		if err != nil {
			t.Fatal(err)
		}
		return asked(func() any { return p })
	},
	"PlanPrivateSelection": func(t *testing.T, m *mine) answer {
		p, err := PlanPrivateSelection(goalOf(m), 10, m.of("1/2"))
		if err != nil {
			t.Fatal(err)
		}
		return asked(func() any { return p })
	},
	"certify.NewLosses": func(t *testing.T, m *mine) answer {
		l, err := certify.NewLosses([][2]*big.Rat{{m.of("-1/3"), m.of("1/2")}, {m.of("2/7"), m.of("1/3")}})
		if err != nil {
			t.Fatal(err)
		}
		return func() (string, []*big.Rat) {
			list := l.List()
			return fmt.Sprint(list), []*big.Rat{list[0][0], list[1][1]}
		}
	},
	"OptDel": func(t *testing.T, m *mine) answer {
		r, err := OptDel(t.Context(), pipelineOf(m), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return asked(func() any { return numbersOf(r.Certified[0].Problem) })
	},
	"Pipeline.Problem": func(_ *testing.T, m *mine) answer {
		p := pipelineOf(m).Problem()
		return asked(func() any { return numbersOf(p) })
	},
	"DesignSchedule": func(t *testing.T, m *mine) answer {
		weights := []float64{1, 2}
		s, err := DesignSchedule(t.Context(), pipelineOf(m), m.of("0.4"), ScheduleOptions{Weights: weights})
		if err != nil {
			t.Fatal(err)
		}
		weights[0] = 7
		return asked(func() any { return fmt.Sprint(numbersOf(s.Pipeline.Problem()), s.Weights) })
	},
	"DesignNoise": func(t *testing.T, m *mine) answer {
		p := pipelineOf(m)
		p.Mechanisms = append(p.Mechanisms, Mechanism{Additive: &certify.Additive{Noise: certify.Gaussian, Scale: m.of("7/3"), Sampling: m.of("1")}, Count: 1})
		p.Stops[1].After = 4
		d, err := DesignNoise(context.Background(), p, m.of("3"), m.of("0.4"), NoiseOptions{RelWidth: 0.3})
		if err != nil {
			t.Fatal(err)
		}
		return asked(func() any { return numbersOf(d.Pipeline.Problem()) })
	},
}

func goalOf(m *mine) SelectionGoal {
	return SelectionGoal{Eps: m.of("1"), Delta: m.of("1e-6"), Reach: m.of("1/100"), Fail: m.of("1/20"), Slack: m.of("1/10")}
}

// pipelineOf has a mechanism of each kind that has numbers.
func pipelineOf(m *mine) Pipeline {
	law := Law{{m.of("2/3"), m.of("1/3")}, {m.of("1/3"), m.of("2/3")}}
	return Pipeline{
		Mechanisms: []Mechanism{{Eps: loss.Nats(m.of("1/3")), Delta: m.of("1/999"), Count: 1}, {Law: law, Count: 1}, {Law: law, Count: 1}},
		Stops:      []Stop{{After: 1, Eps: loss.Nats(m.of("1/7"))}, {After: 3, Eps: loss.Nats(m.of("1/3"))}},
	}
}

// numbersOf are those of a problem.
func numbersOf(p certify.Problem) string {
	text := ""
	for _, m := range p.Mechanisms {
		text += fmt.Sprint(m.Eps.Value, m.Delta, m.Law, m.Count)
		if m.Additive != nil {
			text += fmt.Sprint(*m.Additive)
		}
	}
	for _, s := range p.Stops {
		text += fmt.Sprintf(" %+v", s)
	}
	return text
}

// TestNumbersAreCopied: what was made of numbers does not change when they do.
func TestNumbersAreCopied(t *testing.T) {
	t.Parallel()
	for name, keeper := range keepers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var m mine
			ask := keeper(t, &m)
			before, got := ask()
			m.change()
			mine(got).change()
			if after, _ := ask(); after != before {
				t.Errorf("before: %s\nafter:  %s", before, after)
			}
		})
	}
}
