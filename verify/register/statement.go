package register

import "slices"

// Statement is one entry of the register: a numbered statement of a text, how it is
// checked, and what came of it.
type Statement struct {
	// ID is such as ODP-L4: D definition, L lemma, T theorem, C corollary, A algorithm, E equation, F figure, TB table,
	// X running text.
	ID      string
	Title   string // what it says, in one line
	Printed string // where it stands, and its formula, as it is there
	Reading string // how print is read, where it leaves that open
	Kind    Kind
	// Verdict is the recorded one; a run that finds another has found a change.
	Verdict  Verdict
	Severity Severity // of a statement that fails
	Note     string   // what to know: why it cannot be checked, what is wrong with it
	In       []string `yaml:"places"` // what the check runs of it, such as spec.OptDel
	Figures  []Figure // without their curves

	// What runs for it is code: see [Checked].
	Check      Check     `yaml:"-"` // of the statement as it is read; nil if and only if Verdict is NotCheckable
	File       string    `yaml:"-"` // in which that stands, such as verify/odp/optdel.go
	Readings   []Reading `yaml:"-"` // other ways to read it
	Controls   []Claim   `yaml:"-"` // wrong on purpose: Check's method must refute each of them
	NearMisses []Claim   `yaml:"-"` // the same, and wrong by little: a constant, one case of many, one side of two
	Corrected  *Claim    `yaml:"-"` // of a statement that fails: what holds instead

	Last Record `yaml:"-"` // of the last recorded run; zero if there was none
}

// MostSevere returns the severity of what is wrong in print: of the statement or, if it holds, of its worst reading.
func (s Statement) MostSevere() Severity {
	if s.Severity != "" {
		return s.Severity
	}
	for _, w := range Severities {
		if slices.ContainsFunc(s.Readings, func(r Reading) bool { return r.Severity == w }) {
			return w
		}
	}
	return ""
}

// AllControls returns the controls, those that nearly hold at the end.
func (s Statement) AllControls() []Claim { return slices.Concat(s.Controls, s.NearMisses) }

// Claim is a variant of a statement.
type Claim struct {
	Says  string
	Check Check
}

// Reading is another way to read a statement, or a step of its proof, with a verdict of its own.
type Reading struct {
	Claim
	Verdict  Verdict  // Holds or Fails
	Severity Severity // of one that fails, if it is what is printed
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

// Severity is how much it matters that a statement fails.
type Severity string

// The severities, worst first.
const (
	False     Severity = "false"      // what it says is wrong
	ProofStep Severity = "proof-step" // a step of a proof is wrong; what is proved may hold
	Edge      Severity = "edge"       // wrong in a degenerate case only
	Slip      Severity = "slip"       // one sign, index or word; some may have been lost on the way from print to text
)

// WithArticle returns the severity of what is wrong as a noun: “an edge”, “a slip”.
func (w Severity) WithArticle() string {
	switch w {
	case False:
		return "a false claim"
	case ProofStep:
		return "a proof step"
	case Edge:
		return "an edge"
	}
	return "a " + string(w)
}

// Severities are all of them, worst first.
var Severities = []Severity{False, ProofStep, Edge, Slip}

// Verdict is what came of checking a statement.
type Verdict string

// The verdicts. Inconclusive is never recorded: a run ended before its check did, or
// an interval was too wide to tell.
const (
	Holds        Verdict = "holds" // on the domain of the check
	Fails        Verdict = "fails" // there is a counterexample
	NotCheckable Verdict = "not-checkable"
	Inconclusive Verdict = "inconclusive"
)
