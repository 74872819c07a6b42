package ours

import (
	"math/big"
	"slices"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// theorem are its two parts, and what both orders of neighbours need.
func theorem() register.Checks {
	return register.Checks{
		"OUR-T1": checked(bounded(rat.One, itself),
			control("the pairs dominate at orders α ≥ 1 only", bounded(rat.One, withPairs(eachPair(fromOne)))),
			control("the mean of both orders of neighbours is the pair", bounded(rat.One,
				withPairs(eachPair(meanOfOrders)))),
			near("a stop is charged as the next one", bounded(rat.One, chargedAsNext)),
			near("with 19/20·V_0(1, 1)", bounded(nearly, itself))),
		"OUR-T2": checked(attained(rat.One), near("19/20 of V_0(1, 1) is the smallest δ", attained(nearly))),
		"OUR-X1": checked(bothOrders(func(forth, back *big.Rat) *big.Rat { return rat.Max(forth, back) }),
			near("the mean of both", bothOrders(func(forth, back *big.Rat) *big.Rat {
				return rat.Mul(rat.Half, rat.Add(forth, back))
			}))),
	}
}

// bounded checks that a pipeline is ODP with a share of V_0(1, 1) of what is claimed in its place.
func bounded(share *big.Rat, claim func(s testCase) testCase) register.Check {
	return ofCases(7, 1, 1, 300, func(t *register.T, s testCase) {
		claimed := claim(s)
		v, worst := rat.Mul(share, enumerated(t, claimed)), s.worst(t)
		t.In("%v", s)
		t.AtMost(worst, v, "some rule needs δ = %s, claimed is %s by %v", worst, v, claimed)
	})
}

// withPairs is a case with other pairs.
func withPairs(pairs func(s testCase) []finite.Pair) func(s testCase) testCase {
	return func(s testCase) testCase { return testCase{s.tree, pairs(s), s.stops} }
}

// enumerated returns V_0(1, 1), as printed and by going through all sequences of outputs.
func enumerated(t *register.T, s testCase) *big.Rat {
	v := start(s.pairs, s.stops)
	found, err := exhaustive.Exact(t.Context(), s.exhaustively(), nil)
	if got := register.Must(found, err).OptDel; !rat.Equal(got, v) {
		t.Refute("%s; %v: V_0(1, 1) = %s, by enumeration %s", show(s.pairs), s.stops, v, got)
	}
	return v
}

// fromOne returns the pair whose hockey-stick divergence is that of a pair at orders of at least 1, and as low as can
// be at others: the outputs with ratios P/Q of at most 1, which the orders do not tell apart, are one.
func fromOne(p finite.Pair) finite.Pair {
	names, known := map[string]string{}, map[string]string{}
	for _, o := range finite.Combine(rat.One, p[0], rat.One, p[1]).Outputs() {
		ratio, q := "infinite", p[1].Pr(o)
		switch {
		case q.Cmp(p[0].Pr(o)) >= 0:
			ratio = "at most 1"
		case q.Sign() > 0:
			ratio = rat.Show(rat.Quo(p[0].Pr(o), q))
		}
		if known[ratio] == "" {
			known[ratio] = finite.Name(len(known))
		}
		names[o] = known[ratio]
	}
	return finite.Pair{p[0].Map(names), p[1].Map(names)}
}

// eachPair is a function of pairs for those of a case.
func eachPair(f func(p finite.Pair) finite.Pair) func(s testCase) []finite.Pair {
	return func(s testCase) (pairs []finite.Pair) {
		for _, p := range s.pairs {
			pairs = append(pairs, f(p))
		}
		return pairs
	}
}

// meanOfOrders returns the pair whose hockey-stick divergence is the mean of that of (P, Q) and of (Q, P).
func meanOfOrders(p finite.Pair) finite.Pair {
	mean := finite.Pair{{}, {}}
	for i, laws := range []finite.Pair{p, p.Back()} {
		for b, law := range laws {
			for j, o := range finite.Combine(rat.One, p[0], rat.One, p[1]).Outputs() {
				mean[b][finite.Name(2*j+i)] = rat.Mul(rat.Half, law.Pr(o))
			}
		}
	}
	return mean
}

func chargedAsNext(s testCase) testCase {
	all := slices.Clone(s.stops.Stops)
	for i := range all[1:] {
		all[i].ExpEps = all[i+1].ExpEps
	}
	return testCase{s.tree, s.pairs, finite.Pipeline{Stops: all}}
}

// attained compares the smallest δ for all rules, of steps that have the pairs as laws, with a share of V_0(1, 1).
func attained(share *big.Rat) register.Check {
	return ofCases(7, 1, 2, 300, func(t *register.T, s testCase) {
		v := rat.Mul(share, enumerated(t, s))
		if worst := s.alone().worst(t); !rat.Equal(worst, v) {
			t.Refute("%v: the smallest δ for all rules is %s, claimed is %s", s.alone(), worst, v)
		}
	})
}

// bothOrders compares what is made of the values of both orders with the smallest δ of steps that have the pairs as
// laws, that of steps that they dominate, and what impl finds for the pairs.
func bothOrders(combine func(forth, back *big.Rat) *big.Rat) register.Check {
	return ofCases(97, 7, 3, 150, func(t *register.T, s testCase) {
		v := combine(start(s.pairs, s.stops), start(s.back().pairs, s.stops))
		if attained := bothWays(t, s.alone()); !rat.Equal(attained, v) {
			t.Refute("%v: the smallest δ for both orders is %s, claimed is %s", s.alone(), attained, v)
		}
		worst := bothWays(t, s)
		t.Require(worst.Cmp(v) <= 0, "%v: for both orders δ = %s is needed, claimed is %s", s, worst, v)
		found, _, _, err := impl.Exact(t.Context(), s.impl())
		if found = register.Must(found, err); !rat.Equal(found, v) {
			t.Refute("%s; %v: impl finds %s, claimed is %s", show(s.pairs), s.stops, found, v)
		}
		for _, method := range []impl.Method{impl.Auto, impl.Bracket} {
			if r := register.Must(impl.OptDel(t.Context(), s.impl(),
				impl.Options{Method: method, RelWidth: 1e-3})); !r.OptDel.Contains(v) {
				t.Refute("%s; %v: impl finds from %.12g to %.12g by %s, claimed is %s",
					show(s.pairs), s.stops, r.OptDel.Lower, r.OptDel.Upper, method, v)
			}
		}
	})
}

// bothWays returns the smallest δ for all rules and both orders of neighbours.
func bothWays(t *register.T, s testCase) *big.Rat { return rat.Max(s.worst(t), s.back().worst(t)) }

// proof are steps of the proof of the theorem.
func proof() register.Checks {
	return register.Checks{
		"OUR-T1.s1": checked(with(coinsGainMean, rat.One, rat.One),
			near("19/20 of the mean", with(coinsGainMean, nearly, rat.One)),
			near("at most 19/20 of the best of them", with(coinsGainMean, rat.One, nearly))),
		"OUR-T1.s2": checked(gainsAtMost(rat.One), near("19/20·V_k(a(h), b(h))", gainsAtMost(nearly))),
		"OUR-T2.s1": checked(ruleGains(rat.One, rat.One),
			near("ending where pay_i is at least 19/20 of it", ruleGains(rat.One, nearly)),
			near("ending where pay_i is 20/19 of it", ruleGains(nearly, rat.One))),
	}
}

// coins are the probabilities with which a rule may end.
var coins = rat.List("0", "1", "1/3")

// coinsGainMean goes through all rules that end with one of these probabilities at each sequence: they gain a share of
// the mean, and at most a share of the best.
func coinsGainMean(t *register.T, ofMean, ofBest *big.Rat) {
	allCases(t, t.Size(7, 1), func(s testCase) {
		best := rat.Mul(ofBest, s.worst(t))
		for h := range finite.Criteria(coins, s.stops.Early(s.tree)) {
			gain, mean := s.tree.Law(h).Delta(s.stops.ExpE), new(big.Rat)
			for g, weight := range h.Drawn() {
				mean.Add(mean, rat.Product(ofMean, weight, s.tree.Law(g).Delta(s.stops.ExpE)))
			}
			t.Require(rat.Equal(gain, mean), "%v; %v: it gains %s, the mean is %s", s, h, gain, mean)
			t.Require(gain.Cmp(best) <= 0, "%v; %v: it gains %s, claimed are at most %s", s, h, gain, best)
		}
	})
}

// gainsAtMost checks that what can be gained after all sequences of outputs is at most a share of V_k.
func gainsAtMost(share *big.Rat) register.Check {
	return ofCases(17, 3, 6, 100, func(t *register.T, s testCase) {
		s.histories(func(h string, a, b *big.Rat) {
			gain, most := s.gain(t, h, a, b), rat.Mul(share, value(s.pairs, s.stops, len(h), a, b))
			t.Require(gain.Cmp(most) <= 0, "%v; %s: after %q, with a = %s and b = %s, %s can be gained, "+
				"claimed are at most %s", s.tree, s.stops, h, a, b, gain, most)
			t.CloseTo(gain, most, "%v; %s, after %q", s.tree, s.stops, h)
		})
	})
}

// ruleGains checks what a rule gains that ends early where a share of pay_i is more than 0 and at least a share of W.
func ruleGains(ofPay, ofOnward *big.Rat) register.Check {
	return ofCases(7, 1, 7, 200, func(t *register.T, s testCase) {
		s, h := s.alone(), finite.Criterion{}
		s.histories(func(outputs string, a, b *big.Rat) {
			for _, stop := range s.stops.Stops[:len(s.stops.Stops)-1] {
				if stop.After != len(outputs) {
					continue
				}
				pay, onward := rat.Positive(rat.Sub(a, rat.Mul(stop.ExpEps, b))), new(big.Rat)
				for z, p := range s.tree[outputs][0] {
					q := s.tree[outputs][1][z]
					onward.Add(onward, value(s.pairs, s.stops, stop.After+1, rat.Mul(a, p), rat.Mul(b, q)))
				}
				if rat.Mul(ofPay, pay).Cmp(rat.Mul(ofOnward, onward)) >= 0 {
					h[outputs] = rat.One
				}
			}
		})
		if gain, v := s.tree.Law(h).Delta(s.stops.ExpE), start(s.pairs, s.stops); !rat.Equal(gain, v) {
			t.Refute("%s; %v: the rule (%v) gains %s, V_0(1, 1) is %s", show(s.pairs), s.stops, h, gain, v)
		}
	})
}
