package audit

import (
	"cmp"
	"math"
	"slices"
)

// ensemble is a sum of small trees: where many places of an output tell a little, and together
// much, it follows the logarithm of the likelihood ratio better than one tree does.
//
// Source: Friedman (2001), gradient boosting, with Newton's step for the logarithm of the likelihood (Friedman,
// Hastie, Tibshirani 2000).
type ensemble []*tree

// The size of an ensemble, and how fast it learns.
const (
	boostTrees  = 20
	boostLeaves = 6
	boostRate   = 0.4
	boostRidge  = 1 // outputs that are thought to be there in every leaf, half of either input
)

// score returns the estimated logarithm of the likelihood ratio.
func (e ensemble) score(features []float64) float64 {
	sum := 0.0
	for _, t := range e {
		sum += t.find(features).value
	}
	return sum
}

// booster learns an ensemble. Its weights are the gradient of the log-likelihood by the score, and less the second
// derivative.
type booster struct {
	splitter
	scores []float64 // by row
}

// boost learns an ensemble from rows, and returns their scores.
func boost(b *binned) (ensemble, []float64) {
	n := b.rows()
	s := booster{splitter{binned: b, weights: make([][2]float64, n), worth: newton, least: minGain}, make([]float64, n)}
	s.most = func([2]float64) float64 { return math.Inf(1) }
	var e ensemble
	for range boostTrees {
		root := s.tree()
		if root.feature < 0 {
			break
		}
		e = append(e, root)
	}
	return e, s.scores
}

// tree learns one more tree, and adds it to the scores.
func (b *booster) tree() *tree {
	for i, s := range b.scores {
		p := 1 / (1 + math.Exp(-s))
		n := b.counts[i]
		b.weights[i] = [2]float64{n[0]*(1-p) - n[1]*p, (n[0] + n[1]) * p * (1 - p)}
	}
	root := b.root()
	open := []*sprout{root}
	for len(open) < boostLeaves {
		best := slices.MaxFunc(open, func(a, c *sprout) int { return cmp.Compare(a.gain, c.gain) })
		if best.gain < minGain {
			break
		}
		low, high := b.divide(best, b.edges[best.feature][best.bin], len(open)+1 < boostLeaves)
		open = append(slices.DeleteFunc(open, func(s *sprout) bool { return s == best }), low, high)
	}
	for _, p := range open {
		p.node.value = boostRate * p.sum[0] / (p.sum[1] + boostRidge)
		for _, r := range p.rows {
			b.scores[r] += p.node.value
		}
	}
	return root.node
}

// newton is what the best step gains, about.
func newton(g [2]float64) float64 { return g[0] * g[0] / (2 * (g[1] + boostRidge)) }
