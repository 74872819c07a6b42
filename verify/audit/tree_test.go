package audit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// twoColumns returns a table of uniform features x and y, where the probability that a row is of the
// first input is p(x, y).
func twoColumns(n int, seed uint64, p func(x, y float64) float64) table {
	dice := rand.New(rand.NewPCG(seed, 0))
	t := table{columns: make([][]float64, 2)}
	for range n {
		x, y := dice.Float64(), dice.Float64()
		side := 0.0
		if dice.Float64() < p(x, y) {
			side = 1
		}
		t.columns[0], t.columns[1] = append(t.columns[0], x), append(t.columns[1], y)
		t.counts = append(t.counts, [2]float64{side, 1 - side})
	}
	return t
}

// leaves returns the leaves, in order.
func (t *tree) leaves() []*tree {
	if t.feature < 0 {
		return []*tree{t}
	}
	return append(t.low.leaves(), t.high.leaves()...)
}

// Every row is in the leaf that is found for it, and rows on a threshold go low.
func TestTree_LeavesAddUp(t *testing.T) {
	for seed := range uint64(20) {
		data := twoColumns(1000, seed, func(x, y float64) float64 { return x * y })
		for i := range data.columns[0] { // ties
			data.columns[0][i] = math.Round(data.columns[0][i]*10) / 10
		}
		root := grow(newBinned(data))
		counts := map[*tree][2]float64{}
		for i := range data.rows() {
			leaf := root.find([]float64{data.columns[0][i], data.columns[1][i]})
			c := counts[leaf]
			counts[leaf] = [2]float64{c[0] + data.counts[i][0], c[1] + data.counts[i][1]}
		}
		leaves := root.leaves()
		if len(leaves) < 2 || len(leaves) > maxLeaves || len(leaves) != len(counts) {
			t.Errorf("seed %d: %d leaves, %d of them with rows, must be 2 to %d",
				seed, len(leaves), len(counts), maxLeaves)
		}
		for _, leaf := range leaves {
			if leaf.counts != counts[leaf] {
				t.Errorf("seed %d: leaf has counts %v, must be %v", seed, leaf.counts, counts[leaf])
			}
		}
	}
}

func TestTree_Nothing(t *testing.T) {
	for name, data := range map[string]table{
		"no rows":     {columns: make([][]float64, 2)},
		"no features": {counts: [][2]float64{{1, 3}, {2, 0}}},
		"one value": {columns: [][]float64{slices.Repeat([]float64{7}, 100)},
			counts: slices.Repeat([][2]float64{{1, 0}}, 100)},
	} {
		sum := [2]float64{}
		for _, c := range data.counts {
			sum[0], sum[1] = sum[0]+c[0], sum[1]+c[1]
		}
		if root := grow(newBinned(data)); root.feature >= 0 || root.counts != sum {
			t.Errorf("%s: %+v", name, root)
		}
	}
	same := twoColumns(5000, 3, func(x, y float64) float64 { return 0.5 })
	if n := len(grow(newBinned(same)).leaves()); n > 40 {
		t.Errorf("nothing to learn: %d leaves", n)
	}
}

// The best single division is the one that trying all finds.
func TestTree_BestDivision(t *testing.T) {
	for seed := range uint64(30) {
		data := twoColumns(60, seed, func(x, y float64) float64 { return 0.2 + 0.6*math.Round(y) })
		for i := range data.columns[0] {
			data.columns[0][i] = math.Round(data.columns[0][i] * 5)
		}
		best := 0.0
		for f := range data.columns {
			for _, threshold := range data.columns[f] {
				var c [2][2]float64 // below and above, by input
				for i, x := range data.columns[f] {
					half := 0
					if x > threshold {
						half = 1
					}
					c[half][0] += data.counts[i][0]
					c[half][1] += data.counts[i][1]
				}
				sum := [2]float64{c[0][0] + c[1][0], c[0][1] + c[1][1]}
				best = max(best, likelihood(c[0])+likelihood(c[1])-likelihood(sum))
			}
		}
		all := splitter{binned: newBinned(data)}
		if s := all.root(); !near(s.gain, best, 1e-9) {
			t.Errorf("seed %d: gain is %g, must be %g", seed, s.gain, best)
		}
	}
}

