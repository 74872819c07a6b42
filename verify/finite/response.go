package finite

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"checkrr/spec"
	"checkrr/verify/rat"
)

// Responses returns the laws of all answers of randomized responses with the parameters of the mechanisms,
// without what they never answer.
func Responses(mechanisms ...spec.Mechanism) Pair {
	return PairOf(spec.ResponseLaw(mechanisms)).Possible()
}

// Kernel is a randomized function of an output: from the output to the law of its value.
type Kernel map[string]Law

// Apply returns the law of T(o), where o has the law l.
func (t Kernel) Apply(l Law) Law {
	out := Law{}
	for output, pr := range l {
		for value, p := range t[output] {
			out.Add(value, rat.Mul(pr, p))
		}
	}
	return out
}

// Simulation returns T with T(M̃(b)) ~ laws[b], where M̃ is randomized response with the parameters of m, for
// laws that are (ε, δ)-DP. If they are not, it returns what is no such T: see [Kernel.Simulates].
//
// Cut P0 down to A0 = min(P0, e^ε P1) and P1 to A1 = min(P1, e^ε P0): both lose at most δ,
// and the ratio is bounded. Scale both until one has the mass 1 − δ, and then take from the
// other where it is above e^−ε times the first, so that it has that mass too and the
// bound stays. Then A0 = (e^ε U + W)/(1 + e^ε) and A1 = (U + e^ε W)/(1 + e^ε) with
// U = (e^ε A0 − A1)/(e^ε − 1) ≥ 0 and W = (e^ε A1 − A0)/(e^ε − 1) ≥ 0: response 1 goes to U,
// 2 to W, and 0 and 3 to what was cut off.
func Simulation(laws Pair, m spec.Mechanism) Kernel {
	rest, minus := rat.Complement(m.Delta), big.NewRat(-1, 1)
	a := Pair{cut(laws[0], laws[1], m.ExpEps), cut(laws[1], laws[0], m.ExpEps)}
	less := 0 // the law that lost more
	if a[1].Mass().Cmp(a[0].Mass()) < 0 {
		less = 1
	}
	if mass := a[less].Mass(); mass.Sign() > 0 {
		a = Pair{a[0].Times(rat.Quo(rest, mass)), a[1].Times(rat.Quo(rest, mass))}
	}
	a[1-less] = thinned(a[1-less], a[less], m.ExpEps, rest)
	t := Kernel{
		"0": normal(Combine(rat.One, laws[0], minus, a[0]), m.Delta),
		"3": normal(Combine(rat.One, laws[1], minus, a[1]), m.Delta),
	}
	if m.ExpEps.Cmp(rat.One) == 0 {
		t["1"], t["2"] = normal(a[0], rest), normal(a[1], rest)
		return t
	}
	gap := rat.Mul(rat.Sub(m.ExpEps, rat.One), rest)
	t["1"] = normal(Combine(m.ExpEps, a[0], minus, a[1]), gap)
	t["2"] = normal(Combine(m.ExpEps, a[1], minus, a[0]), gap)
	return t
}

// cut returns min(p, e·q).
func cut(p, q Law, e *big.Rat) Law {
	out := Law{}
	for o := range p {
		out[o] = rat.Min(p[o], rat.Mul(e, q.Pr(o)))
	}
	return out
}

// thinned takes mass from a, in proportion to a − b/e, until it has the given mass.
func thinned(a, b Law, e, target *big.Rat) Law {
	tooMuch := rat.Sub(a.Mass(), target)
	if tooMuch.Sign() <= 0 {
		return a
	}
	spare := Combine(rat.One, a, rat.Quo(big.NewRat(-1, 1), e), b)
	return Combine(rat.One, a, rat.Quo(tooMuch, rat.Sub(new(big.Rat), spare.Mass())), spare)
}

// normal returns a divided by its mass; any law will do if the mass is 0.
func normal(a Law, mass *big.Rat) Law {
	if mass.Sign() == 0 {
		return Law{a.Outputs()[0]: rat.One}
	}
	return a.Times(rat.Quo(rat.One, mass))
}

// Simulates returns an error unless T is a randomized function of the responses M̃ of m with T(M̃(b)) ~ laws[b].
func (t Kernel) Simulates(laws Pair, m spec.Mechanism) error {
	for _, z := range slices.Sorted(maps.Keys(t)) {
		for _, o := range t[z].Outputs() {
			if p := t[z][o]; p.Sign() < 0 {
				return fmt.Errorf("T(%s) is %s with probability %s", z, o, rat.Show(p))
			}
		}
		if mass := t[z].Mass(); mass.Cmp(rat.One) != 0 {
			return fmt.Errorf("the probabilities of T(%s) sum to %s", z, rat.Show(mass))
		}
	}
	for b, answers := range Responses(m) {
		got := t.Apply(answers)
		for _, o := range laws[b].Outputs() {
			if got.Pr(o).Cmp(laws[b][o]) != 0 {
				return fmt.Errorf("T(M̃(%d)) is %s with probability %s", b, o, rat.Show(got.Pr(o)))
			}
		}
	}
	return nil
}
