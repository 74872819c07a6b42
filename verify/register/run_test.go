package register

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// claim is a statement that is only its check.
func claim(check Check) Statement {
	return Statement{ID: "X", Title: "x", Kind: Exact, Verdict: Holds, Check: check}
}

func TestRun_Order(t *testing.T) {
	t.Parallel()
	var statements []Statement
	for i := range 20 {
		s := claim(func(t *T) { t.Case() })
		s.ID = fmt.Sprint(i)
		statements = append(statements, s)
	}
	last := 0
	findings := Run(t.Context(), statements, Options{Progress: func(done, n int) {
		if done != last+1 || n != 20 {
			t.Errorf("progress %d of %d after %d", done, n, last)
		}
		last = done
	}})
	for i, f := range findings {
		if f.Statement.ID != fmt.Sprint(i) || f.Verdict() != Holds {
			t.Errorf("finding %d is of %s: %s", i, f.Statement.ID, f.Verdict())
		}
	}
	if last != 20 {
		t.Errorf("progress ended at %d", last)
	}
	if len(Run(t.Context(), nil, Options{})) != 0 {
		t.Error("findings of nothing")
	}
}

// What is not checked when the time is up is inconclusive, and no change.
func TestRun_Interrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	endless := claim(func(t *T) {
		for {
			t.Case()
			cancel()
		}
	})
	f := Run(ctx, []Statement{endless}, Options{})[0]
	if f.Verdict() != Inconclusive || f.Reason() != "interrupted in case 2" || len(f.Changes()) > 0 {
		t.Errorf("%s, %q, %v", f.Verdict(), f.Reason(), f.Changes())
	}
}

// A statement that was not begun when the time was up is no change, whatever its record has.
func TestRun_NotBegun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := claim(func(t *T) { t.Case() })
	s.Controls, s.Corrected = []Claim{{"control", s.Check}}, &Claim{"corrected", s.Check}
	s.Last = Record{Trace: Trace{Cases: 1}, Controls: []Trace{{Cases: 1}}, Corrected: &Trace{Cases: 1}}
	if f := Run(ctx, []Statement{s}, Options{})[0]; f.Verdict() != Inconclusive || len(f.Changes()) > 0 {
		t.Errorf("%s, %q", f.Verdict(), f.Changes())
	}
}

// A check that does not notice that the time is up is not waited for; the others are.
func TestRun_Deaf(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	deaf := claim(func(t *T) { t.Case(); cancel(); <-release })
	late := claim(func(t *T) {
		for range t.Context().Done() {
		}
		t.Case()
	})
	definition := Statement{ID: "X", Kind: Definition, Verdict: NotCheckable, Note: "a definition"}
	findings := Run(ctx, []Statement{definition, deaf, late}, Options{})
	if v := findings[0].Verdict(); v != NotCheckable {
		t.Errorf("a definition is %s", v)
	}
	for _, f := range findings[1:] {
		if f.Verdict() != Inconclusive || len(f.Changes()) > 0 {
			t.Errorf("%s, %v", f.Verdict(), f.Changes())
		}
	}
}

// A call within a check that is cut short leaves it inconclusive; its other errors do not.
func TestRun_InterruptedCall(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := claim(func(t *T) {
		t.Case()
		cancel()
		panic(fmt.Errorf("internal error: %w", t.Context().Err()))
	})
	if f := Run(ctx, []Statement{s}, Options{})[0]; f.Verdict() != Inconclusive || f.Reason() != "interrupted in case 1" {
		t.Errorf("%s: %q", f.Verdict(), f.Reason())
	}
	broken := claim(func(*T) { panic(fmt.Errorf("internal error: %w", context.Canceled)) })
	if f := Run(t.Context(), []Statement{broken}, Options{})[0]; !strings.HasPrefix(f.Reason(), "the check crashed") {
		t.Errorf("%s: %q", f.Verdict(), f.Reason())
	}
}

func TestRun_Deep(t *testing.T) {
	t.Parallel()
	for deep, want := range map[bool]int{false: 3, true: 7} {
		f := Run(t.Context(), []Statement{claim(func(t *T) {
			for range t.Size(3, 7) {
				t.Case()
			}
		})}, Options{Deep: deep})[0]
		if f.Outcome.Cases != want {
			t.Errorf("deep %v: %d cases, must be %d", deep, f.Outcome.Cases, want)
		}
	}
}

// crash is what checks run that crash.
func crash(x []int) int { return x[len(x)] }

// A check that crashes is inconclusive, by name, and the others go on.
func TestRun_Panic(t *testing.T) {
	t.Parallel()
	good := claim(func(t *T) { t.Case() })
	bad := claim(func(t *T) { t.Case(); t.Case(); crash(nil) })
	random := claim(func(t *T) {
		t.Random(1, 10, func(*T, Dice) { crash(nil) })
	})
	findings := Run(t.Context(), []Statement{good, bad, random}, Options{})
	if v := findings[0].Verdict(); v != Holds {
		t.Errorf("a check beside one that crashes: %s", v)
	}
	for i, f := range findings[1:] {
		want := fmt.Sprintf("the check crashed in case %d: runtime error: "+
			"index out of range [0] with length 0, in %s.crash", 2-i, reflect.TypeFor[T]().PkgPath())
		if f.Verdict() != Inconclusive || f.Reason() != want || len(f.Changes()) > 0 {
			t.Errorf("%s, %q, want %q; %v", f.Verdict(), f.Reason(), want, f.Changes())
		}
	}
}

