package adaptive

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// responseEntries are the statements on randomized response, and on pDP of what is computed from it.
func responseEntries() register.Checks {
	return register.Checks{
		"FAC-D7": register.Checked(table(same, same),
			register.Control("R(b) = b with probability (1−δ)e^ε", table(func(e *big.Rat) *big.Rat {
				return rat.Mul(e,
					rat.Add(rat.One, e))
			}, same)),
			register.NearMiss("with 19/20 of δ", table(same, scaled(nearly))),
			register.NearMiss("with 19/20 of e^ε in the numerator", table(scaled(nearly), same)),
		),
		"FAC-X28": register.Checked(responds(rat.One, same),
			register.NearMiss("with 19/20 of δ", responds(rat.One, scaled(nearly))),
			register.NearMiss("with 19/20 of e^ε, or 1", responds(nearly, same)),
		),
		"FAC-L11": register.Checked(simulated(rat.One, same),
			register.Control("of (ε, δ/2)-randomized response", simulated(rat.One, scaled(rat.Half))),
			register.NearMiss("of (ε, 19δ/20)-randomized response", simulated(rat.One, scaled(nearly))),
			register.NearMiss("of randomized response with 19/20 of e^ε, or 1", simulated(nearly, same)),
		),
		"FAC-L10": register.Checked(reduced(same, false),
			register.Control("with the kernel of one z for all z", reduced(same, true)),
			register.NearMiss("of conditional (ε, 19δ/20)-randomized response", reduced(scaled(nearly), false)),
		),
		"FAC-L12": register.Checked(appended(rat.One, same, false),
			register.Control("also if A′ depends on the database", appended(rat.One, same, true)),
			register.NearMiss("with 19/20 of δ", appended(rat.One, scaled(nearly), false)),
			register.NearMiss("with losses 21/20 times as large, as e^𝓛", appended(more, same, false)),
		),
		"FAC-X29": register.Checked(alone(deltas[1:4], same, false),
			register.Control("also for δ = 0", alone(deltas[:1], same, false)),
			register.Control("A′ alone does not fail", alone(deltas[1:4], same, true)),
			register.NearMiss("(A, A′) is so with 19/20 of δ", alone(deltas[1:4], scaled(nearly), false)),
		),
		"FAC-X32": register.Checked(register.All(mergedLoss(deltas[1:4], same, same), separated(deltas[1:4], same)),
			register.Control("also for δ = 0", mergedLoss(deltas[:1], same, same)),
			register.Control("also for δ = 1", mergedLoss(deltas[4:], same, same)),
			register.NearMiss("the loss is log((δ + 19/20·e^ε)/(1−δ))", mergedLoss(deltas[1:4], scaled(nearly), same)),
			register.NearMiss("Pr(B(1) = 1) is 19/20 of what it is", mergedLoss(deltas[1:4], same, scaled(nearly))),
			register.NearMiss("it is (ε, 19δ/20)-DP", separated(deltas[1:4], scaled(nearly))),
		),
	}
}

// withOne are the values of e^ε, and 1; fewCharges some of them.
var withOne, fewCharges = append(rat.List("1"), charges...), rat.List("1", "3/2", "20")

// table checks the probabilities of randomized response for the inputs 0 and 1.
func table(likely, leaks func(*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("e^ε in {%s}, δ in {%s}", withOne, deltas)
		for _, e := range withOne {
			for _, delta := range deltas {
				t.Case()
				rows, rest := spec.RandomizedResponse(spec.Mechanism{ExpEps: e, Delta: delta}), rat.Quo(rat.Complement(delta),
					rat.Add(rat.One, e))
				for b, row := range rows {
					zero, top := leaks(delta), new(big.Rat) // ⊥ and ⊤
					if b == 1 {
						zero, top = top, zero
					}
					if row[0].Cmp(zero) != 0 || row[3].Cmp(top) != 0 || row[1+b].Cmp(rat.Mul(likely(e), rest)) != 0 ||
						row[2-b].Cmp(rest) != 0 {
						t.Refute("e^ε = %s, δ = %s, b = %d: ⊥, 0, 1 and ⊤ have the probabilities %s", e, delta, b, row[:])
					}
				}
			}
		}
	}
}

