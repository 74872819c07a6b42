package noise

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	words "math/bits"
	"math/rand/v2"
	"slices"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
)

// BernoulliExp returns a sample from Bernoulli(exp(−γ)): true for 1. It makes the draws of spec.BernoulliExp in the
// same order.
//
// Source: docs/exact-noise.md, Algorithm 1: Canonne, Kamath and Steinke (2020), Algorithm 1; OUR-A1.
// Symbols and deviation from print: as for spec.BernoulliExp.
// Domain: γ ≥ 0.
// Accuracy: exact, if the words are uniform.
// Cost: some words, on average at most 8.
func BernoulliExp(gamma *big.Rat, source rand.Source) (bool, error) {
	if gamma == nil || gamma.Sign() < 0 {
		return false, fmt.Errorf("BernoulliExp: gamma is %s, must be at least 0", rational.Decimal(gamma))
	}
	if err := check.NotNil("source", source); err != nil {
		return false, fmt.Errorf("BernoulliExp: %w", err)
	}
	return Coins{source}.exp(gamma.Num(), gamma.Denom()), nil
}

// exp returns true with probability e^(−a/b), for a ≥ 0.
func (c Coins) exp(a, b *big.Int) bool {
	if a.IsUint64() && b.IsUint64() {
		return c.expWord(a.Uint64(), b.Uint64())
	}
	for ; a.Cmp(b) > 0; a = new(big.Int).Sub(a, b) {
		if !c.expUnit(1, 1) {
			return false
		}
	}
	return c.expFrom(a, b, 1)
}

// expWord is exp for words: a/b units first, and then the rest.
func (c Coins) expWord(a, b uint64) bool {
	for ; a > b; a -= b {
		if !c.expUnit(1, 1) {
			return false
		}
	}
	return c.expUnit(a, b)
}

// expUnit is exp for a ≤ b: how many of the draws with probabilities a/b, a/2b, a/3b, … succeed before one fails.
func (c Coins) expUnit(a, b uint64) bool {
	k, kb := int64(1), b // b·K
	for c.bernoulli(a, kb) {
		k++
		if kb += b; kb < b { // beyond a word
			return c.expFrom(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b), k)
		}
	}
	return k%2 == 1
}

// expFrom is expUnit for large numbers, from a K on.
func (c Coins) expFrom(a, b *big.Int, k int64) bool {
	for c.bernoulliBig(a, new(big.Int).Mul(b, big.NewInt(k))) {
		k++
	}
	return k%2 == 1
}

// DiscreteLaplace returns a sample from Lap_ℤ(t/s), where x has a probability proportional to e^(−|x|·s/t). It makes
// the draws of spec.DiscreteLaplace in the same order.
//
// Source: docs/exact-noise.md, Algorithm 2: Canonne, Kamath and Steinke (2020), Algorithm 2; OUR-A2.
// Symbols and deviation from print: as for spec.DiscreteLaplace.
// Domain: scale > 0.
// Accuracy: exact, if the words are uniform; see [SecureSource].
// Cost: some 10 words, on average.
func DiscreteLaplace(scale *big.Rat, source rand.Source) (*big.Int, error) {
	if err := cmp.Or(checkAboveZero("scale", scale), check.NotNil("source", source)); err != nil {
		return nil, fmt.Errorf("DiscreteLaplace: %w", err)
	}
	return newLaplaceLaw(scale.Denom(), scale.Num()).draw(Coins{source}).big(), nil
}

func checkAboveZero(name string, x *big.Rat) error {
	if x == nil || x.Sign() <= 0 {
		return fmt.Errorf("%s is %s, must be positive", name, rational.Decimal(x))
	}
	return nil
}

// signed is a whole number, in a word if it fits.
type signed struct {
	word     uint64   // its size, if wide is nil
	wide     *big.Int // its size
	negative bool
}

func (x signed) isZero() bool {
	return x.wide == nil && x.word == 0 || x.wide != nil && x.wide.Sign() == 0
}

func (x signed) size() *big.Int {
	if x.wide != nil {
		return x.wide
	}
	return new(big.Int).SetUint64(x.word)
}

func (x signed) big() *big.Int {
	if x.negative {
		return new(big.Int).Neg(x.size())
	}
	return x.size()
}

