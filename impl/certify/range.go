package certify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/certify/internal/num"
)

// # Bounded range
//
// A step of range ε has losses between t − ε and t, for any two neighbours, and nobody knows more of it: an adversary
// chooses t in [0, ε], by what was seen before. The worst step with t loses t or t − ε, such that P0- and P1-masses are
// 1 (docs/dominating-pairs.md, Lemma 13). So a value before the step is the largest over t of the chord of the values
// behind it, from t − ε to t.
//
// # Upper ends
//
// t goes in steps of a unit h from ε down, so that ℓ + t is a node, and what is ε below a node is put between two. Let
// t go from one of these to the next. Behind the step values are at most what they are on the chords between nodes, s +
// i·e^−ℓ with the slope s and the intercept i of a chord, and with those at t and at t − ε the value is
//
//	f(t) = (1 − p)·s₀ + p·s₁ + (1 − q)·i₀ + q·i₁, p = (1 − e^(t−ε))/D, q = (e^−t − e^−ε)/D, D = 1 − e^−ε,
//	f″(t) = −((s₁ − s₀)·e^(t−ε) + (i₀ − i₁)·e^−t)/D,
//
// where the i count from the loss before the step. On an interval of length h a function with f″ ≥ −8c/h² is at most
// its chord and 4c·x(1 − x), x from 0 to 1: see crest. This c does not depend on the loss before the step: see caps.
//
// # Lower ends
//
// Any choice of t is one that an adversary may make. It is the one that was best for upper ends, or near that.

// MostRange bounds the length of a range.
const MostRange = 500

// RangeFault returns the rule that x breaks as the length of a range; empty if there is none.
func (x Number) RangeFault() string {
	if x.fault() == "" && !x.IsZero() && x.nats(64).Hi.Cmp(big.NewFloat(MostRange)) <= 0 {
		return ""
	}
	return fmt.Sprintf("must be more than 0, and at most %d", MostRange)
}

// turn is a step of bounded range on nodes. Index j stands for t = ε − (most + 1 − j)·unit, from j = 1 on.
type turn struct {
	up, down []float64 // P0-masses of t and of t − ε; none of index 0, where t is below 0
	blocks   []block
	below    *pld    // what is ε below a node
	curve    float64 // unit²/(8·(1 − e^−ε)), or slightly more
	unit     float64 // 1 − e^−unit
	fall     float64 // e^−ε
}

// block is from one index to another, with the P0-masses of the largest t, and of t − ε for the least one.
type block struct {
	from, to int
	up, down float64
}

// rangePLD returns the step of a mechanism with a range.
func (l *lattice) rangePLD(m Mechanism) (*pld, error) {
	eps := l.frame.of(m.Eps)
	most, rest, err := l.frame.divide(eps, l.unit)
	switch {
	case err != nil:
		return nil, err
	case most >= num.MaxWindow:
		return nil, ErrUnit
	}
	unit, d := l.frame.float(l.unit), num.OneMinusExp(l.frame.float(eps))
	t := &turn{below: &pld{}, unit: num.OneMinusExp(unit), fall: 1 - d, curve: unit * unit / (8 * d) * (1 + 0x1p-40)}
	if err := l.between(t.below, eps, 1); err != nil {
		return nil, err
	}
	between := func(from, to int) (up, down float64) { // losing t of an index, or t − ε of one before
		above, below := l.frame.float0(rest.plus(to-1, l.unit)), float64(most+1-from)*unit
		all := num.OneMinusExp(above + below)
		return num.OneMinusExp(below) / all, num.Exactly(-below).Exp().Hi * (num.OneMinusExp(above) / all)
	}
	t.up, t.down = make([]float64, most+2), make([]float64, most+2)
	for j := 1; j < most+2; j++ {
		t.up[j], t.down[j] = between(j, j)
	}
	const size = 8 // of blocks
	for from, to := 0, 1; from <= most; from, to = to, min(to+size, most+1) {
		b := block{from: from, to: to}
		b.up, b.down = between(from, to)
		t.blocks = append(t.blocks, b)
	}
	l.isExact = false
	deepest := -t.below.offset[0]
	return &pld{low: -(most + 1 + deepest), turn: t, most: 1 + 0x1p-30, isSplit: true,
		rounds: num.OneMinusExpRounds + l.splitRounds() + 16*l.frame.float(eps) + 64}, nil
}

