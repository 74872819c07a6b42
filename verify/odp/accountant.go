package odp

import (
	"math/big"
	"slices"

	"checkrr/impl/ledger"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// accountant makes an accountant out of e^(ε_t) and δ_t.
type accountant = func(expEpsT, deltaT *big.Rat) ledger.Rule

// leaving is Algorithm 1, but for what is left after an output in part k, of what was left.
func leaving(next func(left []*big.Rat, c *ledger.Choice, k int) []*big.Rat) accountant {
	return func(expEpsT, deltaT *big.Rat) ledger.Rule {
		r := ledger.SumRule(expEpsT, deltaT)
		r.Next = func(left []*big.Rat, c *ledger.Choice, output int) []*big.Rat { return next(left, c, c.Part[output]) }
		return r
	}
}

// ofTextA is Algorithm 1 with line 7 of text [A], line 8 of it, or both: what was used last is what remains.
func ofTextA(line7, line8 bool) accountant {
	return leaving(func(left []*big.Rat, c *ledger.Choice, k int) []*big.Rat {
		now := []*big.Rat{rat.Quo(left[0], c.ExpE[k]), rat.Sub(left[1], c.Delta)}
		if line7 {
			now[0] = c.ExpE[k]
		}
		if line8 {
			now[1] = c.Delta
		}
		return now
	})
}

// said is a choice that says what it is when it is written.
type said struct{ *ledger.Choice }

func (s said) String() string { return finite.Describe(s.Choice) }

// deltaByPart charges the δ with which the observed part is subset DP: the terms of Lemma 6.
var deltaByPart = leaving(func(left []*big.Rat, c *ledger.Choice, k int) []*big.Rat {
	return []*big.Rat{rat.Quo(left[0], c.ExpE[k]), rat.Sub(left[1], partDelta(c, k))}
})

// partDelta returns the smallest δ with which the part k is subset DP, both ways.
func partDelta(c *ledger.Choice, k int) *big.Rat {
	s := finite.ForSpec(c)
	inPart := func(output string) bool { return s.Part(output) == k }
	return rat.Max(register.Must(spec.SmallestSubsetDelta(s.Laws[0], s.Laws[1], inPart, c.ExpE[k])),
		register.Must(spec.SmallestSubsetDelta(s.Laws[1], s.Laws[0], inPart, c.ExpE[k])))
}

// saves checks that after an output in P there is room for a mechanism with e^ε_t / e^ℰ(P),
// and that DP accounting would have none exactly where it should say so.
func saves(t *register.T, when func(expE, sup *big.Rat) bool) {
	t.Domain("every mechanism with 3 outputs, probabilities in 1/%d, any partition and e^ℰ in {1, 2, 3}, each of its "+
		"outputs; e^ε_t twice its largest e^ℰ", t.Size(2, 4))
	for c := range finite.Choices(3, t.Size(2, 4), expEs) {
		sup := rat.Max(c.ExpE...)
		for z, output := range c.Outputs {
			expE, expEpsT := c.ExpE[c.Part[z]], rat.Twice(sup)
			left := rat.Quo(expEpsT, expE)
			then, more := finite.ResponseChoice(left), finite.ResponseChoice(rat.Mul(left, rat.Of("1.01")))
			t.At("%v: after %s of e^ε_t = %s", said{&c}, output, expEpsT)
			for _, x := range []struct {
				first, then ledger.Choice
				claimed     bool
			}{{c, then, true}, {c, more, false}, {finite.Merged(c), then, !when(expE, sup)}} {
				found := admittedByBoth(t, x.first, output, x.then, expEpsT)
				t.Require(found == x.claimed, "charged %s, room for e^ε = %s: %v", x.first.ExpE, x.then.ExpE[0], found)
			}
		}
	}
}

// admittedByBoth reports whether Algorithm 1 admits a choice after the output of another, which the accountant of impl
// must find too.
func admittedByBoth(t *register.T, first ledger.Choice, output string, then ledger.Choice, expEpsT *big.Rat) bool {
	after := accountantOf(expEpsT, first.Delta).next(&first, slices.Index(first.Outputs, output))
	rounds := onPaper(expEpsT, first.Delta, []ledger.Choice{first, then}, []string{output, then.Outputs[0]})
	t.Require(after.admits(&then) == (rounds == 2), "%v: after %s of e^ε_t = %s, e^ε = %s is admitted by the accountant "+
		"or not, by Algorithm 1 %d rounds are", said{&first}, output, expEpsT, then.ExpE[0], rounds)
	return rounds == 2
}

// onPaper runs Algorithm 1 with choices and their outputs, and returns how many rounds it admits.
func onPaper(expEpsT, deltaT *big.Rat, choices []ledger.Choice, draws []string) (round int) {
	a := spec.Adversary{Coins: 1, Choose: func(_ string, outputs []string) spec.Choice {
		round = len(outputs)
		return finite.ForSpec(&choices[round])
	}}
	draws = slices.Concat([]string{"0"}, draws) // after the coin
	_, err := spec.ODPComposition(a, expEpsT, deltaT, 0, len(choices), spec.TextB, func(map[string]*big.Rat) string {
		next := draws[0]
		draws = draws[1:]
		return next
	})
	if err != nil {
		return round
	}
	return len(choices)
}

// usefulFor checks that Algorithm 1 admits more rounds than simple composition, at some budget, for these mechanisms
// only, and never fewer, nor more without so many rounds in all.
func usefulFor(t *register.T, from int, which func(ledger.Choice) bool) {
	t.Domain("every mechanism with 3 outputs, probabilities in 1/%d, any partition and e^ℰ in {1, 2, 3}; every budget "+
		"that at most 3 rounds use up", t.Size(2, 4))
	for c := range finite.Choices(3, t.Size(2, 4), expEs) {
		t.At("%v", said{&c})
		useful := false
		for _, b := range budgets(c, 3) {
			dp, odp := simpleRounds(&c, b, 3), odpRounds(t, &c, b, 3)
			t.Require(odp == dp || odp > dp && odp >= from, "e^ε_t = %s, δ_t = %s: %d rounds, %d by DP accounting", b[0], b[1],
				odp, dp)
			useful = useful || odp > dp
		}
		t.Require(useful == which(c), "more rounds than by DP accounting at some budget is %v", useful)
	}
}

// admitsRounds checks that a budget for n rounds of a mechanism, of ε and of δ, admits rounds(n) in all rooms.
func admitsRounds(t *register.T, rounds func(n int) int) {
	t.AlsoDomain("leaks of probability 1/4 with δ_t = 3/4 and 1, and randomized response with e^ε = 2 and e^ε_t = 8, 16")
	for _, c := range []ledger.Choice{leakOrBottom(big.NewRat(1, 4)), finite.ResponseChoice(rat.Int(2))} {
		for n := 3; n <= 4; n++ {
			t.At("%v, %d rounds", said{&c}, n)
			found := odpRounds(t, &c, [2]*big.Rat{rat.Power(rat.Max(c.ExpE...), n), rat.Mul(rat.Int(n), c.Delta)}, n+1)
			t.Require(found == rounds(n), "their budget admits %d rounds, must be %d", found, rounds(n))
		}
	}
}

// simpleRounds is the largest n, up to most, with n·sup ℰ ≤ ε_t and n·δ ≤ δ_t.
func simpleRounds(c *ledger.Choice, budget [2]*big.Rat, most int) int {
	n := 0
	for n < most && rat.Power(rat.Max(c.ExpE...), n+1).Cmp(budget[0]) <= 0 &&
		rat.Mul(rat.Int(n+1), c.Delta).Cmp(budget[1]) <= 0 {
		n++
	}
	return n
}

// odpRounds is the largest number of rounds that are admitted, up to most, on any outputs: all rooms must find
// it.
func odpRounds(t *register.T, c *ledger.Choice, budget [2]*big.Rat, most int) int {
	n := byRule(ledger.SumRule(budget[0], budget[1])).longest(c, most)
	if budget[1].Cmp(rat.One) <= 0 {
		kept := accountantOf(budget[0], budget[1]).longest(c, most)
		t.Require(kept == n, "%v: %d rounds by the rule, %d by the accountant", step{*c, budget[0], budget[1]}, n, kept)
	}
	if n < 2 || n == most { // the others would take seconds
		return n
	}
	part := finite.ForSpec(c).Part
	cheapest := slices.MinFunc(c.Outputs, func(x, y string) int { return c.ExpE[part(x)].Cmp(c.ExpE[part(y)]) })
	paper := onPaper(budget[0], budget[1], slices.Repeat([]ledger.Choice{*c}, n+1), slices.Repeat([]string{cheapest}, n+1))
	t.Require(paper == n, "%v: %d rounds by the rule, by Algorithm 1 %d", step{*c, budget[0], budget[1]}, n, paper)
	return n
}

// longest returns the largest number of rounds of c that are admitted, on any outputs.
func (r referee) longest(c *ledger.Choice, rounds int) int {
	if rounds == 0 || !r.admits(c) {
		return 0
	}
	best := 0
	for z := range c.Outputs {
		best = max(best, r.next(c, z).longest(c, rounds-1))
	}
	return 1 + best
}

// budgets returns the budgets, as e^(ε_t) and δ_t, that at most so many rounds of a
// mechanism use up, the smallest that admit one.
func budgets(c ledger.Choice, rounds int) (all [][2]*big.Rat) {
	products := []*big.Rat{rat.One}
	for range rounds {
		for _, x := range products {
			for _, e := range c.ExpE {
				products = append(products, rat.Mul(x, e))
			}
		}
	}
	slices.SortFunc(products, (*big.Rat).Cmp)
	for _, expEpsT := range slices.CompactFunc(products, rat.Equal) {
		for n := range rounds {
			if expEpsT.Cmp(rat.Max(c.ExpE...)) >= 0 && (n == 0 || c.Delta.Sign() > 0) {
				all = append(all, [2]*big.Rat{expEpsT, rat.Mul(rat.Int(n+1), c.Delta)})
			}
		}
	}
	return all
}

// budgetsOf returns the budgets that both use up, or that only just admit both.
func budgetsOf(c, second ledger.Choice) (all [][2]*big.Rat) {
	seen := map[string]bool{}
	for _, e := range c.ExpE {
		expEpsT := rat.Mul(e, rat.Max(second.ExpE...))
		if key := rat.Show(expEpsT); !seen[key] && expEpsT.Cmp(rat.Max(c.ExpE...)) >= 0 {
			seen[key] = true
			all = append(all, [2]*big.Rat{expEpsT, rat.Max(c.Delta, second.Delta)},
				[2]*big.Rat{expEpsT, rat.Add(c.Delta, second.Delta)})
		}
	}
	return all
}
