package basics

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// advanced are the statements of Section 3.5.2.
func advanced() register.Checks {
	return register.Checks{
		"AFD-T3.20": register.Checked(register.All(keepsKFold(kFold(1, 1)), inverts, unequal),
			register.AlsoFails(register.Edge, "for δ' > 1 there is such an ε'", hasKFold),
			register.Control("without the second term", keepsKFold(kFold(1, 0))),
			register.NearMiss("with kε(e^ε − 1)·9/20 for the second term", keepsKFold(kFold(1, 0.45))),
			register.NearMiss("with δ' for kδ + δ'", keepsKFold(kFoldClaim{1, 1, false})),
		),
		"AFD-K3.21": register.Checked(enoughEach(
			eachClaim{rat.One, rat.List("1e-9", "1/100", "1/2", "22/25", "999/1000"), false},
		),
			register.AlsoFails(register.ProofStep,
				"the proof's step, √(2k ln(1/δ'))·ε + kε(e^ε − 1) ≤ ε', for δ' up to 9/10",
				byTheorem(rat.One, rat.List("1e-9", "1/2", "9/10"))),
			register.Control("four times that ε is enough for δ' up to 1/2",
				enoughEach(eachClaim{rat.Of("4"), rat.List("1e-9", "1/100", "1/2"), false})),
			register.NearMiss("it is enough up to δ' = 998/1000", enoughEach(eachClaim{rat.One, rat.List("998/1000"), false})),
			register.Corrected("for ε' up to 8 ln(1/δ'), which is any if δ' is at most 22/25",
				enoughEach(eachClaim{rat.One, rat.List("1e-9", "1/100", "1/2", "22/25", "999/1000"), true})),
		),
		"AFD-E3.7": register.Checked(lifetime("801"),
			register.AlsoHolds("10,000 (1/801, 0)-DP mechanisms are together (1, e^(−32))-DP", lifetimeOptimal("801")),
			register.NearMiss("1/812 is enough by Theorem 3.20", lifetime("812")),
			register.NearMiss("10,000 (1/660, 0)-DP mechanisms are together (1, e^(−32))-DP", lifetimeOptimal("660")),
			register.Corrected("ε_0 ≤ 1/813 suffices by Theorem 3.20", lifetime("813")),
		),
	}
}

// kFoldClaim is a variant of AFD-T3.20: factors of the two terms, and whether kδ counts.
type kFoldClaim struct {
	first, second float64
	own           bool
}

func kFold(first, second float64) kFoldClaim { return kFoldClaim{first, second, true} }

// eps returns the ε′ that is claimed, rounded up, and refutes that the rooms disagree.
func (c kFoldClaim) eps(t *register.T, k int, eps, delta1 *big.Rat) *big.Rat {
	whole := impl.KFoldComposition(k, loss.Nats(eps), delta1)
	literal := spec.KFoldComposition(k, rat.Float64(eps), rat.Float64(delta1))
	if !(math.Abs(whole.Float().Hi-literal) <= 1e-12*whole.Float().Hi) {
		t.Refute("k = %d, ε = %s, δ' = %s: ε' is %.15g by spec, %.15g by impl", k, rat.Show(eps), rat.Show(delta1), literal,
			whole.Float().Hi)
	}
	if c.first == 1 && c.second == 1 {
		return rat.Exact(whole.Upper)
	}
	second := spec.KFoldComposition(k, rat.Float64(eps), 1) // as the first term is 0 for δ′ = 1
	return new(big.Rat).SetFloat64(c.first*(literal-second) + c.second*second)
}

// kFoldCases are k and ε: one mechanism and many, small and large ε.
var kFoldCases = []struct {
	k   int
	eps string
}{{1, "1/100"}, {1, "3"}, {2, "1"}, {3, "1/10"}, {10, "1"}, {100, "1/10"}, {1000, "1/100"}, {1000, "1/2"},
	{100_000, "1/10"}}

// hasKFold checks that ε′ is a number for δ′ above 1, where it has the root of 2k ln(1/δ′) < 0.
func hasKFold(t *register.T) {
	t.Domain("k = 1, ε = 1, δ' in {1, 101/100, 2}")
	for _, delta1 := range rat.List("1", "101/100", "2") {
		t.Case()
		if eps := spec.KFoldComposition(1, 1, rat.Float64(delta1)); math.IsNaN(eps) {
			t.Refute("k = 1, ε = 1, δ' = %s: ε' has the root of 2·ln(1/δ') = %.6g", rat.Show(delta1),
				2*math.Log(1/rat.Float64(delta1)))
		}
	}
}

