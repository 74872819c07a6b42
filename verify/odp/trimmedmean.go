package odp

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// trimmedSamples are databases of n records with the values 0, …, most, in order, of which the α-trimmed mean is taken.
type trimmedSamples struct {
	n, most int
	alpha   *big.Rat
}

// left returns how many records are left of the n.
func (s trimmedSamples) left() int {
	share := rat.Mul(s.alpha, big.NewRat(int64(s.n), 2))
	return s.n - 2*int(new(big.Int).Quo(share.Num(), share.Denom()).Int64())
}

// recordsOf returns n records with these values, each as often as a law of the numbers of the values says.
func recordsOf(counts finite.Law, n int, values []int) (x []*big.Rat) {
	for i, v := range values {
		times := rat.Mul(counts[finite.Name(i)], rat.Int(n)).Num().Int64()
		x = append(x, slices.Repeat([]*big.Rat{rat.Int(v)}, int(times))...)
	}
	return x
}

// anyReal returns values that stand for all real numbers, where records are these: they, and two that are far away.
func anyReal(records []*big.Rat) []*big.Rat {
	return append(slices.Clone(records), rat.Int(-1000), rat.Int(1000))
}

// medianTrim returns the α of the median of n records, which both rooms have alike.
func medianTrim(t *register.T, n int) *big.Rat {
	bySpec, byImpl := register.Must(spec.MedianTrim(n)), register.Must(impl.MedianTrim(n))
	t.Require(rat.Equal(bySpec, byImpl), "the median of %d records is the %s-trimmed mean by spec, "+
		"the %s-trimmed mean by impl", n, bySpec, byImpl)
	return bySpec
}

// trimmedIsPTR checks that the trimmed means and medians with the bound s are (ε, share·δ)-PTR functions, in a table of
// probabilities of ⊥ and of all intervals between the values that the mean can have. With m records left, s = q/m and
// e^ε = r^q, the noise Lap(s/ε) is at most k/m with probability 1 − r^(−k)/2 for integers k ≥ 0: all are rational.
func trimmedIsPTR(t *register.T, share *big.Rat) {
	t.AlsoDomain("trimmed means and medians of all databases of 2 to 5 records with values 0 to 1, " +
		"to 2 or to 3, s = q/m of m records left, q = 1 or 2, e^ε = r^q, r in {3/2, 3}, δ in {1, 1/4, 1/100}")
	for _, samples := range []trimmedSamples{{3, 3, medianTrim(t, 3)}, {4, 2, medianTrim(t, 4)},
		{5, 1, medianTrim(t, 5)}, {2, 2, rat.Of("9/10")}} {
		g := newGraph(samples.n, []int{0, 1, 2, 3}[:samples.most+1])
		for q := 1; q <= 2; q++ {
			s := big.NewRat(int64(q), int64(samples.left()))
			var distances []int
			for _, x := range g.records {
				bySpec := register.Must(spec.TrimmedMeanDistance(x, anyReal(x), samples.alpha, s))
				distances = append(distances, register.Must(impl.TrimmedMeanDistance(x, samples.alpha, s)))
				t.Require(bySpec == distances[len(distances)-1], "%s-trimmed mean, records %s, s = %s: "+
					"distance %d by spec, by impl another", samples.alpha, x, s, bySpec)
			}
			finite.Each2(rat.List("3/2", "3"), rat.List("1", "1/4", "1/100"), func(r, delta *big.Rat) {
				e := rat.Power(r, q)
				t.At("the %s-trimmed mean, s = %s, e^ε = %s, δ = %s", samples.alpha, s, e, delta)
				table := spec.PTR{Neighbours: g.neighbours()}
				for i, x := range g.records { // Pr(⊥) is that of M^D_j with a distance larger by 1
					law := samples.law(t, x, r, bottomOf(t, distances[i]+1, [2]*big.Rat{e, delta}))
					table.Law = append(table.Law, map[string]map[string]*big.Rat{"s": law, "⊥": {"⊥": rat.One}})
				}
				samples.isPTR(t, table, g.records, e, rat.Mul(share, delta))
			})
		}
	}
}

// isPTR refutes that the table is that of an (ε, δ)-PTR function, by spec if there are few sets of outputs.
func (s trimmedSamples) isPTR(t *register.T, table spec.PTR, databases [][]*big.Rat, expEps, delta *big.Rat) {
	if v := breaks(table, expEps, delta); v != nil {
		t.Refute("records %s against %s: condition %d fails for output %s (a: less than 0, b: less than 1/%d, …)",
			databases[v.X], databases[v.Neighbour], v.Condition, cmp.Or(v.Output, "≠ ⊥"), s.left())
	}
	few := s.most*s.left() < 4
	t.Require(!few || register.Must(spec.IsPTR(table, expEps, delta)), "PTR by impl, and not by spec")
}

