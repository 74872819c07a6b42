package odp

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// family is a release test on databases that are all neighbours of each other in x^train
// or in x^test.
type family struct {
	base        impl.ReleaseTest // without the records
	sensitivity impl.Sensitivity
	rest        []float64 // y·x of the records of x^train that stay
	moved       []float64 // y·x of the one that changes
	tests       [][]impl.LabelledRecord
}

func (f family) String() string {
	return fmt.Sprintf("Λ = %s, ε_1 = %s, ε_2 = %s, t = %s, a = %.6g, others in x^train: %s",
		rat.Show(f.base.Lambda), rat.Show(f.base.Eps1), rat.Show(f.base.Eps2), rat.Show(f.base.Limit), f.base.Scale.Upper,
		cmp.Or(recordsText(records(f.rest...)), "none"))
}

// part returns (2/n^test)/a, up to a rounding upward.
func (f family) part() *big.Rat {
	part := rat.Quo(big.NewRat(2, int64(len(f.tests[0]))), rat.Exact(f.base.Scale.Lower))
	return rat.Min(part, rat.One)
}

// at returns the release test on the databases number i and j.
func (f family) at(i, j int) impl.ReleaseTest {
	x := f.base
	x.Train, x.Test = records(append(slices.Clip(f.rest), f.moved[i])...), f.tests[j]
	return x
}

// compare checks that the privacy losses of neighbours are at most as claimed, for a change in x^train and for one in
// x^test, in both directions.
func (f family) compare(t *register.T, value func(x impl.ReleaseTest) interval.Interval, train, test *big.Rat,
	what string) {
	table := make([][]interval.Interval, len(f.moved))
	check := func(bound *big.Rat, i, j, k, l int) {
		t.At("%v: y·x = %g and x^test = %s, or %g and %s", f, f.moved[i], labelled(f.tests[j]), f.moved[k],
			labelled(f.tests[l]))
		size := f.loss(t, value, [2]interval.Interval{table[i][j], table[k][l]}, bound, i, j, k, l)
		t.Close(rat.Float64(size.lower)/rat.Float64(bound), "%s", what)
		atMost(t, size, bound, "loss of the %s", what)
	}
	for i := range table {
		for j := range f.tests {
			table[i] = append(table[i], value(f.at(i, j)))
			for k := range i {
				check(train, i, j, k, j)
			}
			for l := range j {
				check(test, i, j, i, l)
			}
		}
	}
}

// loss returns the size of the privacy loss of databases, whose values it asks to be narrower where they do not tell
// whether it is at most a bound.
func (f family) loss(t *register.T, value func(x impl.ReleaseTest) interval.Interval, of [2]interval.Interval,
	bound *big.Rat, i, j, k, l int) bounds {
	narrow := max(rat.Float64(bound)/16, 1e-6)
	for _, width := range []float64{min(0x1p-10, narrow), narrow / 16, 0} {
		loss, err := impl.PrivacyLoss(of[0], of[1])
		t.Must(err)
		size := magnitude(loss)
		if width > 0 && size.upper.Cmp(bound) > 0 && size.lower.Cmp(bound) <= 0 {
			x, y := f.at(i, j), f.at(k, l)
			x.Width, y.Width = width, width
			of = [2]interval.Interval{value(x), value(y)}
			continue
		}
		ratio := math.Log(rat.Float64(rat.Exact(of[0].Upper)) / rat.Float64(rat.Exact(of[1].Lower)))
		got := float64Of(loss)
		t.Require(math.Abs(got-ratio) <= 1e-6*(1+math.Abs(ratio)) || math.IsInf(ratio, 0),
			"ln(%.9g/%.9g) = %.9g, by impl %.9g", of[0].Upper, of[1].Lower, ratio, got)
		return size
	}
	panic("internal error: the last width is asked for nothing")
}

