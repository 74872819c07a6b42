package basics

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// noisyMax are the statements of Section 3.3 on noisy maxima, and the one of Section 3.4.
func noisyMax() register.Checks {
	less := func(m int) *big.Rat { return rat.Mul(nearly, rat.Int(m)) }
	up, both := []int{0, 1}, []int{-1, 0, 1}
	return register.Checks{
		"AFD-E3.4": checked(with(withCount, func(int) *big.Rat { return rat.One }),
			near("for m counts it is (19/20·mε, 0)-DP", with(withCount, less)),
			corrected("for m counts it is (mε, 0)-DP", with(withCount, rat.Int))),
		"AFD-U2": checked(with(noisyMaxTwins, 1, false),
			near("Lap(1.05/ε)", with(noisyMaxTwins, 1.05, false)),
			near("the last of the largest is returned", with(noisyMaxTwins, 1, true))),
		"AFD-X5": checked(with(noiseOfAll, rat.Int), near("19/20·m times the noise", with(noiseOfAll, less))),
		"AFD-C3.9": checked(with(noisyMaxIsDP, "1", up),
			alsoHolds("counts that rise or fall by up to 1: (2ε, 0)-DP", with(noisyMaxIsDP, "2", both)),
			near("it is (0.99·ε, 0)-DP", with(noisyMaxIsDP, "0.99", up)),
			near("it is (1.95·ε, 0)-DP for counts that rise or fall by up to 1", with(noisyMaxIsDP, "1.95", both))),
		"AFD-X9": checked(quarter("2", "1", "1/4"),
			near("Pr[A] = (1.95 + cε)·e^(−cε)/4", quarter("1.95", "1", "1/4")),
			near("(1.05 + cε)·e^(−cε)/4 of it is in the case", quarter("2", "1.05", "1/4")),
			near("the case has the probability 19/80", quarter("2", "1", "19/80"))),
	}
}

// noisyMaxScale returns the scale that spec asks for.
func noisyMaxScale(eps *big.Rat) *big.Rat {
	return scaleOf(func(tape *finite.Tape) { register.Must(spec.ReportNoisyMax([]float64{0}, rat.Float64(eps), tape)) })
}

// noisyMaxLaw returns the law of the index of the largest.
func noisyMaxLaw(counts []*big.Rat, b *big.Rat, width float64) []interval.Interval {
	return register.Must(impl.NoisyMaxLaw(counts, b, width))
}

// withCount checks the losses of the index and the noisy count together.
func withCount(t *register.T, claimed func(m int) *big.Rat) {
	finite.Each(t, "ε in {1/2, 1, 4}, v in {−2, −1, 0, 1, 2, 3}: "+
		"the noisy count of the first of 1 to 4 counts of 0 or 1 that rise to 1", func(at string, eps *big.Rat, v int) {
		b := noisyMaxScale(eps)
		ofFirst := func(counts []int) interval.Interval {
			p := impl.LaplaceDensity(rat.Int(v-counts[0]), b)
			for _, c := range counts[1:] {
				p = precise.Mul(p, cellsOf(rat.Int(c), b, rat.Int(v))[0])
			}
			return p
		}
		for low := range finite.Lists([]int{0, 1}, 1, 4) {
			high := slices.Repeat([]int{1}, len(low))
			t.At("%s, counts %v and %v", at, low, high)
			losesAtMost(t, lossOf(ofFirst(low), ofFirst(high)).Abs(), rat.Mul(claimed(len(low)), eps))
		}
	})
}

// noisyMaxTwins checks both rooms against the procedure, with so many times the noise.
func noisyMaxTwins(t *register.T, factor float64, isLast bool) {
	t.Domain("1000 tapes, up to 5 counts, ε in {1/2, 1, 4}")
	t.Random(11, 1000, func(t *register.T, d register.Dice) {
		eps, n := oneOf(d, 1, 0.5, 4), 1+d.Roll(5)
		counts, draws, want := drawn(d, n, 3, 1), drawn(d, n, 8, 0.25), 0
		noisy := func(i int) float64 { return counts[i] + factor/eps*draws[i] }
		for i := range counts {
			if noisy(i) > noisy(want) || isLast && noisy(i) == noisy(want) {
				want = i
			}
		}
		t.At("counts %v, ε = %g, draws %v", counts, eps, draws)
		noise := tapes(draws)
		literal := register.Must(spec.ReportNoisyMax(counts, eps, noise[0]))
		areSame(t, literal, register.Must(impl.ReportNoisyMax(counts, eps, noise[1])), want, isSame)
	})
}

