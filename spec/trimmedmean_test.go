package spec

import (
	"math/big"
	"strings"
	"testing"
)

func records(values ...int64) (x []*big.Rat) {
	for _, v := range values {
		x = append(x, big.NewRat(v, 1))
	}
	return x
}

// Of 0, 1, 5, 6, 20 the median is 5; with one record made very small or very large it is 1 or 6, with two 0 or 20.
func TestTrimmedMean_ByHand(t *testing.T) {
	t.Parallel()
	x, far := records(20, 1, 5, 0, 6), records(-1000, 1000)
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
	x, half, tape := records(1, 2), big.NewRat(1, 2), &played{draws: []float64{0}}
	for want, run := range map[string]func() error{
		"there are 0 records, must be at least 1":                 func() error { _, err := TrimmedMean(nil, half); return err },
		"record 2 is missing, must be a number":                   func() error { _, err := TrimmedMean([]*big.Rat{one, nil}, half); return err },
		"α is 1, must be in [0, 1)":                               func() error { _, err := TrimmedMean(x, one); return err },
		"s is 0, must be positive":                                func() error { _, err := TrimmedMeanDistance(x, x, half, new(big.Rat)); return err },
		"values are such that the local sensitivity":              func() error { _, err := TrimmedMeanDistance(x, x, half, big.NewRat(9, 1)); return err },
		"there are 13 records, must be at least 1 and at most 12": func() error { _, err := TrimmedMeanDistance(records(make([]int64, 13)...), x, half, one); return err },
		"n is 0, must be at least 1":                              func() error { _, err := MedianTrim(0); return err },
		"ε is 0, must be positive and finite":                     func() error { _, _, err := PrivateTrimmedMean(x, x, half, one, 0, 1, tape); return err },
		"α is missing, must be in [0, 1)":                         func() error { _, err := TrimmedMean(x, nil); return err },
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, must say: %s", err, want)
		}
	}
}
