package main

import (
	"cmp"
	"slices"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
)

// maxNames is how many mechanisms are told apart. Those that come later are counted
// together, so that memory stays bounded.
const maxNames = 1000

// tally counts by mechanism.
type tally struct {
	named  map[string]*impl.Spending
	others impl.Spending
}

func (t *tally) add(e *input.Event) {
	spent := &t.others
	if named, ok := t.named[e.Mechanism]; ok {
		spent = named
	} else if len(t.named) < maxNames {
		if t.named == nil {
			t.named = map[string]*impl.Spending{}
		}
		spent = new(impl.Spending)
		t.named[e.Mechanism] = spent
	}
	var err error
	*spent, err = spent.Add(e.Guarantee, e.Observed)
	report.Must(err) // it was admitted
}

// byEps returns the names, those that spent most first.
func (t *tally) byEps() []string {
	var names []string
	for name := range t.named {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(t.named[y].ODP.Eps.Cmp(t.named[x].ODP.Eps), cmp.Compare(x, y))
	})
	return names
}
