package basics

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// advanced are the statements of Section 3.5.2.
func advanced() register.Checks {
	upTo22 := "1e-9, 1/2, 22/25, 999/1000 | 1/100"
	return register.Checks{
		"AFD-T3.20": checked(all(with(keepsKFold, 1, true), inverts, noneIsEnough, unequal, oneStep),
			alsoFails(register.Edge, "for δ' > 1 there is such an ε'", hasKFold()),
			near("with kε(e^ε − 1)·9/20 for the second term", with(keepsKFold, 0.45, true)),
			near("with δ' for kδ + δ'", with(keepsKFold, 1, false))),
		"AFD-K3.21": checked(with(enoughEach, upTo22, false),
			alsoFails(register.ProofStep, "the proof's step, √(2k ln(1/δ'))·ε + kε(e^ε − 1) ≤ ε', for δ' up to 9/10",
				with(byTheorem, rat.One, "1e-9, 1/2, 9/10")),
			near("it is enough up to δ' = 998/1000", with(enoughEach, "998/1000", false)),
			corrected("for ε' up to 8 ln(1/δ'), which is any if δ' is at most 22/25", with(enoughEach, upTo22, true))),
		"AFD-E3.7": checked(with(lifetime, "801"),
			alsoHolds("10,000 (1/801, 0)-DP mechanisms are together (1, e^(−32))-DP", with(lifetimeOptimal, "801")),
			near("1/812 is enough by Theorem 3.20", with(lifetime, "812")),
			near("10,000 (1/660, 0)-DP mechanisms are together (1, e^(−32))-DP", with(lifetimeOptimal, "660")),
			corrected("ε_0 ≤ 1/813 suffices by Theorem 3.20", with(lifetime, "813"))),
	}
}

// kFold returns the ε′ of AFD-T3.20 with a factor of the second term, rounded up.
func kFold(t *register.T, k int, eps, delta1 *big.Rat, factor float64) *big.Rat {
	whole := impl.KFoldComposition(k, loss.Nats(eps), delta1)
	literal := spec.KFoldComposition(k, rat.Float64(eps), rat.Float64(delta1))
	isAbout(t, "ε'", whole, literal)
	if factor == 1 {
		return rat.Exact(whole.Upper)
	}
	second := spec.KFoldComposition(k, rat.Float64(eps), 1) // as the first term is 0 for δ′ = 1
	return new(big.Rat).SetFloat64(literal - (1-factor)*second)
}

// kFolds are k and ε: one mechanism and many, small and large ε.
const kFolds = "(k, ε) in {(1, 1/100), (1, 3), (10, 1), (1000, 1/2), (100000, 1/10) | (2, 1), (3, 1/10), " +
	"(100, 1/10), (1000, 1/100)}"

// hasKFold checks that ε′ is a number for δ′ above 1, where it has the root of 2k ln(1/δ′) < 0.
var hasKFold = on("k = 1, ε = 1, δ' in {1, 101/100, 2}", func(t *register.T, delta1 float64) {
	eps := spec.KFoldComposition(1, 1, delta1)
	t.Require(!math.IsNaN(eps), "ε' has the root of 2·ln(1/δ') = %.6g", 2*math.Log(1/delta1))
})

// keepsKFold checks that optimal composition needs no more than the claim, with a factor of the second term, and kδ if
// that counts.
func keepsKFold(t *register.T, factor float64, own bool) {
	finite.Each(t, kFolds+", kδ in {0, 1/2 | 1/1000000}, δ' in {1e-9, 1/4, 1 | 1/1000, 9/10}",
		func(k int, eps, sum, delta1 *big.Rat) {
			delta := delta1
			if own {
				delta = rat.Min(rat.Add(sum, delta1), rat.One)
			}
			claimed := kFold(t, k, eps, delta1, factor)
			m := []impl.Mechanism{{Eps: loss.Nats(eps), Delta: rat.Quo(sum, rat.Int(k)), Count: k}}
			needed, err := impl.OptComp(t.Context(), m, delta, impl.Options{RelWidth: 1e-6})
			t.Require(err == nil || own, "no ε is enough: %v", err)
			t.Must(err)
			t.Within(needed.Eps, claimed, "ε' = %.9g, and at least %.9g is needed", claimed, needed.Eps.Lower)
		})
}

