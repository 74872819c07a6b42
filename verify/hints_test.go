package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl/certify"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// randomHints returns hints for p that are good, bad, or make no sense.
func randomHints(d register.Dice, p problem) certify.Hints {
	few := []float64{0, 0, 1e-300, 1e-26, 1e-9, 1e-3, 0.02, 0.1, 0.4}
	h := certify.Hints{Cut: few[d.Roll(len(few))], Floor: few[d.Roll(len(few))], Need: certify.Need(d.Roll(6) % 3)}
	if d.Roll(5) == 0 {
		h.Bits = uint(53 + d.Roll(300))
	}
	h.Upper = randomLattice(d, p)
	if d.Roll(3) > 0 {
		l := randomLattice(d, p)
		h.Lower = &l
	}
	if d.Roll(2) == 0 {
		for _, s := range p.stops {
			e := s.eps.float()
			some := []float64{e, e + 0.5, e * 2, e - 1, 0, -1, 1e-300, 1e300, -1e300, math.Inf(1), math.Inf(-1), e +
				float64(d.Roll(1000))/100}
			if d.Roll(100) == 0 {
				some = []float64{math.NaN()}
			}
			h.Thresholds = append(h.Thresholds, some[d.Roll(len(some))])
		}
	}
	return h
}

// randomLattice returns a lattice that may or may not fit p.
func randomLattice(d register.Dice, p problem) certify.Lattice {
	var l certify.Lattice
	_, _, most := p.moments(p.length())
	unit, _, ok := p.unit()
	switch kind := d.Roll(12); {
	case ok && kind < 4:
		l.Unit = unit.times([]int{2, 2, 1, 4}[kind]).impl()
	case kind == 4:
		l.Unit = p.mechanisms[0].eps.impl()
	case kind == 5:
		l.Unit = certify.Number{Value: rat.Of([]string{"1e-290", "1e-270", "1e9", "2", "1e279", "1e309"}[d.Roll(6)])}
	default:
		l.Unit = certify.Number{Value: rat.Add(rat.Of("1e-6"), new(big.Rat).SetFloat64(min(1, max(most,
			1e-6)/float64(int(1)<<d.Roll(12)))))}
	}
	if d.Roll(2) == 0 {
		return l
	}
	f, _ := l.Unit.Value.Float64()
	if l.Unit.Log {
		f = math.Log(f)
	}
	deep := int(min(2*most/max(f, 1e-12)+2, 20000))
	sizes := []int{1, 3, deep/16 + 1, deep/4 + 1, deep + 1, deep + 1}
	for range p.runs() {
		w := certify.Window{Hi: -d.Roll(deep + 1)}
		if d.Roll(3) == 0 {
			w.Hi = -d.Roll(deep/8 + 1)
		}
		if d.Roll(40) == 0 {
			w.Hi = -d.Roll(1 << 29)
		}
		w.Lo = w.Hi - d.Roll(sizes[d.Roll(len(sizes))])
		l.Windows = append(l.Windows, w)
	}
	return l
}

// runs returns the lengths of the longest parts of entries without a stop inside.
func (p problem) runs() (lengths []int) {
	done, next := 0, 0
	for _, m := range p.mechanisms {
		for left := m.count; left > 0; {
			n := min(left, p.stops[next].after-done)
			lengths = append(lengths, n)
			left -= n
			if done += n; done == p.stops[next].after {
				next++
			}
		}
	}
	return lengths
}

// checkHints checks that what comes of hints is true, whatever they are, or an error.
func checkHints(t reporter, p problem, h certify.Hints, want truths) *certify.Bounds {
	ctx, cancel := context.WithTimeout(t.Context(), *patience)
	defer cancel()
	b, err := certify.Check(ctx, certify.Problem(p.impl()), h)
	if b == nil && err == nil {
		t.Errorf("%v: %s: neither bounds nor an error", p, hintText(h))
	}
	if b == nil {
		return nil
	}
	check := func(what string, x certify.Interval) {
		if x.Lower == nil { // not needed
			return
		}
		if s := (span{rat.Exact(x.Lower), rat.Exact(x.Upper)}); !s.meets(want[what]) || s.lo.Sign() < 0 {
			t.Errorf("%v: %s: %s is in %s, want %s", p, hintText(h), what, s, want[what])
		}
	}
	check("OptDel", b.OptDel)
	check("Lemma11", b.Lemma11)
	for i, x := range b.SingleStop {
		check(fmt.Sprint("SingleStop ", i+1), x)
	}
	return b
}

