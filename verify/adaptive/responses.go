package adaptive

import (
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

// responseEntries are the statements on randomized response, and on pDP of what is computed from it.
func responseEntries() register.Checks {
	return register.Checks{
		"FAC-D7": checked(with(table, same, same),
			near("with 19/20 of δ", with(table, same, less)),
			near("with 19/20 of e^ε in the numerator", with(table, less, same))),
		"FAC-X28": checked(with(responds, rat.One, same),
			near("with 19/20 of δ", with(responds, rat.One, less)),
			near("with 19/20 of e^ε, or 1", with(responds, nearly, same))),
		"FAC-L11": checked(with(simulated, rat.One, same),
			near("of (ε, 19δ/20)-randomized response", with(simulated, rat.One, less)),
			near("of randomized response with 19/20 of e^ε, or 1", with(simulated, nearly, same))),
		"FAC-L10": checked(with(reduced, same, false),
			control("with the kernel of one z for all z", with(reduced, same, true)),
			near("of conditional (ε, 19δ/20)-randomized response", with(reduced, less, false))),
		"FAC-L12": checked(with(appended, rat.One, same, false),
			control("also if A′ depends on the database", with(appended, rat.One, same, true)),
			near("with 19/20 of δ", with(appended, rat.One, less, false)),
			near("with losses 21/20 times as large, as e^𝓛", with(appended, more, same, false))),
		"FAC-X29": checked(merging{}.check,
			near("also for δ = 0", merging{deltas: deltas[:1]}.check),
			near("(A, A′) is so with 19/20 of δ", merging{both: less}.check)),
		"FAC-X30": checked(with(coupled, rat.One, true),
			near("the R_n may have 0.95·δ_n", with(coupled, nearly, true)),
			near("the A_n alone are (ε_n, δ_n)-pDP", with(coupled, rat.One, false))),
		"FAC-X32": checked(merging{}.check,
			near("the loss is log((δ + 19/20·e^ε)/(1−δ))", merging{loss: less}.check),
			near("Pr(B(1) = 1) is 19/20 of what it is", merging{likely: less}.check),
			near("it is (ε, 19δ/20)-DP", merging{dp: less}.check)),
	}
}

// withOne are the values of e^ε, and 1; fewCharges some of them.
var withOne, fewCharges = append(rat.List("1"), charges...), rat.List("1", "3/2", "20")

// table checks the probabilities of randomized response for the inputs 0 and 1.
func table(t *register.T, likely, leaks func(*big.Rat) *big.Rat) {
	t.Domain("e^ε in {%s}, δ in {%s}", withOne, deltas)
	eachResponse(t, withOne, deltas, func(e, delta *big.Rat, _ finite.Pair) {
		each := rat.Quo(rat.Complement(delta), rat.Add(rat.One, e))
		for b, row := range spec.RandomizedResponse(spec.Mechanism{ExpEps: e, Delta: delta}) {
			ends := []*big.Rat{leaks(delta), new(big.Rat)} // of ⊥ and ⊤, or the other way round
			t.Require(rat.Equal(row[0], ends[b]) && rat.Equal(row[3], ends[1-b]) &&
				rat.Equal(row[1+b], rat.Mul(likely(e), each)) && rat.Equal(row[2-b], each),
				"b = %d: ⊥, 0, 1 and ⊤ have the probabilities %s", b, row[:])
		}
	})
}

// responds checks that randomized response is, given a value of B that decides on its parameters, DP and pDP with e^ε
// times a factor and of(δ), and with no smaller δ than δ.
func responds(t *register.T, factor *big.Rat, of func(*big.Rat) *big.Rat) {
	t.Domain("e^ε in {%s} and δ in {%s}, given B", charges, deltas)
	eachResponse(t, charges, deltas, func(e, delta *big.Rat, p finite.Pair) {
		claimed := rat.Max(rat.One, rat.Mul(factor, e))
		law0, law1 := p.Dense()
		pdp, dp, fast := pdpDelta(p, claimed), dpDelta(p, claimed), impl.SmallestPDPDelta(law0, law1, loss.Exp(claimed))
		t.Require(rat.Max(pdp, dp).Cmp(of(delta)) <= 0 && rat.Min(pdp, dp).Cmp(delta) >= 0 && rat.Equal(fast, pdp),
			"pDP needs δ = %s, by impl %s, and DP %s", pdp, fast, dp)
	})
}

// simulated checks the kernels of pairs of laws for e^ε times a factor, and of(δ).
func simulated(t *register.T, factor *big.Rat, of func(*big.Rat) *big.Rat) {
	t.Domain("all pairs of laws over up to 3 outputs with probabilities in 1/4, e^ε in {%s}, three values of δ",
		fewCharges)
	finite.Each2(pairsIn(4), fewCharges, func(p finite.Pair, e *big.Rat) {
		least := dpDelta(p, e)
		for _, delta := range []*big.Rat{least, rat.Mul(rat.Half, rat.Add(least, rat.One)), rat.One} {
			t.At("%v: (ε, δ)-DP with e^ε = %s, δ = %s", p, e, delta)
			m := spec.Mechanism{ExpEps: rat.Max(rat.One, rat.Mul(factor, e)), Delta: of(delta)}
			simulates(t, finite.Simulation(p, m), p, m)
		}
	})
}

// simulates refutes that a kernel makes laws of randomized response.
func simulates(t *register.T, kernel finite.Kernel, laws finite.Pair, m spec.Mechanism) {
	err := kernel.Simulates(laws, m)
	t.Require(err == nil, "with e^ε = %s, δ = %s: %v", m.ExpEps, m.Delta, err)
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
				t.In("B(x_0) and B(x_1): %v; given %s: %v", before, z, given)
				simulates(t, kernels[z], given, m)
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
		t.In("A: %v, A′: %v", p, kernels)
		joint := joined(p, kernels)
		for _, e := range charges {
			got, have := pdpDelta(joint, e), pdpDelta(p, e)
			t.Require(got.Cmp(of(have)) <= 0, "e^ε = %s: A needs δ = %s, and both %s", e, have, got)
		}
		for _, ys := range joint[0].Outputs() {
			want := spec.ExpLoss(p[0], p[1], ys[:1])
			if want != nil {
				want = rat.Mul(factor, want)
			}
			got := spec.ExpLoss(joint[0], joint[1], ys)
			t.Require(joint[0][ys].Sign() == 0 || rat.Same(got, want), "after %s, e^𝓛 is %v, and of A alone %v",
				ys, got, want)
		}
	})
}

