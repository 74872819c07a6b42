package odp

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// odpComposition are the statements on Algorithm 1.
func odpComposition() register.Checks {
	return register.Checks{
		"ODP-X3": checked(all(with(usefulFor, 2, isUneven), with(admitsRounds, everyRound)),
			near("from three rounds on", with(usefulFor, 3, isUneven)),
			near("only if parts differ in e^ℰ by a factor of 2", with(usefulFor, 2,
				func(c ledger.Choice) bool { return rat.Max(c.ExpE...).Cmp(rat.Twice(rat.Min(c.ExpE...))) >= 0 })),
			near("a budget for rounds of one mechanism is used up a round early", with(admitsRounds, allButOne))),
		"ODP-A1": checked(all(isTextA, with(staysPrivate, spec.TextB, asPromised), with(ofAlgorithm1, asPromised)),
			alsoFails("", "with “=” for “-=”, as the text at hand has [A]", with(staysPrivate, spec.TextA, asPromised)),
			near("with a twentieth less δ_t", with(staysPrivate, spec.TextB, lessDelta)),
			near("with a twentieth less e^ε_t", with(staysPrivate, spec.TextB, lessEps)),
			near("with “=” in line 7 alone", with(composes, ofTextA(true, false), asPromised)),
			near("with “=” in line 8 alone", with(composes, ofTextA(false, true), asPromised))),
		"ODP-X7": checked(all(with(saves, func(expE, sup *big.Rat) bool { return expE.Cmp(sup) < 0 }),
			with(comparesWith, func(_, sup *big.Rat) *big.Rat { return sup })),
			near("only if e^ℰ(P) is at most half of its supremum",
				with(saves, func(expE, sup *big.Rat) bool { return rat.Twice(expE).Cmp(sup) <= 0 })),
			near("without ODP an output in P costs ℰ(P)",
				with(comparesWith, func(expE, _ *big.Rat) *big.Rat { return expE }))),
		"ODP-X8": checked(with(stopsWith, quiet()),
			near("so is randomized response with e^ε = 101/100",
				with(stopsWith, finite.ResponseChoice(big.NewRat(101, 100)))),
			near("so is what leaks with probability 1/1000", with(stopsWith, leakOrBottom(big.NewRat(1, 1000))))),
		"ODP-T7": checked(all(with(composes, ledger.SumRule, asPromised), with(searches, everyRound),
			with(ofAlgorithm1, asPromised), with(admitsRounds, everyRound)),
			near("the views are (ε_t, δ_t)-DP with a twentieth less δ_t", with(composes, ledger.SumRule, lessDelta)),
			near("they are with a twentieth less e^ε_t", with(composes, ledger.SumRule, lessEps)),
			near("those of adversaries that toss coins are with a twentieth less δ_t", with(ofAlgorithm1, lessDelta)),
			near("an adversary gains nothing by its last round", with(searches, allButOne))),
		"ODP-X9": checked(all(leaks(deltaByPart, everyRound), with(isBroken, deltaByPart)),
			near("nor may it be the whole δ", with(isBroken, ledger.SumRule)),
			near("a leak whose δ is charged in full happens as often", leaks(ledger.SumRule, everyRound)),
			near("the last of several rounds adds nothing",
				leaks(deltaByPart, func(n int) int { return min(n, 4) }))),
		"ODP-X30": checked(with(usedUp, rat.One, new(big.Rat)),
			near("also with a δ of 1/1000 left", with(usedUp, rat.One, "1/1000")),
			near("also with ε = ln(101/100) left", with(usedUp, "101/100", new(big.Rat)))),
	}
}

// isUneven reports whether ℰ is not the same on all parts.
func isUneven(c ledger.Choice) bool { return !rat.Equal(rat.Max(c.ExpE...), rat.Min(c.ExpE...)) }

// leaks checks that under the accountant a mechanism that leaks with probability δ, or says ⊥, needs
// 1 − (1 − δ)^rounds(n) in n rounds; and just δ if the whole δ is charged.
var leaks = finite.Over("leaks of a probability δ in {1/2, 1/4, 1/1000}, rounds in {1, 2, 3, 4, 5}",
	func(t *register.T, rule accountant, rounds func(n int) int, delta *big.Rat, n int) {
		m := finite.Menu{Choices: []ledger.Choice{leakOrBottom(delta)}, Rounds: n}
		got, _ := m.Worst(t, rule(rat.One, delta), rat.One)
		want := atLeastOnce(rounds(n), delta)
		t.Require(rat.Equal(got, want), "they need δ = %s, not %s", got, want)
		whole, _ := m.Worst(t, ledger.SumRule(rat.One, delta), rat.One)
		t.Require(rat.Equal(whole, delta), "charged in full, they need δ = %s", whole)
	})

