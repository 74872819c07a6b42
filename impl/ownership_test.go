package impl

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// keepers are constructors that are given numbers by a caller, and functions whose results have them.
var keepers = map[string]func(t *testing.T, m *testkit.Mine) testkit.Answer{
	"loss.Nats": func(_ *testing.T, m *testkit.Mine) testkit.Answer {
		e := loss.Nats(m.Of("1/3"))
		return func() (string, []*big.Rat) { return e.String(), []*big.Rat{e.Rat()} }
	},
	"loss.Exp": func(_ *testing.T, m *testkit.Mine) testkit.Answer {
		e := loss.Exp(m.Of("7/3"))
		return func() (string, []*big.Rat) { return e.String(), []*big.Rat{e.Rat()} }
	},
	"loss.OfRat": func(_ *testing.T, m *testkit.Mine) testkit.Answer {
		s := loss.OfRat(m.Of("1/3"))
		return func() (string, []*big.Rat) { r, _ := s.Rat(); return s.String(), []*big.Rat{r} }
	},
	"loss.Sum": func(_ *testing.T, m *testkit.Mine) testkit.Answer {
		s := loss.Of(m.Eps("1/3")).Plus(loss.Of(loss.Exp(m.Of("7/3"))))
		s = s.PlusExactly(loss.OfRat(m.Of("0.25"))).Minus(loss.OfRat(m.Of("1/7")))
		return func() (string, []*big.Rat) { r, _ := s.Rat(); return s.String(), []*big.Rat{r} }
	},
	"NewSparseVectorLaw": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		l, err := NewSparseVectorLaw(m.Of("1/3"), 2, m.Of("1/7"), m.Of("1/9"))
		if err != nil {
			t.Fatal(err)
		}
		return testkit.Asked(func() any { return l })
	},
	"certify.NewLosses": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		l, err := certify.NewLosses([][2]*big.Rat{{m.Of("-1/3"), m.Of("1/2")}, {m.Of("2/7"), m.Of("1/3")}})
		if err != nil {
			t.Fatal(err)
		}
		return func() (string, []*big.Rat) {
			list := l.List()
			return fmt.Sprint(list), []*big.Rat{list[0][0], list[1][1]}
		}
	},
	"certify.NewSampled": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		s, err := certify.NewSampled(m.Of("1/3"), pipelineOf(m).Mechanisms)
		if err != nil {
			t.Fatal(err)
		}
		return func() (string, []*big.Rat) {
			first := s.Mechanisms()[0]
			return fmt.Sprint(s.Rate, s.Mechanisms(), s.Key(), s.Most()), []*big.Rat{first.Delta, first.Eps.Rat()}
		}
	},
	"OptDel": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		r, err := OptDel(t.Context(), pipelineOf(m), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return testkit.Asked(func() any { return numbersOf(r.Certified[0].Problem) })
	},
	"Pipeline.Problem": func(_ *testing.T, m *testkit.Mine) testkit.Answer {
		p := pipelineOf(m).Problem()
		return testkit.Asked(func() any { return numbersOf(p) })
	},
	"DesignSchedule": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		weights := []float64{1, 2}
		s, err := DesignSchedule(t.Context(), pipelineOf(m), m.Of("0.4"), ScheduleOptions{Weights: weights})
		if err != nil {
			t.Fatal(err)
		}
		weights[0] = 7
		return func() (string, []*big.Rat) {
			text := fmt.Sprint(numbersOf(s.Pipeline.Problem()), s.Weights, s.PlainDP())
			return text, []*big.Rat{s.PlainDP()}
		}
	},
	"LawOfPrivateIQR": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		l, err := LawOfPrivateIQR([]*big.Rat{m.Of("1"), m.Of("3"), m.Of("7"), m.Of("9")}, m.Eps("1/2"), m.Of("1/9"))
		if err != nil {
			t.Fatal(err)
		}
		return testkit.Asked(func() any { return fmt.Sprint(l) })
	},
	"DesignNoise": func(t *testing.T, m *testkit.Mine) testkit.Answer {
		p := pipelineOf(m)
		noise := certify.Additive{Noise: certify.Gaussian, Scale: m.Of("7/3"), Sampling: m.Of("1"),
			Adds: [][2]*big.Rat{{m.Of("0"), m.Of("1/9")}, {m.Of("1"), m.Of("8/9")}}}
		p.Mechanisms = append(p.Mechanisms, Mechanism{Additive: &noise, Count: 1})
		p.Stops[1].After = 4
		d, err := DesignNoise(context.Background(), p, m.Of("3"), m.Of("0.4"), NoiseOptions{RelWidth: 0.3})
		if err != nil {
			t.Fatal(err)
		}
		return testkit.Asked(func() any { return numbersOf(d.Pipeline.Problem()) })
	},
}

// pipelineOf has a mechanism of each kind that has numbers.
func pipelineOf(m *testkit.Mine) Pipeline {
	law := Law{{m.Of("2/3"), m.Of("1/3")}, {m.Of("1/3"), m.Of("2/3")}}
	return Pipeline{
		Mechanisms: []Mechanism{{Eps: m.Eps("1/3"), Delta: m.Of("1/999"), Count: 1},
			{Law: law, Count: 1}, {Law: law, Count: 1}},
		Stops: []Stop{{After: 1, Eps: m.Eps("1/7")}, {After: 3, Eps: m.Eps("1/3")}},
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
func TestNumbersAreCopied(t *testing.T) { testkit.NumbersAreCopied(t, keepers) }