// A smaller case that crashes does not lose the failure that was found.
func TestRandom_ShrinksToCrash(t *testing.T) {
	t.Parallel()
	f := Run(t.Context(), []Statement{claim(func(t *T) {
		t.Random(1, 1000, func(t *T, d Dice) {
			switch x := d.Roll(100); {
			case x < 5:
				panic("small")
			case x > 10:
				t.Refute("%d", x)
			}
		})
	})}, Options{})[0]
	if f.Verdict() != Fails || f.Outcome.Counterexample != "11" {
		t.Errorf("%s, %q, %q", f.Verdict(), f.Outcome.Counterexample, f.Reason())
	}
}

// What is bounded comes closest where it is largest, in random cases, too; what fails comes close to nothing.
func TestClose(t *testing.T) {
	t.Parallel()
	check := func(most int) Check {
		return func(t *T) {
			t.Random(1, 50, func(t *T, d Dice) {
				x := d.Roll(10)
				if t.Close(float64(x)/10, "x = %d", x); x > most {
					t.Refute("%d", x)
				}
			})
		}
	}
	s := claim(check(9))
	s.NearMisses = []Claim{{"x ≤ 8", check(8)}}
	f := Run(t.Context(), []Statement{s}, Options{})[0]
	if f.Outcome.Closest != "0.9 of the bound at x = 9" || f.Controls[0].Closest != "" ||
		f.Controls[0].Verdict != Fails {
		t.Errorf("%+v", f)
	}
}

// A reading has a verdict of its own, and a change of it is one.
func TestReadings(t *testing.T) {
	t.Parallel()
	s := claim(func(t *T) { t.Case() })
	fails := Claim{"the other reading", func(t *T) { t.Case(); t.Refute("1") }}
	for _, want := range []Verdict{Fails, Holds} {
		s.Readings = []Reading{{Claim: fails, Verdict: want}}
		f := Run(t.Context(), []Statement{s}, Options{})[0]
		if f.Verdict() != Holds || f.Readings[0].Verdict != Fails ||
			len(f.Contradictions()) != map[Verdict]int{Holds: 1}[want] {
			t.Errorf("%s: %s, %v", want, f.Verdict(), f.Contradictions())
		}
	}
}

// What a check finds is compared with the record; decimals may hardly differ.
func TestFinding_Changes(t *testing.T) {
	t.Parallel()
	run := func(last Record, deep bool) []string {
		s := claim(func(t *T) {
			t.Domain("x = 1 to %d", t.Size(5, 6))
			for x := range t.Size(5, 6) {
				if t.Case(); x == 3 {
					t.Refute("f(%d) = %g, at most %g is claimed", x, 0.5, 4.5e-7)
				}
			}
		})
		s.Verdict, s.Last = Fails, last
		s.Controls = []Claim{{"control", s.Check}}
		return Run(t.Context(), []Statement{s}, Options{Deep: deep})[0].Changes()
	}
	says := func(numbers ...string) Sentence { return Sentence{"f(%s) = %s, at most %s is claimed", numbers} }
	trace := Trace{Domain: "x = 1 to 5", Cases: 4, Counterexample: says("3", "0.5", "4.5e-7")}
	same := Record{Trace: trace, Controls: []Trace{trace}}
	for name, change := range map[string]func(r *Record){
		"case":                    func(r *Record) { r.Cases = 3 },
		"domain":                  func(r *Record) { r.Domain = "x = 1 to 4" },
		"counterexample":          func(r *Record) { r.Counterexample = says("3", "0.3", "4.5e-7") },
		"counterexample, longer":  func(r *Record) { r.Counterexample = says("3", "0.5", "4.5e-7", "1") },
		"words":                   func(r *Record) { r.Counterexample.Words = "f(%s) = %s, claimed is %s" },
		"no record of a control":  func(r *Record) { r.Controls = nil },
		"one of a control more":   func(r *Record) { r.Controls = []Trace{trace, trace} },
		"one of a corrected form": func(r *Record) { r.Corrected = &trace },
		"control": func(r *Record) {
			r.Controls = []Trace{{Domain: "x = 1 to 5", Cases: 4, Counterexample: says("3", "0.5", "4.5e-8")}}
		},
	} {
		other := same
		change(&other)
		if got := run(other, false); len(got) != 1 {
			t.Errorf("%s: %q", name, got)
		}
		if got := run(other, true); len(got) != 0 {
			t.Errorf("%s, with larger domains: %q", name, got)
		}
	}
	nearly := Trace{Domain: "x = 1 to 5", Cases: 4, Counterexample: says("3", "0.5000000000001", "4.5e-7")}
	for _, other := range []Record{same, {Trace: nearly, Controls: []Trace{trace}}} {
		if got := run(other, false); len(got) != 0 {
			t.Errorf("hardly different: %q", got)
		}
	}
	if got := run(Record{}, false); len(got) != 2 {
		t.Errorf("without a record: %q", got)
	}
}

