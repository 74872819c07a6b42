package odp

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// Algorithm 1, line by line, with the worst adversary gives the δ that was found; and it
// admits what the adversary does.
func TestPair_ODPComposition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawMenu(t, rapid.IntRange(1, 3).Draw(t, "rounds"), 3)
		text := rapid.SampledFrom([]spec.Text{spec.TextA, spec.TextB}).Draw(t, "text")
		rule := map[spec.Text]accountant{spec.TextA: lastUsed, spec.TextB: impl.SumRule}[text](m.ExpEpsT, m.DeltaT)
		worst, s, err := impl.WorstAdversary(t.Context(), m.Choices, m.Rounds, rule, m.ExpEpsT)
		if err != nil {
			t.Fatal(err)
		}
		laws, err := finite.ODPComposition(asAdversary(s), m.ExpEpsT, m.DeltaT, m.Rounds, text)
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		if got := laws.Delta(finite.Constant(m.ExpEpsT)); got.Cmp(worst) != 0 {
			t.Fatalf("Algorithm 1 %v, backward induction %v: %v", got, worst, s)
		}
	})
}

// Theorem 7 on random mechanisms.
func TestPaper_Theorem7(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawMenu(t, rapid.IntRange(1, 5).Draw(t, "rounds"), 4)
		worst, s, err := impl.WorstAdversary(t.Context(), m.Choices, m.Rounds, impl.SumRule(m.ExpEpsT, m.DeltaT), m.ExpEpsT)
		if err != nil || worst.Cmp(m.DeltaT) > 0 {
			t.Fatalf("e^ε_t = %s, δ_t = %s: %v, %v, %v", rat.Show(m.ExpEpsT), rat.Show(m.DeltaT), worst, s, err)
		}
	})
}

// again plays c, and after the outputs whose bit in the set is 1 once more.
func again(c impl.Choice, set int) spec.Adversary {
	return experiment{first: c, second: c, set: set}.adversary()
}

// Coin tosses do not help an adversary: what it needs is the average over them.
func TestLaw_Coins(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawMenu(t, 2, 3)
		players := [2]spec.Adversary{again(m.Choices[0], 1), again(m.Choices[len(m.Choices)-1], 6)}
		both := spec.Adversary{Coins: 2, Choose: func(coins string, outputs []string) spec.Choice {
			return experiment{expEpsT: m.ExpEpsT, deltaT: m.DeltaT}.obedient(players[coins[0]-'0']).Choose(coins, outputs)
		}}
		mixed, average := register.Must(algorithm1(spec.TextB)(both, m.ExpEpsT, m.DeltaT)).Delta(finite.Constant(m.ExpEpsT)),
			new(big.Rat)
		for _, player := range players {
			laws := register.Must(algorithm1(spec.TextB)(experiment{expEpsT: m.ExpEpsT, deltaT: m.DeltaT}.obedient(player),
				m.ExpEpsT, m.DeltaT))
			average = rat.Add(average, rat.Mul(rat.Half, laws.Delta(finite.Constant(m.ExpEpsT))))
		}
		if mixed.Cmp(average) != 0 {
			t.Fatalf("with a coin %v, average %v", mixed, average)
		}
	})
}

// If ⊥ is not charged, a leak is tried until it happens: 2δ − δ² in two rounds,
// 1 − (1 − δ)^n in n.
func TestPaper_DeltaByPart(t *testing.T) {
	t.Parallel()
	for _, delta := range []*big.Rat{rat.Half, big.NewRat(1, 4), big.NewRat(1, 1000)} {
		menu := []impl.Choice{leakOrBottom(delta)}
		for rounds := range 6 {
			got, s, err := impl.WorstAdversary(t.Context(), menu, rounds, deltaByPart(rat.One, delta), rat.One)
			if want := rat.Complement(rat.Power(rat.Complement(delta), rounds)); err != nil || got.Cmp(want) != 0 {
				t.Errorf("δ = %s, %d rounds: %v, %v, want %v: %v", rat.Show(delta), rounds, got, err, want, s)
			}
		}
		if got, _, err := impl.WorstAdversary(t.Context(), menu, 6, impl.SumRule(rat.One, delta), rat.One); err != nil ||
			got.Cmp(delta) != 0 {
			t.Errorf("δ = %s, charged in full: %v, %v", rat.Show(delta), got, err)
		}
	}
}

// With one part, ODP is DP.
func TestLaw_OnePartIsDP(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawMechanism(t, "M", 4)
		s := finite.ForSpec(&c)
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
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawMenu(t, 3, 3)
		coarser := m
		coarser.Choices = nil
		for _, c := range m.Choices {
			c = finite.Merged(c)
			s := finite.ForSpec(&c)
			if delta := register.Must(spec.SmallestDeltaBothWays(s.Laws[0], s.Laws[1], s.Part, s.ExpE)); delta.Cmp(c.Delta) > 0 {
				t.Fatalf("%s: merged, it needs δ = %s", finite.Describe(&c), rat.Show(delta))
			}
			coarser.Choices = append(coarser.Choices, c)
		}
		rule := impl.SumRule(m.ExpEpsT, m.DeltaT)
		fine, _, err1 := impl.WorstAdversary(t.Context(), m.Choices, 3, rule, rat.One)
		coarse, s, err2 := impl.WorstAdversary(t.Context(), coarser.Choices, 3, rule, rat.One)
		if err1 != nil || err2 != nil || coarse.Cmp(fine) > 0 {
			t.Fatalf("with parts %v, %v; without %v, %v: %v", fine, err1, coarse, err2, s)
		}
	})
}

// The sum accountant with one part each is simple composition: k mechanisms with (ε, δ) fit
// into (kε, kδ), and no k + 1 of them. For δ = 0 the ε is attained: with any less, δ > 0.
func TestLaw_SimpleComposition(t *testing.T) {
	t.Parallel()
	for _, delta := range []*big.Rat{new(big.Rat), big.NewRat(1, 10)} {
		c := responseWith(big.NewRat(2, 1), delta)
		for k := 1; k <= 5; k++ {
			expEpsT, deltaT := rat.Power(big.NewRat(2, 1), k), rat.Mul(rat.Int(k), delta)
			rule := impl.SumRule(expEpsT, deltaT)
			if n := longest(rule, rule.Start, &c, k+1); n != k {
				t.Errorf("δ = %s, k = %d: %d rounds", rat.Show(delta), k, n)
			}
			worst, _, err := impl.WorstAdversary(t.Context(), finite.BothWays(c), k+1, rule, expEpsT)
			if want := rat.Complement(rat.Power(rat.Complement(delta), k)); err != nil || worst.Cmp(want) != 0 {
				t.Errorf("δ = %s, k = %d: %v, %v, want %v", rat.Show(delta), k, worst, err, want)
			}
			less := rat.Mul(expEpsT, big.NewRat(999, 1000))
			if worst, _, err := impl.WorstAdversary(t.Context(), finite.BothWays(c), k+1, rule, less); err != nil ||
				worst.Cmp(deltaT) <= 0 && delta.Sign() == 0 {
				t.Errorf("δ = %s, k = %d: at less than kε %v, %v", rat.Show(delta), k, worst, err)
			}
		}
	}
}
