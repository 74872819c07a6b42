package mechanisms

import (
	"fmt"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
	"checkrr/verify/audit"
)

func noisyMaxima() []Mechanism {
	return []Mechanism{
		{
			Name:     "noisy-max",
			Title:    "report noisy max: which of some counts is the largest",
			Source:   "AFD-U2, AFD-C3.9",
			defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 5, Noise: one},
			make:     noisyMaxCase,
		},
		{
			Name: "noisy-max-value", Title: "the largest of some counts with noise; " + rounded,
			Source:   "Ding et al. 2018, Alg. 7",
			Wrong:    "the value is returned, not its index: n·ε/2",
			defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 5},
			make: func(p Params) (*Case, error) {
				if err := p.enoughQueries(3, "of fewer counts the claim is true"); err != nil {
					return nil, err
				}
				return maxValueCase(p, laplaceMaximum, laplaceMaximumLaw)
			},
		},
		{
			Name: "noisy-max-value-exponential", Title: "the largest of some counts with exponential noise; " + rounded,
			Source:   "Ding et al. 2018, Alg. 8",
			Wrong:    "the value is returned, not its index: not private for any ε",
			defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 5},
			make: func(p Params) (*Case, error) {
				return maxValueCase(p, exponentialMaximum, exponentialMaximumLaw)
			},
		},
	}
}

// noisyMaxCase has counts of which the first one rises, or all others do.
func noisyMaxCase(p Params) (*Case, error) {
	scale := quo(p.Noise, p.Eps)
	eps := 1 / float(scale)
	s := selector{Params: p, neighbours: firstRises(p.Queries, p.far(5))}
	s.choose = func(counts []float64, random noise.Source) (int, error) {
		return impl.ReportNoisyMax(counts, eps, random)
	}
	s.law = func(counts []int) ([]interval.Interval, error) { return noisyMaxLaw(counts, scale) }
	return s.dpCase(), nil
}

// noisyMaxLaw is a law of comparisons: i wins if c_j + r_j < c_i + r_i for all others, which
// is ⊥ for all of them with the threshold c_i and its noise r_i.
func noisyMaxLaw(counts []int, scale *big.Rat) ([]interval.Interval, error) {
	random := impl.SparseVectorLaw{RhoScale: scale, NuScale: scale}
	var law []interval.Interval
	for i := range counts {
		var run []impl.Comparison
		for j, count := range counts {
			if j != i {
				run = append(run, impl.Comparison{Query: whole(count), Threshold: whole(counts[i])})
			}
		}
		p, err := random.Probability(run, relWidth)
		if err != nil {
			return nil, err
		}
		law = append(law, p)
	}
	return law, nil
}

// maxValueCase has n counts of 1 against n counts of 2, with noise of scale 2/ε.
func maxValueCase(p Params, draw func(count, scale float64, n int, random noise.Random) float64,
	cell func(p Params, scale *big.Rat) (audit.Cell, error)) (*Case, error) {
	scale := quo(whole(2), p.Eps)
	run := func(counts []int) program {
		return func(n int, random noise.Random, s *audit.Sample) error {
			g := s.Group("", audit.Number)
			for range n {
				g.Add(round(draw(float64(counts[0]), float(scale), p.Queries, random)))
			}
			return nil
		}
	}
	law := func([2][]int) (audit.Law, error) {
		c, err := cell(p, scale)
		return audit.Law{Cells: []audit.Cell{c}}, err
	}
	return caseOf(p.dp(), run, law, [2][]int{level(p.Queries, 1), level(p.Queries, 2)}), nil
}

func laplaceMaximum(count, scale float64, n int, random noise.Random) float64 {
	largest := count + random.Laplace(scale)
	for range n - 1 {
		largest = max(largest, count+random.Laplace(scale))
	}
	return largest
}

func exponentialMaximum(count, scale float64, n int, random noise.Random) float64 {
	largest := 0.0
	for range n {
		largest = max(largest, scale*random.ExpFloat64())
	}
	return count + largest
}

// laplaceMaximumLaw has the event that all are below 1: its probability is e^(−nd)/2^n,
// d = 1/scale or 2/scale, but for what rounding adds, and the loss of each point is n/scale.
func laplaceMaximumLaw(p Params, scale *big.Rat) (audit.Cell, error) {
	cell := audit.Cell{Name: "# < 1"}
	for b, mean := range []*big.Rat{one, whole(2)} {
		cells, err := impl.LaplaceCells(mean, scale, []*big.Rat{sub(one, halfGrid)})
		if err != nil {
			return audit.Cell{}, err
		}
		cell.P[b] = lawBits.Power(cells[0], p.Queries)
	}
	loss := quo(whole(p.Queries), scale)
	return cell.WithLoss(loss, loss), nil
}

// exponentialMaximumLaw has the event that all are below 2, (1 − e^(−1/scale))^n for 1^n,
// but for rounding, and 0 for 2^n.
func exponentialMaximumLaw(p Params, scale *big.Rat) (audit.Cell, error) {
	up, err := loss.Factor(loss.Nats(quo(sub(one, halfGrid), scale)))
	if err != nil {
		return audit.Cell{}, fmt.Errorf("internal error: %w", err)
	}
	below := image(up, func(x *big.Rat) *big.Rat { return sub(one, new(big.Rat).Inv(x)) })
	return audit.Cell{Name: "# < 2", P: [2]interval.Interval{lawBits.Power(below, p.Queries), lawBits.Int(0)}}, nil
}
