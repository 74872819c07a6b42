package spec

import (
	"math"
	"math/big"
	"strings"
	"testing"
)

func integers(values ...int64) []*big.Rat {
	var x []*big.Rat
	for _, v := range values {
		x = append(x, big.NewRat(v, 1))
	}
	return x
}

// Quartiles are the records number ⌈n/4⌉ and ⌈3n/4⌉.
func TestSampleIQR(t *testing.T) {
	t.Parallel()
	tests := []struct {
		x    []*big.Rat
		want int64
	}{
		{integers(5, 2), 3},
		{integers(9, 1, 4), 8},
		{integers(4, 3, 2, 1), 2},
		{integers(10, 20, 30, 40, 50), 20},
		{integers(1, 1, 1, 9, 9, 9, 9, 9), 8},
		{integers(7, 7), 0},
	}
	for _, test := range tests {
		if got, err := SampleIQR(test.x); err != nil || got.Cmp(big.NewRat(test.want, 1)) != 0 {
			t.Errorf("of %v: %v, %v, must be %d", test.x, got, err, test.want)
		}
	}
}

// Distances that are easily seen. With 8 records the base is 1.48 and the quartiles are the
// records number 2 and 6.
func TestIQRDistance(t *testing.T) {
	t.Parallel()
	tests := []struct {
		x    []*big.Rat
		j    int
		want int
	}{
		{integers(0, 1), 1, 1},
		{integers(0, 0, 0, 0, 0, 0, 0, 0), 1, 2},                  // two far away
		{integers(0, 1, 2, 3, 100, 101, 102, 103), 1, 2},          // 6, 5 to the lower group
		{integers(0, 0, 50, 60, 70, 100, 100, 100), 1, 1},         // 2 to the middle: 50 instead of 100
		{integers(0, 0, 0, 0, 0, 1000, 1000, 1000), 2, 1},         // 6 to the lower group
		{integers(-1000, 0, 0, 500, 600, 1000, 1000, 2000), 1, 1}, // one more at 2000
	}
	for _, test := range tests {
		if got, err := IQRDistance(test.x, integers(-5000, 0, 1, 5, 50, 1000, 5000), test.j); err != nil || got != test.want {
			t.Errorf("A_%d of %v is %d, %v, must be %d", test.j, test.x, got, err, test.want)
		}
	}
}

// fixed is noise that is given.
type fixed []float64

func (f *fixed) Laplace(scale float64) float64 {
	x := (*f)[0]
	*f = (*f)[1:]
	return scale * x
}

// With ε = 1/2 and δ = e^(−1), the threshold is 1 + 2 = 3 and A_1 = A_2 = 1.
func TestPrivateIQR(t *testing.T) {
	t.Parallel()
	x := integers(2, 5)
	base := 1 + 1/math.Ln2
	tests := []struct {
		draws fixed // in units of 1/ε = 2
		want  float64
		ok    bool
	}{
		{fixed{1.01, 0}, 3, true},
		{fixed{1.01, 0.5}, 3 * base, true},
		{fixed{0.99, 1.5, -1}, 3 / (base * base), true},
		{fixed{0.99, 0.99}, 0, false},
	}
	for _, test := range tests {
		draws := test.draws
		got, ok, err := PrivateIQR(x, integers(0, 100), 0.5, math.Exp(-1), &draws)
		if err != nil || ok != test.ok || math.Abs(got-test.want) > 1e-12 || len(draws) != 0 {
			t.Errorf("draws %v: %v, %v, %v, %d draws left, must be %v, %v", test.draws, got, ok, err, len(draws), test.want, test.ok)
		}
	}
}

// A_1 = 3, e^ε = 2: t = −2 + ln(1/δ)/ε.
func TestIQRBottom(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ delta, want *big.Rat }{
		{big.NewRat(1, 4), big.NewRat(1, 2)},
		{big.NewRat(1, 8), big.NewRat(3, 4)},
		{one, big.NewRat(1, 8)},
	} {
		if got, err := IQRBottom(3, big.NewRat(2, 1), test.delta); err != nil || got.Cmp(test.want) != 0 {
			t.Errorf("δ = %v: %v, %v, must be %v", test.delta, got, err, test.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestPrivateIQR_Errors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		x          []*big.Rat
		eps, delta float64
		want       string
	}{
		{integers(1), 1, 0.5, "there are 1 records, must be at least 2"},
		{[]*big.Rat{one, nil}, 1, 0.5, "record 2 is missing"},
		{make([]*big.Rat, 13), 1, 0.5, "record 1 is missing"},
		{integers(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13), 1, 0.5, "there are 13 records, must be at least 2 and at most 12"},
		{integers(1, 2), 0, 0.5, "ε is 0, must be positive and finite"},
		{integers(1, 2), math.NaN(), 0.5, "ε is NaN"},
		{integers(1, 2), 1, 0, "δ is 0, must be in (0, 1]"},
		{integers(1, 2), 1, 2, "δ is 2, must be in (0, 1]"},
	}
	for _, test := range tests {
		if _, _, err := PrivateIQR(test.x, integers(0, 100), test.eps, test.delta, &fixed{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error is %v, must say %q", err, test.want)
		}
	}
	for want, err := range map[string]error{
		"discretization is 3, must be at least 1 and at most 2":   second(IQRDistance(integers(1, 2), integers(9), 3)),
		"value 2 is missing, must be a number":                    second(IQRDistance(integers(1, 2), []*big.Rat{one, nil}, 1)),
		"values are such that L stays in its bin, must be others": second(IQRDistance(integers(2, 2), integers(2), 1)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, must say %q", err, want)
		}
	}
	if _, err := IQRBottom(0, one, one); err == nil {
		t.Error("A = 0 is accepted")
	}
}
