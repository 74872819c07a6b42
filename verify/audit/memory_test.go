package audit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// diceOf returns a source of random numbers.
func diceOf(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// smallSample has 5 outputs of which 2 differ in their numbers only, and 2 are the same.
func smallSample() *Sample {
	s := &Sample{}
	s.Group("", Number).Add(1)
	s.Group("", Number).Add(2)
	s.Group("", Numbers(2)).Add(3, 4)
	s.Group("", parsed(`"a"`)).Count = 2
	return s
}

// Every choice of so many outputs is as likely: over 20,000 draws each of the 10 pairs of 5 outputs comes 2000 times,
// with a standard deviation of 42; six of them are exceeded with probability 2e-8, and the seed is fixed. Portions,
// however they are cut, change nothing.
func TestChoose_Fair(t *testing.T) {
	dice := diceOf(1)
	for _, inPortions := range []bool{false, true} {
		counts := map[string]int{}
		for range 20_000 {
			c := choose{2, 5, dice}
			few := &Sample{}
			if inPortions {
				for _, g := range smallSample().Groups() {
					portion := &Sample{}
					mine := portion.Group(g.Part, g.Shape)
					mine.Count, mine.Numbers = g.Count, g.Numbers
					few.merge(c.of(portion))
				}
			} else {
				few = c.of(smallSample())
			}
			if few.Count() != 2 || c.needed != 0 || c.left != 0 {
				t.Fatalf("%d are chosen, must be 2; then %d of %d are left to be chosen", few.Count(), c.needed, c.left)
			}
			id := ""
			for _, g := range few.Groups() {
				id += g.Shape.String() + strings.Repeat("+", g.Count)
				for _, x := range g.Numbers {
					id += string(rune('0' + int(x)))
				}
			}
			counts[id]++
		}
		// the two that are the same can be either
		for id, want := range map[string]int{`#++12`: 1, `#+1[#,#]+34`: 1, `#+2[#,#]+34`: 1, `"a"++`: 1,
			`"a"+#+1`: 2, `"a"+#+2`: 2, `"a"+[#,#]+34`: 2} {
			if got := counts[id]; math.Abs(float64(got-2000*want)) > 6*math.Sqrt(2000*float64(want)) {
				t.Errorf("%s came %d times, must be about %d; %v", id, got, 2000*want, counts)
			}
		}
		if len(counts) != 7 {
			t.Errorf("%d different choices, must be 7: %v", len(counts), counts)
		}
	}
}

// streamed draws what a sampler draws, in portions.
type streamed struct {
	Fake
	portion int
}

func (s streamed) Stream(_ context.Context, n int, seed [32]byte, each func(*Sample) error) error {
	dice := rand.New(rand.NewChaCha8(seed))
	for n > 0 {
		portion := &Sample{}
		for range min(n, s.portion) {
			s.Fake(dice, portion)
		}
		if err := each(portion); err != nil {
			return err
		}
		n -= portion.Count()
	}
	return nil
}

// What is drawn in portions is the same, and so is all that comes of it.
func TestPair_Stream(t *testing.T) {
	t.Parallel()
	report := func(portion int) *Report {
		var p Pair
		for side := range 2 {
			f := leaky(float64(side), 1e-3).(Fake)
			p.Samplers[side] = f
			if portion > 0 {
				p.Samplers[side] = streamed{f, portion}
			}
		}
		return audited(t, nats(1), Options{Samples: 5000, Alpha: 0.01, Seed: 3, Full: true}, p)
	}
	want := report(0)
	for _, portion := range []int{1, 77} {
		if got := report(portion); got.Verdict != want.Verdict || got.Delta != want.Delta ||
			!slices.Equal(got.Eps, want.Eps) {
			t.Errorf("in portions of %d: %+v, want %+v", portion, got, want)
		}
	}
}

// tightAuditor is an audit with little memory: so little that outputs are thinned again and again.
func tightAuditor(t *testing.T, memory int64, samples int, pairs ...Pair) *auditor {
	t.Helper()
	a, err := newAuditor(nats(1), pairs, Options{Samples: samples, Alpha: 0.01, Seed: 1, Full: true})
	if err != nil {
		t.Fatal(err)
	}
	a.Memory = memory
	return a
}

// However many outputs are drawn, those that are kept fit, are as many of either input, and of all times of the
// audit; and all those of a round are counted, each once.
func TestMemory_IsKept(t *testing.T) {
	t.Parallel()
	const memory, samples = 4 << 20, 60_000
	a := tightAuditor(t, memory, samples, PairOf(vector(0, 10, 1), vector(0, 10, 1)), PairOf(nonces(0.5), nonces(0.5)))
	if _, err := a.play(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, m := range a.matches {
		if m.drawn != samples || m.thin.halvings < 2 || !m.fits(a) {
			t.Errorf("pair %d: %d outputs, halved %d times, fits %t", i+1, m.drawn, m.thin.halvings, m.fits(a))
		}
		for half, pool := range m.pools() {
			most := m.thin.kept(m.halves[half]) // less, as those of the last round are kept for nothing
			if n := pool[0].Count(); n != pool[1].Count() || n > most || n < leastKept {
				t.Errorf("pair %d: %d and %d outputs are kept", i+1, n, pool[1].Count())
			}
		}
		sum := 0
		for _, r := range m.history {
			for side := range 2 {
				if sumOf(r.fresh[side]) != r.freshSize || sumOf(r.past[side]) != r.pastSize {
					t.Errorf("pair %d: %d of %d fresh outputs are counted, %d of %d earlier ones", i+1,
						sumOf(r.fresh[side]), r.freshSize, sumOf(r.past[side]), r.pastSize)
				}
			}
			sum += r.freshSize
		}
		if first := rounds(samples)[0]; sum+first != samples {
			t.Errorf("pair %d: %d outputs are bet on, must be %d", i+1, sum, samples-first)
		}
	}
	if r := a.report(); !(r.Kept < 0.5) {
		t.Errorf("the share %g is kept", r.Kept)
	}
}

// A violation is still found, by outputs that were thinned, and a claim that is true is not refuted.
func TestMemory_ThinnedFinds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		scale   float64
		refuted bool
	}{{0.7, true}, {1, false}} {
		a := tightAuditor(t, 1<<20, 60_000, PairOf(vector(0, 1, test.scale), vector(1, 1, test.scale)))
		refuted, err := a.play(t.Context())
		if err != nil || refuted != test.refuted || a.matches[0].thin.halvings < 2 {
			t.Errorf("scale %g: refuted is %t, %v, halved %d times", test.scale, refuted, err,
				a.matches[0].thin.halvings)
		}
	}
}

