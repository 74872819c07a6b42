package register

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// read returns the statements of a text with what runs for them.
func (p Paper) read() ([]Statement, error) {
	all, err := p.printed()
	if err != nil {
		return nil, err
	}
	checks := Checks{}
	for _, some := range p.Checks {
		for id, parts := range some() {
			if checks[id] != nil {
				return nil, fmt.Errorf("%s: %s is checked twice", p.Name, id)
			}
			checks[id] = append(slices.Clip(parts), standsIn(some))
		}
	}
	for i := range all {
		s := &all[i]
		for _, part := range checks[s.ID] {
			part(s)
		}
		switch isChecked := s.Check != nil; {
		case isChecked && s.Verdict == NotCheckable:
			return nil, p.fault(p.lineOf(i), "the verdict of %s is %s and it has a check", s.ID, s.Verdict)
		case !isChecked && s.Verdict != NotCheckable:
			return nil, p.fault(p.lineOf(i), "the verdict of %s is %s and it has no check", s.ID, s.Verdict)
		}
		delete(checks, s.ID)
	}
	if len(checks) > 0 {
		return nil, p.fault(1, "%s are checked and not in the file", slices.Sorted(maps.Keys(checks)))
	}
	return all, nil
}

// printed returns what the file says. A definition needs no verdict.
func (p Paper) printed() (all []Statement, err error) {
	if err := yaml.UnmarshalWithOptions([]byte(p.Text), &all, yaml.Strict()); err != nil {
		if at, isSyntax := errors.AsType[yaml.Error](err); isSyntax {
			return nil, p.fault(at.GetToken().Position.Line, "%s", at.GetMessage())
		}
		return nil, p.fault(1, "%v", err)
	}
	seen := map[string]bool{}
	for i := range all {
		switch s := &all[i]; {
		case s.ID == "":
			return nil, p.fault(p.lineOf(i), "an entry has no id")
		case !strings.HasPrefix(s.ID, p.Prefix+"-"):
			return nil, p.fault(p.lineOf(i), "the id is %s, must begin with %s-", s.ID, p.Prefix)
		case seen[s.ID]:
			return nil, p.fault(p.lineOf(i), "%s is there twice", s.ID)
		case s.Verdict == "" && (s.Kind == Definition || s.Kind == Opinion):
			s.Verdict = NotCheckable
		}
		if word := all[i].unknownWord(); word != "" {
			return nil, p.fault(p.lineOf(i), "%s: the %s", all[i].ID, word)
		}
		seen[all[i].ID] = true
	}
	return all, nil
}

// unknownWord says which word of an entry is none of those that are known there, if one is.
func (s Statement) unknownWord() string {
	const format = "%s is %q, must be one of %v"
	kinds := []Kind{Exact, Certified, Property, Statistical, Definition, Opinion}
	verdicts := []Verdict{Holds, Fails, NotCheckable}
	switch {
	case !slices.Contains(kinds, s.Kind):
		return fmt.Sprintf(format, "kind", s.Kind, kinds)
	case !slices.Contains(verdicts, s.Verdict):
		return fmt.Sprintf(format, "verdict", s.Verdict, verdicts)
	case s.Severity != "" && !slices.Contains(Severities, s.Severity):
		return fmt.Sprintf(format, "severity", s.Severity, Severities)
	}
	return ""
}

// lineOf returns the line with which an entry begins: with a dash.
func (p Paper) lineOf(entry int) int {
	line := 0
	for text := range strings.Lines(p.Text) {
		if line++; strings.HasPrefix(text, "- ") {
			if entry--; entry < 0 {
				break
			}
		}
	}
	return line
}

func (p Paper) fault(line int, format string, args ...any) error {
	return fmt.Errorf("%s/statements.yaml:%d: %s", p.Name, line, fmt.Sprintf(format, args...))
}
