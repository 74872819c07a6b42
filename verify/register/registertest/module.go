package registertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"checkrr/verify/register"
	"checkrr/verify/register/mutation"
)

// ours is the path of the module that this package is in.
var ours = strings.TrimSuffix(reflect.TypeFor[register.Paper]().PkgPath(), "/verify/register")

// module returns the path of the module that the test is in.
func module(t *testing.T) string {
	t.Helper()
	info, isKnown := debug.ReadBuildInfo()
	if !isKnown || info.Main.Path == "" {
		t.Fatal("the test does not know its module, must be built by go test")
	}
	return info.Main.Path
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

// rooms returns the packages whose functions entries name, by their folders from the root of the module: of this module
// the rooms, of another all.
func rooms(t *testing.T) (folders []string) {
	t.Helper()
	if module(t) == ours {
		return mutation.Rooms
	}
	list := exec.Command("go", "list", "-f", "{{.Dir}}", "./...")
	list.Dir = Root(t)
	for dir := range strings.Lines(run(t, list)) {
		folder, err := filepath.Rel(list.Dir, strings.TrimSpace(dir))
		if err != nil {
			t.Fatal(err)
		}
		folders = append(folders, filepath.ToSlash(folder))
	}
	return folders
}

// run runs a command, which must not fail, and returns what it prints.
func run(t *testing.T, command *exec.Cmd) string {
	t.Helper()
	var errs strings.Builder
	command.Stderr = &errs
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", command, err, out, &errs)
	}
	return string(out)
}
