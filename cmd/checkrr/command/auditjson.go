package command

import (
	"math"
	"math/big"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/interval"
	"checkrr/verify/audit"
	"checkrr/verify/audit/mechanisms"
)

// toJSON is the output of checkrr audit --json.
func (r *audited) toJSON() report.Object {
	settings := map[string]string{} // of a built-in mechanism, as they can be given
	for _, s := range r.settings {
		settings[s.Name] = asTyped(s.Value)
	}
	var exact, sampled report.Object
	if r.exact != nil {
		exact = r.exactJSON()
	}
	if r.sampled != nil {
		sampled = r.sampledJSON()
	}
	return report.Output(
		"subject", r.name,
		"source?", r.source,
		"settings?", settings,
		"claim", claimedJSON(r.claim, claimSide(r.verdict() == audit.Refuted)),
		"verdict", r.verdict(),
		"certain", r.certain(),
		"exact?", exact,
		"sampled?", sampled,
		"seconds", report.Microseconds(r.elapsed),
	)
}

// claimSide is where the claim of a verdict is rounded to, so that the verdict is true of the double, too: what is
// refuted is so with less, and what holds does with more.
func claimSide(isRefuted bool) report.Side {
	if isRefuted {
		return report.Down
	}
	return report.Up
}

// claimedJSON is a claim: every part of the outputs, "" if there are no parts, with ε or e^ε, and δ.
func claimedJSON(claim audit.Claim, side report.Side) report.Object {
	var parts []report.Object
	for _, p := range claim.Parts {
		key := map[bool]string{true: "exp_eps", false: "eps"}[p.Eps.Log]
		parts = append(parts, report.Object{"part", p.Name, key, side.Rat(p.Eps.Rat())})
	}
	return report.Object{"parts", parts, "delta", side.Rat(claim.Delta)}
}

// exactJSON is what laws say.
func (r *audited) exactJSON() report.Object {
	e := r.exact
	f, law := e.Findings[e.Worst], e.Laws[e.Worst]
	var losses []report.Object
	for i, loss := range e.Losses {
		losses = append(losses, r.lossJSON(i, loss))
	}
	return report.Object{
		"pairs", len(e.Laws),
		"proved", e.Proved, // for how many of them the claim is true for certain
		"inputs", inOrder(law.Inputs, f.Direction), // where the smallest δ is largest
		"event", cellNames(law, f.Event),
		"smallest_delta", report.ToJSON(f.Delta),
		"smallest_delta_exact?", report.Ratio(f.Exact), // where it is a ratio
		"eps_at_least", losses,
		"parts", r.excessJSON(),
		"excluded", r.curvesJSON(e.Curves(r.claim)),
	}
}

// excessJSON is the worst set of outputs within every part, and the δ that the part needs by itself.
func (r *audited) excessJSON() (all []report.Object) {
	for i, part := range r.claim.Parts {
		law, x := r.exact.Laws[r.exact.Parts[i]], r.exact.Findings[r.exact.Parts[i]].Parts[i]
		var probabilities [2]report.IntervalJSON
		var ratios []string
		for side := range probabilities {
			probabilities[side] = report.ToJSON(law.Probability(x.Event, side^x.Direction))
			if p := law.ExactProbability(x.Event, side^x.Direction); p != nil {
				ratios = append(ratios, p.RatString())
			}
		}
		all = append(all, report.Object{
			"part", part.Name,
			"smallest_delta", report.ToJSON(x.Delta),
			"smallest_delta_exact?", report.Ratio(x.Exact),
			"inputs", inOrder(law.Inputs, x.Direction),
			"event", cellNames(law, x.Event),
			"event_probabilities", probabilities,
			"event_probabilities_exact?", ratios,
		})
	}
	return all
}

// curvesJSON is what is excluded of each part: every claim with an ε that is not above that of a point, and a δ that is
// below its δ.
func (r *audited) curvesJSON(curves []audit.Curve) (all []report.Object) {
	for i, c := range curves {
		var points []report.Object
		for _, p := range c {
			points = append(points, report.Object{"eps", report.LowerBound(p.Eps), "delta", report.LowerBound(p.Delta)})
		}
		all = append(all, report.Object{"part", r.claim.Parts[i].Name, "points", points})
	}
	return all
}

