// Package registertest has the tests that every register shares.
package registertest

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"checkrr/verify/register"
)

var (
	update = flag.Bool("update", false, "record what the checks find in findings.json")
	deep   = flag.Bool("deep", false, "check larger domains, which takes minutes")
)

// Run tests a register, in the folder of its test: that it is complete, that entries are consistent and
// what they name is there, and that checks find what is recorded and refute their controls.
func Run(t *testing.T, p register.Paper) {
	statements := p.Statements()
	t.Run("complete", func(t *testing.T) { complete(t, p, statements) })
	t.Run("consistent", func(t *testing.T) { consistent(t, statements) })
	t.Run("verify", func(t *testing.T) { verify(t, p, statements) })
}

// complete: every ID of the text has an entry, once.
func complete(t *testing.T, p register.Paper, statements []register.Statement) {
	listed := p.IDs()
	var ids []string
	for _, s := range statements {
		ids = append(ids, s.ID)
		if !slices.Contains(listed, s.ID) {
			t.Errorf("%s is not in the list of IDs", s.ID)
		}
	}
	for i, id := range listed {
		if !slices.Contains(ids, id) {
			t.Errorf("%s has no entry", id)
		}
		if slices.Contains(listed[:i], id) {
			t.Errorf("%s is listed twice", id)
		}
		if !strings.HasPrefix(id, strings.ToUpper(p.Name)+"-") {
			t.Errorf("%s does not begin with the name of the text", id)
		}
	}
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			t.Errorf("%s has two entries", id)
		}
	}
}

// consistent: what an entry says of itself is consistent, and what it names is there.
func consistent(t *testing.T, statements []register.Statement) {
	exported := Exported(t)
	for _, s := range statements {
		for _, name := range s.In {
			if !exported[name] {
				t.Errorf("%s: %s does not exist", s.ID, name)
			}
		}
		checked := s.Verdict != register.NotCheckable
		switch {
		case s.Title == "":
			t.Errorf("%s has no title", s.ID)
		case checked != (s.Check != nil), checked == (s.Kind == register.Definition || s.Kind == register.Opinion):
			t.Errorf("%s: verdict %s, kind %s, checked %v", s.ID, s.Verdict, s.Kind, s.Check != nil)
		case s.Verdict == register.Holds && len(s.Controls) == 0:
			t.Errorf("%s has no control", s.ID)
		case !checked && s.Note == "":
			t.Errorf("%s: the note must say why it is not checkable", s.ID)
		case s.Verdict == register.Fails && s.Note == "":
			t.Errorf("%s: the note must say what is wrong with it", s.ID)
		case s.Verdict != register.Fails && s.Corrected != nil:
			t.Errorf("%s: a statement that holds needs no corrected form", s.ID)
		}
	}
}

// Rooms are the packages whose functions and types an entry may name, from the root of the module.
var Rooms = []string{"spec", "impl", "impl/interval", "impl/loss", "exhaustive"}

// Exported returns the exported functions, methods and types of the [Rooms], such as spec.OptDel.
func Exported(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, room := range Rooms {
		paths, err := filepath.Glob(filepath.Join(Root(t), room, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v, %d files", room, err, len(paths))
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range declared(file) {
				names[filepath.Base(room)+"."+name] = true
			}
		}
	}
	return names
}

// Root returns the folder of the module.
func Root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir
		}
	}
	t.Fatalf("no go.mod above the test: %v", err)
	return ""
}

// declared returns the exported functions, methods and types of a file.
func declared(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, receiver(d)+d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					names = append(names, s.Name.Name)
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !ast.IsExported(name) })
}

// receiver returns "T." for a method of T or *T.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	x := d.Recv.List[0].Type
	if star, ok := x.(*ast.StarExpr); ok {
		x = star.X
	}
	if name, ok := x.(*ast.Ident); ok {
		return name.Name + "."
	}
	return "?"
}

// verify: every check finds what is recorded, and refutes its controls.
func verify(t *testing.T, p register.Paper, statements []register.Statement) {
	var found sync.Map // from ID to register.Record
	t.Run("statements", func(t *testing.T) {
		for _, s := range statements {
			t.Run(s.ID, func(t *testing.T) {
				t.Parallel()
				f := register.Run(t.Context(), []register.Statement{s}, register.Options{Deep: *deep})[0]
				found.Store(s.ID, f.Record())
				checkFinding(t, f)
			})
		}
	})
	if *update && !*deep {
		write(t, p, &found)
	}
}

func checkFinding(t *testing.T, f register.Finding) {
	for _, change := range f.Changes() {
		t.Error(change)
	}
	if f.Statement.Verdict != register.NotCheckable && f.Verdict() == register.Undecided {
		t.Errorf("undecided: %s", f.Reason())
	}
	if last := f.Statement.Last; f.Record() != last && !*update && !*deep {
		t.Errorf("found %+v, recorded is %+v: if this is right, record it with -update", f.Record(), last)
	}
	t.Logf("%s: %d cases, %v", f.Outcome.Domain, f.Outcome.Cases, f.Elapsed)
	for _, c := range f.Controls {
		t.Logf("control %s: %s", c.Says, c.Counterexample)
	}
}

// write records what was found, and keeps the rest.
func write(t *testing.T, p register.Paper, found *sync.Map) {
	all := p.Recorded()
	found.Range(func(id, r any) bool {
		all[id.(string)] = r.(register.Record)
		if r == (register.Record{}) {
			delete(all, id.(string))
		}
		return true
	})
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(all); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("findings.json", text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}
