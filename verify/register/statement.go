package register

// Statement is one entry of the register: a numbered statement of a text, how it is
// checked, and what came of it.
type Statement struct {
	ID    string // such as ODP-L4: D definition, L lemma, T theorem, C corollary, A algorithm, E equation, F figure, TB table, X running text
	Title string // what it says, in one line
	Kind  Kind
	// Verdict is the recorded one; a run that finds another has found a change.
	Verdict Verdict
	Note    string   // what to know: why it cannot be checked, how print is read, what is wrong with it
	In      []string // where it is implemented, such as spec.OptDel

	Check     Check   // nil if and only if Verdict is NotCheckable
	Controls  []Claim // wrong on purpose: Check's method must refute each of them
	Corrected *Claim  // of a statement that fails: what holds instead

	Last Record // of the last recorded run; zero if there was none
}

// Claim is a variant of a statement.
type Claim struct {
	Says  string
	Check Check
}

// Check looks for a counterexample and reports it to t. It returns when it has been
// through its domain.
type Check func(t *T)

// Kind is the kind of evidence that a check gives.
type Kind string

// The kinds, strongest first, and the two that come without a check.
const (
	Exact       Kind = "exact"       // rational arithmetic over a finite family, exhaustively
	Certified   Kind = "certified"   // intervals that contain the real numbers
	Property    Kind = "property"    // random search, failures made smaller
	Statistical Kind = "statistical" // sampling, with level and power
	Definition  Kind = "definition"  // asserts nothing
	Opinion     Kind = "none"        // asserts something that no program can check; Note says why
)

// Verdict is what came of checking a statement.
type Verdict string

// The verdicts. Undecided is never recorded: a run ended before its check did, or
// an interval was too wide to tell.
const (
	Holds        Verdict = "holds" // on the domain of the check
	Fails        Verdict = "fails" // there is a counterexample
	NotCheckable Verdict = "not-checkable"
	Undecided    Verdict = "undecided"
)
