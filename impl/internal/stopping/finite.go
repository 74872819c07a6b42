package stopping

import (
	"context"
	"math"
	"math/big"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// finite is a pair with finitely many losses, of which the distances are known exactly.
type finite struct {
	largest                    *big.Rat
	depths                     []loss.Epsilon
	reach, deviation, infinity float64
	law                        func(count int, cut float64) *pld // of so many mechanisms together
}

// positive returns about x, above 0 if it is.
func positive(x *big.Rat) float64 {
	f := rational.Float64(x)
	if f == 0 && x.Sign() > 0 {
		return math.SmallestNonzeroFloat64
	}
	return f
}

func (f *finite) Largest() *big.Rat                    { return f.largest }
func (f *finite) Depths() []loss.Epsilon               { return f.depths }
func (f *finite) Top(int, float64, float64) *big.Rat   { return nil }
func (f *finite) Reach() float64                       { return f.reach }
func (f *finite) Deviation() float64                   { return f.deviation }
func (f *finite) Infinity() float64                    { return f.infinity }
func (f *finite) Width(count int, cut float64) float64 { return f.law(count, cut).width() }

func (f *finite) PLD(_ context.Context, count int, cut, _ float64) (*pld, error) {
	return f.law(count, cut), nil
}

func (f *finite) LogMoment(lambda, most float64) float64 {
	top, sum, one := rational.Float64(f.largest), 0.0, f.law(1, 0)
	for i, d := range one.depth {
		sum += one.mass[i] * math.Exp(-lambda*max(d, top-most))
	}
	return lambda*top + math.Log(sum)
}

// ofLaw returns the pair whose outputs have these probabilities P and Q, of one mechanism: the law of many has too
// many losses.
func ofLaw(law [][2]*big.Rat) *finite {
	one, ratios := &pld{}, []*big.Rat(nil) // falling
	for _, o := range certify.ByLoss(law) {
		switch {
		case o[1].Sign() == 0:
			one.infinity = positive(o[0])
		case o[0].Sign() > 0:
			ratios, one.mass = append(ratios, new(big.Rat).Quo(o[0], o[1])), append(one.mass, rational.Float64(o[0]))
		}
	}
	if len(ratios) == 0 { // none where both are more than 0
		ratios, one.mass = []*big.Rat{rational.One}, []float64{0}
	}
	f := &finite{infinity: one.infinity, law: func(int, float64) *pld { return one }}
	f.largest, _ = interval.Precision(128).Log(ratios[0]).Upper.Rat(nil)
	one.depth = []float64{0}
	for i, ratio := range ratios[1:] {
		f.depths = append(f.depths, loss.Exp(new(big.Rat).Quo(ratios[0], ratio)))
		one.depth = append(one.depth, loss.Float64(f.depths[i]))
	}
	for _, mass := range one.mass {
		one.finite += mass
	}
	for _, ratio := range []*big.Rat{ratios[0], ratios[len(ratios)-1]} {
		if ratio.Cmp(rational.One) < 0 {
			ratio = new(big.Rat).Inv(ratio)
		}
		f.reach = max(f.reach, loss.Float64(loss.Exp(ratio)))
	}
	f.deviation = one.deviation()
	return f
}

// deviation returns about the standard deviation of a finite loss.
func (l *pld) deviation() float64 {
	sum, mean, square := 0.0, 0.0, 0.0
	for i, mass := range l.mass {
		d := l.depth[i]
		sum, mean, square = sum+mass, mean+mass*d, square+mass*d*d
	}
	if sum == 0 {
		return 0
	}
	return math.Sqrt(max(0, square/sum-mean/sum*(mean/sum)))
}