// law returns the law of T(x, s), if ⊥ has a probability: that of ⊥, and of the intervals that end before the k/m, in
// order.
func (s trimmedSamples) law(t *register.T, x []*big.Rat, r, bottom *big.Rat) finite.Law {
	bySpec, byImpl := register.Must(spec.TrimmedMean(x, s.alpha)), register.Must(impl.TrimmedMean(x, s.alpha))
	t.Require(rat.Equal(bySpec, byImpl), "mean of %s: %s by spec, %s by impl", x, bySpec, byImpl)
	law, answers, before := finite.Law{"⊥": bottom}, rat.Complement(bottom), new(big.Rat)
	sum := int(rat.Mul(bySpec, rat.Int(s.left())).Num().Int64())
	for k := range s.most*s.left() + 1 {
		below := rat.Mul(rat.Half, rat.Power(r, min(k-sum, sum-k)))
		if k > sum {
			below = rat.Complement(below)
		}
		law[finite.Name(k)] = rat.Mul(answers, rat.Sub(below, before))
		before = below
	}
	law[finite.Name(s.most*s.left()+1)] = rat.Mul(answers, rat.Complement(before))
	return law
}

// trimmedWords is the PTR function of a trimmed mean once more: from the words, in float64, for few records that are
// small integers. It says what is different in it: nothing, if it is zero.
type trimmedWords struct {
	limit float64 // the limit of the test is larger by this
	noise float64 // the noise is larger by this times it
	more  float64 // as many more records are discarded at each end, if some are left
}

// run returns the output for the proposed bound s, where so many records have to be replaced.
func (w trimmedWords) run(x []float64, distance int, alpha, s, eps, delta float64,
	random noise.Source) (value float64, ok bool, err error) {
	noisy := float64(distance) + random.Laplace(1/eps)
	if noisy > math.Log(1/delta)/eps+w.limit {
		return w.mean(x, alpha) + random.Laplace((1+w.noise)*s/eps), true, nil
	}
	return 0, false, nil
}

// mean returns the mean of the records that are neither among the α/2 smallest nor among the α/2 largest.
func (w trimmedWords) mean(x []float64, alpha float64) float64 {
	n := float64(len(x))
	discarded := int(min(math.Floor(alpha/2*n+1e-9)+w.more, math.Ceil(n/2)-1))
	sum, left := 0.0, 0.0
	for i, r := range x {
		smaller, larger := 0, 0
		for j, v := range x {
			if v < r || v == r && j < i {
				smaller++
			} else if j != i {
				larger++
			}
		}
		if min(smaller, larger) >= discarded {
			sum, left = sum+r, left+1
		}
	}
	return sum / left
}

// trimmedRuns checks that the PTR functions of both rooms do on tapes what the words say: as many draws, of the same
// scales, and the same output. The distance is that of impl, which [trimmedDistancesOnGraph] checks.
func trimmedRuns(t *register.T, words trimmedWords) {
	n, most := t.Size(60, 600), t.Size(4, 5)
	t.AlsoDomain("%d tapes for runs of trimmed means and medians of 1 to %d random records", n, most)
	t.Random(17, n, func(t *register.T, d register.Dice) {
		var x []*big.Rat
		for range most - d.Roll(most) {
			x = append(x, rat.Int(d.Roll(8)*(1+3*d.Roll(2))))
		}
		alpha := []*big.Rat{medianTrim(t, len(x)), rat.Half, rat.Of("4/5"), rat.Of("39/80")}[d.Roll(4)]
		s, eps, delta := rat.List("2", "1/2", "9")[d.Roll(3)], rat.List("1", "1/2", "4", "3")[d.Roll(4)],
			rat.List("1", "1/2", "1/5")[d.Roll(3)]
		draws := []float64{float64(d.Roll(17)-8) / 4, float64(d.Roll(17)-8) / 4}
		a, e := register.Must(impl.TrimmedMeanDistance(x, alpha, s)), rat.Float64(eps)
		if d.Roll(3) == 1 { // hardly above the limit of the test, or hardly below it
			draws[0] = -math.Log(rat.Float64(delta)) - e*float64(a) + []float64{1e-8, -1e-8}[d.Roll(2)]
		}
		t.In("%s-trimmed mean, records %s, s = %s, ε = %s, δ = %s", alpha, x, s, eps, delta)
		alike(t, draws, func(random noise.Source) ([]float64, error) {
			return answer(words.run(rat.Floats(x), a, rat.Float64(alpha), rat.Float64(s),
				e, rat.Float64(delta), random))
		}, func(random noise.Source) ([]float64, error) {
			return answer(spec.PrivateTrimmedMean(x, anyReal(x), alpha, s, e, rat.Float64(delta), random))
		}, func(random noise.Source) ([]float64, error) {
			return answer(impl.PrivateTrimmedMean(x, alpha, s, loss.Nats(eps), delta, random))
		}, rat.Quo(rat.One, eps), rat.Quo(s, eps))
	})
	neverWithoutBound(t)
}

