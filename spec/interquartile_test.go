package spec

import (
	"math"
	"math/big"
	"testing"
)

func integers(values ...int64) []*big.Rat {
	var x []*big.Rat
	for _, v := range values {
		x = append(x, big.NewRat(v, 1))
	}
	return x
}

// With ε = 1/2 and δ = e^(−1), the threshold is 1 + 2 = 3 and A_1 = A_2 = 1.
func TestPrivateIQR(t *testing.T) {
	t.Parallel()
	x := integers(2, 5)
	base := 1 + 1/math.Ln2
	for _, test := range []struct {
		draws []float64 // in units of 1/ε = 2
		want  float64
		ok    bool
	}{
		{[]float64{1.01, 0}, 3, true},
		{[]float64{1.01, 0.5}, 3 * base, true},
		{[]float64{0.99, 1.5, -1}, 3 / (base * base), true},
		{[]float64{0.99, 0.99}, 0, false},
	} {
		noise := &played{draws: test.draws}
		got, ok, err := PrivateIQR(x, integers(0, 100), 0.5, math.Exp(-1), noise)
		if err != nil || ok != test.ok || math.Abs(got-test.want) > 1e-12 || len(noise.scales) != len(test.draws) {
			t.Errorf("%+v: %v, %v, %v, must be %v, %v", noise, got, ok, err, test.want, test.ok)
		}
	}
}

func TestPrivateIQR_Errors(t *testing.T) {
	t.Parallel()
	run := func(eps, delta float64, x ...*big.Rat) error {
		return third(PrivateIQR(x, integers(0, 100), eps, delta, &played{}))
	}
	many, missing := integers(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13), []*big.Rat{one, nil}
	refuse(t, map[string]error{
		"there are 1 records, must be at least 2":                 run(1, 0.5, one),
		"record 2 is missing":                                     run(1, 0.5, one, nil),
		"there are 13 records, must be at least 2 and at most 12": run(1, 0.5, many...),
		"ε is 0, must be positive and finite":                     run(0, 0.5, many[:2]...),
		"ε is NaN":                                                run(math.NaN(), 0.5, many[:2]...),
		"δ is 0, must be in (0, 1]":                               run(1, 0, many[:2]...),
		"δ is 2, must be in (0, 1]":                               run(1, 2, many[:2]...),
		"discretization is 3, must be at least 1 and at most 2":   second(IQRDistance(many[:2], integers(9), 3)),
		"value 2 is missing, must be a number":                    second(IQRDistance(many[:2], missing, 1)),
		"values are such that L stays in its bin, must be others": second(IQRDistance(integers(2, 2), integers(2), 1)),
		"IQRBottom": second(IQRBottom(0, one, one)),
	})
}
