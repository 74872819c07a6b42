package verify

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/register"
)

// The ways in which impl can solve a problem.
var (
	auto    = impl.Options{}
	lattice = impl.Options{Method: impl.Lattice}
	wide    = impl.Options{RelWidth: 1e-18} // beyond float64
	bracket = impl.Options{Method: impl.Bracket, RelWidth: 1e-3}

	everyWay = []impl.Options{auto, lattice, wide, bracket}
)

// most is the largest number of mechanisms of a random problem: 4^8 sequences.
const most = 8

func propAuto(t *rapid.T)    { checkRatios(t, auto) }
func propLattice(t *rapid.T) { checkRatios(t, lattice) }
func propWide(t *rapid.T)    { checkRatios(t, wide) }
func propBracket(t *rapid.T) { checkRatios(t, bracket) }

// checkRatios compares impl with the exact answer.
func checkRatios(t *rapid.T, o impl.Options) {
	p := problems(ratios, most).Draw(t, "problem")
	checkTruth(t, p, o, solve(t, p, o), exactly(t, p))
}

// propDecimals compares one of the ways of impl with enclosures.
func propDecimals(t *rapid.T) {
	p := problems(rapid.SampledFrom([]terms{decimals, mixed}).Draw(t, "terms"), most).Draw(t, "problem")
	o := everyWay[rapid.IntRange(0, len(everyWay)-1).Draw(t, "way")]
	checkTruth(t, p, o, solve(t, p, o), enclosed(t, p))
}

// propExact compares the two exact answers.
func propExact(t *rapid.T) {
	p := problems(ratios, most).Draw(t, "problem")
	want := exactly(t, p)
	optDel, lemma11, err := impl.Exact(t.Context(), p.impl())
	if err != nil {
		t.Fatalf("%v: %v", p, err)
	}
	if x := want["OptDel"].lo; optDel.Cmp(x) != 0 {
		t.Errorf("%v: impl.Exact says OptDel = %v, exhaustive.Exact %v", p, optDel, x)
	}
	if x := want["Lemma11"].lo; lemma11.Cmp(x) != 0 {
		t.Errorf("%v: impl.Exact says Lemma11 = %v, exhaustive.Exact %v", p, lemma11, x)
	}
}

// propSpec compares the literal formulas of spec, which finish for stops after
// (1), (2) or (1, 2) mechanisms only, with exhaustive.
func propSpec(t *rapid.T) { checkSpec(t, problems(ratios, 2).Draw(t, "problem")) }

func checkSpec(t reporter, p problem) {
	want := exactly(t, p)
	optDel, err1 := spec.OptDel(p.spec())
	lemma11, err2 := spec.Lemma11(p.spec())
	if err := errors.Join(err1, err2); err != nil {
		t.Fatalf("%v: %v", p, err)
	}
	if x := want["OptDel"].lo; optDel.Cmp(x) != 0 {
		t.Errorf("%v: spec.OptDel says %v, exhaustive.Exact %v", p, optDel, x)
	}
	if x := want["Lemma11"].lo; lemma11.Cmp(x) != 0 {
		t.Errorf("%v: spec.Lemma11 says %v, exhaustive.Exact %v", p, lemma11, x)
	}
}

// propCriteria compares the best set of nodes with the best of all stopping
// criteria, each of which is run on every sequence.
func propCriteria(t *rapid.T) {
	p := problems(ratios, 4).Draw(t, "problem")
	if n := len(p.stops); n > 1 { // 2^4 criteria after 1 mechanism; after 2 there are 2^16
		p.stops = []stop{{1, p.stops[0].eps}, p.stops[n-1]}
	}
	got, err := exhaustive.Criteria(t.Context(), p.exhaustive())
	if err != nil {
		t.Fatalf("%v: %v", p, err)
	}
	if x := exactly(t, p)["OptDel"].lo; got.Cmp(x) != 0 {
		t.Errorf("%v: exhaustive.Criteria says %v, exhaustive.Exact %v", p, got, x)
	}
}

func TestPair_Auto(t *testing.T)    { t.Parallel(); rapid.Check(t, propAuto) }
func TestPair_Lattice(t *testing.T) { t.Parallel(); rapid.Check(t, propLattice) }
func TestPair_Wide(t *testing.T)    { t.Parallel(); rapid.Check(t, propWide) }
func TestPair_Bracket(t *testing.T) { t.Parallel(); rapid.Check(t, propBracket) }
func TestPair_Decimals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, propDecimals)
}
func TestPair_Exact(t *testing.T) { t.Parallel(); rapid.Check(t, propExact) }
func TestPair_Criteria(t *testing.T) {
	t.Parallel()
	rapid.Check(t, propCriteria)
}

// A problem with stops after (1, 2) takes about a second: 2^20 families of sets.
func TestPair_Spec(t *testing.T) {
	t.Parallel()
	d, n := register.Seeded(3), 4
	if testing.Short() {
		n = 1
	}
	for range n {
		checkSpec(t, randomProblem(d, ratios, 2))
	}
}

func FuzzAuto(f *testing.F)     { f.Fuzz(rapid.MakeFuzz(propAuto)) }
func FuzzLattice(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(propLattice)) }
func FuzzWide(f *testing.F)     { f.Fuzz(rapid.MakeFuzz(propWide)) }
func FuzzBracket(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(propBracket)) }
func FuzzDecimals(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propDecimals)) }
func FuzzExact(f *testing.F)    { f.Fuzz(rapid.MakeFuzz(propExact)) }
func FuzzCriteria(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propCriteria)) }
func FuzzSpec(f *testing.F)     { f.Fuzz(rapid.MakeFuzz(propSpec)) }
