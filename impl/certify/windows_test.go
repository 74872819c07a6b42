package certify

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/certify/internal/num"
)

// fewLosses is a problem with so few losses that all sequences of them can be gone through.
type fewLosses struct {
	Problem
	steps []*Losses // one by one
}

// randomFew returns up to 7 mechanisms with three losses each, of up to three kinds, and up to four stops.
func randomFew(r *rand.Rand) (p fewLosses) {
	for range 1 + r.IntN(3) {
		var list [][2]*big.Rat
		low, gap, up := -0.2-r.Float64(), 0.1+r.Float64(), 0.1+2*r.Float64()
		left, q := 1-1e-9, 1-1e-9
		for _, loss := range []float64{low, low + gap, low + gap + up} {
			mass := min(left, q*math.Exp(loss)) * (0.3 + 0.69*r.Float64())
			left, q = left-mass, q-mass*math.Exp(-loss)
			list = append(list, [2]*big.Rat{new(big.Rat).SetFloat64(loss), new(big.Rat).SetFloat64(mass)})
		}
		l, err := NewLosses(list)
		if err != nil {
			panic(err)
		}
		count := 1 + r.IntN(min(3, 7-len(p.steps)))
		p.Mechanisms = append(p.Mechanisms, Mechanism{Losses: l, Count: count})
		for range count {
			p.steps = append(p.steps, l)
		}
		if len(p.steps) == 7 {
			break
		}
	}
	for k := 1; k <= len(p.steps); k++ {
		if k == len(p.steps) || len(p.Stops) < 3 && r.IntN(2) == 0 {
			p.Stops = append(p.Stops, Stop{k, Number{Value: big.NewRat(r.Int64N(100), 40)}})
		}
	}
	return p
}

// mostFew is more than the losses of one of these.
const mostFew = 10

