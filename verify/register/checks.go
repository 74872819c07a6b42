package register

import (
	"path"
	"reflect"
	"runtime"
	"strings"
)

// Checks are what runs, by the ID of the statement that it is for.
type Checks map[string][]Part

// Part is something that runs for a statement: its check, a control, a reading.
type Part func(*Statement)

// Checked returns a check of a statement as it is read, and what else runs for it.
func Checked(c Check, more ...Part) []Part {
	return append([]Part{func(s *Statement) { s.Check = c }}, more...)
}

// standsIn says in which file a function stands: in this module such as verify/odp/optdel.go, in others with the import
// path of its package.
func standsIn(some func() Checks) Part {
	f := runtime.FuncForPC(reflect.ValueOf(some).Pointer())
	file, _ := f.FileLine(f.Entry())
	folder, name := path.Split(f.Name())
	of, _, _ := strings.Cut(name, ".")
	module := strings.TrimSuffix(reflect.TypeFor[Part]().PkgPath(), "verify/register")
	in := strings.TrimPrefix(folder+of+"/"+path.Base(file), module)
	return func(s *Statement) { s.File = in }
}

// Control is wrong on purpose: the method of the check must refute it.
func Control(says string, c Check) Part {
	return func(s *Statement) { s.Controls = append(s.Controls, Claim{says, c}) }
}

// NearMiss is a control that is wrong by little: a constant, one case of many, one side of two.
func NearMiss(says string, c Check) Part {
	return func(s *Statement) { s.NearMisses = append(s.NearMisses, Claim{says, c}) }
}

// AlsoHolds is another way to read a statement, or a step of its proof, that holds.
func AlsoHolds(says string, c Check) Part {
	return func(s *Statement) { s.Readings = append(s.Readings, Reading{Claim: Claim{says, c}, Verdict: Holds}) }
}

// AlsoFails is one that fails, with a severity if it is what is printed.
func AlsoFails(w Severity, says string, c Check) Part {
	return func(s *Statement) {
		s.Readings = append(s.Readings, Reading{Claim: Claim{says, c}, Verdict: Fails, Severity: w})
	}
}

// Corrected is what holds in the place of a statement that fails.
func Corrected(says string, c Check) Part {
	return func(s *Statement) { s.Corrected = &Claim{says, c} }
}

// With returns a check that has a parameter, for an argument.
func With[A any](check func(t *T, a A), a A) Check { return func(t *T) { check(t, a) } }
