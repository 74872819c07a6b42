package main

import (
	"math"
	"math/big"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/interval"
	"checkrr/verify/audit"
	"checkrr/verify/audit/mechanisms"
)

// auditJSON is the output of checkrr audit --json.
type auditJSON struct {
	SchemaVersion int               `json:"schema_version"`
	Subject       string            `json:"subject"`
	Source        string            `json:"source,omitempty"`
	Settings      map[string]string `json:"settings,omitempty"` // of a built-in mechanism, as they can be given
	Claim         auditClaimJSON    `json:"claim"`
	Verdict       audit.Verdict     `json:"verdict"`
	Certain       bool              `json:"certain"`
	Exact         *examinationJSON  `json:"exact,omitempty"`
	Sampled       *sampledJSON      `json:"sampled,omitempty"`
	Seconds       float64           `json:"seconds"`
}

type auditClaimJSON struct {
	Parts []partJSON    `json:"parts"`
	Delta report.Number `json:"delta"`
}

// partJSON is a part of the outputs, "" if there are no parts, with what is claimed: ε or e^ε.
type partJSON struct {
	Part   string         `json:"part"`
	Eps    *report.Number `json:"eps,omitempty"`
	ExpEps *report.Number `json:"exp_eps,omitempty"`
}

// examinationJSON is what laws say.
type examinationJSON struct {
	Pairs    int                 `json:"pairs"`
	Proved   int                 `json:"proved"` // for how many of them the claim is true for certain
	Inputs   [2]string           `json:"inputs"` // where the smallest δ is largest
	Event    []string            `json:"event"`
	Delta    report.IntervalJSON `json:"smallest_delta"`
	Exact    string              `json:"smallest_delta_exact,omitempty"` // as a ratio, where it is one
	EpsFound []lossJSON          `json:"eps_at_least"`
	Parts    []excessJSON        `json:"parts"`
	Excluded []excludedJSON      `json:"excluded"`
}

// excessJSON is the worst set of outputs within a part, and the δ that the part needs by itself.
type excessJSON struct {
	Part   string                 `json:"part"`
	Delta  report.IntervalJSON    `json:"smallest_delta"`
	Exact  string                 `json:"smallest_delta_exact,omitempty"`
	Inputs [2]string              `json:"inputs"`
	Event  []string               `json:"event"`
	P      [2]report.IntervalJSON `json:"event_probabilities"`
	ExactP []string               `json:"event_probabilities_exact,omitempty"`
}

// excludedJSON is what is excluded of a part: every claim with an ε that is not above that of a point, and a δ that is
// below its δ.
type excludedJSON struct {
	Part   string              `json:"part"`
	Points []excludedPointJSON `json:"points"`
}

type excludedPointJSON struct {
	Eps   report.LowerBound `json:"eps"`
	Delta report.LowerBound `json:"delta"`
}

// lossJSON is the largest loss of a part that is certain: null where there is none, and
// unbounded where an output is impossible on one input.
type lossJSON struct {
	Part      string         `json:"part"`
	Eps       *report.Number `json:"eps"`
	Unbounded bool           `json:"unbounded,omitempty"`
	Inputs    [2]string      `json:"inputs,omitzero"`
	Output    string         `json:"output,omitempty"`
}

// sampledJSON is what samples say.
type sampledJSON struct {
	Alpha      report.Number `json:"alpha"`
	Seed       uint64        `json:"seed"`
	Samples    int           `json:"samples"`
	MaxSamples int           `json:"max_samples"`
	Stopped    bool          `json:"stopped,omitempty"` // by time, or an interrupt
	Interrupt  bool          `json:"interrupted,omitempty"`
	// seen, or the bounds of a refuted claim: samples would have told more
	Cut      bool              `json:"cut_by_time,omitempty"`
	Bits     bool              `json:"bits"`
	Full     bool              `json:"full"`
	Witness  *witnessJSON      `json:"witness,omitempty"`
	Delta    report.LowerBound `json:"delta_at_least"`
	Eps      []boundJSON       `json:"eps_at_least"`
	Excluded []excludedJSON    `json:"excluded"`
	Seen     *seenJSON         `json:"seen,omitempty"`
	LowBits  bool              `json:"low_bits_differ"`
	Looked   *lookedJSON       `json:"looked_at,omitempty"`
	Kept     float64           `json:"kept_share"` // of what was drawn, to learn from
	// of outputs: they never repeat, and have no numbers or words in common
	Shapeless float64 `json:"shapeless_share"`
	MaxBytes  int64   `json:"max_bytes"`
}

