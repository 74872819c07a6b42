package impl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// pipe returns n mechanisms (eps, delta) with evenly spaced stops of these charges.
func pipe(n int, eps, delta string, charges ...string) Pipeline {
	p := Pipeline{Mechanisms: []Mechanism{{Eps: loss.Nats(rational.MustParse(eps)), Delta: rational.MustParse(delta), Count: n}}}
	for i, e := range charges {
		p.Stops = append(p.Stops, Stop{After: (i + 1) * n / len(charges), Eps: loss.Nats(rational.MustParse(e))})
	}
	return p
}

// everyStop returns k mechanisms (eps, 0) with a stop after every gap of them,
// charged E_i = 0.5 + 4·eps·√k_i, rounded to 6 decimals.
func everyStop(k, gap int, eps string) Pipeline {
	p := pipe(k, eps, "0")
	x, _ := rational.MustParse(eps).Float64()
	for i := gap; i <= k; i += gap {
		e := int64(math.Round(1e6 * (0.5 + 4*x*math.Sqrt(float64(i)))))
		p.Stops = append(p.Stops, Stop{After: i, Eps: loss.Nats(big.NewRat(e, 1e6))})
	}
	return p
}

// distinct returns k mechanisms with different ε of seven decimals and a stop after
// every gap of them.
func distinct(k, gap int, seed uint64) Pipeline {
	rng := rand.New(rand.NewPCG(seed, 0))
	p := Pipeline{}
	for range k {
		p.Mechanisms = append(p.Mechanisms, Mechanism{Eps: loss.Nats(big.NewRat(200000+rng.Int64N(800000), 1e7)), Delta: new(big.Rat), Count: 1})
	}
	for i := gap; i <= k; i += gap {
		p.Stops = append(p.Stops, Stop{After: i, Eps: loss.Nats(big.NewRat(int64(500+8*i), 1000))})
	}
	return p
}

// randomExp returns a random pipeline with rational e^ε; if onLattice, all are
// powers of one number.
func randomExp(rng *rand.Rand, onLattice bool) Pipeline {
	var p Pipeline
	base := big.NewRat(rng.Int64N(9)+3, 2)
	total := 0
	for range 1 + rng.IntN(4) {
		e := rational.Power(base, rng.IntN(3))
		if !onLattice {
			a := rng.Int64N(20) + 1
			e = big.NewRat(a+rng.Int64N(20), a)
		}
		m := Mechanism{Eps: loss.Exp(e), Delta: new(big.Rat), Count: 1 + rng.IntN(2)}
		if rng.IntN(2) == 0 {
			m.Delta = big.NewRat(rng.Int64N(5), 10+rng.Int64N(1000))
		}
		p.Mechanisms = append(p.Mechanisms, m)
		total += m.Count
	}
	for i := 1; i <= total; i++ {
		if i < total && rng.IntN(total) > 2 {
			continue
		}
		e := big.NewRat(rng.Int64N(60)+10, 10)
		if rng.IntN(3) == 0 {
			e = rational.Power(base, rng.IntN(5)) // often exactly a reachable loss
		}
		p.Stops = append(p.Stops, Stop{After: i, Eps: loss.Exp(e)})
	}
	return p
}

// TestOptDelContainsExact compares every method with the recursion in rationals
// over all states, which shares no windows, thresholds or grids with them.
func TestOptDelContainsExact(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range testkit.AtLeast(200, 500) {
		checkExact(t, fmt.Sprint(i), randomExp(rng, i%2 == 0),
			Options{}, Options{Method: Lattice, RelWidth: 1e-18}, Options{Method: Bracket, RelWidth: 1e-3})
	}
}

