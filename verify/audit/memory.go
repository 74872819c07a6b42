package audit

import (
	"fmt"
	"math/rand/v2"
)

// Outputs are kept to learn from: half of them for partitions, half for events and bets. What is bet on is counted as
// it comes, every output of it once, and is only then remembered. So which outputs are remembered changes what is bet
// on later, and never whether a bet is fair: it may be any choice that is made before the bet, and a fair one is made
// so that what is learned is true of all of them.

// DefaultMemory is what an audit may take, in bytes, and LeastMemory what it needs.
const (
	DefaultMemory = 1 << 30
	LeastMemory   = 64 << 20
)

const (
	// storedShare of the memory, one in so many bytes, is for outputs. What is learned from them takes more, and
	// what is not yet collected as much again.
	storedShare = 4
	// rowMemory is how many bytes of memory there must be for each output with numbers, or shape, that is kept of
	// one pair: that is learned from at once.
	rowMemory = 256
	// groupBytes is about what is needed for a shape besides its text and its numbers.
	groupBytes = 400
	// nodeBytes is what is needed for each node of a shape.
	nodeBytes = 48
	// leastKept is how many outputs of either input and half are kept, at least.
	leastKept = 64
)

// bytes returns about how much memory the outputs take, and rows how many there are that are not only counted.
func (s *Sample) bytes() (bytes, rows int64) {
	for k, g := range s.groups {
		bytes += groupBytes + nodeBytes*int64(g.Shape.nodes)
		bytes += 2*int64(len(k.part)+len(k.shape)) + 8*int64(len(g.Numbers))
		if rows++; g.Width() > 0 {
			rows += int64(g.Count)
		}
	}
	return bytes, rows
}

// choose is how outputs are chosen at random, as they come: of those left, so many are still needed. Each choice of so
// many is as likely.
type choose struct {
	needed, left int
	dice         *rand.Rand
}

// next decides about one output.
func (c *choose) next() bool {
	taken := c.needed >= c.left || c.needed > 0 && c.dice.IntN(c.left) < c.needed
	c.left--
	if taken {
		c.needed--
	}
	return taken
}

// of returns those of s that are chosen. It may be s itself, or share numbers with it.
func (c *choose) of(s *Sample) *Sample {
	n := s.Count()
	if c.needed >= c.left {
		c.needed, c.left = c.needed-n, c.left-n
		return s
	}
	few := &Sample{}
	if c.needed <= 0 {
		c.left -= n
		return few
	}
	for _, g := range s.Groups() {
		var kept []int
		count := 0
		for i := range g.Count {
			if !c.next() {
				continue
			}
			if count++; g.Width() > 0 {
				kept = append(kept, i)
			}
		}
		if count == 0 {
			continue
		}
		mine := few.Group(g.Part, g.Shape)
		mine.Count, mine.Numbers = count, make([]float64, 0, len(kept)*g.Width())
		for _, i := range kept {
			mine.Numbers = append(mine.Numbers, g.Numbers[i*g.Width():(i+1)*g.Width()]...)
		}
	}
	return few
}

// some returns a fair choice of n outputs, or all.
func (s *Sample) some(n int, dice *rand.Rand) *Sample {
	c := choose{n, s.Count(), dice}
	return c.of(s)
}

// thinning is how many outputs of a pair are kept: all of them, and one in two, four, … as they get too many. There
// are as many of both inputs, always: counts of them are compared.
type thinning struct {
	halvings int
	dice     *rand.Rand
}

// kept returns how many are kept of some outputs of either input in a half.
func (h *thinning) kept(drawn int) int { return (drawn + 1<<h.halvings - 1) >> h.halvings }

// shrink thins what is kept until it fits.
func (t *match) shrink(a *auditor) error {
	for !t.fits(a) {
		t.thin.halvings++
		for half, pool := range t.pools() {
			n := t.thin.kept(t.halves[half])
			if n < leastKept {
				return fmt.Errorf("memory is %d MiB, must be more: of outputs as long as these not even %d are kept, "+
					"for each of %d pairs of inputs", a.Memory>>20, leastKept, len(a.matches))
			}
			for side, s := range pool {
				pool[side] = s.some(n, t.thin.dice)
			}
		}
	}
	return nil
}

// fits reports whether the outputs that are kept are within the share of the pair.
func (t *match) fits(a *auditor) bool {
	var bytes, rows int64
	for _, pool := range t.pools() {
		for _, s := range pool {
			b, r := s.bytes()
			bytes, rows = bytes+b, rows+r
		}
	}
	return bytes <= a.Memory/storedShare/int64(len(a.matches)) && rows <= a.Memory/rowMemory
}

// pools returns what is kept by half: to learn from, and to judge by.
func (t *match) pools() [2]*[2]*Sample { return [2]*[2]*Sample{&t.learn, &t.judge} }