// promise is what is claimed of the views, of a budget: e^ε and δ.
type promise func(expEpsT, deltaT *big.Rat) (expEps, delta *big.Rat)

func asPromised(expEpsT, deltaT *big.Rat) (expEps, delta *big.Rat) { return expEpsT, deltaT }
func lessDelta(expEpsT, deltaT *big.Rat) (expEps, delta *big.Rat)  { return expEpsT, shaved(deltaT) }
func lessEps(expEpsT, deltaT *big.Rat) (expEps, delta *big.Rat) {
	return chargeOf(nearly, expEpsT), deltaT
}

func everyRound(k int) int { return k }
func allButOne(k int) int  { return k - 1 }

// composes checks that no adversary on the menus breaks what is promised of its budget under the accountant.
func composes(t *register.T, rule accountant, of promise) {
	t.Domain("%s", menusDomain(t))
	for _, m := range menus(t) {
		r := rule(m.ExpEpsT, m.DeltaT)
		m.ExpEpsT, m.DeltaT = of(m.ExpEpsT, m.DeltaT)
		t.Case()
		worst, _ := m.Worst(t, r, m.ExpEpsT)
		if worst.Cmp(m.DeltaT) > 0 {
			t.Refute("%s", m.Attack(t, r))
		}
		t.CloseTo(worst, m.DeltaT, "e^ε_t = %s, δ_t = %s", m.ExpEpsT, m.DeltaT)
	}
}

// ofAlgorithm1 checks Algorithm 1 as printed in [B] on random adversaries: what spec admits and makes of them is
// what both accountants of impl admit and multiplication along the tree says, and the views are as promised.
func ofAlgorithm1(t *register.T, of promise) {
	ofPlayers(t, t.Size(60, 2000), func(t *register.T, p player) {
		for _, p := range []player{p, p.obedient(ledger.SumRule(p.expEpsT, p.deltaT))} {
			p.isRefereed(t, spec.TextB, accountantOf(p.expEpsT, p.deltaT))
			if laws, isFair := p.isRefereed(t, spec.TextB, byRule(ledger.SumRule(p.expEpsT, p.deltaT))); isFair {
				p.keeps(t, laws, of)
			}
		}
	})
}

// isTextA checks that what spec admits by [A], and makes of it, is what a rule does.
func isTextA(t *register.T) {
	ofPlayers(t, t.Size(60, 2000), func(t *register.T, p player) {
		r := ofTextA(true, true)(p.expEpsT, p.deltaT)
		p.isRefereed(t, spec.TextA, byRule(r))
		p.obedient(r).isRefereed(t, spec.TextA, byRule(r))
	})
}

// isRefereed refutes a player that Algorithm 1 admits and a referee does not, or one with other views. It returns
// the views, if the player is admitted.
func (p player) isRefereed(t *register.T, text spec.Text, r referee) (views finite.Pair, isFair bool) {
	laws, err := finite.ODPComposition(p.adversary(), p.expEpsT, p.deltaT, p.rounds, text)
	g := p.views(r, false)
	t.Require(g.isFair == (err == nil), "%v: is admitted by impl: %v, by spec: %v", p, g.isFair, err)
	t.Require(!g.isFair || g.views.Equal(laws), "%v: has %v, in spec %v", p, g.views, laws)
	return g.views, g.isFair
}

// keeps refutes views that are not as promised, in both directions.
func (p player) keeps(t *register.T, views finite.Pair, of promise) {
	expEps, delta := of(p.expEpsT, p.deltaT)
	need := views.DeltaBothWays(finite.Constant(expEps))
	t.Require(need.Cmp(delta) <= 0, "%v: at e^ε = %s the views need δ = %s, more than %s", p, expEps, need, delta)
	t.CloseTo(need, delta, "e^ε_t = %s, δ_t = %s, %d coins, %d rounds", expEps, delta, p.coins, p.rounds)
}