// lossJSON is the largest loss of a part that is certain: null where there is none, and unbounded where an output is
// impossible on one input.
func (r *audited) lossJSON(part int, loss audit.PartLoss) report.Object {
	name := r.claim.Parts[part].Name
	if loss.Cell < 0 {
		return report.Object{"part", name, "eps", nil}
	}
	law := r.exact.Laws[r.exact.InLaw[part]]
	eps, isUnbounded := lowerEnd(loss.Loss)
	return report.Object{"part", name, "eps", eps, "unbounded?", isUnbounded,
		"inputs?", inOrder(law.Inputs, loss.Direction), "output?", law.Cells[loss.Cell].Name}
}

// lowerEnd is the lower end of a loss, or 0 if that is not positive: the larger loss of both directions is at least 0.
func lowerEnd(loss interval.Interval) (eps *report.Number, isUnbounded bool) {
	lower := loss.Lower
	switch {
	case lower.IsInf():
		return nil, lower.Sign() > 0
	case lower.Sign() < 0:
		lower = new(big.Float)
	}
	return new(report.Down.Float(lower)), false
}

// sampledJSON is what samples say.
func (r *audited) sampledJSON() report.Object {
	s := r.sampled
	var looked report.Object
	if l := s.Looked; l.Features > 0 {
		looked = report.Object{"places", l.Places, "features", l.Features, "features_left_out", l.Left}
	}
	var eps []report.Object
	for i, x := range s.Eps {
		eps = append(eps, report.Object{"part", r.claim.Parts[i].Name, "eps", report.LowerBound(x)})
	}
	return report.Object{
		"alpha", report.Up.Rat(r.alpha.Value),
		"seed", r.limits.Seed,
		"samples", s.Samples,
		"max_samples", r.limits.Samples,
		"stopped?", r.stopped != "", // by time, or an interrupt
		"interrupted?", r.isInterrupted,
		"cut_by_time?", s.Cut, // seen, or the bounds of a refuted claim: samples would have told more
		"bits", r.limits.Bits,
		"full", r.limits.Full,
		"witness?", witnessJSON(s.Witness),
		"delta_at_least", report.LowerBound(s.Delta),
		"eps_at_least", eps,
		"excluded", r.curvesJSON(s.Excluded),
		"seen?", r.seenJSON(),
		"low_bits_differ", s.LowBits,
		"looked_at?", looked,
		"kept_share", s.Kept, // of what was drawn, to learn from
		"shapeless_share", s.Shapeless, // of outputs: they never repeat, and have no numbers or words in common
		"max_bytes", r.limits.Memory,
	}
}

// witnessJSON is what refutes a claim, with what the bets of each round have brought; nil if nothing does.
func witnessJSON(w *audit.Witness) report.Object {
	if w == nil {
		return nil
	}
	var evidence []report.Object
	for _, e := range w.Evidence {
		evidence = append(evidence, report.Object{"round", e.Round + 1, "hits", e.Hits, "outputs", e.Size, "share",
			e.Share, "log_factor", e.Factor, "log_alone", e.Alone()})
	}
	return report.Object{
		"inputs", w.Inputs,
		"event", w.Event,
		"hits", w.Hits,
		"second_hits_by_part", w.PartHits,
		"outputs", w.Size,
		"round", w.Round + 1,
		"log_alone", w.Alone, // of what the bets on this event have made of 1 by themselves
		"log_wealth", w.LogWealth,
		"log_threshold", w.Threshold,
		"evidence", evidence,
	}
}

// seenJSON is what would have been found; null is what would not, however large.
func (r *audited) seenJSON() report.Object {
	s := r.sampled.Seen
	if s == nil {
		return nil
	}
	var parts []report.Object
	for i, eps := range s.Eps {
		parts = append(parts, report.Object{"part", r.claim.Parts[i].Name, "eps", finiteOrNull(eps),
			"event_probability", finiteOrNull(s.Probability[i]),
			"delta", finiteOrNull(s.Leaks[i])}) // of an output in the part that only one input has
	}
	return report.Object{"power", audit.SeenPower, "delta", finiteOrNull(s.Delta), "eps", parts}
}

// finiteOrNull returns nil for what JSON has no number for.
func finiteOrNull(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// infoJSON is a built-in mechanism in the output of checkrr audit --list --json, and of --all.
func infoJSON(m mechanisms.Mechanism) report.Object {
	return report.Object{"name", m.Name, "title", m.Title, "source", m.Source, "right", m.Right(), "wrong?", m.Wrong,
		"claims", m.Claims, "parameters", m.Takes()}
}
