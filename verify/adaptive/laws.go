package adaptive

import (
	"math/big"
	"slices"

	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

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
