package impl

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl/internal/rational"
)

// plainFailure is the probability with which AboveThreshold with ε = 1 fails on n answers at T − α and then one at T
// + α, by a trapezoid rule over the noise on the threshold.
func plainFailure(n int, alpha float64) float64 {
	below := func(x float64) float64 { // the distribution function of Lap(4)
		if x < 0 {
			return math.Exp(x/4) / 2
		}
		return 1 - math.Exp(-x/4)/2
	}
	const step = 1.0 / 256
	success := 0.0
	for i := -40_000; i <= 40_000; i++ {
		t := float64(i) * step // T̂ − T
		success += step * math.Exp(-math.Abs(t)/2) / 4 * math.Pow(below(t+alpha), float64(n)) * below(alpha-t)
	}
	return 1 - success
}

// TestExactSparseAccuracy compares the smallest α with a plain integral: at its upper end the probability is at most
// β, and a thousandth below its lower end it is more; c runs after each other fail independently.
func TestExactSparseAccuracy(t *testing.T) {
	t.Parallel()
	const slack = 1e-5 // of the plain integral, relative
	for _, tt := range []struct {
		k, c int
		beta string
	}{{1, 1, "0.05"}, {2, 1, "0.5"}, {10, 1, "0.01"}, {1000, 1, "0.05"}, {6, 3, "0.05"}, {20, 5, "0.2"}} {
		s := SparseSetting{Queries: tt.k, Above: tt.c, Beta: rational.MustParse(tt.beta), Eps: rational.One, Delta: new(big.Rat)}
		beta, _ := s.Beta.Float64()
		x := ExactSparseAccuracy(s).Float()
		if tt.c == 1 && ExactAboveThresholdAccuracy(s).Float() != x {
			t.Errorf("k = %d: AboveThreshold and Sparse differ for c = 1", tt.k)
		}
		fails := func(alpha float64) float64 { // its noise is c times that of AboveThreshold
			return 1 - math.Pow(1-plainFailure(tt.k/tt.c-1, alpha/float64(tt.c)), float64(tt.c))
		}
		if high, low := fails(x.Hi), fails(x.Lo*0.999); high > beta*(1+slack) || low <= beta {
			t.Errorf("k = %d, c = %d, β = %g: α in [%g, %g], but there it fails with probability %g and %g", tt.k, tt.c, beta, x.Lo, x.Hi, high, low)
		}
	}
}

// TestExactNumericSparseAccuracy has one answer: its number is off by more than α with probability e^(−α/9), as
// σ(ε_2) = 9, and it is taken for one below as by AboveThreshold with (8/9)ε.
func TestExactNumericSparseAccuracy(t *testing.T) {
	t.Parallel()
	s := SparseSetting{Queries: 1, Above: 1, Beta: rational.MustParse("0.05"), Eps: rational.One, Delta: new(big.Rat)}
	x := ExactNumericSparseAccuracy(s).Float()
	fails := func(alpha float64) float64 { return 1 - (1-math.Exp(-alpha/9))*(1-plainFailure(0, alpha*8/9)) }
	if high, low := fails(x.Hi), fails(x.Lo*0.999); high > 0.05*(1+1e-5) || low <= 0.05 {
		t.Errorf("α in [%g, %g], but there it fails with probability %g and %g", x.Lo, x.Hi, high, low)
	}
}

func TestSparseSetting(t *testing.T) {
	t.Parallel()
	good := SparseSetting{1, 1, rational.MustParse("0.5"), rational.One, new(big.Rat)}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for want, s := range map[string]SparseSetting{
		"queries is 0, must be at least 1 and at most 1000000000":         {0, 1, good.Beta, good.Eps, good.Delta},
		"cutoff is 2000000000, must be at least 1 and at most 1000000000": {1, 2_000_000_000, good.Beta, good.Eps, good.Delta},
		"beta is 1, must be at least 1e-100 and less than 1":              {1, 1, rational.One, good.Eps, good.Delta},
		"eps is 0, must be greater than 0":                                {1, 1, good.Beta, new(big.Rat), good.Delta},
		"eps is 1e+300, must be between 1e-289 and 1e289":                 {1, 1, good.Beta, rational.MustParse("1e300"), good.Delta},
		"delta is 1, must be at least 0 and less than 1":                  {1, 1, good.Beta, good.Eps, rational.One},
	} {
		if err := s.Validate(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
