package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
)

// menuOf returns mechanisms of "ε, δ" pairs.
func menuOf(text ...string) (menu []impl.Mechanism) {
	for i := 0; i+1 < len(text); i += 2 {
		menu = append(menu, impl.Mechanism{Eps: loss.Nats(rat(text[i])), Delta: rat(text[i+1]), Count: 1})
	}
	return menu
}

// varianceRule is a filter that a test writes down: by Σ ε² and Σ δ before a mechanism, and by that.
type varianceRule func(v, delta, eps, deltaM float64, isFirst bool) bool

// varianceMemory is exact, so that equal sums are equal.
type varianceMemory struct {
	v, delta string
	isFirst  bool
}

func (varianceRule) Start() any { return varianceMemory{"0", "0", true} }

func (f varianceRule) Spend(memory any, m impl.Mechanism) (any, bool) {
	s := memory.(varianceMemory)
	v, d, e := rat(s.v), rat(s.delta), m.Eps.Rat()
	if !f(floatOf(v), floatOf(d), floatOf(e), floatOf(m.Delta), s.isFirst) {
		return nil, false
	}
	v.Add(v, new(big.Rat).Mul(e, e))
	return varianceMemory{v.RatString(), d.Add(d, m.Delta).RatString(), false}, true
}

func floatOf(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}

// advanced is √(2 ln(1/δ′)V) + V/2, its first term scaled.
func advanced(scale, delta1, v float64) float64 {
	return scale*math.Sqrt(2*math.Log(1/delta1)*v) + v/2
}

// slack makes sums of float64 compare as those of decimals.
const slack = 1 + 1e-12

// controls are rules, right and wrong, each with a menu against which the challenger must tell which it is.
var controls = []struct {
	name   string
	rule   varianceRule
	eps    string
	claim  string
	rounds int
	menu   []impl.Mechanism
	wrong  bool
}{
	{"Theorem 8", func(v, d, e, dm float64, _ bool) bool { return advanced(1, 1e-12, v+e*e) <= 10 && d+dm == 0 },
		"10", "1e-12", 4000, menuOf("0.028", "0"), false},
	{"Theorem 8, its constant 10 % too small", func(v, d, e, dm float64, _ bool) bool { return advanced(0.9, 1e-12, v+e*e) <= 10 && d+dm == 0 },
		"10", "1e-12", 4000, menuOf("0.028", "0"), true},
	{"Theorem 8 with δ", func(v, d, e, dm float64, _ bool) bool { return advanced(1, 5e-4, v+e*e) <= 1 && d+dm <= 5e-4*slack },
		"1", "1e-3", 20, menuOf("0.02", "1e-4", "0.01", "0"), false},
	{"δ not counted", func(v, d, e, dm float64, _ bool) bool { return advanced(1, 5e-4, v+e*e) <= 1 },
		"1", "1e-3", 20, menuOf("0.02", "1e-4", "0.01", "0"), true},
	{"one round late", func(v, d, e, dm float64, _ bool) bool { return advanced(1, 1e-3, v) <= 1 },
		"1", "1e-3", 1, menuOf("1.25", "0"), true},
	{"the first mechanism always runs", func(v, d, e, dm float64, isFirst bool) bool {
		return isFirst || advanced(1, 5e-4, v+e*e) <= 1 && d+dm <= 5e-4*slack
	}, "1", "1e-3", 1, menuOf("1", "1/100"), true},
	{"a decadic logarithm", func(v, d, e, dm float64, _ bool) bool { return math.Sqrt(2*math.Log10(1e3)*(v+e*e))+(v+e*e)/2 <= 3 },
		"3", "1e-3", 200, menuOf("0.1", "0"), true},
	{"Theorem 2 as printed, one round", func(v, d, e, dm float64, _ bool) bool { return (v+e*e)/2 <= 0.125 && d+dm <= 0.9*slack },
		"0.3546", "0.9", 1, menuOf("0.5", "0.9"), true}, // ρ + 2√(ρ ln(1/δ)) = 0.35452
	{"Theorem 2 as printed", func(v, d, e, dm float64, _ bool) bool { return (v+e*e)/2 <= 0.045 && d+dm <= 1e-3*slack },
		"1.161", "1e-3", 60, menuOf("0.04", "1e-3", "0.04", "0"), true}, // ρ + 2√(ρ ln(1/δ)) = 1.16008
}

