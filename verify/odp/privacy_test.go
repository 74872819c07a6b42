package odp

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

func exps(expE []*big.Rat) []loss.Epsilon { return charged{e: expE}.losses() }

// is reports whether x is r, rounded outward to 128 bits.
func is(x interval.Interval, r *big.Rat) bool {
	lower, upper := x.Rats()
	return lower.Cmp(r) <= 0 && r.Cmp(upper) <= 0 && x.RelWidth() < 0x1p-120
}

func randomExp(t *rapid.T) *big.Rat {
	return big.NewRat(int64(20+rapid.IntRange(0, 80).Draw(t, "e^ε in 20ths")), 20)
}

// The fast definitions of privacy against the literal ones, over all sets.
func propPrivacy(t *rapid.T) {
	m := rapid.IntRange(1, 6).Draw(t, "outputs")
	p := finite.RandomPartition(rolls{t}, m)
	c := charged{finite.RandomPair(rolls{t}, m, 20), p, p.Charge(func(int) *big.Rat { return randomExp(t) })}
	law0, law1 := c.laws.Dense()
	for _, n := range []notion{oneWay, bothWays, dp, subsetDP(0)} {
		got, want := register.Must(n.impl(law0, law1, p, c.losses())), register.Must(n.spec(c))
		if !is(got, want) || !rat.Equal(n.sum(c), want) {
			t.Fatalf("%s: impl has [%g, %g], spec %v, a sum %v", n.name, got.Lower, got.Upper, want, n.sum(c))
		}
	}
	k, delta := rapid.IntRange(0, p.Count()-1).Draw(t, "k"),
		big.NewRat(int64(rapid.IntRange(0, 10).Draw(t, "δ in 20ths")), 20)
	got, exists, err := impl.SmallestExpE(law0, law1, p, c.losses(), k, delta)
	want := smallestExpE(c.laws, p.Part, c.e, k, delta)
	if err != nil || exists != (want != nil) || exists && !is(got, want) {
		t.Fatalf("SmallestExpE: [%g, %g], %v, exists %v, must be %v", got.Lower, got.Upper, err, exists, want)
	}
}

func TestPair_Privacy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, propPrivacy)
}
func FuzzPrivacy(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propPrivacy)) }

// A tie, where an inequality holds with equality, is exact: no δ, and no more than e^ℰ.
func TestPaper_PrivacyTies(t *testing.T) {
	t.Parallel()
	third, twoThirds := big.NewRat(1, 3), big.NewRat(2, 3)
	law0, law1 := []*big.Rat{twoThirds, third}, []*big.Rat{third, twoThirds}
	delta := register.Must(impl.SmallestDelta(law0, law1, []int{0, 1}, exps([]*big.Rat{big.NewRat(2, 1), rat.One})))
	if delta.Upper.Sign() != 0 {
		t.Errorf("δ is at most %g, must be 0", delta.Upper)
	}
	x, exists, err := impl.SmallestExpE(law0, law1, []int{0, 1}, exps([]*big.Rat{rat.One, rat.One}), 0, new(big.Rat))
	if err != nil || !exists || !is(x, big.NewRat(2, 1)) {
		t.Errorf("e^ℰ is %v, %v, %v, must be 2", x, exists, err)
	}
}

func TestPrivacyRefuses(t *testing.T) {
	t.Parallel()
	half := []*big.Rat{rat.Half, rat.Half}
	e := exps([]*big.Rat{rat.One})
	for want, err := range map[string]error{
		"SmallestDelta: law1: probabilities sum to 0.5, must be 1": second(
			impl.SmallestDelta(half, []*big.Rat{half[0], new(big.Rat)}, []int{0, 0}, e)),
		"SmallestDelta: output 1: part is 1, " +
			"must be at least 0 and less than 1": second(impl.SmallestDelta(half, half, []int{0, 1}, e)),
		"SmallestDelta: law0, law1 and part have 2, 1 and 2 entries, " +
			"must have the same number": second(impl.SmallestDelta(half, half[:1], []int{0, 0}, e)),
		"SmallestDelta: part 0: exp_eps is 0.5, must be at least 1": second(
			impl.SmallestDelta(half, half, []int{0, 0}, exps(half[:1]))),
		"SmallestDelta: law0: probability of output 0 is -1, must be at least 0": second(
			impl.SmallestDelta([]*big.Rat{big.NewRat(-1, 1), big.NewRat(2, 1)}, half, []int{0, 0}, e)),
		"SmallestSubsetDelta: r has 1 entries, " +
			"must have 2, one for each output": second(impl.SmallestSubsetDelta(half, half, []bool{true}, e[0])),
	} {
		if fmt.Sprint(err) != want {
			t.Errorf("error is %v, must be %s", err, want)
		}
	}
}

// The largest ε: e^−ε is far below what a float64 can hold.
func TestPrivacyAtTheEdge(t *testing.T) {
	t.Parallel()
	law0, law1 := []*big.Rat{big.NewRat(1, 3), big.NewRat(2, 3)}, []*big.Rat{big.NewRat(1, 10), big.NewRat(9, 10)}
	got, err := impl.SmallestDelta(law0, law1, []int{0, 0}, []loss.Epsilon{loss.Nats(big.NewRat(1e6, 1))})
	if err != nil || got.Upper.Sign() != 0 {
		t.Errorf("δ is %v, %v, must be 0", got, err)
	}
	tooLarge := []loss.Epsilon{loss.Nats(big.NewRat(1e6+1, 1))}
	if _, err := impl.SmallestDelta(law0, law1, []int{0, 0}, tooLarge); err == nil {
		t.Error("ε = 1000001 must be refused")
	}
	if x, err := impl.HomogeneousDelta(4, 1, loss.Nats(big.NewRat(1e6, 1))); err != nil || !is(x, rat.One) &&
		x.Upper.Cmp(big.NewFloat(1)) < 0 {
		t.Errorf("δ_1 is %v, %v, must be about 1", x, err)
	}
}

// The smallest ε: e^ε is more than 1, however little. Equal laws need no δ, nor do laws with
// a ratio of 1 + ε; with 1 + 2ε they do.
func TestSmallestDelta_TinyEps(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"1e-30", "1e-300", "1e-4000", "1e-5000", "1e-20000"} {
		eps := rat.Of(text)
		for _, test := range []struct {
			times int64 // Pr_0 is 1/2 + times·ε/4 for the first output, and Pr_1 1/2
			zero  bool
		}{{0, true}, {1, true}, {2, true}, {4, false}} {
			more := rat.Mul(eps, big.NewRat(test.times, 4))
			law0, law1 := []*big.Rat{rat.Add(rat.Half, more), rat.Sub(rat.Half, more)}, []*big.Rat{rat.Half, rat.Half}
			got := register.Must(impl.SmallestDelta(law0, law1, []int{0, 0}, []loss.Epsilon{loss.Nats(eps)}))
			if zero := got.Lower.Sign() == 0 && got.Upper.Sign() == 0; zero != test.zero || got.RelWidth() > 0x1p-60 {
				t.Errorf("ε = %s, ratio 1 + %d·ε/2: δ is [%g, %g]", text, test.times, got.Lower, got.Upper)
			}
		}
	}
}

func second[X any](_ X, err error) error { return err }
