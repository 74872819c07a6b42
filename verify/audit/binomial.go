package audit

import (
	"fmt"

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
		return 0, 0, fmt.Errorf("ClopperPearson: %d hits in %d trials at %g, must be 0 <= hits <= n <= 1e6 and 0 < alpha < 1", hits, n, alpha)
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
