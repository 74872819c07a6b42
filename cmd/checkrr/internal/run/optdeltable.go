package run

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// writeTable prints the solution for a person.
func (s *solution) writeTable(w io.Writer) {
	s.writeHeading(w)
	fmt.Fprintln(w)
	p := s.problem
	header := []any{"stop after", "charged E", "δ of this stop alone", "worst rule: stop at loss ≥", "probability"}
	if s.singlesExact != nil {
		header = append(header, "δ of this stop alone, exactly")
	}
	s.writeStops(w, len(p.Stops), header, func(i int) []any {
		loss, probability := s.thresholdCells(i)
		row := []any{p.StopName(i), report.Clip(p.Charges[i], 24), deltaCell(s.SingleStop, i), loss, probability}
		if s.singlesExact != nil {
			row = append(row, s.singlesExact[i].RatString())
		}
		return row
	})
}

// writeHeading prints the answer and how it was found.
func (s *solution) writeHeading(w io.Writer) {
	p := s.problem
	fmt.Fprint(w, s.o.line(s.verdict, "OptDel"))
	fmt.Fprintf(w, "Publish   %s\n", s.advice(s.publishable(), "charge", p.Stops))
	writeCaveats(w, s.caveats())
	fmt.Fprintf(w, "OptDel    %s\n", report.Between(s.OptDel))
	if s.exact != nil {
		fmt.Fprintf(w, "          exactly %s\n", s.exact.RatString())
	}
	lemma11 := report.FourDigits(s.Lemma11)
	if s.Lemma11.RelWidth() >= report.Narrow {
		lemma11 = report.Between(s.Lemma11)
	}
	fmt.Fprintf(w, "Lemma 11  %s%s%s\n", lemma11, timesAsLarge(s.OptDel, s.Lemma11), s.costOfChoice())
	if s.sumsToMore() {
		fmt.Fprintln(w, "          (the sum for neighbours in the worse order; at each stop the worse order of that stop "+
			"counts)")
	}
	if s.lemma11Exact != nil {
		fmt.Fprintf(w, "          exactly %s\n", s.lemma11Exact.RatString())
	}
	if s.with != nil {
		fmt.Fprintf(w, "          by %s %s%s\n", s.with.theorem, report.FourDigits(s.with.sum),
			timesAsLarge(s.OptDel, s.with.sum))
	}
	writePipeline(w, p.Stops)
	writeAssumed(w, p)
	if s.Order != "" {
		fmt.Fprintf(w, "Rule      for neighbours %s: P₀ %s\n", s.Order, firstLaw(p, s.Order[1]))
	}
	method := string(s.Method)
	if s.Arithmetic != "" {
		method += " in " + s.Arithmetic
	}
	reached, asked := report.Widths(s.relWidth(), s.requested)
	fmt.Fprintf(w, "Method    %s, relative width %s (asked for %s), %s\n", method, reached, asked,
		report.Duration(s.elapsed))
}

// sumsToMore reports whether the δ of single stops certainly sum to more than Lemma 11: not all are for neighbours in
// the same order.
func (s *solution) sumsToMore() bool {
	const bits = 128
	sum := interval.Precision(bits).Int(0)
	for _, x := range s.SingleStop {
		sum = interval.Precision(bits).Add(sum, x)
	}
	return sum.Lower.Cmp(s.Lemma11.Upper) > 0
}

func (s *solution) caveats() []string {
	return s.stopCaveats(s.problem.Stops, s.OptDel.Upper)
}

// advice says what may be published with a δ and the charges, which are called so.
func (s *solved) advice(delta, charge string, stops []impl.Stop) string {
	switch {
	case delta == "":
		return "nothing: with these charges no δ below 1 is known to be enough"
	case s.o.At != "":
		return fmt.Sprintf("(ε = %s, δ = %s) for a run that ended %s: output DP, if charges were fixed before it",
			publishedEps(stops[s.at].Eps), delta, s.problem.StopPlace(s.at))
	case len(stops) == 1 && s.problem.Charges[0] != "":
		return fmt.Sprintf("ε = %s with δ = %s", chargeText(s.problem, 0), delta)
	}
	return fmt.Sprintf("δ = %s, and as ε the %s of the stop at which the run ended: output DP, if charges were fixed "+
		"before it", delta, charge)
}

