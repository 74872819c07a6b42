package run

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// writeTable prints the schedule for a person.
func (s *plan) writeTable(w io.Writer) {
	lower, upper := report.Agreement(s.Result.OptDel)
	fmt.Fprint(w, s.o.line(s.verdict, "OptDel"))
	fmt.Fprintf(w, "Publish   %s%s\n", s.advice(s.publishable(), "charge E", s.Pipeline.Stops), s.whereItPays())
	writeCaveats(w, s.caveats())
	fmt.Fprintf(w, "OptDel    between %s and %s, at most δ = %s\n", lower, upper, report.Typed(s.delta))
	fmt.Fprintf(w, "Shape     %s\n", s.Shape)
	stops := s.Pipeline.Stops
	writePipeline(w, stops)
	writeAssumed(w, s.problem)
	fmt.Fprintf(w, "Mean E    %s\n", strings.Join(s.means(), "; "))
	fmt.Fprint(w, s.mean.line("the mean of the charges"))
	fmt.Fprint(w, s.charge.line(s.gatedCharge()))
	fmt.Fprintf(w, "Method    %s in %s, %s\n\n", s.Result.Method, s.Result.Arithmetic, report.Duration(s.elapsed))
	header := []any{"stop after", "charge E", s.lemmaLabel(), "plain DP", "this stop only"}
	s.writeStops(w, len(stops), header, func(i int) []any {
		return []any{s.problem.StopName(i), chargeCell(stops[i].Eps.Rat()), chargeCell(at(s.Lemma11, i)),
			chargeCell(s.PlainDP()),
			chargeCell(at(s.SingleStop, i))}
	})
	if len(stops) > 1 {
		fmt.Fprintln(w, "\n"+ofAccountants)
	}
	if s.IsLeaking {
		fmt.Fprintln(w, "\nNo charges were found with which Lemma 11 needs this δ: what mechanisms lose whatever is "+
			"charged (their δ, or infinite losses, in the worse order of neighbours at each stop) adds up to about "+
			"as much over all stops, or more.")
	}
}

func (s *plan) caveats() []string {
	return s.stopCaveats(s.Pipeline.Stops, interval.Wide.Rat(s.delta).Upper)
}

// publishable returns the δ that was given or, if OptDel is less when it is rounded up, that.
func (s *plan) publishable() string {
	rounded := report.RoundTo(s.Result.OptDel.Upper, 3, true).String()
	if r, _ := new(big.Rat).SetString(rounded); r.Cmp(s.delta) < 0 {
		return rounded
	}
	return report.Typed(s.delta)
}

// whereItPays says up to which stop charges are below that of plain DP, if not at all but the last.
func (s *plan) whereItPays() string {
	plain, charges := s.PlainDP(), s.Charges()
	if plain == nil || len(charges) < 2 {
		return ""
	}
	saves := func(e *big.Rat) bool { return e.Cmp(plain) < 0 }
	pays := 0 // at how many stops from the first on
	for pays < len(charges) && saves(charges[pays]) {
		pays++
	}
	switch {
	case slices.ContainsFunc(charges[pays:], saves) || pays == len(charges):
		return ""
	case pays == 0:
		return "\n          (no stop is charged less than plain DP)"
	}
	return fmt.Sprintf("\n          (less than plain DP up to the stop %s; no less from there on)",
		s.problem.StopPlace(pays-1))
}

// ofAccountants is the legend of the last column.
const ofAccountants = "This stop only: what an accountant prints for the steps so far; not to be reported " +
	"if stopping was a choice that depended on results."

// means returns the mean of each column, with the weights.
func (s *plan) means() []string {
	means := []string{meanText(s.Mean(s.Charges()))}
	if s.MeanAtLeast > 0 {
		above := max(0, s.Mean(s.Charges())/s.MeanAtLeast-1)
		means[0] += fmt.Sprintf(", at most %s %% above the least possible", report.Short(math.Ceil(1000*above)/10, 4))
	}
	if s.Lemma11 != nil {
		means = append(means, "Lemma 11 "+meanText(s.Mean(s.Lemma11)))
	}
	if s.SingleStop != nil {
		means = append(means, "plain DP "+chargeCell(s.PlainDP()), "this stop only "+meanText(s.Mean(s.SingleStop)))
	}
	return means
}

// meanText shows a mean with six digits, rounded up; that of one charge is shown as the charge.
func meanText(mean float64) string {
	const rounding = 1e-13
	return chargeCell(new(big.Rat).SetFloat64(mean * (1 - rounding)))
}

// lemmaLabel names the charges of Lemma 11, whose shape is not the schedule's if that is optimal.
func (s *plan) lemmaLabel() string {
	if s.Shape == impl.Optimal {
		return "Lemma 11, uniform"
	}
	return "Lemma 11"
}

