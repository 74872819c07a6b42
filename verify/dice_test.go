package verify

import (
	"encoding/binary"
	"math/rand/v2"

	"pgregory.net/rapid"
)

// dice is where a random problem comes from.
type dice interface {
	roll(n int) int // in [0, n); 0 is the simplest
}

// search is a dice of rapid, which searches for failures and shrinks them.
type search struct{ *rapid.T }

func (s search) roll(n int) int { return rapid.IntRange(0, n-1).Draw(s.T, "roll") }

// stream is a dice that is the same on every run and every machine.
type stream struct{ *rand.Rand }

func (s stream) roll(n int) int { return s.IntN(n) }

// seeded returns the stream number n.
func seeded(n uint64) stream {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], n)
	return stream{rand.New(rand.NewChaCha8(seed))}
}

// problems returns a rapid generator of random problems.
func problems(t terms, most int) *rapid.Generator[problem] {
	return rapid.Custom(func(r *rapid.T) problem { return randomProblem(search{r}, t, most) })
}

// longProblems returns a rapid generator of long problems.
func longProblems(most int) *rapid.Generator[problem] {
	return rapid.Custom(func(r *rapid.T) problem { return longProblem(search{r}, most) })
}