// keepsKFold checks that optimal composition needs no more than the claim.
func keepsKFold(claim kFoldClaim) register.Check {
	return func(t *register.T) {
		t.Domain("(k, ε) in {(1, 1/100), (1, 3), (2, 1), (3, 1/10), (10, 1), (100, 1/10), (1000, 1/100), (1000, 1/2), " +
			"(100000, 1/10)}; kδ = 0, 1/1000000 and 1/2; δ' in {1e-9, 1/1000, 1/4, 9/10, 1}")
		for _, c := range kFoldCases {
			eps := rat.Of(c.eps)
			for _, own := range rat.List("0", "1/1000000", "1/2") {
				for _, delta1 := range rat.List("1e-9", "1/1000", "1/4", "9/10", "1") {
					t.Case()
					m := impl.Mechanism{Eps: loss.Nats(eps), Delta: rat.Quo(own, rat.Int(c.k)), Count: c.k}
					delta := delta1
					if claim.own {
						delta = rat.Min(rat.Add(own, delta1), rat.One)
					}
					claimed := claim.eps(t, c.k, eps, delta1)
					needed, err := impl.OptComp(t.Context(), []impl.Mechanism{m}, delta, impl.Options{RelWidth: 1e-6})
					if claim.own {
						t.Must(err)
					} else if err != nil {
						t.Refute("k = %d, ε = %s, kδ = %s, δ' = %s: no ε is enough: %v", c.k, c.eps, rat.Show(own), rat.Show(delta1), err)
					}
					if rat.IsAbove(needed.Eps, claimed) {
						t.Refute("k = %d, ε = %s, kδ = %s, δ' = %s: ε' = %.9g, and at least %.9g is needed", c.k, c.eps, rat.Show(own),
							rat.Show(delta1), rat.Float64(claimed), needed.Eps.Lower)
					}
					t.Close(needed.Eps.Float().Lo/rat.Float64(claimed), "k = %d, ε = %s, kδ = %s, δ' = %s", c.k, c.eps, rat.Show(own),
						rat.Show(delta1))
				}
			}
		}
	}
}

// inverts checks that the ε that impl allows by the theorem for some δ is its ε′, and for basic composition the sum.
func inverts(t *register.T) {
	t.AlsoDomain("the theorem solved for ε and δ' in {1e-9, 1/1000}, for these mechanisms, and with one before and one " +
		"after them that have half of ε and of δ")
	for _, c := range kFoldCases {
		for _, delta1 := range rat.List("1e-9", "1/1000") {
			e := rat.Of(c.eps)
			m := impl.Mechanism{Eps: loss.Nats(e), Delta: rat.Quo(rat.Of("1/1000000"), rat.Int(c.k)), Count: c.k}
			weak := impl.Mechanism{Eps: loss.Nats(rat.Mul(rat.Half, e)), Delta: rat.Mul(rat.Half, m.Delta), Count: 1}
			for _, ms := range [][]impl.Mechanism{{m}, {weak, m, weak}} {
				t.Case()
				k := c.k + len(ms) - 1
				eps, ok, err := impl.EpsWith(t.Context(), ms, rat.Add(delta1, rat.Mul(rat.Int(k), m.Delta)), impl.AdvancedBook)
				t.Must(err)
				want := impl.KFoldComposition(k, loss.Nats(e), delta1).Float()
				if got := eps.Bounds(64).Float(); !ok || got.Hi < want.Lo || got.Lo > want.Hi*(1+1e-11) {
					t.Refute("k = %d of which %d have half of ε = %s and of δ, δ' = %s: ε' is %.15g, solved for it %.15g", k, k-c.k,
						c.eps, rat.Show(delta1), want.Hi, got.Hi)
				}
			}
		}
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
	t.AlsoDomain("optimal composition of up to 5 mechanisms, in three lists with e^ε_i in {1, 3/2, 3} and δ_i in {0, " +
		"1/20, 1/10, 1/4}, by spec: δ of 1/50 and 1/4 more than 1 − Π(1 − δ_i), and that itself, also with ε_i = 0, 1/2, 2")
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
			fast, nats = append(fast, l.mechanism(loss.Exp(e))), append(nats, l.mechanism(loss.Nats(rat.Sub(e, rat.One))))
			for range l.count {
				literal = append(literal, spec.Mechanism{ExpEps: e, Delta: rat.Of(l.delta)})
				own, sum = rat.Mul(own, rat.Complement(rat.Of(l.delta))), rat.Add(sum, rat.Sub(e, rat.One))
			}
		}
		own = rat.Complement(own)
		for _, more := range rat.List("0", "1/50", "1/4") {
			t.Case()
			want, err := spec.OptComp(literal, rat.Add(own, more))
			t.Must(err)
			needed, err := impl.OptComp(t.Context(), fast, rat.Add(own, more), impl.Options{RelWidth: 1e-9})
			t.Must(err)
			if got := precise.Exp(needed.Eps); !got.Contains(want) || got.RelWidth() > 1e-8 {
				t.Refute("(e^ε, δ, how many) %v, δ = %s: e^ε is %s by spec, in [%.12g, %.12g] by impl", list,
					rat.Show(rat.Add(own, more)), rat.Show(want), got.Lower, got.Upper)
			}
		}
		t.Case()
		needed, err := impl.OptComp(t.Context(), nats, own, impl.Options{})
		t.Must(err)
		if needed.Exact == nil || !rat.Equal(needed.Exact, sum) {
			t.Refute("(ε + 1, δ, how many) %v, δ = %s: ε is in [%.12g, %.12g], Σ ε_i is %s", list, rat.Show(own),
				needed.Eps.Lower, needed.Eps.Upper, rat.Show(sum))
		}
	}
}

