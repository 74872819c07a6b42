package input

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
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

// law reads the law of a mechanism: rows, or the name of a file of them.
func (d *auditDecoder) law(n ast.Node) (err error) {
	t := &lawTable{source: d.source, at: placeOf(n)}
	if name, isName := scalarOf(n); isName {
		t, err = d.lawFile(n, name)
	} else {
		err = t.list(n)
	}
	d.table = t
	return err
}

// list reads rows in the file itself.
func (t *lawTable) list(n ast.Node) error {
	if _, isList := n.(*ast.SequenceNode); !isList {
		return t.fault(t.at, "law is %s, must be of the form %s", kindOf(n), lawForm)
	}
	entries, err := t.source.list("law", n, maxOutcomes)
	if err != nil {
		return err
	}
	for i, entry := range entries {
		if err := t.row(fmt.Sprintf("law: output %d", i+1), entry); err != nil {
			return err
		}
	}
	return nil
}

// row reads {output: …, p0: …, p1: …, part: …}.
func (t *lawTable) row(what string, n ast.Node) error {
	values, err := t.mapping(what, "{output: a, p0: 1/2, p1: 1/4}", n, lawKeys)
	if err != nil {
		return err
	}
	var o audit.Outcome
	var places [4]position
	for i, key := range lawKeys {
		if places[i] = placeOf(n); values[i] != nil {
			places[i] = placeOf(values[i])
		} else if key != "part" {
			return t.fault(placeOf(n), "%s: %s is missing, must have output, p0 and p1", what, key)
		}
	}
	if o.Output, o.Value, err = t.output(what+": output", values[0]); err != nil {
		return err
	}
	for b := range o.P {
		if o.P[b], _, err = t.number(what+": "+lawKeys[1+b], values[1+b]); err != nil {
			return err
		}
	}
	if values[3] != nil {
		text, isScalar := scalarOf(values[3])
		if !isScalar {
			return t.fault(places[3], "%s: part is %s, must be a text", what, kindOf(values[3]))
		}
		o.Part = text
	}
	t.rows, t.places = append(t.rows, o), append(t.places, places)
	return nil
}

// output reads an output, any JSON: how it is shown, and what it is.
func (s source) output(what string, n ast.Node) (shown, value string, err error) {
	text, isScalar := scalarOf(n)
	_, isText := n.(*ast.StringNode)
	if isText && n.GetToken().Type != token.StringType || isScalar && !json.Valid([]byte(text)) { // as if in quotes
		shown, value = outputOf(string(quotedText(text)))
		return shown, value, nil
	}
	if isScalar {
		shown, value = outputOf(text)
		return shown, value, nil
	}
	raw, err := s.jsonOf(what, n)
	if err != nil {
		return "", "", err
	}
	shown, value = outputOf(string(raw))
	return shown, value, nil
}

// outputOf returns how an output is shown that is written as JSON, or is a text if it is none, and what it is.
func outputOf(text string) (shown, value string) {
	raw := json.RawMessage(text)
	if !json.Valid(raw) {
		raw = quotedText(text)
	}
	if s, isText := anyOf(raw).(string); isText && !json.Valid([]byte(s)) {
		text = s // without quotes nothing else can be meant
	}
	return text, canonical(anyOf(raw))
}

// lawFile reads a CSV file in the folder of the audit file.
func (d *auditDecoder) lawFile(n ast.Node, name string) (*lawTable, error) {
	file, err := d.open(name)
	if err != nil {
		return nil, d.fault(placeOf(n), "%s", wrongName("law", err))
	}
	defer file.Close()
	return readLaw(d.path(name), file)
}

// readLaw reads a table with a header that names output, p0, p1 and perhaps part, in any order. Lines that begin with #
// are comments.
func readLaw(name string, r io.Reader) (*lawTable, error) {
	t := &lawTable{source: source{name: name}, at: position{1, 1}, isNamed: true}
	all, err := t.text(r, maxLawFile)
	if err != nil {
		return nil, err
	}
	c := csv.NewReader(strings.NewReader(all))
	c.Comment, c.TrimLeadingSpace, c.ReuseRecord = '#', true, true
	columns, err := t.header(c)
	if err != nil {
		return nil, err
	}
	for {
		record, err := c.Read()
		if err == io.EOF {
			break
		}
		if errors.Is(err, csv.ErrFieldCount) {
			err = t.fault(placeIn(c, 0), "there are %s, must be %d as in the header", report.Plural(len(record), "field"),
				c.FieldsPerRecord)
		}
		if err == nil && len(t.rows) == maxOutcomes {
			err = t.fault(placeIn(c, 0), "this is output %d, must be at most %d", maxOutcomes+1, maxOutcomes)
		}
		if err == nil {
			err = t.record(c, record, columns)
		}
		if err != nil {
			return nil, t.csvFault(err)
		}
	}
	return t, nil
}

