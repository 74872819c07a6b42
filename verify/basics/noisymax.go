package basics

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// noisyMax are the statements of Section 3.3 on noisy maxima, and the one of Section 3.4.
func noisyMax() register.Checks {
	m := func(m int) *big.Rat { return rat.Int(m) }
	return register.Checks{
		"AFD-E3.4": register.Checked(withCount(func(int) *big.Rat { return rat.One }),
			register.NearMiss("for m counts it is (19/20·mε, 0)-DP",
				withCount(func(m int) *big.Rat { return rat.Mul(nearly, rat.Int(m)) })),
			register.Corrected("for m counts it is (mε, 0)-DP", withCount(m)),
		),
		"AFD-U2": register.Checked(noisyMaxTwins(1, false),
			register.NearMiss("Lap(1.05/ε)", noisyMaxTwins(1.05, false)),
			register.NearMiss("the last of the largest is returned", noisyMaxTwins(1, true)),
		),
		"AFD-X5": register.Checked(noiseOfAll(m),
			register.Control("as much noise", noiseOfAll(func(int) *big.Rat { return rat.One })),
			register.NearMiss("19/20·m times the noise",
				noiseOfAll(func(m int) *big.Rat { return rat.Mul(nearly, rat.Int(m)) })),
		),
		"AFD-C3.9": register.Checked(noisyMaxIsDP(rat.One, 0, 1),
			register.AlsoHolds("counts that rise or fall by up to 1: (2ε, 0)-DP", noisyMaxIsDP(rat.Of("2"), -1, 0, 1)),
			register.Control("it is (ε, 0)-DP for counts that rise or fall by up to 1", noisyMaxIsDP(rat.One, -1, 0, 1)),
			register.NearMiss("it is (0.99·ε, 0)-DP", noisyMaxIsDP(rat.Of("0.99"), 0, 1)),
			register.NearMiss("it is (1.95·ε, 0)-DP for counts that rise or fall by up to 1",
				noisyMaxIsDP(rat.Of("1.95"), -1, 0, 1)),
		),
		"AFD-X9": register.Checked(quarter(quarterClaim{"2", "1", "1/4"}),
			register.Control("Pr[A] = (1 + cε)·e^(−cε)/4", quarter(quarterClaim{"1", "1", "1/4"})),
			register.NearMiss("Pr[A] = (1.95 + cε)·e^(−cε)/4", quarter(quarterClaim{"1.95", "1", "1/4"})),
			register.NearMiss("(1.05 + cε)·e^(−cε)/4 of it is in the case", quarter(quarterClaim{"2", "1.05", "1/4"})),
			register.NearMiss("the case has the probability 19/80", quarter(quarterClaim{"2", "1", "19/80"})),
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

// withCount checks the losses of the index and the noisy count together.
func withCount(claimed func(m int) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("ε in {1/2, 1, 4}, 1 to 4 counts of 0 or 1 that rise to 1, noisy counts in {−2, …, 3}")
		for _, eps := range rat.List("1/2", "1", "4") {
			b := noisyMaxScale(t, eps)
			density := func(counts []int, i, v int) interval.Interval {
				p := impl.LaplaceDensity(rat.Int(v-counts[i]), b)
				for j, c := range counts {
					if j != i {
						cells, err := impl.LaplaceCells(rat.Int(c), b, []*big.Rat{rat.Int(v)})
						t.Must(err)
						p = precise.Mul(p, cells[0])
					}
				}
				return p
			}
			for m := 1; m <= 4; m++ {
				high := make([]int, m)
				for i := range high {
					high[i] = 1
				}
				for low := range finite.Tuples([]int{0, 1}, m) {
					for v := -2; v <= 3; v++ {
						t.Case()
						l, err := impl.LogRatio(density(low, 0, v), density(high, 0, v))
						t.Must(err)
						x, bound := l.Float().Abs(), rat.Float64(rat.Mul(claimed(m), eps))
						if x.Lo > bound+1e-12 {
							t.Refute("ε = %s, counts %v and %v, the first with the noisy count %d: the loss is at least %.9g in size, "+
								"claimed at most %.9g", rat.Show(eps), low, high, v, x.Lo, bound)
						}
						t.Close(math.Round(x.Lo/bound*1e9)/1e9, "ε = %s, counts %v and %v, the first with the noisy count %d",
							rat.Show(eps), low, high, v)
					}
				}
			}
		}
	}
}

// noisyMaxTwins checks both rooms against the procedure, with so many times the noise.
func noisyMaxTwins(factor float64, isLast bool) register.Check {
	return func(t *register.T) {
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
			literal, err0 := spec.ReportNoisyMax(counts, eps, &finite.Tape{Draws: draws})
			fast, err1 := impl.ReportNoisyMax(counts, eps, &finite.Tape{Draws: draws})
			t.Must(firstError(err0, err1))
			if literal != want || fast != want {
				t.Refute("counts %v, ε = %g, draws %v: %d by spec, %d by impl, claimed is %d", counts, eps, draws, literal, fast,
					want)
			}
		})
	}
}

