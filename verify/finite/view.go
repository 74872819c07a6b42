package finite

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"checkrr/spec"
	"checkrr/verify/rat"
)

// ODPComposition returns the laws of the view that [spec.ODPComposition] returns, for b = 0 and b = 1. A view is
// written with commas between its entries, of which outputs have none.
func ODPComposition(a spec.Adversary, expEpsT, deltaT *big.Rat, rounds int, text spec.Text) (Pair, error) {
	return views(func(b int, draw spec.Draw) ([]string, error) {
		return spec.ODPComposition(a, expEpsT, deltaT, b, rounds, text, draw)
	})
}

// ODPFilterComposition does so for [spec.ODPFilterComposition].
func ODPFilterComposition(a spec.Adversary, filter spec.Filter, rounds int) (Pair, error) {
	return views(func(b int, draw spec.Draw) ([]string, error) {
		return spec.ODPFilterComposition(a, filter, b, rounds, draw)
	})
}

// views runs on every list of draws.
func views(run func(b int, draw spec.Draw) ([]string, error)) (laws Pair, err error) {
	for b := range laws {
		laws[b] = Law{}
		for left := []draws{nil}; len(left) > 0; left = left[1:] {
			t := &branches{first: left[0], pr: rat.One}
			view, err := run(b, t.draw)
			if strings.Contains(strings.Join(view, ""), ",") {
				err = fmt.Errorf("view is %q, must have no comma in an entry", view)
			}
			if err != nil {
				return Pair{}, err
			}
			laws[b][strings.Join(view, ",")] = t.pr
			left = append(left, t.others...)
		}
	}
	return laws, nil
}

// draws are outputs of laws, one after the other.
type draws []string

// branches is a run on given first draws. If it needs more of them, it goes on with the first output of each law,
// and leaves the draws with the others for later.
type branches struct {
	first  draws
	next   int
	pr     *big.Rat // the probability of the draws so far
	others []draws
}

func (t *branches) draw(law map[string]*big.Rat) string {
	if t.next == len(t.first) {
		outputs := slices.Sorted(maps.Keys(law))
		for _, other := range outputs[1:] {
			t.others = append(t.others, append(slices.Clone(t.first), other))
		}
		t.first = append(slices.Clone(t.first), outputs[0])
	}
	output := t.first[t.next]
	t.next++
	t.pr = rat.Mul(t.pr, law[output])
	return output
}
