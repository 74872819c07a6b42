package audit

import (
	"context"

	"checkrr/impl/noise"
)

// laplaceSampler adds Laplace noise to a number.
type laplaceSampler struct{ at, scale float64 }

func (l laplaceSampler) Sample(_ context.Context, n int, seed [32]byte, s *Sample) error {
	random := noise.New(seed)
	g := s.Group("", Number)
	for range n {
		g.Add(l.at + random.Laplace(l.scale))
	}
	return nil
}