// noiseOfAll checks how many times the noise of Report Noisy Max the Laplace mechanism needs for all counts.
func noiseOfAll(t *register.T, claimed func(m int) *big.Rat) {
	finite.Each(t, "m in {1, 2, 3, 4, 5} counts of all records, ε in {1/2, 1, 4}", func(m int, eps *big.Rat) {
		all := spec.L1Sensitivity(1, 2, func(x []int) []*big.Rat { return slices.Repeat(rats(x[0]), m) })
		times := rat.Quo(laplaceScale(all, eps), noisyMaxScale(eps))
		t.Require(rat.Equal(times, claimed(m)), "the scale is %s times as large, claimed is %s", times, claimed(m))
	})
}

// noisyMaxIsDP checks the losses of all indices, for counts that change by the moves.
func noisyMaxIsDP(t *register.T, share string, moves []int) {
	text := fmt.Sprintf("ε in {1/2, 4}; 1 to 3 counts of 0 or 1 that change by %v; "+
		"17 counts of 0, of which the first, and all others, change", moves)
	finite.Each(t, text, func(at string, eps *big.Rat) {
		b, bound := noisyMaxScale(eps), rat.Mul(rat.Of(share), eps)
		law := known(func(counts []int) []interval.Interval { return noisyMaxLaw(rats(counts...), b, 1e-10) })
		try := func(here, there []int) {
			t.At("%s, counts %v and %v", at, here, there)
			for i, p := range law(here) {
				t.In("count %d", i+1)
				losesAtMost(t, lossOf(p, law(there)[i]).Abs(), bound)
			}
		}
		eachChange(finite.Lists([]int{0, 1}, 1, 3), moves, try)
		for ends := range finite.Tuples(moves, 2) {
			try(make([]int, 17), append(ends[:1:1], slices.Repeat(ends[1:], 16)...))
		}
	})
}

// quarter checks AFD-X9: Pr[A] is (a + cε)·e^(−cε)/4, of which (b + cε)·e^(−cε)/4, more than half, is in the
// case, and the case has the probability pr.
var quarter = on("ε in {1/2, 1, 4}, c in {1, 3, 10}", func(t *register.T, a, b, pr string, eps, c *big.Rat) {
	scale, far := noisyMaxScale(eps), rat.Mul(c, eps)
	law := noisyMaxLaw([]*big.Rat{new(big.Rat), c}, scale, 1e-12)
	claimed := func(a string) interval.Interval {
		return times(precise.ExpRat(minus(far)), rat.Mul(rat.Add(rat.Of(a), far), rat.Of("1/4")))
	}
	inCase, within := inQuarter(scale, c)
	all, share := claimed(a), claimed(b)
	t.Require(rat.Meet(all, law[0]) && inCase.Contains(rat.Of(pr)),
		"Pr[A] is %.9g, claimed %.9g; the case has %.9g, claimed %s", law[0].Upper, all.Upper, inCase.Upper, pr)
	t.Require(rat.Meet(share, within) && precise.Add(within, within).Lower.Cmp(law[0].Upper) > 0,
		"of Pr[A] = %.9g, from %.9g to %.9g is in the case, claimed %.9g, and more than half",
		law[0].Upper, within.Lower, within.Upper, share.Upper)
})

// inQuarter returns the probability that the noise of A is positive and that of B negative, and that A is named then:
// with cells of b/20 for the noise of A up to c, in which that of B has to be below the upper end less c, or the lower;
// beyond c any will do.
func inQuarter(b, c *big.Rat) (pr, named interval.Interval) {
	const steps = 20
	cuts := multiples(rat.Quo(b, rat.Int(steps)), 0, int(rat.Quo(rat.Mul(rat.Int(steps), c), b).Num().Int64()))
	cells := cellsOf(new(big.Rat), b, cuts...)
	below := func(i int) interval.Interval { return cellsOf(c, b, cuts[i])[0] } // Pr[r_B ≤ cut − c]
	last := len(cuts) - 1
	least := precise.Mul(cells[last+1], below(last))
	most := least
	for i := range last {
		least = precise.Add(least, precise.Mul(cells[i+1], below(i)))
		most = precise.Add(most, precise.Mul(cells[i+1], below(i+1)))
	}
	return precise.Mul(cells[0], complement(cells[0])), interval.New(least.Lower, most.Upper)
}

