package run

import (
	"math"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
)

// optdelJSON is the output of checkrr optdel --json.
type optdelJSON struct {
	SchemaVersion int `json:"schema_version"`
	gateJSON
	OptDel       report.IntervalJSON `json:"optdel"`
	Lemma11      report.IntervalJSON `json:"lemma11"`
	Lemma11With  *lemma11WithJSON    `json:"lemma11_with,omitempty"`
	Exact        string              `json:"exact,omitempty"`
	Lemma11Exact string              `json:"lemma11_exact,omitempty"`
	SingleStop   []stopJSON          `json:"single_stop"`
	StoppingRule []thresholdJSON     `json:"stopping_rule"`
	assumedJSON
	Order      impl.Order       `json:"order,omitempty"` // of the neighbours that the rule is for
	Method     impl.Method      `json:"method"`
	Arithmetic string           `json:"arithmetic,omitempty"`
	RelWidth   report.WidthJSON `json:"rel_width"`
	Seconds    float64          `json:"seconds"`
	Shortfall  string           `json:"shortfall,omitempty"`
}

type stopJSON struct {
	After int                 `json:"after"`
	Delta report.IntervalJSON `json:"delta"`
}

type thresholdJSON struct {
	After       int                `json:"after"`
	LossAtLeast *report.LowerBound `json:"loss_at_least"` // null: never stop here
	Probability float64            `json:"probability"`
}

func (s *solution) toJSON() optdelJSON {
	p := s.problem
	out := optdelJSON{
		SchemaVersion: report.SchemaVersion,
		gateJSON:      s.o.Gate.json(s.verdict),
		OptDel:        report.ToJSON(s.OptDel),
		Lemma11:       report.ToJSON(s.Lemma11),
		Lemma11With:   s.with.toJSON(p),
		Exact:         report.Ratio(s.exact),
		Lemma11Exact:  report.Ratio(s.lemma11Exact),
		SingleStop:    make([]stopJSON, len(s.SingleStop)),
		StoppingRule:  make([]thresholdJSON, len(s.Rule)),
		assumedJSON:   assumedOf(p),
		Order:         s.Order,
		Method:        s.Method,
		Arithmetic:    s.Arithmetic,
		RelWidth:      report.WidthJSON{Requested: s.requested, Reached: report.Above(s.relWidth())},
		Seconds:       report.Microseconds(s.elapsed),
		Shortfall:     s.Shortfall,
	}
	for i, delta := range s.SingleStop {
		out.SingleStop[i] = stopJSON{p.Stops[i].After, report.ToJSON(delta)}
	}
	for i, t := range s.Rule {
		line := thresholdJSON{p.Stops[i].After, nil, t.Probability}
		if !math.IsInf(t.LossAtLeast, 1) {
			line.LossAtLeast = new(report.LowerBound(t.LossAtLeast))
		}
		out.StoppingRule[i] = line
	}
	return out
}
