package main

import (
	"encoding/json"
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// auditSearch are inputs among which neighbours are searched for: lists of values.
type auditSearch struct {
	values            []json.RawMessage // numbers
	shortest, longest int
	relation          string // one of relations
}

// relations are what can be meant by neighbours: one element is replaced, one is added,
// or every one is moved by at most 1.
var relations = []string{"replace", "add", "shift"}

// Limits on the inputs of a search.
const (
	maxValues = 64
	maxLength = 64
)

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
	s := &auditSearch{}
	if err := d.values(s, values[0]); err != nil {
		return err
	}
	if err := d.length(s, values[1]); err != nil {
		return err
	}
	if s.relation, err = d.word("search: neighbours", values[2], relations); err != nil {
		return err
	}
	d.file.search = s
	return d.checkSearch(placeOf(n), s)
}

// values reads the values of a search: different numbers.
func (d *auditDecoder) values(s *auditSearch, n ast.Node) error {
	entries, err := d.list("search: values", n, maxValues)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		value, err := d.jsonOf("search: values", entry)
		if err != nil {
			return err
		}
		if !plainNumber.Match(value) {
			return d.fault(placeOf(entry), "search: values has %s, must have numbers only", quote(string(value)))
		}
		if slices.ContainsFunc(s.values, func(v json.RawMessage) bool { return sameJSON(v, value) }) {
			return d.fault(placeOf(entry), "search: values has %s twice, must have it once", quote(string(value)))
		}
		s.values = append(s.values, value)
	}
	return nil
}

// length reads the shortest and the longest length of inputs.
func (d *auditDecoder) length(s *auditSearch, n ast.Node) error {
	entries, err := d.list("search: length", n, 2)
	if err != nil {
		return err
	}
	if len(entries) != 2 {
		return d.fault(placeOf(n), "search: length has 1 entry, must be of the form [shortest, longest]")
	}
	if s.shortest, err = d.whole("search: length", entries[0], 0, maxLength); err != nil {
		return err
	}
	if s.longest, err = d.whole("search: length", entries[1], 1, maxLength); err != nil {
		return err
	}
	if s.shortest > s.longest {
		return d.fault(placeOf(n), "search: length is [%d, %d], must not fall", s.shortest, s.longest)
	}
	return nil
}

// checkSearch checks that there are neighbours.
func (d *auditDecoder) checkSearch(at position, s *auditSearch) error {
	switch {
	case s.relation == "replace" && len(s.values) < 2:
		return d.fault(at, "search: values has one entry, must have at least two for neighbours: replace")
	case s.relation == "add" && s.shortest == s.longest:
		return d.fault(at, "search: length is [%d, %d], must rise for neighbours: add", s.shortest, s.longest)
	}
	return nil
}
