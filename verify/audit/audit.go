package audit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Options say how much is drawn and how sure the verdict is.
type Options struct {
	Samples int     // outputs drawn for each input of a pair, at most
	Alpha   float64 // bound on the probability that a verdict of refutation, or a bound, is false
	Seed    uint64  // of all draws
	Bits    bool    // take numbers as float64, with all their bits, and not as reals
	// in bytes, about, that may be taken for outputs and to learn from them; 0 for DefaultMemory
	Memory   int64
	Full     bool               // use all samples, for better bounds, even if the claim is refuted earlier
	Progress func(done float64) // is called with the share of the outputs that are drawn; or nil
}

// How α is shared: a refutation, and with it the bounds beyond the claim, has
// verdictShare of it; bounds below a claim that is not refuted have the rest.
const (
	verdictShare = 7.0 / 8
	boundShare   = 1 - verdictShare
)

// Run looks for a violation of a claim in outputs of pairs of neighbouring inputs, in
// either direction.
//
// The outputs of a pair are drawn in rounds, each twice as large as all before. Before a round
// is drawn, a partition of the outputs is learned from one half of the earlier outputs, and
// events and bets are chosen by counts of the other half; see bet. The
// capital is divided among pairs and directions; the claim is refuted when all of it
// together is 1/α times what it was.
//
// Symbols: α = o.Alpha.
// Errors: those of the claim and of the samplers. If ctx ends, the report is about what was drawn until then.
// Accuracy: a true claim is refuted with probability at most α; bounds are on the safe side.
// Cost: O(n log n) time and O(n) memory for n outputs.
func Run(ctx context.Context, claim Claim, pairs []Pair, o Options) (*Report, error) {
	a, err := newAuditor(claim, pairs, o)
	if err != nil {
		return nil, err
	}
	a.clock(ctx)
	if _, err := a.play(ctx); err != nil {
		if ctx.Err() == nil {
			return nil, err
		}
		a.stopped()
	}
	return a.report(), nil
}

// play draws and bets, round by round, and reports whether the claim is refuted.
func (a *auditor) play(ctx context.Context) (refuted bool, err error) {
	sizes := rounds(a.Samples)
	for number, size := range sizes {
		for _, t := range a.matches {
			if err := t.play(ctx, a, number, size, len(sizes)-1-number); err != nil {
				return a.refuted(), err
			}
			if a.Progress != nil {
				a.Progress(float64(t.drawn) / float64(a.Samples))
			}
			if a.refuted() && !a.Full {
				return true, nil
			}
		}
	}
	return a.refuted(), nil
}

// auditor is an audit that goes on.
type auditor struct {
	Options
	claim   Claim
	null    hypothesis
	parts   []int // all of them
	matches []*match

	found    *Witness  // what refuted the claim, or nil: one may stop when one likes, and go on
	deadline time.Time // of the report; zero if there is none
	cut      bool      // something of the report was left as it was when that was over
}

func newAuditor(claim Claim, pairs []Pair, o Options) (*auditor, error) {
	if err := claim.Validate(); err != nil {
		return nil, err
	}
	switch {
	case len(pairs) == 0:
		return nil, fmt.Errorf("there are no neighbouring inputs, must be at least one pair")
	case o.Samples < 1:
		return nil, fmt.Errorf("samples is %d, must be at least 1", o.Samples)
	case o.Memory != 0 && o.Memory < LeastMemory:
		return nil, fmt.Errorf("memory is %d, must be at least %d, which is 64 MiB", o.Memory, LeastMemory)
	case !(o.Alpha > 0 && o.Alpha <= 0.5):
		return nil, fmt.Errorf("alpha is %g, must be more than 0 and at most 0.5", o.Alpha)
	}
	null, err := newHypothesis(claim)
	if err != nil {
		return nil, err
	}
	o.Memory = cmp.Or(o.Memory, DefaultMemory)
	a := &auditor{Options: o, claim: claim, null: null}
	for i := range claim.Parts {
		a.parts = append(a.parts, i)
	}
	for i, p := range pairs {
		a.matches = append(a.matches, a.newMatch(i, p))
	}
	return a, nil
}

// newMatch returns a pair of inputs of which nothing was drawn.
func (a *auditor) newMatch(number int, p Pair) *match {
	t := &match{pair: p, number: number, thin: thinning{dice: rand.New(rand.NewChaCha8(a.seed(-4, number)))}}
	for side := range 2 {
		t.learn[side], t.judge[side] = &Sample{}, &Sample{}
	}
	return t
}

// match is a pair of inputs, and all that was drawn and bet there.
type match struct {
	pair   Pair
	number int
	learn  [2]*Sample // outputs that partitions are learned from
	judge  [2]*Sample // outputs that events and bets are chosen by
	thin   thinning   // how they were chosen from those drawn
	halves [2]int     // how many were drawn for either, of either input
	drawn  int        // of either input
	history
	capitals [2]capital // against the claim, by direction
}

// smallRound is about how many outputs the first round has, growth how many times more
// there are after a round than before, and looks how often a round is looked at.
const (
	smallRound = 500
	growth     = 3
	looks      = 4
)

// rounds returns how many outputs are drawn in each round, n altogether.
func rounds(n int) []int {
	var sizes []int
	for ; n > smallRound; n /= growth {
		sizes = append(sizes, n-n/growth)
	}
	if half := n / 2; half > 0 {
		sizes = append(sizes, n-half)
		n = half
	}
	sizes = append(sizes, n)
	slices.Reverse(sizes)
	return sizes
}

