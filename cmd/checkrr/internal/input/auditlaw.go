package input

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/audit"
)

// Limits on a law that is written out.
const (
	maxLawFile  = 64 << 20 // bytes
	maxOutcomes = 1_000_000
)

const lawForm = "[{output: a, p0: 1/2, p1: 1/4, part: b}, …], or the name of a CSV file with the columns output, p0, " +
	"p1 and part"

var (
	lawKeys   = []string{"output", "p0", "p1", "part"}
	lawInputs = [2]string{"the first input", "the second input"}
)

// lawTable is a law as it stands in a file.
type lawTable struct {
	source
	at     position // of all of it
	rows   []audit.Outcome
	places [][4]position // of every row's fields, in the order of lawKeys

	isNamed bool // whether it is a file that another one names: nothing that is not known to be a table's is shown
}

// law reads the law of a mechanism: rows, or the name of a CSV file of them in the folder of the audit file.
func (d *auditDecoder) law(n ast.Node) {
	name, isName := scalarOf(n)
	if !isName {
		d.table = &lawTable{source: d.source, at: placeOf(n)}
		d.table.list(n)
		return
	}
	file, err := d.open(name)
	if err != nil {
		d.fail(n, "%s", wrongName("law", err))
	}
	defer file.Close()
	d.table = readLaw(d.path(name), file)
}

// list reads rows in the file itself.
func (t *lawTable) list(n ast.Node) {
	if _, isList := n.(*ast.SequenceNode); !isList {
		t.fail(n, "law is %s, must be of the form %s", kindOf(n), lawForm)
	}
	for i, entry := range t.source.list("law", n, maxOutcomes) {
		t.row(fmt.Sprintf("law: output %d", i+1), entry)
	}
}

// row reads {output: …, p0: …, p1: …, part: …}.
func (t *lawTable) row(what string, n ast.Node) {
	values := t.mapping(what, "{output: a, p0: 1/2, p1: 1/4}", n, lawKeys)
	var o audit.Outcome
	var places [4]position
	for i, key := range lawKeys {
		if places[i] = placeOf(n); values[i] != nil {
			places[i] = placeOf(values[i])
		} else if key != "part" {
			t.fail(n, "%s: %s is missing, must have output, p0 and p1", what, key)
		}
	}
	o.Output, o.Value = t.output(what+": output", values[0])
	for b := range o.P {
		o.P[b], _ = t.number(what+": "+lawKeys[1+b], values[1+b])
	}
	if values[3] != nil {
		o.Part = t.scalar(what+": part", values[3], "a text")
	}
	t.rows, t.places = append(t.rows, o), append(t.places, places)
}

// output reads an output, any JSON: how it is shown, and what it is.
func (s source) output(what string, n ast.Node) (shown, value string) {
	text, isScalar := scalarOf(n)
	_, isText := n.(*ast.StringNode)
	switch {
	case isText && n.GetToken().Type != token.StringType || isScalar && !json.Valid([]byte(text)): // as if in quotes
		text = quotedText(text)
	case !isScalar:
		text = string(s.jsonOf(what, n))
	}
	return outputOf(text)
}

// outputOf returns how an output is shown that is written as JSON, or is a text if it is none, and what it is.
func outputOf(text string) (shown, value string) {
	raw := json.RawMessage(text)
	if !json.Valid(raw) {
		raw = json.RawMessage(quotedText(text))
	}
	if s, isText := anyOf(raw).(string); isText && !json.Valid([]byte(s)) {
		text = s // without quotes nothing else can be meant
	}
	return text, canonical(anyOf(raw))
}

// readLaw reads a table with a header that names output, p0, p1 and perhaps part, in any order. Lines that begin with #
// are comments.
func readLaw(name string, r io.Reader) *lawTable {
	t := &lawTable{source: source{name: name}, at: position{1, 1}, isNamed: true}
	all, err := t.text(r, maxLawFile)
	t.must(err)
	c := csv.NewReader(strings.NewReader(all))
	c.Comment, c.TrimLeadingSpace, c.ReuseRecord = '#', true, true
	columns := t.header(c)
	for {
		record, err := c.Read()
		if err == io.EOF {
			return t
		}
		if errors.Is(err, csv.ErrFieldCount) {
			t.failAt(placeIn(c, 0), "there are %s, must be %d as in the header", report.Plural(len(record), "field"),
				c.FieldsPerRecord)
		}
		t.must(err)
		if len(t.rows) == maxOutcomes {
			t.failAt(placeIn(c, 0), "this is output %d, must be at most %d", maxOutcomes+1, maxOutcomes)
		}
		t.record(c, record, columns)
	}
}

