package main

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

// requireAll returns an error unless all claims are about the problems of a file, and all of these are claimed: for each of the
// charges, those of the orders of neighbours, or of one of them. For OptDel to be more than something, one order is enough.
func requireAll(claims []*certificate.Claim, name string, charged [][]certify.Problem, isOne bool) error {
	claimed := make([][]*certificate.Claim, len(charged))
	for i, c := range claims {
		var first error
		known := slices.IndexFunc(charged, func(orders []certify.Problem) bool {
			return slices.ContainsFunc(orders, func(p certify.Problem) bool {
				err := requireSame(c.Problem, p)
				if _, isNear := errors.AsType[*otherStops](err); isNear || first == nil {
					first = err
				}
				return err == nil
			})
		})
		if known < 0 {
			return fmt.Errorf("claim %d is not about %s: %w", i+1, name, first)
		}
		claimed[known] = append(claimed[known], c)
	}
	for i, orders := range charged {
		isMore := !slices.ContainsFunc(claimed[i], func(c *certificate.Claim) bool { return c.MoreThan == nil || c.AtMost != nil })
		isUnclaimed := func(p certify.Problem) bool {
			return !slices.ContainsFunc(claimed[i], func(c *certificate.Claim) bool { return requireSame(c.Problem, p) == nil })
		}
		if !isMore && !(isOne && len(claimed[i]) > 0) && slices.ContainsFunc(orders, isUnclaimed) {
			return fmt.Errorf("there is no claim about %s for neighbours in one of their orders", name)
		}
	}
	return nil
}

// compositions returns the problems of a file with the charges of compositions, which stop at the end only: for each of those that
// claims have, or, if none has one stop, with that of the file.
func compositions(claims []*certificate.Claim, orders []certify.Problem) (charged [][]certify.Problem) {
	var stops [][]certify.Stop
	for _, c := range claims {
		isSameCharge := func(known []certify.Stop) bool { return isSame(known[0].Eps, c.Problem.Stops[0].Eps) }
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
			one[i].Stops = stop
		}
		charged = append(charged, one)
	}
	return charged
}

// key is the same for two problems if and only if they are, as [requireSame] has it.
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

// otherStops is that two problems have the same mechanisms and other stops.
type otherStops struct{ text string }

func (e *otherStops) Error() string { return e.text }

// requireSame returns an error if a claim is about another problem than p, with what is different first.
func requireSame(c, p certify.Problem) error {
	claimed, wanted := c.Grouped().Mechanisms, p.Grouped().Mechanisms
	for i := range max(len(claimed), len(wanted)) {
		if i < len(claimed) && i < len(wanted) && claimed[i].Count == wanted[i].Count && claimed[i].Key() == wanted[i].Key() {
			continue
		}
		x, y := "nothing", "nothing"
		if i < len(claimed) {
			x = shownMechanism(claimed[i])
		}
		if i < len(wanted) {
			y = shownMechanism(wanted[i])
		}
		if x == y {
			x, y = difference(claimed[i], wanted[i])
		}
		return fmt.Errorf("its mechanisms are others: it has %s where the problem has %s, in entry %d", x, y, i+1)
	}
	if len(c.Stops) != len(p.Stops) {
		return &otherStops{fmt.Sprintf("it has %s, the problem %d", report.Plural(len(c.Stops), "stop"), len(p.Stops))}
	}
	for i := range c.Stops {
		if c.Stops[i].After != p.Stops[i].After || !isSame(c.Stops[i].Eps, p.Stops[i].Eps) {
			return &otherStops{fmt.Sprintf("its stop %d is another: it charges %s after %d, the problem %s after %d", i+1,
				shownEps(c.Stops[i].Eps), c.Stops[i].After, shownEps(p.Stops[i].Eps), p.Stops[i].After)}
		}
	}
	return nil
}

// difference shows what is different in two mechanisms that look the same when they are shown briefly.
func difference(x, y certify.Mechanism) (string, string) {
	for i, o := range x.Law {
		if p := y.Law[i]; o[0].Cmp(p[0]) != 0 || o[1].Cmp(p[1]) != 0 {
			show := func(o [2]*big.Rat) string {
				return fmt.Sprintf("[%s, %s] as output %d of a law", report.Clip(report.Typed(o[0]), 80), report.Clip(report.Typed(o[1]), 80), i+1)
			}
			return show(o), show(p)
		}
	}
	if a, b := x.Additive, y.Additive; a != nil {
		show := func(a *certify.Additive) string {
			return fmt.Sprintf("noise of %s times the sensitivity, sampling %s, added %t", report.Clip(report.Typed(a.Scale), 80), report.Clip(report.Typed(a.Sampling), 80), a.Added)
		}
		return show(a), show(b)
	}
	if l := x.Losses; l != nil {
		return differenceOfLosses(l, y.Losses)
	}
	show := func(m certify.Mechanism) string {
		return fmt.Sprintf("(%s, %s)", report.Clip(report.Typed(m.Eps.Value), 80), report.Clip(report.Typed(m.Delta), 80))
	}
	return show(x), show(y)
}

func differenceOfLosses(l, m *certify.Losses) (string, string) {
	other := m.List()
	for i, x := range l.List() {
		if y := other[i]; x[0].Cmp(y[0]) != 0 || x[1].Cmp(y[1]) != 0 {
			show := func(x [2]*big.Rat) string {
				return fmt.Sprintf("loss %d of %s with the mass %s", i+1, report.Clip(report.Typed(x[0]), 80), report.Clip(report.Typed(x[1]), 80))
			}
			return show(x), show(y)
		}
	}
	show := func(l *certify.Losses) string {
		return "losses for neighbours " + map[bool]string{false: "(P, Q)", true: "(Q, P)"}[l.IsReversed()]
	}
	return show(l), show(m)
}

func isSame(x, y certify.Number) bool { return x.Log == y.Log && x.Value.Cmp(y.Value) == 0 }

func shownMechanism(m certify.Mechanism) string {
	if a := m.Additive; a != nil {
		order := ""
		if a.Added {
			order = ", P₀ without the record"
		}
		return fmt.Sprintf("%d × (%s noise of %s times the sensitivity, sampling %s%s)", m.Count, a.Noise, brief(a.Scale), brief(a.Sampling), order)
	}
	if m.Losses != nil {
		return fmt.Sprintf("%d × (a law of %d losses)", m.Count, len(m.Losses.List()))
	}
	if m.Law != nil {
		return fmt.Sprintf("%d × (a law of %s)", m.Count, report.Plural(len(m.Law), "output"))
	}
	return fmt.Sprintf("%d × (%s, %s)", m.Count, shownEps(m.Eps), brief(m.Delta))
}