func TestQuantiles(t *testing.T) {
	if got, all := quantiles([]float64{3, 1, 3, 2, 1}, 3); !slices.Equal(got, []float64{1, 2, 3}) || !all {
		t.Errorf("few values: %v", got)
	}
	if got, _ := quantiles(nil, 3); len(got) != 0 {
		t.Errorf("no values: %v", got)
	}
	dice := rand.New(rand.NewPCG(5, 5))
	for _, size := range []int{129, 257, 1000, 65_537} {
		for _, n := range []int{maxCells, maxBins} {
			column := make([]float64, size)
			for i := range column {
				column[i] = dice.NormFloat64()
			}
			before := slices.Clone(column)
			edges, all := quantiles(column, n)
			if !slices.Equal(before, column) {
				t.Fatal("the column was sorted")
			}
			if all != (size <= n) || len(edges) > n || len(edges) < n/2 || edges[len(edges)-1] != slices.Max(column) ||
				!slices.IsSorted(edges) || len(slices.Compact(slices.Clone(edges))) != len(edges) {
				t.Errorf("%d of %d values: %d edges", n, size, len(edges))
			}
		}
	}
	// one value that is half of all takes one edge
	heavy := slices.Repeat([]float64{0}, 1000)
	for range 1000 {
		heavy = append(heavy, dice.NormFloat64())
	}
	if edges, _ := quantiles(heavy, 64); !slices.Contains(edges, 0) || len(edges) > 64 ||
		edges[len(edges)-1] != slices.Max(heavy) {
		t.Errorf("ties: %v", edges)
	}
}

// Between two numbers is one that is at least the lower and less than the higher, in as few digits as one near the
// middle can have.
func TestBetween(t *testing.T) {
	for _, c := range []struct{ low, high, want float64 }{
		{13.37, 30.02, 20}, {3, 4, 3.5}, {-4, -3, -3.5}, {0, 1, 0.5}, {0.123456, 0.123457, 0.1234565}, {-1, 1,
			0}, {1e300, 1.7e308, 9e307}, {10, 14, 12},
		{missing, 5, missing}, {2, math.Inf(1), 2}, {0, math.SmallestNonzeroFloat64, 0},
	} {
		if got := between(c.low, c.high); got != c.want {
			t.Errorf("between %g and %g is %g, must be %g", c.low, c.high, got, c.want)
		}
	}
	dice := diceOf(1)
	for range 10_000 {
		low := math.Float64frombits(dice.Uint64())
		high := low + math.Abs(low)*math.Pow(10, -20*dice.Float64())
		if dice.IntN(3) == 0 {
			high = math.Nextafter(low, math.Inf(1))
		}
		if !(low < high) {
			continue
		}
		if got := between(low, high); !(low <= got && got < high) {
			t.Fatalf("between %g and %g is %g", low, high, got)
		}
	}
}

// A seldom interval beyond a gap ends in the middle of the gap: of outputs that come later, more lie beyond either end.
func TestTree_Gap(t *testing.T) {
	data := twoColumns(20_000, 4, func(x, y float64) float64 { return 0.5 })
	for i := range 30 {
		data.columns[1][i] = 4 + data.columns[1][i]
		data.counts[i] = [2]float64{1, 0}
	}
	data.columns[1][30], data.counts[30] = 1, [2]float64{0, 1} // or chance might add some to them
	b := newBinned(table{data.columns[1:], data.counts})
	root := grow(b)
	if low := root.find([]float64{1.9}); low.share(0) > 0.9 {
		t.Errorf("1.9 is like what is beyond 4: %+v", low)
	}
	if high := root.find([]float64{3.5}); high.share(0) < 0.9 {
		t.Errorf("3.5 is like what is below 1: %+v", high)
	}
}
