package mechanisms

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/noise"
	"checkrr/verify/audit"
	"checkrr/verify/rat"
)

func numericSparses() []Mechanism {
	return []Mechanism{
		{
			Name: "numeric-sparse", Title: "NumericSparse: Sparse with noisy answers for ⊤; " + rounded,
			Source:   "AFD-A3, AFD-T3.27",
			defaults: Params{Eps: one, Delta: new(big.Rat), C: 2, Queries: 8, Noise: one},
			make:     numericSparseCase,
		},
		{
			Name:     "numeric-sparse-reused",
			Title:    "NumericSparse that prints what it compared; " + rounded,
			Source:   "AFD-A3",
			Wrong:    "⊤ comes with the noisy answer of the comparison, not with fresh noise: not private for any ε",
			defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 10},
			make:     reusedCase,
		},
	}
}

// reusedCase has one ⊤, at last, and answers that all rise. ⊥ is likelier where they are lower, the more so the lower
// the noisy threshold is; and what is printed is above that. Samples show it best with the last answer a quarter of
// the scale of the noise or half of it above the threshold, and the others below it.
func reusedCase(p Params) (*Case, error) {
	p.C, p.Noise = 1, one
	first, _ := numericScales(p)
	last := int(max(1, float(first)))
	answers := func(rise int) []int { return append(level(p.Queries-1, rise-(last+1)/2), rise+last) }
	v := vector{
		Params:     p,
		law:        impl.SparseVectorLaw{RhoScale: first, NuScale: mul(whole(2), first), Cutoff: 1},
		neighbours: [][2][]int{{answers(0), answers(1)}},
		printed:    true,
	}
	c := v.dpCase()
	// here an answer loses all that it can, but too seldom for samples
	v.neighbours = append(v.neighbours, up(p.Queries))
	c.Laws = v.dpCase().Laws
	return c, nil
}

// numericScales returns σ(ε_1) and σ(ε_2) of NumericSparse for δ = 0: 2c/ε_1 and 2c/ε_2, ε_1 = (8/9)ε and ε_2 = (2/9)ε.
func numericScales(p Params) (first, second *big.Rat) {
	all := quo(mul(whole(2*p.C), p.Noise), p.Eps)
	return mul(all, big.NewRat(9, 8)), mul(all, big.NewRat(9, 2))
}

// numericSparse is NumericSparse, whose lists of ⊥ and numbers have the law of Sparse and then of Laplace noise.
type numericSparse struct {
	vector
	valueScale *big.Rat // of the noise on what is printed
}

func numericSparseCase(p Params) (*Case, error) {
	first, second := numericScales(p)
	m := numericSparse{vector{
		Params:     p,
		law:        impl.SparseVectorLaw{RhoScale: first, NuScale: mul(whole(2), first), Cutoff: 1},
		redraw:     true,
		neighbours: [][2][]int{up(p.Queries), upAndDown(p.Queries)},
	}, second}
	return m.dpCase(), nil
}

// dpCase is for a claim of DP. For δ > 0 the scales are no rational numbers, and the law is not computed.
func (m numericSparse) dpCase() *Case {
	c := caseOf(m.dp(), func(answers []int) program { return m.program(floats(answers)) }, m.lawOf, m.neighbours...)
	c.addLaws(min(m.C, m.Queries)+1, m.searched)
	if m.Delta.Sign() > 0 {
		c.Laws = nil
	}
	return c
}

// program draws lists.
func (m numericSparse) program(answers []float64) program {
	eps, delta := float(quo(m.Eps, m.Noise)), float(m.Delta)
	return listProgram(audit.Number, false, func(random noise.Source, numbers []float64) (pattern, []float64, error) {
		output, err := impl.NumericSparse(answers, ask, 0, m.C, eps, delta, random)
		p := noOutputs
		for _, x := range output {
			if p = p.and(x.Above); x.Above {
				numbers = append(numbers, round(x.Value))
			}
		}
		return p, numbers, err
	})
}