// histograms is the statement of Section 3.3 on histograms.
func histograms() register.Checks {
	perCell := added("1")
	perCell.most = func(cells int) int { return cells }
	return register.Checks{
		"AFD-E3.2": checked(with(histogram, added("1")),
			alsoFails(register.Slip, "ℕ^|X| is partitioned, as printed: the cell is that of the database",
				cellOfDatabase),
			alsoFails("", "neighbours are databases of which one record is replaced",
				with(histogram, replaced(1, "1"))),
			alsoHolds("for these the sensitivity is 2, and Lap(2/ε) is enough", with(histogram, replaced(2, "2"))),
			control("the sensitivity is the number of cells", with(histogram, perCell)),
			near("Lap(0.999/ε) is enough", with(histogram, added("0.999"))),
			near("Lap(1.999/ε) is enough where one record is replaced", with(histogram, replaced(2, "1.999")))),
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
	t.Domain("all partitions of 3 types into cells, all neighbours of up to 2 records; " +
		"noisy counts in {−1, …, 3}, ε in {1/2, 1, 4}")
	databases := slices.DeleteFunc(slices.Collect(finite.Tuples([]int{0, 1, 2}, 3)), func(x []int) bool {
		return size(x) > 2
	})
	epsilons, losses := rat.List("1/2", "1", "4"), [][][]interval.Float{}
	for _, eps := range epsilons {
		losses = append(losses, lossesOfCounts(t, laplaceScale(c.noise, eps), 5))
	}
	for parts := range finite.Partitions(3) {
		largest := 0
		finite.Each2(databases, databases, func(y, x []int) {
			if !c.neighbours(x, y) {
				return
			}
			h, g := count(parts, x), count(parts, y)
			t.At("%v, counts %v and %v", parts, h, g)
			differ := 0
			for i := range h {
				differ += min(1, absolute(h[i]-g[i]))
			}
			t.Require(slices.Contains(c.changed, differ) && apart(h, g) == differ,
				"%d cells differ, claimed %v, each by 1", differ, c.changed)
			largest = max(largest, differ)
			for z := range finite.Tuples([]int{-1, 0, 1, 2, 3}, len(h)) {
				for i, eps := range epsilons {
					t.In("noisy counts %v, ε = %s", z, eps)
					losesAtMost(t, lossAt(z, h, g, losses[i]), eps)
				}
			}
		})
		t.Overall()
		c.sensitivity(t, parts, largest)
	}
}

// sensitivity refutes that the largest change is the claimed one, and that of both rooms.
func (c histogramClaim) sensitivity(t *register.T, parts finite.Partition, largest int) {
	f := func(x []int) []*big.Rat { return rats(count(parts, x)...) }
	claimed := c.most(parts.Count())
	t.Require(largest == claimed, "%v: the largest change is %d, claimed %d", parts, largest, claimed)
	areEqual(t, "the largest change with one record more", spec.L1Sensitivity(3, 2, f),
		impl.L1Sensitivity(3, 2, f), rat.One)
}

// lossesOfCounts returns the losses ln(Lap(i|b)/Lap(j|b)) of a noisy count that is i and j from the two counts, both
// below n.
func lossesOfCounts(t *register.T, b *big.Rat, n int) (losses [][]interval.Float) {
	for i := range n {
		var row []interval.Float
		for j := range n {
			row = append(row, lossOf(density(t, rat.Int(-i), b), density(t, rat.Int(j), b)))
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
		t.At("of the databases without a record, with one of the first type, and with one of the second: %v", parts)
		literal := spec.L1Sensitivity(2, 1, func(x []int) []*big.Rat {
			cells := make([]int, parts.Count())
			cells[parts[x[0]+2*x[1]]] = 1
			return rats(cells...)
		})
		t.Require(literal.Cmp(rat.One) <= 0, "the sensitivity is %s", literal)
	}
}