// testGroup are databases x^test of n records that differ in one.
func testGroup(n int) (group [][]impl.LabelledRecord) {
	same := slices.Repeat([]impl.LabelledRecord{{X: []float64{1}, Y: 1}}, n-1)
	for _, last := range []impl.LabelledRecord{{X: []float64{1}, Y: 1}, {X: []float64{1}, Y: -1},
		{X: []float64{-0.5}, Y: 0.5}} {
		group = append(group, append(slices.Clip(same), last))
	}
	return group
}

func familiesDomain(t *register.T) string {
	return fmt.Sprintf(
		"%s of these: d = 1; x^train of 1, 2, 3 and 100 records, x^test of 1, 2 and 100, Λ from 3/100 to 5, (ε_1, "+
			"ε_2) in {(1, 1/2), (1/2, 1), (8, 1)}, t in {−1, 1/2, 2}, %d values of the record that changes; and two families "+
			"near the worst case, of 1 record and Λ = 50, and of 12000 and Λ = 1/4000, with t = 2", finite.Share(t.Size(3, 1)),
		t.Size(2, 3))
}

// families are those of the checks, with one of the sensitivities.
func families(t *register.T, sensitivity impl.Sensitivity) (all []family) {
	for f := range finite.EveryNth(slices.Values(usualFamilies(t)), t.Size(3, 1)) {
		all = append(all, f.with(t, sensitivity))
	}
	for _, f := range worstFamilies() {
		all = append(all, f.with(t, sensitivity))
	}
	return all
}

// with returns f with the a of a sensitivity.
func (f family) with(t *register.T, sensitivity impl.Sensitivity) family {
	a, err := impl.ReleaseTestScale(len(f.rest)+1, len(f.tests[0]), f.base.Lambda, sensitivity)
	t.Must(err)
	f.sensitivity, f.base.Scale = sensitivity, a
	return f
}

// worstFamilies are near the worst case of ⊥ and of the noisy error; t is where the
// Laplace law has its exponential tail for every error.
//
// For x^train it is one record, and a small change of p_min around 0, with so many test
// records that 2/n^test is less than what the error changes by. For x^test it is one
// test record with a label that changes; p_min is so large that the error is near 0 or 2.
func worstFamilies() []family {
	base := func(lambda, eps2 string) impl.ReleaseTest {
		return impl.ReleaseTest{Eps1: rat.Of("8"), Eps2: rat.Of(eps2), Lambda: rat.Of(lambda), Limit: rat.Of("2"),
			Width: 0x1p-10}
	}
	return []family{
		{base: base("50", "1/8"), moved: []float64{1, -1}, tests: testGroup(1000)[:2]},
		{base: base("1/4000", "1"), rest: repeated(11999, 1), moved: []float64{1, -1}, tests: testGroup(1)[:2]},
	}
}

// usualFamilies are families without a. In a normal run a pair of ε_1 and ε_2 has not all t.
func usualFamilies(t *register.T) (all []family) {
	limits := [][]*big.Rat{rat.List("2", "1/2"), rat.List("-1"), rat.List("2")}
	if t.Size(0, 1) == 1 {
		limits = slices.Repeat([][]*big.Rat{rat.List("2", "1/2", "-1")}, 3)
	}
	for _, train := range []struct {
		lambda string
		rest   []float64
	}{{"1/2", nil}, {"5", nil}, {"1/5", repeated(1, 1)}, {"1", []float64{1, -1}}, {"3/100", repeated(99, 1)}} {
		for _, n := range []int{1, 2, 100} {
			for k, e := range [][2]string{{"1", "1/2"}, {"1/2", "1"}, {"8", "1"}} {
				for _, limit := range limits[k] {
					base := impl.ReleaseTest{Eps1: rat.Of(e[0]), Eps2: rat.Of(e[1]), Lambda: rat.Of(train.lambda), Limit: limit}
					all = append(all, family{base: base, rest: train.rest, moved: []float64{1, -1, 0.5}[:t.Size(2, 3)],
						tests: testGroup(n)[:t.Size(2, 3)]})
				}
			}
		}
	}
	return all
}
