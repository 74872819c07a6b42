package report_test

import (
	"os/exec"
	"strings"
	"testing"

	"checkrr/cmd/checkrr/internal/report"
)

// A shell takes a word for what it stands for, whatever is in it, and nobody else takes it for a command.
func TestWord(t *testing.T) {
	for _, arg := range []string{
		"run.yaml", "", "-f", "my run.yaml", "it's", `a"b$(exit 1)\n`, "##[error]x", "a\nb", "\x1b[31m", "\xff%s", "ε",
		"*", "~",
	} {
		word := report.Word(arg)
		if report.OneLine(word) != word || report.Inert(word) != word {
			t.Errorf("%q: %s is not shown as it is", arg, word)
		}
		out, err := exec.Command("sh", "-c", "printf '%s.' "+word).Output()
		if got := strings.TrimSuffix(string(out), "."); err != nil || got != arg {
			t.Errorf("%q: sh takes %s for %q: %v", arg, word, got, err)
		}
	}
}
