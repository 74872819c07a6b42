package mutation

import (
	"fmt"
	"strings"
)

// ofSignature changes each parameter before the function begins, and each result when it has ended.
func (f function) ofSignature() (all []change) {
	at := 0
	for _, field := range f.decl.Type.Params.List {
		for _, name := range field.Names {
			if text := changed(name.Name, f.of(field.Type)); text != "" && name.Name != "_" {
				alike := fmt.Sprint(f.decl.Name.Name, " parameter ", at)
				all = append(all, change{"a parameter", alike, name.Name, text, text + "\n", name.Pos()})
			}
			at++
		}
	}
	for i, kind := range f.results() {
		name, alike := fmt.Sprint("x", i), fmt.Sprint(f.decl.Name.Name, " result ", i)
		if text := changed(name, kind); text != "" {
			body := f.closed(f.of(f.decl.Body), text)
			all = append(all, change{"a result", alike, name, text, body, f.decl.Type.Results.Pos()})
		}
	}
	return all
}

// changed returns statements that change a variable of a type: a number by 5 %, a count by one, a truth to its
// contrary, a list by its first element.
func changed(name, kind string) string {
	switch {
	case kind == "float64":
		return name + " *= 1.05"
	case kind == "int", kind == "int64":
		return name + "++"
	case kind == "bool":
		return name + " = !" + name
	case kind == "*big.Rat":
		return fmt.Sprintf("if %s != nil { %[1]s = new(big.Rat).Mul(%[1]s, big.NewRat(21, 20)) }", name)
	case kind == "interval.Interval":
		return fmt.Sprintf("%s = interval.Precision(200).Mul(%[1]s, interval.Precision(200).Rat(big.NewRat(21, 20)))",
			name)
	case kind == "interval.Float":
		return fmt.Sprintf("%s = %[1]s.Mul(interval.Point(1.05))", name)
	case strings.HasPrefix(kind, "[]"):
		return fmt.Sprintf("%s = %[1]s[min(1, len(%[1]s)):]", name)
	}
	return ""
}
