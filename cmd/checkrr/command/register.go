package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/register"
)

// chosenEntries says which statements a command is about.
type chosenEntries struct {
	ids     []string // IDs with * for anything, or names of texts; none for all
	verdict string   // a recorded verdict; "" for all
}

// from returns the statements selected, in the order of the register; those that fail by their weight, the
// heaviest first.
func (c chosenEntries) from(a app) ([]register.Statement, error) {
	if err := c.resolve(a); err != nil {
		return nil, err
	}
	var out []register.Statement
	for _, s := range a.statements() {
		named := len(c.ids) == 0 || slices.ContainsFunc(c.ids, func(id string) bool { return a.names(id, s.ID) })
		if named && (c.verdict == "" || c.verdict == string(s.Verdict) || c.verdict == string(register.Fails) &&
			s.MostSevere() != "") {
			out = append(out, s)
		}
	}
	if c.verdict == string(register.Fails) {
		slices.SortStableFunc(out, func(a, b register.Statement) int {
			return cmp.Compare(slices.Index(register.Severities, a.MostSevere()),
				slices.Index(register.Severities, b.MostSevere()))
		})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("none of the statements named has the recorded verdict %s", c.verdict)
	}
	return out, nil
}

// recordable are the verdicts that can be recorded.
var recordable = []string{string(register.Holds), string(register.Fails), string(register.NotCheckable)}

// resolve puts the ID of a statement in the place of a name that is its alone, such as Theorem 15. Whatever else names
// nothing is an error.
func (c *chosenEntries) resolve(a app) error {
	statements := a.statements()
	c.ids = slices.Clone(c.ids)
	for i, id := range c.ids {
		if !slices.ContainsFunc(statements, func(s register.Statement) bool { return a.names(id, s.ID) }) {
			ids := report.Names(statements, func(s register.Statement) string { return s.ID })
			err := fmt.Errorf("%s is not the ID of a statement, such as ODP-T15 or ODP-L*, nor a text: %s; %s "+
				"statements lists them; a text of your own is known only to its own program", report.Quote(id),
				strings.Join(a.textNames(), ", "), programName)
			says, named := meantBy(id, statements)
			switch {
			case len(named) == 1 && says != mentions:
				c.ids[i] = named[0]
				continue
			case len(named) > 0:
				return fmt.Errorf("%s is not the ID of a statement; %s: %s", report.Quote(id), says, someOf(named))
			}
			if parts := piecesOf(id, ids); parts != nil {
				whole := strings.ToUpper(id)
				return fmt.Errorf("%s is stated in parts: %s; '%s*' is all of them", whole, someOf(parts), whole)
			}
			return didYouMean(err, strings.ToUpper(id), ids)
		}
	}
	return nil
}

// piecesOf returns the statements that are parts of what the argument numbers, as PSC-T3.1a is of PSC-T3.1, and it of
// PSC-T3.
func piecesOf(argument string, ids []string) (parts []string) {
	if !strings.ContainsFunc(argument, unicode.IsDigit) {
		return nil
	}
	for _, id := range ids {
		part, isPart := strings.CutPrefix(strings.ToUpper(id), strings.ToUpper(argument))
		if isPart && part != "" && (!unicode.IsDigit(rune(part[0])) || strings.HasSuffix(argument, ".")) {
			parts = append(parts, id)
		}
	}
	return parts
}

