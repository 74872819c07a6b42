package main

import (
	"fmt"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/certify"
)

// requireSame returns an error if a claim is about another problem than p, with what is different first.
func requireSame(c, p certify.Problem) error {
	claimed, wanted := joined(c.Mechanisms), joined(p.Mechanisms)
	for i := range max(len(claimed), len(wanted)) {
		x, y := "nothing", "nothing"
		if i < len(claimed) {
			x = shownMechanism(claimed[i])
		}
		if i < len(wanted) {
			y = shownMechanism(wanted[i])
		}
		if i >= len(claimed) || i >= len(wanted) || claimed[i].Count != wanted[i].Count || !isEqual(claimed[i], wanted[i]) {
			return fmt.Errorf("its mechanisms are others: it has %s where the problem has %s", x, y)
		}
	}
	for i := range max(len(c.Stops), len(p.Stops)) {
		switch {
		case i >= len(c.Stops) || i >= len(p.Stops):
			return fmt.Errorf("it has %s, the problem %d", report.Plural(len(c.Stops), "stop"), len(p.Stops))
		case c.Stops[i].After != p.Stops[i].After || !isSame(c.Stops[i].Eps, p.Stops[i].Eps):
			return fmt.Errorf("its stop %d is another: it charges %s after %d, the problem %s after %d", i+1,
				shownEps(c.Stops[i].Eps), c.Stops[i].After, shownEps(p.Stops[i].Eps), p.Stops[i].After)
		}
	}
	return nil
}

// joined makes neighbouring entries of equal parameters one.
func joined(ms []certify.Mechanism) (entries []certify.Mechanism) {
	for _, m := range ms {
		if n := len(entries); n > 0 && isEqual(entries[n-1], m) {
			entries[n-1].Count += m.Count
		} else {
			entries = append(entries, m)
		}
	}
	return entries
}

func isEqual(x, y certify.Mechanism) bool { return isSame(x.Eps, y.Eps) && x.Delta.Cmp(y.Delta) == 0 }

func isSame(x, y certify.Number) bool { return x.Log == y.Log && x.Value.Cmp(y.Value) == 0 }

func shownMechanism(m certify.Mechanism) string {
	return fmt.Sprintf("%d × (%s, %s)", m.Count, shownEps(m.Eps), brief(m.Delta))
}