// lookSize returns how many of a round's outputs are drawn before it is looked at again.
func lookSize(size, look int) int { return size*(look+1)/looks - size*look/looks }

// play draws a round of outputs, and bets on them unless it is the first. It ends early
// if that is enough.
func (t *match) play(ctx context.Context, a *auditor, number, size, left int) error {
	before := t.capitals
	r, err := t.open(ctx, a, size, left)
	if err != nil {
		return err
	}
	for look := range looks {
		if err := t.draw(ctx, a, r, lookSize(size, look), number, look); err != nil {
			if r != nil && r.freshSize == 0 { // a round of which nothing was seen is none
				t.capitals, t.history = before, t.history[:len(t.history)-1]
			}
			return err
		}
		if r == nil {
			continue
		}
		for direction := range t.capitals {
			t.capitals[direction].look(r, a.null)
		}
		if a.settle(); a.refuted() && !a.Full {
			break
		}
	}
	return nil
}

// open learns what a round is about, from what was drawn before, and bets; it returns nil
// if that is nothing.
func (t *match) open(ctx context.Context, a *auditor, size, left int) (*round, error) {
	if t.drawn == 0 {
		return nil, nil
	}
	r, err := inTime(ctx, func() (*round, error) {
		m, err := learn(a.claim, t.learn, a.Bits)
		if err != nil {
			return nil, err
		}
		r, err := newRound(m, t.judge, size, left)
		if err == nil && (a.Bits || !isPlain(t.learn)) {
			r.places, err = newRound(learnWide(a.claim, t.learn, a.Bits), t.judge, size, left)
		}
		return r, err
	})
	if err != nil {
		return nil, err
	}
	t.history = append(t.history, r)
	for direction := range t.capitals {
		t.capitals[direction].bet(r, direction, a.null, a.parts, a.goal(verdictShare))
	}
	return r, nil
}

// draw draws n outputs of either input, of which both halves go to a pool of their own.
// If that fails nothing is added: outputs of one input only would be taken for misses of the other.
func (t *match) draw(ctx context.Context, a *auditor, r *round, n, number, look int) error {
	var drawn [2][2]*intake // by half and input
	for half := range drawn {
		size := n / 2
		if half == look%2 {
			size = n - size
		}
		for side, sampler := range t.pair.Samplers {
			in := t.newIntake(a, r, half, size)
			if err := in.take(ctx, sampler, size, a.seed(t.number, number, look, half, side)); err != nil {
				return fmt.Errorf("input %s: %w", brief(t.pair.Inputs[side]), err)
			}
			if in.count != size {
				return fmt.Errorf("input %s: %d outputs were drawn, must be %d",
					brief(t.pair.Inputs[side]), in.count, size)
			}
			drawn[half][side] = in
		}
	}
	for half, pool := range t.pools() {
		for side, in := range drawn[half] {
			r.add(side, in)
			pool[side].merge(in.kept)
		}
		t.halves[half] += drawn[half][0].count
	}
	t.drawn += n
	if err := t.shrink(a); err != nil {
		return err
	}
	return ctx.Err()
}

// newIntake returns what takes in some outputs in a half. Those of the last round are kept for nothing.
func (t *match) newIntake(a *auditor, r *round, half, size int) *intake {
	in := &intake{claim: a.claim, choose: choose{left: size, dice: t.thin.dice}, kept: &Sample{}}
	if r == nil || r.left > 0 {
		in.needed = t.thin.kept(t.halves[half]+size) - t.pools()[half][0].Count()
	}
	if r != nil {
		in.views = r.views()
		for _, v := range in.views {
			in.cells = append(in.cells, make([]int, len(v.cells)))
		}
	}
	return in
}

// brief is an input for messages.
func brief(input string) string {
	const longest = 100
	if runes := []rune(input); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return input
}

// seed returns the seed of one call of a sampler.
func (a *auditor) seed(numbers ...int) [32]byte {
	text := binary.LittleEndian.AppendUint64([]byte("checkrr audit"), a.Seed)
	for _, n := range numbers {
		text = binary.LittleEndian.AppendUint64(text, uint64(n))
	}
	return sha256.Sum256(text)
}

// threshold returns what the logarithm of the whole capital must reach to refute a
// hypothesis with a share of α.
func (a *auditor) threshold(share float64) float64 {
	return -math.Log(a.Alpha*share) * (1 + 1e-12)
}

// goal is threshold for the capital of one pair and direction, if all others are lost.
func (a *auditor) goal(share float64) float64 {
	return a.threshold(share) + math.Log(2*float64(len(a.matches)))
}

// whole returns the logarithm of the whole capital, which was 1 at first, in equal parts for
// every pair and direction; of some of them the logarithm of what a part has become
// is given, and the others are taken for lost.
func (a *auditor) whole(wealth []float64) float64 {
	return logSum(wealth...) - math.Log(2*float64(len(a.matches)))
}

// settle notes the refutation of the claim if the bets have just come to it.
func (a *auditor) settle() {
	if a.refuted() {
		return
	}
	var wealth []float64
	for _, t := range a.matches {
		wealth = append(wealth, t.capitals[0].wealth, t.capitals[1].wealth)
	}
	if capital := a.whole(wealth); capital >= a.threshold(verdictShare) {
		a.found = a.witness(capital)
	}
}

// refuted reports whether the bets have refuted the claim.
func (a *auditor) refuted() bool { return a.found != nil }
