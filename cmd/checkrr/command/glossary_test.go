package command

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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

// Terms are found in the singular and in the plural.
func TestGlossary_Numbers(t *testing.T) {
	t.Parallel()
	words := []string{"stop", "neighbour", "neighbors", "zCDP", "RDP", "losses", "laws", "mechanism", "witnesses", "eps"}
	for _, term := range terms() {
		switch {
		case strings.HasSuffix(term, "sses"):
			words = append(words, strings.TrimSuffix(term, "es"))
		case strings.HasSuffix(term, "ss"):
			words = append(words, term+"es")
		case strings.HasSuffix(term, "s"):
			words = append(words, strings.TrimSuffix(term, "s"))
		default:
			words = append(words, term+"s")
		}
	}
	for _, word := range words {
		if len(about(word)) == 0 {
			t.Errorf("the glossary does not have %q", word)
		}
	}
}