// neverWithoutBound checks T(x, ⊥) = ⊥, the first condition.
func neverWithoutBound(t *register.T) {
	t.Case()
	draws := &finite.Tape{Draws: []float64{100}}
	_, bySpec, err := spec.PrivateTrimmedMean(rat.List("1"), rat.List("1"), new(big.Rat), nil, 1, 1, draws)
	t.Must(err)
	_, byImpl, err := impl.PrivateTrimmedMean(rat.List("1"), new(big.Rat), nil, loss.Nats(rat.One), rat.One, draws)
	t.Must(err)
	_, _, err = spec.PrivateTrimmedMean(rat.List("0"), rat.List("5"), new(big.Rat), rat.One, 1, 1,
		&finite.Tape{Draws: []float64{100, 0}})
	t.Must(err) // one value that records may have is enough to leave a bound of 1
	t.Require(!bySpec && !byImpl, "T(x, ⊥) returns a value: by spec %v, by impl %v", bySpec, byImpl)
}

// graphValues are what a record can be; the last two stand for all that is far away.
var graphValues = []int{0, 1, 3, -1000, 1000}

// graph has all databases of n records with some values, as how often each occurs; two that differ in one
// record are joined.
type graph struct {
	databases []finite.Law
	records   [][]*big.Rat
	joined    [][]int
}

func newGraph(n int, values []int) *graph {
	g, index := &graph{}, map[string]int{}
	for counts := range finite.Laws(len(values), n) {
		index[counts.String()] = len(g.databases)
		g.databases, g.records = append(g.databases, counts), append(g.records, recordsOf(counts, n, values))
	}
	unit := big.NewRat(1, int64(n))
	for _, counts := range g.databases {
		var others []int
		for from := range values {
			for to := range values {
				if from != to && counts[finite.Name(from)].Sign() > 0 {
					other := finite.Combine(rat.One, counts, rat.One, nil)
					other.Add(finite.Name(to), unit)
					other.Add(finite.Name(from), new(big.Rat).Neg(unit))
					others = append(others, index[other.String()])
				}
			}
		}
		g.joined = append(g.joined, others)
	}
	return g
}

// neighbours returns the pairs of databases that are joined.
func (g *graph) neighbours() (pairs [][2]int) {
	for i, others := range g.joined {
		for _, j := range slices.Sorted(slices.Values(others)) {
			if j < i {
				pairs = append(pairs, [2]int{j, i})
			}
		}
	}
	return pairs
}

// distances returns, for each database, how many steps away the next one is with a local sensitivity above s: the
// largest change of the mean in one step.
func (g *graph) distances(mean func(i int) float64, s float64) []int {
	distances, next := make([]int, len(g.databases)), []int{}
	for i, others := range g.joined {
		distances[i] = math.MaxInt
		for _, j := range others {
			if !(math.Abs(mean(i)-mean(j)) <= s+1e-9) && distances[i] > 0 {
				distances[i], next = 0, append(next, i)
			}
		}
	}
	for ; len(next) > 0; next = next[1:] {
		for _, j := range g.joined[next[0]] {
			if distances[j] == math.MaxInt {
				distances[j], next = distances[next[0]]+1, append(next, j)
			}
		}
	}
	return distances
}

// trimmedDistancesOnGraph checks the trimmed means, and the numbers of records to replace, by impl on all databases of
// up to 7 records, with a share of the bound for a control.
func trimmedDistancesOnGraph(t *register.T, share float64) {
	most := t.Size(5, 9)
	t.AlsoDomain("distances of all databases of 1 to %d records with values 0, 1, 3, α in {0, 1/2, 4/5, 1 − 1/n}, "+
		"s in {1/4, 1/2, 1, 3/2, 2, 3}", most)
	for n := 1; n <= most; n++ {
		g := newGraph(n, graphValues)
		for _, alpha := range []*big.Rat{new(big.Rat), rat.Half, rat.Of("4/5"), medianTrim(t, n)} {
			means := make([]float64, len(g.records))
			for i, x := range g.records {
				means[i] = trimmedWords{}.mean(rat.Floats(x), rat.Float64(alpha))
				byImpl := rat.Float64(register.Must(impl.TrimmedMean(x, alpha)))
				t.Require(math.Abs(byImpl-means[i]) <= 1e-9, "%s-trimmed mean of %s: %.12g by impl, must be %.12g",
					alpha, x, byImpl, means[i])
			}
			for _, s := range rat.List("1/4", "1/2", "1", "3/2", "2", "3") {
				distances := g.distances(func(i int) float64 { return means[i] }, share*rat.Float64(s))
				for i, x := range g.records {
					if g.databases[i]["d"].Sign() > 0 || g.databases[i]["e"].Sign() > 0 {
						continue // far away: others would have to be farther
					}
					t.At("%s-trimmed mean, records %s, s = %s", alpha, x, s)
					byImpl := register.Must(impl.TrimmedMeanDistance(x, alpha, s))
					t.Require(byImpl == distances[i], "distance %d by impl, must be %d", byImpl, distances[i])
				}
			}
		}
	}
}
