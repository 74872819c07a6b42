package odp

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// graphValues are what a record of a [trimmedGraph] can be; the last two stand for all that is far away.
var graphValues = []int{0, 1, 3, -1000, 1000}

// trimmedGraph are all databases of n records, as how often each value occurs; two that differ in one record are
// joined.
type trimmedGraph struct {
	databases []finite.Law
	records   [][]*big.Rat
	joined    [][]int
}

func newTrimmedGraph(n int) *trimmedGraph {
	g, index := &trimmedGraph{}, map[string]int{}
	for counts := range finite.Laws(len(graphValues), n) {
		index[counts.String()] = len(g.databases)
		g.databases, g.records = append(g.databases, counts), append(g.records, recordsOf(counts, n, graphValues))
	}
	unit := big.NewRat(1, int64(n))
	for _, counts := range g.databases {
		var others []int
		for from := range graphValues {
			for to := range graphValues {
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

// distances returns, for each database, how many steps away the next one is with a local sensitivity above s: the
// largest change of the mean in one step.
func (g *trimmedGraph) distances(mean func(i int) float64, s float64) []int {
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
func trimmedDistancesOnGraph(share float64) register.Check {
	return func(t *register.T) {
		most := t.Size(7, 9)
		t.AlsoDomain("distances of all databases of 1 to %d records with values 0, 1, 3, α in {0, 1/2, 4/5, 1 − 1/n}, s in "+
			"{1/4, 1/2, 1, 3/2, 2, 3}", most)
		for n := 1; n <= most; n++ {
			g := newTrimmedGraph(n)
			for _, alpha := range []*big.Rat{new(big.Rat), rat.Half, rat.Of("4/5"), medianTrim(t, n)} {
				means := make([]float64, len(g.records))
				for i, x := range g.records {
					means[i] = trimmedWords{}.mean(rat.Floats(x), rat.Float64(alpha))
					if byImpl := rat.Float64(register.Must(impl.TrimmedMean(x, alpha))); !(math.Abs(byImpl-means[i]) <= 1e-9) {
						t.Refute("%s-trimmed mean of %s: %.12g by impl, must be %.12g", rat.Show(alpha), rat.Show(x...), byImpl, means[i])
					}
				}
				for _, s := range rat.List("1/4", "1/2", "1", "3/2", "2", "3") {
					distances := g.distances(func(i int) float64 { return means[i] }, share*rat.Float64(s))
					for i, x := range g.records {
						if g.databases[i]["d"].Sign() > 0 || g.databases[i]["e"].Sign() > 0 {
							continue // far away: others would have to be farther
						}
						t.Case()
						if byImpl := register.Must(impl.TrimmedMeanDistance(x, alpha, s)); byImpl != distances[i] {
							t.Refute("%s-trimmed mean, records %s, s = %s: distance %d by impl, must be %d", rat.Show(alpha),
								rat.Show(x...), rat.Show(s), byImpl, distances[i])
						}
					}
				}
			}
		}
	}
}