// responds checks that randomized response whose parameters depend on the value of B is, given it, DP and pDP with
// e^ε times a factor and of(δ), and with no smaller δ than δ.
func responds(factor *big.Rat, of func(*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("B with two values, e^ε in {%s} and δ in {%s} for each", charges, deltas)
		for i, e := range charges {
			for j, delta := range deltas {
				given := []spec.Mechanism{{ExpEps: e, Delta: delta},
					{ExpEps: charges[len(charges)-1-i], Delta: deltas[len(deltas)-1-j]}}
				for _, m := range given {
					t.Case()
					p, claimed := finite.Responses(m), rat.Max(rat.One, rat.Mul(factor, m.ExpEps))
					law0, law1 := p.Dense()
					pdp, dp, fast := pdpDelta(p, claimed), dpDelta(p, claimed), impl.SmallestPDPDelta(law0, law1, loss.Exp(claimed))
					if rat.Max(pdp, dp).Cmp(of(m.Delta)) > 0 || rat.Min(pdp, dp).Cmp(m.Delta) < 0 || fast.Cmp(pdp) != 0 {
						t.Refute("e^ε = %s, δ = %s, given B: pDP needs δ = %s, by impl %s, and DP %s", m.ExpEps, m.Delta, pdp, fast, dp)
					}
				}
			}
		}
	}
}

// simulated checks the kernels of pairs of laws for e^ε times a factor, and of(δ).
func simulated(factor *big.Rat, of func(*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("all pairs of laws over up to 3 outputs with probabilities in 1/4, e^ε in {%s}, three values of δ",
			fewCharges)
		for p := range finite.Pairs(3, 4) {
			for _, e := range fewCharges {
				least := dpDelta(p, e)
				for _, delta := range []*big.Rat{least, rat.Quo(rat.Add(least, rat.One), rat.Int(2)), rat.One} {
					t.Case()
					m := spec.Mechanism{ExpEps: rat.Max(rat.One, rat.Mul(factor, e)), Delta: of(delta)}
					if err := finite.Simulation(p, m).Simulates(p, m); err != nil {
						t.Refute("%v: (ε, δ)-DP with e^ε = %s, δ = %s; with e^ε = %s, δ = %s: %v", p, e, delta, m.ExpEps, m.Delta, err)
					}
				}
			}
		}
	}
}

// reduced checks kernels for each value of B, or that of the first value for all of them.
func reduced(of func(*big.Rat) *big.Rat, first bool) register.Check {
	return func(t *register.T) {
		t.Domain("random B with 3 values, and random pairs of laws over 3 outputs given each, e^ε in {%s}", withOne)
		t.Random(10, t.Size(100, 1000), func(t *register.T, d register.Dice) {
			before, kernels := finite.RandomPair(d, 3, 3), map[string]finite.Kernel{}
			for _, z := range before[0].Outputs() {
				given, e := finite.RandomPair(d, 3, 3), withOne[d.Roll(len(withOne))]
				m := spec.Mechanism{ExpEps: e, Delta: of(dpDelta(given, e))}
				kernels[z] = finite.Simulation(given, m)
				if first {
					kernels[z] = kernels["a"]
				}
				if rat.Add(before[0][z], before[1][z]).Sign() == 0 {
					continue
				}
				if err := kernels[z].Simulates(given, m); err != nil {
					t.Refute("B(x_0) and B(x_1): %v; given %s: %v, e^ε = %s, δ = %s: %v", before, z, given, e, m.Delta, err)
				}
			}
		})
	}
}

// joined are the laws of the outputs of A and of A′, which is computed by a kernel from the output of A.
func joined(p finite.Pair, kernels [2]finite.Kernel) (joint finite.Pair) {
	for b := range p {
		joint[b] = finite.Law{}
		for y, pr := range p[b] {
			for s, then := range kernels[b][y] {
				joint[b].Add(y+s, rat.Mul(pr, then))
			}
		}
	}
	return joint
}