// float0 returns s ≥ 0, as float.
func (f *frame) float0(s sum) float64 {
	if f.isZero(s) {
		return 0
	}
	return f.float(s)
}

// backward sets dst to values before the step, at least, from those behind it, which begin so much lower. It returns
// which index is about the best, for every eighth node.
func (t *turn) backward(ctx context.Context, dst, src []float64) (choices []int32, err error) {
	n, low := len(t.up), make([]float64, len(src)+t.below.offset[0])
	offset := make([]int, len(t.below.offset))
	for i, x := range t.below.offset {
		offset[i] = x - t.below.offset[0]
	}
	if err := num.Gather(ctx, low, src, offset, t.below.mass[0], 0); err != nil {
		return nil, err
	}
	high := src[len(src)-len(low):]
	caps, parts := t.caps(high, low), []func() error{}
	choices = make([]int32, (len(dst)+every-1)/every)
	const part = 1 << 10 // nodes, a multiple of every
	for from := 0; from < len(dst); from += part {
		parts = append(parts, func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			best := 1
			for m := from; m < min(from+part, len(dst)); m++ {
				dst[m], best = t.best(high[m:m+n], low[m:m+n], caps[m:m+n], best)
				if m%every == 0 {
					choices[m/every] = int32(best)
				}
			}
			return nil
		})
	}
	return choices, AtOnce(parts...)
}

// every is how many nodes share a choice.
const every = 8

// caps returns c for t from each node to the next. With κ = (u' − u)/(1 − e^−h), from the values u and u' at both, s is
// u + κ, and i is −κ·e^ℓ, ℓ the loss of the first. Values are exact here, so that κ is off by few roundings of itself.
func (t *turn) caps(high, low []float64) []float64 {
	caps := make([]float64, len(high))
	for m := range len(caps) - 1 {
		up, down := (high[m+1]-high[m])/t.unit, (low[m+1]-low[m])/t.unit
		slopes, intercepts := high[m]-low[m]+up-down, up-t.fall*down
		caps[m] = t.curve * (max(0, slopes) + max(0, intercepts) + 0x1p-40*(math.Abs(up)+math.Abs(down)))
	}
	return caps
}

// best returns the largest value for any t, or slightly more, and the index that is about the best; the search begins
// at one. A step that loses as much as the largest t of a block, or t − ε for the least one, is worth no less than all
// of the block: mostly that is enough to know.
func (t *turn) best(high, low, caps []float64, first int) (most float64, at int) {
	at = first
	value := t.up[at]*high[at] + t.down[at]*low[at]
	most = value
	for _, b := range t.blocks {
		if b.up*high[b.to]+b.down*low[b.from] <= most {
			continue
		}
		if b.from == 0 {
			most = b.up*high[b.to] + b.down*low[b.from]
			continue
		}
		up, down, high, low, caps := t.up[b.from:b.to+1], t.down[b.from:b.to+1], high[b.from:], low[b.from:], caps[b.from:]
		high, low, caps = high[:len(up)], low[:len(up)], caps[:len(up)]
		last := up[0]*high[0] + down[0]*low[0]
		for j := 1; j < len(up); j++ {
			this := up[j]*high[j] + down[j]*low[j]
			if larger := max(last, this); larger+caps[j-1] > most {
				most = max(most, crest(larger, math.Abs(this-last), caps[j-1]))
			}
			if this > value {
				value, at = this, b.from+j
			}
			last = this
		}
	}
	return most, at
}

// crest returns the largest number of y + (z − y)·x + 4c·x(1 − x), x from 0 to 1, where the larger of y and z is given,
// and by how much they differ.
func crest(larger, apart, c float64) float64 {
	if rise := 4*c - apart; rise > 0 {
		return larger + rise*rise/(16*c)
	}
	return larger
}

