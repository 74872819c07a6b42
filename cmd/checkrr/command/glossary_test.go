package command

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"checkrr/cmd/checkrr/internal/run"
)

// What the commands that compute print as keys, and the names of shapes and methods, are terms of the glossary, but for
// what is said in plain English.
func TestGlossary_HasKeys(t *testing.T) {
	t.Parallel()
	printed := slices.Concat([]string{"bracket", "this stop only", "plain dp"}, run.ShapeNames(), run.Methods)
	key := regexp.MustCompile(`(?m)^([A-Z]\w*(?: \w+)?)  +\S`)
	for _, command := range []string{"optdel", "schedule", "noise", "compose"} {
		golden := contents(t, filepath.Join("testdata/golden", command+".txtar"))
		for _, found := range key.FindAllStringSubmatch(golden, -1) {
			printed = append(printed, found[1])
		}
	}
	slices.Sort(printed)
	if len(printed) < 50 {
		t.Fatalf("only %d keys are printed", len(printed))
	}
	for _, term := range slices.Compact(printed) {
		isPlain := slices.Contains([]string{"Publish", "Means", "Beware"}, term)
		if len(about(term)) == 0 && !isPlain {
			t.Errorf("the glossary does not have %q", term)
		}
	}
}
