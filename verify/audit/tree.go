package audit

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// table is what a tree is learned from: rows of features, and how often each came from
// either input.
type table struct {
	columns [][]float64  // by feature and row
	counts  [2][]float64 // by input and row
}

func (t table) rows() int { return len(t.counts[0]) }

// tree divides rows by thresholds on single features, so that the likelihood ratio of
// the two inputs is about constant in each leaf.
type tree struct {
	feature   int // −1 for a leaf
	threshold float64
	low, high *tree      // rows with a feature up to the threshold, and above
	counts    [2]float64 // of rows, by input
	value     float64    // of a leaf of an ensemble
}

const (
	maxLeaves = 64
	maxBins   = 256
	// minGain is the least gain of the log-likelihood for which a node is divided, and more by
	// the logarithm of how many features there are. Chance gains more: that costs little, as
	// events are chosen by other outputs, and too few leaves have their edges where they hurt.
	minGain = 2
)

// grow learns a tree. Divisions are made in the order of what they gain.
func grow(t table) *tree {
	if t.rows() == 0 {
		return &tree{feature: -1}
	}
	g := newGrower(t)
	rows := make([]int32, t.rows())
	for i := range rows {
		rows[i] = int32(i)
	}
	root := g.leaf(rows)
	open := []*sprout{root}
	for leaves := 1; leaves < maxLeaves; leaves++ {
		best := slices.MaxFunc(open, func(a, b *sprout) int { return cmp.Compare(a.gain, b.gain) })
		if best.gain == 0 || best.gain < minGain+math.Log(float64(len(t.columns))) {
			break
		}
		low, high := g.divide(best)
		open = append(slices.DeleteFunc(open, func(s *sprout) bool { return s == best }), low, high)
	}
	return root.node
}

// grower holds the features of a table in bins, so that a node's best threshold is found
// by one pass over its rows.
type grower struct {
	table
	edges [][]float64 // by feature: the largest value in each bin
	bins  [][]uint8   // by feature and row
}

// sprout is a leaf that may be divided.
type sprout struct {
	node    *tree
	rows    []int32
	gain    float64
	feature int
	bin     uint8 // rows up to this bin go low
}

func newGrower(t table) *grower {
	g := &grower{table: t}
	for _, column := range t.columns {
		edges := quantiles(column, maxBins)
		bins := make([]uint8, len(column))
		for i, x := range column {
			bins[i] = uint8(sort.SearchFloat64s(edges, x))
		}
		g.edges, g.bins = append(g.edges, edges), append(g.bins, bins)
	}
	return g
}

// quantiles returns at most n values, ascending, the last being the largest: every value
// if they are few, and otherwise quantiles, closer together at the two ends, where the
// largest likelihood ratios are.
func quantiles(column []float64, n int) []float64 {
	sorted := slices.Clone(column)
	slices.Sort(sorted)
	if distinct := slices.Compact(slices.Clone(sorted)); len(distinct) <= n {
		return distinct
	}
	var edges []float64
	for _, rank := range ranks(len(sorted), n) {
		edges = append(edges, sorted[rank])
	}
	return slices.Compact(edges)
}

// ranks returns at most n ranks below size, ascending and with the last: a quarter of them from each end, in
// steps that grow, and the others evenly between.
func ranks(size, n int) []int {
	var all []int
	ratio := max(1, math.Pow(float64(size)/8, 4/float64(n)))
	for i, k := 0, 4; i < n/4 && k < size/2; i++ {
		all = append(all, k, size-1-k)
		k = max(k+1, int(float64(k)*ratio))
	}
	for even, i := n-len(all)-1, 1; i <= even; i++ {
		all = append(all, i*(size-1)/even)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// leaf returns a leaf with some rows, and the division that gains most.
func (g *grower) leaf(rows []int32) *sprout {
	var sum [2]float64
	for side := range sum {
		for _, r := range rows {
			sum[side] += g.counts[side][r]
		}
	}
	s := &sprout{node: &tree{feature: -1, counts: sum}, rows: rows}
	var histogram [maxBins][2]float64
	for f, bins := range g.bins {
		clear(histogram[:])
		for _, r := range rows {
			h := &histogram[bins[r]]
			h[0] += g.counts[0][r]
			h[1] += g.counts[1][r]
		}
		g.consider(s, f, histogram[:len(g.edges[f])], sum)
	}
	return s
}

// consider takes the best threshold on a feature if it is better than what s has.
func (g *grower) consider(s *sprout, feature int, histogram [][2]float64, sum [2]float64) {
	var low [2]float64
	whole := likelihood(sum)
	for b := range len(histogram) - 1 {
		low[0] += histogram[b][0]
		low[1] += histogram[b][1]
		high := [2]float64{sum[0] - low[0], sum[1] - low[1]}
		if low[0]+low[1] == 0 || high[0]+high[1] == 0 {
			continue
		}
		if gain := likelihood(low) + likelihood(high) - whole; gain > s.gain {
			s.gain, s.feature, s.bin = gain, feature, uint8(b)
		}
	}
}

// likelihood returns the largest log-likelihood of which input rows came from.
func likelihood(c [2]float64) float64 {
	n := c[0] + c[1]
	sum := 0.0
	for _, k := range c {
		if k > 0 {
			sum += k * math.Log(k/n)
		}
	}
	return sum
}

// divide makes two leaves of one.
func (g *grower) divide(s *sprout) (low, high *sprout) {
	threshold := g.refine(s)
	column := g.columns[s.feature]
	var lowRows, highRows []int32
	for _, r := range s.rows {
		if column[r] <= threshold {
			lowRows = append(lowRows, r)
		} else {
			highRows = append(highRows, r)
		}
	}
	low, high = g.leaf(lowRows), g.leaf(highRows)
	s.node.feature, s.node.threshold = s.feature, threshold
	s.node.low, s.node.high = low.node, high.node
	return low, high
}

// refine returns the best threshold for a leaf near the best edge of a bin: an interval that is seldom
// must not lose what is between its end and the next edge.
func (g *grower) refine(s *sprout) float64 {
	bins, column := g.bins[s.feature], g.columns[s.feature]
	var near []int32
	var low, sum [2]float64
	for _, r := range s.rows {
		for side := range sum {
			sum[side] += g.counts[side][r]
			if bins[r] < s.bin {
				low[side] += g.counts[side][r]
			}
		}
		if bins[r] == s.bin || bins[r] == s.bin+1 {
			near = append(near, r)
		}
	}
	slices.SortFunc(near, func(a, b int32) int { return cmp.Compare(column[a], column[b]) })
	best, threshold := s.gain, g.edges[s.feature][s.bin]
	whole := likelihood(sum)
	for i, r := range near {
		low[0] += g.counts[0][r]
		low[1] += g.counts[1][r]
		high := [2]float64{sum[0] - low[0], sum[1] - low[1]}
		if i+1 < len(near) && column[near[i+1]] == column[r] || high[0]+high[1] == 0 {
			continue
		}
		if gain := likelihood(low) + likelihood(high) - whole; gain > best {
			best, threshold = gain, column[r]
		}
	}
	return threshold
}

// find returns the leaf of a row of features.
func (t *tree) find(features []float64) *tree {
	for t.feature >= 0 {
		if features[t.feature] <= t.threshold {
			t = t.low
		} else {
			t = t.high
		}
	}
	return t
}
