package register

import (
	"encoding/binary"
	"math/rand/v2"
)

// Dice is where a random case comes from.
type Dice interface {
	Roll(n int) int // in [0, n); 0 is the simplest
}

// stream is a Dice that is the same on every run and every machine.
type stream struct{ *rand.Rand }

func (s stream) Roll(n int) int { return s.IntN(n) }

// Seeded returns the stream number n.
func Seeded(n uint64) Dice {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], n)
	return stream{rand.New(rand.NewChaCha8(seed))}
}

// tape keeps what was rolled.
type tape struct {
	source Dice
	rolls  []int
}

func (r *tape) Roll(n int) int {
	r.rolls = append(r.rolls, r.source.Roll(n))
	return r.rolls[len(r.rolls)-1]
}

// replay rolls what was kept, as far as it is possible, and then zeros.
type replay struct {
	rolls []int
	next  int
}

func (r *replay) Roll(n int) int {
	if r.next == len(r.rolls) {
		return 0
	}
	r.next++
	return min(r.rolls[r.next-1], n-1)
}