// searched has the run of Sparse that loses most, and numbers on the side of both answers where they lose, too.
func (m numericSparse) searched(above int) (audit.Law, error) {
	inputs, p, err := m.worstRun(above)
	if err != nil {
		return audit.Law{}, err
	}
	cell, err := m.cell(inputs, p, m.dp(), segments{})
	if err != nil {
		return audit.Law{}, err
	}
	cell.Name = p.shape(audit.Number).String()
	for i, above := range p.list() {
		if !above {
			continue
		}
		answers := [2]*big.Rat{inputs[0][i], inputs[1][i]}
		cuts, side := []*big.Rat{add(rat.Max(answers[0], answers[1]), halfGrid)}, 1
		if answers[0].Cmp(answers[1]) < 0 {
			cuts, side = []*big.Rat{sub(rat.Min(answers[0], answers[1]), halfGrid)}, 0
		}
		cell.Name += ", " + rangeName("#", cuts, halfGrid, side)
		for b, answer := range answers {
			cells, err := impl.LaplaceCells(answer, m.valueScale, cuts)
			if err != nil {
				return audit.Law{}, err
			}
			cell.P[b] = lawBits.Mul(cell.P[b], cells[side])
		}
	}
	return audit.Law{Inputs: [2]string{decimals(inputs[0]), decimals(inputs[1])}, Cells: []audit.Cell{cell}}, nil
}

// lawOf has all outputs if their cells are not too many, otherwise the list with ⊥ where answers rise and any number
// where they fall. What is printed has a loss for itself, so that a cell is a list with ranges for its numbers.
func (m numericSparse) lawOf(n [2][]int) (audit.Law, error) {
	law := audit.Law{Complete: true}
	all := outcomes(len(n[0]), m.C, mostOutcomes)
	if cells := m.cellsOf(all); cells == 0 || cells > mostOutcomes {
		all, law.Complete = []pattern{m.worst(n)}, false
	}
	known := segments{}
	for _, p := range all {
		cell, err := m.cell([2][]*big.Rat{rationals(n[0]), rationals(n[1])}, p, m.dp(), known)
		if err != nil {
			return audit.Law{}, err
		}
		cell.Name = p.shape(audit.Number).String()
		if !law.Complete {
			law.Cells = append(law.Cells, cell)
			continue
		}
		split, err := m.split(cell, p, n)
		if err != nil {
			return audit.Law{}, err
		}
		law.Cells = append(law.Cells, split...)
	}
	return law, nil
}

// cellsOf returns how many cells lists have: a number has three ranges.
func (m numericSparse) cellsOf(all []pattern) int {
	cells := 0
	for _, p := range all {
		times := 1
		for range p.above() {
			times *= 3
		}
		cells += times
	}
	return cells
}

// split divides the cell of a list by the ranges of its numbers.
func (m numericSparse) split(cell audit.Cell, p pattern, n [2][]int) ([]audit.Cell, error) {
	loss, err := impl.LogRatio(cell.P[0], cell.P[1])
	if err != nil {
		return nil, err
	}
	low, high := loss.Rats()
	cells := []audit.Cell{cell.WithLoss(low, high)}
	for i, above := range p.list() {
		if !above {
			continue
		}
		ranges, err := m.values(n[0][i], n[1][i])
		if err != nil {
			return nil, err
		}
		var finer []audit.Cell
		for _, c := range cells {
			for _, r := range ranges {
				both := audit.Cell{Name: c.Name + ", " + r.Name,
					P: [2]interval.Interval{lawBits.Mul(c.P[0], r.P[0]), lawBits.Mul(c.P[1], r.P[1])}}
				finer = append(finer, both.WithLoss(add(c.Loss[0], r.Loss[0]), add(c.Loss[1], r.Loss[1])))
			}
		}
		cells = finer
	}
	return cells, nil
}

// values returns the ranges of a number that is printed for the answers 0 or 1 more, in either order, or the same.
func (m numericSparse) values(answer, answer2 int) ([]audit.Cell, error) {
	if answer == answer2 {
		return []audit.Cell{audit.ExactCell("#", 0, one, one).WithLoss(new(big.Rat), new(big.Rat))}, nil
	}
	cells, err := laplaceCells("#", m.valueScale, new(big.Rat).Inv(m.valueScale))
	if err != nil {
		return nil, err
	}
	low := whole(min(answer, answer2))
	cuts := []*big.Rat{sub(low, halfGrid), add(add(low, one), halfGrid)}
	for i := range cells {
		c := &cells[i]
		c.Name = rangeName("#", cuts, halfGrid, i)
		if answer > answer2 {
			c.P[0], c.P[1] = c.P[1], c.P[0]
			*c = c.WithLoss(neg(c.Loss[1]), neg(c.Loss[0]))
		}
	}
	return cells, nil
}
