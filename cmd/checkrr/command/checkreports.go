package command

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
)

// checkReports are reports for others than people: files, and where annotations go.
type checkReports struct{ junit, sarif, annotations string }

// codeQuality is the file that GitLab's documents call so.
const codeQuality = "gl-code-quality-report.json"

func (r *checkReports) addTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.junit, "junit", "", "also write a JUnit report to `FILE`, with times")
	f.StringVar(&r.sarif, "sarif", "", "also write what does not hold to `FILE`, as SARIF 2.1.0")
	f.StringVar(&r.annotations, "annotations", "", "also show what does not hold at the claims, in `WHERE`: github "+
		"(on standard error) or gitlab ("+codeQuality+")")
	report.Must(cmd.MarkFlagFilename("junit", "xml"))
	report.Must(cmd.MarkFlagFilename("sarif", "sarif", "json"))
	run.CompleteWith(cmd, "annotations", []string{"github", "gitlab"})
}

func (r checkReports) check() error {
	switch r.annotations {
	case "gitlab":
		if info, err := os.Lstat(codeQuality); err == nil && !info.Mode().IsRegular() { // nobody has typed this name
			return fmt.Errorf("%s is a link, a folder or the like, must be a file", codeQuality)
		}
		return nil
	case "", "github":
		return nil
	}
	return fmt.Errorf("--annotations is %s, must be github or gitlab", report.Quote(r.annotations))
}

// targets are the files that are written.
func (r checkReports) targets() []run.Target {
	gitlab := ""
	if r.annotations == "gitlab" {
		gitlab = codeQuality
	}
	return []run.Target{run.To("--junit", r.junit), run.To("--sarif", r.sarif), run.To("--annotations", gitlab)}
}

// files are the names of its files.
func (r checkReports) files() []string { return report.Names(r.targets(), run.Target.File) }

// write writes the files.
func (r checkReports) write(all []*checked) error {
	if r.junit != "" {
		var cases []report.TestCase
		for _, c := range all {
			cases = append(cases, c.testCase())
		}
		if err := report.WriteJUnit(r.junit, "checkrr check", cases); err != nil {
			return err
		}
	}
	if r.sarif != "" {
		if err := writeJSON(r.sarif, sarif(all)); err != nil {
			return err
		}
	}
	if r.annotations == "gitlab" {
		return writeJSON(codeQuality, gitlab(all))
	}
	return nil
}

// spareOthers leaves files alone that are there, but for reports of earlier runs, which would pass for ones of this
// run: what cannot be read may name any of them.
func (r *checkReports) spareOthers() {
	for _, name := range []*string{&r.junit, &r.sarif} {
		if isForeign(*name) {
			*name = ""
		}
	}
	if r.annotations == "gitlab" && isForeign(codeQuality) {
		r.annotations = ""
	}
}

// reportFault reports what is wrong with files of claims, and returns it.
func (r checkReports) reportFault(a app, o checkOptions, err error) error {
	var all []*checked
	for _, fault := range input.Faults(err) {
		c := unread(o, fault)
		if c == nil {
			return err
		}
		if all = append(all, c); len(all) > 1 {
			c.Name += fmt.Sprintf(" (%d)", len(all))
		}
	}
	r.spareOthers()
	r.annotate(a.Stderr, all)
	wrong := r.write(all)
	if o.json {
		wrong = errors.Join(wrong, a.Write("", true, func() report.Object { return checkedJSON(all) }, nil))
	}
	return errors.Join(err, wrong)
}

// unread is what is wrong with a file of claims, in the place of these; nil if it is something else.
func unread(o checkOptions, err error) *checked {
	var names []string
	c := &checked{code: exitUsage, message: report.OneLine(errorText(err)),
		Claim: input.Claim{Name: "no claim is checked", Kind: "file", Line: 1}}
	fault, isFault := errors.AsType[*input.FileError](err)
	unread, isUnread := errors.AsType[*unreadClaims](err)
	switch {
	case isFault:
		c.name, c.Line, c.message = fault.Place()
		c.message = report.OneLine(c.message)
	case isUnread:
		names, c.name = unread.names, unread.names[0]
	default:
		return nil
	}
	if c.name == input.NameOf("-") {
		c.name = "-"
	}
	if names == nil {
		names = []string{c.name}
	}
	c.Args = checkArgs(o, o.only, names...)
	return c
}

