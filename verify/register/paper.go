package register

import (
	"encoding/json"
	"fmt"
	"regexp"
)

// Paper is a text whose statements are checked. Nothing of it is built before it is asked for.
type Paper struct {
	Name   string // of its folder, and in commands, such as odp
	Prefix string // of its IDs, such as ODP
	Title  string // who wrote what, where

	Text    string          // statements.yaml: what is printed, in its order
	Checks  []func() Checks // what runs for it
	Records []byte          // JSON: a [Record] for every ID that is checked
	Figures []Drawing       // what is computed again; nil if there is nothing
}

// Validate returns what is wrong with the text, if anything is.
func (p Paper) Validate() error {
	switch {
	case !regexp.MustCompile(`^[a-z][a-z0-9]*$`).MatchString(p.Name):
		return fmt.Errorf("the name of a text is %q, must be of lower case letters, as odp is", p.Name)
	case !regexp.MustCompile(`^[A-Z]+$`).MatchString(p.Prefix):
		return fmt.Errorf("%s: the prefix is %q, must be of upper case letters, as ODP is", p.Name, p.Prefix)
	}
	if _, err := p.recorded(); err != nil {
		return err
	}
	_, err := p.read()
	return err
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
func (p Paper) Recorded() map[string]Record { return Must(p.recorded()) }

func (p Paper) recorded() (last map[string]Record, err error) {
	if err := json.Unmarshal(p.Records, &last); err != nil {
		return nil, fmt.Errorf("%s: Records, {} to begin with: %w", p.Name, err)
	}
	return last, nil
}
