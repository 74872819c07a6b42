package verify

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"checkrr/impl"

	"pgregory.net/rapid"
)

// propRaiseMechanism: raising an ε or a δ never lowers OptDel.
func propRaiseMechanism(t *rapid.T) {
	w := drawWorld(t)
	raised := w.clone()
	m := &raised.mechanisms[w.Roll(len(raised.mechanisms))]
	if w.Roll(2) == 0 {
		m.eps = m.eps.plus(big.NewRat(int64(w.Roll(500)), grain))
	} else {
		rest := new(big.Rat).Sub(rat("1"), m.delta)
		m.delta = rest.Mul(rest, big.NewRat(int64(w.Roll(1001)), 1000)).Add(rest, m.delta)
	}
	if before, after := w.solve(w.problem)["OptDel"], w.solve(raised)["OptDel"]; !before.atMost(after) {
		t.Errorf("OptDel falls from %s to %s: %v became %v", before, after, w.problem, raised)
	}
}

// propRaiseCharge: raising a charge never raises OptDel.
func propRaiseCharge(t *rapid.T) {
	w := drawWorld(t)
	raised := w.clone()
	s := &raised.stops[w.Roll(len(raised.stops))]
	s.eps = s.eps.plus(big.NewRat(int64(w.Roll(500)), grain))
	if before, after := w.solve(w.problem)["OptDel"], w.solve(raised)["OptDel"]; !after.atMost(before) {
		t.Errorf("OptDel rises from %s to %s: %v became %v", before, after, w.problem, raised)
	}
}

// propFallingCharges: if no charge is above an earlier one, stopping early never pays.
func propFallingCharges(t *rapid.T) {
	w := drawWorld(t)
	n := len(w.stops)
	charges := make([]number, n)
	for i, s := range w.stops {
		charges[i] = s.eps
	}
	slices.SortFunc(charges, func(x, y number) int { return compare(y, x) })
	p := w.clone()
	for i := range p.stops {
		p.stops[i].eps = charges[i]
	}
	v := w.solve(p)
	if last := v[fmt.Sprint("SingleStop ", n)]; !v["OptDel"].meets(last) {
		t.Errorf("%v: OptDel is %s, the last stop alone %s", p, v["OptDel"], last)
	}
}

// propOrder: the largest single stop ≤ OptDel ≤ Lemma 11, their sum.
func propOrder(t *rapid.T) {
	w := drawWorld(t)
	v := w.solve(w.problem)
	sum := span{new(big.Rat), new(big.Rat)}
	for i := range w.stops {
		x := v[fmt.Sprint("SingleStop ", i+1)]
		if !x.atMost(v["OptDel"]) {
			t.Errorf("%v: stop %d alone is %s, OptDel %s", w.problem, i+1, x, v["OptDel"])
		}
		sum.lo.Add(sum.lo, x.lo)
		sum.hi.Add(sum.hi, x.hi)
	}
	if !v["OptDel"].atMost(v["Lemma11"]) || !v["Lemma11"].meets(sum) {
		t.Errorf("%v: OptDel is %s, Lemma 11 %s, the sum of single stops %s", w.problem, v["OptDel"], v["Lemma11"], sum)
	}
}

// propSingleStop: a stop by itself is a problem that ends there.
func propSingleStop(t *rapid.T) {
	w := drawWorld(t)
	i := w.Roll(len(w.stops))
	v := w.solve(w.problem)
	alone := w.solve(w.upTo(i))
	x := v[fmt.Sprint("SingleStop ", i+1)]
	for what, y := range alone {
		if !y.meets(x) {
			t.Errorf("%v: stop %d alone is %s, the %s of %v is %s", w.problem, i+1, x, what, w.upTo(i), y)
		}
	}
}

// upTo returns p cut off at stop i, without the stops before it.
func (p problem) upTo(i int) problem {
	return problem{p.each()[:p.stops[i].after], p.stops[i : i+1]}
}

// propDropStop: without one of its stops, not the last, a problem is worth no more.
func propDropStop(t *rapid.T) {
	w := drawWorld(t)
	n := len(w.stops)
	if n == 1 {
		return
	}
	less := w.clone()
	i := w.Roll(n - 1)
	less.stops = slices.Delete(less.stops, i, i+1)
	if before, after := w.solve(w.problem)["OptDel"], w.solve(less)["OptDel"]; !after.atMost(before) {
		t.Errorf("OptDel rises from %s to %s: %v became %v", before, after, w.problem, less)
	}
}

// propSplit: a mechanism with a count is that many mechanisms.
func propSplit(t *rapid.T) {
	w := drawWorld(t)
	i := w.Roll(len(w.mechanisms))
	first := w.mechanisms[i]
	if first.count == 1 {
		return
	}
	second := first
	first.count = 1 + w.Roll(first.count-1)
	second.count -= first.count
	split := w.clone()
	split.mechanisms = slices.Replace(split.mechanisms, i, i+1, first, second)
	checkSame(w, split)
}