type witnessJSON struct {
	Inputs     [2]string `json:"inputs"`
	Event      []string  `json:"event"`
	Hits       [2]int    `json:"hits"`
	HitsByPart []int     `json:"second_hits_by_part"`
	Outputs    int       `json:"outputs"`
	Round      int       `json:"round"`     // from 1
	Alone      float64   `json:"log_alone"` // of what the bets on this event have made of 1 by themselves
	LogWealth  float64   `json:"log_wealth"`
	Threshold  float64   `json:"log_threshold"`

	Evidence []evidenceJSON `json:"evidence"`
}

// evidenceJSON is what the bets of a round have brought.
type evidenceJSON struct {
	Round   int     `json:"round"`
	Hits    [2]int  `json:"hits"`
	Outputs int     `json:"outputs"`
	Share   float64 `json:"share"`
	Factor  float64 `json:"log_factor"`
	Alone   float64 `json:"log_alone"`
}

type boundJSON struct {
	Part string            `json:"part"`
	Eps  report.LowerBound `json:"eps"`
}

// seenJSON is what would have been found; null is what would not, however large.
type seenJSON struct {
	Power float64       `json:"power"`
	Delta *float64      `json:"delta"`
	Eps   []seenEpsJSON `json:"eps"`
}

type seenEpsJSON struct {
	Part        string   `json:"part"`
	Eps         *float64 `json:"eps"`
	Probability *float64 `json:"event_probability"`
	Leak        *float64 `json:"delta"` // of an output in the part that only one input has
}

func (r *audited) toJSON() auditJSON {
	out := auditJSON{
		SchemaVersion: report.SchemaVersion, Subject: r.name, Source: r.source,
		Claim: r.auditClaimJSON(), Verdict: r.verdict(), Seconds: report.Microseconds(r.elapsed),
	}
	if len(r.settings) > 0 {
		out.Settings = map[string]string{}
	}
	for _, s := range r.settings {
		out.Settings[s.Name] = asTyped(s.Value)
	}
	if r.exact != nil {
		out.Certain = r.certain()
		out.Exact = r.examinationJSON()
	}
	if r.sampled != nil {
		out.Sampled = r.sampledJSON()
	}
	return out
}

func (r *audited) auditClaimJSON() auditClaimJSON {
	out := auditClaimJSON{Delta: report.Up.Rat(r.claim.Delta)}
	for _, p := range r.claim.Parts {
		part := partJSON{Part: p.Name}
		if p.Eps.Log {
			part.ExpEps = report.Up.OrNull(p.Eps.Rat())
		} else {
			part.Eps = report.Up.OrNull(p.Eps.Rat())
		}
		out.Parts = append(out.Parts, part)
	}
	return out
}

func (r *audited) examinationJSON() *examinationJSON {
	e := r.exact
	f, law := e.Findings[e.Worst], e.Laws[e.Worst]
	out := &examinationJSON{
		Pairs: len(e.Laws), Proved: e.Proved, Inputs: inOrder(law.Inputs, f.Direction),
		Event: cellNames(law, f.Event), Delta: report.ToJSON(f.Delta), Exact: report.Ratio(f.Exact),
		Parts: r.excessJSON(), Excluded: r.curvesJSON(e.Curves(r.claim)),
	}
	for i, loss := range e.Losses {
		part := lossJSON{Part: r.claim.Parts[i].Name}
		if loss.Cell >= 0 {
			where := e.Laws[e.InLaw[i]]
			part.Inputs, part.Output = inOrder(where.Inputs, loss.Direction), where.Cells[loss.Cell].Name
			part.setEps(loss.Loss)
		}
		out.EpsFound = append(out.EpsFound, part)
	}
	return out
}