// TestControl_Challenge: the challenger tells right filters from wrong ones.
func TestControl_Challenge(t *testing.T) {
	t.Parallel()
	for _, c := range controls {
		claim := rat(c.claim)
		got, err := impl.ChallengeFilter(t.Context(), c.menu, c.rounds, c.rule, loss.Nats(rat(c.eps)), impl.ChallengeOptions{Claim: claim})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.Refuted != c.wrong || got.Holds == c.wrong {
			t.Errorf("%s: holds %v, refuted %v, want refuted %v: the worst is in [%g, %g], claimed %s",
				c.name, got.Holds, got.Refuted, c.wrong, got.Worst.Lower, got.Worst.Upper, c.claim)
		}
		if c.wrong && (len(got.Adversary) == 0 || got.Adversary[0].Round != 1) {
			t.Errorf("%s: the adversary is %v", c.name, got.Adversary)
		}
	}
}

// TestPaper_Filters: no adversary of these menus refutes Theorem 8, nor Theorem 2 with δ′ in its logarithm.
func TestPaper_Filters(t *testing.T) {
	t.Parallel()
	menus := [][]impl.Mechanism{
		menuOf("0.1", "0"), menuOf("0.02", "1e-6", "0.05", "0"), menuOf("0.01", "0", "0.02", "1e-6", "0.03", "2e-6", "0.08", "0"), menuOf("0.5", "0", "1", "1e-3"),
	}
	for _, delta := range []string{"1e-5", "1e-2", "0.7"} {
		for _, eps := range []string{"0.3", "1", "8"} {
			for _, make := range []func(loss.Epsilon, *big.Rat, *big.Rat) (*impl.VarianceFilter, error){impl.NewAdaptiveFilter, impl.NewZCDPFilter} {
				f, err := make(loss.Nats(rat(eps)), rat(delta), new(big.Rat).Quo(rat(delta), rat("2")))
				if err != nil {
					t.Fatal(err)
				}
				for i, menu := range menus {
					got, err := impl.ChallengeFilter(t.Context(), menu, 20, f, loss.Nats(rat(eps)), impl.ChallengeOptions{Claim: rat(delta)})
					if err != nil || !got.Holds {
						t.Errorf("ε = %s, δ = %s, menu %d: %v, %v", eps, delta, i, got, err)
					}
				}
			}
		}
	}
}

// scaledOdometer is an odometer of which the reading is scaled: below 1, a wrong one.
type scaledOdometer struct {
	*impl.CurveRule
	scale float64
}

func (o scaledOdometer) Reading(memory any) interval.Float {
	r := o.CurveRule.Reading(memory)
	if r.Hi == math.MaxFloat64 {
		return r
	}
	return interval.Point(o.scale * r.Hi)
}

