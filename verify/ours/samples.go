package ours

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// samples are the statements on several releases of one sample.
func samples() register.Checks {
	return register.Checks{
		"OUR-L5": checked(register.All(with(sampledSticks, removedStick, addedStick), with(sampledDominates, rat.One)),
			near("γ = α", with(sampledSticks, sameOrder, addedStick)),
			near("β = α", with(sampledSticks, removedStick, func(p finite.Pair, s, alpha *big.Rat) *big.Rat {
				return rat.Mul(rat.Positive(rat.Complement(rat.Mul(alpha, rat.Complement(s)))), stick(p.Back(), alpha))
			})),
			near("for all α of (M, Q) it is s·H_γ(P, Q), γ at least 0", with(sampledSticks, atAllOrders, addedStick)),
			near("with 1001/1000 of the rate", with(sampledDominates, rat.Of("1001/1000")))),
		"OUR-X18": checked(oneSample(ofOneSample, "1"),
			near("a sample for each of them", oneSample(ofTwoSamples, "1")),
			near("with 1001/1000 of the rate", oneSample(ofOneSample, "1001/1000"))),
	}
}

// inSample returns (M, Q) of a pair (P, Q), with the rate s.
func inSample(p finite.Pair, s *big.Rat) finite.Pair {
	m := finite.Law{}
	for _, o := range p.Outputs() {
		m[o] = rat.Add(rat.Mul(s, p[0].Pr(o)), rat.Mul(rat.Complement(s), p[1].Pr(o)))
	}
	return finite.Pair{m, p[1]}
}

// released returns the pair of both mechanisms together.
func released(p, q finite.Pair) finite.Pair {
	both := finite.Pair{{}, {}}
	for i := range both {
		for _, a := range p.Outputs() {
			for _, b := range q.Outputs() {
				both[i][a+b] = rat.Mul(p[i].Pr(a), q[i].Pr(b))
			}
		}
	}
	return both
}

// ofPair is H_α of (M, Q), or of (Q, M), from that of (P, Q).
type ofPair func(p finite.Pair, s, alpha *big.Rat) *big.Rat

// removedStick is H_α(M, Q).
func removedStick(p finite.Pair, s, alpha *big.Rat) *big.Rat {
	if alpha.Cmp(rat.Complement(s)) < 0 {
		return rat.Complement(alpha)
	}
	return atAllOrders(p, s, alpha)
}

func atAllOrders(p finite.Pair, s, alpha *big.Rat) *big.Rat {
	gamma := rat.Add(rat.One, rat.Quo(rat.Sub(alpha, rat.One), s))
	return rat.Mul(s, stick(p, rat.Positive(gamma)))
}

func sameOrder(p finite.Pair, s, alpha *big.Rat) *big.Rat { return rat.Mul(s, stick(p, alpha)) }

// addedStick is H_α(Q, M).
func addedStick(p finite.Pair, s, alpha *big.Rat) *big.Rat {
	left := rat.Complement(rat.Mul(alpha, rat.Complement(s)))
	if left.Sign() <= 0 {
		return new(big.Rat)
	}
	return rat.Mul(left, stick(p.Back(), rat.Quo(rat.Mul(alpha, s), left)))
}

// rates are those of samples.
var rates = rat.List("1/10", "1/2", "1")

// sampledSticks compares H_α with what it is said to be.
func sampledSticks(t *register.T, removed, added ofPair) {
	orders := append(rat.List("3/4", "9/10", "11/10"), someOrders...)
	t.Domain("all pairs of laws over up to 3 outputs with probabilities in multiples of 1/4, s in {%s}, α in {%s}",
		rates, orders)
	for p := range finite.Pairs(3, 4) {
		for _, s := range rates {
			for _, order := range orders {
				t.At("%v, s = %s, α = %s", p, s, order)
				m := inSample(p, s)
				x, y := stick(m, order), stick(m.Back(), order)
				t.Require(rat.Equal(x, removed(p, s, order)) && rat.Equal(y, added(p, s, order)),
					"H_α(M, Q) = %s, H_α(Q, M) = %s", x, y)
			}
		}
	}
}

// sampledDominates looks for laws that a pair dominates, though not where both are sampled: the laws with a multiple of
// the rate, and a mean of two of them, as the rest of the sample is drawn.
func sampledDominates(t *register.T, factor *big.Rat) {
	menu := smallLaws(t)
	s := rat.Of("1/10")
	for _, pair := range menu {
		known := inSample(pair, s)
		var before *finite.Pair
		for _, laws := range menu {
			t.Case()
			if higher(laws, pair, new(big.Rat)) != nil {
				continue
			}
			whole := inSample(laws, rat.Mul(factor, s))
			if before != nil {
				whole = finite.Pair{halves(whole[0], (*before)[0]), halves(whole[1], (*before)[1])}
			}
			before = new(inSample(laws, s))
			for i, both := range [2][2]finite.Pair{{whole, known}, {whole.Back(), known.Back()}} {
				if order := higher(both[0], both[1], new(big.Rat)); order != nil {
					t.Refute("P = (%v), Q = (%v), order %d: at α = %s the whole has %s, the pair %s", pair[0], pair[1],
						i+1, order, stick(both[0], order), stick(both[1], order))
				}
			}
		}
	}
}

// halves returns the mean of two laws, which tells which one it is.
func halves(p, q finite.Law) finite.Law {
	mean := finite.Law{}
	for o, x := range p {
		mean["1"+o] = rat.Mul(rat.Half, x)
	}
	for o, x := range q {
		mean["2"+o] = rat.Mul(rat.Half, x)
	}
	return mean
}

func ofOneSample(p, q finite.Pair, s *big.Rat) finite.Pair { return inSample(released(p, q), s) }

func ofTwoSamples(p, q finite.Pair, s *big.Rat) finite.Pair {
	return released(inSample(p, s), inSample(q, s))
}

// oneSample compares what impl finds with the exact δ of the pair that steps are said to have.
var oneSample = finite.Over("s in {1/20, 1/3}, e^ε of the first in {3/2, 5}, of the second in {2}, its δ in "+
	"{0, 1/100}, steps in {1, 2}, e^ℰ in {1, 21/20, 11/10}; neighbours in both orders",
	func(t *register.T, of func(p, q finite.Pair, s *big.Rat) finite.Pair, factor, s, e1, e2, delta *big.Rat, n int,
		charge *big.Rat) {
		const width, rounding = 1e-4, 1e-12
		first, second := finite.Pure(e1), spec.Mechanism{ExpEps: e2, Delta: delta}
		var inner []impl.Mechanism
		for _, m := range []spec.Mechanism{first, second} {
			inner = append(inner, impl.Mechanism{Eps: loss.Exp(m.ExpEps), Delta: m.Delta, Count: 1})
		}
		found := optDel(t, impl.Pipeline{
			Mechanisms: []impl.Mechanism{{Sampled: register.Must(certify.NewSampled(s, inner)), Count: n}},
			Stops:      []impl.Stop{{After: n, Eps: loss.Exp(charge)}},
		}, width)
		one := of(response(first), response(second), rat.Mul(factor, s))
		all := one
		for range n - 1 {
			all = released(all, one)
		}
		want := rat.Float64(rat.Max(stick(all, charge), stick(all.Back(), charge)))
		y := found.Float()
		t.Require(y.Lo <= want+rounding && y.Hi >= want-rounding && (want == 0 || found.RelWidth() <= width),
			"impl finds from %.12g to %.12g, %.12g was claimed", y.Lo, y.Hi, want)
	})
