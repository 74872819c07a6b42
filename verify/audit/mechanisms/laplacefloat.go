package mechanisms

import (
	"math"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/impl/noise"
	"checkrr/verify/audit"
)

func laplaceFloat() Mechanism {
	return Mechanism{
		Name: "laplace-float", Title: "Laplace mechanism by inverse CDF in float64", Source: "Mironov 2012",
		Wrong:    "floating point: most outputs cannot come from the neighbour",
		Bits:     true,
		defaults: Params{Eps: one, Delta: new(big.Rat)},
		make: func(p Params) (*Case, error) {
			run := func(f float64) program { return floatProgram(f, 1/p.eps()) }
			law := func([2]float64) (audit.Law, error) { return floatLaw(1 / p.eps()), nil }
			return caseOf(p.dp(), run, law, [2]float64{0, 1}), nil
		},
	}
}

// inverse returns f + sign·b·ln(j·2^-52): the inverse of the distribution function of
// f + Lap(b) at the lower end of a grid of 2^53 points, two for each j.
func inverse(f, sign, b float64, j uint64) float64 {
	w := b * math.Log(float64(j)*0x1p-52)
	return f + sign*w
}

// floatProgram draws j from 1 to 2^52, and a sign.
func floatProgram(f, b float64) program {
	return func(n int, random noise.Random, s *audit.Sample) error {
		g := s.Group("", audit.Number)
		g.Count += n
		for range n {
			u := random.Uint64()
			sign := 1 - 2*float64(u>>63)
			g.Numbers = append(g.Numbers, inverse(f, sign, b, u&(1<<52-1)+1))
		}
		return nil
	}
}

// floatPoints is how many points of the grid are looked at.
const floatPoints = 1 << 12

// floatLaw has the event that the output y is in (0, 1/2) and no multiple of 2^-53.
//
// It cannot happen for f = 1. Its outputs are round(1 − w) or round(1 + w), where w ≥ 0 is a
// float64, whatever the logarithm is. For w < 1/2 they are at least 1/2, as 1/2 and 1 are
// float64 and rounding is monotone; so is 1 + w. For w > 1 they are negative. For w in [1/2, 1],
// a multiple of 2^-53, 1 − w is one too, and a float64, so it is not rounded.
//
// For f = 0 it happens for those of 2^53 pairs of a sign and a j that are counted: they are
// spread evenly over those with outputs in (0, 1/2).
func floatLaw(b float64) audit.Law {
	count := int64(0)
	first := uint64(math.Exp(-1/(2*b)) * 0x1p52)
	step := (1<<52 - first) / floatPoints
	for i := range uint64(floatPoints) {
		y := inverse(0, -1, b, first+i*step)
		if scaled := y * 0x1p53; y > 0 && y < 0.5 && scaled != math.Trunc(scaled) {
			count++
		}
	}
	least := big.NewRat(count, 1<<53)
	cell := audit.Cell{Name: "0 < # < 0.5, no multiple of 2^-53", P: [2]interval.Interval{
		{Lower: new(big.Float).SetRat(least), Upper: big.NewFloat(1)}, {Lower: new(big.Float), Upper: new(big.Float)}}}
	return audit.Law{Cells: []audit.Cell{cell}}
}