// TestPaper_Theorem3: no adversary of these menus exceeds the odometers with more than δ; the filter odometer, of which
// 94 % of δ′ are attained, is exceeded if it reads 5 % less.
func TestPaper_Theorem3(t *testing.T) {
	t.Parallel()
	curves := []impl.Curve{impl.FilterCurve{Target: 1}, impl.MixtureCurve{Gamma: 0.1}, impl.StitchedCurve{V0: 0.01}, impl.RogersCurve{Size: 100},
		impl.BestCurve{impl.FilterCurve{Target: 1}, impl.MixtureCurve{Gamma: 0.1}}}
	menus := [][]impl.Mechanism{menuOf("0.05", "0"), menuOf("0.1", "0", "0.3", "1e-3"), menuOf("1", "0", "2", "0", "3", "1e-4")}
	for _, curve := range curves {
		for _, delta1 := range []string{"0.3", "1e-3"} {
			r, err := impl.NewCurveRule(curve, rat(delta1), rat("3e-3"))
			if err != nil {
				t.Fatal(err)
			}
			claim := new(big.Rat).Add(rat(delta1), rat("3e-3"))
			for i, menu := range menus {
				got, err := impl.ChallengeOdometer(t.Context(), menu, 25, r, impl.ChallengeOptions{Claim: claim})
				if err != nil || !got.Holds {
					t.Errorf("%T, δ′ = %s, menu %d: %v, %v", curve, delta1, i, got, err)
				}
			}
		}
	}
	r, err := impl.NewCurveRule(impl.FilterCurve{Target: 1}, rat("0.3"), rat("0"))
	if err != nil {
		t.Fatal(err)
	}
	for _, scale := range []float64{1, 0.95} {
		got, err := impl.ChallengeOdometer(t.Context(), menuOf("0.05", "0"), 2000, scaledOdometer{r, scale}, impl.ChallengeOptions{Claim: rat("0.3")})
		if err != nil || got.Refuted != (scale < 1) || got.Worst.Float().Lo < 0.28 {
			t.Errorf("the filter odometer times %g: %v, %v", scale, got, err)
		}
	}
}

// TestPaper_Theorem3PDP: what is printed does not hold for mechanisms that are (ε, δ)-pDP with δ > 0. With the laws (1, 0)
// and (1 − δ, δ) and ε = −ln(1 − δ), six of them with Σ δ = δ″ = 0.1 have a loss of 6ε for sure, which exceeds the
// reading of the filter odometer, and a hundred of them that of the others; they claim that this has a probability of
// at most δ = 0.2. As corrected they hold.
func TestPaper_Theorem3PDP(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		n       int
		printed func(eps, delta []float64, v float64) float64
		curve   func(v float64) impl.Curve
	}{
		{"filter", 6, func(eps, delta []float64, v float64) float64 { // the target of the printed y* is twice that of the corrected one
			return spec.FilterOdometer(eps, delta, 0.1, 0.1*slack, 2*spec.AdvancedCharge(v, 0.1))
		}, func(v float64) impl.Curve { return impl.FilterCurve{Target: spec.AdvancedCharge(v, 0.1)} }},
		{"mixture", 100, func(eps, delta []float64, v float64) float64 {
			return spec.MixtureOdometer(eps, delta, 0.1, 0.1*slack, v)
		}, func(v float64) impl.Curve { return impl.MixtureCurve{Gamma: v} }},
		{"stitched", 100, func(eps, delta []float64, v float64) float64 {
			return spec.StitchedOdometer(eps, delta, 0.1, 0.1*slack, v/2)
		}, func(v float64) impl.Curve { return impl.StitchedCurve{V0: v / 2} }},
		{"rogers", 100, func(eps, delta []float64, v float64) float64 {
			return spec.RogersOdometer(eps, delta, 0.1, 0.1*slack, 2/math.Sqrt(v))
		}, func(v float64) impl.Curve { return impl.RogersCurve{Size: 2 / math.Sqrt(v)} }},
	} {
		delta := new(big.Rat).Quo(rat("1/10"), big.NewRat(int64(test.n), 1))
		rest := new(big.Rat).Sub(rat("1"), delta)
		eps := loss.Exp(new(big.Rat).Inv(rest))
		// in both orders of neighbours: the loss is ε with probability 1; or −ε with 1 − δ, and infinite with δ
		if law := [2][]*big.Rat{{rat("1"), rat("0")}, {rest, delta}}; excess(law[0], law[1], eps).Sign() != 0 || excess(law[1], law[0], eps).Cmp(delta) != 0 {
			t.Fatal("it is not (ε, δ)-pDP")
		}
		e, n := loss.Float64(eps), float64(test.n)
		reading := test.printed(slices.Repeat([]float64{e}, test.n), slices.Repeat([]float64{floatOf(delta)}, test.n), n*e*e)
		if !(n*e > reading*1.1) {
			t.Errorf("%s: the loss is %g for sure, the reading %g", test.name, n*e, reading)
		}
		o, err := impl.NewOdometer(test.curve(n*e*e*(1-1e-12)), rat("1/10"), rat("1/10"))
		if err != nil {
			t.Fatal(err)
		}
		for range test.n {
			if err := o.Spend(eps, delta); err != nil {
				t.Fatal(err)
			}
		}
		if got := o.Read().Eps; got < n*e*(1-1e-12) {
			t.Errorf("%s: the corrected reading is %g, the loss %g", test.name, got, n*e)
		}
	}
}

