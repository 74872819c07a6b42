package verify

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the path of this module.
const module = "checkrr"

// source is a Go file of this module, by its path from the root.
type source struct {
	path    string
	imports []string
}

// sources returns all Go files of this module.
func sources(t *testing.T) []source {
	t.Helper()
	root := ".."
	var out []source
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		s := source{path: filepath.ToSlash(relative)}
		for _, spec := range file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			s.imports = append(s.imports, name)
		}
		out = append(out, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// room returns the first folder of a path.
func room(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}

// checkers are modules for tests only: a library must not pull their flags into
// the programs of those who import it.
var checkers = []string{"pgregory.net/rapid", "github.com/google/go-cmp"}

// forbidden returns why a file must not import a package, or "".
func forbidden(path, imported string) string {
	here, isTest := room(path), strings.HasSuffix(path, "_test.go")
	first := room(imported)
	ours, standard := first == module, first != module && !strings.Contains(first, ".")
	there := room(strings.TrimPrefix(imported, module+"/"))
	under := func(prefix string) bool { return imported == prefix || strings.HasPrefix(imported, prefix+"/") }
	switch {
	case standard:
		return ""
	case strings.HasPrefix(path, "impl/certify/") && !isTest:
		return "the checker imports the standard library only"
	case ours && there == "cmd" && here != "cmd":
		return "nothing imports cmd"
	case ours && (here == "spec" || here == "impl" || here == "exhaustive") && there != here:
		return here + " imports nothing of ours"
	case ours:
		return ""
	case slices.ContainsFunc(checkers, under):
		if here == "verify" || isTest {
			return ""
		}
		return "rapid and go-cmp are for verify and for tests"
	case here == "spec" || here == "exhaustive":
		return here + " imports the standard library only"
	case here == "impl" && !under("gonum.org/v1/gonum"):
		return "impl imports the standard library and gonum only"
	}
	return ""
}

func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		for _, imported := range s.imports {
			if reason := forbidden(s.path, imported); reason != "" {
				t.Errorf("%s imports %s: %s", s.path, imported, reason)
			}
		}
	}
}

// The rules themselves: what they let pass and what they do not.
func TestForbidden(t *testing.T) {
	tests := []struct {
		path, imported string
		want           bool
	}{
		{"spec/iterate.go", "math/big", false},
		{"spec/iterate.go", "checkrr/impl", true},
		{"spec/iterate_test.go", "checkrr/exhaustive", true},
		{"spec/example_test.go", "checkrr/spec", false},
		{"spec/iterate.go", "gonum.org/v1/gonum/stat", true},
		{"spec/iterate_test.go", "github.com/google/go-cmp/cmp", false},
		{"impl/walk.go", "gonum.org/v1/gonum/stat", false},
		{"impl/walk.go", "gonum.org/v1/plot", true},
		{"impl/walk.go", "checkrr/spec", true},
		{"impl/solver.go", "checkrr/impl/certify", false},
		{"impl/certify/check.go", "checkrr/impl", true},
		{"impl/certify/check.go", "gonum.org/v1/gonum/stat", true},
		{"impl/certify/check.go", "math/big", false},
		{"impl/certificate/claim.go", "checkrr/impl/certify", false},
		{"impl/walk.go", "pgregory.net/rapid", true},
		{"impl/walk_test.go", "pgregory.net/rapid", false},
		{"exhaustive/tree.go", "checkrr/spec", true},
		{"verify/doc.go", "checkrr/spec", false},
		{"verify/doc.go", "pgregory.net/rapid", false},
		{"verify/doc.go", "checkrr/cmd/checkrr", true},
		{"cmd/checkrr/main.go", "checkrr/cmd/checkrr/table", false},
		{"cmd/checkrr/main.go", "checkrr/impl", false},
		{"cmd/checkrr/main.go", "github.com/google/go-cmp/cmp", true},
		{"cmd/checkrr/main.go", "github.com/spf13/cobra", false},
	}
	for _, test := range tests {
		if reason := forbidden(test.path, test.imported); (reason != "") != test.want {
			t.Errorf("%s imports %s: %q, forbidden should be %v", test.path, test.imported, reason, test.want)
		}
	}
}
