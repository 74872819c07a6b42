package odp

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// drawMechanism draws a mechanism with 2 to most outputs, any partition, e^ℰ in {1, 3/2, 2, 3} and
// its smallest δ. Outputs that only one of the databases has, or none, are drawn too.
func drawMechanism(t *rapid.T, name string, most int) impl.Choice {
	m := rapid.IntRange(2, most).Draw(t, name+": outputs")
	heaviest := rapid.SampledFrom([]int{1, 4}).Draw(t, name+": heaviest") // 1: outputs that look the same
	laws, p := finite.RandomPair(rolls{t}, m, heaviest), finite.RandomPartition(rolls{t}, m)
	expE := p.Charge(func(int) *big.Rat {
		return rapid.SampledFrom(rat.List("1", "3/2", "2", "3")).Draw(t, name+": e^ℰ")
	})
	c := offer(laws, p, expE)
	c.Name = name
	return c
}

// drawMenu draws a menu of one or two mechanisms and a budget that admits some rounds.
func drawMenu(t *rapid.T, rounds, most int) menu {
	m := menu{rounds: rounds, expEpsT: rat.One, deltaT: new(big.Rat)}
	for i := range rapid.IntRange(1, 2).Draw(t, "menu") {
		m.choices = append(m.choices, drawMechanism(t, fmt.Sprintf("M%d", i+1), most))
	}
	for range rapid.IntRange(1, rounds).Draw(t, "rounds of budget") {
		c := rapid.SampledFrom(m.choices).Draw(t, "budget for")
		m.expEpsT = rat.Mul(m.expEpsT, rapid.SampledFrom(c.ExpE).Draw(t, "ε of"))
		m.deltaT = rat.Add(m.deltaT, c.Delta)
	}
	return m
}

var accountants = map[string]accountant{
	"[B]": impl.SumRule, "[A]": lastUsed, "δ by part": deltaByPart, "cheapest part": cheapestPart,
	"admit cheapest": admitCheapest, "δ is kept": deltaIsKept,
}

func drawAccountant(t *rapid.T) accountant {
	return accountants[rapid.SampledFrom([]string{"[B]", "[A]", "δ by part", "cheapest part", "admit cheapest", "δ is kept"}).Draw(t, "accountant")]
}

// judged returns the menu and the accountant for exhaustive: its accountant is asked from
// the first move on every time.
func (m menu) judged(rule impl.Rule) ([]exhaustive.Choice, exhaustive.Admits) {
	var choices []exhaustive.Choice
	for _, c := range m.choices {
		choices = append(choices, exhaustive.Choice{Laws: c.Laws, Part: c.Part, ExpE: c.ExpE, Delta: c.Delta})
	}
	return choices, func(moves []exhaustive.Move, next int) bool {
		state := rule.Start
		for _, move := range moves {
			state = rule.Next(state, &m.choices[move.Choice], move.Output)
		}
		return rule.Admits(state, &m.choices[next])
	}
}

// asAdversary plays a strategy, and is silent where it stops.
func asAdversary(s *impl.Strategy) spec.Adversary {
	return spec.Adversary{Coins: 1, Choose: func(_ string, outputs []string) spec.Choice {
		at := s
		for _, output := range outputs {
			if at == nil {
				break
			}
			next := at.Then
			for z, name := range at.Choice.Outputs {
				if name == output {
					at = next[z]
					break
				}
			}
		}
		if at == nil {
			return silence()
		}
		return forSpec(at.Choice)
	}}
}

// Backward induction finds what going through all adversaries finds.
func TestPair_WorstAdversary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(2, 3).Draw(t, "most outputs")
		m := drawMenu(t, 5-most, most)
		rule := drawAccountant(t)(m.expEpsT, m.deltaT)
		choices, admits := m.judged(rule)
		at := rapid.SampledFrom([]*big.Rat{rat.One, big.NewRat(5, 4), m.expEpsT}).Draw(t, "e^ε")
		want, n, err := exhaustive.WorstAdversary(t.Context(), choices, m.rounds, admits, at)
		if err != nil {
			t.Fatal(err)
		}
		got, s, err := impl.WorstAdversary(t.Context(), m.choices, m.rounds, rule, at)
		if err != nil || got.Cmp(want) != 0 {
			t.Fatalf("backward induction %v, %v; %d adversaries %v; %v", got, err, n, want, s)
		}
	})
}

