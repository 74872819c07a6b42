package selection

import (
	"checkrr/impl"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/noise"
	"context"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkSelection compares mechanisms that choose among 10^6 candidates with the bare generation of 10^6 noises.
func BenchmarkSelection(b *testing.B) {
	const n = 1_000_000
	random, scores := noise.New([32]byte{1}), manyScores(n)
	sum := 0.0
	bare := func() {
		for range n {
			sum += random.Laplace(2)
		}
	}
	for name, choose := range map[string]func() (int, error){
		"noisy-max":   func() (int, error) { return impl.ReportNoisyMax(scores, 0.5, random) },
		"one-sided":   func() (int, error) { return impl.OneSidedArgMax(scores, 1, 0.5, true, random) },
		"exponential": func() (int, error) { return impl.ExponentialMechanism(scores, 1, 0.5, random) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			testkit.Compare(b, func() {
				if _, err := choose(); err != nil {
					b.Fatal(err)
				}
			}, bare)
		})
	}
}

// manyScores returns scores of which some are equal.
func manyScores(n int) (scores []float64) {
	for i := range n {
		scores = append(scores, float64(i*7919%1000))
	}
	return scores
}

// BenchmarkSparseVector compares 10^7 queries of sparse vectors, of which one in 10^5 is above the threshold, with
// the bare generation of 10^7 noises.
func BenchmarkSparseVector(b *testing.B) {
	const n, every = 10_000_000, 100_000
	random, sum := noise.New([32]byte{1}), 0.0
	bare := func() {
		for range n {
			sum += random.Laplace(2)
		}
	}
	ask := func(answer func(q float64) error) {
		for i := range n {
			q := -1e9
			if i%every == every-1 {
				q = 1e9
			}
			if err := answer(q); err != nil {
				b.Fatal(err)
			}
		}
	}
	for name, of := range map[string]func(){
		"sparse": func() {
			run, _ := impl.NewSparseRun(0, n/every, 1, 0, random)
			ask(func(q float64) error { _, err := run.Compare(q); return err })
		},
		"numeric-sparse": func() {
			run, _ := impl.NewNumericSparseRun(0, n/every, 1, 0, random)
			ask(func(q float64) error { _, err := run.Answer(q); return err })
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			testkit.Compare(b, of, bare)
		})
	}
}

// What a selection cannot do without is refused before a run, and not found out by one.
func TestStopping_Missing(t *testing.T) {
	t.Parallel()
	runs := 0
	q := Candidate[int](func(context.Context) (Scored[int], error) { runs++; return Scored[int]{}, nil })
	first := func(x, y int) bool { return x < y }
	half, coins := big.NewRat(1, 2), noise.Coins{Source: rand.NewPCG(1, 2)}
	_, _, tie := RandomStopping(t.Context(), q, nil, half, coins)
	_, _, source := RandomStopping(t.Context(), q, first, half, noise.Coins{})
	_, _, _, other := Thresholding(t.Context(), q, 1, half, 3, noise.Coins{})
	for i, err := range []error{tie, source, other} {
		if want := []string{"higher is nil", "no source", "no source"}[i]; err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if runs > 0 {
		t.Errorf("%d runs", runs)
	}
}
