package finite

import (
	"fmt"
	"math/big"
	"strings"

	"checkrr/spec"
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

// views runs on draws that come out in every way.
func views(run func(b int, draw spec.Draw) ([]string, error)) (laws Pair, err error) {
	for b := range laws {
		laws[b] = Law{}
		(&Coins{least: new(big.Rat), empty: true}).goThrough(func(c *Coins) {
			view, failed := run(b, c.outputOf)
			if strings.Contains(strings.Join(view, ""), ",") {
				failed = fmt.Errorf("view is %q, must have no comma in an entry", view)
			}
			if err == nil {
				err = failed
			}
			laws[b].Add(strings.Join(view, ","), c.Pr)
		})
	}
	if err != nil {
		return Pair{}, err
	}
	return laws, nil
}

// outputOf returns a draw from a law.
func (c *Coins) outputOf(law map[string]*big.Rat) string {
	outputs := Law(law).Outputs()
	var probabilities []*big.Rat
	for _, o := range outputs {
		probabilities = append(probabilities, law[o])
	}
	return outputs[c.Of(probabilities)]
}