// excess returns Pr_p(|ln p/q| > ε).
func excess(p, q []*big.Rat, eps loss.Epsilon) *big.Rat {
	sum := new(big.Rat)
	for z := range p {
		up := new(big.Rat).Mul(eps.Rat(), q[z])
		down := new(big.Rat).Mul(eps.Rat(), p[z])
		if p[z].Cmp(up) > 0 || down.Cmp(q[z]) < 0 {
			sum.Add(sum, p[z])
		}
	}
	return sum
}

// TestPaper_DPOdometer: Theorem 3 does not hold for mechanisms that are only DP (FAC-X10), by one round. The mechanism of
// FAC-X32 from (ε, δ)-randomized response is (ε, δ)-DP, and both of its outputs have a finite loss: with probability
// δ + (1 − δ)e^ε/(1 + e^ε) it is ln((δ + e^ε)/(1 − δ)), more than each of the three odometers reads.
func TestPaper_DPOdometer(t *testing.T) {
	t.Parallel()
	delta := rat("1/5")
	for _, test := range []struct {
		name, expEps string
		reading      func(eps, delta []float64) float64
	}{
		{"filter", "1", func(eps, delta []float64) float64 { return spec.FilterOdometer(eps, delta, 0.1, 0.2, 0.7) }},
		{"mixture", "1", func(eps, delta []float64) float64 { return spec.MixtureOdometer(eps, delta, 0.1, 0.2, 0.001) }},
		{"stitched", "11/10", func(eps, delta []float64) float64 { return spec.StitchedOdometer(eps, delta, 0.1, 0.2, 0.009) }},
	} {
		e := rat(test.expEps)
		low := new(big.Rat).Quo(new(big.Rat).Sub(rat("1"), delta), new(big.Rat).Add(rat("1"), e))
		high := new(big.Rat).Sub(rat("1"), low)
		choice := exhaustive.Choice{Laws: [2][]*big.Rat{{high, low}, {low, high}}, Part: []int{0, 0}, ExpE: []*big.Rat{e}, Delta: delta}
		if got, err := impl.SmallestDPDelta(choice.Laws[0], choice.Laws[1], loss.Exp(e)); err != nil || !got.Contains(delta) {
			t.Fatalf("%s: it is not (ε, %v)-DP: %v", test.name, delta, got)
		}
		reading := test.reading([]float64{math.Log(floatOf(e))}, []float64{0.2})
		worst, _, err := exhaustive.WorstExcess(t.Context(), []exhaustive.Choice{choice}, 1, func(moves []exhaustive.Move, a, b *big.Rat) bool {
			return len(moves) > 0 && math.Log(floatOf(new(big.Rat).Quo(a, b))) > reading*1.1
		})
		if err != nil || worst.Cmp(high) != 0 || worst.Cmp(rat("3/5")) < 0 {
			t.Errorf("%s: the loss exceeds %g with probability %v, must be %v, twice δ = 0.3: %v", test.name, reading, worst, high, err)
		}
	}
}

