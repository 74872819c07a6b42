package odp

import (
	"math/big"

	"checkrr/exhaustive"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/register"
)

// shapes are the stopping points of the pipelines of up to two stops.
var shapes = [][]int{{1}, {2}, {1, 2}}

// forPipelines calls visit with all pipelines of the shapes, and with every n-th of those
// with three stops.
func forPipelines(t *register.T, n int, visit func(p finite.Pipeline)) {
	t.Domain("k = (1), (2) and (1, 2), mechanisms from %s; %s with k = (1, 2, 3), δ_k = 0, e^ε in {3/2, 3}; e^ℰ in {1, 3/2, 3}", showMenu, finite.Share(n))
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

// forLiteral calls visit with a few pipelines: a formula of spec takes seconds for one.
func forLiteral(t *register.T, visit func(p finite.Pipeline)) {
	step := t.Size(80, 40)
	for _, points := range shapes {
		i := 0
		for p := range finite.Pipelines(finite.Mechanisms, points...) {
			if i++; i%step == 5 {
				t.Case()
				visit(p)
			}
		}
	}
}

// enumerated returns OptDel (ODP-E3) and the single stops' δ (ODP-E4) from the tree of all sequences.
func enumerated(t *register.T, p finite.Pipeline) exhaustive.Values[*big.Rat] {
	return register.Must(exhaustive.Exact(t.Context(), p.Exhaustive(), nil))
}

// optimalStopping returns OptDel from the tree of all sequences.
func optimalStopping(t *register.T, p finite.Pipeline) *big.Rat { return enumerated(t, p).OptDel }
