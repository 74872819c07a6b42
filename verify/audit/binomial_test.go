package audit

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// maxTrials bounds n of [ClopperPearson]: gonum's Beta is good to 1e-11 up to there.
const maxTrials = 1e6

// ClopperPearson returns bounds on the probability of an event that came hits times in n
// independent trials. Each is wrong with probability at most alpha.
//
// Source: Clopper and Pearson (1934).
// Domain: 0 ≤ hits ≤ n, 1 ≤ n ≤ 1e6, alpha in (0, 1).
// Accuracy: the bounds are those of the exact binomial law, 1e-9 further apart at most.
// Cost: about 100 evaluations of the incomplete beta function.
func ClopperPearson(hits, n int, alpha float64) (lower, upper float64, err error) {
	if n < 1 || n > maxTrials || hits < 0 || hits > n || !(alpha > 0 && alpha < 1) {
		return 0, 0, fmt.Errorf("%d hits in %d trials at %g", hits, n, alpha)
	}
	return beyond(hits, n, alpha), 1 - beyond(n-hits, n, alpha), nil
}

// beyond returns a lower bound: the largest p at which so many hits or more are no likelier
// than alpha. Their probability is the distribution function of Beta(hits, n − hits + 1);
// gonum's quantile of it is not to be relied on, so it is inverted by bisection.
func beyond(hits, n int, alpha float64) float64 {
	if hits == 0 {
		return 0
	}
	law := distuv.Beta{Alpha: float64(hits), Beta: float64(n - hits + 1)}
	low, high := 0.0, 1.0
	for range 60 {
		if p := (low + high) / 2; law.CDF(p)*(1+1e-9) <= alpha {
			low = p
		} else {
			high = p
		}
	}
	return low * (1 - 1e-12)
}

// What gonum's quantile gets wrong: no hit in 100 trials at 1e-6 leaves 0.129, not 1.
func TestClopperPearson_Traps(t *testing.T) {
	_, upper, err := ClopperPearson(0, 100, 1e-6)
	if want := 1 - math.Pow(1e-6, 0.01); err != nil || math.Abs(upper-want) > 1e-8 {
		t.Errorf("upper bound is %g, %v, must be %g", upper, err, want)
	}
	lower, upper, err := ClopperPearson(500_000, 1_000_000, 1e-3)
	if sd := 0.0005 * 3.0902; err != nil || math.Abs(lower-(0.5-sd)) > 1e-5 || math.Abs(upper-(0.5+sd)) > 1e-5 {
		t.Errorf("bounds for half of 10^6 are %g and %g, %v, must be within %g of 1/2", lower, upper, err, sd)
	}
	for _, bad := range []struct {
		hits, n int
		alpha   float64
	}{{-1, 5, 0.1}, {6, 5, 0.1}, {0, 0, 0.1}, {1, 2_000_000, 0.1}, {1, 5, 0}, {1, 5, 1}, {1, 5, math.NaN()}} {
		if _, _, err := ClopperPearson(bad.hits, bad.n, bad.alpha); err == nil {
			t.Errorf("%d of %d at %g was taken", bad.hits, bad.n, bad.alpha)
		}
	}
}
