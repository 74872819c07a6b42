package impl

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
)

func records(values ...int64) (x []*big.Rat) {
	for _, v := range values {
		x = append(x, big.NewRat(v, 1))
	}
	return x
}

// With all gaps equal, a replacements make the local sensitivity of the median a + 1 gaps, up to any number.
func TestTrimmedMeanDistance_Large(t *testing.T) {
	t.Parallel()
	const n = 20_001
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(i)
	}
	x := records(values...)
	alpha, err := MedianTrim(n)
	if err != nil {
		t.Fatal(err)
	}
	for s, want := range map[string]int{"1/2": 0, "1": 1, "7": 7, "7.5": 7, "9999": 9999, "10001": 10000, "1e9": 10000} {
		if a, err := TrimmedMeanDistance(x, alpha, rational.MustParse(s)); err != nil || a != want {
			t.Errorf("distance for s = %s is %d, %v, must be %d", s, a, err, want)
		}
	}
	if median, err := TrimmedMean(x, alpha); err != nil || median.Cmp(big.NewRat(n/2, 1)) != 0 {
		t.Errorf("median is %v, %v, must be %d", median, err, n/2)
	}
}

// What is beyond float64 is returned as the largest one, and never NaN.
func TestPrivateTrimmedMean_Huge(t *testing.T) {
	t.Parallel()
	huge := rational.MustParse("1e400")
	x := slices.Repeat([]*big.Rat{huge}, 101)
	for seed := range 20 {
		value, ok, err := PrivateTrimmedMean(x, big.NewRat(99, 100), rational.MustParse("1e300"), loss.Nats(rational.One), big.NewRat(1, 2), noise.New([32]byte{byte(seed)}))
		if err != nil || !ok || math.IsNaN(value) || math.IsInf(value, 0) {
			t.Errorf("value is %g, %v, %v, must be finite", value, ok, err)
		}
	}
}

func TestTrimmedMean_BadInput(t *testing.T) {
	t.Parallel()
	x, half, one := records(1, 2), big.NewRat(1, 2), rational.One
	run := func(s *big.Rat, eps loss.Epsilon, delta *big.Rat) error {
		_, _, err := PrivateTrimmedMean(x, half, s, eps, delta, noise.New([32]byte{}))
		return err
	}
	for want, try := range map[string]func() error{
		"there are 0 records, must be at least 1":    func() error { _, err := TrimmedMean(nil, half); return err },
		"record 2 is missing, must be a number":      func() error { _, err := TrimmedMean([]*big.Rat{one, nil}, half); return err },
		"α is 1, must be at least 0 and less than 1": func() error { _, err := TrimmedMean(x, one); return err },
		"α is missing, must be at least 0":           func() error { _, err := TrimmedMeanDistance(x, nil, one); return err },
		"s is 0, must be positive":                   func() error { _, err := TrimmedMeanDistance(x, half, new(big.Rat)); return err },
		"n is 0, must be at least 1":                 func() error { _, err := MedianTrim(0); return err },
		"PrivateTrimmedMean: s is -1, must be":       func() error { return run(big.NewRat(-1, 1), loss.Nats(one), half) },
		"PrivateTrimmedMean: s is 1e+300, must be posi": func() error {
			return run(rational.MustParse("1e300"), testkit.NatsOf("1e-10"), half)
		},
		"PrivateTrimmedMean: ε is 0, must be at least": func() error { return run(one, loss.Nats(new(big.Rat)), half) },
		"PrivateTrimmedMean: δ is 2, must be at least": func() error { return run(one, loss.Nats(one), big.NewRat(2, 1)) },
	} {
		err := try()
		testkit.ExpectError(t, err, want)
	}
}
