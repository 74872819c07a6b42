package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"checkrr/verify/register"
)

// newclaim builds the program of examples/newclaim, a module of its own, beside the command checkrr of these tests.
var newclaim = sync.OnceValue(func() error {
	checkrr, err := exec.LookPath("checkrr")
	if err != nil {
		return err
	}
	return inNewclaim("build", "-ldflags=-s -w", "-o", filepath.Dir(checkrr), ".")
})

// inNewclaim runs go there, without a network.
func inNewclaim(args ...string) error {
	command := exec.Command("go", args...)
	command.Dir = filepath.Join(repository, "examples/newclaim")
	command.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-buildvcs=false")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go %v in examples/newclaim: %w\n%s", args, err, out)
	}
	return nil
}

func buildNewclaim(t *testing.T) {
	t.Helper()
	if err := newclaim(); err != nil {
		t.Fatal(err)
	}
}

// TestNewclaim: the tests that all registers share are passed by one of another module, with its mutants and coverage.
// Without these .ci/run runs them.
func TestNewclaim(t *testing.T) {
	t.Parallel()
	if !*full {
		t.Skip("with -full only: links three programs")
	}
	if err := inNewclaim("test", "./...", "-mutants", "all", "-covered", "all"); err != nil {
		t.Fatal(err)
	}
}

// further is a text beside those of checkrr.
func further() register.Paper {
	return register.Paper{Name: "txt", Prefix: "TXT", Text: "- {id: TXT-D1, title: x, kind: definition, note: x}",
		Records: []byte("{}")}
}

// A further text with the name or the prefix of another, or that cannot be read, is refused.
func TestFurther_Refused(t *testing.T) {
	t.Parallel()
	const taken = "a text of your own has the name %s and the prefix %s, must have others: %s is taken"
	named := func(name, prefix string) []register.Paper {
		p := further()
		p.Name, p.Prefix, p.Text = name, prefix, strings.ReplaceAll(p.Text, "TXT", prefix)
		return []register.Paper{p}
	}
	faulty := further()
	faulty.Text += "\n- {id: TXT-L2, title: x, kind: exact, verdict: holds}"
	noRecords := further()
	noRecords.Records = nil
	for want, texts := range map[string][]register.Paper{
		fmt.Sprintf(taken, "odp", "TXT", "odp"):            named("odp", "TXT"),
		fmt.Sprintf(taken, "txt", "ODP", "odp"):            named("txt", "ODP"),
		fmt.Sprintf(taken, "fac", "TXT", "FAC"):            named("fac", "TXT"),
		fmt.Sprintf(taken, "txt", "OURS", "ours"):          named("txt", "OURS"),
		fmt.Sprintf(taken, "txt", "TXT", "txt"):            {further(), further()},
		"a text of your own: txt/statements.yaml:2: the v": {faulty},
		"a text of your own: txt: Records, {} to begin":    {noRecords},
		`a text of your own: txt: the prefix is "T-"`:      named("txt", "T-"),
		`a text of your own: the name of a text is ""`:     named("", "TXT"),
	} {
		var stdout, stderr strings.Builder
		code := execute([]string{"statements"}, strings.NewReader(""), &stdout, &stderr, texts...)
		if code != exitUsage || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "checkrr: "+want) {
			t.Errorf("exit code %d, %s%s, must say %s", code, &stdout, &stderr, want)
		}
	}
}

// A further text with figures is named where those with figures are.
func TestFurther_Figures(t *testing.T) {
	t.Parallel()
	p := further()
	p.Figures = []register.Drawing{}
	for args, want := range map[string]string{
		"help reproduce":         "TEXT is one of odp, adaptive, basics, selection, txt.",
		"reproduce poem":         "must be odp or adaptive or basics or selection or txt",
		"__complete reproduce t": "txt\n",
		"help statements":        "ours (OUR-), txt (TXT-).",
		"statements poem":        "selection, ours, txt;",
	} {
		var said strings.Builder
		execute(strings.Fields(args), strings.NewReader(""), &said, &said, p)
		if !strings.Contains(said.String(), want) {
			t.Errorf("%s: %s, must have %s", args, &said, want)
		}
	}
}
