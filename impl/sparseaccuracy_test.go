package impl

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
)

// The probability of failure is 1 minus that of the outputs that are right, by another integral: that of
// SparseVectorLaw.
func TestAboveThresholdFailure_ByLaw(t *testing.T) {
	t.Parallel()
	one := rational.One
	law := SparseVectorLaw{RhoScale: big.NewRat(2, 1), NuScale: big.NewRat(4, 1), Cutoff: 1}
	for _, k := range []int{1, 2, 3, 10, 100} {
		for _, alpha := range []string{"0", "1", "5", "20", "60"} {
			a := rational.MustParse(alpha)
			run := slices.Repeat([]Comparison{{Query: new(big.Rat).Neg(a), Threshold: new(big.Rat)}}, k-1)
			run = append(run, Comparison{Query: a, Threshold: new(big.Rat), Above: true})
			right, err := law.Probability(run, 1e-30)
			if err != nil {
				t.Fatal(err)
			}
			want := bits.Sub(bits.Int(1), right).Float()
			got := AboveThresholdFailure(k, bits.Rat(a), one)
			if got.Lo > want.Hi || got.Hi < want.Lo || got.Hi-got.Lo > 2e-4*got.Hi {
				t.Errorf("k = %d, α = %s: [%.12g, %.12g], by the law [%.12g, %.12g]", k, alpha, got.Lo, got.Hi, want.Lo, want.Hi)
			}
		}
	}
}

// The smallest α is where the probability is β, also for many queries.
func TestLeastAlpha(t *testing.T) {
	t.Parallel()
	for _, k := range []int{1, 1000, 1_000_000_000} {
		beta := big.NewRat(1, 1000)
		failure := func(alpha interval.Interval) interval.Float {
			return NumericSparseFailure(k, 3, alpha, rational.One, big.NewRat(1, 1000))
		}
		least := LeastAlpha(failure, beta)
		if p := failure(interval.Of(least.Hi, least.Hi)); p.Hi > 1e-3 || least.Hi-least.Lo > 1e-3*least.Hi {
			t.Errorf("k = %d: α in [%.9g, %.9g], fails with probability at most %g", k, least.Lo, least.Hi, p.Hi)
		}
	}
}

// What is missed falls in x, and no faster than e^(−x).
func TestMissed_Falls(t *testing.T) {
	t.Parallel()
	const by = 0.125
	for _, n := range []int{0, 1, 2, 10, 1000, 1_000_000} {
		for x := 0.0; x < 40; x++ {
			first, second := missedAt(n, x), missedAt(n, x+by)
			if second.Lo > first.Hi || second.Hi < first.Lo*math.Exp(-by)*(1-1e-12) {
				t.Errorf("n = %d: m(%g) is in %v, m(%g) in %v", n, x, first, x+by, second)
			}
			if both := missed(n, interval.NewFloat(x, x+by)); both.Lo > second.Hi || both.Lo < 0.85*second.Lo || both.Hi != first.Hi {
				t.Errorf("n = %d: m([%g, %g]) is in %v, m(%g) in %v and m(%g) in %v", n, x, x+by, both, x, first, x+by, second)
			}
		}
	}
}

func BenchmarkSparseFailure(b *testing.B) {
	for b.Loop() {
		SparseFailure(1_000_000, 10, interval.Of(1000, 1000), rational.One, new(big.Rat))
	}
}
