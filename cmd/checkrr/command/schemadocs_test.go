package command

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/verify/conjecture"
)

// described is a block of a page that has the keys of a schema, or of one that is in it.
var described = regexp.MustCompile(`(?s)<!-- keys ([a-z-]+)(?:#([A-Za-z]+))? -->\n.*?<!-- end of keys -->`)

// TestSchemas_Reference: where a page has a block of keys, these are those of the schema. Every schema that has keys is
// in some page.
func TestSchemas_Reference(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for name, page := range documents(t) {
		now := described.ReplaceAllStringFunc(page, func(block string) string {
			m := described.FindStringSubmatch(block)
			s, of := rawSchemas()[m[1]], m[1]
			if m[2] != "" {
				s, of = s.in("$defs").in(m[2]), of+"#"+m[2]
			}
			shown[of] = true
			return fmt.Sprintf("<!-- keys %s -->\n%s\n<!-- end of keys -->", of, keysTable(s))
		})
		if now != page && *update {
			write(t, filepath.Join("../../..", name), now)
		} else if now != page {
			t.Errorf("%s has not the keys of schemas: run go test ./cmd/checkrr/command -run Reference -update", name)
		}
	}
	for name := range schemas() {
		s := rawSchemas()[name]
		if s.at("properties") != nil && !shown[name] {
			t.Errorf("no page has the keys of %s", name)
		}
		for _, def := range s.in("$defs").node {
			key := name + "#" + def.Key.(string)
			if s.in("$defs").in(def.Key.(string)).at("properties") != nil && !shown[key] {
				t.Errorf("no page has the keys of %s", key)
			}
		}
	}
}

// keysTable is what a page says of the keys of a schema.
func keysTable(s rawSchema) string {
	lines := []string{"| key | value | meaning |", "|---|---|---|"}
	if of := s.in("items"); of.node != nil {
		s = of
	}
	s.rows("", func(key, value, meaning string) {
		lines = append(lines, fmt.Sprintf("| `%s` | %s | %s |", key, value, meaning))
	})
	return strings.Join(lines, "\n")
}

// rows calls row for every key, those of objects within behind the key that they are in.
func (s rawSchema) rows(before string, row func(key, value, meaning string)) {
	needed, _ := s.at("required").([]any)
	for _, item := range s.in("properties").node {
		key := item.Key.(string)
		p := s.in("properties").in(key)
		value, isNeeded := p.value(), slices.Contains(needed, any(key))
		switch isOutput := strings.HasSuffix(s.name, "-output") || s.name == "common"; {
		case isOutput && key == "schema_version":
			continue // the page has said so
		case isOutput && !isNeeded:
			value += "; may be absent"
		case !isOutput && isNeeded:
			value += "; needed"
		}
		row(before+key, value, strings.ReplaceAll(p.meaning(), "|", `\|`))
		p.rows(before+key+".", row)
		p.in("items").rows(before+key+"[].", row)
	}
}

// meaning is the description of a schema, or of the one that it names.
func (s rawSchema) meaning() string {
	if text := s.text("description"); text != "" || s.text("$ref") == "" {
		return text
	}
	return s.target().meaning()
}

// typeWords are those for the types of JSON.
var typeWords = map[string]string{"string": "text", "boolean": "true or false", "integer": "whole number",
	"number": "number", "object": "object", "array": "list", "null": "null"}

// value says of what kind the values of a schema are.
func (s rawSchema) value() string {
	if title := s.text("title"); title != "" {
		return title
	}
	if s.text("$ref") != "" {
		return s.target().value()
	}
	if words, isEnum := s.at("enum").([]any); isEnum {
		return "`" + strings.Join(report.Names(words, func(word any) string { return word.(string) }), "`, `") + "`"
	}
	types, isList := s.at("type").([]any)
	if !isList {
		types = []any{s.at("type")}
	}
	var words []string
	for _, x := range types {
		name, _ := x.(string)
		word := typeWords[name]
		if of := s.in("items"); name == "array" && of.node != nil {
			word += " of " + many(of.value())
		}
		words = append(words, word)
	}
	return strings.Join(words, ", or ")
}

// many is what several of a kind are called.
func many(kind string) string {
	if strings.HasSuffix(kind, "s") || regexp.MustCompile("[`{\\[,]| (of|or|in|as) ").MatchString(kind) {
		return kind
	}
	return kind + "s"
}

