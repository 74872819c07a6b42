package loss

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl/internal/rational"
)

// For the tests that see sums through an accountant.

// ShortSums makes sums round after few bits, for one test.
func ShortSums(t *testing.T, bits int) {
	old := sumBits
	sumBits = bits
	t.Cleanup(func() { sumBits = old })
}

// Drawn draws a parameter: a short decimal, a ratio, or e^ε.
func Drawn(t *rapid.T, label string) Epsilon {
	n := rapid.Int64Range(0, 400).Draw(t, label)
	switch rapid.IntRange(0, 5).Draw(t, label+" form") {
	case 0:
		return Nats(big.NewRat(n, rapid.Int64Range(1, 30).Draw(t, label+" denominator")))
	case 1:
		return Exp(big.NewRat(n+30, rapid.Int64Range(1, 30).Draw(t, label+" denominator")))
	case 2:
		return Exp(new(big.Rat).Add(rational.One, big.NewRat(n, 1_000_000_000_000)))
	}
	return Nats(big.NewRat(n, 1000))
}
