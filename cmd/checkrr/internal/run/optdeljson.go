package run

import (
	"math"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/interval"
)

// toJSON is the output of --json.
func (s *solution) toJSON() report.Object {
	p, rule := s.problem, []report.Object{}
	for i, t := range s.Rule {
		var atLeast any // null: never stop here
		if !math.IsInf(t.LossAtLeast, 1) {
			atLeast = report.LowerBound(t.LossAtLeast)
		}
		rule = append(rule, report.Object{"after", p.Stops[i].After, "label?", p.Label(i), "loss_at_least", atLeast,
			"probability", t.Probability})
	}
	out := append(report.Output(s.gateJSON()...),
		"optdel", report.ToJSON(s.OptDel),
		"lemma11", report.ToJSON(s.Lemma11),
		"lemma11_with?", s.with.toJSON(p),
		"exact?", report.Ratio(s.exact),
		"lemma11_exact?", report.Ratio(s.lemma11Exact),
		"single_stop", singleStopsJSON(p, s.SingleStop),
		"stopping_rule", rule,
	)
	out = append(out, assumedJSON(p)...)
	return append(out,
		"order?", s.Order, // of the neighbours that the rule is for
		"method", s.Method,
		"arithmetic?", s.Arithmetic,
		"rel_width", report.WidthJSON(s.requested, s.relWidth()),
		"seconds", report.Microseconds(s.elapsed),
		"shortfall?", s.Shortfall,
	)
}

// singleStopsJSON is the δ of each stop alone.
func singleStopsJSON(p *input.Problem, deltas []interval.Interval) []report.Object {
	all := []report.Object{}
	for i, delta := range deltas {
		all = append(all, report.Object{"after", p.Stops[i].After, "label?", p.Label(i), "delta", report.ToJSON(delta)})
	}
	return all
}