// With fewer outputs to learn from, less would have been seen.
func TestMemory_SeenIsThinned(t *testing.T) {
	t.Parallel()
	p := PairOf(vector(0, 1, 1), vector(1, 1, 1))
	whole, thinned := tightAuditor(t, DefaultMemory, 30_000, p), tightAuditor(t, 1<<19, 30_000, p)
	for _, a := range []*auditor{whole, thinned} {
		if _, err := a.play(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if w, f := whole.seenLeak(whole.matches[0], 0, 0), thinned.seenLeak(thinned.matches[0], 0, 0); !(f > 2*w) {
		t.Errorf("thinned %d times, a leak is seen from %g, must be more than from %g",
			thinned.matches[0].thin.halvings, f, w)
	}
}

// Outputs that are too long to keep some are refused.
func TestMemory_TooLittle(t *testing.T) {
	t.Parallel()
	a := tightAuditor(t, 1<<20, 3000, PairOf(vector(0, 1000, 1), vector(0, 1000, 1)))
	_, err := a.play(t.Context())
	if want := "memory is 1 MiB, must be more: of outputs as long as these not even 64 are kept, " +
		"for each of 1 pairs of inputs"; err == nil || err.Error() != want {
		t.Errorf("got the error %v, want %s", err, want)
	}
	_, err = Run(t.Context(), nats(1), []Pair{laplacePair(1)}, Options{Samples: 10, Alpha: 0.1, Memory: 1000})
	if err == nil || !strings.Contains(err.Error(), "memory is 1000, must be at least") {
		t.Errorf("got the error %v", err)
	}
}

// The report of an audit whose time is up has a small share of it.
func TestClock(t *testing.T) {
	for _, budget := range []time.Duration{10 * time.Second, time.Hour} {
		ctx, cancel := context.WithTimeout(t.Context(), budget)
		end, _ := ctx.Deadline()
		a := &auditor{}
		a.clock(ctx)
		// some of the budget was over by then
		least, most := min(moment, time.Until(end)/reportShare), min(moment, budget/reportShare)
		if more := a.deadline.Sub(end); more < least || more > most {
			t.Errorf("of %v, the report has %v more, must have %v to %v", budget, more, least, most)
		}
		a.stopped()
		if left := time.Until(a.deadline); left > moment {
			t.Errorf("of %v, there are %v when it is interrupted", budget, left)
		}
		cancel()
	}
	if a := (&auditor{}); a.hurried() {
		t.Error("without a deadline there is no hurry")
	}
}

// A report that was not worked out in time says so; one that was does not.
func TestClock_Cut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		scale         float64
		refuted, late bool
	}{{1, false, false}, {1, false, true}, {0.3, true, false}, {0.3, true, true}} {
		a := tightAuditor(t, DefaultMemory, 3000, laplacePair(test.scale))
		if refuted, err := a.play(t.Context()); err != nil || refuted != test.refuted {
			t.Fatalf("scale %g: refuted is %t, %v", test.scale, refuted, err)
		}
		a.deadline = time.Now().Add(time.Hour)
		if test.late {
			a.deadline = time.Now().Add(-time.Second)
		}
		r := a.report()
		if r.Cut != test.late {
			t.Errorf("scale %g, late %t: cut is %t", test.scale, test.late, r.Cut)
		}
		if r.Seen != nil && (r.Seen.Delta < 1) == test.late {
			t.Errorf("late %t: a leak is seen from %g", test.late, r.Seen.Delta)
		}
	}
}
