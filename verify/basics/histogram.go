package basics

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// histograms is the statement of Section 3.3 on histograms.
func histograms() register.Checks {
	return register.Checks{
		"AFD-E3.2": register.Checked(histogram(added),
			register.AlsoFails(register.Slip, "ℕ^|X| is partitioned, as printed: the cell is that of the database",
				cellOfDatabase),
			register.AlsoFails("", "neighbours are databases of which one record is replaced", histogram(replaced(1, "1"))),
			register.AlsoHolds("for these the sensitivity is 2, and Lap(2/ε) is enough", histogram(replaced(2, "2"))),
			register.Control("the sensitivity is the number of cells",
				histogram(
					histogramClaim{neighbours: oneMore, most: func(cells int) int { return cells }, changed: []int{1},
						noise: rat.One},
				)),
			register.Control("Lap(1/(2ε)) is enough", histogram(added.with("1/2"))),
			register.NearMiss("Lap(0.999/ε) is enough", histogram(added.with("0.999"))),
			register.NearMiss("Lap(1.999/ε) is enough where one record is replaced", histogram(replaced(2, "1.999"))),
		),
	}
}

// histogramClaim is a variant of AFD-E3.2.
type histogramClaim struct {
	neighbours func(x, y []int) bool
	most       func(cells int) int // the sensitivity
	changed    []int               // how many cells may differ
	noise      *big.Rat            // times 1/ε: the scale of the noise
}

// added is the statement.
var added = histogramClaim{oneMore, func(int) int { return 1 }, []int{1}, rat.One}

func (c histogramClaim) with(noise string) histogramClaim {
	c.noise = rat.Of(noise)
	return c
}

// replaced is a claim on databases of which one record is replaced. With one cell none changes.
func replaced(sensitivity int, noise string) histogramClaim {
	return histogramClaim{oneReplaced, func(cells int) int { return min(sensitivity, 2*(cells-1)) }, []int{0, 2},
		rat.Of(noise)}
}

func apart(x, y []int) (sum int) {
	for i := range x {
		sum += absolute(x[i] - y[i])
	}
	return sum
}

func size(x []int) int { return apart(x, make([]int, len(x))) }

func oneMore(x, y []int) bool { return apart(x, y) == 1 }

func oneReplaced(x, y []int) bool { return apart(x, y) == 2 && size(x) == size(y) }

// count returns the histogram of x.
func count(parts finite.Partition, x []int) []int {
	counts := make([]int, parts.Count())
	for i, n := range x {
		counts[parts[i]] += n
	}
	return counts
}

// histogram checks which cells change, by how much, and the losses of all noisy histograms on a grid.
func histogram(c histogramClaim) register.Check {
	return func(t *register.T) {
		t.Domain("all partitions of 3 types into cells, all neighbours of up to 2 records; noisy counts in {−1, …, 3}, " +
			"ε in {1/2, 1, 4}")
		databases := slices.DeleteFunc(slices.Collect(finite.Tuples([]int{0, 1, 2}, 3)), func(x []int) bool {
			return size(x) > 2
		})
		losses := map[string][][]interval.Float{}
		for _, eps := range rat.List("1/2", "1", "4") {
			losses[rat.Show(eps)] = lossesOfCounts(t, scaleOf(t, c.noise, eps))
		}
		for parts := range finite.Partitions(3) {
			largest := 0
			for pair := range finite.Tuples(databases, 2) {
				if !c.neighbours(pair[0], pair[1]) {
					continue
				}
				t.Case()
				h, g := count(parts, pair[0]), count(parts, pair[1])
				c.change(t, parts, h, g)
				largest = max(largest, apart(h, g))
				for z := range finite.Tuples([]int{-1, 0, 1, 2, 3}, len(h)) {
					for _, eps := range rat.List("1/2", "1", "4") {
						l, bound := lossAt(z, h, g, losses[rat.Show(eps)]), rat.Float64(eps)
						if l.Lo > bound {
							t.Refute("%v, counts %v and %v, noisy counts %v, ε = %s: the loss is at least %.9g", parts, h, g, z,
								rat.Show(eps), l.Lo)
						}
						t.Close(math.Round(l.Lo/bound*1e9)/1e9, "%v, counts %v and %v, noisy counts %v, ε = %s", parts, h, g, z,
							rat.Show(eps))
					}
				}
			}
			c.sensitivity(t, parts, largest)
		}
	}
}

// change refutes that as many cells differ as claimed, each by 1.
func (c histogramClaim) change(t *register.T, parts finite.Partition, h, g []int) {
	differ := 0
	for i := range h {
		differ += min(1, absolute(h[i]-g[i]))
	}
	if !slices.Contains(c.changed, differ) || apart(h, g) != differ {
		t.Refute("%v, counts %v and %v: %d cells differ, claimed %v, each by 1", parts, h, g, differ, c.changed)
	}
}

// sensitivity refutes that the largest change is the claimed one, and that of both rooms.
func (c histogramClaim) sensitivity(t *register.T, parts finite.Partition, largest int) {
	f := func(x []int) (counts []*big.Rat) {
		for _, n := range count(parts, x) {
			counts = append(counts, rat.Int(n))
		}
		return counts
	}
	literal, fast := spec.L1Sensitivity(3, 2, f), impl.L1Sensitivity(3, 2, f)
	if claimed := c.most(parts.Count()); largest != claimed || !rat.Equal(literal, rat.One) || !rat.Equal(fast, rat.One) {
		t.Refute("%v: the largest change is %d, claimed %d; with one record more it is %s by spec, %s by impl", parts,
			largest, claimed, rat.Show(literal), rat.Show(fast))
	}
}

// lossesOfCounts returns the losses ln(Lap(i|b)/Lap(j|b)) of a noisy count that is i and j from the two counts, up to
// 4.
func lossesOfCounts(t *register.T, b *big.Rat) (losses [][]interval.Float) {
	var density []interval.Interval
	for x := range 5 {
		density = append(density, impl.LaplaceDensity(rat.Int(x), b))
		isAbout(t, "the density", density[x], spec.LaplaceDensity(float64(x), rat.Float64(b)))
	}
	for _, p := range density {
		var row []interval.Float
		for _, q := range density {
			l, err := impl.LogRatio(p, q)
			t.Must(err)
			row = append(row, l.Float())
		}
		losses = append(losses, row)
	}
	return losses
}

// lossAt returns the loss of a noisy histogram z: the sum of those of its counts.
func lossAt(z, h, g []int, losses [][]interval.Float) interval.Float {
	sum := interval.Point(0)
	for i := range z {
		sum = sum.Add(losses[absolute(z[i]-h[i])][absolute(z[i]-g[i])])
	}
	return sum
}

// cellOfDatabase checks what is literally printed: all databases are partitioned, and f says in which cell x is.
func cellOfDatabase(t *register.T) {
	t.Domain("all partitions of the 3 databases of up to 1 record of 2 types")
	for parts := range finite.Partitions(3) {
		t.Case()
		f := func(x []int) (cells []*big.Rat) {
			for k := range parts.Count() {
				cells = append(cells, rat.Int(map[bool]int{true: 1}[parts[x[0]+2*x[1]] == k]))
			}
			return cells
		}
		if literal := spec.L1Sensitivity(2, 1, f); literal.Cmp(rat.One) > 0 {
			t.Refute("of the databases without a record, with one of the first type, and with one of the second: %v; the "+
				"sensitivity is %s", parts, rat.Show(literal))
		}
	}
}
