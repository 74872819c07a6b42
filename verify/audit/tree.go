package audit

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// tree divides rows by thresholds on single features, so that the likelihood ratio of
// the two inputs is about constant in each leaf.
type tree struct {
	feature   int // −1 for a leaf
	threshold float64
	low, high *tree      // rows with a feature up to the threshold, and above
	counts    [2]float64 // of rows, by input
	value     float64    // of a leaf: the logarithm of the likelihood ratio that is estimated
}

// leafOf returns a leaf with some rows.
func leafOf(counts [2]float64) *tree {
	return &tree{feature: -1, counts: counts, value: math.Log((counts[0] + 0.5) / (counts[1] + 0.5))}
}

const (
	maxLeaves = 64
	// minGain is the least gain of the log-likelihood for which a node is divided, and more by
	// the logarithm of how many features there are. Chance gains more: that costs little, as
	// events are chosen by other outputs, and too few leaves have their edges where they hurt.
	minGain = 2
)

// grow learns a tree. Divisions are made in the order of what they gain.
func grow(b *binned) *tree {
	s := &splitter{binned: b, least: leastGain(len(b.edges))}
	root := s.root()
	open := []*sprout{root}
	for leaves := 1; leaves < maxLeaves; leaves++ {
		best := slices.MaxFunc(open, func(a, b *sprout) int { return cmp.Compare(a.gain, b.gain) })
		if best.gain == 0 || best.gain < s.least {
			break
		}
		low, high := s.divide(best, s.refine(best), leaves+1 < maxLeaves)
		open = append(slices.DeleteFunc(open, func(s *sprout) bool { return s == best }), low, high)
	}
	for _, p := range open {
		*p.node = *leafOf(p.sum)
	}
	return root.node
}

// leastGain returns the least gain of a division by one of so many features.
func leastGain(features int) float64 { return minGain + math.Log(float64(max(1, features))) }

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

// refine returns the best threshold for a leaf near the best edge of a bin: an interval that is seldom
// must not lose what is between its end and the next edge. Where nothing was seen it is in the middle: what is seldom
// beyond what was seen of it, on either side, is then divided as what was seen.
func (s *splitter) refine(p *sprout) float64 {
	edge := s.edges[p.feature][p.bin]
	if s.exact[p.feature] {
		return edge
	}
	low := s.bestNear(p, edge)
	high := math.Inf(1)
	for _, r := range p.rows {
		if x := s.columns[p.feature][r]; x > low {
			high = min(high, x)
		}
	}
	return between(low, high)
}

// bestNear returns the feature of a row after which to divide a leaf, near an edge of a bin.
func (s *splitter) bestNear(p *sprout, edge float64) float64 {
	bins, column := s.bins[p.feature], s.columns[p.feature]
	var near []int32
	var low [2]float64
	for _, r := range p.rows {
		if bins[r] < p.bin {
			low[0] += s.counts[r][0]
			low[1] += s.counts[r][1]
		}
		if bins[r] == p.bin || bins[r] == p.bin+1 {
			near = append(near, r)
		}
	}
	slices.SortFunc(near, func(a, b int32) int { return cmp.Compare(column[a], column[b]) })
	best, threshold := p.gain, edge
	whole := likelihood(p.sum)
	for i, r := range near {
		low[0] += s.counts[r][0]
		low[1] += s.counts[r][1]
		high := [2]float64{p.sum[0] - low[0], p.sum[1] - low[1]}
		if i+1 < len(near) && column[near[i+1]] == column[r] || high[0]+high[1] == 0 {
			continue
		}
		if gain := likelihood(low) + likelihood(high) - whole; gain > best {
			best, threshold = gain, column[r]
		}
	}
	return threshold
}

// between returns a number in [low, high), in the middle half if there is one, in few digits: it is shown. What is
// missing is not moved.
func between(low, high float64) float64 {
	const digits = 17
	if low == missing || math.IsInf(high, 1) {
		return low
	}
	at := func(share float64) float64 { return (1-share)*low + share*high }
	for d := 1; d <= digits; d++ {
		x, err := strconv.ParseFloat(strconv.FormatFloat(at(0.5), 'g', d, 64), 64)
		if err == nil && at(0.25) <= x && x <= at(0.75) && low <= x && x < high {
			return x
		}
	}
	return low
}

// leaf returns the leaf of a row, by its features.
func (t *tree) leaf(feature func(index int) float64) *tree {
	for t.feature >= 0 {
		if feature(t.feature) <= t.threshold {
			t = t.low
		} else {
			t = t.high
		}
	}
	return t
}

// find returns the leaf of a row of features.
func (t *tree) find(features []float64) *tree {
	return t.leaf(func(i int) float64 { return features[i] })
}

// scores returns the values of the rows of a table.
func (t *tree) scores(rows table) []float64 {
	all := make([]float64, rows.rows())
	for r := range all {
		all[r] = t.leaf(func(i int) float64 { return rows.columns[i][r] }).value
	}
	return all
}