// rounds are random parameters of mechanisms.
func drawRounds(t *rapid.T) (eps []loss.Epsilon, deltas []*big.Rat, e, d []float64) {
	for i := range rapid.IntRange(0, 30).Draw(t, "rounds") {
		x := big.NewRat(int64(rapid.IntRange(0, 500).Draw(t, fmt.Sprint("eps", i))), 1000)
		y := big.NewRat(int64(rapid.IntRange(0, 3).Draw(t, fmt.Sprint("delta", i))), 100_000)
		eps, deltas, e, d = append(eps, loss.Nats(x)), append(deltas, y), append(e, floatOf(x)), append(d, floatOf(y))
	}
	return eps, deltas, e, d
}

// TestPair_Filters: impl admits as many rounds as spec, but where a sum is as near to its limit as float64 can tell.
func TestPair_Filters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		eps, deltas, e, d := drawRounds(t)
		target := rapid.IntRange(1, 900).Draw(t, "target")
		limit := rapid.IntRange(0, 40).Draw(t, "limit")
		x, most := big.NewRat(int64(target), 100), new(big.Rat).Add(big.NewRat(int64(limit), 100_000), rat("1e-7"))
		between := func(name string, got int, err error, count func(up float64) int) {
			if low, high := count(1-1e-12), count(1+1e-12); err != nil || got < low || got > high {
				t.Errorf("%s: %d rounds, %v, but spec has from %d to %d", name, got, err, low, high)
			}
		}
		n, err := impl.AdaptiveFilter(eps, deltas, loss.Nats(x), rat("1e-5"), most)
		between("AdaptiveFilter", n, err, func(up float64) int {
			return spec.AdaptiveFilter(e, d, up*floatOf(x), 1e-5, up*floatOf(most))
		})
		n, guarantee, err := impl.DPFilter(eps, deltas, x, most)
		between("DPFilter", n, err, func(up float64) int {
			n, printed := spec.DPFilter(e, d, up*floatOf(x), up*floatOf(most))
			if lo := guarantee.Float().Lo; math.Abs(lo-printed) > 1e-11*printed {
				t.Errorf("DPFilter: the guarantee is %g, but spec has %g", lo, printed)
			}
			return n
		})
		var rho []*big.Rat
		for _, x := range eps {
			rho = append(rho, x.Rat())
		}
		n, err = impl.ZCDPFilter(rho, deltas, x, most)
		between("ZCDPFilter", n, err, func(up float64) int { return spec.ZCDPFilter(e, d, up*floatOf(x), up*floatOf(most)) })
	})
}

// TestLaw_FilterMonotone: a filter admits no fewer rounds if one of them has smaller parameters, or if it has more to
// give: ε, δ with the same δ″, or δ″ with the same δ′.
func TestLaw_FilterMonotone(t *testing.T) {
	t.Parallel()
	count := func(t *rapid.T, eps []loss.Epsilon, deltas []*big.Rat, target, delta1, delta2 *big.Rat) int {
		n, err := impl.AdaptiveFilter(eps, deltas, loss.Nats(target), delta1, delta2)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	rapid.Check(t, func(t *rapid.T) {
		eps, deltas, _, _ := drawRounds(t)
		target := big.NewRat(int64(rapid.IntRange(1, 900).Draw(t, "target")), 100)
		delta1, delta2 := rat("1e-5"), big.NewRat(int64(rapid.IntRange(0, 40).Draw(t, "limit")), 100_000)
		n := count(t, eps, deltas, target, delta1, delta2)
		more := func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, rat("1.3")) }
		for name, m := range map[string]int{
			"ε": count(t, eps, deltas, more(target), delta1, delta2), "δ′": count(t, eps, deltas, target, more(delta1), delta2),
			"δ″": count(t, eps, deltas, target, delta1, more(delta2)),
		} {
			if m < n {
				t.Errorf("with more %s: %d rounds for %d", name, m, n)
			}
		}
		if len(eps) == 0 {
			return
		}
		i := rapid.IntRange(0, len(eps)-1).Draw(t, "smaller")
		less := func(x *big.Rat) *big.Rat { return new(big.Rat).Quo(x, rat("2")) }
		eps[i], deltas[i] = loss.Nats(less(eps[i].Rat())), less(deltas[i])
		if m := count(t, eps, deltas, target, delta1, delta2); m < n {
			t.Errorf("with less in round %d: %d rounds for %d", i+1, m, n)
		}
	})
}

