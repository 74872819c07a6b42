package impl

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/exact"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/stopping"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// hard are problems that once had a wrong answer, or none that is narrow enough, or took far too long, with the answer
// to some digits: by states in 2000 bits, in closed form, or on a finer grid. Those that take a second come last.
var hard = []struct {
	problem string
	o       Options
	want    string
}{
	// a run finer than the grid
	{"0.01 0 x4, 1 0 x3 | 7 1", Options{Method: Bracket, RelWidth: 1e-4}, "0.341068692158"},
	{"0 0, 0.001 1e-3 x9, 2 0 x2 | 5 0.002, 12 3", Options{Method: Bracket, RelWidth: 1e-3}, "0.494969422422"},
	{"1e-400 0 | 1 0", Options{}, "5e-401"},
	{"1 0 | 1 0." + strings.Repeat("9", 380), Options{}, "7.3105857863e-381"},
	{"ln(1e310) 0 x2 | 2 0", Options{}, "1"},
	{"ln(2) 0, 2 0 | 2 2", Options{}, "0.293599025993"},
	{"1e-9 0 x5, 1e-4 0 | 5 0.05, 6 0", Options{}, "4.99999999583e-05"}, // a fine lattice, whose losses are tiny
	{"800 1e-300, 1.531 0.17 | 1 800.0715, 2 799.738166", Options{RelWidth: 1e-18}, "0.738777675773"},

	// many Gaussian steps are as good as few, if they are as much noise
	{"gaussian 40 1 x200 | 100 1.2, 200 1.6", Options{}, "5.281248e-07"},
	{"gaussian 4 1 x2 | 1 1.2, 2 1.6", Options{}, "5.281248e-07"},
	{"gaussian 726870 1 x98100 | 98100 0.0031952161", Options{}, "3.416123336e-18"},
	{"gaussian 600000 1 x1000000 | 1000000 0.01", Options{}, "2.61901117e-13"},
	{"gaussian 7 1 x50 | 50 4", Options{}, "5.672184775e-5"},
	{"gaussian 0.5 1 x100 | 100 260", Options{}, "0.001157571175"},

	// far tails, where finer and finer grids long know nothing of lower ends
	{"gaussian 2.53 0.1 x3 | 3 1.006", Options{RelWidth: 1e-5}, "1.142268e-13"},
	{"discrete_gaussian 2.675 0.1 x3 | 3 1.06", Options{RelWidth: 1e-5}, "1.041505e-15"},
	{"gaussian 0.8346 1 x24 | 24 26.28", Options{RelWidth: 1e-4}, "0.04540954212"}, // the first grid was lucky

	// no tilt behind the noise is steep enough for all losses; what meets an infinite one is most of all runs
	{"gaussian 2.788 0.02 x3, law 0.8,0.9 0.2,0.1 | 3 0.724, 4 1.112", Options{RelWidth: 2e-4}, "6.80492e-23"},
	{"gaussian 3.01439 1 x300, laplace 12.4867 1 x100, 0.152656 1e-9 x2 | 195 48.8577, 362 53.7406, 402 68.6751",
		Options{}, "2.034132e-09"},

	// losses that are rare, and large; those of the second spread above node 0
	{"gaussian 0.5 1e-3 | 1 8", Options{RelWidth: 1e-2}, "1.252660406e-14"},
	{"gaussian 0.5 1e-4 x500, laplace 3 1 x100 | 500 35, 600 25", Options{RelWidth: 1e-4}, "6.570506e-13"},
	{"gaussian 1 1e-6 | 1 0.01", Options{RelWidth: 1e-2}, "1.45891354e-25"},

	// a stop that charges the largest loss pays nothing, and does not hide what later ones do
	{"laplace 1 1 x200 | 10 10, 200 165", Options{}, "2.380015e-20"},
	{"laplace 1 1 x200 | 10 11, 200 165", Options{}, "2.380015e-20"},

	{"gaussian 0.337 1 x18194 | 18194 81843.974", Options{RelWidth: 1e-4}, "6.594069929e-6"},
	{"gaussian 0.5 1e-5 | 1 0.01", Options{RelWidth: 1e-2}, "2.824400653e-8"},
	{"gaussian 0.7 1e-4 | 1 0.01", Options{RelWidth: 1e-2}, "1.877764541e-7"},
	{"gaussian 0.6 1e-4 x5000 | 5000 1", Options{}, "3.1508e-08"},
	{"gaussian 0.7 0.00685 x1000000 | 1000000 150", Options{RelWidth: 1e-2}, "0.322270764"},
	{"gaussian 0.6 1e-4 x100000 | 100000 3", Options{RelWidth: 1e-4}, "1.21714e-10"},
	{"discrete_gaussian 0.1 1 x1000 | 1000 68.75", Options{RelWidth: 1e-4}, "1"}, // nearly all in the other order
	{"gaussian 0.7 1e-4 x100 | 50 0.01, 100 0.01", Options{RelWidth: 1e-2}, "2.3549e-05"},
	{"gaussian 0.7 8e-4 x3300 | every 66 5", Options{}, ""},
	{"1e-12 0 x5, 1e-5 0 | 5 0.05, 6 0", Options{}, "4.99999999996e-06"}, // a fine lattice in wider arithmetic
}

