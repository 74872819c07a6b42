package run

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/certificate"
	"checkrr/impl/certify"
)

// checkAll returns an error unless all claims are about the problems of a file, and all of these are claimed: for
// each of the charges, those of the orders of neighbours, or of one of them. For OptDel to be more than something, one
// order is enough.
func checkAll(claims []*certificate.Claim, name string, charged [][]certify.Problem, isOne bool) error {
	claimed := make([][]*certificate.Claim, len(charged))
	for i, c := range claims {
		var first error
		known := slices.IndexFunc(charged, func(orders []certify.Problem) bool {
			return slices.ContainsFunc(orders, func(p certify.Problem) bool {
				err := c.About(p)
				other, _ := errors.AsType[*certificate.OtherProblemError](err)
				if first == nil || other != nil && other.List == "stops" {
					first = err
				}
				return err == nil
			})
		})
		if known < 0 {
			return fmt.Errorf("claim %d is not about %s: %w", i+1, name, explained(first))
		}
		claimed[known] = append(claimed[known], c)
	}
	for i, orders := range charged {
		isBound := func(c *certificate.Claim) bool { return c.MoreThan == nil || c.AtMost != nil }
		isMore := !slices.ContainsFunc(claimed[i], isBound)
		if !isMore && !(isOne && len(claimed[i]) > 0) && certificate.About(orders[0], claimed[i]...) != nil {
			return fmt.Errorf("there is no claim about %s for neighbours in one of their orders", name)
		}
	}
	return nil
}

// compositions returns the problems of a file with the charges of compositions, which stop at the end only: for each of
// those that claims have, or, if none has one stop, with that of the file.
func compositions(claims []*certificate.Claim, orders []certify.Problem) (charged [][]certify.Problem) {
	var stops [][]certify.Stop
	for _, c := range claims {
		isSameCharge := func(known []certify.Stop) bool { return known[0].Eps.Equal(c.Problem.Stops[0].Eps) }
		if len(c.Problem.Stops) == 1 && !slices.ContainsFunc(stops, isSameCharge) {
			stops = append(stops, c.Problem.Stops)
		}
	}
	if stops == nil {
		return [][]certify.Problem{orders}
	}
	for _, stop := range stops {
		one := slices.Clone(orders)
		for i := range one {
			one[i].Stops = []certify.Stop{{After: one[i].Stops[len(one[i].Stops)-1].After, Eps: stop[0].Eps}}
		}
		charged = append(charged, one)
	}
	return charged
}

// key is the same for two problems if and only if they are, as [certificate.Claim.About] has it.
func key(p certify.Problem) string {
	var b strings.Builder
	for _, m := range p.Grouped().Mechanisms {
		fmt.Fprintf(&b, "%d of %s;", m.Count, m.Key())
	}
	for _, s := range p.Stops {
		fmt.Fprintf(&b, "after %d %t %x/%x ", s.After, s.Eps.Log, s.Eps.Value.Num(), s.Eps.Value.Denom())
	}
	return b.String()
}

// explained says for people what is different first in the problem of a claim.
func explained(err error) error {
	e, isOther := errors.AsType[*certificate.OtherProblemError](err)
	if !isOther {
		return err
	}
	i, c, p := e.Index, e.Claimed, e.Wanted
	switch {
	case e.List == "mechanisms":
		x, y := "nothing", "nothing"
		if i < len(c.Mechanisms) {
			x = shownMechanism(c.Mechanisms[i])
		}
		if i < len(p.Mechanisms) {
			y = shownMechanism(p.Mechanisms[i])
		}
		if x == y {
			x, y = difference(c.Mechanisms[i], p.Mechanisms[i])
		}
		return fmt.Errorf("its mechanisms are others: it has %s where the problem has %s, in entry %d", x, y, i+1)
	case len(c.Stops) != len(p.Stops):
		return fmt.Errorf("it has %s, the problem %d", report.Plural(len(c.Stops), "stop"), len(p.Stops))
	}
	return fmt.Errorf("its stop %d is another: it charges %s after %d, the problem %s after %d",
		i+1, shownEps(c.Stops[i].Eps), c.Stops[i].After, shownEps(p.Stops[i].Eps), p.Stops[i].After)
}

// fact is something about a mechanism: numbers, and words with a %s for each.
type fact struct {
	words   string
	numbers []*big.Rat
}

// text says the fact with numbers in some form.
func (f fact) text(show func(*big.Rat) string) string {
	var shown []any
	for _, x := range f.numbers {
		shown = append(shown, show(x))
	}
	return fmt.Sprintf(f.words, shown...)
}

