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

func (d *auditDecoder) search(n ast.Node) error {
	known := []string{"values", "length", "neighbours"}
	values, err := d.mapping("search", searchForm, n, known)
	if err != nil {
		return err
	}
	for i, key := range known {
		if values[i] == nil {
			return d.fault(placeOf(n), "search: %s is missing, must be of the form %s", key, searchForm)
		}
	}
	s := &audit.Grammar{}
	if err := d.values(s, values[0]); err != nil {
		return err
	}
	if err := d.length(s, values[1]); err != nil {
		return err
	}
	relation, err := d.word("search: neighbours", values[2], relations)
	if err != nil {
		return err
	}
	s.Relation = audit.Relation(relation)
	d.file.Search = s
	return d.checkSearch(placeOf(n), s)
}

// values reads the values of a search: different numbers.
func (d *auditDecoder) values(s *audit.Grammar, n ast.Node) error {
	entries, err := d.list("search: values", n, audit.MaxValues)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		value, err := d.jsonOf("search: values", entry)
		if err != nil {
			return err
		}
		if !plainNumber.Match(value) {
			return d.fault(placeOf(entry), "search: values has %s, must have numbers only", report.Quote(string(value)))
		}
		if slices.ContainsFunc(s.Values, func(v json.RawMessage) bool { return sameJSON(v, value) }) {
			return d.fault(placeOf(entry), "search: values has %s twice, must have it once", report.Quote(string(value)))
		}
		s.Values = append(s.Values, value)
	}
	return nil
}

// length reads the shortest and the longest length of inputs.
func (d *auditDecoder) length(s *audit.Grammar, n ast.Node) error {
	entries, err := d.list("search: length", n, 2)
	if err != nil {
		return err
	}
	if len(entries) != 2 {
		return d.fault(placeOf(n), "search: length has 1 entry, must be of the form [shortest, longest]")
	}
	if s.Shortest, err = d.whole("search: length", entries[0], 0, audit.MaxLength); err != nil {
		return err
	}
	if s.Longest, err = d.whole("search: length", entries[1], 1, audit.MaxLength); err != nil {
		return err
	}
	if s.Shortest > s.Longest {
		return d.fault(placeOf(n), "search: length is [%d, %d], must not fall", s.Shortest, s.Longest)
	}
	return nil
}

// checkSearch checks that there are neighbours.
func (d *auditDecoder) checkSearch(at position, s *audit.Grammar) error {
	switch {
	case s.Relation == audit.Replace && len(s.Values) < 2:
		return d.fault(at, "search: values has one entry, must have at least two for neighbours: replace")
	case s.Relation == audit.Add && s.Shortest == s.Longest:
		return d.fault(at, "search: length is [%d, %d], must rise for neighbours: add", s.Shortest, s.Longest)
	}
	if err := s.Validate(); err != nil {
		return d.fault(at, "search: %v", err)
	}
	return nil
}
