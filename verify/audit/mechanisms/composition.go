package mechanisms

import (
	"math/big"
	"strings"

	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/audit"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
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
	return finiteCase(audit.DP(loss.Exp(four), p.Delta), finite.Pair{renamed(laws[0]), renamed(laws[1])}), nil
}

// certain is randomized response.
func certain(expEps, delta *big.Rat) spec.Choice {
	return spec.Choice{Laws: spec.ResponseLaw([]spec.Mechanism{{ExpEps: expEps, Delta: delta}}),
		Part: func(string) int { return 0 }, ExpE: []*big.Rat{expEps}, Delta: delta}
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
func renamed(law finite.Law) finite.Law {
	result := finite.Law{}
	for view, pr := range law {
		result[text(strings.Split(view, ",")[1:])] = pr
	}
	return result
}

// finiteCase has rational laws with claims of DP.
func finiteCase(claim audit.Claim, laws finite.Pair) *Case {
	names := laws.Outputs()
	p, q := laws.Dense()
	run := func(b int) program { return tableProgram(names, rat.Floats([2][]*big.Rat{p, q}[b])) }
	return wholeCase(claim, 0, 1, run, func() (cells []audit.Cell, err error) {
		for i, name := range names {
			cell := audit.ExactCell(name, 0, p[i], q[i])
			if p[i].Sign() > 0 && rat.Equal(p[i], q[i]) {
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
	var laws finite.Pair
	rest := sub(one, p.Delta)
	for b, input := range []string{"0", "1"} {
		laws[b] = finite.Law{
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