// ownReport is how the reports begin.
var ownReport = regexp.MustCompile(`^(<\?xml [^>]*>\s*<testsuite name="checkrr check"|\[\]\s*$|\[\{"description":|` +
	`\{"\$schema":"` + regexp.QuoteMeta(sarifSchema) +
	`","version":"2\.1\.0","runs":\[\{"tool":\{"driver":\{"name":"checkrr")`)

// isForeign reports whether a file is there that is no report of ours.
func isForeign(file string) bool {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return err == nil
	}
	text, err := os.ReadFile(file)
	return err != nil || !ownReport.Match(text)
}

func writeJSON(file string, output any) error {
	var b bytes.Buffer
	if err := report.WriteJSON(&b, output); err != nil {
		return err
	}
	return report.WriteText(file, b.Bytes())
}

// failing returns the claims that do not hold, or were not run.
func failing(all []*checked) (some []*checked) {
	for _, c := range all {
		if c.code != exitOK || c.notRun {
			some = append(some, c)
		}
	}
	return some
}

// level is what a report calls a claim that does not hold: wrong, or open if it is inconclusive; or one that was not
// run.
func (c *checked) level(wrong, open, notRun string) string {
	switch {
	case c.notRun:
		return notRun
	case c.code == exitInconclusive:
		return open
	}
	return wrong
}

// says is why a claim does not hold, and what shows it.
func (c *checked) says() string {
	text := c.Name + ": " + strings.TrimPrefix(c.message, "checkrr: ") + c.figures()
	if c.notRun {
		return text
	}
	return text + "\nagain: " + c.again()
}

// figures are what was found of a claim that is refuted, and what it must be at most: nothing if it is no number.
func (c *checked) figures() string {
	if _, err := input.ParseNumber(c.found); err != nil || c.code != exitRefuted || c.isMoved {
		return ""
	}
	text := "\nfound " + c.foundCell()
	if c.Limit != "" {
		text += ", must be at most " + report.OneLine(c.Limit)
	}
	return text
}

// placed is how messages about a place in a file begin.
var placed = regexp.MustCompile(`^(.+?):(\d+):\d+: `)

// place is where a claim is wrong: in a file that it names, as at a refused event of a ledger, or where it stands.
func (c *checked) place() (file string, line int) {
	if at := placed.FindStringSubmatch(c.message); at != nil {
		if _, err := os.Lstat(at[1]); err == nil {
			line, _ = strconv.Atoi(at[2])
			return filepath.ToSlash(at[1]), line
		}
	}
	return filepath.ToSlash(c.file()), c.Line
}

func (c *checked) testCase() report.TestCase {
	t := report.TestCase{Class: c.file(), Name: c.Name, Elapsed: c.elapsed}
	switch {
	case c.notRun:
		t.Outcome, t.Message = report.Skipped, strings.TrimPrefix(c.message, "checkrr: ")
	case c.code != exitOK:
		t.Outcome, t.Type, t.Text = report.Broken, string(c.verdict()), c.says()
		t.Message, _, _ = strings.Cut(strings.TrimPrefix(c.message, "checkrr: "), "\n")
		t.Message += strings.Replace(c.figures(), "\n", "; ", 1)
	}
	if c.code == exitRefuted {
		t.Outcome = report.Failed
	}
	return t
}

const sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"