// header returns which column each of lawKeys is in; −1 if there is no part.
func (t *lawTable) header(c *csv.Reader) (columns [4]int, err error) {
	record, err := c.Read()
	if err == io.EOF {
		return columns, t.fault(t.at, "the file is empty, must begin with the header output,p0,p1 or output,p0,p1,part")
	}
	if err != nil {
		return columns, t.csvFault(err)
	}
	names := make([]string, len(record))
	for i, text := range record {
		names[i] = strings.ToLower(strings.TrimSpace(text))
		if !slices.Contains(lawKeys, names[i]) || slices.Contains(names[:i], names[i]) {
			if !slices.Contains(lawKeys, names[i]) { // it may be the first line of any file
				text = "another column"
			}
			return columns, t.fault(placeIn(c, i), "the header has %s, must be output,p0,p1 or output,p0,p1,part", text)
		}
	}
	for i, key := range lawKeys {
		if columns[i] = slices.Index(names, key); columns[i] < 0 && key != "part" {
			return columns, t.fault(placeIn(c, 0), "the header has no %s, must be output,p0,p1 or output,p0,p1,part", key)
		}
	}
	return columns, nil
}

// record reads a row.
func (t *lawTable) record(c *csv.Reader, record []string, columns [4]int) (err error) {
	var o audit.Outcome
	o.Output, o.Value = outputOf(strings.Clone(record[columns[0]]))
	var places [4]position
	for i, column := range columns {
		places[i] = placeIn(c, max(column, 0))
	}
	for b := range o.P {
		if o.P[b], err = parseCell(strings.TrimSpace(record[columns[1+b]])); err != nil {
			return t.fault(places[1+b], "%s %s", lawKeys[1+b], err)
		}
	}
	if columns[3] >= 0 {
		o.Part = strings.TrimSpace(record[columns[3]])
	}
	t.rows, t.places = append(t.rows, o), append(t.places, places)
	return nil
}

// placeIn returns where a field of the last record stands.
func placeIn(c *csv.Reader, field int) position {
	line, column := c.FieldPos(field)
	return position{int32(line), int32(column)}
}

// csvFault gives an error of the CSV reader its place.
func (t *lawTable) csvFault(err error) error {
	if fault, ok := errors.AsType[*csv.ParseError](err); ok {
		return t.fault(position{int32(fault.Line), int32(fault.Column)}, "%v, must be CSV", fault.Err)
	}
	return err
}

// check makes the law, and says where its table is wrong.
func (t *lawTable) check(claim audit.Claim, inputs [2]string) (audit.Law, error) {
	law, err := audit.FiniteLaw(claim, inputs, t.rows)
	fault, isOfTable := errors.AsType[*audit.OutcomeError](err)
	switch {
	case !isOfTable:
		return law, err
	case fault.Row < 0:
		return law, t.fault(t.at, "law: %s %s", fault.Field, fault.Rule)
	}
	rule := fault.Rule
	if isText := fault.Field == "part" || fault.Field == "output"; isText && t.isNamed { // it may be from any file
		rule = rule[max(0, strings.LastIndex(rule, "must ")):]
	}
	at := t.places[fault.Row][slices.Index(lawKeys, fault.Field)]
	return law, t.fault(at, "law: output %d: %s %s", fault.Row+1, fault.Field, rule)
}

// checkLaw makes the law of the file, once the claim is known. Its neighbours only name the inputs.
func (d *auditDecoder) checkLaw() error {
	inputs := lawInputs
	if n := d.file.Neighbours; len(n) == 1 {
		inputs = [2]string{string(n[0][0]), string(n[0][1])}
	}
	law, err := d.table.check(d.file.Claim, inputs)
	d.file.Law = &law
	return err
}

const noiseForm = "{values: [[-1, 1/4], [0, 1/2], [1, 1/4]]}, with count if there are several"

// noise reads a finite source: values with their probabilities, and how many are taken.
func (d *auditDecoder) noise(n ast.Node) error {
	values, err := d.mapping("noise", noiseForm, n, []string{"values", "count"})
	if err != nil {
		return err
	}
	if values[0] == nil {
		return d.fault(placeOf(n), "noise: values is missing, must be of the form %s", noiseForm)
	}
	entries, err := d.list("noise: values", values[0], audit.MaxNoise)
	if err != nil {
		return err
	}
	s := &audit.Source[json.RawMessage]{Count: 1}
	seen := map[string]bool{}
	for i, entry := range entries {
		value, p, err := d.noiseValue(fmt.Sprintf("noise: value %d", i+1), entry)
		if err != nil {
			return err
		}
		same := canonical(anyOf(value))
		if seen[same] {
			return d.fault(placeOf(entry), "noise: value %d is there twice, must be once", i+1)
		}
		seen[same] = true
		s.Values, s.P = append(s.Values, value), append(s.P, p)
	}
	if values[1] != nil {
		if s.Count, err = d.whole("noise: count", values[1], 1, 64); err != nil {
			return err
		}
	}
	if err := s.Validate(); err != nil {
		return d.fault(placeOf(n), "noise: %v", err)
	}
	d.file.Noise = s
	return nil
}

// noiseValue reads [value, probability].
func (d *auditDecoder) noiseValue(what string, n ast.Node) (value json.RawMessage, p *big.Rat, err error) {
	pair, isList := n.(*ast.SequenceNode)
	if !isList || len(pair.Values) != 2 {
		return nil, nil, d.fault(placeOf(n), "%s is %s, must be a list of the value and its probability, such as "+
			"[0, 1/2]", what, kindOf(n))
	}
	if value, err = d.jsonOf(what, pair.Values[0]); err != nil {
		return nil, nil, err
	}
	p, _, err = d.number(what+": its probability", pair.Values[1], From0)
	return value, p, err
}
