package audit

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"checkrr/verify/rat"
)

func TestRounds(t *testing.T) {
	sizes := []int{123_456, 1_000_000, 77_777_777, min(1<<40, math.MaxInt/4)}
	for n := 1; n <= 5000; n++ {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		sum := 0
		for i, size := range rounds(n) {
			if size <= 0 {
				t.Fatalf("%d: rounds are %v", n, rounds(n))
			}
			// no round is much larger than what it is learned from, nor than growth says
			if i > 0 && (size < sum || size > (growth-1)*sum+growth) {
				t.Fatalf("%d: round %d has %d outputs after %d", n, i, size, sum)
			}
			sum += size
			all := 0
			for look := range looks {
				part := lookSize(size, look)
				if part < size/looks || part > size/looks+1 {
					t.Fatalf("%d: look %d is at %d of %d", n, look, part, size)
				}
				all += part
			}
			if all != size {
				t.Fatalf("%d: looks are at %d of %d", n, all, size)
			}
		}
		if first := rounds(n)[0]; sum != n || first > smallRound {
			t.Fatalf("%d: rounds are %v", n, rounds(n))
		}
	}
}

// played plays an audit that must not fail, and returns whether it has refuted its claim.
func played(t *testing.T, claim Claim, o Options, pairs ...Pair) (a *auditor, refuted bool) {
	t.Helper()
	a, err := newAuditor(claim, pairs, o)
	if err == nil {
		refuted, err = a.play(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return a, refuted
}

// audited runs an audit that must not fail.
func audited(t *testing.T, claim Claim, o Options, pairs ...Pair) *Report {
	t.Helper()
	r, err := Run(t.Context(), claim, pairs, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func sumOf(x []int) int {
	sum := 0
	for _, v := range x {
		sum += v
	}
	return sum
}

// Where one part is charged too little, witness and bounds say which.
func TestRun_NamesThePart(t *testing.T) {
	for wrong, name := range []string{"a", "b"} {
		odds := [2]float64{2, 2}
		odds[wrong] = 4
		r := audited(t, partsClaim(2, 2), Options{Samples: 50_000, Alpha: 0.01, Seed: 3, Full: true}, partedPair(odds))
		if r.Verdict != Refuted {
			t.Fatalf("part %s: %s", name, r.Verdict)
		}
		if r.Witness.PartHits[1-wrong] != 0 || r.Witness.PartHits[wrong] == 0 {
			t.Errorf("part %s: hits by part are %v", name, r.Witness.PartHits)
		}
		for _, line := range r.Witness.Event {
			if !strings.HasSuffix(line, " in part "+name) {
				t.Errorf("part %s: event is %q", name, r.Witness.Event)
			}
		}
		if eps := r.Eps[wrong]; eps < math.Log(3.5) || eps > math.Log(4) {
			t.Errorf("part %s: ε is at least %g, must be near ln 4", name, eps)
		}
		if eps := r.Eps[1-wrong]; eps > math.Ln2 {
			t.Errorf("the right part: ε is at least %g, must be at most ln 2", eps)
		}
	}
}

func TestRun_BadOptions(t *testing.T) {
	good := Options{Samples: 10, Alpha: 0.01}
	with := func(change func(o *Options)) Options { o := good; change(&o); return o }
	pairs := []Pair{response(2)}
	for want, test := range map[string]struct {
		claim Claim
		pairs []Pair
		o     Options
	}{
		"samples is 0":          {nats(1), pairs, with(func(o *Options) { o.Samples = 0 })},
		"samples is -1":         {nats(1), pairs, with(func(o *Options) { o.Samples = -1 })},
		"alpha is 0,":           {nats(1), pairs, with(func(o *Options) { o.Alpha = 0 })},
		"alpha is 0.6":          {nats(1), pairs, with(func(o *Options) { o.Alpha = 0.6 })},
		"alpha is NaN":          {nats(1), pairs, with(func(o *Options) { o.Alpha = math.NaN() })},
		"no neighbouring input": {nats(1), nil, good},
		"no parts":              {Claim{Delta: new(big.Rat)}, pairs, good},
		"an output is in part":  {partsClaim(2, 3), pairs, good},
	} {
		if r, err := Run(t.Context(), test.claim, test.pairs, test.o); err == nil ||
			!strings.Contains(err.Error(), want) || r != nil {
			t.Errorf("error is %v, must contain %q", err, want)
		}
	}
}

func TestRun_SamplerFails(t *testing.T) {
	broken := errors.New("broken")
	p := laplacePair(1)
	for _, from := range []int{1, 2, 20} {
		p.Samplers[1] = failing(laplaceSampler{1, 1}, from, func() error { return broken })
		if r, err := Run(t.Context(), nats(1), []Pair{p}, Options{Samples: 10_000, Alpha: 0.01}); !errors.Is(err,
			broken) || !strings.Contains(err.Error(), "input [1]") || r != nil {
			t.Errorf("call %d: error is %v", from, err)
		}
	}
	// nothing is drawn, and that is no error
	p.Samplers[1] = Fake(func(*rand.Rand, *Sample) {})
	if _, err := Run(t.Context(), nats(1), []Pair{p}, Options{Samples: 10_000, Alpha: 0.01}); err == nil ||
		!strings.Contains(err.Error(), "0 outputs were drawn, must be") {
		t.Errorf("too little is drawn: error is %v", err)
	}
}

// stopping is a sampler that ends the context on a call, of which nothing is drawn.
func stopping(s Sampler, call int, cancel context.CancelFunc) Sampler {
	return failing(s, call, func() error { cancel(); return context.Canceled })
}

// An audit that is stopped, by whichever call of a sampler, reports about what was drawn of
// both inputs: outputs of one input only would count as misses of the other. Its witness has outputs of the last round
// that has any.
func TestRun_Cancelled(t *testing.T) {
	const n = 1000
	calls := 2 * looks * len(rounds(n))
	for call := 1; call <= calls; call += AtLeast(3, 1) {
		for side := range 2 {
			ctx, cancel := context.WithCancel(t.Context())
			p := response(2)
			p.Samplers[side] = stopping(p.Samplers[side], call, cancel)
			a, err := newAuditor(nats(0.1), []Pair{p}, Options{Samples: n, Alpha: 0.01, Full: true})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := a.play(ctx); !errors.Is(err, context.Canceled) {
				t.Fatalf("stopped at call %d: error is %v", call, err)
			}
			table := a.matches[0]
			drawn := table.drawn
			for i, r := range table.history {
				if first, second := sumOf(r.fresh[0]), sumOf(r.fresh[1]); first != r.freshSize ||
					second != r.freshSize {
					t.Fatalf("stopped at call %d of input %d: round %d has %d and %d outputs, must have %d", call,
						side, i+1, first, second, r.freshSize)
				}
			}
			for input := range 2 {
				if l, j := table.learn[input].Count(), table.judge[input].Count(); l+j != drawn-table.lastRound() ||
					drawn >= n {
					t.Fatalf("stopped at call %d of input %d: %d and %d outputs are there, must be %d", call, side,
						l, j, drawn-table.lastRound())
				}
			}
			if w := a.report().Witness; a.refuted() && (len(w.Event) != 1 || w.Hits[0] <= w.Hits[1] || w.Size == 0) {
				t.Errorf("stopped at call %d: witness is %+v", call, *w)
			}
		}
	}
}

// lastRound returns how many outputs were drawn in the round after which nothing is learned: they are not kept.
func (t *match) lastRound() int {
	if n := len(t.history); n > 0 && t.history[n-1].left == 0 {
		return t.history[n-1].freshSize
	}
	return 0
}

// What is reported then is a whole report, and the power is that of the outputs that were drawn.
func TestRun_CancelledReport(t *testing.T) {
	run := func(samples, call int) *Report {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p := response(2)
		p.Samplers[1] = stopping(p.Samplers[1], call, cancel)
		r, err := Run(ctx, DP(exp2, rat.Of("0")), []Pair{p}, Options{Samples: samples, Alpha: 0.01})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	all := 2 * looks * len(rounds(3000))
	whole, early := run(3000, all+1), run(3000, all-2*looks+3) // after one look at the last round
	if whole.Samples != 3000 || early.Samples != 1500 || whole.Verdict != NoViolation || early.Verdict != NoViolation {
		t.Fatalf("%+v, %+v", whole, early)
	}
	if !(early.Seen.Delta > 1.5*whole.Seen.Delta) {
		t.Errorf("of half the outputs, %g would have been seen, and %g of all", early.Seen.Delta, whole.Seen.Delta)
	}
	if wrong := run(3000, 1); wrong.Samples != 0 || wrong.Verdict != TooSmall {
		t.Errorf("%+v", wrong)
	}
}

func TestRun_SameSeedSameReport(t *testing.T) {
	for name, pair := range map[string]Pair{"right": laplacePair(1), "wrong": laplacePair(0.6)} {
		var progress []float64
		o := Options{Samples: 2000, Alpha: 0.01, Seed: 6,
			Progress: func(done float64) { progress = append(progress, done) }}
		first := audited(t, nats(1), o, pair, laplacePair(1))
		if !slices.IsSorted(progress) || first.Verdict != Refuted && progress[len(progress)-1] != 1 {
			t.Errorf("%s: progress is %v", name, progress)
		}
		if again := audited(t, nats(1), o, pair, laplacePair(1)); !reflect.DeepEqual(first, again) {
			t.Errorf("%s: reports are %+v and %+v", name, first, again)
		}
		o.Seed++
		if other := audited(t, nats(1), o, pair, laplacePair(1)); reflect.DeepEqual(first, other) {
			t.Errorf("%s: another seed has the same report", name)
		}
	}
}

// Of several pairs, the witness is of the one that breaks the claim, in the direction that does.
func TestRun_Pairs(t *testing.T) {
	for side := range 2 {
		wrong := PairOf(discrete(0.9, 0.1), discrete(1))
		if side == 1 {
			wrong.Samplers[0], wrong.Samplers[1] = wrong.Samplers[1], wrong.Samplers[0]
		}
		r := audited(t, nats(1), Options{Samples: 5000, Alpha: 0.01}, response(2), wrong, response(1))
		want := [2]string{"[0]", "[1]"}
		if side == 1 {
			want = [2]string{"[1]", "[0]"}
		}
		if w := r.Witness; w == nil || w.Pair != 1 || w.Inputs != want || !slices.Equal(w.Event, []string{`"1"`}) ||
			w.Hits[1] != 0 || !near(float64(w.Hits[0]), 0.1*float64(w.Size), 5*math.Sqrt(0.09*float64(w.Size))) {
			t.Errorf("witness is %+v", w)
		}
	}
}

// What is learned of, judged by and bet on are different outputs: each is drawn by a call with
// a seed of its own, and no fresh output was there before.
func TestRun_OutputsAreApart(t *testing.T) {
	drawn := 0.0
	numbered := seeded(drawing(0, func(int, *rand.Rand) float64 { drawn++; return drawn }), map[[32]byte]bool{})
	a, _ := played(t, nats(1), Options{Samples: 2000, Alpha: 0.01, Full: true}, PairOf(numbered, numbered),
		PairOf(numbered, numbered))
	for _, table := range a.matches {
		seen := map[float64]bool{}
		for side := range 2 {
			if l, j := table.learn[side].Count(), table.judge[side].Count(); l+j != 2000-table.lastRound() ||
				max(l-j, j-l) > len(rounds(2000)) {
				t.Errorf("%d outputs are learned of and %d judged by, must be half of %d", l, j, 2000-table.lastRound())
			}
			for _, s := range []*Sample{table.learn[side], table.judge[side]} {
				for _, g := range s.Groups() {
					for _, x := range g.Numbers {
						if seen[x] {
							t.Fatalf("output %g is there twice", x)
						}
						seen[x] = true
					}
				}
			}
		}
		before := table.drawn
		for i := len(table.history) - 1; i >= 0; i-- {
			r := table.history[i]
			before -= r.freshSize
			for side := range 2 {
				if past, fresh := sumOf(r.past[side]), sumOf(r.fresh[side]); past != r.pastSize ||
					fresh != r.freshSize || max(2*past-before, before-2*past) > len(rounds(2000)) {
					t.Errorf("round %d: %d of %d outputs are judged by, %d of %d are fresh, %d were drawn", i+1,
						past, r.pastSize, fresh, r.freshSize, before)
				}
			}
		}
	}
}

// What was refuted once stays refuted, with all samples, too; and its witness with it.
func TestRun_RefutedForGood(t *testing.T) {
	changed, audits := 0, AtLeast(5, 40)
	for seed := range audits {
		o := Options{Samples: 3000, Alpha: 0.05, Seed: uint64(seed)}
		early := audited(t, nats(0.93), o, response(math.E))
		o.Full = true
		full := audited(t, nats(0.93), o, response(math.E))
		if early.Verdict != full.Verdict || full.Samples != o.Samples {
			t.Errorf("seed %d: %s, with all %d samples %s", seed, early.Verdict, full.Samples, full.Verdict)
		}
		for _, r := range []*Report{early, full} {
			if w := r.Witness; w != nil && (w.LogWealth < w.Threshold || r.Eps[0] < 0.93) {
				t.Errorf("seed %d: refuted with %g of %g, ε at least %g", seed, w.LogWealth, w.Threshold, r.Eps[0])
			}
		}
		if early.Verdict == Refuted {
			changed++
		}
	}
	if changed < audits/8 {
		t.Errorf("%d of %d audits refute the claim, must be more to tell anything", changed, audits)
	}
}