// sarifRules are what claims of each kind, and their files, must be, in one sentence.
var sarifRules = [][2]string{
	{"optdel", "The δ of a pipeline that may stop early is at most what is claimed."},
	{"schedule", "The charges that are found for a pipeline are at most what is claimed."},
	{"compose", "Mechanisms that are all run cost at most what is claimed."},
	{"builtin", "A built-in mechanism keeps the privacy that is claimed of it."},
	{"audit", "No violation of what is claimed of a program is found."},
	{"command", "No violation of what is claimed of a program is found."},
	{"law", "A law that is written out keeps the privacy that is claimed of it."},
	{"ledger", "Every event of a ledger fits into the budget."},
	{"menu", "No adversary breaks the rule by which a budget is kept."},
	{"statements", "Printed statements have the verdicts that are recorded of them."},
	{"inequality", "No pipeline is found that refutes the inequality."},
	{"regression", "The baseline has figures of claims only that are in the file."},
	{"file", "A file of claims can be read."},
}

// sarif is a log in the Static Analysis Results Interchange Format: a result for each claim that does not hold, or was
// not run, of the rule that has the name of its kind.
func sarif(all []*checked) report.Object {
	results, rules := []report.Object{}, []report.Object{}
	for _, r := range sarifRules {
		rules = append(rules, report.Object{"id", r[0], "shortDescription", report.Object{"text", r[1]}})
	}
	for _, c := range failing(all) {
		file, line := c.place()
		place := report.Object{
			"artifactLocation", report.Object{"uri", (&url.URL{Path: file}).String()},
			"region", report.Object{"startLine", line}}
		results = append(results, report.Object{"ruleId", c.Kind, "level", c.level("error", "warning", "note"),
			"message", report.Object{"text", c.says()},
			"locations", []report.Object{{"physicalLocation", place}}})
	}
	driver := report.Object{"name", "checkrr", "version", buildVersion().version, "rules", rules}
	tool := report.Object{"driver", driver}
	return report.Object{"$schema", sarifSchema, "version", "2.1.0",
		"runs", []report.Object{{"tool", tool, "results", results}}}
}

// gitlab is a report of code quality: an issue for each claim that does not hold.
func gitlab(all []*checked) any {
	issues := []report.Object{}
	for _, c := range failing(all) {
		file, line := c.place()
		// wherever it moves
		identity := sha256.Sum256([]byte(filepath.ToSlash(c.file()) + "\n" + c.Kind + "\n" + c.Name))
		issues = append(issues, report.Object{"description", c.says(), "check_name", c.Kind,
			"fingerprint", fmt.Sprintf("%x", identity),
			"severity", c.level("major", "minor", "info"),
			"location", report.Object{"path", file, "lines", report.Object{"begin", line}}})
	}
	return issues
}

// annotate prints a command for GitHub's runner for each claim that does not hold.
func (r checkReports) annotate(w io.Writer, all []*checked) {
	if r.annotations != "github" {
		return
	}
	for _, c := range failing(all) {
		file, line := c.place()
		title := c.Name + ": " + string(c.verdict())
		fmt.Fprintf(w, "::%s file=%s,line=%d,title=%s::%s\n", c.level("error", "warning", "notice"),
			inProperty.Replace(file), line, inProperty.Replace(title), inMessage.Replace(c.says()))
	}
}

// What would end a message, and what would end a property as well.
var (
	inMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// worst is the error of all: of what could not be checked, else of what is refuted, else of what has moved, else of
// what is inconclusive. It names the others after that.
func worst(all []*checked) (err error) {
	for _, kind := range []struct {
		verdict run.Verdict
		err     error
	}{{broken, errors.New("not checked")}, {run.Refuted, run.ErrRefuted}, {moved, run.ErrMoved},
		{run.Inconclusive, run.ErrInconclusive}} {
		var names []string
		for _, c := range all {
			if c.verdict() == kind.verdict {
				names = append(names, report.OneLine(c.Name))
			}
		}
		switch text := strings.Join(names, ", "); {
		case len(names) == 0:
		case err == nil:
			err = fmt.Errorf("%w: %s", kind.err, text)
		default:
			err = fmt.Errorf("%w; %s: %s", err, kind.err.Error(), text) // whose exit code is the first one's
		}
	}
	return err
}