func TestOptDel_Hard(t *testing.T) {
	t.Parallel()
	const digits = 1e-5 // of what must be
	for _, row := range testkit.Few(19, hard) {
		r, err := OptDel(t.Context(), parsed(row.problem), row.o)
		if err != nil || r.Shortfall != "" {
			t.Errorf("%s: %v, %+v", row.problem, err, r)
			continue
		}
		if row.want == "" {
			continue
		}
		most := rational.MustParse(row.want)
		least := new(big.Rat).Mul(most, new(big.Rat).SetFloat64(1-digits))
		most.Mul(most, new(big.Rat).SetFloat64(1+digits))
		if lower, upper := r.OptDel.Rats(); lower.Cmp(most) > 0 || upper.Cmp(least) < 0 {
			t.Errorf("%s: between %g and %g, must be %s", row.problem, r.OptDel.Lower, r.OptDel.Upper, row.want)
		}
	}
}

// A user who rarely adds very much: δ is the probability that somebody did, and what there is without.
func TestOptDel_RareAmounts(t *testing.T) {
	t.Parallel()
	of, q := rational.MustParse, rational.MustParse("0.01")
	const count, width = 100, 1e-2
	for _, row := range []struct{ often, far, rare string }{{"0.99999", "35", "1e-5"}, {"0.9999", "18", "1e-4"}} {
		delta := func(adds ...[2]*big.Rat) interval.Interval {
			noise := &certify.Additive{Noise: certify.Gaussian, Scale: rational.One, Sampling: q, Adds: adds}
			p := Pipeline{[]Mechanism{{Additive: noise, Count: count}}, []Stop{{After: count, Eps: loss.Nats(of("2"))}}}
			return solve(t, p, Options{RelWidth: width}).OptDel
		}
		usual := [2]*big.Rat{rational.One, of(row.often)}
		found := delta(usual, [2]*big.Rat{of(row.far), of(row.rare)}).Float()
		without := delta([2]*big.Rat{rational.One, rational.One}).Float()
		somebody := -math.Expm1(count * math.Log1p(-0.01*rational.Float64(of(row.rare))))
		if found.Hi < somebody*(1-1e-9) || found.Lo > somebody+without.Hi || found.Hi > (somebody+without.Hi)*(1+width) {
			t.Errorf("amounts up to %s: δ is in [%g, %g], must be from %g to %g", row.far, found.Lo, found.Hi, somebody,
				somebody+without.Hi)
		}
	}
}

// Numbers of 400 digits: e to the largest loss is more than e to the charge by 1e-1597, and OptDel not 0.
func TestOptDel_LongNumbers(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	p, product := Pipeline{}, big.NewRat(1, 1)
	for range 4 {
		text := []byte("1.")
		for range 398 {
			text = append(text, byte('0'+random.IntN(10)))
		}
		x := rational.MustParse(string(text) + "7")
		product.Mul(product, x)
		p.Mechanisms = append(p.Mechanisms, Mechanism{Eps: loss.Exp(x), Delta: new(big.Rat), Count: 1})
	}
	p.Stops = []Stop{{After: 4, Eps: loss.Exp(product.Sub(product, rational.MustParse("1e-1597")))}}
	want, _, lemma11, err := Exact(t.Context(), p)
	r, err2 := OptDel(t.Context(), p, Options{})
	if err != nil || err2 != nil || !r.OptDel.Contains(want) || !r.Lemma11.Contains(lemma11) {
		t.Errorf("%v, %v: %v, must be %v", err, err2, r, want)
	}
}

// Where charges are no less than what is lost, only infinite losses count, however ε were given; not where one charge
// is less.
func TestExact_Leaks(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ logs, nats string }{
		{"ln(3) 0.1 x2, ln(2) 0.3 | 1 ln(3), 3 ln(18)", "1 0.1 x2, 0.5 0.3 | 1 1, 3 2.5"},
		{"0 0.1 x4 | 2 0, 3 0, 4 0", "0 0.1 x4 | 2 1, 3 0, 4 0.1"},
	} {
		p, q := parsed(row.logs), parsed(row.nats)
		want, singles, err := exact.OptDel(t.Context(), certify.Problem(p))
		sum := new(big.Rat)
		for _, x := range singles {
			sum.Add(sum, x)
		}
		optDel, each, lemma11, err2 := Exact(t.Context(), q)
		isSame := slices.EqualFunc(each, singles, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 })
		if err != nil || err2 != nil || optDel.Cmp(want) != 0 || !isSame || lemma11.Cmp(sum) != 0 {
			t.Errorf("%s: %v, %v, %v, %v; must be %v, %v, %v, %v", row.nats, optDel, each, lemma11, err2, want, singles,
				sum, err)
		}
	}
	if optDel, _, _, err := Exact(t.Context(), parsed("1 0.1 x2, 0.5 0.3 | 1 0.999, 3 2.5")); err == nil {
		t.Error("exactly", optDel)
	}
}

