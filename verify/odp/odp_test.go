package odp

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

	"checkrr/verify"
)

// What an entry says of itself is consistent, and what it names is there.
func TestEntries(t *testing.T) {
	exported := map[string]bool{}
	for _, room := range []string{"spec", "impl", "exhaustive"} {
		for _, name := range exports(t, room) {
			exported[room+"."+name] = true
		}
	}
	for _, s := range Statements() {
		for _, name := range s.In {
			if !exported[name] {
				t.Errorf("%s: %s does not exist", s.ID, name)
			}
		}
		checked := s.Verdict != verify.NotCheckable
		switch {
		case s.Title == "":
			t.Errorf("%s has no title", s.ID)
		case checked != (s.Check != nil), checked == (s.Kind == verify.Definition || s.Kind == verify.Opinion):
			t.Errorf("%s: verdict %s, kind %s, checked %v", s.ID, s.Verdict, s.Kind, s.Check != nil)
		case s.Verdict == verify.Holds && len(s.Controls) == 0:
			t.Errorf("%s has no control", s.ID)
		case !checked && s.Note == "":
			t.Errorf("%s: the note must say why it is not checkable", s.ID)
		case s.Verdict == verify.Fails && s.Note == "":
			t.Errorf("%s: the note must say what is wrong with it", s.ID)
		case s.Verdict != verify.Fails && s.Corrected != nil:
			t.Errorf("%s: a statement that holds needs no corrected form", s.ID)
		}
	}
}

// exports returns the exported functions and types of a room.
func exports(t *testing.T, room string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", room, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %d files", room, err, len(paths))
	}
	var names []string
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
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

// Every ID of the paper has an entry, once.
func TestStatements(t *testing.T) {
	var ids []string
	for _, s := range Statements() {
		ids = append(ids, s.ID)
	}
	for _, id := range IDs() {
		if !slices.Contains(ids, id) {
			t.Errorf("%s has no entry", id)
		}
	}
	for i, id := range ids {
		if !slices.Contains(IDs(), id) {
			t.Errorf("%s is not in statements.txt", id)
		}
		if i > 0 && ids[i-1] == id {
			t.Errorf("%s has two entries", id)
		}
	}
}

var (
	update = flag.Bool("update", false, "record what the checks find in findings.json")
	deep   = flag.Bool("deep", false, "check larger domains, which takes minutes")
)

// Every check finds what is recorded, and refutes its controls.
func TestVerify(t *testing.T) {
	var found sync.Map // from ID to verify.Record
	t.Run("statements", func(t *testing.T) {
		for _, s := range Statements() {
			t.Run(s.ID, func(t *testing.T) {
				t.Parallel()
				f := verify.Run(t.Context(), []verify.Statement{s}, verify.Options{Deep: *deep})[0]
				found.Store(s.ID, f.Record())
				checkFinding(t, f)
			})
		}
	})
	if *update && !*deep {
		write(t, &found)
	}
}

func checkFinding(t *testing.T, f verify.Finding) {
	for _, change := range f.Changes() {
		t.Error(change)
	}
	if f.Statement.Verdict != verify.NotCheckable && f.Verdict() == verify.Undecided {
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
func write(t *testing.T, found *sync.Map) {
	all := recorded()
	found.Range(func(id, r any) bool {
		all[id.(string)] = r.(verify.Record)
		if r == (verify.Record{}) {
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