// forward adds what row j on from comes to behind the step, where index says which t is chosen on a node. It returns
// how many terms a number has at most.
func (t *turn) forward(dst []float64, src []float64, j int, index func(m int) int) (terms int32) {
	all := make([]int32, len(dst))
	add := func(at int, x float64) {
		dst[at] += x
		all[at]++
		terms = max(terms, all[at])
	}
	for m, x := range src {
		at := index(m)
		up := m + at - t.below.offset[0] // its node
		add(up, x*t.up[at])
		for i, mass := range t.below.mass[j] {
			add(up+t.below.offset[i], x*(t.down[at]*mass))
		}
	}
	return terms
}

// games finds all ends where there are ranges: those of single stops are of games, too, as what an adversary chooses
// depends on what counts.
func (c *checker) games(ctx context.Context) error {
	isFirst, stops := c.up.windows == nil, len(c.problem.Stops)
	c.finer = c.low.frame.float(c.low.unit) / c.up.frame.float(c.up.unit)
	if err := c.findWindows(ctx); err != nil {
		return err
	}
	if c.isGame = c.isGame || stops == 1; c.isGame {
		if err := c.upperEnd(ctx); err != nil {
			return err
		}
		if err := c.below(ctx); err != nil {
			return err
		}
	}
	switch {
	case stops == 1: // that is all
	case c.isSingles:
		return c.singles(ctx)
	case isFirst: // something must be known of them: that none is more
		c.upper = slices.Repeat([]outcome[float64]{{gain: c.value}}, stops)
		c.lower = make([]outcome[float64], stops)
	}
	return nil
}

// singles finds the ends of single stops.
func (c *checker) singles(ctx context.Context) error {
	for i := range c.problem.Stops {
		useful := c.up.useful // so far
		value, _, err := c.up.backward(ctx, c.hints.Floor, i)
		if err != nil {
			return err
		}
		for k, w := range useful {
			c.up.useful[k].Lo = min(c.up.useful[k].Lo, w.Lo)
		}
		alone := &rule{losses: slices.Repeat([]float64{math.Inf(1)}, len(c.problem.Stops)), only: i, index: c.index}
		alone.losses[i] = 0
		ends, err := c.low.forward(ctx, alone, c.hints.Floor)
		if err != nil {
			return err
		}
		c.upper, c.lower = append(c.upper, outcome[float64]{gain: value}), append(c.lower, ends[i])
	}
	return nil
}

// findWindows sets windows that are not there to those of an adversary who always chooses a t in the middle, and more:
// others have as much mass, up to the floor, by up to ln(1/floor)/4 steps farther away (Hoeffding).
func (c *checker) findWindows(ctx context.Context) error {
	if c.low.windows == nil {
		if _, err := c.low.forward(ctx, nil, c.hints.Floor); err != nil {
			return err
		}
		more, least := 0.0, 0
		for k, s := range c.low.plds {
			if s.turn != nil {
				more = max(more, float64(len(s.turn.up))*math.Log(1/max(c.hints.Floor, 1e-300))/4)
			}
			w := &c.low.windows[k]
			least += s.low
			*w = Window{max(w.Lo-int(more), least, -MaxNode+1), min(0, w.Hi+int(more))}
		}
	}
	if c.up.windows == nil {
		for _, w := range c.low.windows {
			lo, hi := math.Floor(float64(w.Lo)*c.finer), math.Ceil(float64(w.Hi)*c.finer)
			c.up.windows = append(c.up.windows, Window{int(max(lo-every, -MaxNode+1)), int(min(0, hi+every))})
		}
	}
	return c.up.measure()
}

// index returns the index for lower ends that is about that which was best for upper ends.
func (c *checker) index(run, node int) int {
	before, _ := c.up.needed(run)
	known := c.up.choices[run]
	at, part := math.Modf(min(max(0, (float64(node)*c.finer-float64(before.Lo))/every), float64(len(known)-1)))
	this, next := float64(known[int(at)]), float64(known[min(int(at)+1, len(known)-1)])
	below := float64(len(c.up.plds[run].turn.up)-1) - (this + part*(next-this)) // so many units is t below ε
	return len(c.low.plds[run].turn.up) - 1 - int(below/c.finer+0.5)
}
