package register

import (
	"context"
	"runtime"
	"time"
)

// Options says how to run checks.
type Options struct {
	Deep     bool              // larger domains
	Progress func(done, n int) // called after each statement, one call at a time; may be nil
}

// Finding is what came of checking one statement.
type Finding struct {
	Statement Statement
	Outcome   Outcome
	Controls  []Outcome // of Statement.Controls, each of which must fail
	Corrected *Outcome  // of Statement.Corrected, which must hold
	Elapsed   time.Duration
}

// Outcome is what one check found.
type Outcome struct {
	Says           string // the claim
	Verdict        Verdict
	Domain         string // what was gone through
	Cases          int
	Counterexample string // of a claim that fails
	Reason         string // why it is undecided
}

// grace is how long a run waits, when its time is up, for checks to notice.
const grace = 500 * time.Millisecond

// Run checks the statements, on all processors, and returns the findings in their order.
// When ctx ends, what is left becomes Undecided; checks that do not notice go on, to no effect.
func Run(ctx context.Context, statements []Statement, o Options) []Finding {
	type result struct {
		i int
		Finding
	}
	next, results := make(chan int, len(statements)), make(chan result, len(statements))
	findings := make([]Finding, len(statements))
	for i, s := range statements {
		findings[i] = unfinished(s)
		next <- i
	}
	close(next)
	for range min(runtime.GOMAXPROCS(0), len(statements)) {
		go func() {
			for i := range next {
				results <- result{i, examine(ctx, statements[i], o.Deep)}
			}
		}()
	}
	ended, late := ctx.Done(), (<-chan time.Time)(nil)
	for done := 0; done < len(statements); {
		select {
		case r := <-results:
			findings[r.i] = r.Finding
			if done++; o.Progress != nil {
				o.Progress(done, len(statements))
			}
		case <-ended:
			ended, late = nil, time.After(grace)
		case <-late:
			return findings
		}
	}
	return findings
}

// unfinished returns the finding about a statement that was not checked to the end.
func unfinished(s Statement) Finding {
	f := Finding{Statement: s, Outcome: Outcome{Says: s.Title, Verdict: Undecided, Reason: "interrupted"}}
	if s.Check == nil {
		f.Outcome.Verdict, f.Outcome.Reason = NotCheckable, s.Note
	}
	return f
}

// examine checks one statement, its controls and its corrected form.
func examine(ctx context.Context, s Statement, deep bool) Finding {
	start := time.Now()
	f := unfinished(s)
	if s.Check != nil {
		f.Outcome = decide(ctx, Claim{s.Title, s.Check}, deep)
	}
	for _, c := range s.Controls {
		f.Controls = append(f.Controls, decide(ctx, c, deep))
	}
	if s.Corrected != nil {
		o := decide(ctx, *s.Corrected, deep)
		f.Corrected = &o
	}
	f.Elapsed = time.Since(start)
	return f
}

func decide(ctx context.Context, c Claim, deep bool) Outcome {
	t := &T{ctx: ctx, deep: deep}
	t.run(c.Check)
	return Outcome{c.Says, t.verdict(), t.domain, t.cases, t.counterexample, t.undecided}
}

// Verdict returns Undecided if anything about the statement is undecided, and
// otherwise the verdict that was found.
func (f Finding) Verdict() Verdict {
	for _, o := range f.outcomes() {
		if o.Verdict == Undecided {
			return Undecided
		}
	}
	return f.Outcome.Verdict
}

// Reason says what is undecided about the statement, and why.
func (f Finding) Reason() string {
	if f.Outcome.Verdict == Undecided {
		return f.Outcome.Reason
	}
	for _, o := range f.outcomes() {
		if o.Verdict == Undecided {
			return "“" + o.Says + "”: " + o.Reason
		}
	}
	return ""
}

func (f Finding) outcomes() []Outcome {
	all := append([]Outcome{f.Outcome}, f.Controls...)
	if f.Corrected != nil {
		all = append(all, *f.Corrected)
	}
	return all
}

// Record returns what is kept of the finding.
func (f Finding) Record() Record {
	r := Record{Domain: f.Outcome.Domain, Counterexample: f.Outcome.Counterexample}
	if f.Corrected != nil {
		r.Corrected = f.Corrected.Domain
	}
	return r
}

// Changes returns what is not as recorded, one line each: another verdict, a control that
// was not refuted, a corrected form that does not hold. What is undecided is no change.
func (f Finding) Changes() []string {
	var changes []string
	expect := func(o Outcome, what string, want Verdict) {
		if o.Verdict != want && o.Verdict != Undecided {
			changes = append(changes, what+" "+string(o.Verdict)+", recorded: "+string(want)+detail(o))
		}
	}
	expect(f.Outcome, "the statement", f.Statement.Verdict)
	for _, o := range f.Controls {
		expect(o, "control “"+o.Says+"”", Fails)
	}
	if f.Corrected != nil {
		expect(*f.Corrected, "corrected form “"+f.Corrected.Says+"”", Holds)
	}
	return changes
}

func detail(o Outcome) string {
	if o.Counterexample == "" {
		return ""
	}
	return ": " + o.Counterexample
}
