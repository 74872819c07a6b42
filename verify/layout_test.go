package verify

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	pathpkg "path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// module is the path of this module.
var module = strings.TrimSuffix(reflect.TypeFor[importing]().PkgPath(), "/verify")

// public are the packages of impl that others most often import.
const public = "impl impl/ledger impl/noise impl/selection impl/loss"

// mayImport says which packages of ours a package may import, tests aside: by path from the root of the
// module, with /... for all beneath it. A package that is not named may not exist, unless it is a register.
var mayImport = map[string]string{
	"spec":       "",
	"exhaustive": "",

	"internal/rename":  "",
	"internal/runners": "", // it has tests only

	"impl/certify/internal/num": "",
	"impl/certify/noise":        "impl/certify/internal/num",
	"impl/certify":              "impl/certify/noise impl/certify/internal/num",
	"impl/internal/rational":    "",
	"impl/internal/rootfind":    "",
	"impl/internal/dd":          "impl/internal/rational",
	"impl/interval":             "impl/internal/dd impl/internal/rational",
	"impl/loss":                 "impl/certify impl/interval impl/internal/dd impl/internal/rational",
	"impl/internal/laplace":     "impl/interval",
	"impl/internal/exact":       "impl/certify",
	"impl/internal/stopping": "impl/loss impl/interval impl/certify impl/certify/noise impl/internal/exact " +
		"impl/internal/rational impl/internal/rootfind",
	"impl/internal/check":     "impl/internal/rational impl/loss",
	"impl/internal/adversary": "impl/interval impl/internal/rational",
	"impl/certificate":        "impl/certify impl/internal/exact",
	testkit:                   "impl/loss impl/internal/rational",
	"impl/noise":              "impl/interval impl/internal/check impl/internal/rational",
	"impl":                    "impl/noise impl/certify impl/certificate impl/interval impl/loss impl/internal/...",
	"impl/ledger":             "impl impl/interval impl/loss impl/internal/...",
	"impl/selection":          "impl impl/noise impl/interval impl/loss impl/internal/...",

	"verify/rat":                   "impl/interval",
	"verify/register":              "impl/interval verify/rat",
	"verify/finite":                public + " verify/rat verify/register spec exhaustive",
	"verify/register/registertest": "verify/register verify/register/mutation",
	"verify/register/mutation":     "",
	"verify/audit":                 "impl impl/ledger impl/noise impl/interval impl/loss verify/rat",
	"verify/audit/mechanisms":      public + " verify/audit verify/finite verify/rat spec impl/interval",
	"verify/audit/program":         "verify/audit",
	"verify/papers":                "verify/...", // the registers
	"verify/conjecture":            "impl impl/interval impl/loss",
	"verify":                       "", // it has tests only

	"cmd/checkrr/internal/report": "impl impl/ledger impl/interval impl/loss",
	"cmd/checkrr/internal/state":  "cmd/checkrr/internal/report",
	"cmd/checkrr/internal/input": "cmd/checkrr/internal/report cmd/checkrr/internal/state impl impl/ledger " +
		"impl/selection impl/certify impl/loss verify/audit verify/audit/program",
	"cmd/checkrr/internal/run": "cmd/checkrr/internal/input cmd/checkrr/internal/report cmd/checkrr/internal/state " +
		"exhaustive impl impl/ledger impl/certificate impl/certify impl/interval impl/loss",
	"docs":                "",
	"cmd/checkrr/command": "docs cmd/checkrr/internal/... impl/... verify/...",
	"cmd/checkrr":         "cmd/checkrr/command",

	"examples/allocation":  "",
	"examples/gomechanism": "",
}

// aRegister is what the register of a paper may import: a folder of verify that is not named above.
const aRegister = public + " verify/register verify/rat verify/finite spec " +
	"impl/certify impl/certify/noise impl/interval exhaustive"

// allowed returns what a package may import of ours, and whether there may be such a package.
func allowed(path string) (imports []string, exists bool) {
	listed, exists := mayImport[path]
	if !exists {
		paper, isBelow := strings.CutPrefix(path, "verify/")
		listed, exists = aRegister, isBelow && !strings.Contains(paper, "/")
	}
	return strings.Fields(listed), exists
}

// mayUse says which other modules the packages of a room may import, tests aside; those that are not named
// may use all but the checkers.
var mayUse = map[string][]string{
	"spec": nil, "exhaustive": nil, "impl/certify": nil, "examples/gomechanism": nil,
	"impl": {"gonum.org/v1/gonum", "github.com/go-json-experiment/json", "golang.org/x/text"},
}

// checkers are modules for tests only: a library must not pull their flags into the programs of those who
// import it.
var checkers = []string{"pgregory.net/rapid", "github.com/google/go-cmp", "github.com/santhosh-tekuri/jsonschema"}

// importing is what the files of a package import, and those of its tests.
type importing struct{ imports, testImports []string }

func relative(imported string) string {
	return strings.TrimPrefix(strings.TrimPrefix(imported, module), "/")
}

func isOurs(imported string) bool {
	return imported == module || strings.HasPrefix(imported, module+"/")
}

func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return first != module && !strings.Contains(first, ".")
}