// basicAsPrinted checks that the ε that impl allows by basic composition is Σ ε_i, if Σ δ_i is at most δ.
func basicAsPrinted(t *register.T) {
	t.AlsoDomain("up to 3 kinds of mechanisms with ε_i = 1/10, 1/3, 2 and δ_i = 0, 1/100, 1/32, of which there are " +
		"1, 5 and 12")
	kinds := []impl.Mechanism{
		{Eps: loss.Nats(rat.Of("1/10")), Delta: rat.Of("0")}, {Eps: loss.Nats(rat.Of("1/3")), Delta: rat.Of("1/100")},
		{Eps: loss.Nats(rat.Of("2")), Delta: rat.Of("1/32")},
	}
	var ms []impl.Mechanism
	sum, own := new(big.Rat), new(big.Rat)
	for i, m := range kinds {
		m.Count = []int{1, 5, 12}[i]
		ms = append(ms, m)
		sum, own = rat.Add(sum, rat.Mul(rat.Int(m.Count), m.Eps.Rat())), rat.Add(own, rat.Mul(rat.Int(m.Count), m.Delta))
		for _, less := range rat.List("0", "1e-12") {
			t.Case()
			eps, ok, err := impl.EpsWith(t.Context(), ms, rat.Positive(rat.Sub(own, less)), impl.Basic)
			t.Must(err)
			if want := less.Sign() == 0 || own.Sign() == 0; ok != want || ok && eps.Cmp(loss.OfRat(sum)) != 0 {
				t.Refute("Σ ε_i = %s, Σ δ_i = %s, δ less by %s: impl allows %s, %t", rat.Show(sum), rat.Show(own), rat.Show(less),
					eps.Text(), ok)
			}
		}
	}
}

// eachClaim is a variant of AFD-K3.21: a factor of ε, the δ′, and whether ε′ is at most 8 ln(1/δ′).
type eachClaim struct {
	factor  *big.Rat
	delta1s []*big.Rat
	bounded bool
}

// byFACE2 checks that FAC-E2 gives k mechanisms at most ε′, too.
func byFACE2(t *register.T, k int, each, target, delta1 *big.Rat) {
	eps, floats := make([]loss.Epsilon, k), make([]float64, k)
	deltas, none := make([]*big.Rat, k), make([]float64, k)
	for i := range k {
		eps[i], floats[i], deltas[i] = loss.Nats(each), rat.Float64(each), new(big.Rat)
	}
	got, _ := impl.AdvancedComposition(eps, deltas, delta1)
	literal, _ := spec.AdvancedComposition(floats, none, rat.Float64(delta1))
	isAbout(t, "the ε of FAC-E2", got, literal)
	if rat.IsAbove(got, target) {
		t.Refute("k = %d, ε' = %s, δ' = %s: FAC-E2 gives %.9g", k, rat.Show(target), rat.Show(delta1), got.Lower)
	}
}

