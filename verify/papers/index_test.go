package papers

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"checkrr/docs"
	"checkrr/verify/register"
	"checkrr/verify/register/registertest"
)

// TestIndex: the pages that are made of the registers and the code are what these say; -update writes them.
func TestIndex(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"index.md": index(t), "papers.md": wrongInPrint()} {
		file := filepath.Join(registertest.Root(t), "docs", name)
		if registertest.Updating() {
			if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != want {
			t.Errorf("docs/%s is out of date: go test ./verify/papers -update (%v)", name, err)
		}
	}
}

// README counts the statements of the texts, and those that fail, without our own theorems.
func TestIndex_README(t *testing.T) {
	t.Parallel()
	texts, statements, failing := 0, 0, 0
	for _, p := range All {
		if p.Name == "ours" {
			continue
		}
		texts, statements = texts+1, statements+len(p.IDs())
		for _, s := range p.Statements() {
			if s.Severity != "" {
				failing++
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(registertest.Root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%d statements in four texts", statements)
	fail := fmt.Sprintf("%d of the %d statements", failing, statements)
	if says := string(text); texts != 4 || !strings.Contains(says, want) || !strings.Contains(says, fail) {
		t.Errorf("README.md must say %q and %q, and there are %d texts", want, fail, texts)
	}
}

// index returns a table a paper: where each statement is transcribed, made fast, enumerated and checked.
func index(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# Index of statements\n\nWhere each statement is transcribed (spec), made fast (impl), " +
		"enumerated (exhaustive) and checked: what cites its number.\nA cell is empty where nothing has the number " +
		"of the statement as its own; what lies beneath may. Written by `go test ./verify/papers -update`; `checkrr " +
		"explain ID` says what came of it.\n")
	symbols := registertest.Symbols(t)
	b.WriteString("\nContents: " + contents() + ".\n")
	for _, p := range All {
		fmt.Fprintf(&b, "\n## %s\n\n`checkrr statements %s`\n\n| ID | what it says | recorded | spec | impl | "+
			"exhaustive | check |\n|---|---|---|---|---|---|---|\n", p.Title, p.Name)
		checks := registertest.Checks(t, p)
		for _, s := range p.Statements() {
			rooms := map[string][]string{}
			for _, name := range citing(symbols, s.ID) {
				room, rest, _ := strings.Cut(symbols[name].File, "/")
				if strings.Contains(rest, "/") { // of a package beneath it
					rest = name
				} else {
					_, rest, _ = strings.Cut(name, ".")
				}
				rooms[room] = append(rooms[room], fmt.Sprintf("[%s](../%s)", rest, symbols[name].File))
			}
			if checks[s.ID] == "" {
				t.Errorf("%s: its entry is in no file of verify/%s", s.ID, p.Name)
			}
			if s.Check != nil && s.File != checks[s.ID] {
				t.Errorf("%s: its check is said to be in %s, and is in %s", s.ID, s.File, checks[s.ID])
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | [%s](../%s) |\n",
				s.ID, cell(s.Title), recorded(s), strings.Join(rooms["spec"], ", "), strings.Join(rooms["impl"], ", "),
				strings.Join(rooms["exhaustive"], ", "), path.Base(checks[s.ID]), checks[s.ID])
		}
	}
	return b.String()
}

// contents returns links to the texts.
func contents() string {
	var links []string
	for _, p := range All {
		links = append(links, fmt.Sprintf("[%s](#%s)", p.Title, docs.Anchor(p.Title)))
	}
	return strings.Join(links, ", ")
}

// wrongInPrint returns a table a paper: what a check refuted, the most severe first.
func wrongInPrint() string {
	var b strings.Builder
	b.WriteString(`# What is wrong in print

The printed statements that a check refuted, and the steps of their proofs or the words of them that fail as they are
printed: each with the smallest counterexample that was found, and what holds instead.

* False: what it says is wrong.
* Proof step: a step of a proof is wrong, and what is proved may hold.
* Edge: wrong in a degenerate case only.
* Slip: one sign, index or word, some of which may have been lost on the way from print to text.

Where the last column begins with “the statement:”, the statement holds: only a step of its proof or a word fails.
“The statement fails, too” stands at steps and words of a statement that has a row of its own.
The severity says how much of the text is wrong, not how much harm it does: with N from 1, a slip of FAC-T8, the first
mechanism always runs, whatever it gives away.
[A] and [B] are the texts of the ODP paper in PoPETs and on arXiv.
` + "`checkrr statements odp --verdict fails` lists those of a text, `checkrr explain ID` says how a statement is\n" +
		"read, and `checkrr verify ID` checks it again.\n" +
		"Written by `go test ./verify/papers -update`.\n")
	b.WriteString("\nStatements that fail, by severity, and after + those that hold but for a step or words:\n\n" +
		"| text | statements |")
	for _, w := range register.Severities {
		b.WriteString(" " + severityName(w) + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(register.Severities)) + "\n")
	tables := ""
	for _, p := range All {
		all, counts, rows := p.Statements(), "", ""
		for _, w := range register.Severities {
			failing, within := 0, 0
			for _, s := range all {
				switch {
				case s.Severity == w:
					failing++
					rows += wrongRow(s)
				case s.Verdict == register.Holds && s.MostSevere() == w:
					within++
				}
				rows += wrongReadings(s, w)
			}
			counts += fmt.Sprintf(" %d + %d |", failing, within)
		}
		fmt.Fprintf(&b, "| %s | %d |%s\n", p.Title, len(all), counts)
		if rows != "" {
			tables += "\n## " + p.Title + "\n\n| ID | severity | what is printed | counterexample | what holds |\n" +
				"|---|---|---|---|---|\n" + rows
		}
	}
	return b.String() + tables
}

// severityName returns a severity as it is printed.
func severityName(w register.Severity) string { return strings.ReplaceAll(string(w), "-", " ") }

// wrongRow returns the row of a statement that fails.
func wrongRow(s register.Statement) string {
	holds := ""
	if s.Corrected != nil {
		holds = s.Corrected.Says
	}
	return row(s.ID, s.Severity, s.Title, s.Last.Counterexample, holds)
}

// wrongReadings returns the rows of the steps and words of a statement that fail, of one severity.
func wrongReadings(s register.Statement, w register.Severity) (rows string) {
	whole := "the statement: " + s.Title
	if s.Verdict == register.Fails {
		whole = "the statement fails, too"
	}
	for i, r := range s.Readings {
		if trace := register.Of(s.Last.Readings, i); r.Severity == w && trace != nil {
			rows += row(s.ID, w, r.Says, trace.Counterexample, whole)
		}
	}
	return rows
}

// row returns a row of a table.
func row(id string, w register.Severity, printed string, counterexample register.Sentence, holds string) string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s |\n", id, severityName(w), cell(printed),
		cell(counterexample.String()), cell(holds))
}

// citing returns the symbols that cite a statement, by name.
func citing(symbols map[string]registertest.Symbol, id string) (names []string) {
	for name, symbol := range symbols {
		if slices.Contains(symbol.Cited(), id) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Every register has the tests that all registers share.
func TestTested(t *testing.T) {
	t.Parallel()
	for _, p := range All {
		tests, err := filepath.Glob(filepath.Join(registertest.Root(t), "verify", p.Name, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, file := range tests {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
		for _, call := range []string{"registertest.Run(", "registertest.Runs("} {
			if !strings.Contains(all.String(), call) {
				t.Errorf("no test of verify/%s calls %s…)", p.Name, call)
			}
		}
	}
}

// CI runs the coverage of the checks of every register.
func TestTested_ByCI(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(registertest.Root(t), ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range All {
		names = append(names, p.Name)
	}
	if loop := "for text in " + strings.Join(names, " ") + "; do"; !strings.Contains(string(text), loop) {
		t.Errorf(".ci/run must have the line %q", loop)
	}
}

// recorded returns the verdict and the kind of evidence.
func recorded(s register.Statement) string {
	if s.Verdict == register.NotCheckable {
		return "not checkable"
	}
	return fmt.Sprintf("%s (%s)", s.Verdict, s.Kind)
}

// cell returns a text as it may stand in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// The IDs of the papers differ.
func TestAll(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, p := range All {
		for _, id := range p.IDs() {
			if seen[id] != "" {
				t.Errorf("%s is in %s and in %s", id, seen[id], p.Name)
			}
			seen[id] = p.Name
		}
	}
}

// Every exported function of spec says which statement it transcribes. What is cited, in any room, is a statement of
// one of the texts.
func TestCited(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, p := range All {
		for _, id := range p.IDs() {
			known[id] = true
		}
	}
	for name, symbol := range registertest.Symbols(t) {
		for _, id := range symbol.Cited() {
			if !known[id] {
				t.Errorf("%s cites %s, which is a statement of no text", name, id)
			}
		}
		if strings.HasPrefix(name, "spec.") && symbol.IsFunction && len(symbol.Cited()) == 0 {
			t.Errorf("%s cites no statement", name)
		}
	}
}

// Who uses a function of impl learns that what is printed fails: where its source is a statement that fails, it says
// so, or how it deviates from print.
func TestCited_Fails(t *testing.T) {
	t.Parallel()
	fails := map[string]bool{}
	for _, p := range All {
		for _, s := range p.Statements() {
			fails[s.ID] = s.Verdict == register.Fails
		}
	}
	for name, symbol := range registertest.Symbols(t) {
		doc := strings.Join(strings.Fields(symbol.Doc), " ")
		_, deviation, _ := strings.Cut(doc, "eviation from print: ")
		if !strings.HasPrefix(symbol.File, "impl/") || deviation != "" && !strings.HasPrefix(deviation, "none") &&
			!strings.HasPrefix(deviation, "as for spec.") {
			continue
		}
		for _, id := range symbol.Sources() {
			if fails[id] && !strings.Contains(doc, id+" fails as printed") {
				t.Errorf("%s: its documentation must say %q, and what to do", name, id+" fails as printed")
			}
		}
	}
}
