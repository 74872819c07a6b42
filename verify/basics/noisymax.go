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
	return register.Checks{
		"AFD-E3.4": register.Checked(register.With(withCount, func(int) *big.Rat { return rat.One }),
			register.NearMiss("for m counts it is (19/20·mε, 0)-DP", register.With(withCount, less)),
			register.Corrected("for m counts it is (mε, 0)-DP", register.With(withCount, rat.Int)),
		),
		"AFD-U2": register.Checked(register.With2(noisyMaxTwins, 1, false),
			register.NearMiss("Lap(1.05/ε)", register.With2(noisyMaxTwins, 1.05, false)),
			register.NearMiss("the last of the largest is returned", register.With2(noisyMaxTwins, 1, true)),
		),
		"AFD-X5": register.Checked(register.With(noiseOfAll, rat.Int), register.NearMiss("19/20·m times the noise", register.With(noiseOfAll, less))),
		"AFD-C3.9": register.Checked(noisyMaxIsDP("1", 0, 1),
			register.AlsoHolds("counts that rise or fall by up to 1: (2ε, 0)-DP", noisyMaxIsDP("2", -1, 0, 1)),
			register.NearMiss("it is (0.99·ε, 0)-DP", noisyMaxIsDP("0.99", 0, 1)),
			register.NearMiss("it is (1.95·ε, 0)-DP for counts that rise or fall by up to 1", noisyMaxIsDP("1.95", -1, 0, 1)),
		),
		"AFD-X9": register.Checked(register.With3(quarter, "2", "1", "1/4"),
			register.NearMiss("Pr[A] = (1.95 + cε)·e^(−cε)/4", register.With3(quarter, "1.95", "1", "1/4")),
			register.NearMiss("(1.05 + cε)·e^(−cε)/4 of it is in the case", register.With3(quarter, "2", "1.05", "1/4")),
			register.NearMiss("the case has the probability 19/80", register.With3(quarter, "2", "1", "19/80")),
		),
	}
}

// noisyMaxScale returns the scale that spec asks for.
func noisyMaxScale(t *register.T, eps *big.Rat) *big.Rat {
	tape := &finite.Tape{Draws: []float64{0}}
	_, err := spec.ReportNoisyMax([]float64{0}, rat.Float64(eps), tape)
	t.Must(err)
	return new(big.Rat).SetFloat64(tape.Scales[0])
}

// noisyMaxLaw returns the law of the index of the largest.
func noisyMaxLaw(t *register.T, counts []*big.Rat, b *big.Rat, width float64) []interval.Interval {
	law, err := impl.NoisyMaxLaw(counts, b, width)
	t.Must(err)
	return law
}

// withCount checks the losses of the index and the noisy count together.
func withCount(t *register.T, claimed func(m int) *big.Rat) {
	t.Domain("ε in {1/2, 1, 4}, 1 to 4 counts of 0 or 1 that rise to 1, noisy counts in {−2, …, 3}")
	for _, eps := range weights {
		b := noisyMaxScale(t, eps)
		ofFirst := func(counts []int, v int) interval.Interval {
			p := impl.LaplaceDensity(rat.Int(v-counts[0]), b)
			for _, c := range counts[1:] {
				p = precise.Mul(p, cellsOf(t, rat.Int(c), b, rat.Int(v))[0])
			}
			return p
		}
		for low := range finite.Lists([]int{0, 1}, 1, 4) {
			high := slices.Repeat([]int{1}, len(low))
			for v := -2; v <= 3; v++ {
				t.At("ε = %s, counts %v and %v, the first with the noisy count %d", eps, low, high, v)
				x, bound := lossOf(t, ofFirst(low, v), ofFirst(high, v)).Abs(), rat.Mul(claimed(len(low)), eps)
				losesAtMost(t, x, bound, "the loss is at least %.9g in size, claimed at most %.9g", x.Lo, bound)
			}
		}
	}
}

// noisyMaxTwins checks both rooms against the procedure, with so many times the noise.
func noisyMaxTwins(t *register.T, factor float64, isLast bool) {
	t.Domain("1000 tapes, up to 5 counts, ε in {1/2, 1, 4}")
	t.Random(11, 1000, func(t *register.T, d register.Dice) {
		eps := []float64{1, 0.5, 4}[d.Roll(3)]
		var counts, draws []float64
		for range 1 + d.Roll(5) {
			counts, draws = append(counts, float64(d.Roll(7)-3)), append(draws, float64(d.Roll(17)-8)/4)
		}
		want := 0
		noisy := func(i int) float64 { return counts[i] + factor/eps*draws[i] }
		for i := range counts {
			if noisy(i) > noisy(want) || isLast && noisy(i) == noisy(want) {
				want = i
			}
		}
		t.At("counts %v, ε = %g, draws %v", counts, eps, draws)
		literal, err0 := spec.ReportNoisyMax(counts, eps, &finite.Tape{Draws: draws})
		fast, err1 := impl.ReportNoisyMax(counts, eps, &finite.Tape{Draws: draws})
		mustBoth(t, err0, err1)
		isIndex(t, literal, fast, want)
	})
}

