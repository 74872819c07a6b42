package command

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// checkJSON checks a text by a JSON Schema of testdata/formats.
func checkJSON(t *testing.T, schema, text string) error {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(filepath.Join("testdata/formats", schema))
	if err != nil {
		t.Fatal(err)
	}
	object, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(object)
}

// element is an element of XML.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []element  `xml:",any"`
	Text     string     `xml:",chardata"`
}

func (e element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// child returns the first child of a name, which need not be there.
func (e element) child(name string) (c element) {
	for _, c := range e.Children {
		if c.XMLName.Local == name {
			return c
		}
	}
	return c
}

// checkJUnit checks a text by testdata/formats/junit.xsd, as far as that uses XML Schema.
func checkJUnit(t *testing.T, text string) error {
	t.Helper()
	var schema, root element
	if err := xml.Unmarshal([]byte(contents(t, "testdata/formats/junit.xsd")), &schema); err != nil {
		t.Fatal(err)
	}
	known := map[string]element{}
	for _, e := range schema.Children {
		known[e.attr("name")] = e
	}
	if err := xml.NewDecoder(bytes.NewReader([]byte(text))).Decode(&root); err != nil {
		return err
	}
	return root.check(known)
}

// check checks an element: a text, or a sequence of known elements, and attributes.
func (e element) check(known map[string]element) error {
	name := e.XMLName.Local
	is, isKnown := known[name]
	if !isKnown {
		return fmt.Errorf("there is no element %s", name)
	}
	of := is.child("complexType")
	if is.attr("type") != "xs:string" && of.attr("mixed") != "true" && strings.TrimSpace(e.Text) != "" {
		return fmt.Errorf("%s has a text", name)
	}
	allowed := map[string]bool{}
	for _, a := range of.Children {
		of := a.attr("name")
		if allowed[of] = a.XMLName.Local == "attribute"; a.attr("use") == "required" && e.attr(of) == "" {
			return fmt.Errorf("%s has no %s", name, of)
		}
	}
	for _, a := range e.Attrs {
		if !allowed[a.Name.Local] {
			return fmt.Errorf("%s has an attribute %s", name, a.Name.Local)
		}
	}
	rest := e.Children
	for _, s := range of.child("sequence").Children {
		n := 0
		for ; len(rest) > 0 && rest[0].XMLName.Local == s.attr("ref"); n++ {
			if err := rest[0].check(known); err != nil {
				return err
			}
			rest = rest[1:]
		}
		least, most := occurs(s, "minOccurs"), occurs(s, "maxOccurs")
		if n < least || most > 0 && n > most {
			return fmt.Errorf("%s has %d elements %s", name, n, s.attr("ref"))
		}
	}
	if len(rest) > 0 {
		return fmt.Errorf("%s has an element %s there", name, rest[0].XMLName.Local)
	}
	return nil
}

// occurs is how often an element must or may occur, 0 for as often as one likes.
func occurs(s element, attr string) int {
	switch text := s.attr(attr); text {
	case "":
		return 1
	case "unbounded":
		return 0
	default:
		n, err := strconv.Atoi(text)
		if err != nil {
			panic(err)
		}
		return n
	}
}

// TestControl_WrongReports: what is no report of a format is refused.
func TestControl_WrongReports(t *testing.T) {
	t.Parallel()
	const suite = `<testsuite name="a" tests="1"><testcase name="b">%s</testcase></testsuite>`
	for inside, isRight := range map[string]bool{
		"": true, `<skipped>why</skipped>`: true, `<failure message="x"></failure><system-out>y</system-out>`: true,
		`<skipped message="why"></skipped>`: false, `<failure/><error/>`: false, `text`: false, `<fail/>`: false,
		`<failure at="x"/>`: false, `<skipped/><skipped/>`: false, `<system-out/><failure/>`: false,
	} {
		if err := checkJUnit(t, fmt.Sprintf(suite, inside)); (err == nil) != isRight {
			t.Errorf("%s: %v", inside, err)
		}
	}
	if checkJUnit(t, `<testsuite name="a"/>`) == nil {
		t.Error("a suite without a number of tests is no error")
	}
	for text, schema := range map[string]string{
		`{"version": "2.1.0", "runs": [{"tool": {"driver": {}}}]}`:                             "sarif.json",
		`{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{}]}]}`: "sarif.json",
		`[{"description": "x", "check_name": "y", "fingerprint": "z", "severity": "bad"}]`:     "codequality.json",
	} {
		if checkJSON(t, schema, text) == nil {
			t.Errorf("%s is no error", text)
		}
	}
}