// atJSON is the stop that --at names, and its charge.
func (s *solved) atJSON(stops []impl.Stop) report.Object {
	stop := stops[s.at]
	return report.Object{"at", stop.After, "eps", report.Up.Sum(loss.Of(stop.Eps))}
}

// publishedEps is a charge, rounded up: in three digits below 1, in four from there on.
func publishedEps(e loss.Epsilon) string {
	most, digits := loss.Enclose(e, 256).Upper, 3
	if most.Cmp(big.NewFloat(1)) >= 0 {
		digits++
	}
	if e.Log {
		return report.RoundTo(most, digits, true).Fixed()
	}
	return cellOf(e.Rat(), digits)
}

// publishable returns OptDel, rounded up to few digits, but not to 1; empty if it may be 1.
func (s *solution) publishable() string {
	most := s.OptDel.Upper
	if s.exact != nil {
		most = interval.Precision(256).Rat(s.exact).Upper
	}
	if most.Cmp(big.NewFloat(1)) >= 0 {
		return ""
	}
	for digits := 3; ; digits *= 2 {
		text := report.RoundTo(most, digits, true).String()
		if r, _ := new(big.Rat).SetString(text); r.Cmp(big.NewRat(1, 1)) < 0 {
			return text
		}
	}
}

// chargeText is a charge as it was typed or, if that is long, rounded up.
func chargeText(p *input.Problem, i int) string {
	const long, digits = 24, 8
	if utf8.RuneCountInString(p.Charges[i]) <= long {
		return p.Charges[i]
	}
	return report.RoundTo(loss.Enclose(p.Stops[i].Eps, 128).Upper, digits, true).String()
}

// costOfChoice says how many times larger OptDel is than the δ of the stop that alone needs the largest.
func (s *solution) costOfChoice() string {
	if len(s.SingleStop) < 2 {
		return ""
	}
	largest := slices.MaxFunc(s.SingleStop, func(x, y interval.Interval) int { return x.Upper.Cmp(y.Upper) })
	if largest.Upper.Sign() == 0 || largest.RelWidth() >= report.Narrow || s.OptDel.RelWidth() >= report.Narrow {
		return ""
	}
	q, _ := new(big.Float).SetPrec(64).Quo(s.OptDel.Upper, largest.Upper).Float64()
	times := report.Short(q, 4)
	if times == "1" {
		return "; OptDel is what one stop alone needs"
	}
	return fmt.Sprintf("; OptDel is %s times the largest δ of one stop", times)
}

// firstLaw says what P₀ is if it has the P, or the Q, of all mechanisms.
func firstLaw(p *input.Problem, which byte) string {
	var says []string
	if p.HasRecords() {
		what := "record"
		if p.Neighbours.Group > 0 {
			what = "group"
		}
		says = append(says, map[byte]string{'P': "is with the ", 'Q': "is without the "}[which]+what)
	}
	if slices.ContainsFunc(p.Mechanisms, func(m impl.Mechanism) bool { return m.Law != nil || m.Losses != nil }) {
		says = append(says, fmt.Sprintf("has the %c of every law", which))
	}
	return strings.Join(says, ", and ") + ", P₁ the other"
}

// timesAsLarge says what Lemma 11 gives away, as a range where the intervals are wide.
func timesAsLarge(optDel, lemma11 interval.Interval) string {
	if optDel.Upper.Sign() == 0 {
		return ""
	}
	if optDel.RelWidth() < report.Narrow && lemma11.RelWidth() < report.Narrow {
		q, _ := new(big.Float).SetPrec(64).Quo(lemma11.Upper, optDel.Upper).Float64()
		return fmt.Sprintf(", %s times OptDel", report.Short(q, 4))
	}
	quotient := func(x, y *big.Float, up bool) string {
		mode := map[bool]big.RoundingMode{true: big.AwayFromZero, false: big.ToZero}[up]
		return report.RoundTo(new(big.Float).SetPrec(64).SetMode(mode).Quo(x, y), 3, up).String()
	}
	least := "1" // OptDel is never larger
	if lemma11.Lower.Cmp(optDel.Upper) > 0 {
		least = quotient(lemma11.Lower, optDel.Upper, false)
	}
	if optDel.Lower.Sign() == 0 {
		return fmt.Sprintf(", at least %s times OptDel", least)
	}
	return fmt.Sprintf(", %s to %s times OptDel", least, quotient(lemma11.Upper, optDel.Lower, true))
}

