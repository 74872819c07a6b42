package testkit

import (
	"math/big"

	"pgregory.net/rapid"

	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

func ExpOf(s string) loss.Epsilon  { return loss.Exp(rational.MustParse(s)) }
func NatsOf(s string) loss.Epsilon { return loss.Nats(rational.MustParse(s)) }

// DrawEpsilon draws a parameter: a short decimal, a ratio, or e^ε.
func DrawEpsilon(t *rapid.T, label string) loss.Epsilon {
	n := rapid.Int64Range(0, 400).Draw(t, label)
	switch rapid.IntRange(0, 5).Draw(t, label+" form") {
	case 0:
		return loss.Nats(big.NewRat(n, rapid.Int64Range(1, 30).Draw(t, label+" denominator")))
	case 1:
		return loss.Exp(big.NewRat(n+30, rapid.Int64Range(1, 30).Draw(t, label+" denominator")))
	case 2:
		return loss.Exp(new(big.Rat).Add(rational.One, big.NewRat(n, 1_000_000_000_000)))
	}
	return loss.Nats(big.NewRat(n, 1000))
}
