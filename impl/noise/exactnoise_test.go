package noise

import (
	"checkrr/impl/internal/testkit"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Words and big numbers make the same of the same random words.
func TestCoins_WordsAndBig(t *testing.T) {
	t.Parallel()
	for seed := range byte(8) {
		words, big1 := Coins{rand.NewChaCha8([32]byte{seed})}, Coins{rand.NewChaCha8([32]byte{seed})}
		dice := rand.New(rand.NewChaCha8([32]byte{seed, 1}))
		for range 2000 {
			b := dice.Uint64()>>dice.IntN(63) + 2
			a := dice.Uint64N(b-1) + 1
			if words.bernoulli(a, b) != big1.bernoulliBig(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b)) {
				t.Fatalf("seed %d: Bernoulli(%d/%d) differs", seed, a, b)
			}
		}
	}
}

// A sum that is no int64 is the nearest one.
func TestSigned_Plus(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		x     signed
		value int64
		want  int64
	}{
		{signed{word: 5, negative: true}, 3, -2},
		{signed{word: 5}, math.MaxInt64, math.MaxInt64},
		{signed{word: 5, negative: true}, math.MinInt64, math.MinInt64},
		{signed{word: 1 << 63}, -1, math.MaxInt64},
		{signed{wide: new(big.Int).Lsh(big.NewInt(1), 70), negative: true}, 7, math.MinInt64},
	} {
		if got := test.x.plus(test.value); got != test.want {
			t.Errorf("%d + %v = %d, must be %d", test.value, test.x.big(), got, test.want)
		}
	}
}

// Exact noise for whole numbers, of which one record changes one by at most 1.
func ExampleDiscreteLaplaceMechanism() {
	answers := []int64{1000, 2000}
	output, err := DiscreteLaplaceMechanism(answers, big.NewRat(1, 1), big.NewRat(1, 10), SecureSource())
	fmt.Println(len(output), err)
	delta, err := DiscreteGaussianDelta(1, big.NewRat(100, 1), big.NewRat(1, 2))
	fmt.Printf("%.3g %v\n", delta.Float().Hi, err)
	// Output:
	// 2 <nil>
	// 6.93e-09 <nil>
}

// BenchmarkDiscrete compares the exact samplers with draws in float64 from the same source.
func BenchmarkDiscrete(b *testing.B) {
	const n = 10000
	noise, zero := New([32]byte{1}), []int64{0}
	var list []int64
	sum := 0.0
	b.Run("laplace", func(b *testing.B) {
		testkit.Compare(b, func() {
			list, _ = AppendDiscreteLaplace(list[:0], zero, big.NewRat(1, 1), big.NewRat(1, 10), n, noise)
		}, func() {
			for range n {
				sum += noise.Laplace(10)
			}
		})
	})
	b.Run("gaussian", func(b *testing.B) {
		testkit.Compare(b, func() { list, _ = AppendDiscreteGaussian(list[:0], zero, big.NewRat(100, 1), n, noise) },
			func() {
				for range n {
					sum += 10 * noise.NormFloat64()
				}
			})
	})
}

// A source that is nil is refused.
func TestRefuses_Nil(t *testing.T) {
	t.Parallel()
	one := big.NewRat(1, 1)
	_, bernoulli := BernoulliExp(one, nil)
	_, laplace := DiscreteLaplace(one, nil)
	_, laplaces := DiscreteLaplaceMechanism([]int64{0}, one, one, nil)
	_, gaussian := DiscreteGaussian(one, nil)
	_, gaussians := DiscreteGaussianMechanism([]int64{0}, one, nil)
	for name, err := range map[string]error{"BernoulliExp": bernoulli, "DiscreteLaplace": laplace,
		"DiscreteLaplaceMechanism": laplaces, "DiscreteGaussian": gaussian, "DiscreteGaussianMechanism": gaussians} {
		if want := name + ": source is nil, must be given"; err == nil || err.Error() != want {
			t.Errorf("error is %v, must be %q", err, want)
		}
	}
}
