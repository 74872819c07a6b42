// Package runners tests the files by which others run checkrr: action.yml, .pre-commit-hooks.yaml, and what the guide
// to continuous integration shows.
package runners

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// claims are what the runners check, with the exit codes.
var claims = []struct {
	text string
	code int
}{
	{"pipeline: {mechanisms: [{eps: 1}], stops: [{after: 1, eps: 1}]}, optdel: {at_most: 0}", 0},
	{"pipeline: {mechanisms: [{eps: 1}], stops: [{after: 1, eps: 0.9}]}, optdel: {at_most: 0.01}", 1},
	{"pipeline: missing.yaml, optdel: {at_most: 1}", 2},
}

// The steps of the action build checkrr and check the claims, its exit code is theirs, and later steps find it. The
// make file of the guide does so, too.
func TestAction(t *testing.T) {
	t.Parallel()
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct{ Steps []struct{ Run string } }
	}
	decode(t, contents(t, "../../action.yml"), &action)
	steps := action.Runs.Steps
	if len(steps) != 3 {
		t.Fatalf("the action has %d steps, want Go, what builds and what checks", len(steps))
	}
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	bash := func(script string) (string, int) {
		found, _ := os.ReadFile(filepath.Join(folder, "path"))
		cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", script)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "SOURCE="+source, "RUNNER_TEMP="+folder, "GITHUB_PATH="+folder+"/path",
			"CLAIMS="+action.Inputs["claims"].Default, "ANNOTATIONS=github", "ARGS=--only=the rule\n\n--json\n",
			"PATH="+strings.TrimSpace(string(found))+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := bash(steps[1].Run); code != 0 {
		t.Fatal(out)
	}
	if err := os.Mkdir(filepath.Join(folder, "privacy"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "Makefile"), strings.Join(blocks(t, "make"), "\n"))
	for _, c := range claims {
		for _, name := range []string{"claims.yaml", "privacy/claims.yaml"} { // of the action, and of the guide
			write(t, filepath.Join(folder, name), "claims:\n  - {name: the rule, "+c.text+"}\n")
		}
		if out, code := bash(steps[2].Run); code != c.code {
			t.Errorf("%s: exit code %d, want %d: %s", c.text, code, c.code, out)
		}
		if out, code := bash("make privacy"); (code != 0) != (c.code != 0) {
			t.Errorf("%s: make: exit code %d: %s", c.text, code, out)
		}
	}
}

// The hook takes the files that are called as those of claims are.
func TestHook(t *testing.T) {
	t.Parallel()
	var hooks []struct{ ID, Entry, Language, Files string }
	decode(t, contents(t, "../../.pre-commit-hooks.yaml"), &hooks)
	if len(hooks) != 1 || hooks[0].Entry != "checkrr check" || hooks[0].Language != "golang" {
		t.Fatalf("the hooks are %v", hooks)
	}
	files := regexp.MustCompile(hooks[0].Files)
	for name, want := range map[string]bool{
		"claims.yaml": true, "examples/claims.yaml": true, "privacy/claims-2026.yml": true,
		"steps.yaml": false, "claims/steps.yaml": false, "claims.yaml.orig": false, "disclaims.yaml": false,
	} {
		if files.MatchString(name) != want {
			t.Errorf("the hook takes %s: %v", name, !want)
		}
	}
}

// What the guide shows for other runners is YAML. It leaves programs out for strangers only.
func TestGuide(t *testing.T) {
	t.Parallel()
	for _, block := range blocks(t, "yaml") {
		var any any
		decode(t, block, &any)
		own := strings.ReplaceAll(block, "${{ github.event_name == 'pull_request' && "+
			"github.event.pull_request.head.repo.full_name != github.repository && '--no-run' || '' }}", "")
		if strings.Contains(own, "--no-run") {
			t.Errorf("programs are never run by\n%s", block)
		}
	}
}

// blocks are what the guide shows in a language.
func blocks(t *testing.T, language string) (all []string) {
	t.Helper()
	for _, part := range strings.Split(contents(t, "../../docs/guide/ci.md"), "\n```"+language+"\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		all = append(all, block)
	}
	if len(all) == 0 {
		t.Fatalf("the guide shows no %s", language)
	}
	return all
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
