package verify

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/impl/noise"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
)

// chooser is a mechanism that names one of many scores, in both rooms.
type chooser struct {
	name       string
	spec, impl func(scores []float64, random spec.Noise) (int, error)
}

var choosers = []chooser{
	{"ReportNoisyMax", func(scores []float64, random spec.Noise) (int, error) {
		return spec.ReportNoisyMax(scores, 0.5, random)
	}, func(scores []float64, random spec.Noise) (int, error) {
		return impl.ReportNoisyMax(scores, 0.5, random)
	}},
	oneSided("OneSidedArgMax", false), oneSided("OneSidedArgMax, monotonic", true),
	{"ExponentialMechanism", func(scores []float64, random spec.Noise) (int, error) {
		return spec.ExponentialMechanism(scores, 2, 0.5, random)
	}, func(scores []float64, random spec.Noise) (int, error) {
		return impl.ExponentialMechanism(scores, 2, 0.5, random)
	}},
}

func oneSided(name string, isMonotonic bool) chooser {
	return chooser{name, func(scores []float64, random spec.Noise) (int, error) {
		return spec.OneSidedArgMax(scores, 2, 0.5, isMonotonic, random)
	}, func(scores []float64, random spec.Noise) (int, error) {
		return impl.OneSidedArgMax(scores, 2, 0.5, isMonotonic, random)
	}}
}

// One score, many of them, some with edges, with noise that is drawn: what few scores and ties come to is checked in
// verify/basics. What both rooms refuse they refuse before the first draw, and in the same words.
func TestPair_Choosers(t *testing.T) {
	t.Parallel()
	dice := rand.New(rand.NewChaCha8([32]byte{3}))
	many := make([]float64, amount(20_000, 1_000_000))
	for i := range many {
		many[i] = math.Round(dice.NormFloat64() * 20)
	}
	for _, c := range choosers {
		for seed := range byte(3) {
			for _, scores := range [][]float64{many, {-7}, {0, math.Copysign(0, -1), 5e-324, 300, -1e300, 19, 19}} {
				want, err0 := c.spec(scores, noise.New([32]byte{seed}))
				got, err1 := c.impl(scores, noise.New([32]byte{seed}))
				if err0 != nil || err1 != nil || got != want {
					t.Errorf("%s of %d scores: impl %d, %v, spec %d, %v", c.name, len(scores), got, err1, want, err0)
				}
			}
		}
		for _, scores := range [][]float64{nil, {}, {1, math.NaN()}, {math.Inf(1), 1}, {1, 2, math.Inf(-1)}} {
			first, second := &finite.Tape{Draws: []float64{1. / 8}}, &finite.Tape{Draws: []float64{1. / 8}}
			_, want := c.spec(scores, first)
			_, got := c.impl(scores, second)
			if checkRefusal(t, c.name, got, want); len(first.Scales)+len(second.Scales) > 0 {
				t.Errorf("%s of %v: %d and %d draws", c.name, scores, len(second.Scales), len(first.Scales))
			}
		}
	}
}

// checkRefusal checks that both rooms refuse in the same words.
func checkRefusal(t *testing.T, name string, got, want error) {
	t.Helper()
	if want == nil || got == nil || got.Error() != want.Error() {
		t.Errorf("%s: impl %v, spec %v", name, got, want)
	}
}

// A stream is read up to the last output, an error ends it, and nobody need read it to its end.
func TestPair_Streams(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		answers []float64
		read    int // how many of them
		isBad   bool
	}{{[]float64{-9, 9, -9, 9, -9}, 4, false}, {[]float64{-9, math.NaN(), 9}, 2, true}, {[]float64{-9}, 1, false}} {
		run, err := impl.NewSparseRun(0, 2, 1, 0, &finite.Tape{Draws: []float64{1. / 8}})
		if err != nil {
			t.Fatal(err)
		}
		read, outputs, last := 0, 0, error(nil)
		for _, err := range run.Compares(func(yield func(float64) bool) {
			for _, q := range row.answers {
				if read++; !yield(q) {
					return
				}
			}
		}) {
			outputs, last = outputs+1, err
		}
		if read != row.read || outputs != row.read || (last != nil) != row.isBad {
			t.Errorf("%v: %d answers read, %d outputs, %v, want %d", row.answers, read, outputs, last, row.read)
		}
		for range run.Compares(slices.Values(row.answers)) {
			break
		}
	}
}

// checkExact compares what spec and impl draw from the same random words; impl has the nearest int64.
func checkExact(t reporter, name string, got []int64, err1 error, want []*big.Int, err0 error) {
	isSame := func(got int64, want *big.Int) bool {
		if !want.IsInt64() {
			return got == math.MaxInt64 && want.Sign() > 0 || got == math.MinInt64 && want.Sign() < 0
		}
		return got == want.Int64()
	}
	if err0 != nil || err1 != nil || !slices.EqualFunc(got, want, isSame) {
		t.Fatalf("%s: impl %v, %v, spec %v, %v", name, got, err1, want, err0)
	}
}

// gaussianPair compares the discrete Gaussian mechanism.
func gaussianPair(t reporter, value []int64, variance *big.Rat, seed [32]byte) {
	want, err0 := spec.DiscreteGaussianMechanism(integers(value), variance, noise.Coins{Source: rand.NewChaCha8(seed)})
	got, err1 := noise.DiscreteGaussianMechanism(value, variance, rand.NewChaCha8(seed))
	checkExact(t, "DiscreteGaussianMechanism", got, err1, want, err0)
}

