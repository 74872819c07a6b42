package mechanisms

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/audit"
)

func noisyMaxima() []Mechanism {
	return []Mechanism{
		{
			Name: "noisy-max", Title: "report noisy max: which of some counts is the largest", Source: "AFD-U2, AFD-C3.9",
			Claims:   []string{"dp"},
			defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 5, Noise: one, Implementation: "impl"},
			make:     noisyMaxCase,
		},
		{
			Name: "noisy-max-value", Title: "the largest of some counts with noise; " + rounded, Source: "Ding et al. 2018, Alg. 7",
			Wrong:    "the value is returned, not its index: n·ε/2",
			Claims:   []string{"dp"},
			defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 5},
			make:     func(p Params) (*Case, error) { return maxValueCase(p, laplaceMaximum, laplaceMaximumLaw) },
		},
		{
			Name: "noisy-max-value-exponential", Title: "the largest of some counts with exponential noise; " + rounded, Source: "Ding et al. 2018, Alg. 8",
			Wrong:    "the value is returned, not its index: not private for any ε",
			Claims:   []string{"dp"},
			defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 5},
			make:     func(p Params) (*Case, error) { return maxValueCase(p, exponentialMaximum, exponentialMaximumLaw) },
		},
	}
}

// noisyMaxCase has counts of which the first one rises, all others do, or both; where the
// first one is far behind, its index loses nearly ε.
func noisyMaxCase(p Params) (*Case, error) {
	behind := func(first, others int) []int {
		counts := level(p.Queries, others)
		counts[0] = first
		return counts
	}
	far := int(min(1000, 1+5*float(p.Noise)/p.eps()))
	neighbours := [][2][]int{
		{behind(0, 0), behind(1, 0)},
		{behind(0, far), behind(1, far)},
		{behind(0, far-1), behind(0, far)},
	}
	scale := quo(p.Noise, p.Eps)
	c := &Case{Claim: p.dp()}
	for _, n := range neighbours {
		run := func(counts []int) program { return noisyMaxProgram(floats(counts), 1/float(scale), p.Implementation) }
		c.Pairs = append(c.Pairs, pair(n[0], n[1], func(counts []int) string { return text(counts) }, run))
	}
	c.Laws = func(ctx context.Context) ([]audit.Law, error) {
		var laws []audit.Law
		for _, n := range neighbours {
			l, err := noisyMaxLaw(n, scale)
			if err := errors.Join(err, ctx.Err()); err != nil {
				return nil, err
			}
			laws = append(laws, l)
		}
		return laws, nil
	}
	return c, nil
}

// indexShape writes an index as an output that is no number.
func indexShape(i int) string { return strconv.Quote(strconv.Itoa(i)) }

func noisyMaxProgram(counts []float64, eps float64, implementation string) program {
	return func(n int, noise impl.RandomNoise, s *audit.Sample) error {
		times := make([]int, len(counts))
		for range n {
			var i int
			var err error
			if implementation == "spec" {
				i, err = spec.ReportNoisyMax(counts, eps, noise)
			} else {
				i, err = impl.ReportNoisyMax(counts, eps, noise)
			}
			if err != nil {
				return err
			}
			times[i]++
		}
		for i, k := range times {
			if k > 0 {
				s.Group("", indexShape(i), 0).Count += k
			}
		}
		return nil
	}
}

// noisyMaxLaw is a law of comparisons: i wins if c_j + r_j < c_i + r_i for all others, which
// is ⊥ for all of them with the threshold c_i and its noise r_i.
func noisyMaxLaw(n [2][]int, scale *big.Rat) (audit.Law, error) {
	law := audit.Law{Inputs: [2]string{text(n[0]), text(n[1])}, Complete: true}
	noise := impl.SparseVectorLaw{RhoScale: scale, NuScale: scale}
	for i := range n[0] {
		cell := audit.Cell{Name: indexShape(i)}
		for b, counts := range n {
			var run []impl.Comparison
			for j, count := range counts {
				if j != i {
					run = append(run, impl.Comparison{Query: whole(count), Threshold: whole(counts[i])})
				}
			}
			var err error
			if cell.P[b], err = noise.Probability(run, relWidth); err != nil {
				return audit.Law{}, err
			}
		}
		law.Cells = append(law.Cells, cell)
	}
	return law, nil
}

// maxValueCase has n counts of 1 against n counts of 2, with noise of scale 2/ε.
func maxValueCase(p Params, draw func(count, scale float64, n int, noise impl.RandomNoise) float64, cell func(p Params, scale *big.Rat) (audit.Cell, error)) (*Case, error) {
	scale := quo(whole(2), p.Eps)
	run := func(count int) program {
		return func(n int, noise impl.RandomNoise, s *audit.Sample) error {
			g := s.Group("", "#", 1)
			for range n {
				g.Add(round(draw(float64(count), float(scale), p.Queries, noise)))
			}
			return nil
		}
	}
	name := func(count int) string { return text(level(p.Queries, count)) }
	return &Case{
		Claim: p.dp(),
		Pairs: []audit.Pair{pair(1, 2, name, run)},
		Laws: func(context.Context) ([]audit.Law, error) {
			c, err := cell(p, scale)
			return []audit.Law{{Inputs: [2]string{name(1), name(2)}, Cells: []audit.Cell{c}}}, err
		},
	}, nil
}

func laplaceMaximum(count, scale float64, n int, noise impl.RandomNoise) float64 {
	largest := count + noise.Laplace(scale)
	for range n - 1 {
		largest = max(largest, count+noise.Laplace(scale))
	}
	return largest
}

func exponentialMaximum(count, scale float64, n int, noise impl.RandomNoise) float64 {
	largest := 0.0
	for range n {
		largest = max(largest, scale*noise.ExpFloat64())
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
		cell.P[b] = power(cells[0], p.Queries)
	}
	loss := quo(whole(p.Queries), scale)
	return cell.WithLoss(loss, loss), nil
}

// exponentialMaximumLaw has the event that all are below 2, (1 − e^(−1/scale))^n for 1^n,
// but for rounding, and 0 for 2^n.
func exponentialMaximumLaw(p Params, scale *big.Rat) (audit.Cell, error) {
	up, err := loss.Nats(quo(sub(one, halfGrid), scale)).Factor()
	if err != nil {
		return audit.Cell{}, fmt.Errorf("internal error: %w", err)
	}
	below := image(up, func(x *big.Rat) *big.Rat { return sub(one, new(big.Rat).Inv(x)) })
	return audit.Cell{Name: "# < 2", P: [2]interval.Interval{power(below, p.Queries), exactly(new(big.Rat))}}, nil
}