// header returns which column each of lawKeys is in; −1 if there is no part.
func (t *lawTable) header(c *csv.Reader) (columns [4]int) {
	record, err := c.Read()
	if err == io.EOF {
		t.failAt(t.at, "the file is empty, must begin with the header output,p0,p1 or output,p0,p1,part")
	}
	t.must(err)
	names := make([]string, len(record))
	for i, text := range record {
		names[i] = strings.ToLower(strings.TrimSpace(text))
		isKnown := slices.Contains(lawKeys, names[i])
		if isKnown && !slices.Contains(names[:i], names[i]) {
			continue
		}
		if !isKnown { // it may be the first line of any file
			text = "another column"
		}
		t.failAt(placeIn(c, i), "the header has %s, must be output,p0,p1 or output,p0,p1,part", text)
	}
	for i, key := range lawKeys {
		if columns[i] = slices.Index(names, key); columns[i] < 0 && key != "part" {
			t.failAt(placeIn(c, 0), "the header has no %s, must be output,p0,p1 or output,p0,p1,part", key)
		}
	}
	return columns
}

// record reads a row.
func (t *lawTable) record(c *csv.Reader, record []string, columns [4]int) {
	var o audit.Outcome
	o.Output, o.Value = outputOf(strings.Clone(record[columns[0]]))
	var places [4]position
	for i, column := range columns {
		places[i] = placeIn(c, max(column, 0))
	}
	for b := range o.P {
		p, err := parseCell(strings.TrimSpace(record[columns[1+b]]))
		if err != nil {
			t.failAt(places[1+b], "%s %s", lawKeys[1+b], err)
		}
		o.P[b] = p
	}
	if columns[3] >= 0 {
		o.Part = strings.TrimSpace(record[columns[3]])
	}
	t.rows, t.places = append(t.rows, o), append(t.places, places)
}

// placeIn returns where a field of the last record stands.
func placeIn(c *csv.Reader, field int) position {
	line, column := c.FieldPos(field)
	return position{int32(line), int32(column)}
}

// must ends the reading of a table with an error, and its place if it is that of the CSV reader.
func (t *lawTable) must(err error) {
	if fault, ok := errors.AsType[*csv.ParseError](err); ok {
		t.failAt(position{int32(fault.Line), int32(fault.Column)}, "%v, must be CSV", fault.Err)
	}
	if err != nil {
		panic(failure{err})
	}
}

// check makes the law, and says where its table is wrong.
func (t *lawTable) check(claim audit.Claim, inputs [2]string) *audit.Law {
	law, err := audit.FiniteLaw(claim, inputs, t.rows)
	fault, isOfTable := errors.AsType[*audit.OutcomeError](err)
	switch {
	case !isOfTable:
		t.must(err)
		return &law
	case fault.Row < 0:
		t.failAt(t.at, "law: %s %s", fault.Field, fault.Rule)
	}
	rule := fault.Rule
	if isText := fault.Field == "part" || fault.Field == "output"; isText && t.isNamed { // it may be from any file
		rule = rule[max(0, strings.LastIndex(rule, "must ")):]
	}
	at := t.places[fault.Row][slices.Index(lawKeys, fault.Field)]
	t.failAt(at, "law: output %d: %s %s", fault.Row+1, fault.Field, rule)
	return nil
}

// makeLaw makes the law of the file, once the claim is known. Its neighbours only name the inputs.
func (d *auditDecoder) makeLaw() {
	inputs := lawInputs
	if n := d.file.Neighbours; len(n) == 1 {
		inputs = [2]string{string(n[0][0]), string(n[0][1])}
	}
	d.file.Law = d.table.check(d.file.Claim, inputs)
}

const noiseForm = "{values: [[-1, 1/4], [0, 1/2], [1, 1/4]]}, with count if there are several"

// noise reads a finite source: values with their probabilities, and how many are taken.
func (d *auditDecoder) noise(n ast.Node) {
	values := d.mapping("noise", noiseForm, n, []string{"values", "count"})
	if values[0] == nil {
		d.fail(n, "noise: values is missing, must be of the form %s", noiseForm)
	}
	s := &audit.Source[json.RawMessage]{Count: 1}
	seen := map[string]bool{}
	for i, entry := range d.list("noise: values", values[0], audit.MaxNoise) {
		what := fmt.Sprintf("noise: value %d", i+1)
		pair, isList := entry.(*ast.SequenceNode)
		if !isList || len(pair.Values) != 2 {
			d.fail(entry, "%s is %s, must be a list of the value and its probability, such as [0, 1/2]", what,
				kindOf(entry))
		}
		value := d.jsonOf(what, pair.Values[0])
		p, _ := d.number(what+": its probability", pair.Values[1], From0)
		same := canonical(anyOf(value))
		if seen[same] {
			d.fail(entry, "%s is there twice, must be once", what)
		}
		seen[same] = true
		s.Values, s.P = append(s.Values, value), append(s.P, p)
	}
	if values[1] != nil {
		s.Count = d.whole("noise: count", values[1], 1, 64)
	}
	if err := s.Validate(); err != nil {
		d.fail(n, "noise: %v", err)
	}
	d.file.Noise = s
}
