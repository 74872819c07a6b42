package ours

import (
	"math/big"

	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// proof are steps of the proof of the theorem.
func proof() []register.Statement {
	share := func(x *big.Rat) func(s scene, k int, a, b *big.Rat) *big.Rat {
		return func(s scene, k int, a, b *big.Rat) *big.Rat {
			return rat.Mul(x, value(s.pairs, s.stops, k, a, b))
		}
	}
	return []register.Statement{
		{
			ID: "OUR-T1.s1", Title: "A rule with coins does some of both, and gains a mean", Printed: "Proof of (1)",
			Reading: "The mean of the deterministic rules that it can turn out to be, and so no more than the best of them.",
			Kind:    register.Exact, Verdict: register.Holds, In: []string{"exhaustive.WorstRule"}, Note: "No function of spec is part of it.",
			Check:    coinsGainMean(rat.One, false),
			Controls: []register.Claim{{Says: "the mean of them all, each as likely", Check: coinsGainMean(rat.One, true)}},
			Near:     []register.Claim{{Says: "at most 19/20 of the best of them", Check: coinsGainMean(nearly, false)}},
		},
		{
			ID: "OUR-T1.s2", Title: "G_k(h), what is still to be gained from h at best, is at most V_k(a(h), b(h))", Printed: "Proof of (1)",
			Kind: register.Exact, Verdict: register.Holds, In: []string{"spec.PairsValue", "exhaustive.WorstRule"},
			Check: gainsAtMost(share(rat.One)),
			Controls: []register.Claim{
				{Says: "a(h)·V_k(1, 1)", Check: gainsAtMost(func(s scene, k int, a, _ *big.Rat) *big.Rat {
					return rat.Mul(a, value(s.pairs, s.stops, k, rat.One, rat.One))
				})},
				{Says: "V_k(b(h), a(h))", Check: gainsAtMost(func(s scene, k int, a, b *big.Rat) *big.Rat { return value(s.pairs, s.stops, k, b, a) })},
			},
			Near: []register.Claim{{Says: "19/20·V_k(a(h), b(h))", Check: gainsAtMost(share(nearly))}},
		},
		{
			ID: "OUR-T2.s1", Title: "With steps of the laws (P_k, Q_k), ending at stop i exactly where pay_i(a, b) ≥ W_(k_i + 1)(a, b), and at the end always, gains V_0(1, 1), with S_i those that end there with a > e^(E_i)·b", Printed: "Proof of (2)",
			Kind: register.Exact, Verdict: register.Holds, In: []string{"spec.PairsValue"},
			Check: ruleGains(func(pay, onward *big.Rat) bool { return pay.Cmp(onward) >= 0 }),
			Controls: []register.Claim{
				{Says: "ending wherever pay_i(a, b) > 0", Check: ruleGains(func(pay, _ *big.Rat) bool { return pay.Sign() > 0 })},
				{Says: "never ending early", Check: ruleGains(func(_, _ *big.Rat) bool { return false })},
			},
			Near: []register.Claim{
				{Says: "ending where pay_i is at least 19/20 of it", Check: ruleGains(func(pay, onward *big.Rat) bool { return pay.Sign() > 0 && pay.Cmp(rat.Mul(nearly, onward)) >= 0 })},
				{Says: "ending where pay_i is 20/19 of it", Check: ruleGains(func(pay, onward *big.Rat) bool { return rat.Mul(nearly, pay).Cmp(onward) >= 0 })},
			},
		},
	}
}

// coins are the probabilities with which a rule may end.
var coins = rat.List("0", "1", "1/3")

// coinsGainMean goes through all rules that end with one of these probabilities at each sequence.
func coinsGainMean(share *big.Rat, uniform bool) register.Check {
	return func(t *register.T) {
		scenes(t, t.Size(7, 1), func(s scene) {
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
func gainsAtMost(bound func(s scene, k int, a, b *big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		try := func(t *register.T, s scene) {
			s.histories(func(h string, a, b *big.Rat) {
				gain, most := s.gain(t, h, a, b), bound(s, len(h), a, b)
				if gain.Cmp(most) > 0 {
					t.Refute("%v; %s: after %q, with a = %s and b = %s, %s can be gained, claimed are at most %s", s.tree, s.stops, h, rat.Show(a), rat.Show(b), rat.Show(gain), rat.Show(most))
				}
				t.CloseTo(gain, most, "%v; %s, after %q", s.tree, s.stops, h)
			})
		}
		scenes(t, t.Size(17, 3), func(s scene) { try(t, s) })
		someScenes(t, 6, t.Size(100, 1000), try)
	}
}

// ruleGains checks what a rule gains that ends early where it is told to, from pay_i and W.
func ruleGains(ends func(pay, onward *big.Rat) bool) register.Check {
	return func(t *register.T) {
		try := func(t *register.T, s scene) {
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
		scenes(t, t.Size(7, 1), func(s scene) { try(t, s) })
		someScenes(t, 7, t.Size(200, 2000), try)
	}
}