// checkExact compares OptDel under some options with the exact values.
func checkExact(t *testing.T, name string, p Pipeline, options ...Options) {
	t.Helper()
	ctx := context.Background()
	want, lemma11, err := Exact(ctx, p)
	if err != nil {
		t.Fatal(name, err)
	}
	for _, o := range options {
		r, err := OptDel(ctx, p, o)
		if err != nil {
			t.Fatal(name, o, err)
		}
		if !r.OptDel.Contains(want) || !r.Lemma11.Contains(lemma11) {
			t.Errorf("%s %v: OptDel %v, Lemma 11 %v, want %s and %s in %v", name, o, r.OptDel, r.Lemma11, want.RatString(), lemma11.RatString(), p)
		}
		if r.Shortfall != "" {
			t.Errorf("%s %v: %s in %v", name, o, r.Shortfall, p)
		}
		if x, err := Lemma11(ctx, p, o); err != nil || !x.Contains(lemma11) || x.RelWidth() > max(o.RelWidth, DefaultRelWidth) {
			t.Errorf("%s %v: Lemma 11 %v, want %s in %v; %v", name, o, x, lemma11.RatString(), p, err)
		}
	}
}

// TestBracketMeetsLattice compares the two methods where exact rationals are out of
// reach: their intervals must share a point.
func TestBracketMeetsLattice(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]Pipeline{
		"equal":  everyStop(200, 10, "0.05"),
		"deltas": pipe(120, "0.1", "1e-4", "1", "0.8", "2"),
		"tail":   pipe(100, "0.1", "0", "3", "7"),
	} {
		exact, err := OptDel(context.Background(), p, Options{Method: Lattice})
		if err != nil {
			t.Fatal(name, err)
		}
		grid, err := OptDel(context.Background(), p, Options{Method: Bracket, RelWidth: 1e-5})
		if err != nil || grid.Shortfall != "" {
			t.Fatal(name, err, grid.Shortfall)
		}
		for i, x := range append(grid.SingleStop, grid.OptDel, grid.Lemma11) {
			y := append(exact.SingleStop, exact.OptDel, exact.Lemma11)[i]
			if x.Lower.Cmp(y.Upper) > 0 || x.Upper.Cmp(y.Lower) < 0 {
				t.Errorf("%s, value %d: grid %v, lattice %v", name, i, x, y)
			}
		}
	}
}

