package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"checkrr/verify/register"
)

// junitSuite is a report that continuous integration understands: a test case a
// statement, which fails if its verdict is not the recorded one.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
}

// WriteJUnit prints the findings as JUnit XML. A statement that is not checkable is
// skipped, one that is undecided is an error.
func WriteJUnit(w io.Writer, findings []register.Finding) error {
	suite := junitSuite{Name: "checkrr verify", Tests: len(findings)}
	total := 0.0
	for _, f := range findings {
		c := junitOf(f)
		switch {
		case c.Failure != nil:
			suite.Failures++
		case c.Error != nil:
			suite.Errors++
		case c.Skipped != nil:
			suite.Skipped++
		}
		total += f.Elapsed.Seconds()
		suite.Cases = append(suite.Cases, c)
	}
	suite.Time = seconds(total)
	text, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

func junitOf(f register.Finding) junitCase {
	name, _, _ := strings.Cut(f.Statement.ID, "-")
	c := junitCase{
		Class:  "checkrr." + name,
		Name:   f.Statement.ID + " " + f.Statement.Title,
		Time:   seconds(f.Elapsed.Seconds()),
		Output: f.Outcome.Counterexample,
	}
	switch changes := f.Changes(); {
	case len(changes) > 0:
		c.Failure = &junitMessage{strings.Join(changes, "; ")}
	case f.Verdict() == register.Undecided:
		c.Error = &junitMessage{f.Reason()}
	case f.Verdict() == register.NotCheckable:
		c.Skipped = &junitMessage{f.Statement.Note}
	}
	return c
}

func seconds(x float64) string { return fmt.Sprintf("%.6f", x) }