func at(charges []*big.Rat, i int) *big.Rat {
	if charges == nil {
		return nil
	}
	return charges[i]
}

// chargeCell shows a charge with six digits, rounded up.
func chargeCell(e *big.Rat) string { return cellOf(e, 6) }

// cellOf is [chargeCell] with so many digits.
func cellOf(e *big.Rat, digits int) string {
	switch {
	case e == nil:
		return "–"
	case e.Sign() == 0:
		return "0"
	}
	if text, ok := report.Finite(e, digits); ok {
		return text
	}
	return report.RoundTo(interval.Precision(256).Rat(e).Upper, digits, true).Fixed()
}

// toJSON is the output of --json. What is compared is null if time ran out.
func (s *plan) toJSON() report.Object {
	p := s.problem
	var closer report.IntervalJSON
	if s.Result != s.first {
		closer = report.ToJSON(s.Result.OptDel)
	}
	var atLeast any // null but for optimal
	if s.MeanAtLeast > 0 {
		atLeast = report.LowerBound(s.MeanAtLeast)
	}
	var stops []report.Object
	for i, stop := range s.Pipeline.Stops {
		stops = append(stops, report.Object{
			"after", stop.After, "label?", p.Label(i),
			"weight", report.Near.Rat(p.Weights[i]),
			"eps", report.Up.Rat(stop.Eps.Rat()),
			"lemma11_eps", report.Up.OrNull(at(s.Lemma11, i)), // null, too, if Lemma 11 has no charges
			"single_stop_eps", report.Up.OrNull(at(s.SingleStop, i)),
		})
	}
	var singleStop []report.IntervalJSON
	for _, x := range s.first.SingleStop {
		singleStop = append(singleStop, report.ToJSON(x))
	}
	out := append(report.Output(s.gateJSON()...),
		"delta", report.Up.Rat(s.delta),
		"shape", s.Shape,
		"schedule", stops,
		"plain_dp_eps", report.Up.OrNull(s.PlainDP()),
		"mean_eps", report.Up.Rat(s.exactMean()),
		"mean_eps_at_least", atLeast,
		"mean_at_most?", s.mean.most.Text,
		"mean_verdict?", s.mean.verdict,
		"optdel", report.Exactly(s.Schedule.OptDel, s.first.OptDel),
		"closer?", closer,
		"single_stop", singleStop,
	)
	if s.charge.most.Value != nil || s.o.At != "" {
		out = append(append(out, s.atJSON(s.Pipeline.Stops)...), "eps_at_most?", s.charge.most.Text,
			"eps_verdict?", s.charge.verdict)
	}
	out = append(out, assumedJSON(p)...)
	return append(out,
		"method", s.Result.Method,
		"arithmetic", s.Result.Arithmetic,
		"seconds", report.Microseconds(s.elapsed),
		"shortfall?", s.Shortfall,
		"caveats?", s.caveats(),
	)
}

// gatedCharge is what the charge at one stop is called.
func (s *plan) gatedCharge() string {
	return "the charge " + s.problem.StopPlace(s.at)
}

// exactMean is the mean of the charges, with the weights.
func (s *plan) exactMean() *big.Rat {
	sum, weight := new(big.Rat), new(big.Rat)
	for i, w := range s.problem.Weights {
		sum.Add(sum, new(big.Rat).Mul(w, s.Pipeline.Stops[i].Eps.Rat()))
		weight.Add(weight, w)
	}
	return sum.Quo(sum, weight)
}

// mechanismYAML is what a mechanism is, in the words of a problem file. Where neighbours are groups, what is no noise
// is written as it is for these.
func mechanismYAML(p *input.Problem, m impl.Mechanism, folder string) string {
	given := ""
	if k := p.Neighbours.Group; k > 0 {
		given = fmt.Sprintf(", group: %d", k)
	}
	switch a := m.Additive; {
	case m.Losses != nil:
		return "losses: " + yamlText(relative(p.LossFiles[m.Losses], folder)) + given
	case m.Sampled != nil:
		return sampledYAML(p, m.Sampled, folder)
	case m.HasNoise():
		return noiseYAML(p, a)
	case a != nil && a.Group > 0:
		return "gdp: " + report.Typed(new(big.Rat).Inv(a.Scale))
	case a != nil:
		return "gdp: " + report.Typed(new(big.Rat).Inv(a.Scale)) + given
	case m.Law != nil:
		return "law: " + pairsYAML(m.Law) + given
	case m.IsRange:
		return "bounded_range: " + report.Typed(m.Eps.Rat()) + given
	}
	return epsYAML(m.Eps) + ", delta: " + report.Typed(m.Delta) + given
}