// Algorithm 1, line by line, with the worst adversary gives the δ that was found; and it
// admits what the adversary does.
func TestPair_ODPComposition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMenu(t, rapid.IntRange(1, 3).Draw(t, "rounds"), 3)
		text := rapid.SampledFrom([]spec.Text{spec.TextA, spec.TextB}).Draw(t, "text")
		rule := map[spec.Text]accountant{spec.TextA: lastUsed, spec.TextB: impl.SumRule}[text](m.expEpsT, m.deltaT)
		worst, s, err := impl.WorstAdversary(t.Context(), m.choices, m.rounds, rule, m.expEpsT)
		if err != nil {
			t.Fatal(err)
		}
		laws, err := spec.ODPCompositionLaw(asAdversary(s), m.expEpsT, m.deltaT, m.rounds, text)
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		if got := finite.PairOf(laws).Delta(finite.Constant(m.expEpsT)); got.Cmp(worst) != 0 {
			t.Fatalf("Algorithm 1 %v, backward induction %v: %v", got, worst, s)
		}
	})
}

// Algorithm 6 with the sum filter does the same with an adversary that asks for anything.
func TestPair_ODPFilterComposition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMenu(t, 2, 3)
		plan := rapid.SliceOfN(rapid.IntRange(0, len(m.choices)-1), 4, 4).Draw(t, "plan")
		a := spec.Adversary{Coins: 1, Choose: func(_ string, outputs []string) spec.Choice {
			node := 0
			if len(outputs) > 0 {
				node = 1 + int(outputs[0][0]-'a')%3
			}
			return forSpec(&m.choices[plan[node]])
		}}
		laws, err := spec.ODPFilterCompositionLaw(a, spec.SumFilter(m.expEpsT, m.deltaT), 2)
		if err != nil {
			t.Fatal(err)
		}
		worst, s, err := impl.WorstAdversary(t.Context(), m.choices, 2, impl.SumRule(m.expEpsT, m.deltaT), m.expEpsT)
		if err != nil {
			t.Fatal(err)
		}
		if got := finite.PairOf(laws).Delta(finite.Constant(m.expEpsT)); got.Cmp(worst) > 0 {
			t.Fatalf("an adversary needs δ = %v, the worst one %v: %v", got, worst, s)
		}
	})
}

// Theorem 7 on random mechanisms.
func TestPaper_Theorem7(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMenu(t, rapid.IntRange(1, 5).Draw(t, "rounds"), 4)
		worst, s, err := impl.WorstAdversary(t.Context(), m.choices, m.rounds, impl.SumRule(m.expEpsT, m.deltaT), m.expEpsT)
		if err != nil || worst.Cmp(m.deltaT) > 0 {
			t.Fatalf("e^ε_t = %s, δ_t = %s: %v, %v, %v", rat.Show(m.expEpsT), rat.Show(m.deltaT), worst, s, err)
		}
	})
}

// again plays c, and after the outputs whose bit in the set is 1 once more.
func again(c impl.Choice, set int) spec.Adversary {
	return experiment{first: c, second: c, set: set}.adversary()
}

// Coin tosses do not help an adversary: what it needs is the average over them.
func TestLaw_Coins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMenu(t, 2, 3)
		players := [2]spec.Adversary{again(m.choices[0], 1), again(m.choices[len(m.choices)-1], 6)}
		both := spec.Adversary{Coins: 2, Choose: func(coins string, outputs []string) spec.Choice {
			return experiment{expEpsT: m.expEpsT, deltaT: m.deltaT}.obedient(players[coins[0]-'0']).Choose(coins, outputs)
		}}
		mixed, average := register.Must(algorithm1(spec.TextB)(both, m.expEpsT, m.deltaT)).Delta(finite.Constant(m.expEpsT)), new(big.Rat)
		for _, player := range players {
			laws := register.Must(algorithm1(spec.TextB)(experiment{expEpsT: m.expEpsT, deltaT: m.deltaT}.obedient(player), m.expEpsT, m.deltaT))
			average = rat.Add(average, rat.Mul(rat.Half, laws.Delta(finite.Constant(m.expEpsT))))
		}
		if mixed.Cmp(average) != 0 {
			t.Fatalf("with a coin %v, average %v", mixed, average)
		}
	})
}

// If ⊥ is not charged, a leak is tried until it happens: 2δ − δ² in two rounds,
// 1 − (1 − δ)^n in n.
func TestPaper_DeltaByPart(t *testing.T) {
	for _, delta := range []*big.Rat{rat.Half, big.NewRat(1, 4), big.NewRat(1, 1000)} {
		menu := []impl.Choice{leakOrBottom(delta)}
		for rounds := range 6 {
			got, s, err := impl.WorstAdversary(t.Context(), menu, rounds, deltaByPart(rat.One, delta), rat.One)
			if want := rat.Complement(rat.Power(rat.Complement(delta), rounds)); err != nil || got.Cmp(want) != 0 {
				t.Errorf("δ = %s, %d rounds: %v, %v, want %v: %v", rat.Show(delta), rounds, got, err, want, s)
			}
		}
		if got, _, err := impl.WorstAdversary(t.Context(), menu, 6, impl.SumRule(rat.One, delta), rat.One); err != nil || got.Cmp(delta) != 0 {
			t.Errorf("δ = %s, charged in full: %v, %v", rat.Show(delta), got, err)
		}
	}
}

