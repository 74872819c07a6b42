package command

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/loss"
	"checkrr/verify/audit"
)

// writeSampled prints what the samples say.
func (r *audited) writeSampled(line lines) {
	s := r.sampled
	if w := s.Witness; w != nil {
		writeInputs(line, w.Inputs)
		writeEvent(line, w.Event)
		line("Hits", "%d of %d outputs under P0, %d of %d under P1", w.Hits[0], w.Size, w.Hits[1], w.Size)
		writeStrength(line, w)
	} else {
		r.writeSeen(line)
	}
	r.writeDelta(line)
	r.writeCut(line)
	if s.Screened > 0 {
		line("Search", "%s of neighbours were tried, of which the most suspicious were audited",
			report.Plural(s.Screened, "pair"))
	}
	line("Samples", "%s for each input, of at most %d%s; alpha %s, seed %d%s%s", report.Plural(s.Samples, "output"),
		r.limits.Samples, r.stopped, r.alpha.Text, r.limits.Seed,
		map[bool]string{true: ", bits"}[r.limits.Bits], map[bool]string{true: ", full"}[r.limits.Full])
	if l := s.Looked; l.Features > 0 {
		left := ""
		if l.Left > 0 {
			left = fmt.Sprintf("; not at %d more, which are too many", l.Left)
		}
		line("Looked at", "%s of %s%s", report.Plural(l.Features, "feature"),
			report.Plural(l.Places, "place"), left)
	}
	if s.Kept < 1 {
		line("Memory", "%d MiB: of what was drawn, 1 output in %.0f was kept to learn from, a fair choice",
			r.limits.Memory>>20, 1/s.Kept)
	}
	const noted = 0.05
	if s.Shapeless > noted {
		line("Warning", "%.0f %% of the outputs never repeat, have no numbers, and are alike in the words that others "+
			"have: of their texts only bytes were looked at; send numbers as numbers", 100*s.Shapeless)
	}
	if s.LowBits {
		line("Warning", "as float64, the outputs tell the inputs apart by their last bits or the sign of 0: --bits "+
			"counts that")
	}
}

// writeStrength says how strong the evidence is: that of the printed event, or if it is not enough by itself, that of
// all rounds.
func writeStrength(line lines, w *audit.Witness) {
	enough := odds(w.Threshold) + " to 1 refutes"
	if w.Alone >= w.Threshold {
		line("Evidence", "%s to 1 against the claim, by these outputs alone (%s)", odds(w.Alone), enough)
		return
	}
	line("Evidence", "%s to 1 against the claim, over %s (%s); by the outputs above alone %s to 1", odds(w.LogWealth),
		report.Plural(len(w.Evidence), "round"), enough, odds(w.Alone))
	for _, e := range w.Evidence {
		line("", "round %d, with an event of its own: %d of %d under P0, %d under P1, times %s with %.0f %% "+
			"of what was bet", e.Round+1, e.Hits[0], e.Size, e.Hits[1], odds(e.Factor), 100*e.Share)
	}
	line("", "the rest is from what was bet on other events, smaller and larger ones, and by other models of the "+
		"outputs")
}

// odds writes a number that is given by its logarithm with two digits, rounded down.
func odds(logarithm float64) string {
	exponent := math.Floor(logarithm / math.Ln10)
	switch {
	case math.IsInf(logarithm, -1):
		return "0"
	case math.Abs(exponent) > 15:
		return fmt.Sprintf("1e%.0f", exponent)
	}
	scale := math.Pow(10, 1-exponent)
	x := math.Floor(math.Exp(logarithm)*scale) / scale
	if exponent >= 0 && exponent < 7 {
		return strconv.FormatFloat(x, 'f', max(0, 1-int(exponent)), 64)
	}
	return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(report.Short(x, 2))
}