// coupled checks, round by round, that mechanisms are functions of randomized responses of which the δ is scaled, and
// that the pairs of both, or the mechanisms alone, are (ε, δ)-pDP. What comes before a round decides on its laws.
func coupled(t *register.T, factor *big.Rat, withResponses bool) {
	t.Domain("all pairs of laws over 2 outputs with probabilities in 1/4 and 1/10, e^ε in {3/2, 3}, the smallest δ")
	var pairs []finite.Pair
	for _, d := range []int{4, 10} {
		pairs = slices.AppendSeq(pairs, finite.PairsOf(finite.Laws(2, d)))
	}
	finite.Each2(rat.List("3/2", "3"), pairs, func(e *big.Rat, laws finite.Pair) {
		t.At("%v, e^ε = %s", laws, e)
		m := spec.Mechanism{ExpEps: e, Delta: rat.Mul(factor, dpDelta(laws, e))}
		kernel := finite.Simulation(laws, m)
		simulates(t, kernel, laws, m)
		joint := joined(finite.Responses(m), [2]finite.Kernel{kernel, kernel})
		if !withResponses {
			joint = laws
		}
		beyond := pdpDelta(joint, e)
		t.Require(beyond.Cmp(m.Delta) <= 0, "the loss is beyond ±ε with probability %s, more than δ = %s",
			beyond, m.Delta)
	})
}

// merging is what is claimed of the mechanism of FAC-X32, with numbers changed: the loss at 1 by e^ε, the probability
// of 1, and the δ with which it is DP, and together with randomized response pDP.
type merging struct {
	deltas                 []*big.Rat
	loss, likely, dp, both func(*big.Rat) *big.Rat
}

