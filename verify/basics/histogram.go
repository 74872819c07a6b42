package basics

import (
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
	perCell := added("1")
	perCell.most = func(cells int) int { return cells }
	return register.Checks{
		"AFD-E3.2": register.Checked(register.With(histogram, added("1")),
			register.AlsoFails(register.Slip, "ℕ^|X| is partitioned, as printed: the cell is that of the database",
				cellOfDatabase),
			register.AlsoFails("", "neighbours are databases of which one record is replaced", register.With(histogram, replaced(1, "1"))),
			register.AlsoHolds("for these the sensitivity is 2, and Lap(2/ε) is enough", register.With(histogram, replaced(2, "2"))),
			register.Control("the sensitivity is the number of cells", register.With(histogram, perCell)),
			register.NearMiss("Lap(0.999/ε) is enough", register.With(histogram, added("0.999"))),
			register.NearMiss("Lap(1.999/ε) is enough where one record is replaced", register.With(histogram, replaced(2, "1.999"))),
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

// added is the statement, with some noise.
func added(noise string) histogramClaim {
	return histogramClaim{func(x, y []int) bool { return apart(x, y) == 1 }, func(int) int { return 1 }, []int{1},
		rat.Of(noise)}
}

// replaced is a claim on databases of which one record is replaced. With one cell none changes.
func replaced(sensitivity int, noise string) histogramClaim {
	return histogramClaim{func(x, y []int) bool { return apart(x, y) == 2 && size(x) == size(y) },
		func(cells int) int { return min(sensitivity, 2*(cells-1)) }, []int{0, 2}, rat.Of(noise)}
}

func apart(x, y []int) (sum int) {
	for i := range x {
		sum += absolute(x[i] - y[i])
	}
	return sum
}

func size(x []int) int { return apart(x, make([]int, len(x))) }

// count returns the histogram of x.
func count(parts finite.Partition, x []int) []int {
	counts := make([]int, parts.Count())
	for i, n := range x {
		counts[parts[i]] += n
	}
	return counts
}

// histogram checks which cells change, by how much, and the losses of all noisy histograms on a grid.
func histogram(t *register.T, c histogramClaim) {
	t.Domain("all partitions of 3 types into cells, all neighbours of up to 2 records; noisy counts in {−1, …, 3}, ε in " +
		"{1/2, 1, 4}")
	databases := slices.DeleteFunc(slices.Collect(finite.Tuples([]int{0, 1, 2}, 3)), func(x []int) bool {
		return size(x) > 2
	})
	var losses [][][]interval.Float
	for _, eps := range weights {
		losses = append(losses, lossesOfCounts(t, scaleOf(t, c.noise, eps), 5))
	}
	for parts := range finite.Partitions(3) {
		largest := 0
		finite.Each2(databases, databases, func(y, x []int) {
			if !c.neighbours(x, y) {
				return
			}
			h, g := count(parts, x), count(parts, y)
			t.At("%v, counts %v and %v", parts, h, g)
			c.change(t, h, g)
			largest = max(largest, apart(h, g))
			for z := range finite.Tuples([]int{-1, 0, 1, 2, 3}, len(h)) {
				for i, eps := range weights {
					t.In("noisy counts %v, ε = %s", z, eps)
					l := lossAt(z, h, g, losses[i])
					losesAtMost(t, l, eps, "the loss is at least %.9g", l.Lo)
				}
			}
		})
		c.sensitivity(t, parts, largest)
	}
}

// change refutes that as many cells differ as claimed, each by 1.
func (c histogramClaim) change(t *register.T, h, g []int) {
	differ := 0
	for i := range h {
		differ += min(1, absolute(h[i]-g[i]))
	}
	t.Require(slices.Contains(c.changed, differ) && apart(h, g) == differ, "%d cells differ, claimed %v, each by 1",
		differ, c.changed)
}

// sensitivity refutes that the largest change is the claimed one, and that of both rooms.
func (c histogramClaim) sensitivity(t *register.T, parts finite.Partition, largest int) {
	f := func(x []int) []*big.Rat { return rats(count(parts, x)...) }
	literal, fast := spec.L1Sensitivity(3, 2, f), impl.L1Sensitivity(3, 2, f)
	if claimed := c.most(parts.Count()); largest != claimed || !rat.Equal(literal, rat.One) || !rat.Equal(fast, rat.One) {
		t.Overall()
		t.Refute("%v: the largest change is %d, claimed %d; with one record more it is %s by spec, %s by impl", parts,
			largest, claimed, literal, fast)
	}
}

// lossesOfCounts returns the losses ln(Lap(i|b)/Lap(j|b)) of a noisy count that is i and j from the two counts, both
// below n.
func lossesOfCounts(t *register.T, b *big.Rat, n int) (losses [][]interval.Float) {
	for i := range n {
		var row []interval.Float
		for j := range n {
			row = append(row, lossOf(t, density(t, rat.Int(-i), b), density(t, rat.Int(j), b)))
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
		f := func(x []int) []*big.Rat {
			cells := make([]int, parts.Count())
			cells[parts[x[0]+2*x[1]]] = 1
			return rats(cells...)
		}
		literal := spec.L1Sensitivity(2, 1, f)
		t.Require(literal.Cmp(rat.One) <= 0, "of the databases without a record, with one of the first type, and with one "+
			"of the second: %v; the sensitivity is %s", parts, literal)
	}
}
