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
		if want := []string{"higher is nil", "RandomStopping: coins is nil", "Thresholding: coins is nil"}[i]; err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if runs > 0 {
		t.Errorf("%d runs", runs)
	}
}

// What is nil and must not be is refused by its name.
func TestRefuses_Nil(t *testing.T) {
	t.Parallel()
	var none context.Context
	ctx, half, random := t.Context(), big.NewRat(1, 2), noise.New([32]byte{})
	coins := noise.Coins{Source: noise.SecureSource()}
	q := Candidate[int](func(context.Context) (Scored[int], error) { return Scored[int]{}, nil })
	search := Search{half, 1, 1, half, half, half, half, half}
	sampled := SampledPercentile{half, 1, 1, half, half, half, half}
	next := func([]bool) (Candidate[int], float64, bool) { return nil, 0, false }
	stopping := func(ctx context.Context, q Candidate[int]) error {
		_, _, err := RandomStopping(ctx, q, func(x, y int) bool { return x > y }, half, coins)
		return err
	}
	thresholding := func(q Candidate[int]) error {
		_, _, _, err := Thresholding(ctx, q, 1, half, 1, coins)
		return err
	}
	threshold := func(q Candidate[int], random noise.Source) error {
		_, _, err := ThresholdSearch(ctx, q, search, random)
		return err
	}
	oracle := func(q Candidate[int], coins noise.Coins) error {
		_, err := Oracle(ctx, []Candidate[int]{q}, coins)
		return err
	}
	amplification := func(q Candidate[int], random noise.Source) error {
		_, _, err := Amplification(ctx, []Candidate[int]{q}, 0, 1, 1, random)
		return err
	}
	percentile := func(next func([]bool) (float64, bool), random noise.Source) error {
		_, err := PercentileSparse(next, 0.5, 1, 1, random)
		return err
	}
	sampledSparse := func(next func([]bool) (Candidate[int], float64, bool), random noise.Source) error {
		_, err := SampledPercentileSparse(ctx, next, sampled, random)
		return err
	}
	_, _, selecting := PrivateSelection(ctx, []Candidate[int]{q}, 1, half, half, half, half, nil, coins)
	for _, of := range []struct {
		want string
		err  error
	}{
		{"run 1: ctx is nil", stopping(none, q)},
		{"run 1: the candidate is nil", stopping(ctx, nil)},
		{"run 1: the candidate is nil", thresholding(nil)},
		{"ThresholdSearch: random is nil", threshold(q, nil)},
		{"run 1: the candidate is nil", threshold(nil, random)},
		{"Oracle: coins is nil", oracle(q, noise.Coins{})},
		{"candidate 1: the candidate is nil", oracle(nil, coins)},
		{"random is nil", amplification(q, nil)},
		{"candidate 1: the candidate is nil", amplification(nil, random)},
		{"PercentileSparse: next is nil", percentile(nil, random)},
		{"PercentileSparse: random is nil", percentile(func([]bool) (float64, bool) { return 0, true }, nil)},
		{"SampledPercentileSparse: next is nil", sampledSparse(nil, random)},
		{"SampledPercentileSparse: random is nil", sampledSparse(next, nil)},
		{"query 1: run 1: the candidate is nil", sampledSparse(next, random)},
		{"PrivateSelection: random is nil", selecting},
	} {
		testkit.ExpectError(t, of.err, of.want)
	}
}
