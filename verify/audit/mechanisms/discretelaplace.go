package mechanisms

import (
	"math/big"

	"checkrr/impl/noise"
	"checkrr/verify/audit"
)

const exactNoise = "Canonne, Kamath and Steinke 2020 (docs/exact-noise.md)"

func discreteLaplace() Mechanism {
	return Mechanism{
		Name: "discrete-laplace", Title: "discrete Laplace mechanism for one count, drawn exactly", Source: exactNoise,
		defaults: Params{Eps: one, Delta: new(big.Rat), Noise: one},
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
	run := func(f int) program {
		return wholeProgram(func(n int, random noise.Random) ([]int64, error) {
			return noise.AppendDiscreteLaplace(nil, []int64{int64(f)}, one, eps, n, random)
		})
	}
	return wholeCase(p.dp(), 0, 1, run, func() (cells []audit.Cell, err error) {
		return []audit.Cell{r.cell(1, "# ≤ 0"), r.cell(2, "# ≥ 1")}, nil
	}), nil
}

// wholeProgram draws whole numbers, n at once.
func wholeProgram(run func(n int, random noise.Random) ([]int64, error)) program {
	return func(n int, random noise.Random, s *audit.Sample) error {
		list, err := run(n, random)
		g := s.Group("", audit.Number)
		for _, x := range list {
			g.Add(float64(x))
		}
		return err
	}
}
