package mechanisms

import (
	"context"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/audit"
)

const exactNoise = "Canonne, Kamath and Steinke 2020 (docs/exact-noise.md)"

func discreteLaplace() Mechanism {
	return Mechanism{
		Name: "discrete-laplace", Title: "discrete Laplace mechanism for one count, drawn exactly", Source: exactNoise,
		Claims:   []string{"dp"},
		defaults: Params{Eps: one, Delta: new(big.Rat), Noise: one, Implementation: "impl"},
		make:     discreteLaplaceCase,
	}
}

// discreteLaplaceCase has f(x) = 0 or 1. An output up to 0 is e^(ε/noise) times as likely for 0 as it is for 1, and
// one from 1 on for 1: the two events have the law of randomized response, and there are no other losses.
func discreteLaplaceCase(p Params) (*Case, error) {
	eps := quo(p.Eps, p.Noise)
	r, err := newResponse(eps, new(big.Rat))
	if err != nil {
		return nil, err
	}
	input := func(f int64) string { return text(f) }
	run := func(f int64) program {
		return wholeProgram(func(list []int64, n int, noise impl.RandomNoise) ([]int64, error) {
			if p.Implementation == "impl" {
				return impl.AppendDiscreteLaplace(list, []int64{f}, one, eps, n, noise)
			}
			return appendWhole(list, n, func() ([]*big.Int, error) {
				return spec.DiscreteLaplaceMechanism([]*big.Int{big.NewInt(f)}, one, eps, impl.Coins{Source: noise})
			})
		})
	}
	return &Case{
		Claim: p.dp(),
		Pairs: []audit.Pair{pair(0, 1, input, run)},
		Laws: func(context.Context) ([]audit.Law, error) {
			law := audit.Law{Inputs: [2]string{"0", "1"}, Complete: true}
			for i, name := range []string{"# ≤ 0", "# ≥ 1"} {
				cell := audit.Cell{Name: name, P: [2]interval.Interval{r.p[0][1+i], r.p[1][1+i]}}
				law.Cells = append(law.Cells, cell.WithLoss(r.loss[1+i], r.loss[1+i]))
			}
			return []audit.Law{law}, nil
		},
	}, nil
}

// wholeProgram runs a mechanism whose output is a whole number: one that appends n of them.
func wholeProgram(run func(list []int64, n int, noise impl.RandomNoise) ([]int64, error)) program {
	return func(n int, noise impl.RandomNoise, s *audit.Sample) error {
		list, err := run(nil, n, noise)
		if err != nil {
			return err
		}
		g := s.Group("", audit.Number)
		for _, x := range list {
			g.Add(float64(x))
		}
		return nil
	}
}

// appendWhole appends the outputs of n runs with one number each.
func appendWhole(list []int64, n int, run func() ([]*big.Int, error)) ([]int64, error) {
	for range n {
		output, err := run()
		if err != nil {
			return nil, err
		}
		list = append(list, output[0].Int64())
	}
	return list, nil
}
