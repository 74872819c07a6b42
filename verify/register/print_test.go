package register

import (
	"strings"
	"testing"
)

// A file that cannot be read as it is meant is refused, with its line.
func TestRead_Refused(t *testing.T) {
	t.Parallel()
	const good = "- id: ABC-D1\n  title: a definition\n  kind: definition\n\n- id: ABC-L2\n  title: x\n  kind: " +
		"exact\n  verdict: holds\n"
	checks := Checks{"ABC-L2": Checked(func(*T) {})}
	of := func(all ...Checks) (some []func() Checks) {
		for _, c := range all {
			some = append(some, func() Checks { return c })
		}
		return some
	}
	for want, p := range map[string]Paper{
		"":                                     {Text: good},
		"abc/statements.yaml:9: unknown field": {Text: good + "  notes: a word that is none\n"},
		"abc/statements.yaml:10: an entry has no id":                   {Text: good + "\n- title: y\n"},
		"abc/statements.yaml:9: the id is AB-L3, must begin with ABC-": {Text: good + "- id: AB-L3\n"},
		"abc/statements.yaml:9: ABC-D1 is there twice":                 {Text: good + "- id: ABC-D1\n"},
		"abc/statements.yaml:9: the verdict of ABC-L3 is fails " +
			"and it has no": {Text: good + "- id: ABC-L3\n  kind: exact\n  verdict: fails\n"},
		`abc/statements.yaml:5: ABC-L2: the kind is "exakt", must be one of [exact`: {
			Text: strings.Replace(good, "exact", "exakt", 1)},
		`abc/statements.yaml:5: ABC-L2: the verdict is "hold", must be one of [holds`: {
			Text: strings.Replace(good, "holds", "hold", 1)},
		`abc/statements.yaml:5: ABC-L2: the severity is "slips", must be one of [false`: {
			Text: good + "  severity: slips\n"},
		"abc/statements.yaml:1: the verdict of ABC-D1 is not-checkable and it has a check": {
			Text: good, Checks: of(checks, Checks{"ABC-D1": Checked(func(*T) {})}),
		},
		"abc: ABC-L2 is checked twice": {Text: good, Checks: of(checks, checks)},
		"abc/statements.yaml:1: [ABC-L9] are checked and not in the file": {
			Text: good, Checks: of(checks, Checks{"ABC-L9": Checked(func(*T) {})}),
		},
	} {
		p.Name, p.Prefix = "abc", "ABC"
		if p.Checks == nil {
			p.Checks = of(checks)
		}
		all, err := p.read()
		switch {
		case want == "" && (err != nil || len(all) != 2 || all[0].Verdict != NotCheckable || all[1].Check == nil):
			t.Errorf("%v, %v", all, err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)):
			t.Errorf("%v, must be %q", err, want)
		}
	}
}
