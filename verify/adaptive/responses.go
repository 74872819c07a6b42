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
		"FAC-D7": register.Checked(register.With2(table, same, same),
			register.NearMiss("with 19/20 of δ", register.With2(table, same, less)),
			register.NearMiss("with 19/20 of e^ε in the numerator", register.With2(table, less, same)),
		),
		"FAC-X28": register.Checked(register.With2(responds, rat.One, same),
			register.NearMiss("with 19/20 of δ", register.With2(responds, rat.One, less)),
			register.NearMiss("with 19/20 of e^ε, or 1", register.With2(responds, nearly, same)),
		),
		"FAC-L11": register.Checked(register.With2(simulated, rat.One, same),
			register.NearMiss("of (ε, 19δ/20)-randomized response", register.With2(simulated, rat.One, less)),
			register.NearMiss("of randomized response with 19/20 of e^ε, or 1", register.With2(simulated, nearly, same)),
		),
		"FAC-L10": register.Checked(register.With2(reduced, same, false),
			register.Control("with the kernel of one z for all z", register.With2(reduced, same, true)),
			register.NearMiss("of conditional (ε, 19δ/20)-randomized response", register.With2(reduced, less, false)),
		),
		"FAC-L12": register.Checked(register.With3(appended, rat.One, same, false),
			register.Control("also if A′ depends on the database", register.With3(appended, rat.One, same, true)),
			register.NearMiss("with 19/20 of δ", register.With3(appended, rat.One, less, false)),
			register.NearMiss("with losses 21/20 times as large, as e^𝓛", register.With3(appended, more, same, false)),
		),
		"FAC-X29": register.Checked(register.With2(alone, inner, same),
			register.Control("also for δ = 0", register.With2(alone, deltas[:1], same)),
			register.NearMiss("(A, A′) is so with 19/20 of δ", register.With2(alone, inner, less)),
		),
		"FAC-X32": register.Checked(
			register.All(register.With3(mergedLoss, inner, same, same), register.With2(separated, inner, same)),
			register.Control("also for δ = 0", register.With3(mergedLoss, deltas[:1], same, same)),
			register.NearMiss("the loss is log((δ + 19/20·e^ε)/(1−δ))", register.With3(mergedLoss, inner, less, same)),
			register.NearMiss("Pr(B(1) = 1) is 19/20 of what it is", register.With3(mergedLoss, inner, same, less)),
			register.NearMiss("it is (ε, 19δ/20)-DP", register.With2(separated, inner, less)),
		),
	}
}

// withOne are the values of e^ε, and 1; fewCharges some of them.
var withOne, fewCharges = append(rat.List("1"), charges...), rat.List("1", "3/2", "20")

// table checks the probabilities of randomized response for the inputs 0 and 1.
func table(t *register.T, likely, leaks func(*big.Rat) *big.Rat) {
	t.Domain("e^ε in {%s}, δ in {%s}", withOne, deltas)
	finite.Each2(withOne, deltas, func(e, delta *big.Rat) {
		t.Case()
		each := rat.Quo(rat.Complement(delta), rat.Add(rat.One, e))
		for b, row := range spec.RandomizedResponse(spec.Mechanism{ExpEps: e, Delta: delta}) {
			ends := []*big.Rat{leaks(delta), new(big.Rat)} // of ⊥ and ⊤, or the other way round
			t.Require(rat.Equal(row[0], ends[b]) && rat.Equal(row[3], ends[1-b]) &&
				rat.Equal(row[1+b], rat.Mul(likely(e), each)) && rat.Equal(row[2-b], each),
				"e^ε = %s, δ = %s, b = %d: ⊥, 0, 1 and ⊤ have the probabilities %s", e, delta, b, row[:])
		}
	})
}

// responds checks that randomized response whose parameters depend on the value of B is, given it, DP and pDP with
// e^ε times a factor and of(δ), and with no smaller δ than δ.
func responds(t *register.T, factor *big.Rat, of func(*big.Rat) *big.Rat) {
	t.Domain("B with two values, e^ε in {%s} and δ in {%s} for each", charges, deltas)
	given := func(e, delta *big.Rat) {
		t.At("e^ε = %s, δ = %s, given B", e, delta)
		p, claimed := responses(e, delta), rat.Max(rat.One, rat.Mul(factor, e))
		law0, law1 := p.Dense()
		pdp, dp, fast := pdpDelta(p, claimed), dpDelta(p, claimed), impl.SmallestPDPDelta(law0, law1, loss.Exp(claimed))
		t.Require(rat.Max(pdp, dp).Cmp(of(delta)) <= 0 && rat.Min(pdp, dp).Cmp(delta) >= 0 && rat.Equal(fast, pdp),
			"pDP needs δ = %s, by impl %s, and DP %s", pdp, fast, dp)
	}
	for i, e := range charges {
		for j, delta := range deltas {
			given(e, delta)
			given(charges[len(charges)-1-i], deltas[len(deltas)-1-j])
		}
	}
}

