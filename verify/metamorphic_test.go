package verify

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"checkrr/impl"
	"checkrr/verify/register"
)

var (
	seed  = flag.Uint64("seed", 0, "number of the first large problem; others find other problems")
	limit = flag.Duration("limit", 0, "after how long no more large problems are taken; 0 for never")

	// What is there by then must be true.
	patience = flag.Duration("patience", 2*time.Second, "how long one solution of a large problem may take")
)

// manyWays are the ways in which [checkWays] solves a problem: every method, and widths that
// need coarse and fine grids, float64 and wider arithmetic.
func manyWays(d register.Dice, p problem) (ways []impl.Options) {
	widths := []float64{0.3, 1e-2, 1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13, 1e-15, 1e-17, 1e-20}
	for i := d.Roll(2); i < len(widths); i += amount(3, 1) + d.Roll(3) {
		ways = append(ways, impl.Options{Method: impl.Auto, RelWidth: widths[i]})
	}
	ways = append(ways, impl.Options{}, impl.Options{Method: impl.Lattice, RelWidth: widths[d.Roll(len(widths))]})
	coarse := 2 + d.Roll(2)
	if p.length() > 200 {
		coarse = 1 + d.Roll(2)
	}
	return append(ways, impl.Options{Method: impl.Bracket, RelWidth: widths[d.Roll(coarse)]})
}

// checkWays checks that the intervals of all ways of solving a problem, and of the same problem in
// other words, meet, and meet what is known.
func checkWays(t reporter, d register.Dice, p problem, known truths) {
	best, from := truths{}, map[string][2]string{}
	meet := func(how string, found truths) {
		for what, x := range found {
			s, ok := best[what]
			if !ok {
				best[what], from[what] = x, [2]string{how, how}
				continue
			}
			if !x.meets(s) {
				t.Errorf("%v: %s is in %s says %s, but in %s says %v", p, what, x, how, s, from[what])
			}
			if x.lo.Cmp(s.lo) > 0 {
				s.lo, from[what] = x.lo, [2]string{how, from[what][1]}
			}
			if x.hi.Cmp(s.hi) < 0 {
				s.hi, from[what] = x.hi, [2]string{from[what][0], how}
			}
			best[what] = s
		}
	}
	meet("the recursion", known)
	for _, o := range manyWays(d, p) {
		q, how := p, name(o)
		if d.Roll(3) == 0 {
			q = p.reworded(d)
			how = fmt.Sprintf("%s of %v", how, q)
		}
		if r := solvePatiently(t, q, o); r != nil {
			meet(how, found(r))
		}
	}
}

// solvePatiently is [solve] with a time limit; nil if there is nothing by then, or no lattice.
func solvePatiently(t reporter, p problem, o impl.Options) *impl.Result {
	ctx, cancel := context.WithTimeout(t.Context(), *patience)
	defer cancel()
	r, err := impl.OptDel(ctx, p.impl(), o)
	switch {
	case err == nil:
		checkForm(t, p, o, r)
		return r
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, impl.ErrNoLattice) && o.Method == impl.Lattice:
		return nil
	}
	t.Errorf("%v: %s: %v", p, name(o), err)
	return nil
}

// reworded returns the same problem in other words: between two stops, entries are split, and the
// order changed. With equal entries side by side, runs end elsewhere.
func (p problem) reworded(d register.Dice) problem {
	q := problem{stops: p.stops}
	entry, left := 0, p.mechanisms[0].count
	done := 0
	for _, s := range p.stops {
		var part []mechanism
		for done < s.after {
			m := p.mechanisms[entry]
			whole := min(left, s.after-done)
			m.count = 1 + d.Roll(whole)
			if d.Roll(2) == 0 {
				m.count = whole
			}
			part = append(part, m)
			done += m.count
			if left -= m.count; left == 0 && entry+1 < len(p.mechanisms) {
				entry++
				left = p.mechanisms[entry].count
			}
		}
		shuffle(d, part)
		q.mechanisms = append(q.mechanisms, part...)
	}
	return q
}

// shared calls do for 0 … n − 1, on all processors.
func shared(t *testing.T, n int, do func(t *testing.T, i uint64)) {
	var next atomic.Int64
	start := time.Now()
	t.Cleanup(func() { t.Logf("%d problems from number %d in %v", min(n, int(next.Load())), *seed, time.Since(start)) })
	for worker := range runtime.GOMAXPROCS(0) {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			for {
				i := int(next.Add(1)) - 1
				if i >= n || *limit > 0 && time.Since(start) > *limit {
					return
				}
				do(t, *seed+uint64(i))
			}
		})
	}
}

// TestMetamorphic solves large problems in many ways, of which the answers must meet.
func TestMetamorphic(t *testing.T) {
	t.Parallel()
	shared(t, amount(2, 100_000), func(t *testing.T, i uint64) {
		d := register.Seeded(1<<32 + i)
		checkWays(numbered{t, i}, d, randomProblem(d, mixed, 2000), nil)
	})
}

// TestRecursion compares with the plain recursion: in float64 where it takes no more than about a
// second, and with [wideBits] for up to 500 mechanisms.
func TestRecursion(t *testing.T) {
	t.Parallel()
	shared(t, amount(2, 10_000), func(t *testing.T, i uint64) {
		d := register.Seeded(1<<33 + i)
		p := randomProblem(d, mixed, 2000)
		if want := recursion(p); want != nil {
			checkWays(numbered{t, i}, d, p, want)
		}
	})
}

// recursion returns the truth about p, or nil if that would take long.
func recursion(p problem) truths {
	_, times, ok := p.unit()
	if !ok {
		return nil
	}
	reach, stops := 0, len(p.stops)
	for i, n := range times {
		reach += n * p.mechanisms[i].count
	}
	switch k := p.length(); {
	case k <= 500 && reach*(k+10*stops) <= 200_000:
		return plainly(p, wides{}).truths()
	case reach*(k+100*stops) <= 10_000_000:
		return plainly(p, doubles{}).truths()
	}
	return nil
}

// numbered is a reporter that says which problem it is; whatever is wrong with one, there are others.
type numbered struct {
	*testing.T
	number uint64
}

func (n numbered) Errorf(format string, args ...any) {
	n.T.Errorf("problem %d: "+format, append([]any{n.number}, args...)...)
}

// largeLosses are problems that a solver got wrong, or nearly.
var largeLosses = map[string]string{
	"stops 12 apart at the top": "3 0 x315 | 100 267, 300 812, 315 873",
	"no method was left":        "0.01 0 x39, 0.13 1e-30 x136, 1/4 0 x96, 15.135197 0.338 x3, 1.7 0 x6 | 280 33.229",
	"powers of 4096 bits took seconds": "ln(1.1) 0 x43, ln(3.138428376721) 0.001 x536, " +
		"ln(1.9487171) 1e-300 x77 | 102 71.578, 210 112.312, 656 112.302",
	"a tie of 20000 logarithms was undecided": "ln(1.01) 0 x20000 | 20000 ln(1.0201)",
	"states did not look at the time": "ln(3/2) 1/20 x50, ln(3/2) 0 x9, 37 0 x25, 2.389339 0.314 " +
		"x51, 16.725373 0 x22 | 157 0",
}

func TestLargeLosses(t *testing.T) {
	t.Parallel()
	for name, text := range largeLosses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := parse(text)
			known := recursion(p)
			if r := solvePatiently(t, p, auto); r != nil {
				checkTruth(t, p, auto, r, known)
			}
			for i := range amount(0, 10) {
				checkWays(t, register.Seeded(uint64(i)), p, known)
			}
		})
	}
}