func about(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

// value returns what runs with a loss after k steps are worth, by all sequences of losses that may follow; if only is
// at least 0, where they may end at that stop alone.
func (p fewLosses) value(k int, loss float64, only int) (v float64) {
	if k < len(p.steps) {
		v = p.steps[k].Infinity()
		losses, masses := p.steps[k].About(mostFew)
		for i, mass := range masses {
			v += mass * p.value(k+1, loss+losses[i], only)
		}
		if only >= 0 && k == p.Stops[only].After {
			v = 0
		}
	}
	for i, s := range p.Stops {
		if s.After == k && (only < 0 || only == i) {
			v = max(v, 1-math.Exp(about(s.Eps.Value)-loss))
		}
	}
	return v
}

// hints returns some, with windows that leave out much that matters, and laws that go far beyond them.
func (p fewLosses) hints(r *rand.Rand) Hints {
	unit := 1.0 / 512
	h := Hints{Cut: 1e-18, Floor: 1e-3 * float64(r.IntN(2)), Steeper: r.IntN(3),
		Upper: Lattice{Unit: Number{Value: new(big.Rat).SetFloat64(unit)}}}
	height := map[Run]float64{} // of windows, as a part of the losses of a run
	isNarrow := r.IntN(4) > 0
	for _, run := range p.Runs() {
		most, least := 0.0, 0.0
		losses, _ := p.Mechanisms[run.Entry].Losses.About(mostFew)
		for _, loss := range losses {
			most, least = max(most, loss), min(least, loss)
		}
		run.Stop = 0
		if height[run] == 0 {
			height[run] = []float64{0.5, 0.9, 1.01}[r.IntN(3)]
		}
		h.NodeZero = append(h.NodeZero, new(big.Rat).SetFloat64(most*float64(run.Count)*height[run]))
		h.Tilts = append(h.Tilts, 2*r.Float64())
		lo := (0.05 + 0.5*r.Float64()) * (most - least) * float64(run.Count) / unit
		h.Upper.Windows = append(h.Upper.Windows, Window{Lo: -int(lo), Hi: -int(lo * r.Float64() / 3)})
	}
	if !isNarrow {
		h.Upper.Windows = nil
	}
	h.Lower = &Lattice{Unit: h.Upper.Unit, Windows: h.Upper.Windows}
	return h
}

// Ends are ends whatever is left out: outside of windows, of laws that go beyond them, and above node 0. All ways to
// make a step, and a run, are tried.
func TestWindows(t *testing.T) {
	defer func(x float64) { shortStep = x }(shortStep)
	r := rand.New(rand.NewPCG(17, 9))
	trimmed := 0
	for i := range 600 {
		p := randomFew(r)
		h := p.hints(r)
		shortStep = []float64{0, 8, math.Inf(1)}[i%3]
		b, err := Check(t.Context(), p.Problem, h)
		if err != nil {
			t.Fatal(err)
		}
		for only, x := range append([]Interval{b.OptDel}, b.SingleStop...) {
			truth := p.value(0, 0, only-1)
			lower, upper := num.ToFloat(x.Lower), num.ToFloat(x.Upper)
			if lower > truth+1e-13 || upper < truth-1e-13 {
				t.Errorf("problem %d, stop %d: between %v and %v, must contain %v", i, only, lower, upper, truth)
			}
			if only == 0 && upper > 1.001*truth {
				trimmed++
			}
		}
	}
	if trimmed < 100 {
		t.Errorf("what was left out mattered in %d problems, must in at least 100", trimmed)
	}
}

// nextToLargest returns k Laplace steps with a stop after each, where charges are such that the δ of each alone is
// about 1e-14: those of the first 40 are next to the largest loss.
func nextToLargest(k int) (p Problem, h Hints) {
	noise := Additive{Noise: Laplace, Scale: big.NewRat(3, 1), Sampling: num.One}
	p.Mechanisms = []Mechanism{{Additive: &noise, Count: k}}
	for i := 1; i <= k; i++ {
		charge := min(float64(i)/3-math.Ldexp(1e-14, min(i, 40)), math.Pow(float64(i), 0.706))
		p.Stops = append(p.Stops, Stop{i, Number{Value: new(big.Rat).SetFloat64(charge)}})
		h.NodeZero, h.Tilts = append(h.NodeZero, big.NewRat(1<<50+16, 3<<50)), append(h.Tilts, 1.5)
	}
	h.Cut, h.Floor = 1e-22, 1e-21
	h.Upper.Unit = Number{Value: big.NewRat(1, 1<<9)}
	h.Lower = &Lattice{Unit: h.Upper.Unit}
	return p, h
}

// Next to the largest losses one tilt is not enough for transforms: with steeper ones too much is far less, beside
// what is found without transforms.
func TestSteeper(t *testing.T) {
	defer func(x float64) { shortStep = x }(shortStep)
	p, h := nextToLargest(80)
	ends := func(steeper int, short float64) []Interval {
		shortStep, h.Steeper = short, steeper
		b, err := Check(t.Context(), p, h)
		if err != nil {
			t.Fatal(err)
		}
		return append(b.SingleStop, b.Lemma11, b.OptDel)
	}
	exact, plain, steep := ends(0, math.Inf(1)), ends(0, 0), ends(3, 0)
	for i, x := range exact {
		if steep[i].Lower.Cmp(x.Upper) > 0 || steep[i].Upper.Cmp(x.Lower) < 0 {
			t.Errorf("%d: between %v and %v, without transforms between %v and %v",
				i, steep[i].Lower, steep[i].Upper, x.Lower, x.Upper)
		}
	}
	last := len(exact) - 1
	upper := num.ToFloat(exact[last].Upper)
	much, little := num.ToFloat(plain[last].Upper)-upper, num.ToFloat(steep[last].Upper)-upper
	if little > 0.01*much || much < 1e-7*upper {
		t.Errorf("above %v by %v, with steeper tilts by %v, must be less than a hundredth of that", upper, much, little)
	}
}

// The laws of equal runs are found once, wherever they are; those of neighbours in the other order, and of other
// counts, are others.
func TestLawsAreShared(t *testing.T) {
	t.Parallel()
	noise := func(added bool, count int) Mechanism {
		a := Additive{Noise: Gaussian, Scale: big.NewRat(11, 10), Sampling: big.NewRat(1, 100), Added: added}
		return Mechanism{Additive: &a, Count: count}
	}
	metric := Mechanism{Eps: Number{Value: big.NewRat(1, 10)}, Delta: new(big.Rat), Count: 1}
	p := Problem{
		Mechanisms: []Mechanism{noise(true, 5), metric, noise(true, 5), noise(false, 5), noise(true, 6)},
		Stops:      []Stop{{After: 11, Eps: Number{Value: num.One}}, {After: 22, Eps: Number{Value: num.One}}},
	}
	laws, err := p.laws(t.Context(), 0)
	if err != nil || len(laws) != 5 {
		t.Fatal(laws, err)
	}
	for i := range laws {
		for j := range i {
			if (laws[i] == laws[j]) != (i == 2 && j == 0) {
				t.Errorf("runs %d and %d share their law: %t", j+1, i+1, laws[i] == laws[j])
			}
		}
	}
}
