package noise

import (
	crypto "crypto/rand"
	"encoding/binary"
	"math"
	"math/big"
	words "math/bits"
	"math/rand/v2"
)

// SecureSource returns random words of the operating system, which are fetched many at a time. It is not for
// concurrent use.
func SecureSource() rand.Source { return &secureSource{at: len(secureSource{}.bytes)} }

type secureSource struct {
	bytes [4096]byte
	at    int
}

func (s *secureSource) Uint64() uint64 {
	if s.at == len(s.bytes) {
		_, _ = crypto.Read(s.bytes[:]) // it never fails
		s.at = 0
	}
	word := s.bytes[s.at : s.at+8]
	s.at += 8
	x := binary.LittleEndian.Uint64(word)
	clear(word) // what was drawn cannot be read again
	return x
}

// Coins are exact draws with rational probabilities, made of random words: each draw has a uniform real number r in
// [0, 1), whose digits to the base 2^64 are words, as many as decide. A second one is needed with a
// probability of about 2^-64·n. The zero value is not valid: it has no source.
type Coins struct{ rand.Source }

// Bernoulli returns whether r < p, for p in [0, 1].
func (c Coins) Bernoulli(p *big.Rat) bool {
	if p.Num().IsUint64() && p.Denom().IsUint64() {
		return c.bernoulli(p.Num().Uint64(), p.Denom().Uint64())
	}
	return c.bernoulliBig(p.Num(), p.Denom())
}

// bernoulli returns whether r < a/b. With the digit w, r·b·2^64 is at least w·b and less than w·b + b: it is on one
// side of a·2^64 for certain, or a·2^64 − w·b is what the next digits are compared with.
func (c Coins) bernoulli(a, b uint64) bool {
	for a > 0 && a < b {
		high, low := words.Mul64(c.Uint64(), b)
		switch rest := -low; {
		case high >= a:
			return false
		case high+1 < a || low == 0 || rest >= b:
			return true
		default:
			a = rest
		}
	}
	return a > 0
}

// bernoulliBig is bernoulli for large numbers: a·2^64/b is compared with the digit.
func (c Coins) bernoulliBig(a, b *big.Int) bool {
	for a.Sign() > 0 && a.Cmp(b) < 0 {
		quotient, rest := new(big.Int).QuoRem(new(big.Int).Lsh(a, 64), b, new(big.Int))
		if order := new(big.Int).SetUint64(c.Uint64()).Cmp(quotient); order != 0 {
			return order < 0
		}
		a = rest
	}
	return a.Sign() > 0
}

// Below returns ⌊r·n⌋ for n ≥ 1.
func (c Coins) Below(n *big.Int) *big.Int {
	if n.IsUint64() {
		return new(big.Int).SetUint64(c.below(n.Uint64()))
	}
	result, low := new(big.Int), new(big.Int)
	for digits := uint(64); ; digits += 64 { // r·n is result + (low + f·n)/2^digits, for some f in [0, 1)
		low.Lsh(low, 64).Add(low, new(big.Int).Mul(new(big.Int).SetUint64(c.Uint64()), n))
		carry := new(big.Int).Rsh(low, digits)
		result.Add(result, carry)
		low.Sub(low, carry.Lsh(carry, digits))
		if new(big.Int).Add(low, n).BitLen() <= int(digits) {
			return result
		}
	}
}

// below is Below for words: r·n is high + (low + f·n)/2^64 for some f in [0, 1), and only if low > 2^64 − n can the
// sum carry, which the next digits say.
func (c Coins) below(n uint64) uint64 {
	if n == 1 {
		return 0
	}
	high, low := words.Mul64(c.Uint64(), n)
	for low > -n {
		next, rest := words.Mul64(c.Uint64(), n)
		sum, carry := words.Add64(low, next, 0)
		if carry == 1 || sum < math.MaxUint64 {
			return high + carry
		}
		low = rest
	}
	return high
}
