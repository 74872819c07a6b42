package run

import (
	"fmt"
	"io"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/certify"
)

// lossFile is a file of losses with the probabilities of an infinite loss, under P and under Q, or a little more: what
// is missing from 1 counts.
type lossFile struct {
	name string
	p, q report.UpperBound
}

// lossesJSON is what is lost of each file of losses.
func lossesJSON(p *input.Problem) (all []report.Object) {
	for _, f := range lossFiles(p) {
		all = append(all, report.Object{"file", f.name, "infinite_under_p", f.p, "infinite_under_q", f.q})
	}
	return all
}

// String says how much of the laws of a file is lost.
func (f lossFile) String() string {
	return fmt.Sprintf("%s: infinite, or missing where masses sum to less than 1, with probability %s under P, and %s "+
		"under Q", report.Name(f.name), report.Short(float64(f.p), 3), report.Short(float64(f.q), 3))
}

// writeLosses prints that of every loss file of a problem.
func writeLosses(w io.Writer, p *input.Problem) {
	for _, file := range lossFiles(p) {
		fmt.Fprintf(w, "Losses    %s\n", file)
	}
}

// lossFiles returns every loss file of a problem, once.
func lossFiles(p *input.Problem) (files []lossFile) {
	said := map[*certify.Losses]bool{}
	for _, m := range p.Mechanisms {
		if l := m.Losses; l != nil && !said[l] {
			said[l] = true
			files = append(files, lossFile{p.LossFiles[l], report.UpperBound(l.Infinity()),
				report.UpperBound(l.Reversed().Infinity())})
		}
	}
	for _, name := range p.LostFiles {
		files = append(files, lossFile{name, 1, 1})
	}
	return files
}
