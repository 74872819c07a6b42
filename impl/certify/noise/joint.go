package noise

import (
	"math"
	"math/big"
	"strconv"
)

// Joint returns Gaussian noise of which so many mechanisms together release as much as these, all of them
// [Additive.IsPlain]: that with the mean of their 1/σ². The loss of a run of such noise is normal, with a mean and a
// variance that the sum of these tells. It is nil if that is too long a number.
func Joint(parts []Part) (a *Additive, count int) {
	var squares []*big.Rat
	for _, p := range parts {
		squares = append(squares, p.Continuous.(*Additive).squares(p.Count))
		count += p.Count
	}
	sum, denominator, err := SumOf(squares)
	if err != nil {
		return nil, 0
	}
	square := new(big.Rat).SetFrac(sum, denominator.Mul(denominator, big.NewInt(int64(count))))
	x, _ := square.Float64()
	scale, _ := new(big.Rat).SetString(strconv.FormatFloat(1/math.Sqrt(x), 'g', 12, 64))
	return &Additive{Noise: Gaussian, Scale: scale, Sampling: big.NewRat(1, 1), Square: square}, count
}

// squareFault returns the rule that Square breaks; empty if there is none.
func (a *Additive) squareFault() string {
	switch {
	case a.Square == nil:
		return ""
	case a.Noise != Gaussian || a.Adds != nil || a.members() > 1 || a.IsExchanged() || a.IsRandom():
		return "square is given, must be for gaussian noise without sampling, adds or a group"
	case a.Square.Sign() <= 0:
		return "square must be above 0"
	}
	const near = 1e-9
	both := new(big.Rat).Mul(a.Square, new(big.Rat).Mul(a.Scale, a.Scale))
	if x, _ := both.Float64(); !(math.Abs(x-1) <= near) {
		return "square must be about 1/scale²"
	}
	return ""
}
