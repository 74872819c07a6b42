package command

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"checkrr": checkedMain, "mechanism": fakeMechanism})
}

// gcPercent lets the heap grow to five times what is in use, here and in the programs that tests start: collecting what
// commands leave behind is a third of the time otherwise.
const gcPercent = 400

type tests struct{ *testing.M }

// Run runs the tests. The python3 that they start is the one itself: what stands for it on some machines is scripts
// that look for it each time.
func (t tests) Run() int {
	debug.SetGCPercent(gcPercent)
	_ = os.Setenv("GOGC", fmt.Sprint(gcPercent))
	if at, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output(); err == nil {
		_ = os.Setenv("PATH", filepath.Dir(string(at))+string(filepath.ListSeparator)+os.Getenv("PATH"))
	}
	return t.M.Run()
}

// write writes a file for a test.
func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// repository is the folder of the whole, whatever folder a command runs in.
var repository, _ = filepath.Abs("../../..")

// copyExamples copies the files of examples, but none of its folders, whose many files no command reads, to a folder.
func copyExamples(to string) error {
	files, err := filepath.Glob(filepath.Join(repository, "examples", "*.*"))
	if err == nil {
		err = os.MkdirAll(to, 0o777)
	}
	for _, file := range files {
		if err == nil {
			var text []byte
			if text, err = os.ReadFile(file); err == nil {
				err = os.WriteFile(filepath.Join(to, filepath.Base(file)), text, 0o666)
			}
		}
	}
	return err
}

// contents is what is in a file.
func contents(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestScript runs the command line from end to end.
func TestScript(t *testing.T) { // not beside other tests, whose files are in this folder
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join(repository, "cmd/checkrr/command/testdata/script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOGC", fmt.Sprint(gcPercent))
			return copyExamples(filepath.Join(env.WorkDir, "examples"))
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"jsonkeys": jsonKeys, "run": runHere,
			"newclaim": func(ts *testscript.TestScript, _ bool, _ []string) { ts.Check(newclaim()) }},
		Condition: func(name string) (bool, error) {
			if name != "full" {
				return false, fmt.Errorf("unknown condition %s", name)
			}
			return *full, nil
		},
	})
}

// here is held while a command runs in this process, in a folder of its own.
var here sync.Mutex

// runHere runs checkrr with args as exec checkrr does, but in this process: to start another takes longer than most
// commands do. What needs descriptors, signals or standard input is left to exec.
func runHere(ts *testscript.TestScript, neg bool, args []string) {
	here.Lock()
	defer here.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	defer func() { ts.Check(os.Chdir(before)) }()
	ts.Check(os.Chdir(ts.MkAbs(".")))
	if code := checkedExecute(args, strings.NewReader(""), ts.Stdout(), ts.Stderr()); (code != 0) != neg {
		ts.Fatalf("the exit code is %d", code)
	}
}

// jsonKeys checks that a file (or stdout) is one JSON object with exactly the
// given keys.
func jsonKeys(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: jsonkeys file key...")
	}
	var object map[string]json.RawMessage
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &object))
	for _, key := range args[1:] {
		if _, ok := object[key]; !ok {
			ts.Fatalf("no key %s in %s", key, args[0])
		}
		delete(object, key)
	}
	for key := range object {
		ts.Fatalf("key %s is not expected in %s", key, args[0])
	}
}