func TestOptDel_Errors(t *testing.T) {
	t.Parallel()
	few := parsed("1 0 x3 | 3 1")
	for _, row := range []struct {
		p    Pipeline
		o    Options
		want string
	}{
		{Pipeline{}, Options{}, "mechanisms: there are none, must be at least one"},
		{few, Options{RelWidth: -1}, "relative width is -1, must be"},
		{few, Options{RelWidth: 1}, "relative width is 1, must be"},
		{few, Options{RelWidth: math.NaN()}, "relative width is NaN, must be"},
		{few, Options{Method: "foo"}, "must be auto, lattice or bracket"},
		{few, Options{Method: ClosedForm}, "must be auto, lattice or bracket"},
		{distinct(60, 10), Options{Method: Lattice}, ErrNoLattice.Error()},
	} {
		r, err := OptDel(t.Context(), row.p, row.o)
		if testkit.ExpectError(t, err, row.want); r != nil {
			t.Errorf("%s: %v", row.want, r)
		}
	}
	if _, _, _, err := Exact(t.Context(), few); err == nil {
		t.Error("an exact result for a decimal ε")
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := OptDel(canceled, distinct(60, 10), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// lopsided is a pipeline for which the orders of neighbours differ.
const lopsided = "law 4/5,9/10 1/5,1/10 x2, law 1/2,1/3 1/4,1/3 1/4,1/3 x2 | 2 0, 4 0.5"

// If time runs out for one order of neighbours, what is known of the other is in the result.
func TestWorst_OneOrder(t *testing.T) {
	t.Parallel()
	whole := solve(t, parsed(lopsided), Options{})
	known := *whole
	known.Certified = whole.Certified[:1]
	r := Worst(&known, nil)
	if len(r.Certified) != 1 || r.OptDel.Lower.Cmp(known.OptDel.Lower) != 0 || r.OptDel.Float().Hi != 1 ||
		r.Lemma11.Float().Hi != 2 || r.Unknown != Orders[1] || whole.Unknown != "" {
		t.Errorf("OptDel %v, Lemma 11 %v, unknown %q", r.OptDel, r.Lemma11, r.Unknown)
	}
	if r.Order != Orders[0] || len(r.Rule) != 2 || !strings.Contains(r.Shortfall, "(Q, P)") {
		t.Errorf("order %s, rule %v, shortfall %q", r.Order, r.Rule, r.Shortfall)
	}
}

// What is known of one order of neighbours is not lost if the other one has too many losses for any lattice,
// whichever comes first.
func TestOrders_OneFails(t *testing.T) {
	t.Parallel()
	solvable := parsed("gaussian 1 0.01 x100 | 50 0.25, 100 0.5")
	tooMany := parsed("gaussian 0.2 0.99 x50, 1e12 0 x2 | 50 0.25, 52 0.5")
	tooMany.Mechanisms[0].Additive.Added = true
	alone, err := stopping.Solve(t.Context(), solvable.problem(), stopping.Options{})
	if err != nil {
		t.Fatal(err)
	}
	both := [2]stopping.Orders{{tooMany.problem(), solvable.problem()}, {solvable.problem(), tooMany.problem()}}
	for i, orders := range both {
		r, err := orders.Solve(t.Context(), stopping.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := "for neighbours " + string(Orders[i]) + ": the work ended before there was a result: "
		if r.Unknown != Orders[i] || r.Order != Orders[1-i] || !strings.Contains(r.Shortfall, want) {
			t.Errorf("unknown %s, rule for %s, %q", r.Unknown, r.Order, r.Shortfall)
		}
		if x := r.OptDel.Float(); x.Lo < 0.999*alone.OptDel.Float().Lo || x.Hi != 1 {
			t.Errorf("OptDel is %v, where one order has %v", x, alone.OptDel)
		}
	}
}

// Orders of neighbours are solved at once. An error of one of them ends the other, and is not hidden by how that ended.
func TestEachOrder(t *testing.T) {
	t.Parallel()
	broken, first, second := errors.New("broken"), make(chan bool), make(chan bool)
	last := 0.0
	report := func(done float64) { last = done }
	solve := func(ctx context.Context, i int, _ Pipeline, progress func(float64)) error {
		if i == 0 { // begins before the other one, and ends after it
			close(first)
			<-second
			progress(0.5)
			<-ctx.Done()
			return ctx.Err()
		}
		<-first
		progress(1)
		close(second)
		return broken
	}
	if err := parsed(lopsided).EachOrder(t.Context(), report, solve); err != broken || last != 0.75 {
		t.Errorf("%v, progress %v", err, last)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := OptDel(ctx, parsed(lopsided), Options{}); err != context.Canceled {
		t.Error(r, err)
	}
}