func hintText(h certify.Hints) string {
	if h.Lower == nil {
		return fmt.Sprintf("hints %+v", h)
	}
	return fmt.Sprintf("hints %+v, lower %+v", h, *h.Lower)
}

// propHints: bad hints make wide intervals, not wrong ones.
func propHints(t *rapid.T) {
	w := drawWorld(t)
	checkHints(t, w.problem, randomHints(w, w.problem), truth(t, w.problem, w.terms))
}

// TestHints checks hints on large problems.
func TestHints(t *testing.T) {
	t.Parallel()
	shared(t, amount(6, 20_000), func(t *testing.T, i uint64) {
		d := register.Seeded(1<<34 + i)
		p := randomProblem(d, mixed, 500)
		if want := recursion(p); want != nil {
			for range 4 {
				checkHints(numbered{t, i}, p, randomHints(d, p), want)
			}
		}
	})
}

// boundsOf returns what comes of hints.
func boundsOf(t reporter, p problem, h certify.Hints) *certify.Bounds {
	b, err := certify.Check(t.Context(), certify.Problem(p.impl()), h)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return b
}

// apart is text of a part of a problem that is divided by so many stops at which nothing pays: they are charged more
// than any loss.
func apart(done *int, stops *[]string, mechanism string, times, each int) string {
	for range times {
		*done += each
		*stops = append(*stops, fmt.Sprint(*done, " 1e9"))
	}
	return fmt.Sprintf("%s x%d", mechanism, times*each)
}

// checkUnderflow checks float64 where masses are next to the smallest there are: of 2^1100 paths only
// the few next to the largest loss pay.
func checkUnderflow(t reporter) {
	p := parse(strings.Repeat("0.001 0 x8, ", 130) + "0.001 0 x8 | 1048 1.0375")
	near := boundsOf(t, p, certify.Hints{Upper: certify.Lattice{Unit: number{rat.Of("0.002"), false}.impl()}}).OptDel
	far := boundsOf(t, p, certify.Hints{Bits: 128}).OptDel
	if near.Lower.Cmp(far.Upper) > 0 || near.Upper.Cmp(far.Lower) < 0 {
		t.Errorf("in float64 OptDel is in [%g, %g], with 128 bits in [%g, %g]",
			near.Lower, near.Upper, far.Lower, far.Upper)
	}
}

// checkGrown checks a lower end where the P1-masses on the nodes fall below all that float64 has, since losses
// go down to them again and again, and grow again, since others go up. Few of the losses, as large as 5 at their
// mean, are above 9.
func checkGrown(t reporter) {
	done, stops := 0, []string(nil)
	text := strings.Join([]string{
		apart(&done, &stops, "5.2e-5 0", 1560, 10_000),
		apart(&done, &stops, "0.3775 0", 8, 2),
		apart(&done, &stops, "4.8e-5 0", 1590, 10_000),
	}, ", ")
	p := parse(text + " | " + strings.Join(stops, ", "))
	p.stops[len(p.stops)-1].eps = parseNumber("9")
	unit := func(x string) certify.Lattice { return certify.Lattice{Unit: parseNumber(x).impl()} }
	lower := unit("1")
	b := boundsOf(t, p, certify.Hints{Cut: 1e-18, Floor: 1e-20, Upper: unit("0.03"), Lower: &lower})
	for _, x := range []certify.Interval{b.OptDel, b.SingleStop[len(p.stops)-1]} {
		if x.Lower.Cmp(x.Upper) > 0 {
			t.Errorf("masses that grow again: OptDel is in [%g, %g]", b.OptDel.Lower, b.OptDel.Upper)
		}
	}
}

// checkGathered checks an upper end where many small masses are added on one node. Nothing that happens before
// the last mechanism pays, which is impossible under P1 with probability 1/2.
func checkGathered(t reporter) {
	done, stops := 0, []string(nil)
	text := apart(&done, &stops, "1e-18 0", 10, 107371179)
	p := parse(fmt.Sprintf("%s, 0 1/2 | %s, %d 1000", text, strings.Join(stops, ", "), done+1))
	unit := number{big.NewRat(236216593, 1e18), false}
	b := boundsOf(t, p, certify.Hints{Upper: certify.Lattice{Unit: unit.impl()}, Cut: 1e-22})
	if rat.Exact(b.OptDel.Upper).Cmp(rat.Half) < 0 {
		t.Errorf("many atoms on one node: OptDel is at most %.17g, want at least 1/2", b.OptDel.Upper)
	}
}