// isBroken checks that some adversary on the menus breaks the budget under the accountant.
// It looks at the menus without ℰ first.
func isBroken(t *register.T, rule accountant) {
	t.Domain("%s", menusDomain(t))
	for _, free := range []bool{true, false} {
		for _, m := range menus(t) {
			if isFree(m) != free {
				continue
			}
			t.Case()
			if broken := m.Attack(t, rule(m.ExpEpsT, m.DeltaT)); broken != "" {
				t.Domain("leaks of probability 1/2, 1/4 and 1/1000 for up to 5 rounds; the smallest that breaks it: %s",
					broken)
				return
			}
		}
	}
	t.Refute("no adversary breaks it: %s", menusDomain(t))
}

// staysPrivate checks that the views are as promised. An adversary that makes a choice
// that is not allowed has no view.
func staysPrivate(t *register.T, text spec.Text, of promise) {
	t.Domain("%s", runAgainDomain(t))
	for _, x := range runAgain(t) {
		t.At("%v", x)
		laws, err := finite.ODPComposition(x.adversary(), x.expEpsT, x.deltaT, x.rounds, text)
		if err != nil {
			continue
		}
		expEps, most := of(x.expEpsT, x.deltaT)
		delta := register.Must(spec.SmallestDPDelta(laws[0], laws[1], expEps))
		t.AtMost(delta, most, "at e^ε = %s the views need δ = %s: they have %v", expEps, delta, shown(laws))
	}
}

// stopsWith checks that rounds of the mechanism are admitted after any views, and that
// they add nothing to them.
func stopsWith(t *register.T, last ledger.Choice) {
	t.Domain("%s of these: %s; then 1 to 2 more rounds", finite.Share(t.Size(5, 1)), runAgainDomain(t))
	for x := range finite.EveryNth(slices.Values(runAgain(t)), t.Size(5, 1)) {
		t.At("%v", x)
		a := x.obedient(ledger.SumRule(x.expEpsT, x.deltaT)).adversary()
		played := register.Must(finite.ODPComposition(a, x.expEpsT, x.deltaT, 2, spec.TextB))
		longer := spec.Adversary{Coins: 1, Choose: func(coins string, outputs []string) spec.Choice {
			if len(outputs) < 2 {
				return a.Choose(coins, outputs)
			}
			return finite.ForSpec(&last)
		}}
		for more := 1; more <= 2; more++ {
			got, err := finite.ODPComposition(longer, x.expEpsT, x.deltaT, 2+more, spec.TextB)
			t.Require(err == nil, "%v", err)
			t.Require(got.Equal(finite.Pair{padded(played[0], more), padded(played[1], more)}), "%v became %v",
				shown(played), shown(got))
		}
	}
}

// padded appends ⊥ to every view.
func padded(l finite.Law, more int) finite.Law {
	longer := finite.Law{}
	for view, pr := range l {
		longer[view+strings.Repeat(","+spec.Bottom, more)] = pr
	}
	return longer
}

// usedUp checks that after randomized response has used ε_t but for a factor expEps of e^ε_t, and with δ = delta
// left, a mechanism is allowed only if it is (0, 0)-DP; and that such a one is.
func usedUp(t *register.T, expEps, delta *big.Rat) {
	t.Domain("randomized response with e^ε = 3, then every mechanism with 3 outputs and probabilities in 1/%d, "+
		"whatever its partition, e^ℰ in {1, 2, 3}; or randomized response with e^ε = 101/100, "+
		"or a leak of probability 1/1000", t.Size(3, 4))
	few := []ledger.Choice{finite.ResponseChoice(big.NewRat(101, 100)), leakOrBottom(big.NewRat(1, 1000)), quiet()}
	for _, c := range slices.AppendSeq(few, finite.Choices(3, t.Size(3, 4), expEs)) {
		t.At("%v", said{&c})
		allowedLast(t, c, expEps, delta)
	}
}

