package verify

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// randomLaw returns a pair of laws over 1 to 5 outputs, with probabilities that are multiples of 1/d, some of
// them 0.
func randomLaw(d register.Dice) impl.Law {
	n, denominator := 1+d.Roll(5), 1+d.Roll(12)
	law := make(impl.Law, n)
	for b := range 2 {
		counts := make([]int64, n)
		for range denominator {
			counts[d.Roll(n)]++
		}
		for z := range law {
			law[z][b] = big.NewRat(counts[z], int64(denominator))
		}
	}
	return law
}

// randomLaws returns a pipeline of mechanisms with laws, and some without.
func randomLaws(d register.Dice, most int) (p impl.Pipeline) {
	total := 1 + d.Roll(most)
	for left := total; left > 0; {
		m := impl.Mechanism{Count: 1 + d.Roll(min(left, 3))}
		if d.Roll(4) == 0 {
			m.Eps, m.Delta = loss.Exp(big.NewRat(int64(1+d.Roll(4)), 1)), big.NewRat(int64(d.Roll(3)), 7)
		} else {
			m.Law = randomLaw(d)
		}
		left -= m.Count
		p.Mechanisms = append(p.Mechanisms, m)
	}
	for k := 1; k <= total; k++ {
		if k == total || d.Roll(2) == 0 {
			charge := rat.Add(big.NewRat(1, 1), big.NewRat(int64(d.Roll(12)), int64(1+d.Roll(4))))
			p.Stops = append(p.Stops, impl.Stop{After: k, Eps: loss.Exp(charge)})
		}
	}
	return p
}

// enumerated returns OptDel and Lemma 11's δ by enumeration, for neighbours in both orders.
func enumerated(t *testing.T, p impl.Pipeline) (optDel, lemma11 *big.Rat) {
	t.Helper()
	optDel, lemma11 = new(big.Rat), new(big.Rat)
	for _, q := range []exhaustive.Pipeline{oneByOne(p, false), oneByOne(p, true)} {
		v, err := exhaustive.Exact(t.Context(), q, nil)
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		optDel, lemma11 = rat.Max(optDel, v.OptDel), rat.Max(lemma11, v.Lemma11)
	}
	return optDel, lemma11
}

// TestFinite: with any pairs of laws, every way of impl contains what enumeration finds.
func TestFinite(t *testing.T) {
	t.Parallel()
	n := amount(24, 600)
	d, strict, mattered := register.Seeded(77), 0, 0
	for i := range n {
		p := randomLaws(d, 6)
		wantOptDel, wantLemma11 := enumerated(t, p)
		optDel, _, lemma11, err := impl.Exact(t.Context(), p)
		if err != nil || optDel.Cmp(wantOptDel) != 0 || lemma11.Cmp(wantLemma11) != 0 {
			t.Fatalf("%d: %v: impl.Exact says %v and %v, enumeration %v and %v; %v",
				i, p, optDel, lemma11, wantOptDel, wantLemma11, err)
		}
		if len(p.Orders()) == 2 {
			strict++
		}
		for _, o := range everyWay {
			r, err := impl.OptDel(t.Context(), p, o)
			if err != nil {
				t.Fatalf("%d: %v: %s: %v", i, p, name(o), err)
			}
			if !r.OptDel.Contains(wantOptDel) || !r.Lemma11.Contains(wantLemma11) {
				t.Errorf("%d: %v: %s: OptDel in %v, Lemma 11 in %v, want %s and %s", i, p, name(o), r.OptDel, r.Lemma11,
					decimalText(wantOptDel), decimalText(wantLemma11))
			}
			if checkRuleOf(t, p, r) {
				mattered++
			}
			if width := max(r.OptDel.RelWidth(), r.Lemma11.RelWidth()); r.Shortfall == "" && width > max(o.RelWidth,
				impl.DefaultRelWidth) {
				t.Errorf("%d: %v: %s: relative width %g", i, p, name(o), width)
			}
		}
	}
	if strict < n/2 || mattered < n/10 {
		t.Errorf("only %d of %d pipelines depend on the order of neighbours, and the rules of %d", strict, n, mattered)
	}
}

