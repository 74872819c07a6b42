package spec

import (
	"math/big"
	"slices"
	"testing"
)

func TestTrimmedMean_BadInput(t *testing.T) {
	t.Parallel()
	x, half := integers(1, 2), big.NewRat(1, 2)
	distance := func(s *big.Rat, x ...*big.Rat) error { return second(TrimmedMeanDistance(x, integers(1, 2), half, s)) }
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
		"ε is 0, must be positive and finite":                     third(PrivateTrimmedMean(x, x, half, one, 0, 1, &played{})),
	})
}
