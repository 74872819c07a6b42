package impl

import (
	"math/big"
	"slices"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
)

// The probability of failure is 1 minus that of the outputs that are right, by another integral: that of SparseVectorLaw.
func TestAboveThresholdFailure_ByLaw(t *testing.T) {
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

func BenchmarkSparseFailure(b *testing.B) {
	for b.Loop() {
		SparseFailure(1_000_000, 10, interval.Of(1000, 1000), rational.One, new(big.Rat))
	}
}