// noiseOfAll checks how many times the noise of Report Noisy Max the Laplace mechanism needs for all counts.
func noiseOfAll(claimed func(m int) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("m in {1, …, 5} counts of all records, ε in {1/2, 1, 4}")
		for m := 1; m <= 5; m++ {
			for _, eps := range rat.List("1/2", "1", "4") {
				t.Case()
				all := spec.L1Sensitivity(1, 2, func(x []int) (counts []*big.Rat) {
					for range m {
						counts = append(counts, rat.Int(x[0]))
					}
					return counts
				})
				if times := rat.Quo(scaleOf(t, all, eps), noisyMaxScale(t, eps)); !rat.Equal(times, claimed(m)) {
					t.Refute("m = %d, ε = %s: the scale is %s times as large, claimed is %s", m, rat.Show(eps), rat.Show(times),
						rat.Show(claimed(m)))
				}
			}
		}
	}
}

// noisyMaxIsDP checks the losses of all indices, for counts that change by the moves.
func noisyMaxIsDP(share *big.Rat, moves ...int) register.Check {
	return func(t *register.T) {
		t.Domain("ε in {1/2, 4}; 1 to 3 counts of 0 or 1 that change by %v; 17 counts of 0, of which the first, and all "+
			"others, change", moves)
		for _, eps := range rat.List("1/2", "4") {
			b, known := noisyMaxScale(t, eps), map[string][]interval.Interval{}
			law := func(counts []int) []interval.Interval {
				key := fmt.Sprint(counts)
				if known[key] == nil {
					var exact []*big.Rat
					for _, c := range counts {
						exact = append(exact, rat.Int(c))
					}
					var err error
					known[key], err = impl.NoisyMaxLaw(exact, b, 1e-10)
					t.Must(err)
				}
				return known[key]
			}
			try := func(here, change []int) {
				t.Case()
				there := make([]int, len(here))
				for i := range here {
					there[i] = here[i] + change[i]
				}
				first, second, bound := law(here), law(there), rat.Float64(rat.Mul(share, eps))
				for i := range first {
					l, err := impl.LogRatio(first[i], second[i])
					t.Must(err)
					x := l.Float().Abs()
					if x.Lo > bound {
						t.Refute("ε = %s, counts %v and %v, count %d: the loss is at least %.9g in size, claimed at most %.9g",
							rat.Show(eps), here, there, i+1, x.Lo, bound)
					}
					t.Close(math.Round(x.Lo/bound*1e9)/1e9, "ε = %s, counts %v and %v, count %d", rat.Show(eps), here, there, i+1)
				}
			}
			for m := 1; m <= 3; m++ {
				for here := range finite.Tuples([]int{0, 1}, m) {
					for change := range finite.Tuples(moves, m) {
						try(here, change)
					}
				}
			}
			for ends := range finite.Tuples(moves, 2) {
				change := make([]int, 17)
				for i := range change {
					change[i] = ends[min(i, 1)]
				}
				try(make([]int, 17), change)
			}
		}
	}
}

// quarterClaim is a variant of AFD-X9: Pr[A] is (all + cε)·e^(−cε)/4, of which (share + cε)·e^(−cε)/4 is in the case,
// and the case has the probability pr.
type quarterClaim struct{ all, share, pr string }

