package verify

import (
	"flag"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
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

// small is the largest number of mechanisms of a small problem: an exact answer takes a millisecond.
const small = 5

// search is a Dice of rapid, which searches for failures and shrinks them.
type search struct{ *rapid.T }

func (s search) Roll(n int) int { return rapid.IntRange(0, n-1).Draw(s.T, "roll") }

// problems returns a rapid generator of random problems.
func problems(t terms, most int) *rapid.Generator[problem] {
	return rapid.Custom(func(r *rapid.T) problem { return randomProblem(search{r}, t, most) })
}

// someProblem is one in any terms, or in some.
func someProblem(t *rapid.T, most int, some ...terms) (problem, terms) {
	kind := rapid.SampledFrom(some).Draw(t, "terms")
	return problems(kind, most).Draw(t, "problem"), kind
}

// long makes a property of a check of problems with a lattice, of up to so many mechanisms.
func long(most int, check func(t reporter, p problem)) func(t *rapid.T) {
	return func(t *rapid.T) { check(t, problems(multiples, most).Draw(t, "problem")) }
}

// properties are what rapid searches counterexamples of.
var properties = map[string]func(t *rapid.T){
	"Ways":            propWays,
	"Plain":           long(60, checkPlain),
	"Widths":          long(60, checkWidths),
	"Order":           propOrder,
	"FallingCharges":  propFallingCharges,
	"Rule":            propRule,
	"LongRule":        long(200, checkLongRule),
	"BracketRule":     long(60, checkBracketRule),
	"Hints":           propHints,
	"OptComp":         propOptComp,
	"OptCompOfOptDel": propOptCompOfOptDel,
}

func TestProperties(t *testing.T) {
	t.Parallel()
	for name, prop := range properties {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, prop)
		})
	}
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, c.check)
		})
	}
}

var property = flag.String("property", "Ways", "which of the properties FuzzProperty tries")

func FuzzProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(properties[*property])) }

// truth returns what is known about a problem.
func truth(t reporter, p problem, kind terms) truths {
	switch kind {
	case ratios:
		return exactly(t, p)
	case multiples:
		return plainly(p, doubles{}).truths()
	}
	return enclosed(t, p)
}

// propWays compares the ways of impl with the truth.
func propWays(t *rapid.T) {
	p, kind := someProblem(t, most, ratios, decimals, mixed)
	checkMethods(t, p, kind)
}

// TestCounts compares impl with the truth on many random problems that are the same on every run: problem number i
// comes from the seed i.
func TestCounts(t *testing.T) {
	t.Parallel()
	for kind, n := range map[terms]int{ratios: amount(60, 10_000), decimals: amount(8, 500), mixed: amount(8, 500)} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			for i := range n {
				checkMethods(t, randomProblem(register.Seeded(uint64(i)), kind, most), kind)
			}
		})
	}
}

// checkMethods compares every method of impl with the truth: in ratios with exact numbers, and not the bracket, which
// takes a hundred times as long as the others. What spec and single criteria come to is checked by verify/odp, on small
// pipelines.
func checkMethods(t reporter, p problem, kind terms) {
	methods, want := everyWay, truth(t, p, kind)
	if kind == ratios {
		methods = everyWay[:3]
		optDel, _, lemma11, err := impl.Exact(t.Context(), p.impl())
		if err != nil || !want["OptDel"].meets(point(optDel)) || !want["Lemma11"].meets(point(lemma11)) {
			t.Errorf("%v: impl.Exact says %v and %v, exhaustive.Exact %s and %s: %v",
				p, optDel, lemma11, want["OptDel"], want["Lemma11"], err)
		}
	}
	for _, o := range methods {
		checkTruth(t, p, o, solve(t, p, o), want)
	}
}
