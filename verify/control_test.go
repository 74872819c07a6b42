package verify

import (
	"context"
	"strings"
	"testing"
	"time"

	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/verify/rat"
	"checkrr/verify/register"
	"checkrr/verify/register/mutation"
	"checkrr/verify/register/registertest"
)

// strict is a reporter that ends a test at the first error.
type strict struct{ *testing.T }

func (s strict) Errorf(format string, args ...any) { s.Fatalf(format, args...) }

// TestControlTarget runs the checks of this package on few problems, chosen for speed.
// [TestControl_DefectsAreNoticed] runs it on code with a defect.
func TestControlTarget(t *testing.T) {
	t.Parallel()
	r := strict{t}
	d := register.Seeded(4)
	for _, text := range []string{"ln(3/2) 0 x6 | 2 ln(9/4), 6 ln(81/16)", "1 1e-400, 0.3 0 | 2 5",
		"3 0 x315 | 100 267, 300 812, 315 873"}[:amount(1, 3)] {
		checkWays(r, d, parse(text), recursion(parse(text)))
	}
	few := parse("1 0 x20 | 20 19.5") // the only loss that pays is one that is left out
	for _, windows := range [][]certify.Window{nil, {{Lo: -20, Hi: 0}}} {
		l := certify.Lattice{Unit: certify.Number{Value: rat.Of("2")}, Windows: windows}
		checkHints(r, few, certify.Hints{Cut: 0.02, Upper: l}, recursion(few))
	}
	checkWidths(r, parse("0.1 0.001 x40 | 10 0.3, 20 0.6, 40 1.2")) // stops early, after an infinite loss too
	checkUnderflow(r)
	checkGrown(r)
	checkGathered(r)
	for range amount(2, 40) {
		checkMethods(r, randomProblem(d, ratios, small), ratios)
		checkRule(r, randomProblem(d, ratios, 4))
		p := randomProblem(d, ratios, 6)
		want := truth(r, p, ratios)
		for range 8 {
			checkHints(r, p, randomHints(d, p), want)
		}
	}
	for range amount(1, 12) {
		checkMethods(r, randomProblem(d, mixed, 3), mixed)
		checkRule(r, randomProblem(d, decimals, 4))
	}
	for range amount(1, 12) {
		p := randomProblem(d, multiples, 60)
		want := truth(r, p, multiples)
		checkTruth(r, p, auto, solve(r, p, auto), want)
		for range 8 {
			checkHints(r, p, randomHints(d, p), want)
		}
		checkLongRule(r, randomProblem(d, multiples, 60))
		checkWidths(r, randomProblem(d, multiples, 40))
	}
}

// TestControlTruth runs the solver on few problems and asks for nothing but that what it says is
// true: answers may be wide, missing, or a panic. [TestControl_ProposalsAreHarmless] runs it on a
// solver with a defect.
func TestControlTruth(t *testing.T) {
	t.Parallel()
	d := register.Seeded(5)
	for range amount(4, 24) {
		p := randomProblem(d, ratios, small)
		checkHarmless(t, p, truth(t, p, ratios))
	}
	for range amount(1, 4) {
		p := randomProblem(d, mixed, 3)
		checkHarmless(t, p, truth(t, p, mixed))
	}
	for range amount(3, 12) {
		p := randomProblem(d, multiples, 60)
		checkHarmless(t, p, truth(t, p, multiples))
	}
	for range amount(3, 12) {
		p := randomProblem(d, mixed, 300)
		if want := recursion(p); want != nil {
			checkHarmless(t, p, want)
		}
	}
}

func checkHarmless(t *testing.T, p problem, want truths) {
	for _, o := range []impl.Options{auto, lattice, wide, {RelWidth: 0.1}, bracket} {
		if r := anything(t, p, o); r != nil {
			checkTruth(t, p, o, r, want)
		}
	}
}

// anything returns what the solver finds in a moment, if it is complete.
func anything(t *testing.T, p problem, o impl.Options) (r *impl.Result) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	defer func() {
		if recover() != nil {
			r = nil
		}
	}()
	r, err := impl.OptDel(ctx, p.impl(), o)
	if err != nil || r.OptDel.Lower == nil || r.Lemma11.Lower == nil {
		return nil
	}
	return r
}

// TestControl_DefectsAreNoticed runs [TestControlTarget] on impl with one deliberate
// defect at a time. It must fail, and not by a panic, which shows no check at work.
func TestControl_DefectsAreNoticed(t *testing.T) {
	t.Parallel()
	registertest.Each(t, "TestControlTarget", mutants(t, trusted), func(t *testing.T, i int, says string, _ bool) {
		if !strings.Contains(says, "--- FAIL: TestControlTarget") || strings.Contains(says, "panic:") {
			t.Errorf("nobody noticed that %s\n%s", trusted[i].name, says)
		}
	})
}

// TestControl_ProposalsAreHarmless runs [TestControlTruth] on impl with one deliberate defect at a
// time in what only proposes. It must find nothing wrong.
func TestControl_ProposalsAreHarmless(t *testing.T) {
	t.Parallel()
	registertest.Each(t, "TestControlTruth", mutants(t, untrusted),
		func(t *testing.T, i int, says string, passes bool) {
			if !passes {
				t.Errorf("it matters that %s\n%s", untrusted[i].name, says)
			}
		})
}

// mutants returns the code with each of the defects.
func mutants(t *testing.T, ds []defect) (all []mutation.Mutant) {
	t.Helper()
	for _, d := range ds {
		m, err := mutation.Replacing(registertest.Root(t), "impl/"+d.file, d.old, d.new)
		if err != nil {
			t.Fatalf("bring the defect %q up to date: %v", d.name, err)
		}
		m.Name = d.name
		all = append(all, m)
	}
	return all
}
