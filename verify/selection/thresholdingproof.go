package selection

import (
	"math/big"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// thresholdingProof are the steps of the proof of Theorem 3.1, in Appendix A.1.
func thresholdingProof() register.Checks {
	return register.Checks{
		"PSC-T3.1.s1":  lawStep(sampleLaw(spec.ThresholdingLaw)),
		"PSC-T3.1.s2":  lawStep(sampleLaw(impl.ThresholdingLaw)),
		"PSC-T3.1.s3":  lawStep(noneLaw(spec.ThresholdingLaw)),
		"PSC-T3.1.s4":  lawStep(noneLaw(impl.ThresholdingLaw)),
		"PSC-T3.1.s5":  proofStep(noneFactored),
		"PSC-T3.1.s6":  proofStep(sampleRatio),
		"PSC-T3.1.s7":  proofStep(noneRatio),
		"PSC-T3.1.s8":  proofStep(means),
		"PSC-T3.1.s12": proofStep(halting),
		"PSC-T3.1.s13": proofStep(noneBound),
	}
}

// proofStep is what runs for a line that holds: 19/20 of its last side does not.
func proofStep(lines func(t *register.T, share interval.Interval)) []register.Part {
	return nearStep(lines, "19/20")
}

// nearStep is proofStep for a line that is less tight: a share near of its last side is too little.
func nearStep(lines func(t *register.T, share interval.Interval), near string) []register.Part {
	times := func(share string) register.Check {
		return func(t *register.T) { lines(t, precise.Rat(rat.Of(share))) }
	}
	return register.Checked(times("1"), register.NearMiss(near+" of the last", times(near)))
}

// lawStep is what runs for a formula for what can happen: a share of it, or that for another T, is wrong.
func lawStep(formula func(share *big.Rat, more int) register.Check) []register.Part {
	return register.Checked(formula(rat.One, 0),
		register.Control("with T − 1 for T", formula(rat.One, -1)),
		register.NearMiss("19/20 of it", formula(nearly, 0)),
	)
}

type thresholdingLaw func(oracle []*big.Rat, first int, gamma *big.Rat, t int) (law []*big.Rat, none *big.Rat)

// sampleLaw compares the probabilities of samples with those of all that can happen.
func sampleLaw(formula thresholdingLaw) func(share *big.Rat, more int) register.Check {
	return processes(func(t *register.T, q samples, at setting, limit int, share *big.Rat, more int) {
		want, _ := exhaustive.Thresholding(q, at.first, at.gamma, limit)
		got, _ := formula(q, at.first, at.gamma, limit+more)
		for i := range want {
			if x := rat.Mul(share, got[i]); !rat.Equal(x, want[i]) {
				t.Refute("Q = (%v), %v, T = %d: output %d has the probability %s, by the formula %s", q, at, limit, i+1,
					rat.Show(want[i]), rat.Show(x))
			}
		}
	})
}

// noneLaw compares the probability of ⊥.
func noneLaw(formula thresholdingLaw) func(share *big.Rat, more int) register.Check {
	return processes(func(t *register.T, q samples, at setting, limit int, share *big.Rat, more int) {
		_, want := exhaustive.Thresholding(q, at.first, at.gamma, limit)
		_, got := formula(q, at.first, at.gamma, limit+more)
		if x := rat.Mul(share, got); !rat.Equal(x, want) {
			t.Refute("Q = (%v), %v, T = %d: ⊥ has the probability %s, by the formula %s", q, at, limit, rat.Show(want),
				rat.Show(x))
		}
	})
}

// processes goes through settings that are small enough for all that can happen.
func processes(try func(t *register.T, q samples, at setting, limit int, share *big.Rat,
	more int)) func(share *big.Rat, more int) register.Check {
	return func(share *big.Rat, more int) register.Check {
		return func(t *register.T) {
			t.Domain("1 to 3 samples of probabilities in multiples of 1/3, every threshold, γ in {%s}, T in {2, 3}: all "+
				"that can happen", rat.Show(chances...))
			for q, at := range settings(chances) {
				for _, limit := range []int{2, 3} {
					t.Case()
					try(t, q, at, limit, share, more)
				}
			}
		}
	}
}

var (
	p1s    = rat.List("0", "1/100", "1/3", "9/10", "1")
	gammas = rat.List("1/100", "1/3", "1")
)

func exactly(x *big.Rat) interval.Interval { return precise.Rat(x) }

// power returns x^n.
func power(x *big.Rat, n int) interval.Interval { return precise.Power(exactly(x), n) }

// stops returns p_1(1 − γ) + γ.
func stops(p1, gamma *big.Rat) *big.Rat {
	return rat.Add(rat.Mul(p1, rat.Complement(gamma)), gamma)
}

// lawOf returns the probabilities of the sample above the threshold and of ⊥, for two samples.
func lawOf(p1, gamma *big.Rat, limit int) (sample, none *big.Rat) {
	law, none := impl.ThresholdingLaw(samples{rat.Complement(p1), p1}, 1, gamma, limit)
	return law[1], none
}

func noneFactored(t *register.T, share interval.Interval) {
	t.Domain("p_1 in {%s}, γ in {%s}, T in {1, 2, 20}", rat.Show(p1s...), rat.Show(gammas...))
	for _, p1 := range p1s {
		for _, gamma := range gammas {
			for _, limit := range []int{1, 2, 20} {
				t.Case()
				_, none := lawOf(p1, gamma, limit)
				tail := precise.Mul(precise.Mul(exactly(rat.Quo(p1, gamma)), power(rat.Complement(p1), limit-1)),
					power(rat.Complement(gamma), limit))
				printed := precise.Mul(exactly(rat.Quo(rat.Mul(rat.Complement(p1), gamma), stops(p1, gamma))),
					precise.Add(precise.Int(1), tail))
				equal(exactly(none), printed).check(t, share, "p_1 = %s, γ = %s, T = %d", rat.Show(p1), rat.Show(gamma), limit)
			}
		}
	}
}

// place is one where the steps on ratios are evaluated: p_1 and p_1' of ε_1-DP oracles, and the other parameters.
type place struct {
	e, p1, other, gamma, eps0 *big.Rat
	limit                     int
}

const places = "e^ε_1 in {1, 4}, p_1 and p_1' in {%s} with both sides within a factor of e^ε_1, γ in {1/100, 1/3, " +
	"1}, ε_0 in {1/10, 1}, the least T and 10 more"

// eachPlace goes through them.
func eachPlace(t *register.T, visit func(x place)) {
	t.Domain(places, rat.Show(p1s...)+", 1/5, 4/5")
	list := append(rat.List("1/5", "4/5"), p1s...)
	for _, e := range rat.List("1", "4") {
		for _, p1 := range list {
			for _, other := range list {
				within := func(x, y *big.Rat) bool { return x.Cmp(rat.Mul(e, y)) <= 0 && y.Cmp(rat.Mul(e, x)) <= 0 }
				if !within(p1, other) || !within(rat.Complement(p1), rat.Complement(other)) {
					continue
				}
				for _, gamma := range gammas {
					for _, eps0 := range rat.List("1/10", "1") {
						least := leastDraws(t, gamma, eps0)
						for _, limit := range []int{least, least + 10} {
							t.Case()
							visit(place{e, p1, other, gamma, eps0, limit})
						}
					}
				}
			}
		}
	}
}

func (x place) check(t *register.T, share interval.Interval, l line) {
	l.check(t, share, "e^ε_1 = %s, p_1 = %s, p_1' = %s, γ = %s, ε_0 = %s, T = %d", rat.Show(x.e), rat.Show(x.p1),
		rat.Show(x.other), rat.Show(x.gamma), rat.Show(x.eps0), x.limit)
}

// tail returns (1 − γ)^T.
func (x place) tail() interval.Interval { return power(rat.Complement(x.gamma), x.limit) }

// most returns e^(2ε_1 + ε_0).
func (x place) most() interval.Interval {
	return precise.Mul(exactly(rat.Mul(x.e, x.e)), precise.ExpRat(x.eps0))
}

// beyond returns 1 + (1 − γ)^T/(e(T − 1)γ).
func (x place) beyond() interval.Interval {
	e := precise.ExpRat(rat.One)
	return precise.Add(precise.Int(1),
		precise.Quo(x.tail(), precise.Mul(e, exactly(rat.Mul(rat.Int(x.limit-1), x.gamma)))))
}

func sampleRatio(t *register.T, share interval.Interval) {
	eachPlace(t, func(x place) {
		if x.p1.Sign() == 0 {
			return
		}
		one, _ := lawOf(x.p1, x.gamma, x.limit)
		two, _ := lawOf(x.other, x.gamma, x.limit)
		// a sample that is e^ε_1 times as likely on D as on D'
		ratio := precise.Mul(exactly(x.e), precise.Quo(exactly(rat.Quo(one, x.p1)), exactly(rat.Quo(two, x.other))))
		swing := exactly(rat.Quo(stops(x.other, x.gamma), stops(x.p1, x.gamma)))
		first := precise.Mul(precise.Quo(exactly(x.e), precise.Sub(precise.Int(1), x.tail())), swing)
		second := exactly(rat.Quo(rat.Mul(x.e, x.e), rat.Sub(rat.One, rat.Mul(rat.Half, x.eps0))))
		x.check(t, share, rising(ratio, first, second, x.most()))
	})
}

func noneRatio(t *register.T, share interval.Interval) {
	eachPlace(t, func(x place) {
		_, one := lawOf(x.p1, x.gamma, x.limit)
		_, two := lawOf(x.other, x.gamma, x.limit)
		if two.Sign() == 0 {
			return
		}
		square := exactly(rat.Mul(x.e, x.e))
		own := precise.Mul(exactly(rat.Quo(x.p1, x.gamma)), precise.Mul(power(rat.Complement(x.p1), x.limit-1), x.tail()))
		first := precise.Mul(square, precise.Add(precise.Int(1), own))
		third := precise.Mul(square, exactly(rat.Add(rat.One, rat.Mul(rat.Half, x.eps0))))
		x.check(t, share, rising(exactly(rat.Quo(one, two)), first, precise.Mul(square, x.beyond()), third, x.most()))
	})
}

func means(t *register.T, share interval.Interval) {
	t.Domain("T in {2, 3, 10, 1000}, p_1 in {0, 1/T, 1/2, 1}")
	for _, limit := range []int{2, 3, 10, 1000} {
		for _, p1 := range append(rat.List("0", "1/2", "1"), big.NewRat(1, int64(limit))) {
			t.Case()
			left := precise.Mul(exactly(rat.Mul(rat.Int(limit-1), p1)), power(rat.Complement(p1), limit-1))
			middle := power(rat.Complement(big.NewRat(1, int64(limit))), limit)
			rising(left, middle, precise.ExpRat(rat.Of("-1"))).check(t, share, "T = %d, p_1 = %s", limit, rat.Show(p1))
		}
	}
}

// halting takes the probability of halting from one draw: what does not return the sample, nor ⊥ by its coin.
func halting(t *register.T, share interval.Interval) {
	t.Domain("p_1 in {%s}, γ in {%s}", rat.Show(p1s...), rat.Show(gammas...))
	for _, p1 := range p1s {
		for _, gamma := range gammas {
			t.Case()
			sample, none := lawOf(p1, gamma, 2) // of two draws: p_1(1 + s), where s is the probability to go on
			goesOn := rat.Mul(rat.Complement(p1), rat.Complement(gamma))
			if p1.Sign() > 0 {
				goesOn = rat.Sub(rat.Quo(sample, p1), rat.One)
			} else if !rat.Equal(none, rat.One) {
				t.Refute("p_1 = 0, γ = %s: ⊥ has the probability %s", rat.Show(gamma), rat.Show(none))
			}
			equal(exactly(rat.Complement(goesOn)), exactly(stops(p1, gamma))).check(t, share, "p_1 = %s, γ = %s", rat.Show(p1),
				rat.Show(gamma))
		}
	}
}

func noneBound(t *register.T, share interval.Interval) {
	eachPlace(t, func(x place) {
		if x.p1.Sign() == 0 {
			return
		}
		_, none := lawOf(x.p1, x.gamma, x.limit)
		odds := exactly(rat.Mul(rat.Quo(rat.Complement(x.p1), x.p1), x.gamma))
		x.check(t, share, rising(exactly(none), precise.Mul(odds, x.beyond()),
			exactly(spec.ThresholdingNone(x.p1, x.gamma, x.eps0))))
	})
}
