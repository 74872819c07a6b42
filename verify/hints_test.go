package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl/certify"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

func (p problem) certify() certify.Problem {
	var q certify.Problem
	for _, m := range p.mechanisms {
		q.Mechanisms = append(q.Mechanisms, certify.Mechanism{Eps: m.eps.certify(), Delta: m.delta, Count: m.count})
	}
	for _, s := range p.stops {
		q.Stops = append(q.Stops, certify.Stop{After: s.after, Eps: s.eps.certify()})
	}
	return q
}

func (x number) certify() certify.Number { return certify.Number{Value: x.rat, Log: x.log} }

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
			some := []float64{e, e + 0.5, e * 2, e - 1, 0, -1, 1e-300, 1e300, -1e300, math.Inf(1), math.Inf(-1), e + float64(d.Roll(1000))/100}
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
		l.Unit = unit.times([]int{2, 2, 1, 4}[kind]).certify()
	case kind == 4:
		l.Unit = p.mechanisms[0].eps.certify()
	case kind == 5:
		l.Unit = certify.Number{Value: rat.Of([]string{"1e-290", "1e-270", "1e9", "2", "1e279", "1e309"}[d.Roll(6)])}
	default:
		l.Unit = certify.Number{Value: rat.Add(rat.Of("1e-6"), new(big.Rat).SetFloat64(min(1, max(most, 1e-6)/float64(int(1)<<d.Roll(12)))))}
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
	b, err := certify.Check(ctx, p.certify(), h)
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
		lower, _ := x.Lower.Rat(nil)
		upper, _ := x.Upper.Rat(nil)
		if s := want[what]; lower.Cmp(s.hi) > 0 || upper.Cmp(s.lo) < 0 || lower.Sign() < 0 {
			t.Errorf("%v: %s: %s is in [%.20g, %.20g], want %s", p, hintText(h), what, x.Lower, x.Upper, s)
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
	p := problems(ratios, most).Draw(t, "problem")
	checkHints(t, p, randomHints(search{t}, p), exactly(t, p))
}

func propLongHints(t *rapid.T) {
	p := longProblems(60).Draw(t, "problem")
	checkHints(t, p, randomHints(search{t}, p), plainly(p, doubles{}).truths())
}

// TestHints checks hints on large problems.
func TestHints(t *testing.T) {
	t.Parallel()
	shared(t, amount(12, 20_000), func(t *testing.T, i uint64) {
		d := register.Seeded(1<<34 + i)
		p := largeProblem(d, 500)
		if want := recursion(p); want != nil {
			for range 4 {
				checkHints(numbered{t, i}, p, randomHints(d, p), want)
			}
		}
	})
}

// checkUnderflow checks float64 where masses are next to the smallest there are: of 2^1100 paths only
// the few next to the largest loss pay.
func checkUnderflow(t reporter, entries int) {
	const count = 8
	eps, charge := rat.Of("0.001"), rat.Mul(rat.Of("0.001"), big.NewRat(int64(entries*count), 1))
	q := certify.Problem{Stops: []certify.Stop{{After: entries * count, Eps: certify.Number{Value: charge.Sub(charge, rat.Of("0.0105"))}}}}
	for range entries {
		q.Mechanisms = append(q.Mechanisms, certify.Mechanism{Eps: certify.Number{Value: eps}, Delta: new(big.Rat), Count: count})
	}
	near, err := certify.Check(t.Context(), q, certify.Hints{Upper: certify.Lattice{Unit: certify.Number{Value: rat.Of("0.002")}}})
	if err != nil {
		t.Fatalf("%v", err)
	}
	far, err := certify.Check(t.Context(), q, certify.Hints{Bits: 128})
	if err != nil {
		t.Fatalf("%v", err)
	}
	if near.OptDel.Lower.Cmp(far.OptDel.Upper) > 0 || near.OptDel.Upper.Cmp(far.OptDel.Lower) < 0 {
		t.Errorf("%d entries: in float64 OptDel is in [%g, %g], with 128 bits in [%g, %g]", entries, near.OptDel.Lower, near.OptDel.Upper, far.OptDel.Lower, far.OptDel.Upper)
	}
}

// apart returns a pipeline that ends nowhere but at the end: at stops that are so far apart, all but the last one
// are charged more than any loss.
func apart(last string, runs ...certify.Mechanism) (p certify.Problem) {
	done := 0
	for _, m := range runs {
		times, each := m.Count, 10_000
		if times < 100 {
			each = 2
		}
		m.Count = times * each
		p.Mechanisms = append(p.Mechanisms, m)
		for range times {
			done += each
			p.Stops = append(p.Stops, certify.Stop{After: done, Eps: certify.Number{Value: rat.Of("1e9")}})
		}
	}
	p.Stops[len(p.Stops)-1].Eps.Value = rat.Of(last)
	return p
}

// checkGrown checks a lower end where the P1-masses on the nodes fall below all that float64 has, since losses
// go down to them again and again, and grow again, since others go up. Few of the losses, as large as 5 at their
// mean, are above 9.
func checkGrown(t reporter) {
	nats := func(x string) certify.Number { return certify.Number{Value: rat.Of(x)} }
	p := apart("9", certify.Mechanism{Eps: nats("5.2e-5"), Delta: rat.Of("0"), Count: 1560},
		certify.Mechanism{Eps: nats("0.3775"), Delta: rat.Of("0"), Count: 8}, certify.Mechanism{Eps: nats("4.8e-5"), Delta: rat.Of("0"), Count: 1590})
	h := certify.Hints{Cut: 1e-18, Floor: 1e-20, Upper: certify.Lattice{Unit: nats("0.03")}, Lower: &certify.Lattice{Unit: nats("1")}}
	b, err := certify.Check(t.Context(), p, h)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if b.OptDel.Lower.Cmp(b.OptDel.Upper) > 0 || b.SingleStop[len(p.Stops)-1].Lower.Cmp(b.SingleStop[len(p.Stops)-1].Upper) > 0 {
		t.Errorf("masses that grow again: OptDel is in [%g, %g]", b.OptDel.Lower, b.OptDel.Upper)
	}
}

// checkGathered checks an upper end where many small masses are added on one node. Nothing that happens before
// the last mechanism pays, which is impossible under P1 with probability 1/2.
func checkGathered(t reporter) {
	const times, count = 10, 107371179
	eps, half := big.NewRat(1, 1e18), big.NewRat(1, 2)
	p := certify.Problem{Mechanisms: []certify.Mechanism{
		{Eps: certify.Number{Value: eps}, Delta: new(big.Rat), Count: times * count},
		{Eps: certify.Number{Value: new(big.Rat)}, Delta: half, Count: 1}}}
	for i := range times {
		p.Stops = append(p.Stops, certify.Stop{After: (i + 1) * count, Eps: certify.Number{Value: rat.Of("1000")}})
	}
	p.Stops = append(p.Stops, certify.Stop{After: times*count + 1, Eps: certify.Number{Value: rat.Of("1000")}})
	unit := certify.Number{Value: big.NewRat(236216593, 1e18)}
	b, err := certify.Check(t.Context(), p, certify.Hints{Upper: certify.Lattice{Unit: unit}, Cut: 1e-22})
	if err != nil {
		t.Fatalf("%v", err)
	}
	if upper, _ := b.OptDel.Upper.Rat(nil); upper.Cmp(half) < 0 {
		t.Errorf("many atoms on one node: OptDel is at most %.17g, want at least 1/2", b.OptDel.Upper)
	}
}
