package odp

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// iqrDatabase is a database.
type iqrDatabase struct {
	records []*big.Rat
	a       [2]int // A_1, A_2
	law     string // names what the laws depend on: n, A_1, A_2 and the range
}

// withDistances returns the database with A_1 and A_2.
func withDistances(records []*big.Rat) *iqrDatabase {
	s := &iqrDatabase{records: records}
	for j := range s.a {
		s.a[j] = register.Must(impl.IQRDistance(records, j+1))
	}
	s.law = fmt.Sprint(len(records), s.a, register.Must(impl.SampleIQR(records)))
	return s
}

// allValues are values enough for [spec.IQRDistance] to be that over all real numbers: those that x has and two beyond
// them, min x − w and max x + w with w = 3·IQR + 1, which is more than the upper edge of the bin, since 1 + 1/ln n < 3.
// Let y be a database outside the bin and R its replaced records. Let u and v be its quartiles.
//
// If y lies above, replace the records of R that are at most u by min x − w and the others by max x + w. The lower
// quartile does not rise, and is at most max x. The upper one falls only if it becomes max x + w; then the new range is
// at least w.
//
// If y lies below, at most ⌈n/4⌉ − 1 records are less than u and at most n − ⌈3n/4⌉ are greater than v. Replace all of
// R by one record that was kept and is in [u, v]: these numbers do not grow, so neither does the range. If no such
// record was kept, take the nearest kept one below u, or above v, or any value if none was kept: both quartiles become
// that value.
func allValues(x []*big.Rat) []*big.Rat {
	w := rat.Add(rat.Mul(rat.Int(3), register.Must(spec.SampleIQR(x))), rat.One)
	low, high := slices.MinFunc(x, (*big.Rat).Cmp), slices.MaxFunc(x, (*big.Rat).Cmp)
	return append(slices.Clone(x), rat.Sub(low, w), rat.Add(high, w))
}

// iqrRepeated returns records: how many of them, and which.
func iqrRepeated(groups [][2]int64) []*big.Rat {
	var x []*big.Rat
	for _, g := range groups {
		for range g[0] {
			x = append(x, big.NewRat(g[1], 1))
		}
	}
	return x
}

// iqrUnequal returns records with A_1 = 1 and A_2 = 2.
func iqrUnequal() []*big.Rat { return iqrRepeated([][2]int64{{2, 0}, {1, 2}, {3, 7}}) }

// iqrTerms are the (e^ε, δ) of the checks on M_IQR.
var iqrTerms = [][2]*big.Rat{
	{big.NewRat(3, 2), big.NewRat(1, 8)}, {big.NewRat(4, 1), big.NewRat(1, 1000000)}, {big.NewRat(4, 1), rat.One},
	{big.NewRat(16, 1), big.NewRat(1, 4)}, {big.NewRat(16, 1), big.NewRat(1, 64)},
	{big.NewRat(256, 1), big.NewRat(1, 256)},
}

// iqrPair are two neighbours.
type iqrPair [2]*iqrDatabase

func (p iqrPair) String() string {
	return fmt.Sprintf("records %s (A_1 = %d, A_2 = %d) against %s (A_1 = %d, A_2 = %d)",
		rat.Show(p[0].records...), p[0].a[0], p[0].a[1], rat.Show(p[1].records...), p[1].a[0], p[1].a[1])
}

// iqrValues are what a record can be. Their differences have many ratios below 1 + 1/ln n.
var iqrValues = []int64{0, 1, 2, 7, 8, 9}

func iqrDomain(t *register.T) string {
	var terms []string
	for _, x := range iqrTerms {
		terms = append(terms, "("+rat.Show(x[:]...)+")")
	}
	return fmt.Sprintf("%s; (e^ε, δ) in {%s}", iqrDatabases(t), strings.Join(terms, ", "))
}

// iqrDatabases says which databases [iqrPairs] has.
func iqrDatabases(t *register.T) string {
	return fmt.Sprintf("all databases of 2 to %d records that are each one of 0, 1, 2, 7, 8, 9, and their neighbours by a "+
		"change of one record", t.Size(6, 9))
}

// The families of a normal and of a deep run.
var (
	iqrSmall = sync.OnceValue(func() []iqrPair { return iqrFamily(6) })
	iqrLarge = sync.OnceValue(func() []iqrPair { return iqrFamily(9) })
)

func iqrPairs(t *register.T) []iqrPair {
	if t.Size(0, 1) == 1 {
		return iqrLarge()
	}
	return iqrSmall()
}

// iqrFamily returns all pairs of neighbours of 2 to most records in [iqrValues], one for each
// pair of laws.
func iqrFamily(most int) []iqrPair {
	var all []iqrPair
	for n := 2; n <= most; n++ {
		index := map[string]*iqrDatabase{}
		for counts := range finite.Laws(len(iqrValues), n) {
			var groups [][2]int64
			for i, v := range iqrValues {
				groups = append(groups, [2]int64{rat.Mul(counts[finite.Name(i)], rat.Int(n)).Num().Int64(), v})
			}
			s := withDistances(iqrRepeated(groups))
			index[rat.Show(s.records...)] = s
		}
		all = append(all, iqrNeighbours(index)...)
	}
	return all
}

// iqrNeighbours returns pairs of databases of the same n that differ in one record, one for each pair of laws.
func iqrNeighbours(index map[string]*iqrDatabase) []iqrPair {
	var all []iqrPair
	seen := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(index)) {
		s := index[key]
		for i := range s.records {
			for _, v := range iqrValues {
				y := slices.Clone(s.records)
				y[i] = big.NewRat(v, 1)
				slices.SortFunc(y, (*big.Rat).Cmp)
				p := iqrPair{s, index[rat.Show(y...)]}
				if laws := p[0].law + p[1].law; !seen[laws] {
					seen[laws] = true
					all = append(all, p)
				}
			}
		}
	}
	return all
}
