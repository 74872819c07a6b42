package register

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// Paper is a text whose statements are checked. Nothing of it is built before it is asked for.
type Paper struct {
	Name   string // of its folder, and in commands
	Prefix string // of its IDs, such as ODP
	Title  string // who wrote what, where

	List    string                                  // all IDs, in the order of the text, one a line
	Records []byte                                  // JSON: a [Record] for every ID that is checked
	Entries func() []Statement                      // in any order
	Figures func(context.Context) ([]Figure, error) // what is computed again; nil if there is nothing
}

// IDs returns the IDs of all statements, in the order of the text.
func (p Paper) IDs() []string { return strings.Fields(p.List) }

// Statements returns the entries, in the order of the text, with what was last recorded.
func (p Paper) Statements() []Statement {
	place := map[string]int{}
	for i, id := range p.IDs() {
		place[id] = i
	}
	all, last := p.Entries(), p.Recorded()
	slices.SortStableFunc(all, func(a, b Statement) int { return cmp.Compare(place[a.ID], place[b.ID]) })
	for i := range all {
		all[i].Last = last[all[i].ID]
	}
	return all
}

// Recorded returns the records, by ID.
func (p Paper) Recorded() (last map[string]Record) {
	if err := json.Unmarshal(p.Records, &last); err != nil {
		panic("internal error: records of " + p.Name + ": " + err.Error())
	}
	return last
}