// allowedLast checks one case of [usedUp], in all rooms.
func allowedLast(t *register.T, c ledger.Choice, expEps, delta *big.Rat) {
	response, expEpsT := finite.ResponseChoice(rat.Int(3)), rat.Mul(rat.Int(3), expEps)
	perfect := slices.EqualFunc(c.Laws[0], c.Laws[1], rat.Equal)
	allowed := onPaper(expEpsT, delta, []ledger.Choice{response, c}, []string{"1", c.Outputs[0]}) == 2
	for _, r := range []referee{byRule(ledger.SumRule(expEpsT, delta)), accountantOf(expEpsT, delta)} {
		by := r.next(&response, 0).admits(&c)
		t.Require(by == allowed, "it is allowed in impl: %v, in spec: %v", by, allowed)
	}
	t.Require(perfect || !allowed, "it is allowed")
	t.Require(allowed || !perfect || !rat.Equal(rat.Max(c.ExpE...), rat.One), "it is not allowed")
}

// amount is e^ε and δ.
type amount struct{ expEps, delta *big.Rat }

func (a amount) plus(b amount) amount {
	return amount{rat.Mul(a.expEps, b.expEps), rat.Add(a.delta, b.delta)}
}

// is reports whether impl has the same amount.
func (a amount) is(b ledger.Amount) bool {
	return b.Eps.Cmp(loss.Of(loss.Exp(a.expEps))) == 0 && b.Delta.Cmp(loss.OfRat(a.delta)) == 0
}

// comparesWith checks that the accountant charges every round ℰ(P) and δ, and compares that with what the round costs
// without ODP: by Lemma 4 what is claimed, and what is known if that is better.
func comparesWith(t *register.T, without func(expE, sup *big.Rat) *big.Rat) {
	t.AlsoDomain("in up to 3 rounds, also if the second is known to be (ln(4/3), 1/8)-DP")
	for c := range finite.Choices(3, t.Size(2, 4), expEs) {
		for z := range c.Outputs {
			t.Case()
			expE := c.ExpE[c.Part[z]]
			round := amount{without(expE, rat.Max(c.ExpE...)), c.Delta}
			comparesRounds(t, c, z, round, round)
			comparesRounds(t, c, z, round, amount{big.NewRat(4, 3), big.NewRat(1, 8)})
		}
	}
}

// comparesRounds runs three rounds of c with the output z, or as many as a δ of 1 allows. The second costs something of
// its own without ODP, unless what is claimed is at most that.
func comparesRounds(t *register.T, c ledger.Choice, z int, round, second amount) {
	charged, compared := amount{rat.One, new(big.Rat)}, amount{rat.One, new(big.Rat)}
	budget := rat.Power(rat.Max(c.ExpE...), 3)
	a := register.Must(ledger.NewAccountant(loss.Exp(budget), rat.One))
	begin := a
	for _, known := range []amount{round, second, round} {
		cost := known
		if round.expEps.Cmp(known.expEps) <= 0 && round.delta.Cmp(known.delta) <= 0 {
			cost = round
		}
		charged, compared = charged.plus(amount{c.ExpE[c.Part[z]], c.Delta}), compared.plus(cost)
		if charged.delta.Cmp(rat.One) > 0 {
			return
		}
		g := guaranteeOf(&c)
		if known != round {
			g.DP = &ledger.DPGuarantee{Eps: loss.Exp(known.expEps), Delta: known.delta}
		}
		a = register.Must(a.Spend(g, strconv.Itoa(c.Part[z])))
		if s := a.Spent(); !charged.is(s.ODP) || !compared.is(s.WithoutODP) {
			t.Refute("%s: %d times %s: spent ε = %v, δ = %v, without ODP ε = %v, δ = %v; claimed are e^ε = %s, "+
				"δ = %s and e^ε = %s, δ = %s", finite.Describe(&c), s.Events, c.Outputs[z], s.ODP.Eps, s.ODP.Delta,
				s.WithoutODP.Eps, s.WithoutODP.Delta, charged.expEps, charged.delta, compared.expEps, compared.delta)
		}
		left, again := amount{rat.Quo(budget, charged.expEps), rat.Complement(charged.delta)},
			register.Must(begin.Resume(a.Spent()))
		t.Require(left.is(a.Remaining()) && left.is(again.Remaining()) &&
			math.Abs(a.Fits()-math.Log(rat.Float64(left.expEps))) <= 1e-12,
			"%s: e^ε = %s, δ = %s is left; by the accountant %v, and ε = %g fits", finite.Describe(&c), left.expEps,
			left.delta, a.Remaining(), a.Fits())
	}
}