// With one part, ODP is DP.
func TestLaw_OnePartIsDP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawMechanism(t, "M", 4)
		s := forSpec(&c)
		everything := func(string) int { return 0 }
		e := rapid.SampledFrom(expEs).Draw(t, "e^ε")
		odp := register.Must(spec.SmallestDelta(s.Laws[0], s.Laws[1], everything, []*big.Rat{e}))
		if dp := register.Must(spec.SmallestDPDelta(s.Laws[0], s.Laws[1], e)); odp.Cmp(dp) != 0 {
			t.Fatalf("ODP %v, DP %v", odp, dp)
		}
	})
}

// Merging all parts raises ℰ to its maximum: the guarantee holds with the same δ, and the
// accountant lets the adversary do no more than before.
func TestLaw_MergingParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMenu(t, 3, 3)
		merged := m
		merged.choices = nil
		for _, c := range m.choices {
			c.Part, c.ExpE = make([]int, len(c.Part)), []*big.Rat{rat.Max(c.ExpE...)}
			s := forSpec(&c)
			if delta := register.Must(spec.SmallestDeltaBothWays(s.Laws[0], s.Laws[1], s.Part, s.ExpE)); delta.Cmp(c.Delta) > 0 {
				t.Fatalf("%s: merged, it needs δ = %s", describeChoice(&c), rat.Show(delta))
			}
			merged.choices = append(merged.choices, c)
		}
		rule := impl.SumRule(m.expEpsT, m.deltaT)
		fine, _, err1 := impl.WorstAdversary(t.Context(), m.choices, 3, rule, rat.One)
		coarse, s, err2 := impl.WorstAdversary(t.Context(), merged.choices, 3, rule, rat.One)
		if err1 != nil || err2 != nil || coarse.Cmp(fine) > 0 {
			t.Fatalf("with parts %v, %v; without %v, %v: %v", fine, err1, coarse, err2, s)
		}
	})
}

// One round more or one mechanism more is never worse for the adversary.
func TestLaw_MoreForTheAdversary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMenu(t, 3, 3)
		rule := drawAccountant(t)(m.expEpsT, m.deltaT)
		last := new(big.Rat)
		for rounds := range 4 {
			got, _, err := impl.WorstAdversary(t.Context(), m.choices, rounds, rule, m.expEpsT)
			if err != nil || got.Cmp(last) < 0 {
				t.Fatalf("%d rounds: %v, %v, less than %v", rounds, got, err, last)
			}
			last = got
		}
		if less, _, err := impl.WorstAdversary(t.Context(), m.choices[:1], 3, rule, m.expEpsT); err != nil || less.Cmp(last) > 0 {
			t.Fatalf("with less on the menu %v, %v, with more %v", less, err, last)
		}
	})
}

// The sum accountant with one part each is simple composition: k mechanisms with (ε, δ) fit
// into (kε, kδ), and no k + 1 of them. For δ = 0 the ε is attained: with any less, δ > 0.
func TestLaw_SimpleComposition(t *testing.T) {
	for _, delta := range []*big.Rat{new(big.Rat), big.NewRat(1, 10)} {
		table := spec.RandomizedResponse(spec.Mechanism{ExpEps: big.NewRat(2, 1), Delta: delta})
		c := impl.Choice{Name: "response", Outputs: []string{"0", "1", "2", "3"}, Laws: [2][]*big.Rat{table[0][:], table[1][:]},
			Part: []int{0, 0, 0, 0}, ExpE: []*big.Rat{big.NewRat(2, 1)}, Delta: delta}
		for k := 1; k <= 5; k++ {
			expEpsT, deltaT := rat.Power(big.NewRat(2, 1), k), rat.Mul(rat.Int(k), delta)
			rule := impl.SumRule(expEpsT, deltaT)
			if n := longest(rule, rule.Start, &c, k+1); n != k {
				t.Errorf("δ = %s, k = %d: %d rounds", rat.Show(delta), k, n)
			}
			worst, _, err := impl.WorstAdversary(t.Context(), bothWays(c), k+1, rule, expEpsT)
			if want := rat.Complement(rat.Power(rat.Complement(delta), k)); err != nil || worst.Cmp(want) != 0 {
				t.Errorf("δ = %s, k = %d: %v, %v, want %v", rat.Show(delta), k, worst, err, want)
			}
			less := rat.Mul(expEpsT, big.NewRat(999, 1000))
			if worst, _, err := impl.WorstAdversary(t.Context(), bothWays(c), k+1, rule, less); err != nil || worst.Cmp(deltaT) <= 0 && delta.Sign() == 0 {
				t.Errorf("δ = %s, k = %d: at less than kε %v, %v", rat.Show(delta), k, worst, err)
			}
		}
	}
}

