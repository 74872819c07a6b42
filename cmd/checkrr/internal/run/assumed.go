package run

import (
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certify"
)

// noiseEntry is the noise of an entry of a problem, as typed there.
type noiseEntry struct {
	place           int // in the file, from 1
	kind            certify.Noise
	noise, sampling report.Number // the first may be a scale
	adds            [][2]report.Number
	most, records   int // of a batch that is cut, and of all; 0 if none is
	count           int
	notEnough       *report.Number // nil if no less is known, or none is taken
}

func (e noiseEntry) toJSON() report.Object {
	return report.Object{"mechanism", e.place, "kind", e.kind, "noise", e.noise, "sampling", e.sampling, "adds?",
		e.adds, "max_batch?", e.most, "records?", e.records, "count", e.count}
}

// assumedJSON is what is assumed of mechanisms with noise or losses.
func assumedJSON(p *input.Problem) report.Object {
	var noise []report.Object
	for _, e := range noiseOf(p, p.Mechanisms) {
		noise = append(noise, e.toJSON())
	}
	return report.Object{"noise?", noise, "neighbours?", p.ShownNeighbours(), "losses?", lossesJSON(p), "sampled?",
		sampledJSON(p)}
}

// noiseOf returns the noise of each entry that has some.
func noiseOf(p *input.Problem, ms []impl.Mechanism) (entries []noiseEntry) {
	for i, m := range ms {
		if a := m.Additive; m.HasNoise() {
			e := noiseEntry{place: i + 1, kind: a.Noise, noise: report.Up.Rat(p.TypedScale(a)),
				sampling: report.Down.Rat(a.Sampling), most: a.MaxBatch, records: a.Records, count: m.Count}
			for _, x := range a.Adds {
				e.adds = append(e.adds, [2]report.Number{report.Up.Rat(x[0]), report.Up.Rat(x[1])})
			}
			entries = append(entries, e)
		}
	}
	return entries
}

// sampledJSON is what sees one sample, for each entry that is such.
func sampledJSON(p *input.Problem) (entries []report.Object) {
	for i, m := range p.Mechanisms {
		if m.Sampled == nil {
			continue
		}
		var inner []report.Object
		for _, e := range noiseOf(p, m.Parts()) {
			inner = append(inner, e.toJSON())
		}
		entries = append(entries, report.Object{"mechanism", i + 1, "rate", report.Down.Rat(m.Sampled.Rate), "mechanisms",
			len(m.Parts()), "noise?", inner, "count", m.Count})
	}
	return entries
}

// onlyBound is said where there is such noise.
const onlyBound = "what holds for such batches is an upper end; lower ends are of the pair that bounds them"

// hasBound reports whether noise of a problem has a pair that is only a bound of what it does.
func hasBound(p *input.Problem) bool {
	return slices.ContainsFunc(p.Mechanisms, func(m impl.Mechanism) bool {
		return m.Additive != nil && m.Additive.IsBound()
	})
}

// isSampled reports whether a mechanism looks at a Poisson sample.
func isSampled(m impl.Mechanism) bool {
	return m.HasNoise() && m.Additive.Sampling.Cmp(big.NewRat(1, 1)) < 0
}

// noiseText shows noise in a few words, or what sees one sample; not how many times.
func noiseText(p *input.Problem, m impl.Mechanism) string {
	number := func(x *big.Rat) string { return report.Clip(report.Typed(x), 24) }
	if m.Sampled != nil {
		const most = 3
		var inner []string
		for i, x := range m.Parts() {
			switch {
			case i == most:
				inner = append(inner, fmt.Sprintf("%d more", len(m.Parts())-most))
			case i < most && x.HasNoise():
				inner = append(inner, times(noiseText(p, x), x.Count))
			case i < most:
				inner = append(inner, shownMechanism(x))
			}
		}
		return fmt.Sprintf("Poisson sampling %s for all of {%s}", number(m.Sampled.Rate), strings.Join(inner, "; "))
	}
	text := fmt.Sprintf("%s %s", m.Additive.Noise, number(p.TypedScale(m.Additive)))
	switch a := m.Additive; {
	case a.MaxBatch > 0 && !isSampled(m):
		text += fmt.Sprintf(", batches of %d of %d records", a.MaxBatch, a.Records)
	case a.MaxBatch > 0:
		text += fmt.Sprintf(", Poisson sampling %s of %d records, at most %d", number(a.Sampling), a.Records, a.MaxBatch)
	case isSampled(m):
		text += ", Poisson sampling " + number(m.Additive.Sampling)
	}
	const most = 4
	switch adds := m.Additive.Adds; {
	case len(adds) > most:
		text += fmt.Sprintf(", adding one of %d amounts up to %s", len(adds), number(adds[len(adds)-1][0]))
	case adds != nil:
		var parts []string
		for _, x := range adds {
			part := number(x[0])
			if len(adds) > 1 {
				part += fmt.Sprintf(" (%s)", number(x[1]))
			}
			parts = append(parts, part)
		}
		text += ", adding " + strings.Join(parts, ", ")
	}
	return text
}

// times says that something runs so many times.
func times(text string, count int) string { return fmt.Sprintf("%s, × %d", text, count) }

// writeAssumed says which noise there is, if there is some, and for which neighbours; and what is lost of files of
// losses.
func writeAssumed(w io.Writer, p *input.Problem) {
	const most = 4
	var noisy []string
	counts := map[string]int{}
	for _, m := range p.Mechanisms {
		if m.HasNoise() || m.Sampled != nil {
			text := noiseText(p, m)
			if counts[text] == 0 {
				noisy = append(noisy, text)
			}
			counts[text] += m.Count
		}
	}
	label := "Noise"
	line := func(text string) {
		fmt.Fprintf(w, "%-9s %s\n", label, text)
		label = ""
	}
	for i, text := range noisy {
		if i == most-1 && len(noisy) > most {
			line(fmt.Sprintf("and %d others", len(noisy)-i))
			break
		}
		line(times(text, counts[text]))
	}
	if p.Bands > 0 {
		line(fmt.Sprintf("in the first step of every %d, as it has so many bands", p.Bands))
	}
	if p.HasColumn {
		line("of a matrix, where a record takes part in one iteration")
	}
	if n := p.ShownNeighbours(); n != (input.Neighbours{}) {
		line("for neighbours that differ by " + n.Says())
	}
	if hasBound(p) {
		line(onlyBound)
	}
	writeLosses(w, p)
}

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
		for _, part := range m.Parts() {
			if l := part.Losses; l != nil && !said[l] {
				said[l] = true
				files = append(files, lossFile{p.LossFiles[l], report.UpperBound(l.Infinity()),
					report.UpperBound(l.Reversed().Infinity())})
			}
		}
	}
	for _, name := range p.LostFiles {
		files = append(files, lossFile{name, 1, 1})
	}
	return files
}
