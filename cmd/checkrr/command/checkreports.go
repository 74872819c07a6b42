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

// reportFault reports what is wrong with a file of claims, and returns it. It writes over no file that is there: what
// stands behind the fault may name it.
func (r checkReports) reportFault(w io.Writer, o checkOptions, err error) error {
	fault, isFault := errors.AsType[*input.FileError](err)
	if !isFault {
		return err
	}
	name, line, rule := fault.Place()
	if name == input.NameOf("-") {
		name = "-"
	}
	all := []*checked{{name: name, code: exitUsage, message: report.OneLine(rule),
		Claim: input.Claim{Name: "no claim is checked", Kind: "file", Line: line, Args: checkArgs(o, "", name)}}}
	for _, name := range []*string{&r.junit, &r.sarif} {
		if isThere(*name) {
			*name = ""
		}
	}
	if r.annotations == "gitlab" && isThere(codeQuality) {
		r.annotations = ""
	}
	r.annotate(w, all)
	return errors.Join(err, r.write(all))
}

func isThere(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

func writeJSON(file string, output any) error {
	var b bytes.Buffer
	if err := report.WriteJSON(&b, output); err != nil {
		return err
	}
	return report.WriteText(file, b.Bytes())
}

// failing returns the claims that do not hold.
func failing(all []*checked) (some []*checked) {
	for _, c := range all {
		if c.code != exitOK {
			some = append(some, c)
		}
	}
	return some
}

// level is what a report calls a claim that does not hold: wrong, or open if it is undecided.
func (c *checked) level(wrong, open string) string {
	if c.code == exitInconclusive {
		return open
	}
	return wrong
}

// says is why a claim does not hold, and what shows it.
func (c *checked) says() string {
	return c.Name + ": " + strings.TrimPrefix(c.message, "checkrr: ") + "\nagain: " +
		strings.Join(c.commands(), "\nagain: ")
}

func (c *checked) testCase() report.TestCase {
	t := report.TestCase{Class: c.file(), Name: c.Name, Elapsed: c.elapsed}
	switch {
	case c.notRun:
		t.Outcome, t.Message = report.Skipped, "programs are not run"
	case c.code == exitRefuted:
		t.Outcome, t.Message = report.Failed, c.says()
	case c.code != exitOK:
		t.Outcome, t.Message = report.Broken, c.says()
	}
	return t
}

// sarif is a log in the Static Analysis Results Interchange Format: a result for each claim that does not hold, of the
// rule that has the name of its kind.
func sarif(all []*checked) report.Object {
	results := []report.Object{}
	for _, c := range failing(all) {
		place := report.Object{
			"artifactLocation", report.Object{"uri", (&url.URL{Path: filepath.ToSlash(c.file())}).String()},
			"region", report.Object{"startLine", c.Line}}
		results = append(results, report.Object{"ruleId", c.Kind, "level", c.level("error", "warning"),
			"message", report.Object{"text", c.says()},
			"locations", []report.Object{{"physicalLocation", place}}})
	}
	tool := report.Object{"driver", report.Object{"name", "checkrr"}}
	return report.Object{"$schema", "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0",
		"runs", []report.Object{{"tool", tool, "results", results}}}
}

// gitlab is a report of code quality: an issue for each claim that does not hold.
func gitlab(all []*checked) any {
	issues := []report.Object{}
	for _, c := range failing(all) {
		file := filepath.ToSlash(c.file())
		issues = append(issues, report.Object{"description", c.says(), "check_name", c.Kind,
			"fingerprint", fmt.Sprintf("%x", sha256.Sum256([]byte(file+"\n"+c.Kind+"\n"+c.Name))), // wherever it moves
			"severity", c.level("major", "minor"),
			"location", report.Object{"path", file, "lines", report.Object{"begin", c.Line}}})
	}
	return issues
}

// annotate prints a command for GitHub's runner for each claim that does not hold.
func (r checkReports) annotate(w io.Writer, all []*checked) {
	if r.annotations != "github" {
		return
	}
	for _, c := range failing(all) {
		file, title := filepath.ToSlash(c.file()), c.Name+": "+string(c.verdict())
		fmt.Fprintf(w, "::%s file=%s,line=%d,title=%s::%s\n", c.level("error", "warning"),
			inProperty.Replace(file), c.Line, inProperty.Replace(title), inMessage.Replace(c.says()))
	}
}

// inert is a text in which no line is a command for the runner of GitHub, Azure or TeamCity, whoever wrote it.
func inert(text string) string { return runnerCommand.ReplaceAllString(text, "$1 $2") }

var runnerCommand = regexp.MustCompile(`(?m)(^\s*:|##\w*)(:|\[)`)

// What would end a message, and what would end a property as well.
var (
	inMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