// A failure is made smaller until no roll can be smaller: here, two numbers whose sum is
// more than 10, which shrink to a sum of 11.
func TestRandom_Shrinks(t *testing.T) {
	t.Parallel()
	check := func(t *T) {
		t.Random(1, 1000, func(t *T, d Dice) {
			if a, b := d.Roll(100), d.Roll(100); a+b > 10 {
				t.Refute("%d + %d", a, b)
			}
		})
	}
	f := Run(t.Context(), []Statement{claim(check)}, Options{})[0]
	var a, b int
	if _, err := fmt.Sscanf(f.Outcome.Counterexample, "%d + %d", &a, &b); err != nil || a+b != 11 {
		t.Errorf("counterexample %q", f.Outcome.Counterexample)
	}
	again := Run(t.Context(), []Statement{claim(check)}, Options{})[0]
	if again.Outcome.Counterexample != f.Outcome.Counterexample {
		t.Errorf("%q, and again %q", f.Outcome.Counterexample, again.Outcome.Counterexample)
	}
}

func TestRandom_HoldsAndInconclusive(t *testing.T) {
	t.Parallel()
	f := Run(t.Context(), []Statement{claim(func(t *T) { t.Random(1, 50, func(*T, Dice) {}) })}, Options{})[0]
	if f.Verdict() != Holds || f.Outcome.Cases != 50 {
		t.Errorf("%s after %d cases", f.Verdict(), f.Outcome.Cases)
	}
	f = Run(t.Context(), []Statement{claim(func(t *T) {
		t.Random(1, 50, func(t *T, d Dice) { t.Must(fmt.Errorf("no disk")) })
	})}, Options{})[0]
	if f.Verdict() != Inconclusive || !strings.Contains(f.Reason(), "no disk") {
		t.Errorf("%s: %s", f.Verdict(), f.Reason())
	}
}

// A stream repeats itself, differs from the next, and stays in its range.
func TestSeeded(t *testing.T) {
	t.Parallel()
	rolls := func(seed uint64) (out []int) {
		d := Seeded(seed)
		for range 100 {
			x := d.Roll(6)
			if x < 0 || x > 5 {
				t.Fatalf("rolled %d of 6", x)
			}
			out = append(out, x)
		}
		return out
	}
	if !slices.Equal(rolls(1), rolls(1)) || slices.Equal(rolls(1), rolls(2)) {
		t.Error("streams repeat, or do not")
	}
}

func TestSameNumber(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		s, t string
		want bool
	}{
		{"0.1", "0.1", true}, {"0.123456789012", "0.123456789013", true},
		{"1.00000000001e-7", "1.00000000002e-7", true},
		{"2", "2.0000000001", true},
		{"0.1", "0.1000001", false}, {"1000000000", "1000000001", false}, {"1/3", "0.3333333333", false},
		{"1e-7", "1e-8", false}, {"1.5", "−1.5", false}, {"0.0", "1.5e-300", false},
	} {
		if sameNumber(x.s, x.t) != x.want || sameNumber(x.t, x.s) != x.want {
			t.Errorf("%s and %s: the same is %v, must be %v", x.s, x.t, !x.want, x.want)
		}
	}
}

// What is printed is what the format says, and its numbers are apart.
func TestSay(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]Sentence{
		"δ = 1/2: 3 rounds need 0.12346, 5 % more": say("δ = %s: %d rounds need %.5g, %d %% more",
			"1/2", 3, 0.123456, 5),
		"no number":                say("no number"),
		"[1 2] is %s, 100% of 3.0": say("%v is %s, %s of %.1f", []int{1, 2}, "%s", "100%", 3.0),
	} {
		if s.String() != want {
			t.Errorf("%q, must be %q", s, want)
		}
	}
	want := Sentence{"%s rounds need %s, %s %% more", []string{"3", "0.12", "5"}}
	if got := say("%d rounds need %.2g, %d %% more", 3, 0.1234, 5); !got.same(want) {
		t.Errorf("%+v, must be %+v", got, want)
	}
	list := say("draws %v", []float64{-2, 1.0000000000001})
	if !list.same(say("draws %v", []float64{-2, 1.0000000000002})) || list.same(say("draws %v", []float64{2, 1})) {
		t.Error("numbers of a list are compared one by one")
	}
}

func TestSeverity_WithArticle(t *testing.T) {
	t.Parallel()
	for i, want := range []string{"a false claim", "a proof step", "an edge", "a slip"} {
		if got := Severities[i].WithArticle(); got != want {
			t.Errorf("%s is %q, want %q", Severities[i], got, want)
		}
	}
}