// simulated checks the kernels of pairs of laws for e^ε times a factor, and of(δ).
func simulated(t *register.T, factor *big.Rat, of func(*big.Rat) *big.Rat) {
	t.Domain("all pairs of laws over up to 3 outputs with probabilities in 1/4, e^ε in {%s}, three values of δ",
		fewCharges)
	finite.Each2(pairsIn(4), fewCharges, func(p finite.Pair, e *big.Rat) {
		least := dpDelta(p, e)
		for _, delta := range []*big.Rat{least, rat.Quo(rat.Add(least, rat.One), rat.Int(2)), rat.One} {
			t.Case()
			m := spec.Mechanism{ExpEps: rat.Max(rat.One, rat.Mul(factor, e)), Delta: of(delta)}
			err := finite.Simulation(p, m).Simulates(p, m)
			t.Require(err == nil, "%v: (ε, δ)-DP with e^ε = %s, δ = %s; with e^ε = %s, δ = %s: %v", p, e, delta, m.ExpEps,
				m.Delta, err)
		}
	})
}

// reduced checks kernels for each value of B, or that of the first value for all of them.
func reduced(t *register.T, of func(*big.Rat) *big.Rat, first bool) {
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
			if rat.Add(before[0][z], before[1][z]).Sign() > 0 {
				err := kernels[z].Simulates(given, m)
				t.Require(err == nil, "B(x_0) and B(x_1): %v; given %s: %v, e^ε = %s, δ = %s: %v", before, z, given, e, m.Delta,
					err)
			}
		}
	})
}

// joined are the laws of the outputs of A and of A′, which is computed by a kernel from the output of A.
func joined(p finite.Pair, kernels [2]finite.Kernel) finite.Pair {
	joint := finite.Pair{{}, {}}
	for b := range p {
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
func appended(t *register.T, factor *big.Rat, of func(*big.Rat) *big.Rat, depends bool) {
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
			got, have := pdpDelta(joint, e), pdpDelta(p, e)
			t.Require(got.Cmp(of(have)) <= 0, "A: %v, A′: %v, e^ε = %s: A needs δ = %s, and both %s", p, kernels, e, have, got)
		}
		for _, ys := range joint[0].Outputs() {
			if joint[0][ys].Sign() == 0 {
				continue
			}
			got, want := spec.ExpLoss(joint[0], joint[1], ys), spec.ExpLoss(p[0], p[1], ys[:1])
			isSo := got == nil && want == nil || got != nil && want != nil && rat.Equal(got, rat.Mul(factor, want))
			t.Require(isSo, "A: %v, A′: %v: after %s, e^𝓛 is %v, and of A alone %v", p, kernels, ys, got, want)
		}
	})
}

// alone checks that randomized response together with the mechanism of FAC-X32 is (ε, of(δ))-pDP, and that the
// latter is not (ε, δ)-pDP.
func alone(t *register.T, deltas []*big.Rat, of func(*big.Rat) *big.Rat) {
	t.Domain("e^ε in {%s}, δ in {%s}", withOne, deltas)
	eachResponse(t, withOne, deltas, func(e, delta *big.Rat, r finite.Pair) {
		kernel := finite.Kernel{"0": {"0": rat.One}, "1": {"0": rat.One}, "2": {"1": rat.One}, "3": {"1": rat.One}}
		both, second := pdpDelta(joined(r, [2]finite.Kernel{kernel, kernel}), e), pdpDelta(merged(r), e)
		t.Require(both.Cmp(of(delta)) <= 0 && second.Cmp(delta) > 0, "(A, A′) needs δ = %s, and A′ alone %s", both, second)
	})
}

// mergedLoss checks the loss at 1 of the mechanism of FAC-X32, and the probability of it, with e^ε and that
// probability changed.
func mergedLoss(t *register.T, deltas []*big.Rat, loss, likely func(*big.Rat) *big.Rat) {
	t.Domain("e^ε in {%s}, δ in {%s}", withOne, deltas)
	eachResponse(t, withOne, deltas, func(e, delta *big.Rat, r finite.Pair) {
		b, rest := merged(r), rat.Complement(delta)
		pr := likely(rat.Add(rat.Quo(rat.Mul(rat.Complement(delta), e), rat.Add(rat.One, e)), delta))
		got := spec.ExpLoss(b[1], b[0], "1")
		t.Require(got != nil && rat.Equal(rat.Mul(got, rest), rat.Add(delta, loss(e))) && got.Cmp(e) > 0 &&
			rat.Equal(b[1]["1"], pr) && pr.Cmp(delta) > 0, "%v, at 1 e^𝓛 is %v", b, got)
	})
}