// propNothing: a mechanism with ε = 0 and δ = 0 changes nothing, wherever it is.
func propNothing(t *rapid.T) {
	w := drawWorld(t)
	at, late := w.Roll(w.length()+1), w.Roll(2) // late: a stop in this place comes before it
	zero := number{rat("0"), false}
	if !w.long {
		zero = number{rat("1"), true}
	}
	more := problem{w.each(), slices.Clone(w.stops)}
	more.mechanisms = slices.Insert(more.mechanisms, at, mechanism{zero, rat("0"), 1})
	for i := range more.stops {
		if s := &more.stops[i]; s.after+late > at || i == len(more.stops)-1 {
			s.after++
		}
	}
	checkSame(w, more)
}

// propReorder: the order of mechanisms between two neighbouring stops does not matter.
func propReorder(t *rapid.T) {
	w := drawWorld(t)
	other := problem{w.each(), w.stops}
	from := 0
	for _, s := range w.stops {
		part := other.mechanisms[from:s.after]
		for i := len(part) - 1; i > 0; i-- {
			j := w.Roll(i + 1)
			part[i], part[j] = part[j], part[i]
		}
		from = s.after
	}
	checkSame(w, other)
}

// checkSame checks that p and the problem of w have the same values.
func checkSame(w world, p problem) {
	want := w.solve(w.problem)
	for what, got := range w.solve(p) {
		if !got.meets(want[what]) {
			w.Errorf("%s of %v is %s, of %v %s", what, w.problem, want[what], p, got)
		}
	}
}

// propWidths: intervals of every width, by every method, hold the same number.
// A wide interval gives away mass on purpose, and must say so.
func propWidths(t *rapid.T) {
	p := longProblems(60).Draw(t, "problem")
	checkWidths(t, p)
}

func checkWidths(t reporter, p problem) {
	want := found(solve(t, p, impl.Options{}))
	for _, o := range []impl.Options{{RelWidth: 0.5}, {RelWidth: 1e-3}, {RelWidth: 1e-15},
		{Method: impl.Bracket, RelWidth: 0.5}, {Method: impl.Bracket, RelWidth: 1e-2}} {
		checkTruth(t, p, o, solve(t, p, o), want)
	}
}

// propPlain: impl agrees with backward and forward induction in their plainest form.
func propPlain(t *rapid.T) {
	checkPlain(t, longProblems(60).Draw(t, "problem"))
}

func checkPlain(t reporter, p problem) {
	checkTruth(t, p, auto, solve(t, p, auto), plainly(p, doubles{}).truths())
}

// about returns the numbers that x, computed by [follow], can stand for.
func about(x float64) span { return around(new(big.Rat).SetFloat64(x), plainError, "1e-300") }

func TestLaw_RaiseMechanism(t *testing.T) {
	t.Parallel()
	rapid.Check(t, propRaiseMechanism)
}
func TestLaw_RaiseCharge(t *testing.T) { t.Parallel(); rapid.Check(t, propRaiseCharge) }
func TestLaw_FallingCharges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, propFallingCharges)
}
func TestLaw_Order(t *testing.T)      { t.Parallel(); rapid.Check(t, propOrder) }
func TestLaw_SingleStop(t *testing.T) { t.Parallel(); rapid.Check(t, propSingleStop) }
func TestLaw_DropStop(t *testing.T)   { t.Parallel(); rapid.Check(t, propDropStop) }
func TestLaw_Split(t *testing.T)      { t.Parallel(); rapid.Check(t, propSplit) }
func TestLaw_Nothing(t *testing.T)    { t.Parallel(); rapid.Check(t, propNothing) }
func TestLaw_Reorder(t *testing.T)    { t.Parallel(); rapid.Check(t, propReorder) }
func TestLaw_Widths(t *testing.T)     { t.Parallel(); rapid.Check(t, propWidths) }
func TestPair_Plain(t *testing.T)     { t.Parallel(); rapid.Check(t, propPlain) }

func FuzzRaiseMechanism(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propRaiseMechanism)) }
func FuzzRaiseCharge(f *testing.F)    { f.Fuzz(rapid.MakeFuzz(propRaiseCharge)) }
func FuzzFallingCharges(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propFallingCharges)) }
func FuzzOrder(f *testing.F)          { f.Fuzz(rapid.MakeFuzz(propOrder)) }
func FuzzSingleStop(f *testing.F)     { f.Fuzz(rapid.MakeFuzz(propSingleStop)) }
func FuzzDropStop(f *testing.F)       { f.Fuzz(rapid.MakeFuzz(propDropStop)) }
func FuzzSplit(f *testing.F)          { f.Fuzz(rapid.MakeFuzz(propSplit)) }
func FuzzNothing(f *testing.F)        { f.Fuzz(rapid.MakeFuzz(propNothing)) }
func FuzzReorder(f *testing.F)        { f.Fuzz(rapid.MakeFuzz(propReorder)) }
func FuzzWidths(f *testing.F)         { f.Fuzz(rapid.MakeFuzz(propWidths)) }
func FuzzPlain(f *testing.F)          { f.Fuzz(rapid.MakeFuzz(propPlain)) }
