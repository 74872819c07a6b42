package spec

import "math/big"

// Scored is what a call of a candidate, or of the oracle, returns: an output x with its score q.
type Scored[X any] struct {
	Output X
	Score  float64
}

// Candidate is a private mechanism on a fixed database. Each call is an independent run.
type Candidate[X any] func() Scored[X]

// Chosen is an output of the oracle: of which candidate it is.
type Chosen[X any] struct {
	Candidate int // i − 1
	Output    X
}

// Higher is the fixed rule by which x goes before y where their scores are equal; together they are a total order of
// all pairs of output and score.
type Higher[X any] func(x, y X) bool

// Oracle runs a candidate that is drawn uniformly.
//
// Source: Liu and Talwar (2019), Section 3, the oracle Q(D); PSC-A0. Also in the checks of PSC-X6, PSC-L5.1b and
// PSC-L5.1c.
// Symbols: K = len(candidates), M_i = candidates[i−1].
// Domain: at least one candidate.
// Deviation from print: none; the text states it in prose.
// Cost: one run.
func Oracle[X any](candidates []Candidate[X], coins Coins) Scored[Chosen[X]] {
	i := int(coins.Below(big.NewInt(int64(len(candidates)))).Int64())
	m := candidates[i]()
	return Scored[Chosen[X]]{Chosen[X]{i, m.Output}, m.Score}
}

// highest returns the largest in the total order.
func highest[X any](s []Scored[X], higher Higher[X]) Scored[X] {
	top := s[0]
	for _, next := range s[1:] {
		if next.Score > top.Score || next.Score == top.Score && higher(next.Output, top.Output) {
			top = next
		}
	}
	return top
}