// inverts checks that the ε that impl allows by the theorem for some δ is its ε′, and for basic composition the sum.
func inverts(t *register.T) {
	finite.Each(t, kFolds+", δ' in {1e-9, 1/1000}: the theorem solved for ε, and with one before and one after them "+
		"that have half of ε and of δ", func(k int, e, delta1 *big.Rat) {
		m := impl.Mechanism{Eps: loss.Nats(e), Delta: rat.Quo(rat.Of("1/1000000"), rat.Int(k)), Count: k}
		weak := impl.Mechanism{Eps: loss.Nats(rat.Mul(rat.Half, e)), Delta: rat.Mul(rat.Half, m.Delta), Count: 1}
		for _, ms := range [][]impl.Mechanism{{m}, {weak, m, weak}} {
			all := k + len(ms) - 1
			eps, ok, err := impl.EpsWith(t.Context(), ms, rat.Add(delta1, rat.Mul(rat.Int(all), m.Delta)),
				impl.AdvancedBook)
			t.Must(err)
			want, got := impl.KFoldComposition(all, loss.Nats(e), delta1).Float(), eps.Bounds(64).Float()
			t.Require(ok && got.Hi >= want.Lo && got.Lo <= want.Hi*(1+1e-11), "of %d: ε' is %.15g, solved for it %.15g",
				all, want.Hi, got.Hi)
		}
	})
}

// noneIsEnough checks that impl has no ε by the advanced theorem for what the mechanisms' own δ are, nor beyond 2^900.
func noneIsEnough(t *register.T) {
	t.AlsoDomain("no ε' for (ε, δ) = (1, 1/2), twice (0, 1/2), (1000, 0), (10^10, 0) and δ' = 1/2")
	for _, m := range []impl.Mechanism{
		{Eps: loss.Nats(rat.One), Delta: rat.Half, Count: 1}, {Eps: loss.Nats(new(big.Rat)), Delta: rat.Half, Count: 2},
		{Eps: loss.Nats(rat.Int(1000)), Delta: new(big.Rat), Count: 1},
		{Eps: loss.Nats(rat.Of("10000000000")), Delta: new(big.Rat), Count: 1}} {
		t.At("ε = %s, δ = %s", m.Eps.Rat(), m.Delta)
		eps, ok, err := impl.EpsWith(t.Context(), []impl.Mechanism{m}, rat.Half, impl.AdvancedBook)
		t.Must(err)
		t.Require(!ok, "δ = 1/2 is allowed with %s", eps.Text())
	}
}

// listed are Count mechanisms in a list.
type listed struct {
	expEps, delta string
	count         int
}

func (l listed) mechanism(eps loss.Epsilon) impl.Mechanism {
	return impl.Mechanism{Eps: eps, Delta: rat.Of(l.delta), Count: l.count}
}

// unequal checks optimal composition of mechanisms that are not all the same, with equal ones in several places:
// against spec, which goes through all sets of them, and for their own δ, where it is Σ ε_i.
func unequal(t *register.T) {
	t.AlsoDomain("optimal composition of up to 5 mechanisms, in three lists with e^ε_i in {1, 3/2, 3} " +
		"and δ_i in {0, 1/20, 1/10, 1/4}, by spec: δ of 1/50 and 1/4 more than 1 − Π(1 − δ_i), and that itself, " +
		"also with ε_i = 0, 1/2, 2")
	for _, list := range [][]listed{
		{{"3/2", "1/10", 1}, {"1", "1/20", 1}, {"3/2", "1/20", 2}},
		{{"3", "0", 1}, {"3/2", "0", 3}},
		{{"1", "1/4", 2}, {"3", "0", 1}, {"3", "1/10", 1}, {"3/2", "0", 1}},
	} {
		var literal []spec.Mechanism
		var fast, nats []impl.Mechanism
		own, sum := rat.One, new(big.Rat)
		for _, l := range list {
			e := rat.Of(l.expEps)
			fast, nats = append(fast, l.mechanism(loss.Exp(e))),
				append(nats, l.mechanism(loss.Nats(rat.Sub(e, rat.One))))
			for range l.count {
				literal = append(literal, spec.Mechanism{ExpEps: e, Delta: rat.Of(l.delta)})
				own, sum = rat.Mul(own, rat.Complement(rat.Of(l.delta))), rat.Add(sum, rat.Sub(e, rat.One))
			}
		}
		own = rat.Complement(own)
		for _, more := range rat.List("0", "1/50", "1/4") {
			t.At("(e^ε, δ, how many) %v, δ = %s", list, rat.Add(own, more))
			want := register.Must(spec.OptComp(literal, rat.Add(own, more)))
			needed := register.Must(impl.OptComp(t.Context(), fast, rat.Add(own, more), impl.Options{RelWidth: 1e-9}))
			got := precise.Exp(needed.Eps)
			t.Require(got.Contains(want) && got.RelWidth() <= 1e-8, "e^ε is %s by spec, in [%.12g, %.12g] by impl",
				want, got.Lower, got.Upper)
		}
		t.At("(ε + 1, δ, how many) %v, δ = %s", list, own)
		needed := register.Must(impl.OptComp(t.Context(), nats, own, impl.Options{}))
		t.Require(needed.Exact != nil && rat.Equal(needed.Exact, sum), "ε is in [%.12g, %.12g], Σ ε_i is %s",
			needed.Eps.Lower, needed.Eps.Upper, sum)
	}
}