// plus returns value + x, or the int64 that is nearest to it.
func (x signed) plus(value int64) int64 {
	if x.wide == nil && x.word < 1<<62 && value > -1<<62 && value < 1<<62 {
		if x.negative {
			return value - int64(x.word)
		}
		return value + int64(x.word)
	}
	sum := new(big.Int).Add(big.NewInt(value), x.big())
	switch {
	case sum.IsInt64():
		return sum.Int64()
	case sum.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// laplaceLaw is Lap_ℤ(t/s).
type laplaceLaw struct {
	s, t             *big.Int
	sWord, tWord     uint64
	sIsWord, tIsWord bool
}

func newLaplaceLaw(s, t *big.Int) laplaceLaw {
	law := laplaceLaw{s: s, t: t, sIsWord: s.IsUint64(), tIsWord: t.IsUint64()}
	if law.sIsWord {
		law.sWord = s.Uint64()
	}
	if law.tIsWord {
		law.tWord = t.Uint64()
	}
	return law
}

func (l laplaceLaw) draw(c Coins) signed {
	for {
		y, ok := l.size(c)
		if !ok {
			continue
		}
		if y.negative = c.bernoulli(1, 2); !y.negative || !y.isZero() {
			return y
		}
	}
}

// size draws ⌊X/s⌋, unless U is rejected.
func (l laplaceLaw) size(c Coins) (y signed, ok bool) {
	if !l.tIsWord {
		u := c.Below(l.t)
		if !c.exp(u, l.t) {
			return signed{}, false
		}
		return l.wide(u, c.units()), true
	}
	u := c.below(l.tWord)
	if !c.expUnit(u, l.tWord) {
		return signed{}, false
	}
	v := c.units()
	high, low := words.Mul64(l.tWord, v)
	x, carry := words.Add64(low, u, 0)
	if high+carry > 0 || !l.sIsWord {
		return l.wide(new(big.Int).SetUint64(u), v), true
	}
	return signed{word: x / l.sWord}, true
}

// units draws V: how often e^−1 succeeds.
func (c Coins) units() (v uint64) {
	for c.expUnit(1, 1) {
		v++
	}
	return v
}

// wide returns ⌊(U + t·V)/s⌋.
func (l laplaceLaw) wide(u *big.Int, v uint64) signed {
	x := new(big.Int).SetUint64(v)
	x.Add(x.Mul(x, l.t), u)
	if x.Quo(x, l.s); x.IsUint64() {
		return signed{word: x.Uint64()}
	}
	return signed{wide: x}
}

// DiscreteLaplaceMechanism returns f(x) + (Y_1, …, Y_k), where each Y_i ~ Lap_ℤ(Δf/ε). It makes the draws of
// spec.DiscreteLaplaceMechanism in the same order.
//
// Source: docs/exact-noise.md, Theorem 1; OUR-T5.
// Symbols: as for spec.DiscreteLaplaceMechanism.
// Domain: Δf, ε > 0. That f has this sensitivity, in ‖·‖_1, is the caller's word.
// Accuracy: exact, if the words are uniform; see [SecureSource].
// Deviation from print: a sum beyond int64 is the nearest int64, whatever it came from.
// Cost: O(k); one allocation for the output.
func DiscreteLaplaceMechanism(value []int64, sensitivity, eps *big.Rat, source rand.Source) ([]int64, error) {
	output, err := AppendDiscreteLaplace(nil, value, sensitivity, eps, 1, source)
	if err != nil {
		return nil, fmt.Errorf("DiscreteLaplaceMechanism: %w", err)
	}
	return output, nil
}

// AppendDiscreteLaplace appends the outputs of so many runs of [DiscreteLaplaceMechanism] to a list and returns it.
func AppendDiscreteLaplace(list, value []int64, sensitivity, eps *big.Rat, runs int,
	source rand.Source) ([]int64, error) {
	err := cmp.Or(checkAboveZero("sensitivity", sensitivity), checkAboveZero("eps", eps),
		check.NotNil("source", source))
	if err != nil {
		return nil, err
	}
	scale := new(big.Rat).Quo(sensitivity, eps)
	law := newLaplaceLaw(scale.Denom(), scale.Num())
	return appendNoisy(list, value, runs, law.draw, source), nil
}

// appendNoisy appends value + (Y_1, …, Y_k) so many times, where each Y_i is drawn anew.
func appendNoisy(list, value []int64, runs int, draw func(Coins) signed, source rand.Source) []int64 {
	list = slices.Grow(list, runs*len(value))
	for range runs {
		for _, f := range value {
			list = append(list, draw(Coins{source}).plus(f))
		}
	}
	return list
}