// noiseYAML is noise in these words.
func noiseYAML(p *input.Problem, a *certify.Additive) string {
	key := map[certify.Noise]string{certify.Gaussian: "noise", certify.DiscreteGaussian: "noise",
		certify.Laplace: "scale"}[a.Noise]
	text := fmt.Sprintf("%s: {%s: %s, sampling: %s", a.Noise, key, report.Typed(p.TypedScale(a)),
		report.Typed(a.Sampling))
	if a.Adds != nil {
		text += ", adds: " + pairsYAML(a.Adds)
	}
	if a.MaxBatch > 0 {
		text += fmt.Sprintf(", max_batch: %d, records: %d", a.MaxBatch, a.Records)
	}
	return text + "}"
}

// sampledYAML is what sees one sample.
func sampledYAML(p *input.Problem, s *certify.Sampled, folder string) string {
	var inner []string
	for _, m := range s.Mechanisms() {
		inner = append(inner, fmt.Sprintf("{%s, count: %d}", mechanismYAML(p, m, folder), m.Count))
	}
	return fmt.Sprintf("sampled: {rate: %s, mechanisms: [%s]}", report.Typed(s.Rate), strings.Join(inner, ", "))
}

// pairsYAML is a list of pairs of numbers.
func pairsYAML(pairs [][2]*big.Rat) string {
	var texts []string
	for _, x := range pairs {
		texts = append(texts, fmt.Sprintf("[%s, %s]", report.Typed(x[0]), report.Typed(x[1])))
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// writeMechanisms writes the entries of mechanisms in the blocks of the problem.
func writeMechanisms(w io.Writer, p *input.Problem, mechanisms []impl.Mechanism, folder string) {
	blocks := p.Blocks
	if blocks == nil {
		blocks = []input.Block{{Times: 1, Entries: len(mechanisms)}}
	}
	for _, b := range blocks {
		indent := "  "
		if b.Times > 1 {
			fmt.Fprintf(w, "  - repeat: %d\n    mechanisms:\n", b.Times)
			indent = "      "
		}
		for _, m := range mechanisms[:b.Entries] {
			fmt.Fprintf(w, "%s- {%s, count: %d}\n", indent, mechanismYAML(p, m, folder), m.Count)
		}
		mechanisms = mechanisms[b.Times*b.Entries:]
	}
}

// epsYAML is an ε in these words.
func epsYAML(e loss.Epsilon) string {
	key := map[bool]string{true: "exp_eps", false: "eps"}[e.Log]
	return key + ": " + report.Typed(e.Rat())
}

// relative returns the name of a file from a folder, or its whole path if there is none.
func relative(name, folder string) string {
	whole, err := report.Place(name)
	if err != nil {
		return name
	}
	if from, err := report.Place(cmp.Or(folder, ".")); err == nil {
		if to, err := filepath.Rel(from, whole); err == nil {
			return to
		}
	}
	return whole
}

// yamlText returns a text in quotes for YAML: with escapes where it has characters that act on terminals.
func yamlText(text string) string {
	if report.OneLine(text) != text {
		return strconv.Quote(text)
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// problemYAML is the pipeline with its charges as a problem file in a folder.
func problemYAML(s *plan, folder string) []byte {
	lower, upper := report.Outward(s.Result.OptDel.Lower, false), report.Outward(s.Result.OptDel.Upper, true)
	says := fmt.Sprintf("# Charges for δ = %s, shape %s: OptDel is between %s and %s.\n", report.Typed(s.delta),
		s.Shape, lower, upper)
	return []byte(says + ProblemText(s.problem, s.Pipeline, folder))
}

// ProblemText is a pipeline as a problem file in a folder, with what else a problem says: blocks, neighbours, weights
// and labels.
func ProblemText(p *input.Problem, pipeline impl.Pipeline, folder string) string {
	var b strings.Builder
	b.WriteString("mechanisms:\n")
	writeMechanisms(&b, p, pipeline.Mechanisms, folder)
	if n := p.ShownNeighbours(); n != (input.Neighbours{}) && n != input.AddOrRemove {
		fmt.Fprintf(&b, "neighbours: %s\n", n)
	}
	b.WriteString("stops:\n")
	for i, stop := range pipeline.Stops {
		weight := ""
		if p.Weights != nil && p.Weights[i].Cmp(big.NewRat(1, 1)) != 0 {
			weight = ", weight: " + report.Typed(p.Weights[i])
		}
		label := ""
		if text := p.Label(i); text != "" {
			label = ", label: " + yamlText(text)
		}
		fmt.Fprintf(&b, "  - {after: %d, %s%s%s}\n", stop.After, epsYAML(stop.Eps), weight, label)
	}
	return b.String()
}
