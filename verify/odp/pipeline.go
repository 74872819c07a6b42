package odp

import (
	"math/big"

	"checkrr/exhaustive"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// shapes are the stopping points of the pipelines of up to two stops.
var shapes = [][]int{{1}, {2}, {1, 2}}

// forPipelines calls visit with all pipelines of the shapes, and with every n-th of those
// with three stops.
func forPipelines(t *register.T, n int, visit func(p finite.Pipeline)) {
	t.Domain("k = (1), (2) and (1, 2), mechanisms from %s; %s with k = (1, 2, 3), δ_k = 0, e^ε in {3/2, 3}; e^ℰ in "+
		"{1, 3/2, 3}", showMenu, finite.Share(n))
	for _, points := range shapes {
		for p := range finite.Pipelines(finite.Mechanisms, points...) {
			t.Case()
			visit(p)
		}
	}
	pure := []spec.Mechanism{finite.Pure(finite.Charges[1]), finite.Pure(finite.Charges[2])}
	for p := range finite.EveryNth(finite.Pipelines(pure, 1, 2, 3), n) {
		t.Case()
		visit(p)
	}
}

// showMenu describes [finite.Mechanisms].
const showMenu = "(e^ε, δ) = (3, 0), (3/2, 1/10), (1, 1/2)"

// literal are the pipelines for formulas of spec, which go through all families of sets of outputs: a share of those
// with these stops and mechanisms that have few enough.
var literal = []struct {
	points     []int
	mechanisms []spec.Mechanism
	every      int
}{
	{[]int{1}, finite.Mechanisms, 2},
	{[]int{2}, finite.Mechanisms, 5},
	{[]int{1, 2}, finite.Mechanisms[:2], 3},
	{[]int{1, 2}, unequal, 7},
	{[]int{1, 2}, surely, 5},
	{[]int{1, 3}, unequal, 11},
	{[]int{2, 3}, unequal, 13},
	{[]int{1, 2, 3}, unequal, 23},
	{[]int{3}, unequal[:1], 1},
}

// unequal are mechanisms with δ = 0, and surely ones without it, of which few answers occur.
var (
	unequal = []spec.Mechanism{finite.Pure(big.NewRat(2, 1)), finite.Pure(big.NewRat(7, 2))}
	surely  = []spec.Mechanism{finite.Pure(big.NewRat(4, 1)), {ExpEps: rat.One, Delta: rat.One},
		{ExpEps: rat.One, Delta: new(big.Rat)}}
)

// forLiteral calls visit with the pipelines for formulas of spec.
func forLiteral(t *register.T, visit func(p finite.Pipeline)) {
	t.AlsoDomain("by all families of sets, k = (1), (2), (1, 2), (1, 3), (2, 3) and (1, 2, 3), a share of all with " +
		"these mechanisms or (e^ε, δ) = (2, 0), (7/2, 0), (4, 0), (1, 1), (1, 0) of which at most 2^16 families occur; and " +
		"three times (2, 0) with k = (3)")
	fewer := t.Size(1, 0)
	for _, l := range literal {
		for p := range finite.EveryNth(finite.Pipelines(l.mechanisms, l.points...), 1+fewer*(l.every-1)) {
			if outputs(p) <= 16 {
				t.Case()
				visit(p)
			}
		}
	}
}

// outputs returns how many outputs of a pipeline occur, at all its stops together.
func outputs(p finite.Pipeline) (n int) {
	for _, s := range p.Stops {
		n += len(finite.Responses(p.Mechanisms[:s.After]...)[0])
	}
	return n
}

// enumerated returns OptDel (ODP-E3) and the single stops' δ (ODP-E4) from the tree of all sequences.
func enumerated(t *register.T, p finite.Pipeline) exhaustive.Values[*big.Rat] {
	return register.Must(exhaustive.Exact(t.Context(), p.Exhaustive(), nil))
}

// optimalStopping returns OptDel from the tree of all sequences.
func optimalStopping(t *register.T, p finite.Pipeline) *big.Rat { return enumerated(t, p).OptDel }