// quarter checks it, and that the share is more than half.
func quarter(q quarterClaim) register.Check {
	return func(t *register.T) {
		t.Domain("ε in {1/2, 1, 4}, c in {1, 3, 10}")
		for _, eps := range rat.List("1/2", "1", "4") {
			for _, c := range rat.List("1", "3", "10") {
				t.Case()
				b := noisyMaxScale(t, eps)
				law, err := impl.NoisyMaxLaw([]*big.Rat{new(big.Rat), c}, b, 1e-12)
				t.Must(err)
				far := rat.Mul(c, eps)
				claimed := func(a string) interval.Interval {
					return precise.Mul(precise.ExpRat(rat.Sub(new(big.Rat), far)),
						precise.Rat(rat.Mul(rat.Add(rat.Of(a), far), rat.Of("1/4"))))
				}
				pr, within := inQuarter(t, b, c)
				if all := claimed(q.all); !meet(all, law[0]) || !pr.Contains(rat.Of(q.pr)) {
					t.Refute("ε = %s, c = %s: Pr[A] is %.9g, claimed %.9g; the case has %.9g, claimed %s", rat.Show(eps), rat.Show(c),
						law[0].Upper, all.Upper, pr.Upper, q.pr)
				}
				if share := claimed(q.share); !meet(share, within) || precise.Add(within, within).Lower.Cmp(law[0].Upper) <= 0 {
					t.Refute("ε = %s, c = %s: of Pr[A] = %.9g, from %.9g to %.9g is in the case, claimed %.9g, and more than half",
						rat.Show(eps), rat.Show(c), law[0].Upper, within.Lower, within.Upper, share.Upper)
				}
			}
		}
	}
}

// meet reports whether two intervals have a number in common.
func meet(x, y interval.Interval) bool {
	return x.Lower.Cmp(y.Upper) <= 0 && x.Upper.Cmp(y.Lower) >= 0
}

// inQuarter returns the probability that the noise of A is positive and that of B negative, and that A is named then:
// with cells of b/20 for the noise of A up to c, in which that of B has to be below the upper end less c, or the lower;
// beyond c any will do.
func inQuarter(t *register.T, b, c *big.Rat) (pr, named interval.Interval) {
	const steps = 20
	// a whole number
	cuts := grid(rat.Quo(b, rat.Int(steps)), 0, int(rat.Quo(rat.Mul(rat.Int(steps), c), b).Num().Int64()))
	cells, err := impl.LaplaceCells(new(big.Rat), b, cuts)
	t.Must(err)
	var below []interval.Interval // Pr[r_B ≤ cut − c]
	for _, cut := range cuts {
		p, err := impl.LaplaceCells(c, b, []*big.Rat{cut})
		t.Must(err)
		below = append(below, p[0])
	}
	last := len(cuts) - 1
	least := precise.Mul(cells[last+1], below[last])
	most := least
	for i := range last {
		least = precise.Add(least, precise.Mul(cells[i+1], below[i]))
		most = precise.Add(most, precise.Mul(cells[i+1], below[i+1]))
	}
	return precise.Mul(cells[0], precise.Sub(precise.Int(1), cells[0])), interval.New(least.Lower, most.Upper)
}

// noisyMaxErrors checks that the error of Report Noisy Max is at most twice that of m numbers, and what it is exactly,
// by the law of the worst counts.
func noisyMaxErrors(t *register.T) {
	t.AlsoDomain("Report Noisy Max: m in {2, 10}, δ in {1e-6, 1/20, 1/2}, ε = 4")
	for _, m := range []int{2, 10} {
		for _, beta := range rat.List("1e-6", "1/20", "1/2") {
			for _, eps := range rat.List("4") {
				t.Case()
				allowed, err := impl.NoisyMaxShortfall(m, beta, loss.Nats(eps))
				t.Must(err)
				exact, err := impl.ExactNoisyMaxShortfall(m, beta, loss.Nats(eps))
				t.Must(err)
				fails := func(far *big.Rat) interval.Interval {
					counts := []*big.Rat{far}
					for range m - 1 {
						counts = append(counts, new(big.Rat))
					}
					law, err := impl.NoisyMaxLaw(counts, noisyMaxScale(t, eps), 1e-12)
					t.Must(err)
					return precise.Sub(precise.Int(1), law[0])
				}
				low, high := fails(rat.Exact(exact.Lower)), fails(rat.Exact(exact.Upper))
				single := rat.Float64(eps) * allowed.Float().Hi / 2
				isAbout(t, "half of the error", precise.Rat(new(big.Rat).SetFloat64(single)),
					spec.LaplaceError(m, rat.Float64(beta), 1, 1))
				if exact.Lower.Cmp(allowed.Upper) > 0 || exact.Lower.Sign() > 0 && rat.Exact(low.Upper).Cmp(beta) < 0 ||
					rat.IsAbove(high, beta) {
					t.Refute("m = %d, δ = %s, ε = %s: the exact error is in [%.9g, %.9g], with probabilities %.9g and %.9g, "+
						"allowed is %.9g", m, rat.Show(beta), rat.Show(eps), exact.Lower, exact.Upper, low.Upper, high.Lower,
						allowed.Upper)
				}
			}
		}
	}
}
