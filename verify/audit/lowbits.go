package audit

import (
	"context"
	"math/rand/v2"
	"slices"
)

// lowBitsPromise is the growth of the logarithm of a capital from which on last bits are
// warned of: by chance, there is hardly ever so much.
const lowBitsPromise = 20

// lowBitsOutputs is how many outputs are looked at, about: what last bits tell, they tell soon.
const lowBitsOutputs = 20_000

// lowBits reports whether numbers that were taken as reals would break the claim as
// float64, by bits that a real number does not have (Mironov 2012), and not without these. It is a warning and
// no test: it looks at no fresh outputs.
func (a *auditor) lowBits() bool {
	if !a.haveNumbers() {
		return false
	}
	ctx, stop := a.untilReport()
	defer stop()
	dice := rand.New(rand.NewChaCha8(a.seed(-5)))
	for _, t := range a.matches {
		few := &match{drawn: t.drawn}
		for side := range 2 {
			few.learn[side] = t.learn[side].some(lowBitsOutputs, dice)
			few.judge[side] = t.judge[side].some(lowBitsOutputs, dice)
		}
		withBits, ok := few.promise(ctx, a, true)
		if !ok || withBits <= lowBitsPromise {
			continue
		}
		if without, ok := few.promise(ctx, a, false); ok && withBits-without > lowBitsPromise {
			return true
		}
	}
	return false
}

// promise returns the most that bets on as many outputs promise, with all bits of numbers or without; not ok if that is
// not known.
func (t *match) promise(ctx context.Context, a *auditor, bits bool) (most float64, ok bool) {
	asked, copied := *a, &match{drawn: t.drawn, learn: t.learn, judge: t.judge}
	asked.Bits = bits
	r, err := copied.open(ctx, &asked, t.judge[0].Count(), 0)
	if err != nil || r == nil {
		return 0, false // what is wrong was said when it was bet on, or time is up
	}
	for _, g := range copied.capitals {
		if g.betting {
			most = max(most, g.chosen.promise)
		}
	}
	return most, true
}

// haveNumbers reports whether there are numbers in the outputs.
func (a *auditor) haveNumbers() bool {
	return slices.ContainsFunc(a.matches, func(t *match) bool { return widest(t.learn) > 0 })
}
