package impl

import (
	"context"
	"math"
	"math/big"
	"testing"
)

// oneEnd returns the pipeline of the mechanisms with a stop at its end only.
func oneEnd(charge string, ms ...Mechanism) Pipeline {
	p := OneStop(ms)
	p.Stops[0].Eps = Nats(parseRat(charge))
	return p
}

// TestTop_FoundByReview: ε that differ by less than float64 can tell, in both orders; ε so small
// that they are no dd any more. What a grid says must meet what a lattice says.
func TestTop_FoundByReview(t *testing.T) {
	close1 := Mechanism{Nats(parseRat("1.0000000000000001")), new(big.Rat), 1}
	close2 := Mechanism{Nats(parseRat("0.9999999999999999999")), new(big.Rat), 80}
	for name, p := range map[string]Pipeline{
		"close":            oneEnd("78.999999999999999892", close1, close2),
		"close, reversed":  oneEnd("78.999999999999999892", close2, close1),
		"denormal":         oneEnd("0", Mechanism{Nats(parseRat("1e-320")), new(big.Rat), 30}),
		"nearly denormal":  oneEnd("0", Mechanism{Nats(parseRat("1e-316")), new(big.Rat), 30}),
		"small, not tiny":  oneEnd("0", Mechanism{Nats(parseRat("1e-200")), new(big.Rat), 3}),
		"next to the loss": oneEnd("2.9999999999999999999", Mechanism{Nats(parseRat("1")), new(big.Rat), 3}),
	} {
		exact := solve(t, p, Options{Method: Lattice, RelWidth: 1e-14})
		found, err := OptDel(t.Context(), p, Options{Method: Bracket, RelWidth: 1e-3}) // of the tiny ones it falls short
		if err != nil {
			t.Fatal(err)
		}
		for what, pair := range map[string][2]Interval{"OptDel": {exact.OptDel, found.OptDel}, "Lemma 11": {exact.Lemma11, found.Lemma11}} {
			if pair[0].Lower.Cmp(pair[1].Upper) > 0 || pair[0].Upper.Cmp(pair[1].Lower) < 0 {
				t.Errorf("%s: %s is in [%g, %g], on a grid in [%g, %g]", name, what, pair[0].Lower, pair[0].Upper, pair[1].Lower, pair[1].Upper)
			}
		}
	}
}

// Where there are more sequences above the charge than it goes through, or more runs than it
// turns, atTop says so; otherwise its interval is narrow.
func TestTop_Limits(t *testing.T) {
	few := oneEnd("9.5", Mechanism{Nats(parseRat("1")), parseRat("1e-9"), 10})
	x, ok := few.atTop(0, newCharge(few.Stops[0].Eps))
	if b := x.bounds(); !ok || !(b.lower > 0 && b.upper-b.lower < 1e-14*b.upper) || x.found != 1 {
		t.Errorf("few: %v, %+v, %d sequences", ok, x.bounds(), x.found)
	}
	var many []Mechanism
	for i := range 20 {
		many = append(many, Mechanism{Nats(big.NewRat(int64(1000+i), 1000)), new(big.Rat), 1})
	}
	if _, ok := oneEnd("0.1", many...).atTop(0, newCharge(Nats(parseRat("0.1")))); ok {
		t.Errorf("half a million sequences are too many")
	}
	tiny := oneEnd("0", Mechanism{Nats(parseRat("1e-300")), new(big.Rat), 3})
	if _, ok := tiny.atTop(0, newCharge(tiny.Stops[0].Eps)); ok {
		t.Errorf("ε = 1e-300 is too small")
	}
	for len(many) <= maxTurns {
		many = append(many, many[0])
	}
	if _, ok := oneEnd("1e9", many...).atTop(0, newCharge(Nats(parseRat("1e9")))); ok {
		t.Errorf("%d runs are too many", len(many))
	}
}