// oneStep checks optimal composition of (ln 2, 0)-DP for δ = 1, and with 17000 mechanisms that only leak, of which
// Π(1 − δ_i) is too long a number, and of one mechanism with laws in both orders of neighbours.
func oneStep(t *register.T) {
	t.AlsoDomain("of (ln 2, 0) for δ = 1; of it and 17000 times (0, 2^-20); of the laws (1/2, 1/2) and (1/4, 3/4) " +
		"in both orders")
	const count = 17000
	leak := math.Ldexp(1, -20)
	eps := func(delta *big.Rat, ms ...impl.Mechanism) float64 {
		return register.Must(impl.OptComp(t.Context(), ms, delta, impl.Options{})).Eps.Float().Hi
	}
	is := func(got, expE float64) {
		t.Case()
		t.Require(math.Abs(math.Exp(got)-expE) <= 1e-9, "e^ε is %.12g, must be %.12g", math.Exp(got), expE)
	}
	is(eps(rat.One, listed{"2", "0", 1}.mechanism(loss.Exp(rat.Int(2)))), 1)
	rest := 1 - (1-0.1)*math.Exp(-count*math.Log1p(-leak)) // of δ
	is(eps(rat.Of("1/10"), listed{"2", "0", 1}.mechanism(loss.Exp(rat.Int(2))),
		impl.Mechanism{Eps: loss.Nats(new(big.Rat)), Delta: new(big.Rat).SetFloat64(leak), Count: count}), 2-3*rest)
	quarter, half := rat.Of("1/4"), rat.Half
	for _, law := range [][][2]*big.Rat{{{half, quarter}, {half, rat.Of("3/4")}},
		{{quarter, half}, {rat.Of("3/4"), half}}} {
		is(eps(rat.Of("1/10"), impl.Mechanism{Law: law, Count: 1}), 1.6)
		is(eps(new(big.Rat), impl.Mechanism{Law: law, Count: 1}), 2)
	}
}

// basicAsPrinted checks that the ε that impl allows by basic composition is Σ ε_i, if Σ δ_i is at most δ.
func basicAsPrinted(t *register.T) {
	var ms []impl.Mechanism
	sum, own := new(big.Rat), new(big.Rat)
	finite.Each(t, "(ε_i, δ_i, how many) in {(1/10, 0, 1), (1/3, 1/100, 5), (2, 1/32, 12)}, and those before",
		func(e, delta *big.Rat, count int) {
			ms = append(ms, impl.Mechanism{Eps: loss.Nats(e), Delta: delta, Count: count})
			sum, own = rat.Add(sum, rat.Mul(rat.Int(count), e)), rat.Add(own, rat.Mul(rat.Int(count), delta))
			for _, less := range rat.List("0", "1e-12") {
				eps, ok, err := impl.EpsWith(t.Context(), ms, rat.Positive(rat.Sub(own, less)), impl.Basic)
				t.Must(err)
				want := less.Sign() == 0 || own.Sign() == 0
				t.Require(ok == want && (!ok || eps.Cmp(loss.OfRat(sum)) == 0),
					"Σ ε_i = %s, Σ δ_i = %s, δ less by %s: impl allows %s, %t", sum, own, less, eps.Text(), ok)
			}
		})
}