// TestLaw_Fits: what fits is admitted, and the next float64 is not; what was admitted never spends more than the budget.
func TestLaw_Fits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		eps, deltas, _, _ := drawRounds(t)
		budget, delta := loss.Nats(big.NewRat(int64(rapid.IntRange(1, 900).Draw(t, "budget")), 100)), rat("2e-4")
		if rapid.Bool().Draw(t, "exp") {
			budget = loss.Exp(rat("7/2"))
		}
		sum, err := impl.NewSumFilter(budget, delta)
		adaptive, err2 := impl.NewAdaptiveFilter(budget, delta, rat("1e-4"))
		zcdp, err3 := impl.NewZCDPFilter(budget, delta, rat("1e-4"))
		if err != nil || err2 != nil || err3 != nil {
			t.Fatal(err, err2, err3)
		}
		for _, f := range []impl.BudgetFilter{sum, adaptive, zcdp} {
			r, n := impl.NewFilterRun(f), 0
			for i := range eps {
				if r.Spend(eps[i], deltas[i]) == nil {
					n++
				}
			}
			state := r.Read()
			if state.Events != n || !state.Spent.Within(state.Budget) || state.Fits < 0 {
				t.Errorf("%T: %+v", f, state)
			}
			memory := r.State().All
			above := math.Nextafter(state.Fits, math.Inf(1))
			_, exactly := f.Spend(memory, impl.Mechanism{Eps: loss.Nats(new(big.Rat).SetFloat64(above)), Delta: rat("0"), Count: 1})
			_, asTyped := f.Spend(memory, impl.Mechanism{Eps: loss.Nats(rat(fmt.Sprint(above))), Delta: rat("0"), Count: 1})
			if exactly && asTyped {
				t.Errorf("%T: %g fits, but so does %v", f, state.Fits, above)
			}
			if err := r.Spend(loss.Nats(rat(fmt.Sprint(state.Fits))), rat("0")); err != nil {
				t.Errorf("%T: %g does not fit: %v", f, state.Fits, err)
			}
		}
	})
}

// TestLaw_FilterRunConcurrent: however many spend at once, no more is admitted than one after the other.
func TestLaw_FilterRunConcurrent(t *testing.T) {
	t.Parallel()
	f, err := impl.NewSumFilter(loss.Nats(rat("1")), rat("0"))
	if err != nil {
		t.Fatal(err)
	}
	r := impl.NewFilterRun(f)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				_ = r.Spend(loss.Nats(rat("0.01")), rat("0"))
			}
		})
	}
	all.Wait()
	if state := r.Read(); state.Events != 100 || state.Fits != 0 {
		t.Errorf("%+v", state)
	}
}

// TestChallenge_Limits: what cannot be played is refused, and a context is obeyed.
func TestChallenge_Limits(t *testing.T) {
	t.Parallel()
	f, err := impl.NewSumFilter(loss.Nats(rat("1")), rat("0"))
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		ctx    context.Context
		menu   []impl.Mechanism
		rounds int
		want   string
	}{
		{t.Context(), nil, 1, "ChallengeFilter: menu: there are 0 mechanisms, must be at least 1 and at most 255"},
		{t.Context(), menuOf("1", "0"), -1, "ChallengeFilter: rounds is -1, must be at least 0 and at most 100000"},
		{t.Context(), menuOf("1", "2"), 1, "ChallengeFilter: menu: mechanism 1: delta is 2, must be between 0 and 1"},
		{ended, menuOf("0.1", "0"), 1, "ChallengeFilter: context canceled"},
	} {
		if _, err := impl.ChallengeFilter(test.ctx, test.menu, test.rounds, f, loss.Nats(rat("1")), impl.ChallengeOptions{}); err == nil || err.Error() != test.want {
			t.Errorf("error %v, want %s", err, test.want)
		}
	}
}
