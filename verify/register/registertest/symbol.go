package registertest

import (
	"go/ast"
	"go/parser"
	"go/token"
	pathpkg "path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"checkrr/verify/register"
	"checkrr/verify/register/mutation"
)

// Symbol is an exported function, method or type.
type Symbol struct {
	File       string // from the root of the module
	Doc        string
	IsFunction bool // or a method
	cited      []string
}

// anID finds the IDs of statements in a text.
var anID = regexp.MustCompile(`[A-Z]+-[A-Z]+[0-9.]*[0-9](?:[a-z][0-9]?)?(?:\.s[0-9]+)?`)

// Cited returns the IDs that the documentation of s cites, each as often as it does.
func (s Symbol) Cited() []string { return s.cited }

// Sources returns the IDs of the statements that the documentation of s names as its source.
func (s Symbol) Sources() []string {
	_, source, _ := strings.Cut(s.Doc, "Source: ")
	for _, next := range []string{"Also in the check", "In the checks", "Symbols", "Domain", "Accuracy", "Deviation",
		"Cost"} {
		source, _, _ = strings.Cut(source, next)
	}
	return anID.FindAllString(source, -1)
}

// Symbols returns the exported symbols of those packages that an entry may name, by name, such as spec.OptDel.
func Symbols(t *testing.T) map[string]Symbol {
	t.Helper()
	symbols := map[string]Symbol{}
	for _, room := range rooms(t) {
		for path, file := range parsed(t, room) {
			for name, s := range declared(file) {
				s.File, s.cited = path, anID.FindAllString(s.Doc, -1)
				name = file.Name.Name + "." + name
				if other, twice := symbols[name]; twice && len(s.cited)+len(other.cited) > 0 {
					t.Errorf("%s is in %s and in %s: an entry cannot tell them apart", name, other.File, s.File)
				}
				symbols[name] = s
			}
		}
	}
	return symbols
}

// parsed returns the files of a folder, tests aside, by path from the root of the module.
func parsed(t *testing.T, folder string) map[string]*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(Root(t), folder, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %d files", folder, err, len(paths))
	}
	files := map[string]*ast.File{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files[pathpkg.Join(folder, filepath.Base(path))] = file
	}
	return files
}

// declared returns the exported functions, methods and types of a file.
func declared(file *ast.File) map[string]Symbol {
	symbols := map[string]Symbol{}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if name := mutation.Receiver(d) + d.Name.Name; ast.IsExported(name) && d.Name.IsExported() {
				symbols[name] = Symbol{Doc: d.Doc.Text(), IsFunction: true}
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() {
					symbols[s.Name.Name] = Symbol{Doc: s.Doc.Text() + d.Doc.Text()}
				}
			}
		}
	}
	return symbols
}

// cited: what an entry names is there and cites its ID, and what cites an ID is named by its entry.
func cited(t *testing.T, p register.Paper, statements []register.Statement, notNamed map[string][]string) {
	symbols, named := Symbols(t), map[string][]string{}
	for _, s := range statements {
		for _, name := range s.In {
			named[name] = append(named[name], s.ID)
			if symbol, there := symbols[name]; !there {
				t.Errorf("%s: %s does not exist", s.ID, name)
			} else if !slices.Contains(symbol.Cited(), s.ID) {
				t.Errorf("%s names %s, which does not cite it", s.ID, name)
			}
		}
	}
	known := p.IDs()
	for name, symbol := range symbols {
		for _, x := range symbol.Cited() {
			if !strings.HasPrefix(x, p.Prefix+"-") {
				continue
			}
			isNamed, excused := slices.Contains(named[name], x), slices.Contains(notNamed[name], x)
			switch {
			case !slices.Contains(known, x):
				t.Errorf("%s cites %s, which is no statement", name, x)
			case isNamed == excused:
				t.Errorf("%s cites %s: named by its entry %v, excused %v", name, x, isNamed, excused)
			}
		}
	}
	for name, ids := range notNamed {
		for _, x := range ids {
			if !slices.Contains(symbols[name].Cited(), x) {
				t.Errorf("%s is excused for citing %s, but does not", name, x)
			}
		}
	}
}

// Checks returns the files of a register in which statements are checked, by ID; of others, the file that lists them.
func Checks(t *testing.T, p register.Paper) map[string]string {
	t.Helper()
	where := map[string]string{}
	for _, id := range p.IDs() {
		where[id] = "verify/" + p.Name + "/statements.yaml"
	}
	for path, file := range parsed(t, "verify/"+p.Name) {
		ast.Inspect(file, func(n ast.Node) bool {
			if pair, ok := n.(*ast.KeyValueExpr); ok {
				if key, isText := pair.Key.(*ast.BasicLit); isText && where[strings.Trim(key.Value, `"`)] != "" {
					where[strings.Trim(key.Value, `"`)] = path
				}
			}
			return true
		})
	}
	return where
}