// excessJSON returns the worst set of every part.
func (r *audited) excessJSON() []excessJSON {
	var all []excessJSON
	for i, part := range r.claim.Parts {
		law, x := r.exact.Laws[r.exact.Parts[i]], r.exact.Findings[r.exact.Parts[i]].Parts[i]
		one := excessJSON{
			Part: part.Name, Delta: report.ToJSON(x.Delta), Exact: report.Ratio(x.Exact),
			Inputs: inOrder(law.Inputs, x.Direction), Event: cellNames(law, x.Event),
		}
		for side := range one.P {
			one.P[side] = report.ToJSON(law.Probability(x.Event, side^x.Direction))
			if p := law.ExactProbability(x.Event, side^x.Direction); p != nil {
				one.ExactP = append(one.ExactP, p.RatString())
			}
		}
		all = append(all, one)
	}
	return all
}

// curvesJSON returns the curves of all parts.
func (r *audited) curvesJSON(curves []audit.Curve) []excludedJSON {
	var all []excludedJSON
	for i, c := range curves {
		one := excludedJSON{Part: r.claim.Parts[i].Name}
		for _, p := range c {
			one.Points = append(one.Points, excludedPointJSON{report.LowerBound(p.Eps), report.LowerBound(p.Delta)})
		}
		all = append(all, one)
	}
	return all
}

// setEps takes the lower end, or 0 if that is not positive: the larger loss of both
// directions is at least 0.
func (l *lossJSON) setEps(loss interval.Interval) {
	if loss.Lower.IsInf() {
		l.Unbounded = loss.Lower.Sign() > 0
		return
	}
	lower := loss.Lower
	if lower.Sign() < 0 {
		lower = new(big.Float)
	}
	l.Eps = new(report.Down.Float(lower))
}

// lookedJSON is an [audit.Looked].
type lookedJSON struct {
	Places   int `json:"places"`
	Features int `json:"features"`
	Left     int `json:"features_left_out"`
}

func (r *audited) sampledJSON() *sampledJSON {
	s := r.sampled
	out := &sampledJSON{
		Alpha: report.Up.Rat(r.alpha.Value), Seed: r.limits.Seed, Samples: s.Samples,
		MaxSamples: r.limits.Samples, Stopped: r.stopped != "", Interrupt: r.isInterrupted, Cut: s.Cut,
		Bits: r.limits.Bits, Full: r.limits.Full, Delta: report.LowerBound(s.Delta), LowBits: s.LowBits,
		Kept: s.Kept, Shapeless: s.Shapeless, MaxBytes: r.limits.Memory,
		Excluded: r.curvesJSON(s.Excluded),
	}
	if l := s.Looked; l.Features > 0 {
		out.Looked = &lookedJSON{l.Places, l.Features, l.Left}
	}
	for i, eps := range s.Eps {
		out.Eps = append(out.Eps, boundJSON{r.claim.Parts[i].Name, report.LowerBound(eps)})
	}
	if w := s.Witness; w != nil {
		out.Witness = &witnessJSON{w.Inputs, w.Event, w.Hits, w.PartHits, w.Size, w.Round + 1, w.Alone, w.LogWealth,
			w.Threshold, nil}
		for _, e := range w.Evidence {
			out.Witness.Evidence = append(out.Witness.Evidence,
				evidenceJSON{e.Round + 1, e.Hits, e.Size, e.Share, e.Factor, e.Alone()})
		}
	}
	if s.Seen != nil {
		out.Seen = &seenJSON{Power: audit.SeenPower, Delta: finiteOrNull(s.Seen.Delta)}
		for i, eps := range s.Seen.Eps {
			out.Seen.Eps = append(out.Seen.Eps, seenEpsJSON{r.claim.Parts[i].Name, finiteOrNull(eps),
				finiteOrNull(s.Seen.Probability[i]), finiteOrNull(s.Seen.Leaks[i])})
		}
	}
	return out
}

// finiteOrNull returns nil for what JSON has no number for.
func finiteOrNull(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// catalogueJSON is the output of checkrr audit --list --json.
type catalogueJSON struct {
	SchemaVersion int             `json:"schema_version"`
	Mechanisms    []mechanismInfo `json:"mechanisms"`
}

type mechanismInfo struct {
	Name       string   `json:"name"`
	Title      string   `json:"title"`
	Source     string   `json:"source"`
	Right      bool     `json:"right"`
	Wrong      string   `json:"wrong,omitempty"`
	Claims     []string `json:"claims"`
	Parameters []string `json:"parameters"`
}

func infoOf(m mechanisms.Mechanism) mechanismInfo {
	return mechanismInfo{m.Name, m.Title, m.Source, m.Right(), m.Wrong, m.Claims, m.Takes()}
}
