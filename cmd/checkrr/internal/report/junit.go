package report

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"
)

// TestCase is a test in a report that continuous integration understands.
type TestCase struct {
	Class, Name string
	Elapsed     time.Duration
	Outcome     Outcome
	Type        string // of what it is not passed for
	Message     string // why it is not passed
	Text        string // the same, at length
	Output      string
}

// Outcome is what came of a test.
type Outcome string

// The outcomes, as elements of JUnit XML are called.
const (
	Passed  Outcome = ""
	Failed  Outcome = "failure"
	Broken  Outcome = "error" // nobody knows
	Skipped Outcome = "skipped"
)

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
	Class   string `xml:"classname,attr"`
	Name    string `xml:"name,attr"`
	Time    string `xml:"time,attr"`
	Outcome *junitOutcome
	Output  string `xml:"system-out,omitempty"`
}

// junitOutcome has its message in an attribute, but for what is skipped: there not every schema has one. Some servers
// show the text only.
type junitOutcome struct {
	XMLName xml.Name
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the cases of a suite into a file, as JUnit XML, in which no text has ##, which begins a command for
// runners.
func WriteJUnit(file, suite string, cases []TestCase) error {
	count := map[Outcome]int{}
	var total time.Duration
	var shown []junitCase
	for _, c := range cases {
		count[c.Outcome]++
		total += c.Elapsed
		x := junitCase{Class: c.Class, Name: c.Name, Time: junitTime(c.Elapsed), Output: c.Output}
		switch name := (xml.Name{Local: string(c.Outcome)}); c.Outcome {
		case Passed:
		case Skipped:
			x.Outcome = &junitOutcome{XMLName: name, Text: c.Message}
		default:
			x.Outcome = &junitOutcome{XMLName: name, Type: c.Type, Message: c.Message, Text: c.Text}
		}
		shown = append(shown, x)
	}
	text, err := xml.MarshalIndent(junitSuite{Name: suite, Tests: len(cases), Failures: count[Failed],
		Errors: count[Broken], Skipped: count[Skipped], Time: junitTime(total), Cases: shown}, "", "  ")
	Must(err)
	return WriteText(file, []byte(xml.Header+strings.ReplaceAll(string(text), "##", "#&#35;")+"\n"))
}

func junitTime(d time.Duration) string { return fmt.Sprintf("%.6f", d.Seconds()) }