// isIndex refutes that both rooms give the index that is claimed.
func isIndex(t *register.T, literal, fast, want int) {
	t.Require(literal == want && fast == want, "%d by spec, %d by impl, claimed is %d", literal, fast, want)
}

// noiseOfAll checks how many times the noise of Report Noisy Max the Laplace mechanism needs for all counts.
func noiseOfAll(t *register.T, claimed func(m int) *big.Rat) {
	t.Domain("m in {1, …, 5} counts of all records, ε in {1/2, 1, 4}")
	finite.Each2(oneTo(5), weights, func(m int, eps *big.Rat) {
		t.Case()
		all := spec.L1Sensitivity(1, 2, func(x []int) []*big.Rat { return slices.Repeat(rats(x[0]), m) })
		times := rat.Quo(scaleOf(t, all, eps), noisyMaxScale(t, eps))
		t.Require(rat.Equal(times, claimed(m)), "m = %d, ε = %s: the scale is %s times as large, claimed is %s", m, eps,
			times, claimed(m))
	})
}

// noisyMaxIsDP checks the losses of all indices, for counts that change by the moves.
func noisyMaxIsDP(share string, moves ...int) register.Check {
	return func(t *register.T) {
		t.Domain("ε in {1/2, 4}; 1 to 3 counts of 0 or 1 that change by %v; 17 counts of 0, of which the first, and all "+
			"others, change", moves)
		for _, eps := range rat.List("1/2", "4") {
			b, known, bound := noisyMaxScale(t, eps), map[string][]interval.Interval{}, rat.Mul(rat.Of(share), eps)
			law := func(counts []int) []interval.Interval {
				key := fmt.Sprint(counts)
				if known[key] == nil {
					known[key] = noisyMaxLaw(t, rats(counts...), b, 1e-10)
				}
				return known[key]
			}
			try := func(here, change []int) {
				there := changed(here, change)
				t.At("ε = %s, counts %v and %v", eps, here, there)
				for i, p := range law(here) {
					t.In("count %d", i+1)
					x := lossOf(t, p, law(there)[i]).Abs()
					losesAtMost(t, x, bound, "the loss is at least %.9g in size, claimed at most %.9g", x.Lo, bound)
				}
			}
			for here := range finite.Lists([]int{0, 1}, 1, 3) {
				for change := range finite.Tuples(moves, len(here)) {
					try(here, change)
				}
			}
			for ends := range finite.Tuples(moves, 2) {
				try(make([]int, 17), append(ends[:1:1], slices.Repeat(ends[1:], 16)...))
			}
		}
	}
}

// quarter checks AFD-X9: Pr[A] is (all + cε)·e^(−cε)/4, of which (share + cε)·e^(−cε)/4, more than half, is in the
// case, and the case has the probability pr.
func quarter(t *register.T, all, share, pr string) {
	t.Domain("ε in {1/2, 1, 4}, c in {1, 3, 10}")
	finite.Each2(weights, rat.List("1", "3", "10"), func(eps, c *big.Rat) {
		t.At("ε = %s, c = %s", eps, c)
		b, far := noisyMaxScale(t, eps), rat.Mul(c, eps)
		law := noisyMaxLaw(t, []*big.Rat{new(big.Rat), c}, b, 1e-12)
		claimed := func(a string) interval.Interval {
			return times(precise.ExpRat(minus(far)), rat.Mul(rat.Add(rat.Of(a), far), rat.Of("1/4")))
		}
		inCase, within := inQuarter(t, b, c)
		all := claimed(all)
		t.Require(meet(all, law[0]) && inCase.Contains(rat.Of(pr)),
			"Pr[A] is %.9g, claimed %.9g; the case has %.9g, claimed %s", law[0].Upper, all.Upper, inCase.Upper, pr)
		share := claimed(share)
		t.Require(meet(share, within) && precise.Add(within, within).Lower.Cmp(law[0].Upper) > 0, "of Pr[A] = %.9g, from "+
			"%.9g to %.9g is in the case, claimed %.9g, and more than half", law[0].Upper, within.Lower, within.Upper,
			share.Upper)
	})
}

// inQuarter returns the probability that the noise of A is positive and that of B negative, and that A is named then:
// with cells of b/20 for the noise of A up to c, in which that of B has to be below the upper end less c, or the lower;
// beyond c any will do.
func inQuarter(t *register.T, b, c *big.Rat) (pr, named interval.Interval) {
	const steps = 20
	// a whole number
	cuts := grid(rat.Quo(b, rat.Int(steps)), 0, int(rat.Quo(rat.Mul(rat.Int(steps), c), b).Num().Int64()))
	cells := cellsOf(t, new(big.Rat), b, cuts...)
	below := func(i int) interval.Interval { return cellsOf(t, c, b, cuts[i])[0] } // Pr[r_B ≤ cut − c]
	last := len(cuts) - 1
	least := precise.Mul(cells[last+1], below(last))
	most := least
	for i := range last {
		least = precise.Add(least, precise.Mul(cells[i+1], below(i)))
		most = precise.Add(most, precise.Mul(cells[i+1], below(i+1)))
	}
	return precise.Mul(cells[0], precise.Sub(precise.Int(1), cells[0])), interval.New(least.Lower, most.Upper)
}
