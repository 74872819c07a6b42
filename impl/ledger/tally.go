package ledger

import (
	"cmp"
	"maps"
	"slices"
)

// MaxTallied is how many mechanisms a [Tally] tells apart. Those that come later are counted together, so that memory
// stays bounded.
const MaxTallied = 1000

// Tally is what each mechanism of a ledger spent.
type Tally struct {
	Named  map[string]Spending // nil if there is none
	Others Spending
}

// Add counts an output of a mechanism.
func (t *Tally) Add(name string, g Guarantee, observed string) (err error) {
	named, isKnown := t.Named[name]
	if !isKnown && len(t.Named) >= MaxTallied {
		t.Others, err = t.Others.Add(g, observed)
		return err
	}
	if t.Named == nil {
		t.Named = map[string]Spending{}
	}
	t.Named[name], err = named.Add(g, observed)
	return err
}

// ByEps returns the names, those that spent most first.
func (t *Tally) ByEps() []string {
	return slices.SortedFunc(maps.Keys(t.Named), func(x, y string) int {
		return cmp.Or(t.Named[y].ODP.Eps.Cmp(t.Named[x].ODP.Eps), cmp.Compare(x, y))
	})
}