// enoughEach checks that k mechanisms with the ε that is said to be enough are (ε′, kδ + δ′)-DP.
func enoughEach(claim eachClaim) register.Check {
	return func(t *register.T) {
		t.Domain("k in {1, 2, 10, 1000}, ε' in {1/200, 1/2, 99/100}, kδ = 0 and 1/1000000, δ' in {%s}",
			rat.Show(claim.delta1s...))
		if claim.bounded {
			t.AlsoDomain("where ε' is at most 8 ln(1/δ'); also by FAC-E2")
		}
		for _, k := range []int{1, 2, 10, 1000} {
			for _, target := range rat.List("1/200", "1/2", "99/100") {
				for _, delta1 := range claim.delta1s {
					if claim.bounded && !rat.IsAbove(precise.Log(rat.Quo(rat.One, delta1)), rat.Quo(target, rat.Of("8"))) {
						continue
					}
					each := impl.KFoldEpsilon(k, target, delta1)
					literal := spec.KFoldEpsilon(k, rat.Float64(target), rat.Float64(delta1))
					if !(math.Abs(literal-each.Float().Hi) <= 1e-12*each.Float().Hi) {
						t.Refute("k = %d, ε' = %s, δ' = %s: ε is %.15g by spec, %.15g by impl", k, rat.Show(target), rat.Show(delta1),
							literal, each.Float().Hi)
					}
					if claim.bounded {
						byFACE2(t, k, rat.Exact(each.Lower), target, delta1)
					}
					for _, own := range rat.List("0", "1/1000000") {
						t.Case()
						m := impl.Mechanism{Eps: loss.Nats(rat.Mul(claim.factor, rat.Exact(each.Lower))),
							Delta: rat.Quo(own, rat.Int(k)), Count: k}
						needed, err := impl.OptComp(t.Context(), []impl.Mechanism{m}, rat.Add(own, delta1), impl.Options{RelWidth: 1e-6})
						t.Must(err)
						if rat.IsAbove(needed.Eps, target) {
							t.Refute("k = %d, ε' = %s, δ' = %s, kδ = %s: with ε = %.9g at least %.9g is needed", k, rat.Show(target),
								rat.Show(delta1), rat.Show(own), m.Eps.Float64(), needed.Eps.Lower)
						}
						t.Close(needed.Eps.Float().Lo/rat.Float64(target), "k = %d, ε' = %s, δ' = %s, kδ = %s", k, rat.Show(target),
							rat.Show(delta1), rat.Show(own))
					}
				}
			}
		}
	}
}

// byTheorem checks that Theorem 3.20 gives at most ε′ for the ε of Corollary 3.21, times a factor.
func byTheorem(factor *big.Rat, delta1s []*big.Rat) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("Theorem 3.20 for δ' in {%s}", rat.Show(delta1s...))
		for _, k := range []int{1, 2, 10, 1000} {
			for _, target := range rat.List("1/100", "1/2", "99/100") {
				for _, delta1 := range delta1s {
					t.Case()
					each := loss.Nats(rat.Mul(factor, rat.Exact(impl.KFoldEpsilon(k, target, delta1).Upper)))
					if got := impl.KFoldComposition(k, each, delta1); rat.IsAbove(got, target) {
						t.Refute("k = %d, ε' = %s, δ' = %s: the theorem gives %.9g", k, rat.Show(target), rat.Show(delta1), got.Lower)
					}
				}
			}
		}
	}
}

// rare is e^(−32), from both sides.
var rare = interval.Precision(256).ExpRat(rat.Int(-32))

// lifetime checks that Theorem 3.20 gives at most 1 for 10,000 mechanisms of ε = 1/n.
func lifetime(n string) register.Check {
	return func(t *register.T) {
		t.Domain("k = 10000, ε_0 = 1/%s, δ' = e^(−32)", n)
		t.Case()
		eps := rat.Quo(rat.One, rat.Of(n))
		literal := spec.KFoldComposition(10_000, rat.Float64(eps), math.Exp(-32))
		got := impl.KFoldComposition(10_000, loss.Nats(eps), rat.Exact(rare.Lower))
		if least := impl.KFoldComposition(10_000, loss.Nats(eps), rat.Exact(rare.Upper)); rat.IsAbove(least, rat.One) ||
			literal > 1 {
			t.Refute("ε' is %.9g, by spec %.9g", least.Lower, literal)
		}
		if !rat.IsAtMost(got, rat.One) {
			t.Undecided("ε' is at most %.9g", got.Upper)
		}
		t.Close(got.Float().Hi, "ε_0 = 1/%s", n)
	}
}

// lifetimeOptimal checks that 10,000 mechanisms of ε = 1/n are together (1, e^(−32))-DP.
func lifetimeOptimal(n string) register.Check {
	return func(t *register.T) {
		t.Domain("k = 10000, ε_0 = 1/%s, δ = e^(−32), optimal composition", n)
		t.Case()
		m := []impl.Mechanism{{Eps: loss.Nats(rat.Quo(rat.One, rat.Of(n))), Delta: new(big.Rat), Count: 10_000}}
		needed, err := impl.OptComp(t.Context(), m, rat.Exact(rare.Lower), impl.Options{RelWidth: 1e-6})
		t.Must(err)
		if rat.IsAbove(needed.Eps, rat.One) {
			t.Refute("at least ε = %.9g is needed", needed.Eps.Lower)
		}
		t.Close(needed.Eps.Float().Lo, "ε_0 = 1/%s", n)
	}
}
