package audit

import (
	"math"
	"slices"
	"sort"
)

// table is what is learned from: rows of features, and how often each came from either input.
type table struct {
	columns [][]float64  // by feature and row
	counts  [][2]float64 // by row and input
}

func (t table) rows() int { return len(t.counts) }

// binned is a table with its features in bins, so that a node's best threshold is found by one pass over its
// rows.
type binned struct {
	table
	edges [][]float64 // by feature: the largest value in each bin
	exact []bool      // by feature: whether every value has a bin of its own
	bins  [][]uint8   // by feature and row
}

const (
	maxBins   = 256
	leastBins = 64
	// binRows is how many rows there are for each bin, at least: thresholds are refined beyond bins.
	binRows = 16
)

// binsOf returns how many bins there are of so many rows.
func binsOf(rows int) int { return max(leastBins, min(maxBins, rows/binRows)) }

func newBinned(t table) *binned {
	b := &binned{table: table{counts: t.counts}}
	for _, column := range t.columns {
		b.add(column)
	}
	return b
}

// add adds a feature.
func (b *binned) add(column []float64) {
	edges, exact := quantiles(column, binsOf(len(column)))
	bins := make([]uint8, len(column))
	for i, x := range column {
		bins[i] = uint8(sort.SearchFloat64s(edges, x))
	}
	b.columns, b.bins = append(b.columns, column), append(b.bins, bins)
	b.edges, b.exact = append(b.edges, edges), append(b.exact, exact)
}

// only returns the same with a single feature.
func (b *binned) only(feature int) *binned {
	one := feature + 1
	return &binned{table{b.columns[feature:one], b.counts}, b.edges[feature:one],
		b.exact[feature:one], b.bins[feature:one]}
}

// quantiles returns at most n values, ascending, the last being the largest: every value
// if they are few, and otherwise quantiles, closer together at the two ends, where the
// largest likelihood ratios are. It reports whether these are all values.
func quantiles(column []float64, n int) (edges []float64, all bool) {
	if len(column) == 0 {
		return nil, true
	}
	sorted := slices.Sorted(slices.Values(column))
	for i, x := range sorted {
		if i == 0 || x != sorted[i-1] {
			if len(edges) == n {
				break
			}
			edges = append(edges, x)
		}
	}
	if edges[len(edges)-1] == sorted[len(sorted)-1] {
		return edges, true
	}
	edges = edges[:0]
	for _, rank := range ranks(len(sorted), n) {
		edges = append(edges, sorted[rank])
	}
	return slices.Compact(edges), false
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
