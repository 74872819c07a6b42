package verify

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// unmirrored are the files of spec without a file of the same name in impl, and why.
var unmirrored = map[string]string{
	"rational.go": "helpers for rational numbers",
}

// declared returns the files of a room and its exported functions, tests aside, and
// the file of each.
func declared(t *testing.T, room string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", room, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %d files", room, err, len(paths))
	}
	names := map[string]string{}
	for _, path := range paths {
		base := filepath.Base(path)
		if strings.HasSuffix(base, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		names["file "+base] = base
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() {
				names[f.Name.Name] = base
			}
		}
	}
	return names
}

// spec and impl mirror each other: a function that both export is in files of the
// same name, and a file of spec without a twin is excused.
func TestMirror(t *testing.T) {
	spec, impl := declared(t, "spec"), declared(t, "impl")
	for name, file := range spec {
		if strings.HasPrefix(name, "file ") {
			_, excused := unmirrored[file]
			if there := impl[name] != ""; there == excused && file != "doc.go" {
				t.Errorf("spec/%s: in impl %v, excused %v", file, there, excused)
			}
			continue
		}
		if other, both := impl[name]; both && other != file {
			t.Errorf("%s is in spec/%s and in impl/%s", name, file, other)
		}
	}
	if spec["OptDel"] == "" || impl["OptDel"] == "" {
		t.Errorf("OptDel: in spec %q, in impl %q", spec["OptDel"], impl["OptDel"])
	}
	for file := range unmirrored {
		if spec["file "+file] == "" {
			t.Errorf("%s is excused, but not in spec", file)
		}
	}
}
