package odp

import (
	"math"
	"slices"
)

// script is a noise that gives what it is told to, in units of the scale, and keeps what it was asked for.
type script struct {
	length, laplace float64
	direction       []float64

	shape, scale, laplaceScale float64 // the last that were asked for
	dimension, calls           int
}

func (s *script) Gamma(shape, scale float64) float64 {
	s.shape, s.scale = shape, scale
	s.calls++
	return s.length * scale
}

func (s *script) Direction(d int) []float64 {
	s.dimension = d
	s.calls++
	return slices.Clone(s.direction)
}

func (s *script) Laplace(scale float64) float64 {
	s.laplaceScale = scale
	s.calls++
	return s.laplace * scale
}

// scripted returns a script for d dimensions: a length, and a direction that is along no axis.
func scripted(d int, length, laplace float64) *script {
	s := &script{length: length, laplace: laplace, direction: make([]float64, d)}
	for i := range s.direction {
		s.direction[i] = float64(1+i) * math.Pow(-1, float64(i))
	}
	size := math.Sqrt(sumOf(s.direction, func(c float64) float64 { return c * c }))
	s.direction = each(s.direction, func(c float64) float64 { return c / size })
	return s
}

// near reports whether two vectors differ by no more than a part of their size.
func near(p, q []float64, part float64) bool {
	for i := range p {
		if !(math.Abs(p[i]-q[i]) <= part*(1+math.Abs(q[i]))) {
			return false
		}
	}
	return len(p) == len(q)
}

// isClose reports whether two numbers differ by no more than a part of the second.
func isClose(x, y, part float64) bool { return math.Abs(x-y) <= part*math.Abs(y) }