// meantBy returns the statements that print calls so, such as Theorem 15; or if there are none those whose IDs end like
// a short name, such as T15 or thm 15; or those that print has where something else is called so, as in its proof.
func meantBy(name string, statements []register.Statement) (says string, ids []string) {
	name = strings.TrimSpace(name)
	if len(name) > 80 || !utf8.ValidString(name) || !strings.ContainsFunc(name, unicode.IsDigit) {
		return "", nil
	}
	word := regexp.QuoteMeta(name)
	short := regexp.QuoteMeta(shortName.ReplaceAllString(name, "$1$2"))
	of := func(pattern string, text func(s register.Statement) string) (ids []string) {
		found := regexp.MustCompile("(?i)" + pattern)
		for _, s := range statements {
			if found.MatchString(text(s)) {
				ids = append(ids, s.ID)
			}
		}
		return ids
	}
	place := func(s register.Statement) string {
		where, _, _ := strings.Cut(s.Printed, ":")
		return where + " "
	}
	if ids = of(`(^|[,;] )`+word+`( *$|[,;:(]|\.\D| \(| with | and )`, place); len(ids) > 0 {
		return "print calls so", ids
	}
	if ids = of(`-`+short+`([a-z][0-9]*)?$`, func(s register.Statement) string { return s.ID }); len(ids) > 0 {
		return "these end so", ids
	}
	return mentions, of(`(^|\W)`+word+`($|[^\w.]|\.\D)`, place)
}

// mentions is said of statements that print has where something else is called so.
const mentions = "print has there"

// shortName is a name of a kind and a number, with the initial and the number.
var shortName = regexp.MustCompile(`^([A-Za-z])[A-Za-z]*\.? +([A-Z0-9.]+)$`)

// someOf lists IDs, and how many more there are of many.
func someOf(ids []string) string {
	const most = 12
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
}

func (a app) textNames() []string {
	return report.Names(a.papers, func(p register.Paper) string { return p.Name })
}

// names reports whether an argument names the statement: by its ID, or by its text, whose name or prefix it is.
func (a app) names(argument, id string) bool {
	argument = strings.ToUpper(argument)
	prefix, _, _ := strings.Cut(id, "-")
	matches, err := path.Match(argument, strings.ToUpper(id))
	return err == nil && matches || argument == prefix || slices.ContainsFunc(a.papers, func(p register.Paper) bool {
		return p.Prefix == prefix && strings.EqualFold(p.Name, argument)
	})
}

// selectBy adds the flag --verdict.
func selectBy(cmd *cobra.Command, c *chosenEntries) {
	addChoiceTo(cmd, &c.verdict, "verdict", "",
		"only statements with this recorded `VERDICT`: "+strings.Join(recordable, ", "), recordable)
}

// statementsJSON is the output of statements, verify and explain with --json.
func statementsJSON(findings []register.Finding, toJSON func(register.Finding) report.Object) report.Object {
	all := []report.Object{}
	for _, f := range findings {
		all = append(all, toJSON(f))
	}
	return report.Output("statements", all)
}

// recorded is a statement that was not checked now, as if what is recorded of it had been found.
func recorded(s register.Statement) register.Finding {
	f := register.Finding{Statement: s, Outcome: register.Outcome{Verdict: register.NotCheckable}}
	if s.Check != nil {
		f.Outcome = outcomeOf(s.Title, &s.Last.Trace)
	}
	for i, r := range s.Readings {
		f.Readings = append(f.Readings, outcomeOf(r.Says, register.Of(s.Last.Readings, i)))
	}
	for i, c := range s.AllControls() {
		f.Controls = append(f.Controls, outcomeOf(c.Says, register.Of(s.Last.Controls, i)))
	}
	if s.Corrected != nil {
		f.Corrected = new(outcomeOf(s.Corrected.Says, s.Last.Corrected))
	}
	return f
}

// outcomeOf is a claim that was not checked now, with what is recorded of it, if anything is.
func outcomeOf(says string, last *register.Trace) register.Outcome {
	if last == nil {
		last = &register.Trace{}
	}
	return register.Outcome{Says: says, Verdict: last.Verdict(), Domain: last.Domain, Cases: last.Cases,
		Counterexample: last.Counterexample.String(), Closest: last.Closest.String(), Reason: "no run is recorded"}
}

// found is a statement that was checked, with what is recorded where it was not.
func found(f register.Finding) register.Finding {
	all := recorded(f.Statement)
	copy(all.Readings, f.Readings)
	copy(all.Controls, f.Controls)
	all.Corrected = cmp.Or(f.Corrected, all.Corrected)
	f.Readings, f.Controls, f.Corrected = all.Readings, all.Controls, all.Corrected
	return f
}

