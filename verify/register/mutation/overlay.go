package mutation

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Variable is the environment variable with the number of the mutant that runs, one more than its place in the list.
const Variable = "CHECKRR_MUTANT"

// chooser is a file that is added to every changed package.
const chooser = `package %s

import (
	"os"
	"strconv"
)

var mutantThatRuns, _ = strconv.Atoi(os.Getenv("` + Variable + `"))
`

// Built is a list of mutants written for the compiler.
type Built struct {
	List  string           // the path of the file for go build -overlay
	lines map[string][]int // by the name of a changed file: of which mutant each line is, or −1
}

// Overlay writes changed files that hold all mutants into a folder; those in left are left out.
func Overlay(root, dir string, mutants []Mutant, left map[int]bool) (*Built, error) {
	files := map[string][]numbered{}
	for i, m := range mutants {
		for _, p := range m.places {
			if !left[i] {
				files[p.file] = append(files[p.file], numbered{i, p})
			}
		}
	}
	b, replace := &Built{List: filepath.Join(dir, "overlay.json"), lines: map[string][]int{}}, map[string]string{}
	add := func(file, text string) error {
		changed := filepath.Join(dir, flat(file))
		replace[filepath.Join(root, file)] = changed
		return os.WriteFile(changed, []byte(text), 0o600)
	}
	for file, places := range files {
		text, lines := withMutants(places)
		b.lines[flat(file)] = lines
		if err := add(file, text); err != nil {
			return nil, err
		}
		room, _, _ := strings.Cut(places[0].name, ".")
		if err := add(path.Join(path.Dir(file), "mutantthatruns.go"), fmt.Sprintf(chooser, room)); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return b, os.WriteFile(b.List, text, 0o600)
}

// flat returns the name of a file with changes, all of which are in one folder.
func flat(file string) string { return strings.ReplaceAll(file, "/", "-") }

// numbered is a place with the number of its mutant.
type numbered struct {
	mutant int
	place
}

// withMutants returns the text of a file with mutants, and of which mutant each of its lines is, or −1.
func withMutants(places []numbered) (text string, lines []int) {
	slices.SortStableFunc(places, func(p, q numbered) int { return int(p.decl.Pos() - q.decl.Pos()) })
	write := func(s string, mutant int) {
		for range strings.Count(s, "\n") {
			lines = append(lines, mutant)
		}
		text += s
	}
	original, done := places[0].text, 0
	for i, p := range places {
		if i == 0 || places[i-1].name != p.name {
			start := int(p.decl.Body.Lbrace-p.base) + 1
			write(string(original[done:start])+"\nswitch mutantThatRuns {\n", -1)
			done = start
		}
		write(fmt.Sprintf("case %d:\n%s", p.mutant+1, p.body), p.mutant)
		if i+1 == len(places) || places[i+1].name != p.name {
			write("}\n", -1)
		}
	}
	write(string(original[done:]), -1)
	return text, lines
}

// message finds where the compiler finds a mistake.
var message = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):`)

// Mistakes returns the mutants that a compiler's output says are no Go.
func (b *Built) Mistakes(output string) map[int]bool {
	found := map[int]bool{}
	for _, m := range message.FindAllStringSubmatch(output, -1) {
		line, _ := strconv.Atoi(m[2])
		if lines := b.lines[filepath.Base(m[1])]; line <= len(lines) && lines[line-1] >= 0 {
			found[lines[line-1]] = true
		}
	}
	return found
}