// appended checks the smallest δ of pDP, and the losses times a factor, of (A, A′), where A′ may depend on the
// database.
func appended(factor *big.Rat, of func(*big.Rat) *big.Rat, depends bool) register.Check {
	return func(t *register.T) {
		t.Domain("random pairs of laws over 3 outputs, A′ with 2 outputs, e^ε in {%s}", charges)
		t.Random(11, t.Size(300, 3000), func(t *register.T, d register.Dice) {
			p, kernels := finite.RandomPair(d, 3, 4), [2]finite.Kernel{{}, {}}
			for _, y := range p[0].Outputs() {
				law := finite.RandomPair(d, 2, 2)
				kernels[0][y], kernels[1][y] = law[0], law[0]
				if depends {
					kernels[1][y] = law[1]
				}
			}
			joint := joined(p, kernels)
			for _, e := range charges {
				if got, have := pdpDelta(joint, e), pdpDelta(p, e); got.Cmp(of(have)) > 0 {
					t.Refute("A: %v, A′: %v, e^ε = %s: A needs δ = %s, and both %s", p, kernels, e, have, got)
				}
			}
			for _, ys := range joint[0].Outputs() {
				if joint[0][ys].Sign() == 0 {
					continue
				}
				got, want := spec.ExpLoss(joint[0], joint[1], ys), spec.ExpLoss(p[0], p[1], ys[:1])
				if (got == nil) != (want == nil) || got != nil && got.Cmp(rat.Mul(factor, want)) != 0 {
					t.Refute("A: %v, A′: %v: after %s, e^𝓛 is %v, and of A alone %v", p, kernels, ys, got, want)
				}
			}
		})
	}
}

// alone checks that randomized response together with the mechanism of FAC-X32 is (ε, of(δ))-pDP, and that the
// latter is not (ε, δ)-pDP, or is.
func alone(deltas []*big.Rat, of func(*big.Rat) *big.Rat, is bool) register.Check {
	return func(t *register.T) {
		t.Domain("e^ε in {%s}, δ in {%s}", withOne, deltas)
		for _, e := range withOne {
			for _, delta := range deltas {
				t.Case()
				r := responses(e, delta)
				kernel := finite.Kernel{"0": {"0": rat.One}, "1": {"0": rat.One}, "2": {"1": rat.One}, "3": {"1": rat.One}}
				both, second := pdpDelta(joined(r, [2]finite.Kernel{kernel, kernel}), e), pdpDelta(merged(r), e)
				if both.Cmp(of(delta)) > 0 || is != (second.Cmp(delta) <= 0) {
					t.Refute("e^ε = %s, δ = %s: (A, A′) needs δ = %s, and A′ alone %s", e, delta, both, second)
				}
			}
		}
	}
}

// mergedLoss checks the loss at 1 of the mechanism of FAC-X32, and the probability of it, with e^ε and that
// probability changed.
func mergedLoss(deltas []*big.Rat, loss, likely func(*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("e^ε in {%s}, δ in {%s}", withOne, deltas)
		for _, e := range withOne {
			for _, delta := range deltas {
				t.Case()
				b := merged(responses(e, delta))
				pr := likely(rat.Add(rat.Quo(rat.Mul(rat.Complement(delta), e), rat.Add(rat.One, e)), delta))
				got := spec.ExpLoss(b[1], b[0], "1")
				if got == nil || rat.Mul(got, rat.Complement(delta)).Cmp(rat.Add(delta, loss(e))) != 0 || got.Cmp(e) <= 0 ||
					b[1]["1"].Cmp(pr) != 0 || pr.Cmp(delta) <= 0 {
					t.Refute("e^ε = %s, δ = %s: %v, at 1 e^𝓛 is %v", e, delta, b, got)
				}
			}
		}
	}
}