// verdictsIn says what verdicts an output of verify --json has: “holds” or, of several, “2 hold, 1 fails as recorded”.
func verdictsIn(output []byte) string {
	var all struct {
		Statements []struct {
			Verdict register.Verdict
			Changes []string
		}
	}
	if json.Unmarshal(output, &all) != nil {
		return ""
	}
	count := map[string]int{}
	for _, s := range all.Statements {
		says := string(s.Verdict)
		switch {
		case len(s.Changes) > 0:
			says += " not as recorded"
		case s.Verdict == register.Fails:
			says += " as recorded"
		}
		if count[says]++; len(all.Statements) == 1 {
			return says
		}
	}
	var says []string
	for _, v := range []register.Verdict{register.Holds, register.Fails, register.NotCheckable, register.Inconclusive} {
		for _, how := range []string{"", " as recorded", " not as recorded"} {
			verb := string(v)
			n := count[verb+how]
			if n > 1 {
				verb = strings.TrimSuffix(verb, "s")
			}
			if n > 0 {
				says = append(says, fmt.Sprint(n, " ", verb, how))
			}
		}
	}
	return strings.Join(says, ", ")
}

// statementJSON is a statement with what was found, or is recorded.
func statementJSON(f register.Finding) report.Object {
	s, controls := f.Statement, []report.Object{}
	var readings []report.Object
	for i, r := range f.Readings {
		readings = append(readings, claimJSON(r, s.Readings[i].Severity))
	}
	for _, c := range f.Controls {
		controls = append(controls, claimJSON(c, ""))
	}
	var corrected report.Object
	if f.Corrected != nil {
		corrected = claimJSON(*f.Corrected, "")
	}
	return report.Object{
		"id", s.ID,
		"title", s.Title,
		"kind", s.Kind,
		"verdict", f.Verdict(),
		"recorded", s.Verdict, // what is expected
		"weight?", s.Severity,
		"printed?", s.Printed,
		"reading?", s.Reading,
		"domain", orNull(f.Outcome.Domain),
		"cases?", f.Outcome.Cases,
		"counterexample", orNull(f.Outcome.Counterexample),
		"closest?", f.Outcome.Closest,
		"readings?", readings,
		"corrected", corrected,
		"controls", controls,
		"note?", s.Note,
		"implemented_in", append([]string{}, s.In...),
	}
}

// claimJSON is a variant of a statement: a control, the corrected form, or a reading with its weight if that is printed
// and fails.
func claimJSON(o register.Outcome, weight register.Severity) report.Object {
	return report.Object{"title", o.Says, "verdict", o.Verdict, "domain?", o.Domain, "counterexample?",
		o.Counterexample, "closest?", o.Closest, "weight?", weight}
}

// findingJSON is a statement that was checked.
func findingJSON(f register.Finding) report.Object {
	f = found(f)
	return append(statementJSON(f),
		"changes?", f.Changes(), "inconclusive?", f.Reason(), "seconds", report.Microseconds(f.Elapsed))
}

// weighed returns a verdict and the weight of what is wrong in print: of the statement or, if that holds, of a step or
// a reading.
func weighed(v register.Verdict, s register.Statement) string {
	w := s.MostSevere()
	switch {
	case w == "":
		return string(v)
	case v == register.Fails:
		return string(v) + ": " + string(w)
	case v == register.Holds && w == register.ProofStep:
		return "holds, a step fails"
	case v == register.Holds:
		return "holds, but for " + w.WithArticle()
	}
	return string(v)
}

// orNull is a text, or null if that is empty.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// completeIDs completes the IDs of statements.
func (a app) completeIDs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	for _, s := range a.statements() {
		ids = append(ids, fmt.Sprintf("%s\t%s", s.ID, s.Title))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
