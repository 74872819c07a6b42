package register

import (
	"context"
	"encoding/json"
)

// Paper is a text whose statements are checked. Nothing of it is built before it is asked for.
type Paper struct {
	Name   string // of its folder, and in commands
	Prefix string // of its IDs, such as ODP
	Title  string // who wrote what, where

	Text    string                                  // statements.yaml: what is printed, in its order
	Checks  func() []Checks                         // what runs for it
	Records []byte                                  // JSON: a [Record] for every ID that is checked
	Figures func(context.Context) ([]Figure, error) // what is computed again; nil if there is nothing
}

// IDs returns the IDs of all statements, in the order of the text.
func (p Paper) IDs() (ids []string) {
	for _, s := range Must(p.printed()) {
		ids = append(ids, s.ID)
	}
	return ids
}

// Statements returns the statements, in the order of the text, with what was last recorded.
func (p Paper) Statements() []Statement {
	all, last := Must(p.read()), p.Recorded()
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
