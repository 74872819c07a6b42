package register

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// claim is a statement that is only its check.
func claim(check Check) Statement {
	return Statement{ID: "X", Title: "x", Kind: Exact, Verdict: Holds, Check: check}
}

func TestRun_Order(t *testing.T) {
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

// What is not checked when the time is up is undecided, and no change.
func TestRun_Interrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	endless := claim(func(t *T) {
		for {
			t.Case()
			cancel()
		}
	})
	f := Run(ctx, []Statement{endless}, Options{})[0]
	if f.Verdict() != Undecided || f.Reason() != "interrupted in case 2" || len(f.Changes()) > 0 {
		t.Errorf("%s, %q, %v", f.Verdict(), f.Reason(), f.Changes())
	}
}

// A check that does not notice that the time is up is not waited for; the others are.
func TestRun_Deaf(t *testing.T) {
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
	start := time.Now()
	findings := Run(ctx, []Statement{definition, deaf, late}, Options{})
	if took := time.Since(start); took > 20*grace {
		t.Errorf("it took %v", took)
	}
	if v := findings[0].Verdict(); v != NotCheckable {
		t.Errorf("a definition is %s", v)
	}
	for _, f := range findings[1:] {
		if f.Verdict() != Undecided || len(f.Changes()) > 0 {
			t.Errorf("%s, %v", f.Verdict(), f.Changes())
		}
	}
}

// A call within a check that is cut short leaves it undecided; its other errors do not.
func TestRun_InterruptedCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := claim(func(t *T) {
		t.Case()
		cancel()
		panic(fmt.Errorf("internal error: %w", t.Context().Err()))
	})
	if f := Run(ctx, []Statement{s}, Options{})[0]; f.Verdict() != Undecided || f.Reason() != "interrupted in case 1" {
		t.Errorf("%s: %q", f.Verdict(), f.Reason())
	}
	defer func() {
		if recover() == nil {
			t.Error("the panic was swallowed")
		}
	}()
	(&T{ctx: t.Context()}).run(func(*T) { panic(fmt.Errorf("internal error: %w", context.Canceled)) })
}

func TestRun_Deep(t *testing.T) {
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

// A panic of a check is a defect, and is not swallowed.
func TestRun_Panic(t *testing.T) {
	defer func() {
		if r := recover(); r != "defect" {
			t.Errorf("recovered %v", r)
		}
	}()
	(&T{ctx: t.Context()}).run(func(*T) { panic("defect") })
}

// A failure is made smaller until no roll can be smaller: here, two numbers whose sum is
// more than 10, which shrink to a sum of 11.
func TestRandom_Shrinks(t *testing.T) {
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

func TestRandom_HoldsAndUndecided(t *testing.T) {
	f := Run(t.Context(), []Statement{claim(func(t *T) { t.Random(1, 50, func(*T, Dice) {}) })}, Options{})[0]
	if f.Verdict() != Holds || f.Outcome.Cases != 50 {
		t.Errorf("%s after %d cases", f.Verdict(), f.Outcome.Cases)
	}
	f = Run(t.Context(), []Statement{claim(func(t *T) {
		t.Random(1, 50, func(t *T, d Dice) { t.Must(fmt.Errorf("no disk")) })
	})}, Options{})[0]
	if f.Verdict() != Undecided || !strings.Contains(f.Reason(), "no disk") {
		t.Errorf("%s: %s", f.Verdict(), f.Reason())
	}
}

// A stream repeats itself, differs from the next, and stays in its range.
func TestSeeded(t *testing.T) {
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