// under reports whether a path is the package or folder, or beneath it.
func under(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// packages returns the packages of this module by path. It reads their files and not go list, which leaves out those
// that are for another system.
func packages(t *testing.T) map[string]*importing {
	t.Helper()
	all := map[string]*importing{}
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || len(name) > 1 && (name[0] == '.' || name[0] == '_')):
			return fs.SkipDir
		case d.IsDir() && path != "." && isModule(path): // with its own dependencies
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", path), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		p := all[pathpkg.Dir(path)]
		if p == nil {
			p = &importing{}
			all[pathpkg.Dir(path)] = p
		}
		imports := &p.imports
		if strings.HasSuffix(path, "_test.go") {
			imports = &p.testImports
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			*imports = append(*imports, imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// isModule reports whether a folder is a module of its own.
func isModule(path string) bool {
	_, err := os.Stat(filepath.Join("..", path, "go.mod"))
	return err == nil
}

// testkit is what tests of impl and its rooms share.
const testkit = "impl/internal/testkit"

// forbidden returns why a package must not import another one, or "".
func forbidden(path, imported string, isTest bool) string {
	switch there := relative(imported); {
	case isStandard(imported):
		return ""
	case isOurs(imported) && isTest:
		return forbiddenToTests(path, there)
	case there == testkit:
		return "it is for tests"
	case isOurs(imported):
		imports, _ := allowed(path)
		for _, one := range imports {
			if folder, all := strings.CutSuffix(one, "/..."); there == one || all && under(there, folder) {
				return ""
			}
		}
		return "it is not among what it may import"
	case slices.ContainsFunc(checkers, func(m string) bool { return under(imported, m) }):
		if isTest || path == testkit {
			return ""
		}
		return "it is for tests"
	case isTest:
		return ""
	}
	for folder := path; folder != "."; folder = filepath.ToSlash(filepath.Dir(folder)) {
		modules, isLimited := mayUse[folder]
		if isLimited && !slices.ContainsFunc(modules, func(m string) bool { return under(imported, m) }) {
			return folder + " may not use that module"
		}
	}
	return ""
}

// forbiddenToTests is forbidden for what the tests of a package import of ours. Rooms that must not share a
// mistake do not meet in tests either, but in those of verify; nor does the independent checker meet what it checks.
func forbiddenToTests(path, there string) string {
	if under(path, "impl/certify") && !under(there, "impl/certify") {
		return "impl/certify imports nothing of ours but what is beneath it"
	}
	for _, room := range []string{"spec", "impl", "exhaustive"} {
		if under(path, room) && !under(there, room) {
			return room + " is compared with others in verify"
		}
	}
	if under(there, "cmd") && !under(path, "cmd") {
		return "nothing imports cmd"
	}
	return ""
}

// TestLayout holds the arrows between the packages.
func TestLayout(t *testing.T) {
	t.Parallel()
	all := packages(t)
	for path, p := range all {
		if _, exists := allowed(path); !exists {
			t.Errorf("%s is not in the layout", path)
		}
		for _, imported := range p.imports {
			if reason := forbidden(path, imported, false); reason != "" {
				t.Errorf("%s imports %s: %s", path, imported, reason)
			}
		}
		for _, imported := range p.testImports {
			if reason := forbidden(path, imported, true); reason != "" {
				t.Errorf("a test of %s imports %s: %s", path, imported, reason)
			}
		}
	}
	for path := range mayImport {
		if all[path] == nil {
			t.Errorf("%s is in the layout, but not there", path)
		}
	}
}

// TestLayout_Lines: no line of a program has more characters than people see at once.
func TestLayout_Lines(t *testing.T) {
	t.Parallel()
	if strings.Contains(module, "/") {
		t.Skip("another path of the module makes lines longer")
	}
	const most = 120
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !slices.Contains([]string{".go", ".py"}, pathpkg.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(filepath.Join("..", path))
		number := 0
		for line := range strings.Lines(string(text)) {
			if number++; utf8.RuneCountInString(strings.TrimRight(line, "\r\n")) > most {
				t.Errorf("%s:%d has more than %d characters", path, number, most)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// The rules themselves: what they let pass and what they do not.
func TestLayout_Rules(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path, imported string
		isTest, want   bool
	}{
		{"spec", "checkrr/impl", false, true},
		{"spec", "checkrr/exhaustive", true, true},
		{"spec", "gonum.org/v1/gonum/stat", false, true},
		{"spec", "github.com/google/go-cmp/cmp", true, false},
		{"impl", "gonum.org/v1/plot", false, true},
		{"impl", "checkrr/impl/internal/stopping", false, false},
		{"impl/loss", "checkrr/impl", false, true},
		{"impl/internal/stopping", "checkrr/impl", false, true},
		{"impl/certify", "gonum.org/v1/gonum/stat", false, true},
		{"impl/certify", "checkrr/impl/interval", true, true},
		{"impl/certify", "checkrr/impl/certify", true, false},
		{"impl", "pgregory.net/rapid", false, true},
		{"impl", "pgregory.net/rapid", true, false},
		{"exhaustive", "checkrr/spec", false, true},
		{"verify/odp", "checkrr/spec", false, false},
		{"verify/odp", "checkrr/cmd/checkrr", true, true},
		{"verify/register", "checkrr/verify/odp", false, true},
		{"cmd/checkrr/command", "checkrr/cmd/checkrr/internal/input", false, false},
		{"cmd/checkrr/command", "checkrr/impl/certificate", false, false},
		{"cmd/checkrr/command", "github.com/google/go-cmp/cmp", false, true},
	} {
		if reason := forbidden(test.path, test.imported, test.isTest); (reason != "") != test.want {
			t.Errorf("%s imports %s: %q, forbidden should be %v", test.path, test.imported, reason, test.want)
		}
	}
}