// check checks that, and that it is not (ε, δ)-pDP.
func (m merging) check(t *register.T) {
	for _, of := range []*func(*big.Rat) *big.Rat{&m.loss, &m.likely, &m.dp, &m.both} {
		if *of == nil {
			*of = same
		}
	}
	if m.deltas == nil {
		m.deltas = inner
	}
	t.AlsoDomain("the mechanism of FAC-X32 with e^ε in {%s}, δ in {%s}", withOne, m.deltas)
	kernel := finite.Kernel{"0": {"0": rat.One}, "1": {"0": rat.One}, "2": {"1": rat.One}, "3": {"1": rat.One}}
	eachResponse(t, withOne, m.deltas, func(e, delta *big.Rat, r finite.Pair) {
		b, rest := finite.Pair{kernel.Apply(r[0]), kernel.Apply(r[1])}, rat.Complement(delta)
		pr := m.likely(rat.Add(rat.Quo(rat.Mul(rest, e), rat.Add(rat.One, e)), delta))
		got := spec.ExpLoss(b[1], b[0], "1")
		t.Require(got != nil && rat.Equal(rat.Mul(got, rest), rat.Add(delta, m.loss(e))) && got.Cmp(e) > 0 &&
			rat.Equal(b[1]["1"], pr) && pr.Cmp(delta) > 0, "%v, at 1 e^𝓛 is %v", b, got)
		dp, pdp, both := dpDelta(b, e), pdpDelta(b, e), pdpDelta(joined(r, [2]finite.Kernel{kernel, kernel}), e)
		t.Require(dp.Cmp(m.dp(delta)) <= 0 && pdp.Cmp(delta) > 0 && both.Cmp(m.both(delta)) <= 0,
			"DP needs δ = %s, pDP %s, and pDP of it with the response %s", dp, pdp, both)
	})
}

// precise is the arithmetic of bounds that are no ratios.
const precise = interval.Precision(128)

// charges are values of e^ε, from tiny to large; deltas are values of δ, both ends included.
var (
	charges = rat.List("101/100", "3/2", "2", "5/2", "3", "20")
	deltas  = rat.List("0", "1/1000", "1/4", "19/20", "1")
	inner   = deltas[1:4]
	nearly  = big.NewRat(19, 20)
	more    = big.NewRat(21, 20)
)

// scaled returns x times a factor.
func scaled(factor *big.Rat) func(x *big.Rat) *big.Rat {
	return func(x *big.Rat) *big.Rat { return rat.Mul(factor, x) }
}

var same, less = scaled(rat.One), scaled(nearly)

// pairsIn are all pairs of laws over up to 3 outputs with probabilities in 1/d.
func pairsIn(d int) []finite.Pair { return slices.Collect(finite.Pairs(3, d)) }

// responses are the laws of (ε, δ)-randomized response on the inputs 0 and 1: its outputs 0 to 3 are ⊥, 0, 1 and ⊤.
func responses(expEps, delta *big.Rat) finite.Pair {
	return finite.Responses(spec.Mechanism{ExpEps: expEps, Delta: delta})
}

// eachResponse goes through randomized responses.
func eachResponse(t *register.T, charges, deltas []*big.Rat, visit func(e, delta *big.Rat, p finite.Pair)) {
	finite.Each2(charges, deltas, func(e, delta *big.Rat) {
		t.At("e^ε = %s, δ = %s", e, delta)
		visit(e, delta, responses(e, delta))
	})
}

// coin is the law of a with a probability, and of b otherwise.
func coin(p *big.Rat) finite.Law { return finite.Law{"a": p, "b": rat.Complement(p)} }

// mirrored is the pair of two outputs with the probabilities r/(1 + r) and 1/(1 + r), and the same exchanged: its
// losses are ln r and −ln r.
func mirrored(r *big.Rat) finite.Pair {
	likely := rat.Quo(r, rat.Add(rat.One, r))
	return finite.Pair{coin(likely), coin(rat.Complement(likely))}
}

// isMixture refutes that a law is (1 − δ)·pure + δ·rest.
func isMixture(t *register.T, law finite.Law, delta *big.Rat, pure, rest finite.Law) {
	mix := finite.Combine(rat.Complement(delta), pure, delta, rest)
	for _, off := range finite.Combine(rat.One, law, big.NewRat(-1, 1), mix) {
		t.Require(off.Sign() == 0, "%v is not the mixture with δ = %s, which is %v", law, delta, mix)
	}
}

// pdpDelta returns the smallest δ of (ε, δ)-pDP, in both orders.
func pdpDelta(p finite.Pair, expEps *big.Rat) *big.Rat {
	return rat.Max(spec.SmallestPDPDelta(p[0], p[1], expEps), spec.SmallestPDPDelta(p[1], p[0], expEps))
}

// dpDelta returns the smallest δ of (ε, δ)-DP, in both orders.
func dpDelta(p finite.Pair, expEps *big.Rat) *big.Rat {
	return rat.Max(register.Must(spec.SmallestDPDelta(p[0], p[1], expEps)),
		register.Must(spec.SmallestDPDelta(p[1], p[0], expEps)))
}
