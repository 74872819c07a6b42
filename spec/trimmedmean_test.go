package spec

import (
	"math/big"
	"slices"
	"testing"
)

// Of 0, 1, 5, 6, 20 the median is 5; with one record made very small or very large it is 1 or 6, with two 0 or 20.
func TestTrimmedMean_ByHand(t *testing.T) {
	t.Parallel()
	x, far := integers(20, 1, 5, 0, 6), integers(-1000, 1000)
	alpha, err := MedianTrim(5)
	if err != nil {
		t.Fatal(err)
	}
	median, err := TrimmedMean(x, alpha)
	if err != nil || median.Cmp(big.NewRat(5, 1)) != 0 {
		t.Errorf("median is %v, %v, must be 5", median, err)
	}
	if mean, err := TrimmedMean(x, big.NewRat(1, 2)); err != nil || mean.Cmp(big.NewRat(4, 1)) != 0 {
		t.Errorf("half-trimmed mean is %v, %v, must be (1 + 5 + 6)/3", mean, err)
	}
	if s := trimmedSensitivity(x, far, alpha); s.Cmp(big.NewRat(4, 1)) != 0 {
		t.Errorf("local sensitivity is %v, must be 5 − 1", s)
	}
	for s, want := range map[int64]int{3: 0, 4: 1, 13: 1, 14: 1, 15: 2, 100: 2} {
		if a, err := TrimmedMeanDistance(x, far, alpha, big.NewRat(s, 1)); err != nil || a != want {
			t.Errorf("distance for s = %d is %d, %v, must be %d", s, a, err, want)
		}
	}
}

func TestTrimmedMean_BadInput(t *testing.T) {
	t.Parallel()
	x, half := integers(1, 2), big.NewRat(1, 2)
	distance := func(s *big.Rat, x ...*big.Rat) error { return second(TrimmedMeanDistance(x, integers(1, 2), half, s)) }
	private := func(eps float64) error { return third(PrivateTrimmedMean(x, x, half, one, eps, 1, &played{})) }
	mean := func(alpha *big.Rat, x ...*big.Rat) error { return second(TrimmedMean(x, alpha)) }
	refuse(t, map[string]error{
		"there are 0 records, must be at least 1":                 mean(half),
		"record 2 is missing, must be a number":                   mean(half, one, nil),
		"α is 1, must be in [0, 1)":                               mean(one, x...),
		"α is missing, must be in [0, 1)":                         mean(nil, x...),
		"s is 0, must be positive":                                distance(new(big.Rat), x...),
		"values are such that the local sensitivity":              distance(big.NewRat(9, 1), x...),
		"there are 13 records, must be at least 1 and at most 12": distance(one, slices.Repeat(x[:1], 13)...),
		"n is 0, must be at least 1":                              second(MedianTrim(0)),
		"ε is 0, must be positive and finite":                     private(0),
	})
}
