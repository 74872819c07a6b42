package audit

import (
	"math"
	"math/big"
	"testing"
)

// tail returns the probability of at least hits of n, exactly.
func tail(hits, n int, p *big.Rat) *big.Rat {
	q := new(big.Rat).Sub(one, p)
	sum := new(big.Rat)
	for k := hits; k <= n; k++ {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k)))
		for range k {
			term.Mul(term, p)
		}
		for range n - k {
			term.Mul(term, q)
		}
		sum.Add(sum, term)
	}
	return sum
}

// The bounds are on the safe side of the exact binomial law, and not far from it.
func TestClopperPearson_Exact(t *testing.T) {
	for _, n := range []int{1, 2, 7, 20} {
		for hits := range n + 1 {
			for _, alpha := range []float64{1e-6, 0.01, 0.3} {
				lower, upper, err := ClopperPearson(hits, n, alpha)
				if err != nil {
					t.Fatal(err)
				}
				level := new(big.Rat).SetFloat64(alpha)
				check := func(name string, bound float64, hits int, outward float64) {
					p := new(big.Rat).SetFloat64(bound)
					if tail(hits, n, p).Cmp(level) > 0 {
						t.Errorf("%s bound for %d of %d at %g is %g: the tail is larger than %g", name, hits, n,
							alpha, outward, alpha)
					}
					wider := new(big.Rat).SetFloat64(math.Min(1, bound*(1+1e-7)+1e-12))
					if tail(hits, n, wider).Cmp(level) <= 0 {
						t.Errorf("%s bound for %d of %d at %g is %g, could be closer", name, hits, n, alpha, outward)
					}
				}
				if hits > 0 {
					check("lower", lower, hits, lower)
				} else if lower != 0 {
					t.Errorf("lower bound for no hit is %g, must be 0", lower)
				}
				if hits < n {
					check("upper", 1-upper, n-hits, upper)
				} else if upper != 1 {
					t.Errorf("upper bound for all hits is %g, must be 1", upper)
				}
			}
		}
	}
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