// All keys are described by a sentence, and objects have no others. References are such as all editors take.
func TestSchemas_Described(t *testing.T) {
	t.Parallel()
	for name := range schemas() {
		rawSchemas()[name].all(map[string]bool{}, func(s rawSchema) {
			for _, item := range s.in("properties").node {
				p, isSchema := item.Value.(yaml.MapSlice)
				inside := rawSchema{s.name, p}
				if isSchema && s.at("then") == nil && s.isDescribed() && !strings.HasSuffix(inside.meaning(), ".") {
					t.Errorf("%s: %v has no description that ends with a full stop", s.name, item.Key)
				}
			}
			if ref := s.text("$ref"); strings.Contains(ref, ".") && strings.Contains(fmt.Sprint(s.node), "{$ref #/") {
				t.Errorf("%s: beside a $ref to %s are others that editors would look for there", s.name, ref)
			}
			isClosed := s.at("additionalProperties") != nil || s.at("unevaluatedProperties") != nil
			if says := s.text("title") + s.text("description"); s.at("type") != nil && s.at("properties") != nil &&
				!isClosed && says != "" {
				t.Errorf("%s: %s takes any keys", s.name, says)
			}
		})
	}
}

// isDescribed reports whether a schema is one of an object, and not only what is said of some of its keys.
func (s rawSchema) isDescribed() bool {
	return s.at("type") != nil || s.at("title") != nil
}

// writers are the files that write what schemas of outputs describe.
var writers = []string{"*.go", "../internal/run/*.go", "../internal/report/json.go"}

// TestSchemas_Keys: the keys that commands write with --json are those of the schemas of outputs, as they stand in the
// source: none is forgotten that no test prints, and none is described that there is no more.
func TestSchemas_Keys(t *testing.T) {
	t.Parallel()
	keys, texts, known := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, glob := range writers {
		files, err := filepath.Glob(glob)
		must(err)
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") && file != "checkreports.go" { // in formats of others
				tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
				must(err)
				noteWritten(tree, keys, texts)
			}
		}
	}
	for name := range schemas() {
		if strings.HasSuffix(name, "-output") {
			for key := range propertiesOf(name) {
				known[key] = true
				if !texts[strings.ReplaceAll(key, "_", "-")] { // there are flags of this name
					t.Errorf("%s is in %s, and nobody writes it", key, name)
				}
			}
		}
	}
	for key := range keys {
		if !known[key] {
			t.Errorf("%s is written, and in no schema", key)
		}
	}
}

// noteWritten notes the keys of each report.Object in a file, and all of its texts, with - for _.
func noteWritten(tree *ast.File, keys, texts map[string]bool) {
	note := func(values []ast.Expr) {
		for i := 0; i < len(values); i += 2 {
			if text := textOf(values[i]); regexp.MustCompile(`^[a-z_0-9]+\??$`).MatchString(text) {
				keys[strings.TrimSuffix(text, "?")] = true
			}
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if isNamed(n.Type, "Object") {
				note(n.Elts)
			}
		case *ast.CallExpr:
			if isNamed(n.Fun, "Output") {
				note(n.Args)
			}
			if isNamed(n.Fun, "append") && len(n.Args) > 2 {
				note(n.Args[1:])
			}
		case *ast.BasicLit:
			isBetween := func(r rune) bool { return strings.ContainsRune("\" :,?", r) }
			for part := range strings.FieldsFuncSeq(textOf(n), isBetween) {
				texts[strings.ReplaceAll(part, "_", "-")] = true
			}
		}
		return true
	})
}

// textOf is what is in quotes; empty if something else is there.
func textOf(e ast.Expr) string {
	lit, isLit := e.(*ast.BasicLit)
	if !isLit || lit.Kind != token.STRING {
		return ""
	}
	text, err := strconv.Unquote(lit.Value)
	must(err)
	return text
}

// isNamed reports whether an expression is a name, perhaps of another package.
func isNamed(e ast.Expr, name string) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == name
	case *ast.SelectorExpr:
		return e.Sel.Name == name
	}
	return false
}

// The words that files may have are those of the flags that they stand for.
func TestSchemas_Words(t *testing.T) {
	t.Parallel()
	method := func(m selectMethod) string { return m.name }
	charges := func(c conjecture.Charges) string { return string(c) }
	for _, test := range []struct {
		schema, path string
		want         []string
	}{
		{"common", "$defs oneRecord", input.NeighbourNames},
		{"claims-file", "$defs schedule properties schedule properties shape", run.ShapeNames()},
		{"claims-file", "$defs ledger properties rule", filterRules},
		{"claims-file", "$defs menu properties rule", challengeRules},
		{"claims-file", "$defs inequality properties over properties charges",
			report.Names(conjecture.AllCharges, charges)},
		{"candidates-file", "properties method", report.Names(selectMethods, method)},
		{"odometer-output", "properties rule", odometerRules},
	} {
		s := rawSchemas()[test.schema]
		for key := range strings.FieldsSeq(test.path) {
			s = s.in(key)
		}
		if got := s.value(); got != "`"+strings.Join(test.want, "`, `")+"`" {
			t.Errorf("%s, %s: the words are %s, must be %q", test.schema, test.path, got, test.want)
		}
	}
}
