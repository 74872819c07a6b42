package odp

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/verify"
)

// family is a release test on databases that are all neighbours of each other in x^train
// or in x^test.
type family struct {
	base        impl.ReleaseTest // without the records
	sensitivity impl.Sensitivity
	rest        []float64 // y·x of the records of x^train that stay
	moved       []float64 // y·x of the one that changes
	tests       [][]impl.Record
}

func (f family) String() string {
	return fmt.Sprintf("Λ = %s, ε_1 = %s, ε_2 = %s, t = %s, a = %.6g, x^train with y·x = %s and one more",
		show(f.base.Lambda), show(f.base.Eps1), show(f.base.Eps2), show(f.base.Limit), f.base.Scale.Upper, grouped(f.rest))
}

// grouped writes equal numbers as one.
func grouped(v []float64) string {
	text := ""
	for len(v) > 0 {
		n := 1
		for n < len(v) && v[n] == v[0] {
			n++
		}
		text += fmt.Sprintf("%d × %g, ", n, v[0])
		v = v[n:]
	}
	return "(" + text + ")"
}

// part returns (2/n^test)/a, up to a rounding upward.
func (f family) part() *big.Rat {
	part := quo(big.NewRat(2, int64(len(f.tests[0]))), exactRat(f.base.Scale.Lower))
	return smallest([]*big.Rat{part, one})
}

// at returns the release test on the databases number i and j.
func (f family) at(i, j int) impl.ReleaseTest {
	x := f.base
	x.Train, x.Test = records(append(slices.Clip(f.rest), f.moved[i])...), f.tests[j]
	return x
}

// table returns the value of all databases.
func (f family) table(value func(x impl.ReleaseTest) impl.Interval) [][]impl.Interval {
	var all [][]impl.Interval
	for i := range f.moved {
		var row []impl.Interval
		for j := range f.tests {
			row = append(row, value(f.at(i, j)))
		}
		all = append(all, row)
	}
	return all
}

// compare checks that the privacy losses of neighbours are at most as claimed, for a change
// in x^train and for one in x^test, in both directions. Where the values are not narrow
// enough to tell, it asks for narrower ones.
func (f family) compare(t *verify.T, value func(x impl.ReleaseTest) impl.Interval, train, test *big.Rat, what string) (found tightness) {
	table := f.table(value)
	check := func(bound *big.Rat, most *float64, i, j, k, l int) {
		t.Case()
		p, q := table[i][j], table[k][l]
		narrow := max(float(bound)/16, 1e-6)
		for _, width := range []float64{min(0x1p-10, narrow), narrow / 16, 0} {
			loss, err := impl.PrivacyLoss(p, q)
			t.Must(err)
			lower, upper := magnitudes(loss)
			if width == 0 || upper.Cmp(bound) <= 0 || lower.Cmp(bound) > 0 {
				*most = max(*most, float(lower)/float(bound))
				atMost(t, lower, upper, bound, "%v: y·x = %g and x^test = %s, or %g and %s: loss of the %s",
					f, f.moved[i], testText(f.tests[j]), f.moved[k], testText(f.tests[l]), what)
				return
			}
			x, y := f.at(i, j), f.at(k, l)
			x.Width, y.Width = width, width
			p, q = value(x), value(y)
		}
	}
	for i := range table {
		for j := range table[i] {
			for k := range i {
				check(train, &found.train, i, j, k, j)
			}
			for l := range j {
				check(test, &found.test, i, j, i, l)
			}
		}
	}
	return found
}

// tightness is the largest loss that was found, as a part of the claimed one, for a change
// in x^train and for one in x^test.
type tightness struct{ train, test float64 }

func (x *tightness) include(y tightness) {
	x.train, x.test = max(x.train, y.train), max(x.test, y.test)
}

func (x tightness) String() string {
	return fmt.Sprintf("%.3g of the claimed loss for a change in x^train, %.3g for one in x^test", x.train, x.test)
}

// magnitudes returns the bounds of |x|.
func magnitudes(x impl.Interval) (lower, upper *big.Rat) {
	if x.Lower.IsInf() || x.Upper.IsInf() {
		return new(big.Rat), unbounded
	}
	return between(x, impl.Interval{Lower: new(big.Float), Upper: new(big.Float)})
}

// unbounded is more than any loss that is claimed.
var unbounded = new(big.Rat).SetFloat64(math.MaxFloat64)

func testText(test []impl.Record) string {
	first, last := test[0], test[len(test)-1]
	return fmt.Sprintf("%d × (%g, %g), (%g, %g)", len(test)-1, first.X[0], first.Y, last.X[0], last.Y)
}

// testGroups are databases x^test that differ in one record, with 1, 2 and 100 records.
func testGroups(t *verify.T) [][][]impl.Record {
	record := func(x, y float64) impl.Record { return impl.Record{X: []float64{x}, Y: y} }
	var groups [][][]impl.Record
	for _, n := range []int{1, 2, 100} {
		same := slices.Repeat([]impl.Record{record(1, 1)}, n-1)
		group := [][]impl.Record{append(slices.Clip(same), record(1, 1)), append(slices.Clip(same), record(1, -1))}
		if t.Size(0, 1) == 1 {
			group = append(group, append(slices.Clip(same), record(-0.5, 0.5)))
		}
		groups = append(groups, group)
	}
	return groups
}

func familiesDomain(t *verify.T) string {
	return fmt.Sprintf("d = 1; x^train of 1, 2, 3 and 100 records, x^test of 1, 2 and 100, Λ from 3/100 to 5, (ε_1, ε_2) in {(1, 1/2), (1/2, 1), (8, 1)}, t in {−1, 1/2, 2}, %d values of the record that changes", t.Size(2, 3))
}

// families yields the families of the checks, with one of the sensitivities.
func families(t *verify.T, sensitivity impl.Sensitivity) iter.Seq[family] {
	trains := []struct {
		lambda string
		rest   []float64
	}{{"1/2", nil}, {"5", nil}, {"1/5", repeated(1, 1)}, {"1", []float64{1, -1}}, {"3/100", repeated(99, 1)}}
	moved := []float64{1, -1, 0.5}[:t.Size(2, 3)]
	eps := [][2]string{{"1", "1/2"}, {"1/2", "1"}, {"8", "1"}}
	return func(yield func(family) bool) {
		for _, train := range trains {
			for _, tests := range testGroups(t) {
				a, err := impl.ReleaseTestScale(len(train.rest)+1, len(tests[0]), rational(train.lambda), sensitivity)
				t.Must(err)
				for k, e := range eps {
					limits := rationals("2", "1/2", "-1")
					if t.Size(0, 1) == 0 {
						limits = [][]*big.Rat{limits[:2], limits[2:], limits[:1]}[k]
					}
					for _, limit := range limits {
						base := impl.ReleaseTest{Eps1: rational(e[0]), Eps2: rational(e[1]), Lambda: rational(train.lambda), Limit: limit, Scale: a}
						if !yield(family{base, sensitivity, train.rest, moved, tests}) {
							return
						}
					}
				}
			}
		}
	}
}
