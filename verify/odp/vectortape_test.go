package odp

import "checkrr/verify/register"

// vectorTape are draws that two programs can be run on.
type vectorTape struct{ register.Dice }

func (x vectorTape) Laplace(scale float64) float64 { return scale * float64(x.Roll(2001)-1000) / 300 }

func (x vectorTape) Gamma(shape, scale float64) float64 {
	return scale * shape * float64(1+x.Roll(1000)) / 400
}

func (x vectorTape) Direction(d int) []float64 {
	u := make([]float64, d)
	u[x.Roll(d)] = float64(2*x.Roll(2) - 1)
	return u
}
