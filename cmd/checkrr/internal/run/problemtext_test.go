package run

import (
	"os"
	"path/filepath"
	"testing"

	"checkrr/cmd/checkrr/internal/input"
)

// What is written as a problem file is the problem that was read.
func TestProblemText_IsReadAgain(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"mechanisms: [{gaussian: {noise: 1, adds: [[0, 0.2], [1, 0.6], [2, 1/5]], sampling: 0.5}, count: 2}, {gdp: 1}]",
		"neighbours: replace\nmechanisms: [{gaussian: {noise: 3}, count: 2}, {gdp: 0.3}]",
		"neighbours: {group: 3}\nmechanisms: [{gaussian: {noise: 3, sampling: 0.1}, count: 2}, {eps: 0.1}]",
		"neighbours: {group: 3}\nmechanisms: [{gdp: 0.3, count: 2}, {laplace: {scale: 2}}]",
		"neighbours: {group: 3}\nmechanisms: [{gdp: 0.3, group: 3}, {exp_eps: 3/2}, {law: [[1, 1]], group: 3}]",
		"mechanisms: [{bounded_range: 0.1, count: 2}, {eps: 0.1}]",
		"neighbours: {group: 3}\nmechanisms: [{bounded_range: 1/3}, {bounded_range: 0.3, group: 3, count: 2}]",
		"neighbours: {group: 3}\nmechanisms: [{eps: 0.1, delta: 1e-3, group: 3, count: 3}]",
	} {
		file := filepath.Join(t.TempDir(), "problem.yaml")
		read := func(text string) *input.Problem {
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			p, err := input.ReadProblem(file, nil, input.ChargedStops, false)
			if err != nil {
				t.Fatalf("%s\n%v", text, err)
			}
			return p
		}
		p := read(text + "\nstops: [{after: 3, eps: 1}]")
		written := ProblemText(p, p.Pipeline, "")
		again := read(written)
		if x, y := key(p.Problem()), key(again.Problem()); x != y || p.Neighbours != again.Neighbours {
			t.Errorf("%s\nwas written as\n%s\nwhich is %s for %s, must be %s", text, written, y, again.Neighbours, x)
		}
	}
}
