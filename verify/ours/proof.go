package ours

import (
	"math/big"

	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// proof are steps of the proof of the theorem.
func proof() register.Checks {
	share := func(x *big.Rat) func(s testCase, k int, a, b *big.Rat) *big.Rat {
		return func(s testCase, k int, a, b *big.Rat) *big.Rat {
			return rat.Mul(x, value(s.pairs, s.stops, k, a, b))
		}
	}
	return register.Checks{
		"OUR-T1.s1": register.Checked(coinsGainMean(rat.One, false),
			register.Control("the mean of them all, each as likely", coinsGainMean(rat.One, true)),
			register.NearMiss("at most 19/20 of the best of them", coinsGainMean(nearly, false)),
		),
		"OUR-T1.s2": register.Checked(gainsAtMost(share(rat.One)),
			register.Control("a(h)·V_k(1, 1)", gainsAtMost(func(s testCase, k int, a, _ *big.Rat) *big.Rat {
				return rat.Mul(a, value(s.pairs, s.stops, k, rat.One, rat.One))
			})),
			register.Control("V_k(b(h), a(h))",
				gainsAtMost(func(s testCase, k int, a, b *big.Rat) *big.Rat { return value(s.pairs, s.stops, k, b, a) })),
			register.NearMiss("19/20·V_k(a(h), b(h))", gainsAtMost(share(nearly))),
		),
		"OUR-T2.s1": register.Checked(ruleGains(func(pay, onward *big.Rat) bool { return pay.Cmp(onward) >= 0 }),
			register.Control("ending wherever pay_i(a, b) > 0", ruleGains(func(pay, _ *big.Rat) bool { return pay.Sign() > 0 })),
			register.Control("never ending early", ruleGains(func(_, _ *big.Rat) bool { return false })),
			register.NearMiss("ending where pay_i is at least 19/20 of it",
				ruleGains(
					func(pay, onward *big.Rat) bool { return pay.Sign() > 0 && pay.Cmp(rat.Mul(nearly, onward)) >= 0 },
				)),
			register.NearMiss("ending where pay_i is 20/19 of it",
				ruleGains(func(pay, onward *big.Rat) bool { return rat.Mul(nearly, pay).Cmp(onward) >= 0 })),
		),
	}
}

// coins are the probabilities with which a rule may end.
var coins = rat.List("0", "1", "1/3")

// coinsGainMean goes through all rules that end with one of these probabilities at each sequence.
func coinsGainMean(share *big.Rat, uniform bool) register.Check {
	return func(t *register.T) {
		allCases(t, t.Size(7, 1), func(s testCase) {
			best := rat.Mul(share, s.worst(t))
			for h := range finite.Criteria(coins, s.stops.Early(s.tree)) {
				gain, mean, rules := s.tree.Law(h).Delta(s.stops.ExpE), new(big.Rat), 0
				for g, weight := range h.Drawn() {
					if uniform {
						weight = rat.One
					}
					mean.Add(mean, rat.Mul(weight, s.tree.Law(g).Delta(s.stops.ExpE)))
					rules++
				}
				if uniform {
					mean.Quo(mean, rat.Int(rules))
				}
				if !rat.Equal(gain, mean) {
					t.Refute("%v; %v: it gains %s, the mean is %s", s, h, rat.Show(gain), rat.Show(mean))
				}
				if gain.Cmp(best) > 0 {
					t.Refute("%v; %v: it gains %s, claimed are at most %s", s, h, rat.Show(gain), rat.Show(best))
				}
			}
		})
	}
}

// gainsAtMost checks a bound of what can be gained after all sequences of outputs.
func gainsAtMost(bound func(s testCase, k int, a, b *big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		try := func(t *register.T, s testCase) {
			s.histories(func(h string, a, b *big.Rat) {
				gain, most := s.gain(t, h, a, b), bound(s, len(h), a, b)
				if gain.Cmp(most) > 0 {
					t.Refute("%v; %s: after %q, with a = %s and b = %s, %s can be gained, claimed are at most %s", s.tree, s.stops, h,
						rat.Show(a), rat.Show(b), rat.Show(gain), rat.Show(most))
				}
				t.CloseTo(gain, most, "%v; %s, after %q", s.tree, s.stops, h)
			})
		}
		allCases(t, t.Size(17, 3), func(s testCase) { try(t, s) })
		someCases(t, 6, t.Size(100, 1000), try)
	}
}

// ruleGains checks what a rule gains that ends early where it is told to, from pay_i and W.
func ruleGains(ends func(pay, onward *big.Rat) bool) register.Check {
	return func(t *register.T) {
		try := func(t *register.T, s testCase) {
			s, h := s.alone(), finite.Criterion{}
			s.histories(func(outputs string, a, b *big.Rat) {
				for _, stop := range s.stops.Stops[:len(s.stops.Stops)-1] {
					if stop.After != len(outputs) {
						continue
					}
					pay, onward := rat.Positive(rat.Sub(a, rat.Mul(stop.ExpEps, b))), new(big.Rat)
					for z, p := range s.tree[outputs][0] {
						onward.Add(onward, value(s.pairs, s.stops, stop.After+1, rat.Mul(a, p), rat.Mul(b, s.tree[outputs][1][z])))
					}
					if ends(pay, onward) {
						h[outputs] = rat.One
					}
				}
			})
			if gain, v := s.tree.Law(h).Delta(s.stops.ExpE), start(s.pairs, s.stops); !rat.Equal(gain, v) {
				t.Refute("%s; %v: the rule (%v) gains %s, V_0(1, 1) is %s", show(s.pairs), s.stops, h, rat.Show(gain), rat.Show(v))
			}
		}
		allCases(t, t.Size(7, 1), func(s testCase) { try(t, s) })
		someCases(t, 7, t.Size(200, 2000), try)
	}
}