// The largest loss is never rounded down, and hardly up.
func TestLosses(t *testing.T) {
	p := Pipeline{Mechanisms: []Mechanism{{Exp(parseRat("3/2")), new(big.Rat), 3}, {Nats(parseRat("1/3")), new(big.Rat), 2}}}
	p.Stops = []Stop{{3, Nats(new(big.Rat))}, {5, Nats(new(big.Rat))}}
	log := encloseLog(parseRat("3/2"), 512)
	lo, _ := log.lo.Rat(nil)
	hi, _ := log.hi.Rat(nil)
	for i, rest := range []string{"0", "2/3"} {
		loss := p.losses()[i]
		least := new(big.Rat).Add(new(big.Rat).Mul(hi, parseRat("3")), parseRat(rest))
		most := new(big.Rat).Add(new(big.Rat).Mul(lo, parseRat("3.000000000000000000000000000001")), parseRat(rest))
		if loss.Cmp(least) < 0 || loss.Cmp(most) > 0 {
			t.Errorf("stop %d: %s", i+1, loss.FloatString(50))
		}
	}
}

// Single stops need δ in proportion to 1, i or √i, and Lemma 11 with its charges too.
func TestShapes_Proportions(t *testing.T) {
	p := everyStop(40, 8, "0.2").uncharged()
	for shape, want := range map[Shape]func(i float64) float64{
		Uniform: func(float64) float64 { return 1 }, Linear: func(i float64) float64 { return i }, Sqrt: math.Sqrt,
	} {
		s := designed(t, p, "1e-6", ScheduleOptions{Shape: shape})
		lemma := solve(t, p.charged(s.Lemma11), Options{})
		for name, singles := range map[string][]Interval{"schedule": s.Result.SingleStop, "Lemma 11": lemma.SingleStop} {
			first, _ := singles[0].Upper.Float64()
			for i, x := range singles {
				if y, _ := x.Upper.Float64(); math.Abs(y/first/want(float64(i+1))-1) > 1e-6 {
					t.Errorf("%s, %s: stop %d needs %g, stop 1 %g", shape, name, i+1, y, first)
				}
			}
		}
	}
}

// With a stop after each of 1000 mechanisms blocks of stops find charges that no shape has.
func TestOptimal_Coarse(t *testing.T) {
	p := everyStop(1000, 1, "0.05")
	optimal, linear := designed(t, p, "1e-6", ScheduleOptions{Shape: Optimal}), designed(t, p, "1e-6", ScheduleOptions{Shape: Linear})
	if a, b := optimal.Mean(optimal.Charges()), linear.Mean(linear.Charges()); a > 0.999*b {
		t.Errorf("optimal costs %g, linear %g", a, b)
	}
}

// On a grid, stops near the largest loss are found as exactly as elsewhere.
func TestDesign_Refined(t *testing.T) {
	var p Pipeline
	for i := range 30 {
		p.Mechanisms = append(p.Mechanisms, Mechanism{Nats(big.NewRat(int64(1_000_003+7919*i), 10_000_000)), new(big.Rat), 1})
		p.Stops = append(p.Stops, Stop{After: i + 1})
	}
	p = p.uncharged()
	const delta = 1e-8
	d := newDesign(p, delta)
	if !d.isGrid() {
		t.Fatal("there is a lattice")
	}
	reliefs, err := d.reliefs(context.Background(), scaled(Uniform.proportions(30), delta))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for i := range 20 {
		x, ok := p.atTop(i, newCharge(Nats(d.exact(i, reliefs[i]))))
		if !ok {
			continue
		}
		checked++
		if b := x.bounds(); math.Abs(b.upper/delta-1) > 1e-9 {
			t.Errorf("stop %d: relief %g is worth %g, must be %g", i+1, reliefs[i], b.upper, delta)
		}
	}
	if checked < 10 {
		t.Errorf("only %d stops are near the largest loss", checked)
	}
}
