package register

import (
	"context"
	"runtime"
	"runtime/debug"
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
	Readings  []Outcome // of Statement.Readings
	Controls  []Outcome // of Statement.Controls and Statement.NearMisses, each of which must fail
	Corrected *Outcome  // of Statement.Corrected, which must hold
	Deep      bool      // whether the domains were larger than those that are recorded
	Elapsed   time.Duration
}

// Outcome is what one check found.
type Outcome struct {
	Says           string // the claim
	Verdict        Verdict
	Domain         string // what was gone through
	Cases          int
	Counterexample string // of a claim that fails
	Closest        string // of a bound that holds: how close the domain came to equality, and where
	Reason         string // why it is inconclusive
	trace          Trace
}

// grace is how long a run waits, when its time is up, for checks to notice.
const grace = 500 * time.Millisecond

// gcPercent lets the heap grow to five times what is in use while checks run: they keep little, and leave many small
// numbers behind them, of which a quarter of the time was for collecting them.
const gcPercent = 400

// Run checks the statements, on all processors, and returns the findings in their order.
// When ctx ends, what is left becomes Inconclusive; checks that do not notice go on, to no effect.
func Run(ctx context.Context, statements []Statement, o Options) []Finding {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
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
	f := Finding{Statement: s, Outcome: Outcome{Says: s.Title, Verdict: Inconclusive, Reason: "interrupted"}}
	if s.Check == nil {
		f.Outcome.Verdict, f.Outcome.Reason = NotCheckable, s.Note
	}
	return f
}

// examine checks one statement, its controls and its corrected form.
func examine(ctx context.Context, s Statement, deep bool) Finding {
	start := time.Now()
	f := unfinished(s)
	f.Deep = deep
	if s.Check != nil {
		f.Outcome = decide(ctx, Claim{s.Title, s.Check}, deep)
	}
	for _, r := range s.Readings {
		f.Readings = append(f.Readings, decide(ctx, r.Claim, deep))
	}
	for _, c := range s.AllControls() {
		f.Controls = append(f.Controls, decide(ctx, c, deep))
	}
	if s.Corrected != nil {
		f.Corrected = new(decide(ctx, *s.Corrected, deep))
	}
	f.Elapsed = time.Since(start)
	return f
}

func decide(ctx context.Context, c Claim, deep bool) Outcome {
	t := &T{ctx: ctx, deep: deep}
	t.run(c.Check)
	v := t.verdict()
	trace := Trace{t.domain, t.cases, t.counterexample, t.closest(v)}
	return Outcome{c.Says, v, t.domain, t.cases, trace.Counterexample.String(),
		trace.Closest.String(), t.inconclusive, trace}
}

// Verdict returns Inconclusive if anything about the statement is inconclusive, and
// otherwise the verdict that was found.
func (f Finding) Verdict() Verdict {
	if f.Reason() != "" {
		return Inconclusive
	}
	return f.Outcome.Verdict
}

// Reason says what is inconclusive about the statement, and why.
func (f Finding) Reason() string {
	if f.Outcome.Verdict == Inconclusive {
		return f.Outcome.Reason
	}
	for _, e := range f.expected() {
		if e.Verdict == Inconclusive {
			return "“" + e.Says + "”: " + e.Reason
		}
	}
	return ""
}

// Record returns what is kept of the finding.
func (f Finding) Record() Record {
	r := Record{Trace: f.Outcome.trace, Readings: traces(f.Readings), Controls: traces(f.Controls)}
	if f.Corrected != nil {
		r.Corrected = &f.Corrected.trace
	}
	return r
}

func traces(outcomes []Outcome) (all []Trace) {
	for _, o := range outcomes {
		all = append(all, o.trace)
	}
	return all
}

// Contradictions returns what has another verdict than it should, one line each: the statement, a reading, a control
// that was not refuted, a corrected form that does not hold. What is inconclusive is none.
func (f Finding) Contradictions() (all []string) {
	for _, e := range f.expected() {
		if e.Verdict != Inconclusive && e.Verdict != e.want {
			all = append(all, e.what+" "+string(e.Verdict)+", recorded: "+string(e.want)+detail(e.Outcome))
		}
	}
	return all
}

// ToRecord says how to record what was found.
const ToRecord = "go test -run Register -update, in the folder of the text, records what was found"

// Changes returns what is not as recorded, one line each: contradictions and, in a run of the normal size, other cases,
// domains or counterexamples, and what has no record. What is inconclusive is no change.
func (f Finding) Changes() []string {
	changes := f.Contradictions()
	if f.Deep || f.Statement.Check == nil {
		return changes
	}
	last := f.Statement.Last
	s := f.Statement // a run that was cut off has less
	if len(last.Readings) > len(s.Readings) || len(last.Controls) > len(s.AllControls()) ||
		last.Corrected != nil && s.Corrected == nil {
		changes = append(changes, "there are records of more readings, controls or corrected forms than there are; "+ToRecord)
	}
	for _, e := range f.expected() {
		switch {
		case e.Verdict != e.want:
		case e.then == nil || e.then.Verdict() == Inconclusive:
			changes = append(changes, e.what+": not recorded yet; "+ToRecord)
		default:
			for _, d := range e.trace.differences(*e.then) {
				changes = append(changes, e.what+": "+d)
			}
		}
	}
	return changes
}

// IsUnrecorded reports whether the statement was checked and there is no record of it yet.
func (f Finding) IsUnrecorded() bool {
	return f.Statement.Check != nil && f.Statement.Last.Verdict() == Inconclusive
}

// expectation is an outcome with the verdict that it should have, and its record, or nil.
type expectation struct {
	what string
	Outcome
	want Verdict
	then *Trace
}

func (f Finding) expected() []expectation {
	last := f.Statement.Last
	all := []expectation{{"the statement", f.Outcome, f.Statement.Verdict, &last.Trace}}
	for i, o := range f.Controls {
		all = append(all, expectation{"control “" + o.Says + "”", o, Fails, Of(last.Controls, i)})
	}
	for i, o := range f.Readings {
		all = append(all,
			expectation{"reading “" + o.Says + "”", o, f.Statement.Readings[i].Verdict, Of(last.Readings, i)})
	}
	if f.Corrected != nil {
		all = append(all, expectation{"corrected form “" + f.Corrected.Says + "”", *f.Corrected, Holds, last.Corrected})
	}
	return all
}

func detail(o Outcome) string {
	if o.Counterexample == "" {
		return ""
	}
	return ": " + o.Counterexample
}