// byFACE2 checks that FAC-E2 gives k mechanisms at most ε′, too.
func byFACE2(t *register.T, k int, each, target, delta1 *big.Rat) {
	got, _ := impl.AdvancedComposition(slices.Repeat([]loss.Epsilon{loss.Nats(each)}, k),
		slices.Repeat([]*big.Rat{new(big.Rat)}, k), delta1)
	literal, _ := spec.AdvancedComposition(slices.Repeat([]float64{rat.Float64(each)}, k),
		make([]float64, k), rat.Float64(delta1))
	isAbout(t, "the ε of FAC-E2", got, literal)
	t.Require(!rat.IsAbove(got, target), "FAC-E2 gives %.9g", got.Lower)
}

// enoughEach checks that k mechanisms with the ε that is said to be enough are (ε′, kδ + δ′)-DP: or only where ε′ is at
// most 8 ln(1/δ′), and then by FAC-E2, too.
func enoughEach(t *register.T, delta1s string, bounded bool) {
	finite.Each(t, "k in {1, 10, 1000 | 2}, ε' in {1/200, 99/100 | 1/2}, δ' in {"+delta1s+"}; kδ = 0 and 1/1000000",
		func(at string, k int, target, delta1 *big.Rat) {
			if bounded && !rat.IsAbove(precise.Log(rat.Quo(rat.One, delta1)), rat.Quo(target, rat.Int(8))) {
				return
			}
			t.In("%s", at)
			interval := impl.KFoldEpsilon(k, target, delta1)
			isAbout(t, "ε", interval, spec.KFoldEpsilon(k, rat.Float64(target), rat.Float64(delta1)))
			each := rat.Exact(interval.Lower)
			if bounded {
				byFACE2(t, k, each, target, delta1)
			}
			for _, own := range rat.List("0", "1/1000000") {
				t.At("%s, kδ = %s", at, own)
				needed := optimal(t, each, rat.Quo(own, rat.Int(k)), k, rat.Add(own, delta1), 1e-6)
				t.Within(needed, target, "with ε = %.9g at least %.9g is needed", each, needed.Lower)
			}
		})
}

// byTheorem checks that Theorem 3.20 gives at most ε′ for the ε of Corollary 3.21, times a factor.
func byTheorem(t *register.T, factor *big.Rat, delta1s string) {
	finite.Each(t, "Theorem 3.20 for k in {1, 2, 10, 1000}, ε' in {1/100, 1/2, 99/100}, δ' in {"+delta1s+"}",
		func(k int, target, delta1 *big.Rat) {
			each := loss.Nats(rat.Mul(factor, rat.Exact(impl.KFoldEpsilon(k, target, delta1).Upper)))
			got := impl.KFoldComposition(k, each, delta1)
			t.Require(!rat.IsAbove(got, target), "the theorem gives %.9g", got.Lower)
		})
}

// rare is e^(−32), from both sides.
var rare = interval.Precision(256).ExpRat(rat.Int(-32))

// lifetime checks that Theorem 3.20 gives at most 1 for 10,000 mechanisms of ε = 1/n.
func lifetime(t *register.T, n string) {
	finite.Each(t, "k = 10000, 1/ε_0 in {"+n+"}, δ' = e^(−32)", func(n *big.Rat) {
		eps := rat.Quo(rat.One, n)
		literal := spec.KFoldComposition(10_000, rat.Float64(eps), math.Exp(-32))
		got := impl.KFoldComposition(10_000, loss.Nats(eps), rat.Exact(rare.Lower))
		least := impl.KFoldComposition(10_000, loss.Nats(eps), rat.Exact(rare.Upper))
		t.Require(!rat.IsAbove(least, rat.One) && literal <= 1, "ε' is %.9g, by spec %.9g", least.Lower, literal)
		if !rat.IsAtMost(got, rat.One) {
			t.Inconclusive("ε' is at most %.9g", got.Upper)
		}
		t.Close(got.Float().Hi, "")
	})
}

// lifetimeOptimal checks that 10,000 mechanisms of ε = 1/n are together (1, e^(−32))-DP.
func lifetimeOptimal(t *register.T, n string) {
	finite.Each(t, "k = 10000, 1/ε_0 in {"+n+"}, δ = e^(−32), optimal composition", func(n *big.Rat) {
		needed := optimal(t, rat.Quo(rat.One, n), new(big.Rat), 10_000, rat.Exact(rare.Lower), 1e-6)
		t.Within(needed, rat.One, "at least ε = %.9g is needed", needed.Lower)
	})
}
