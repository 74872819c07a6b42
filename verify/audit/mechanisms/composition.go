package mechanisms

import (
	"maps"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/audit"
	"checkrr/verify/finite"
)

func compositions() []Mechanism {
	return []Mechanism{
		{
			Name: "odp-composition", Title: "the view of an adversary under ODP composition, ε_t = ln 4",
			Source:   "ODP-A1, ODP-T7",
			defaults: Params{Delta: big.NewRat(1, 1000)},
			make:     compositionCase,
		},
		{
			Name:     "odp-composition-observed",
			Title:    "the view of an adversary if δ is charged as observed",
			Source:   "ODP-X9",
			Wrong:    "a leak is charged δ, and no leak nothing: 2δ − δ²",
			defaults: Params{Eps: one, Delta: big.NewRat(1, 1000)},
			make:     observedCase,
		},
	}
}

// compositionCase has an adversary that first plays a mechanism that says ⊥ at no charge
// half of the time, and otherwise a randomized response at ln 2; and then a randomized
// response with all that is left.
func compositionCase(p Params) (*Case, error) {
	four, first := big.NewRat(4, 1), quo(p.Delta, whole(2))
	left := sub(p.Delta, quo(first, whole(2)))
	a := spec.Adversary{Coins: 1, Choose: func(_ string, outputs []string) spec.Choice {
		switch {
		case len(outputs) == 0:
			return perhaps(big.NewRat(2, 1), first)
		case outputs[0] == spec.Bottom:
			return certain(four, left)
		}
		return certain(big.NewRat(2, 1), left)
	}}
	laws, err := finite.ODPComposition(a, four, p.Delta, 2, spec.TextB)
	if err != nil {
		return nil, err
	}
	return finiteCase(audit.DP(loss.Exp(four), p.Delta),
		[2]map[string]*big.Rat{renamed(laws[0]), renamed(laws[1])}), nil
}

// certain is randomized response.
func certain(expEps, delta *big.Rat) spec.Choice {
	rows := spec.RandomizedResponse(spec.Mechanism{ExpEps: expEps, Delta: delta})
	c := spec.Choice{Part: func(string) int { return 0 }, ExpE: []*big.Rat{expEps}, Delta: delta}
	for b, row := range rows {
		c.Laws[b] = map[string]*big.Rat{}
		for z, pr := range row {
			c.Laws[b][text(z)] = pr
		}
	}
	return c
}

// perhaps is randomized response with heads, and ⊥ with tails.
func perhaps(expEps, delta *big.Rat) spec.Choice {
	c := certain(expEps, delta)
	for b, law := range c.Laws {
		tossed := map[string]*big.Rat{spec.Bottom: big.NewRat(1, 2)}
		for z, pr := range law {
			tossed[z] = quo(pr, whole(2))
		}
		c.Laws[b] = tossed
	}
	c.Delta = quo(delta, whole(2))
	c.ExpE = append(c.ExpE, one)
	c.Part = func(output string) int { return boolInt(output == spec.Bottom) }
	return c
}

// renamed writes views as lists of strings, and leaves the coins out, of which there is one
// toss.
func renamed(law map[string]*big.Rat) map[string]*big.Rat {
	result := map[string]*big.Rat{}
	for view, pr := range law {
		result[text(strings.Split(view, ",")[1:])] = pr
	}
	return result
}

// finiteCase has rational laws with claims of DP.
func finiteCase(claim audit.Claim, laws [2]map[string]*big.Rat) *Case {
	all := map[string]bool{}
	for _, law := range laws {
		for name := range law {
			all[name] = true
		}
	}
	names := slices.Sorted(maps.Keys(all))
	of := func(b int, name string) *big.Rat {
		if p := laws[b][name]; p != nil {
			return p
		}
		return new(big.Rat)
	}
	run := func(b int) program {
		var p []float64
		for _, name := range names {
			p = append(p, float(of(b, name)))
		}
		return tableProgram(namedTable(names, p))
	}
	return wholeCase(claim, 0, 1, run, func() (cells []audit.Cell, err error) {
		for _, name := range names {
			cell := audit.ExactCell(name, 0, of(0, name), of(1, name))
			if cell.Exact[0].Sign() > 0 && cell.Exact[0].Cmp(cell.Exact[1]) == 0 {
				cell = cell.WithLoss(new(big.Rat), new(big.Rat))
			}
			cells = append(cells, cell)
		}
		return cells, nil
	})
}

// observedCase runs a mechanism twice that reveals its input with probability δ, and
// otherwise says ⊥. The accountant charges δ if it sees a leak, and lets nothing more run.
func observedCase(p Params) (*Case, error) {
	var laws [2]map[string]*big.Rat
	rest := sub(one, p.Delta)
	for b, input := range []string{"0", "1"} {
		laws[b] = map[string]*big.Rat{
			text([]string{input}):                    p.Delta,
			text([]string{spec.Bottom, input}):       mul(rest, p.Delta),
			text([]string{spec.Bottom, spec.Bottom}): mul(rest, rest),
		}
	}
	return finiteCase(p.dp(), laws), nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
