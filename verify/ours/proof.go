package ours

import (
	"math/big"

	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// proof are steps of the proof of the theorem.
func proof() register.Checks {
	return register.Checks{
		"OUR-T1.s1": register.Checked(coinsGainMean(rat.One, rat.One),
			register.NearMiss("19/20 of the mean", coinsGainMean(nearly, rat.One)),
			register.NearMiss("at most 19/20 of the best of them", coinsGainMean(rat.One, nearly)),
		),
		"OUR-T1.s2": register.Checked(gainsAtMost(rat.One),
			register.NearMiss("19/20·V_k(a(h), b(h))", gainsAtMost(nearly)),
		),
		"OUR-T2.s1": register.Checked(ruleGains(rat.One, rat.One),
			register.NearMiss("ending where pay_i is at least 19/20 of it", ruleGains(rat.One, nearly)),
			register.NearMiss("ending where pay_i is 20/19 of it", ruleGains(nearly, rat.One)),
		),
	}
}

// coins are the probabilities with which a rule may end.
var coins = rat.List("0", "1", "1/3")

// coinsGainMean goes through all rules that end with one of these probabilities at each sequence: they gain a share of
// the mean, and at most a share of the best.
func coinsGainMean(ofMean, ofBest *big.Rat) register.Check {
	return func(t *register.T) {
		allCases(t, t.Size(7, 1), func(s testCase) {
			best := rat.Mul(ofBest, s.worst(t))
			for h := range finite.Criteria(coins, s.stops.Early(s.tree)) {
				gain, mean := s.tree.Law(h).Delta(s.stops.ExpE), new(big.Rat)
				for g, weight := range h.Drawn() {
					mean.Add(mean, rat.Product(ofMean, weight, s.tree.Law(g).Delta(s.stops.ExpE)))
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

// gainsAtMost checks that what can be gained after all sequences of outputs is at most a share of V_k.
func gainsAtMost(share *big.Rat) register.Check {
	return ofCases(17, 3, 6, 100, func(t *register.T, s testCase) {
		s.histories(func(h string, a, b *big.Rat) {
			gain, most := s.gain(t, h, a, b), rat.Mul(share, value(s.pairs, s.stops, len(h), a, b))
			if gain.Cmp(most) > 0 {
				t.Refute("%v; %s: after %q, with a = %s and b = %s, %s can be gained, claimed are at most %s", s.tree, s.stops, h,
					rat.Show(a), rat.Show(b), rat.Show(gain), rat.Show(most))
			}
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
					onward.Add(onward, value(s.pairs, s.stops, stop.After+1, rat.Mul(a, p), rat.Mul(b, s.tree[outputs][1][z])))
				}
				if rat.Mul(ofPay, pay).Cmp(rat.Mul(ofOnward, onward)) >= 0 {
					h[outputs] = rat.One
				}
			}
		})
		if gain, v := s.tree.Law(h).Delta(s.stops.ExpE), start(s.pairs, s.stops); !rat.Equal(gain, v) {
			t.Refute("%s; %v: the rule (%v) gains %s, V_0(1, 1) is %s", show(s.pairs), s.stops, h, rat.Show(gain), rat.Show(v))
		}
	})
}
