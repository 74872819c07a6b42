package run

import (
	"fmt"
	"io"
	"math/big"
	"slices"

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
	count           int
	notEnough       *report.Number // nil if no less is known, or none is taken
}

func (e noiseEntry) toJSON() report.Object {
	return report.Object{"mechanism", e.place, "kind", e.kind, "noise", e.noise, "sampling", e.sampling, "count", e.count}
}

// assumedJSON is what is assumed of mechanisms with noise or losses.
func assumedJSON(p *input.Problem) report.Object {
	var noise []report.Object
	for _, e := range noiseOf(p, p.Mechanisms) {
		noise = append(noise, e.toJSON())
	}
	return report.Object{"noise?", noise, "neighbours?", p.ShownNeighbours(), "losses?", lossesJSON(p)}
}

// noiseOf returns the noise of each entry that has some.
func noiseOf(p *input.Problem, ms []impl.Mechanism) (entries []noiseEntry) {
	for i, m := range ms {
		if a := m.Additive; a != nil {
			entries = append(entries, noiseEntry{i + 1, a.Noise, report.Up.Rat(p.TypedScale(a)), report.Down.Rat(a.Sampling),
				m.Count, nil})
		}
	}
	return entries
}

// isSampled reports whether a mechanism looks at a Poisson sample.
func isSampled(m impl.Mechanism) bool {
	return m.Additive != nil && m.Additive.Sampling.Cmp(big.NewRat(1, 1)) < 0
}

// noiseText shows noise in a few words.
func noiseText(p *input.Problem, m impl.Mechanism) string {
	number := func(x *big.Rat) string { return report.Clip(report.Typed(x), 24) }
	text := fmt.Sprintf("%s %s", m.Additive.Noise, number(p.TypedScale(m.Additive)))
	if isSampled(m) {
		text += ", Poisson sampling " + number(m.Additive.Sampling)
	}
	return fmt.Sprintf("%s, × %d", text, m.Count)
}

// writeAssumed says which noise there is, if there is some, and for which neighbours; and what is lost of files of
// losses.
func writeAssumed(w io.Writer, p *input.Problem) {
	const most = 4
	noisy := slices.DeleteFunc(slices.Clone(p.Mechanisms), func(m impl.Mechanism) bool { return m.Additive == nil })
	label := "Noise"
	line := func(text string) {
		fmt.Fprintf(w, "%-9s %s\n", label, text)
		label = ""
	}
	for i, m := range noisy {
		if i == most-1 && len(noisy) > most {
			line(fmt.Sprintf("and %d more entries", len(noisy)-i))
			break
		}
		line(noiseText(p, m))
	}
	if n := p.ShownNeighbours(); n != "" {
		line("for neighbours that differ by " + n.Says())
	}
	writeLosses(w, p)
}