// factsOf returns all facts about a mechanism, but its count.
func factsOf(m certify.Mechanism) (facts []fact) {
	switch a := m.Additive; {
	case a != nil:
		return factsOfNoise(a)
	case m.Sampled != nil:
		return factsOfSampled(m.Sampled)
	case m.Losses != nil:
		for i, x := range m.Losses.List() {
			facts = append(facts, fact{fmt.Sprintf("loss %d of %%s with the mass %%s", i+1), x[:]})
		}
		order := map[bool]string{false: "(P, Q)", true: "(Q, P)"}[m.Losses.IsReversed()]
		return append(facts, fact{words: "losses for neighbours " + order})
	case m.Law != nil:
		for i, o := range m.Law {
			facts = append(facts, fact{fmt.Sprintf("[%%s, %%s] as output %d of a law", i+1), o[:]})
		}
		return facts
	}
	if m.IsRange {
		return []fact{{"(bounded range " + map[bool]string{false: "%s)", true: "ln %s)"}[m.Eps.Log], []*big.Rat{m.Eps.Value}}}
	}
	words := "(%s, %s)"
	if m.Eps.Log {
		words = "(ln %s, %s)"
	}
	return []fact{{words, []*big.Rat{m.Eps.Value, m.Delta}}}
}

// factsOfSampled returns those of what sees one sample.
func factsOfSampled(s *certify.Sampled) []fact {
	words := "sampling %s for all of several"
	if s.Added {
		words += ", P₀ without the record"
	}
	facts := []fact{{words, []*big.Rat{s.Rate}}}
	for i, m := range s.Mechanisms() {
		for _, f := range factsOf(m) {
			facts = append(facts, fact{fmt.Sprintf("%s as mechanism %d of a sample", f.words, i+1), f.numbers})
		}
		facts = append(facts, fact{words: fmt.Sprintf("%d of mechanism %d of a sample", m.Count, i+1)})
	}
	return facts
}

// factsOfNoise returns those about noise: first all but what is added.
func factsOfNoise(a *certify.Additive) []fact {
	words := fmt.Sprintf("(%s noise of %%s times the sensitivity, sampling %%s", a.Noise)
	if a.Adds != nil {
		words += fmt.Sprintf(", adding one of %d amounts", len(a.Adds))
	}
	if a.Group > 1 {
		words += fmt.Sprintf(", for groups of %d", a.Group)
	}
	if a.MaxBatch > 0 {
		words += fmt.Sprintf(", at most %d of %d records", a.MaxBatch, a.Records)
	}
	if a.Replaced {
		words += ", for a record that is replaced"
	}
	if a.Added {
		words += ", P₀ without the record"
	}
	facts := []fact{{words + ")", []*big.Rat{a.Scale, a.Sampling}}}
	for i, x := range a.Adds {
		facts = append(facts, fact{fmt.Sprintf("amount %d of %%s with the probability %%s", i+1), x[:]})
	}
	return facts
}

// difference shows what is different in two mechanisms that look the same when they are shown briefly.
func difference(x, y certify.Mechanism) (string, string) {
	long := func(x *big.Rat) string { return report.Clip(report.Typed(x), 80) }
	others := factsOf(y)
	for i, f := range factsOf(x) {
		if i == len(others) {
			break
		}
		if a, b := f.text((*big.Rat).RatString), others[i].text((*big.Rat).RatString); a != b {
			return f.text(long), others[i].text(long)
		}
	}
	return "", ""
}

// shownMechanism shows a mechanism briefly.
func shownMechanism(m certify.Mechanism) string {
	text := ""
	switch {
	case m.Losses != nil:
		text = fmt.Sprintf("(a law of %d losses)", len(m.Losses.List()))
	case m.Sampled != nil:
		text = shownSampled(m.Sampled)
	case m.Law != nil:
		text = fmt.Sprintf("(a law of %s)", report.Plural(len(m.Law), "output"))
	default:
		text = factsOf(m)[0].text(brief)
	}
	return fmt.Sprintf("%d × %s", m.Count, text)
}

// shownSampled shows what sees one sample.
func shownSampled(s *certify.Sampled) string {
	const most = 3
	var texts []string
	inner := s.Mechanisms()
	for _, m := range inner[:min(most, len(inner))] {
		texts = append(texts, shownMechanism(m))
	}
	if n := len(inner) - most; n > 0 {
		texts = append(texts, fmt.Sprintf("%d more", n))
	}
	who := ""
	if s.Added {
		who = ", P₀ without the record"
	}
	return fmt.Sprintf("(sampling %s for all of %s%s)", brief(s.Rate), strings.Join(texts, ", "), who)
}
