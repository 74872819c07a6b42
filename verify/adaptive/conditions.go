package adaptive

import (
	"math/big"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// conditions are the two conditions of approximate zCDP, and that they are equivalent.
func conditions() register.Checks {
	given := func(inside, outside map[string]*big.Rat, _ *big.Rat) map[string]*big.Rat {
		return spec.ConditionalRest(inside, outside, finite.Law(outside).Mass())
	}
	lessInside := func(inside, outside map[string]*big.Rat, delta *big.Rat) map[string]*big.Rat {
		return spec.ConditionalRest(inside, outside, rat.Complement(rat.Mul(nearly, rat.Complement(delta))))
	}
	return register.Checks{
		"FAC-T7": register.Checked(register.All(register.With2(mixtureOfEvent, spec.ConditionalRest, false),
			register.With(eventOfMixture, rat.One)),
			register.AlsoFails(register.Slip, "with Condition 2 as printed, the same inequality twice", oneInequality),
			register.AlsoFails(register.Edge, "by P'' as printed also for δ = 0, where it is 0/0 and any P'' will do",
				register.With2(mixtureOfEvent, spec.ConditionalRest, true)),
			register.AlsoFails(register.Edge, "also for δ = 1, where Condition 2 asks for nothing", whole),
			register.Control("with the law given E^c as P''", register.With2(mixtureOfEvent, given, false)),
			register.NearMiss("with P'(·)·Pr(A(x) ∈ E) − 19/20·(1 − δ)", register.With2(mixtureOfEvent, lessInside, false)),
			register.NearMiss("with the event that the coin shows 1, and 20/19 as much of it", register.With(eventOfMixture,
				rat.Of("20/19"))),
		),
	}
}

// mixtureOfEvent checks that P” of a law and an event is a law, and the mixture with P' is the law.
func mixtureOfEvent(t *register.T, rest func(inside, outside map[string]*big.Rat, delta *big.Rat) map[string]*big.Rat,
	atZero bool) {
	t.Domain("random laws over 3 outputs and random events, δ = Pr(E^c), halfway to 1, and 99/100")
	t.Random(2, t.Size(500, 5000), func(t *register.T, d register.Dice) {
		law, inside, outside := finite.Random(d, 3, 4), finite.Law{}, finite.Law{}
		for _, o := range law.Outputs() {
			inside[o] = rat.Mul(law[o], big.NewRat(int64(4-d.Roll(5)), 4))
			outside[o] = rat.Sub(law[o], inside[o])
		}
		least := outside.Mass()
		if inside.Mass().Sign() == 0 {
			return
		}
		for _, delta := range []*big.Rat{least, rat.Mul(rat.Half, rat.Add(least, rat.One)), rat.Max(least, rat.Of("99/100"))} {
			t.Require(!atZero || delta.Sign() > 0, "P = (%v), E has probability 1, δ = 0: P'' is 0/0", law)
			if delta.Sign() == 0 {
				continue
			}
			pure, other := inside.Times(rat.Quo(rat.One, inside.Mass())), finite.Law(rest(inside, outside, delta))
			for _, o := range other.Outputs() {
				t.Require(other[o].Sign() >= 0, "P = (%v), the event has (%v), δ = %s: P'' has %s at %s", law, inside, delta,
					other[o], o)
			}
			isMixture(t, law, delta, pure, other)
		}
	})
}

// eventOfMixture checks that what the coin decides has a probability of at least 1 − δ, times a factor, and the
// laws P', Q' given it, which have the same divergences.
func eventOfMixture(t *register.T, factor *big.Rat) {
	t.AlsoDomain("random mixtures of laws over 3 outputs, δ in {%s}", deltas[:4])
	t.Random(3, t.Size(300, 3000), func(t *register.T, d register.Dice) {
		pure, delta := finite.RandomPair(d, 3, 4), deltas[d.Roll(4)]
		var given finite.Pair
		for b, rest := range finite.RandomPair(d, 3, 4) {
			joint, event := finite.Law{}, finite.Law{} // of the output and the coin
			for o := range rest {
				joint[o+"1"], joint[o+"0"] = rat.Mul(rat.Complement(delta), pure[b][o]), rat.Mul(delta, rest[o])
				event[o] = joint[o+"1"]
			}
			t.Require(event.Mass().Cmp(rat.Mul(factor, rat.Complement(delta))) >= 0, "δ = %s: the event has probability %s",
				delta, event.Mass())
			given[b] = event.Times(rat.Quo(rat.One, event.Mass()))
		}
		for _, order := range zcdpOrders {
			got, want := spec.RenyiMoment(given[0], given[1], order), spec.RenyiMoment(pure[0], pure[1], order)
			t.Require(isSame(got, want), "%v, δ = %s: the moment of order %d given the events is %v", pure, delta, order, got)
		}
	})
}

// oneInequality checks that finite divergences D_λ(P‖Q) let Condition 1 hold with δ = 1/10 for P' = P and Q' = Q: under
// Q, and under P, at most δ may be where the other has nothing.
func oneInequality(t *register.T) {
	t.Domain("all pairs of laws over 2 outputs with probabilities in 1/2, λ = 2, 3 and 7, δ = 1/10")
	for p := range finite.PairsOf(finite.Laws(2, 2)) {
		t.At("%v", p)
		moment := spec.RenyiMoment(p[0], p[1], 2)
		for b := range p {
			apart := new(big.Rat)
			for o, pr := range p[b] {
				if p[1-b][o].Sign() == 0 {
					apart = rat.Add(apart, pr)
				}
			}
			t.Require(moment == nil || apart.Cmp(rat.Of("1/10")) <= 0, "the moment of order 2 is %s, and of P%d %s is where "+
				"the other has nothing", moment, b, apart)
		}
	}
}

// whole checks that with δ = 1 Condition 1 holds for laws P, Q for some events: those of positive probability.
func whole(t *register.T) {
	t.Domain("P = (a: 1), Q = (b: 1), all events of positive probability")
	t.Case()
	moment := spec.RenyiMoment(coin(rat.One), coin(new(big.Rat)), 2)
	t.Require(moment != nil, "P = (a: 1), Q = (b: 1), δ = 1: whatever the events are, the divergence of the laws given "+
		"them is infinite")
}
