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

// longProblems returns a rapid generator of long problems.
func longProblems(most int) *rapid.Generator[problem] {
	return rapid.Custom(func(r *rapid.T) problem { return longProblem(search{r}, most) })
}

// someProblem is one in any terms, or in some.
func someProblem(t *rapid.T, most int, some ...terms) (problem, terms) {
	kind := rapid.SampledFrom(some).Draw(t, "terms")
	return problems(kind, most).Draw(t, "problem"), kind
}

// properties are what rapid searches counterexamples of.
var properties = map[string]func(t *rapid.T){
	"Ways":             propWays,
	"Exact":            propExact,
	"Plain":            func(t *rapid.T) { checkPlain(t, longProblems(60).Draw(t, "problem")) },
	"Widths":           func(t *rapid.T) { checkWidths(t, longProblems(60).Draw(t, "problem")) },
	"Order":            propOrder,
	"FallingCharges":   propFallingCharges,
	"Rule":             propRule,
	"LongRule":         func(t *rapid.T) { checkLongRule(t, longProblems(200).Draw(t, "problem"), auto) },
	"BracketRule":      propBracketRule,
	"Follow":           propFollow,
	"Hints":            propHints,
	"LongHints":        propLongHints,
	"OptComp":          propOptComp,
	"OptCompControl":   propOptCompControl,
	"OptCompDecimals":  propOptCompDecimals,
	"OptCompMonotone":  propOptCompMonotone,
	"OptCompRoundTrip": propOptCompRoundTrip,
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
	if kind == ratios {
		return exactly(t, p)
	}
	return enclosed(t, p)
}

// propWays compares one of the ways of impl with the truth.
func propWays(t *rapid.T) {
	p, kind := someProblem(t, most, ratios, decimals, mixed)
	o := everyWay[rapid.IntRange(0, len(everyWay)-1).Draw(t, "way")]
	checkTruth(t, p, o, solve(t, p, o), truth(t, p, kind))
}

// TestCounts compares impl with the truth on many random problems that are the same on every run: problem number i
// comes from the seed i.
func TestCounts(t *testing.T) {
	t.Parallel()
	for kind, n := range map[terms]int{ratios: amount(80, 10_000), decimals: amount(8, 500), mixed: amount(8, 500)} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			for i := range n {
				checkMethods(t, randomProblem(register.Seeded(uint64(i)), kind, most), kind)
			}
			t.Logf("%d problems", n)
		})
	}
}

// checkMethods compares every method of impl with the truth. In ratios it leaves
// out the bracket, which takes a hundred times as long as the others.
func checkMethods(t reporter, p problem, kind terms) {
	methods, want := everyWay, truth(t, p, kind)
	if kind == ratios {
		methods = everyWay[:3]
	}
	for _, o := range methods {
		checkTruth(t, p, o, solve(t, p, o), want)
	}
}

// propExact compares the two exact answers. What spec and single criteria come to is checked by verify/odp, on small
// pipelines.
func propExact(t *rapid.T) {
	p := problems(ratios, most).Draw(t, "problem")
	optDel, lemma11, err := impl.Exact(t.Context(), p.impl())
	want := exactly(t, p)
	if err != nil || !want["OptDel"].meets(point(optDel)) || !want["Lemma11"].meets(point(lemma11)) {
		t.Errorf("%v: impl.Exact says %v and %v, exhaustive.Exact %s and %s: %v", p, optDel, lemma11, want["OptDel"],
			want["Lemma11"], err)
	}
}