func TestOptDelErrors(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	if _, err := OptDel(ctx, Pipeline{}, Options{}); err == nil {
		t.Error("an empty pipeline was solved")
	}
	for _, w := range []float64{-1, 1, 2, math.NaN(), math.Inf(1)} {
		if _, err := OptDel(ctx, pipe(3, "1", "0", "1"), Options{RelWidth: w}); err == nil {
			t.Errorf("relative width %g was accepted", w)
		}
	}
	if _, err := OptDel(ctx, distinct(60, 10, 1), Options{Method: Lattice}); !errors.Is(err, ErrNoLattice) {
		t.Errorf("got %v, want %v", err, ErrNoLattice)
	}
	if _, _, err := Exact(ctx, pipe(3, "1", "0", "1")); err == nil {
		t.Error("an exact result for a decimal ε")
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := OptDel(canceled, distinct(60, 10, 1), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// TestHugeExp takes an e^ε that no float64 holds.
func TestHugeExp(t *testing.T) {
	t.Parallel()
	huge := loss.Exp(rational.MustParse("1e400"))
	p := Pipeline{
		Mechanisms: []Mechanism{{Eps: huge, Delta: rational.MustParse("1/3"), Count: 2}, {Eps: loss.Exp(rational.MustParse("1e-350").Add(rational.MustParse("1e-350"), rational.One)), Delta: new(big.Rat), Count: 1}},
		Stops:      []Stop{{After: 1, Eps: loss.Exp(rational.MustParse("1e300"))}, {After: 3, Eps: huge}},
	}
	checkExact(t, "huge", p, Options{}, Options{RelWidth: 1e-20})
}

// TestFoundByReview keeps problems that once had a wrong answer.
func TestFoundByReview(t *testing.T) {
	t.Parallel()
	plain := func(eps, delta string, count int) Mechanism {
		return Mechanism{Eps: loss.Nats(rational.MustParse(eps)), Delta: rational.MustParse(delta), Count: count}
	}
	at := func(after int, eps string) Stop { return Stop{After: after, Eps: loss.Nats(rational.MustParse(eps))} }
	nines := "0." + strings.Repeat("9", 380)
	two := big.NewRat(2, 1)
	for _, c := range []struct {
		name string
		p    Pipeline
		o    Options
	}{
		{"a run finer than the grid", Pipeline{[]Mechanism{plain("0.01", "0", 4), plain("1", "0", 3)}, []Stop{at(7, "1")}}, Options{Method: Bracket, RelWidth: 1e-4}},
		{"the same after ε = 0", Pipeline{[]Mechanism{plain("0", "0", 1), plain("0.001", "1e-3", 9), plain("2", "0", 2)}, []Stop{at(5, "0.002"), at(12, "3")}}, Options{Method: Bracket, RelWidth: 1e-3}},
		{"ε below float64", Pipeline{[]Mechanism{plain("1e-400", "0", 1)}, []Stop{at(1, "0")}}, Options{}},
		{"a charge just below ε", Pipeline{[]Mechanism{plain("1", "0", 1)}, []Stop{at(1, nines)}}, Options{}},
		{"e^ε at the end of float64", Pipeline{[]Mechanism{{Eps: loss.Exp(rational.MustParse("1e310")), Delta: new(big.Rat), Count: 2}}, []Stop{at(2, "0")}}, Options{}},
		{"one number as ε and as e^ε", Pipeline{[]Mechanism{{Eps: loss.Exp(two), Delta: new(big.Rat), Count: 1}, {Eps: loss.Nats(two), Delta: new(big.Rat), Count: 1}}, []Stop{{After: 2, Eps: loss.Nats(two)}}}, Options{}},
		{"a fine lattice in wider arithmetic", Pipeline{[]Mechanism{plain("1e-12", "0", 5), plain("1e-5", "0", 1)}, []Stop{at(5, "0.05"), at(6, "0")}}, Options{}},
		{"800 beside small ε", Pipeline{[]Mechanism{plain("800", "1e-300", 1), plain("1.531", "0.17", 1)}, []Stop{at(1, "800.0715"), at(2, "799.738166")}}, Options{RelWidth: 1e-18}},
	} {
		r, err := OptDel(context.Background(), c.p, c.o)
		if err != nil || r.Shortfall != "" {
			t.Errorf("%s: %v %s", c.name, err, r.Shortfall)
			continue
		}
		lower, upper := byEveryState(t, c.p)
		if r.OptDel.Lower.Cmp(upper) > 0 || r.OptDel.Upper.Cmp(lower) < 0 || r.OptDel.Lower.Cmp(r.OptDel.Upper) > 0 {
			t.Errorf("%s: [%.20g, %.20g], want about %.20g", c.name, r.OptDel.Lower, r.OptDel.Upper, lower)
		}
	}
}

// byEveryState solves p in 2000 bits.
func byEveryState(t *testing.T, p Pipeline) (lower, upper *big.Float) {
	t.Helper()
	b, err := certify.Check(context.Background(), p.Problem(), certify.Hints{Bits: 2000})
	if err != nil {
		t.Fatal(err)
	}
	return b.OptDel.Lower, b.OptDel.Upper
}

// Numbers of 400 digits: e to the largest loss is more than e to the charge by 1e-1597, and OptDel not 0.
func TestOptDel_LongNumbers(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	p, product := Pipeline{}, big.NewRat(1, 1)
	for range 4 {
		text := []byte("1.")
		for range 398 {
			text = append(text, byte('0'+rng.IntN(10)))
		}
		x := rational.MustParse(string(text) + "7")
		product.Mul(product, x)
		p.Mechanisms = append(p.Mechanisms, Mechanism{Eps: loss.Exp(x), Delta: new(big.Rat), Count: 1})
	}
	p.Stops = []Stop{{After: 4, Eps: loss.Exp(product.Sub(product, rational.MustParse("1e-1597")))}}
	checkExact(t, "400 digits", p, Options{})
}

func TestOptDel_UnknownMethod(t *testing.T) {
	t.Parallel()
	p := Pipeline{[]Mechanism{{Eps: exactly(1), Delta: new(big.Rat), Count: 1}}, []Stop{{After: 1, Eps: exactly(1)}}}
	for _, m := range []Method{"foo", ClosedForm} {
		if r, err := OptDel(t.Context(), p, Options{Method: m}); err == nil || r != nil || !strings.Contains(err.Error(), "must be auto, lattice or bracket") {
			t.Errorf("method %q: %v, %v", m, r, err)
		}
	}
}
