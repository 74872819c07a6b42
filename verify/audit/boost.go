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
	boostTrees  = 30
	boostLeaves = 6
	boostRate   = 0.3
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

// booster learns an ensemble.
type booster struct {
	*grower
	scores    []float64
	gradients [][2]float64 // of the log-likelihood by the score, and less the second derivative
}

// boost learns an ensemble from rows.
func boost(t table) ensemble {
	b := booster{grower: newGrower(t), scores: make([]float64, t.rows()), gradients: make([][2]float64, t.rows())}
	var e ensemble
	for range boostTrees {
		root := b.tree()
		if root.feature < 0 {
			break
		}
		e = append(e, root)
	}
	return e
}

// tree learns one more tree, and adds it to the scores.
func (b *booster) tree() *tree {
	for i, s := range b.scores {
		p := 1 / (1 + math.Exp(-s))
		n := [2]float64{b.counts[0][i], b.counts[1][i]}
		b.gradients[i] = [2]float64{n[0]*(1-p) - n[1]*p, (n[0] + n[1]) * p * (1 - p)}
	}
	rows := make([]int32, b.rows())
	for i := range rows {
		rows[i] = int32(i)
	}
	root := b.leaf(rows)
	open := []*sprout{root}
	for len(open) < boostLeaves {
		best := slices.MaxFunc(open, func(a, c *sprout) int { return cmp.Compare(a.gain, c.gain) })
		if best.gain < minGain {
			break
		}
		low, high := b.divided(best)
		best.node.feature, best.node.threshold = best.feature, b.edges[best.feature][best.bin]
		best.node.low, best.node.high = low.node, high.node
		open = append(slices.DeleteFunc(open, func(s *sprout) bool { return s == best }), low, high)
	}
	for _, s := range open {
		for _, r := range s.rows {
			b.scores[r] += s.node.value
		}
	}
	return root.node
}

// leaf returns a leaf with some rows, and the division that gains most.
func (b *booster) leaf(rows []int32) *sprout {
	var sum [2]float64
	for _, r := range rows {
		sum[0] += b.gradients[r][0]
		sum[1] += b.gradients[r][1]
	}
	s := &sprout{node: &tree{feature: -1, value: boostRate * sum[0] / (sum[1] + boostRidge)}, rows: rows}
	var histogram [maxBins][2]float64
	for f, bins := range b.bins {
		clear(histogram[:])
		for _, r := range rows {
			h, g := &histogram[bins[r]], &b.gradients[r]
			h[0] += g[0]
			h[1] += g[1]
		}
		var low [2]float64
		for i := range len(b.edges[f]) - 1 {
			low[0] += histogram[i][0]
			low[1] += histogram[i][1]
			if gain := newton(low) + newton([2]float64{sum[0] - low[0], sum[1] - low[1]}) - newton(sum); gain > s.gain {
				s.gain, s.feature, s.bin = gain, f, uint8(i)
			}
		}
	}
	return s
}

// newton is what the best step gains, about.
func newton(g [2]float64) float64 { return g[0] * g[0] / (2 * (g[1] + boostRidge)) }

// divided makes two leaves of one.
func (b *booster) divided(s *sprout) (low, high *sprout) {
	var lowRows, highRows []int32
	for _, r := range s.rows {
		if b.bins[s.feature][r] <= s.bin {
			lowRows = append(lowRows, r)
		} else {
			highRows = append(highRows, r)
		}
	}
	return b.leaf(lowRows), b.leaf(highRows)
}