// The closed form for n randomized responses is what the search finds.
func TestPair_OptimalDelta(t *testing.T) {
	for n := range 8 {
		for _, at := range []*big.Rat{rat.One, big.NewRat(7, 4), big.NewRat(9, 1)} {
			e := big.NewRat(3, 2)
			rule := impl.SumRule(rat.Power(e, n), new(big.Rat))
			got, _, err := impl.WorstAdversary(t.Context(), bothWays(responseChoice(e)), n, rule, at)
			if want := optimalDelta(e, n, at); err != nil || got.Cmp(want) != 0 {
				t.Errorf("n = %d, e^ε = %s: %v, %v, want %v", n, rat.Show(at), got, err, want)
			}
		}
	}
}

// tapeOfNoise is a tape of draws from Lap(1).
type tapeOfNoise struct{ draws []float64 }

func (n *tapeOfNoise) Laplace(scale float64) float64 {
	x := n.draws[0]
	n.draws = n.draws[1:]
	return scale * x
}

// Both rooms' M_toy give the same output on the same tape, and draw as often.
func TestTape_Toy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		heads := rapid.Bool().Draw(t, "heads")
		fx, eps := rapid.Float64Range(-1e6, 1e6).Draw(t, "f(x)"), rapid.Float64Range(1e-6, 1e3).Draw(t, "eps")
		draws := []float64{rapid.Float64Range(-40, 40).Draw(t, "noise")}
		tapes := [2]*tapeOfNoise{{draws}, {draws}}
		coin := func() bool { return heads }
		v0, b0, err0 := spec.Toy(fx, eps, coin, tapes[0])
		v1, b1, err1 := impl.Toy(fx, eps, coin, tapes[1])
		if err0 != nil || err1 != nil || v0 != v1 || b0 != b1 || b0 == heads || len(tapes[0].draws) != len(tapes[1].draws) {
			t.Fatalf("spec %g, %v, %v; impl %g, %v, %v", v0, b0, err0, v1, b1, err1)
		}
	})
}

// The cells of M_toy are those of the distribution function in float64, and sum to 1.
func TestPair_ToyCells(t *testing.T) {
	const tolerance = 1e-12 // float64's distribution function loses some digits between cuts that are close
	below := func(x float64) float64 {
		if x < 0 {
			return math.Exp(x) / 2
		}
		return 1 - math.Exp(-x)/2
	}
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Int64Range(-20, 20).Draw(t, "f(x)")
		eps := rapid.Int64Range(1, 30).Draw(t, "eps")
		n := rapid.IntRange(0, 8).Draw(t, "cuts")
		var cuts []*big.Rat
		var want []float64
		last := 0.0
		for i := range n {
			cut := int64(i*3 - 10)
			cuts = append(cuts, big.NewRat(cut, 2))
			next := below(float64(eps) / 10 * (float64(cut)/2 - float64(f)/4))
			want = append(want, (next-last)/2)
			last = next
		}
		want = append(want, (1-last)/2, 0.5)
		cells, err := impl.ToyCells(big.NewRat(f, 4), big.NewRat(eps, 10), cuts)
		if err != nil || len(cells) != len(want) {
			t.Fatal(len(cells), err)
		}
		sum := 0.0
		for i, cell := range cells {
			got, _ := cell.Lower.Float64()
			if sum += got; math.Abs(got-want[i]) > tolerance || cell.Lower.Cmp(cell.Upper) > 0 {
				t.Fatalf("cell %d: %v, want %g", i, cell, want[i])
			}
		}
		if math.Abs(sum-1) > tolerance {
			t.Fatalf("sum %g", sum)
		}
	})
}

// What is printed says what is played.
func TestStrategyString(t *testing.T) {
	_, s, err := impl.WorstAdversary(t.Context(), bothWays(toy(big.NewRat(2, 1), rat.Half)), 2, laplaceRule(func(n int) bool { return n < 2 }), rat.One)
	if err != nil || !strings.HasPrefix(s.String(), "toy (after ") {
		t.Errorf("%v, %v", s, err)
	}
}
