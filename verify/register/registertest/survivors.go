package registertest

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"checkrr/verify/register"
	"checkrr/verify/register/mutation"
)

// survivorsFile lists the mutants that no entry notices, in the folder of the test.
const survivorsFile = "survivors.txt"

// open begins the reason of what a better check would notice.
const open = "open: "

// survivorsOf returns why mutants survive, by name, from a file, if there is one. There, a line that begins with a tab
// says why those above it survive.
func survivorsOf(t *testing.T, all []mutation.Mutant) map[string]string {
	t.Helper()
	text, err := os.ReadFile(survivorsFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	reasons, exists := map[string]string{}, map[string]bool{}
	for _, m := range all {
		exists[m.Name] = true
	}
	var above []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		reason, isReason := strings.CutPrefix(line, "\t")
		if !isReason {
			above = append(above, line)
			if !exists[line] {
				t.Errorf("%s: no mutant is %s", survivorsFile, line)
			}
			continue
		}
		for _, name := range above {
			reasons[name] = reason
		}
		above = nil
	}
	return reasons
}

// enough is the share, in per cent, of a sample by a number that must be noticed: survivors.txt does not list all
// survivors yet. Of all mutants about 90 are; of a hundred of them drawn at random, less than 70 are once in 10^8
// samples; if it were 60 of all, 97 times in 100.
const enough = 70

// judge reports what survives and is not listed, and what is listed and does not survive, and counts.
func (b *built) judge(t *testing.T, papers []register.Paper, reasons map[string]string) {
	counts, registers := map[string]*tally{}, map[string][]string{}
	for _, p := range papers {
		registers[p.Name] = named([]register.Paper{p})
	}
	_, notNumber := strconv.Atoi(*mutants)
	report := t.Logf
	if notNumber != nil {
		report = t.Errorf
	}
	isNew := false
	for _, i := range b.numbers {
		m := b.mutants[i]
		survives, reason := b.outcome[m.Name] == "survives", reasons[m.Name]
		switch {
		case survives && reason == "":
			report("%s: not noticed: %s", m.Place(), m.Name)
			isNew = true
		case !survives && reason != "":
			t.Errorf("%s, but listed as a survivor: %s", b.outcome[m.Name], m.Name)
		}
		for _, row := range rowsOf(registers, m) {
			if counts[row] == nil {
				counts[row] = &tally{functions: map[string]bool{}}
			}
			counts[row].add(m, survives, reason)
		}
	}
	table := "| of | functions | mutants | noticed | equivalent | noticed of the others |\n|---|---|---|---|---|---|\n"
	for _, row := range slices.Sorted(maps.Keys(counts)) {
		table += counts[row].row(row)
	}
	if isNew {
		report("make a check notice what is not noticed (x0 is a function's first result), or write it into %s, "+
			"beside the test, as it stands behind “not noticed: ”, with a reason in the next line, which begins with "+
			"a tab", survivorsFile)
	}
	t.Logf("%d of %d mutants; the others do not compile, or are left out by -mutants or -only\n%s",
		len(b.numbers), b.of, table)
	if n := counts["all"]; n != nil && n.percent() < enough {
		t.Errorf("%.1f %% of the mutants are noticed, must be at least %d %%", n.percent(), enough)
	}
	if *update && module(t) == ours {
		b.write(t, table, reasons)
	}
}

// tally counts mutants.
type tally struct {
	functions                    map[string]bool
	mutants, noticed, equivalent int
}

func (n *tally) add(m mutation.Mutant, survives bool, reason string) {
	for _, f := range m.Functions() {
		n.functions[f] = true
	}
	n.mutants++
	switch {
	case !survives:
		n.noticed++
	case reason != "" && !strings.HasPrefix(reason, open):
		n.equivalent++
	}
}

func (n *tally) row(name string) string {
	const format = "| %s | %d | %d | %d | %d | %.1f %% |\n"
	return fmt.Sprintf(format, name, len(n.functions), n.mutants, n.noticed, n.equivalent, n.percent())
}

// percent returns how many of those that are not equivalent are noticed.
func (n *tally) percent() float64 {
	return 100 * float64(n.noticed) / float64(max(1, n.mutants-n.equivalent))
}

// rowsOf returns the rows of the table that count a mutant, by what the entries of each register name.
func rowsOf(registers map[string][]string, m mutation.Mutant) []string {
	rows := []string{"all", fmt.Sprintf("rooms: %d", m.Rooms()), "operator: " + m.Operator}
	for name, symbols := range registers {
		if slices.ContainsFunc(m.Symbols, func(s string) bool { return slices.Contains(symbols, s) }) {
			rows = append(rows, "register: "+name)
		}
	}
	return rows
}

// write writes docs/mutants.md.
func (b *built) write(t *testing.T, table string, reasons map[string]string) {
	count := map[string]int{}
	for _, reason := range reasons {
		count[reason]++
	}
	var list strings.Builder
	for _, reason := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(&list, "* %s (%d)\n", reason, count[reason])
	}
	text := fmt.Sprintf(header, b.of, len(b.numbers), table, list.String())
	if err := os.WriteFile(filepath.Join(Root(t), "docs", "mutants.md"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// header is docs/mutants.md, without the numbers, the table and the list of what survives.
//
//go:embed mutants.txt
var header string
