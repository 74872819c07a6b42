package impl

// floats is [arithmetic] in float64, rounded to nearest.
type floats struct{}

func (floats) zero() float64                    { return 0 }
func (floats) one() float64                     { return 1 }
func (floats) addMul(sum, x, y float64) float64 { return sum + x*y }
func (floats) assign(_, x float64) float64      { return x }

func (floats) float(x float64) float64 { return x }
func (floats) cmp(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func (floats) atoms(m Mechanism, count int) (first int, mass []float64, only float64) {
	s := latticeStep(randomizedResponse(m), 1, count, 0)
	return s.shift[0], s.mass, s.only
}

func (floats) payoffs(b *box, e charge, _ corner) func([]int) float64 {
	return func(coefficients []int) float64 { return payoff(b.gap(e, coefficients)).float() }
}