// deltaCell shows the upper end of a δ with as many digits as are known, and says so if there are none.
func deltaCell(deltas []interval.Interval, i int) string {
	if i >= len(deltas) {
		return "–"
	}
	x := deltas[i]
	switch w := x.RelWidth(); {
	case w < report.Narrow:
		return report.FourDigits(x)
	case w < 10*report.Narrow:
		return report.RoundTo(x.Upper, 3, true).Fixed()
	case w < 100*report.Narrow:
		return report.RoundTo(x.Upper, 2, true).Fixed()
	}
	return "at most " + report.RoundTo(x.Upper, 2, true).Fixed()
}

func (s *solution) thresholdCells(i int) (loss, probability string) {
	if i >= len(s.Rule) {
		return "–", "–"
	}
	switch stop := s.Rule[i]; {
	case i == len(s.problem.Stops)-1: // the end of all that did not stop before
		loss = "any"
	case math.IsInf(stop.LossAtLeast, 1):
		loss = "never"
	default:
		loss = report.Floor(stop.LossAtLeast, 6)
	}
	return loss, report.Short(s.Rule[i].Probability, 3)
}

// toJSON is the output of --json: what was found first, which no limit changes, and the closer look.
func (s *solution) toJSON() report.Object {
	var closer report.IntervalJSON
	if s.Result != s.first.Result {
		closer = report.ToJSON(s.OptDel)
		first := *s
		first.Result = s.first.Result
		s = &first
	}
	p, rule := s.problem, []report.Object{}
	for i, t := range s.Rule {
		stop := report.Object{"after", p.Stops[i].After, "label?", p.Label(i)}
		switch {
		case i == len(p.Stops)-1: // any loss
		case math.IsInf(t.LossAtLeast, 1): // never
			stop = append(stop, "loss_at_least", nil)
		default:
			stop = append(stop, "loss_at_least", report.LowerBound(t.LossAtLeast))
		}
		rule = append(rule, append(stop, "probability", t.Probability, "contribution", t.Contribution))
	}
	out := append(report.Output(s.gateJSON()...),
		"optdel", report.Exactly(s.first.exact, s.OptDel),
		"closer?", closer,
		"lemma11", report.ToJSON(s.Lemma11),
		"lemma11_with?", s.with.toJSON(p),
		"exact?", report.Ratio(s.exact),
		"lemma11_exact?", report.Ratio(s.lemma11Exact),
		"single_stop", singleStopsJSON(p, s.SingleStop, s.singlesExact),
		"stopping_rule", rule,
	)
	if s.o.At != "" {
		out = append(out, s.atJSON(p.Stops)...)
	}
	out = append(out, assumedJSON(p)...)
	return append(out,
		"order?", s.Order, // of the neighbours that the rule is for
		"method", s.Method,
		"arithmetic?", s.Arithmetic,
		"rel_width", report.WidthJSON(s.requested, s.relWidth()),
		"seconds", report.Microseconds(s.elapsed),
		"shortfall?", s.Shortfall,
		"caveats?", s.caveats(),
	)
}

// singleStopsJSON is the δ of each stop alone; exact is nil unless asked for.
func singleStopsJSON(p *input.Problem, deltas []interval.Interval, exact []*big.Rat) []report.Object {
	all := []report.Object{}
	for i, delta := range deltas {
		o := report.Object{"after", p.Stops[i].After, "label?", p.Label(i), "delta", report.ToJSON(delta)}
		if exact != nil {
			o = append(o, "exact", report.Ratio(exact[i]))
		}
		all = append(all, o)
	}
	return all
}
