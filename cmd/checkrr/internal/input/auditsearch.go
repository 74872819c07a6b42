package input

import (
	"encoding/json"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/audit"
)

// relations are what can be meant by neighbours.
var relations = []string{string(audit.Replace), string(audit.Add), string(audit.Shift)}

const searchForm = "{values: [0, 1], length: [1, 5], neighbours: replace}"

func (d *auditDecoder) search(n ast.Node) {
	known := []string{"values", "length", "neighbours"}
	values := d.mapping("search", searchForm, n, known)
	for i, key := range known {
		if values[i] == nil {
			d.fail(n, "search: %s is missing, must be of the form %s", key, searchForm)
		}
	}
	s := &audit.Grammar{}
	d.values(s, values[0])
	d.length(s, values[1])
	s.Relation = audit.Relation(d.word("search: neighbours", values[2], relations))
	switch {
	case s.Relation == audit.Replace && len(s.Values) < 2:
		d.fail(n, "search: values has one entry, must have at least two for neighbours: replace")
	case s.Relation == audit.Add && s.Shortest == s.Longest:
		d.fail(n, "search: length is [%d, %d], must rise for neighbours: add", s.Shortest, s.Longest)
	}
	if err := s.Validate(); err != nil {
		d.fail(n, "search: %v", err)
	}
	d.file.Search = s
}

// values reads the values of a search: different numbers.
func (d *auditDecoder) values(s *audit.Grammar, n ast.Node) {
	for _, entry := range d.list("search: values", n, audit.MaxValues) {
		value := d.jsonOf("search: values", entry)
		if !plainNumber.Match(value) {
			d.fail(entry, "search: values has %s, must have numbers only", report.Quote(string(value)))
		}
		if slices.ContainsFunc(s.Values, func(v json.RawMessage) bool { return sameJSON(v, value) }) {
			d.fail(entry, "search: values has %s twice, must have it once", report.Quote(string(value)))
		}
		s.Values = append(s.Values, value)
	}
}

// length reads the shortest and the longest length of inputs.
func (d *auditDecoder) length(s *audit.Grammar, n ast.Node) {
	entries := d.list("search: length", n, 2)
	if len(entries) != 2 {
		d.fail(n, "search: length has 1 entry, must be of the form [shortest, longest]")
	}
	s.Shortest = d.whole("search: length", entries[0], 0, audit.MaxLength)
	s.Longest = d.whole("search: length", entries[1], 1, audit.MaxLength)
	if s.Shortest > s.Longest {
		d.fail(n, "search: length is [%d, %d], must not fall", s.Shortest, s.Longest)
	}
}