func integers(xs []int64) (all []*big.Int) {
	for _, x := range xs {
		all = append(all, big.NewInt(x))
	}
	return all
}

// propExactMechanisms tries scales whose terms are longer than a word, too.
func propExactMechanisms(t *rapid.T) {
	seed := [32]byte{rapid.Byte().Draw(t, "seed"), rapid.Byte().Draw(t, "seed")}
	value := rapid.SliceOfN(rapid.Int64Range(-1<<40, 1<<40), 1, 4).Draw(t, "value")
	x, y := positives().Draw(t, "x"), positives().Draw(t, "y")
	want, err0 := spec.DiscreteLaplaceMechanism(integers(value), x, y, noise.Coins{Source: rand.NewChaCha8(seed)})
	got, err1 := noise.DiscreteLaplaceMechanism(value, x, y, rand.NewChaCha8(seed))
	checkExact(t, "DiscreteLaplaceMechanism", got, err1, want, err0)
	gaussianPair(t, value, x, seed)
}

// positives are rationals from 2^-20 to 2^100, of long and of short terms.
func positives() *rapid.Generator[*big.Rat] {
	return rapid.Custom(func(t *rapid.T) *big.Rat {
		long := rapid.Uint64Min(1).Draw(t, "term")
		scale := new(big.Int).Lsh(big.NewInt(1), uint(rapid.IntRange(0, 20).Draw(t, "scale")))
		x := new(big.Rat).SetFrac(new(big.Int).SetUint64(long), scale)
		if rapid.Bool().Draw(t, "is longer") {
			x.Mul(x, new(big.Rat).SetFrac(new(big.Int).Lsh(big.NewInt(1), 70), big.NewInt(1_000_003)))
		}
		return x
	})
}

func TestPair_ExactMechanisms(t *testing.T) {
	t.Parallel()
	rapid.Check(t, propExactMechanisms)
	// variances for which some of the numbers on the way are just longer than a word
	for _, variance := range []string{"1e9", "2147483648", "3037000500", "1000000000/3", "4e9"} {
		gaussianPair(t, make([]int64, 1000), rat.Of(variance), [32]byte{5})
	}
	for _, bad := range []*big.Rat{nil, rat.Of("0"), rat.Of("-2")} {
		source := rand.NewChaCha8([32]byte{})
		_, want := spec.DiscreteLaplaceMechanism(nil, bad, rat.One, noise.Coins{Source: source})
		_, got := noise.DiscreteLaplaceMechanism(nil, bad, rat.One, source)
		checkRefusal(t, "DiscreteLaplaceMechanism", got, want)
		_, want = spec.DiscreteGaussian(bad, noise.Coins{Source: source})
		_, got = noise.DiscreteGaussian(bad, source)
		checkRefusal(t, "DiscreteGaussian", got, want)
	}
}

// propCoins compares draws with the real number r whose digits are the words: after these, all digits are 0.
func propCoins(t *rapid.T) {
	n := rapid.OneOf(rapid.Uint64Min(1), rapid.Uint64Range(1, 10), rapid.Uint64Min(math.MaxUint64-10)).Draw(t, "n")
	shift := rapid.SampledFrom([]uint{0, 0, 1, 64, 65}).Draw(t, "shift")
	wide := new(big.Int).Lsh(new(big.Int).SetUint64(n), shift)
	j := new(big.Int).Mod(new(big.Int).SetUint64(rapid.Uint64().Draw(t, "j")), wide)
	digits := new(big.Int).Quo(new(big.Int).Lsh(j, 256), wide) // the first four of j/n, and some next to them
	digits.Add(digits, big.NewInt(rapid.Int64Range(-2, 2).Draw(t, "off")))
	if digits.Sign() < 0 || digits.BitLen() > 256 {
		digits.SetInt64(0)
	}
	words := func() noise.Coins { return noise.Coins{Source: &endless{digits: digits}} }
	r := new(big.Rat).SetFrac(digits, new(big.Int).Lsh(big.NewInt(1), 256))
	whole := new(big.Int).Quo(new(big.Int).Mul(r.Num(), wide), r.Denom())
	if got := words().Below(wide); got.Cmp(whole) != 0 {
		t.Fatalf("Below(%d) is %d, must be %d", wide, got, whole)
	}
	p := new(big.Rat).SetFrac(j, wide)
	if got := words().Bernoulli(p); got != (r.Cmp(p) < 0) {
		t.Fatalf("Bernoulli(%s) is %t, r is %s", p, got, r)
	}
}

func TestExact_Coins(t *testing.T) {
	t.Parallel()
	rapid.Check(t, propCoins)
}

// endless is a source of four words, and zeros.
type endless struct {
	digits *big.Int
	at     int
}

func (e *endless) Uint64() uint64 {
	e.at++
	if e.at > 4 {
		return 0
	}
	return new(big.Int).Rsh(e.digits, uint(256-64*e.at)).Uint64()
}

// The source for use does not repeat itself, and has ones and zeros alike.
//
// Null: each of 64·10^4 bits is 1 with probability 1/2, independently. The rule rejects with a probability of at most
// 2e-9 (Hoeffding, at 3200).
func TestSecureSource(t *testing.T) {
	t.Parallel()
	source, seen, ones := noise.SecureSource(), map[uint64]bool{}, 0
	for range 10_000 {
		w := source.Uint64()
		seen[w] = true
		ones += bits.OnesCount64(w)
	}
	if len(seen) < 10_000 || max(ones, 640_000-ones) > 323_200 {
		t.Errorf("%d different words of 10000, %d bits of 640000 are 1", len(seen), ones)
	}
}
