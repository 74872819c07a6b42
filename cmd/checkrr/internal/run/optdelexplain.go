package run

import (
	"fmt"
	"io"
	"math"
	"math/big"

	"checkrr/cmd/checkrr/internal/report"
)

// writeExplained prints the worst stopping rule in words.
func (s *solution) writeExplained(w io.Writer) {
	s.writeHeading(w)
	fmt.Fprint(w, `
This δ is what the worst stopping rule needs. Whoever follows it watches the privacy loss: by how much
the outputs so far favour one of two neighbouring data sets over the other, ln(P₀/P₁). A large loss is rare,
and the rule stops when it sees one. A run that stops is charged the ε of its stop; where its loss is above
that, δ has to make up for the difference. It pays to stop from the threshold of a stop on. That is above the charge
where going on pays more, or where no loss lies between. No run's loss need equal it.

`)
	stops, most := s.problem.Stops, 10
	if s.o.AllStops {
		most = len(stops)
	}
	rows := report.Evenly(len(stops), most)
	for _, i := range rows {
		fmt.Fprintf(w, "After %s: %s (alone: %s).\n", s.problem.StopName(i), s.explainStop(i), deltaCell(s.SingleStop, i))
	}
	report.LeftOut(w, len(rows), len(stops), "stop", "--all-stops shows")
	fmt.Fprintf(w, `
A stop adds the probability to stop there, less e^ε times that on the other data set; the end adds that of the runs
whose loss is above its charge. Alone: the δ that would be enough if the run could end there only.
All stops together add %s.
%s
Each δ is rounded up, thresholds are rounded down. What a single stop adds is computed in float64, and may be off in
its last digits.
`, s.sumOfContributions(), s.howCertain())
}

// howCertain says what both ends of OptDel rest on.
func (s *solution) howCertain() string {
	if s.Method == enumeration {
		return "Both ends of OptDel are proved by trying every sequence of outputs."
	}
	return "Both ends of OptDel are certified."
}

// sumOfContributions says what all stops of the rule add: the lower end of OptDel, unless one stop alone needs more.
func (s *solution) sumOfContributions() string {
	sum, low := 0.0, s.OptDel.Float().Lo
	for _, stop := range s.Rule {
		sum += stop.Contribution
	}
	if math.Abs(sum-low) > 1e-9*low {
		return "about " + addedText(sum)
	}
	return addedText(low) + ", the lower end of OptDel"
}

// addedText is what one stop, or all, add to δ: rounded up, as in the table.
func addedText(x float64) string { return report.RoundTo(big.NewFloat(x*(1-1e-12)), 4, true).Fixed() }

// explainStop says what the rule does at a stop.
func (s *solution) explainStop(i int) string {
	if i >= len(s.Rule) {
		return "not known"
	}
	stop, charge := s.Rule[i], chargeText(s.problem, i)
	adds := fmt.Sprintf("with the charge ε = %s this adds %s", charge, addedText(stop.Contribution))
	switch isLast := i == len(s.problem.Stops)-1; {
	case isLast:
		return "the end, where all remaining runs stop; " + adds
	case math.IsInf(stop.LossAtLeast, 1) && i < len(s.SingleStop) && s.SingleStop[i].Upper.Sign() == 0:
		return fmt.Sprintf("go on: no loss is above the charge ε = %s", charge)
	case math.IsInf(stop.LossAtLeast, 1):
		return fmt.Sprintf("go on, whatever the loss is: with the charge ε = %s, going on pays more", charge)
	case stop.Probability == 0:
		return fmt.Sprintf("go on: it would pay to stop from a loss of %s on, which no run still going has; "+
			"the charge is ε = %s", report.Floor(stop.LossAtLeast, 4), charge)
	}
	return fmt.Sprintf("stop if the loss is at least %s, as in %s; %s",
		report.Floor(stop.LossAtLeast, 4), oneIn(stop.Probability), adds)
}

// oneIn says a probability in words.
func oneIn(probability float64) string {
	if probability > 0.5 {
		return fmt.Sprintf("%.0f %% of runs", 100*probability)
	}
	n, unit := 1/probability, ""
	switch {
	case n >= 1e12: // as a power of ten
	case n >= 1e9:
		n, unit = n/1e9, " billion"
	case n >= 1e6:
		n, unit = n/1e6, " million"
	case n >= 1e3:
		n, unit = n/1e3, " thousand"
	}
	return fmt.Sprintf("one of %s%s runs", report.Short(n, 3), unit)
}