// writeDelta says which δ would be needed, if that is known.
func (r *audited) writeDelta(line lines) {
	claimed, _ := r.claim.Delta.Float64()
	typed := report.Clip(r.delta, 24)
	switch {
	case r.sampled.Verdict == audit.Refuted && r.sampled.Delta <= claimed: // so much is known from the refutation
		line("Smallest δ", "more than the %s that is claimed, for the ε claimed", typed)
	case r.sampled.Delta > 0 || r.sampled.Verdict == audit.Refuted:
		line("Smallest δ", "at least %s for the ε claimed; %s is claimed", report.Short(floor(r.sampled.Delta), 3),
			typed)
	}
}

// writeCut says which numbers are limited by time, and not by what was drawn.
func (r *audited) writeCut(line lines) {
	if !r.sampled.Cut {
		return
	}
	what := "the bounds were"
	if r.sampled.Seen != nil {
		what = "what is Seen was"
	}
	line("Cut off", "time was up before %s worked out: these numbers are cut off by time, not by samples", what)
	if !r.isInterrupted {
		line("", "a longer --timeout brings better ones")
	}
}

// lags reports whether the claim was refuted by samples, and no number in the table shows it: the bounds of parts have
// shares of α of their own, and the verdict has the evidence of all parts and rounds.
func (r *audited) lags() bool {
	s := r.sampled
	if s == nil || s.Verdict != audit.Refuted {
		return false
	}
	claimed, _ := r.claim.Delta.Float64()
	if s.Delta > claimed {
		return false
	}
	for i := range s.Eps {
		if r.reaches(i) {
			return false
		}
	}
	return true
}

// reaches reports whether the bound on the ε of a part is what is claimed, but for rounding, or more.
func (r *audited) reaches(part int) bool {
	return r.sampled.Eps[part] >= loss.Float64(r.claim.Parts[part].Eps)*(1-1e-12)
}

// laggingBounds says why no bound is above what was claimed, and what helps.
func (r *audited) laggingBounds() string {
	text := "those of single parts may lag behind the verdict, which adds up the evidence of all parts and rounds"
	if !r.limits.Full {
		text += "; --full brings better ones"
	}
	return text
}

// boundCell shows the bound on the ε of a part, rounded down, or how it is above what is claimed.
func (r *audited) boundCell(part int) string {
	bound := r.sampled.Eps[part]
	switch {
	case bound == 0:
		return "–"
	case r.sampled.Verdict == audit.Refuted && floor(bound) <= loss.Float64(r.claim.Parts[part].Eps) && r.reaches(part):
		return "above " + report.Clip(r.charges[part], 12)
	}
	return report.Short(floor(bound), 4)
}

// writeSeen says which violation would have been found.
func (r *audited) writeSeen(line lines) {
	seen := r.sampled.Seen
	if math.IsInf(seen.Delta, 1) {
		line("Seen", "no violation, however large, would have been found")
		return
	}
	whole, more := "", ""
	if r.sampled.Looked.Features > 0 { // an output is more than one place
		whole = "as a whole, "
	}
	if len(seen.Leaks) > 1 {
		whole += fmt.Sprintf("in part %s ", report.Clip(r.claim.Parts[seen.Part].Name, 40))
	}
	line("Seen", "an output that only one input has, %swith probability %s, would have been", whole, orMore(seen.Delta))
	if slices.ContainsFunc(seen.Eps, func(eps float64) bool { return !math.IsInf(eps, 1) }) {
		more += "; so would the ε below"
	}
	line("", "found with probability %g%s", audit.SeenPower, more)
}

// orMore shows from which probability on something would have been found.
func orMore(p float64) string {
	if p >= 1 {
		return "1"
	}
	return ceil(p, 2) + " or more"
}

// ceil rounds up, but for a trace: what is seen from a number on need not be seen below it, where the claim may
// allow it.
func ceil(x float64, digits int) string {
	return report.RoundTo(big.NewFloat(x*(1-1e-12)), digits, true).String()
}

// floor rounds to three digits, down.
func floor(x float64) float64 {
	if x <= 0 {
		return 0
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(x)))
	return math.Floor(x*scale) / scale
}