// checkRuleOf checks that the rule attains OptDel for neighbours in one of their orders, if the bounds are narrow,
// and reports whether it does not in the other.
func checkRuleOf(t *testing.T, p impl.Pipeline, r *impl.Result) (isOne bool) {
	t.Helper()
	if r.OptDel.RelWidth() > impl.DefaultRelWidth {
		return false
	}
	attained := 0
	orders := p.Orders()
	for _, q := range orders {
		v, err := exhaustive.EvaluateRule(t.Context(), oneByOne(q, false), losses(r.Rule))
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		if v.Value.Hi.Cmp(r.OptDel.Lower) >= 0 {
			attained++
		}
	}
	if attained == 0 {
		t.Errorf("%v: OptDel in %v, the rule %v attains less", p, r.OptDel, r.Rule)
	}
	return attained < len(orders)
}

// oneByOne returns p with an entry a mechanism, for neighbours in one order or the other.
func oneByOne(p impl.Pipeline, isBack bool) (q exhaustive.Pipeline) {
	for _, m := range p.Mechanisms {
		one := exhaustive.Mechanism{Delta: m.Delta}
		if m.Law == nil {
			one.Eps = exhaustive.Epsilon{Rat: m.Eps.Rat(), Exp: true}
		}
		for _, x := range m.Law {
			if isBack {
				x[0], x[1] = x[1], x[0]
			}
			one.Law = append(one.Law, x)
		}
		q.Mechanisms = append(q.Mechanisms, slices.Repeat([]exhaustive.Mechanism{one}, m.Count)...)
	}
	for _, s := range p.Stops {
		q.Stops = append(q.Stops, exhaustive.Stop{After: s.After, Eps: exhaustive.Epsilon{Rat: s.Eps.Rat(), Exp: true}})
	}
	return q
}

// TestFinite_Long: with many steps float64 on a lattice, on grids, and rationals or wide arithmetic agree.
func TestFinite_Long(t *testing.T) {
	t.Parallel()
	law := func(ps ...string) (l impl.Law) {
		for i := 0; i < len(ps); i += 2 {
			l = append(l, [2]*big.Rat{rat.Of(ps[i]), rat.Of(ps[i+1])})
		}
		return l
	}
	for text, laws := range map[string][]impl.Law{
		"one lattice":       {law("2/7", "1/7", "4/7", "2/7", "1/7", "4/7")},
		"leaks":             {law("1/2", "1/4", "1/4", "1/2", "1/4", "0", "0", "1/4")},
		"losses below 0":    {law("1/100", "0", "99/100", "1")},
		"no lattice":        {law("0.5", "0.3", "0.1", "0.5", "0.4", "0.2")},
		"laws in turn":      {law("0.5", "0.4", "0.5", "0.6"), law("0.7", "0.69", "0.3", "0.31")},
		"nothing in common": {law("1", "0", "0", "1"), law("0.5", "0.4", "0.5", "0.6")},
		"nothing":           {law("1", "1")},
	} {
		var p impl.Pipeline
		for i := range amount(24, 60) {
			p.Mechanisms = append(p.Mechanisms, impl.Mechanism{Law: laws[i%len(laws)], Count: 1})
			if i%12 == 11 {
				p.Stops = append(p.Stops, impl.Stop{After: i + 1, Eps: loss.Nats(big.NewRat(int64(i+5), 30))})
			}
		}
		var results []*impl.Result
		for _, o := range []impl.Options{{RelWidth: 1e-3}, {Method: impl.Bracket, RelWidth: 1e-3}, {},
			{RelWidth: 1e-14}} {
			r, err := impl.OptDel(t.Context(), p, o)
			if err != nil {
				t.Fatalf("%s, %s: %v", text, name(o), err)
			}
			for _, other := range results {
				if !rat.Meet(r.OptDel, other.OptDel) || !rat.Meet(r.Lemma11, other.Lemma11) {
					t.Errorf("%s, %s: OptDel in %v and in %v, Lemma 11 in %v and in %v",
						text, fmt.Sprint(o), r.OptDel, other.OptDel, r.Lemma11, other.Lemma11)
				}
			}
			results = append(results, r)
		}
	}
}
