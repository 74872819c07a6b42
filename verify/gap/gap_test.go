package gap

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("not a number: " + s)
	}
	return r
}

// setting is 1000 mechanisms of ε = 0.05 at δ = 1e-6.
func setting(stops int) Setting {
	return Setting{Eps: rat("0.05"), Mechanisms: 1000, Stops: stops, Positions: Even, Spread: new(big.Rat), Order: Rising, Delta: rat("1e-6")}
}

// Stops increase strictly from at least 1 to the end, and lie where their names say.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for k := 1; k <= 40; k++ {
		for n := 1; n <= k; n++ {
			all := map[Positions][]int{}
			for _, positions := range []Positions{Even, Early, Late} {
				s := Setting{Mechanisms: k, Stops: n, Positions: positions}
				places := s.places()
				all[positions] = places
				if len(places) != n || places[0] < 1 || places[n-1] != k || !slices.IsSorted(places) || len(slices.Compact(slices.Clone(places))) != n {
					t.Fatalf("%d stops in %d mechanisms, %s: %v", n, k, positions, places)
				}
			}
			for i := range n {
				if all[Early][i] > all[Even][i] || all[Even][i] > all[Late][i] {
					t.Fatalf("%d stops in %d mechanisms: early %v, even %v, late %v", n, k, all[Early], all[Even], all[Late])
				}
			}
		}
	}
	if got := (Setting{Mechanisms: 100, Stops: 5, Positions: Early}).places(); !slices.Equal(got, []int{4, 16, 36, 64, 100}) {
		t.Errorf("early: %v", got)
	}
	if got := (Setting{Mechanisms: 100, Stops: 5, Positions: Late}).places(); !slices.Equal(got, []int{36, 64, 84, 96, 100}) {
		t.Errorf("late: %v", got)
	}
}

// The ε of a spread rise or fall between its ends, are mirrored, and have the mean that is
// given, up to their rounding to multiples of ε/20.
func TestSpread(t *testing.T) {
	t.Parallel()
	const k = 37
	rising := Setting{Eps: rat("0.3"), Mechanisms: k, Spread: rat("0.5"), Order: Rising}
	falling := rising
	falling.Order = Falling
	sum := new(big.Rat)
	for j := range k {
		e := rising.eps(j)
		sum.Add(sum, e)
		if j > 0 && e.Cmp(rising.eps(j-1)) < 0 {
			t.Errorf("ε of mechanism %d falls", j)
		}
		if e.Cmp(rat("0.15")) < 0 || e.Cmp(rat("0.45")) > 0 {
			t.Errorf("ε of mechanism %d is %s", j, e.RatString())
		}
		diff := new(big.Rat).Sub(falling.eps(k-1-j), e)
		if diff.Abs(diff).Cmp(rat("0.015")) > 0 {
			t.Errorf("mechanism %d: %s rising, %s falling", j, e.RatString(), falling.eps(k-1-j).RatString())
		}
	}
	mean, _ := sum.Quo(sum, big.NewRat(k, 1)).Float64()
	if mean < 0.3-0.0075 || mean > 0.3+0.0075 {
		t.Errorf("mean ε is %g", mean)
	}
}

// The numbers for 1000 mechanisms of ε = 0.05 whose stops need 1e-6 each.
func TestGapOfThousandMechanisms(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		stops        int
		lower, upper string // OptDel
	}{
		{10, "6.0460e-6", "6.0461e-6"},
		{100, "1.3455e-5", "1.3456e-5"},
		{1000, "1.6611e-5", "1.6612e-5"},
	} {
		p, err := setting(row.stops).measure(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		most := new(big.Rat).Mul(big.NewRat(int64(row.stops), 1), rat("1e-6"))
		least := new(big.Rat).Mul(most, rat("0.999998"))
		if !contained(p.Lemma11, least, most) {
			t.Errorf("%d stops: Lemma 11 is in [%g, %g]", row.stops, p.Lemma11.Lower, p.Lemma11.Upper)
		}
		if !contained(p.OptDel, rat(row.lower), rat(row.upper)) {
			t.Errorf("%d stops: OptDel is in [%g, %g], not in [%s, %s]", row.stops, p.OptDel.Lower, p.OptDel.Upper, row.lower, row.upper)
		}
	}
}

// contained reports whether x lies in [lower, upper].
func contained(x interval.Interval, lower, upper *big.Rat) bool {
	lo, hi := x.Rats()
	return lo.Cmp(lower) >= 0 && hi.Cmp(upper) <= 0
}

// Small settings against the enumeration of all sequences.
func TestExhaustive_Gap(t *testing.T) {
	t.Parallel()
	for _, positions := range []Positions{Even, Early, Late} {
		for _, order := range []Order{Rising, Falling} {
			s := Setting{Eps: rat("0.7"), Mechanisms: 7, Stops: 3, Positions: positions, Spread: rat("0.4"), Order: order, Delta: rat("0.01")}
			p, err := s.measure(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			single := enumerate(t, s, p.Schedule.SingleStop)
			if !meets(single.OptDel, p.OptDel) || !meets(single.Lemma11, p.Lemma11) {
				t.Errorf("%s, %s: OptDel [%g, %g], Lemma 11 [%g, %g], by enumeration %v and %v", positions, order,
					p.OptDel.Lower, p.OptDel.Upper, p.Lemma11.Lower, p.Lemma11.Upper, single.OptDel, single.Lemma11)
			}
			for i, delta := range single.Single {
				if hi, _ := delta.Hi.Float64(); hi > 0.01 || hi < 0.0099999 {
					t.Errorf("%s, %s: stop %d alone needs %v, not 0.01", positions, order, i+1, delta)
				}
			}
			if hi, _ := enumerate(t, s, p.Schedule.Charges()).OptDel.Hi.Float64(); hi > 0.01 || hi < 0.0099999 {
				t.Errorf("%s, %s: OptDel of the schedule is %g, not 0.01", positions, order, hi)
			}
			if hi, _ := enumerate(t, s, p.Schedule.Lemma11).Lemma11.Hi.Float64(); hi > 0.01 || hi < 0.0099999 {
				t.Errorf("%s, %s: Lemma 11 of its charges is %g, not 0.01", positions, order, hi)
			}
		}
	}
}

// meets reports whether two intervals have a number in common.
func meets(x exhaustive.Interval, y interval.Interval) bool {
	return x.Lo.Cmp(y.Upper) <= 0 && x.Hi.Cmp(y.Lower) >= 0
}

// enumerate goes through all sequences of the setting's pipeline with the given charges.
func enumerate(t *testing.T, s Setting, charges []*big.Rat) exhaustive.Values[exhaustive.Interval] {
	t.Helper()
	var p exhaustive.Pipeline
	q := s.pipeline()
	for _, m := range q.Mechanisms {
		p.Mechanisms = append(p.Mechanisms, exhaustive.Mechanism{Eps: exhaustive.Epsilon{Rat: m.Eps.Rat()}, Delta: m.Delta})
	}
	for i, stop := range q.Stops {
		p.Stops = append(p.Stops, exhaustive.Stop{After: stop.After, Eps: exhaustive.Epsilon{Rat: charges[i]}})
	}
	v, err := exhaustive.Enclose(t.Context(), p, 200, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Lemma 11 is between once and n times as large as OptDel, and what is saved grows with the
// number of stops.
func TestLaw_Gap(t *testing.T) {
	t.Parallel()
	w, _ := Find("stops")
	base := setting(1)
	base.Mechanisms = 60
	values := []*big.Rat{rat("1"), rat("2"), rat("4"), rat("12"), rat("60")}
	last := -1.0
	series, err := w.Run(t.Context(), base, values, func(done float64) {
		if done < last || done > 1 {
			t.Errorf("progress %g after %g", done, last)
		}
		last = done
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(series) != 3 || last <= 0 {
		t.Fatalf("%d series, progress up to %g", len(series), last)
	}
	for _, s := range series {
		if len(s.Points) != len(values) {
			t.Fatalf("%s: %d points", s.Label, len(s.Points))
		}
		for i, p := range s.Points {
			lower, _ := p.Ratio().Lower.Float64()
			upper, _ := p.Ratio().Upper.Float64()
			if lower > upper || upper < 1 || lower > float64(p.Stops) {
				t.Errorf("%s, %d stops: ratio in [%g, %g]", s.Label, p.Stops, lower, upper)
			}
			if i == 0 && (p.SavedAtEnd() > 1e-6 || p.SavedInMean() > 1e-6) {
				t.Errorf("%s: with one stop %g is saved", s.Label, p.SavedAtEnd())
			}
			if i > 0 && p.SavedAtEnd() <= s.Points[i-1].SavedAtEnd() {
				t.Errorf("%s, %d stops: %g is saved, with fewer stops %g", s.Label, p.Stops, p.SavedAtEnd(), s.Points[i-1].SavedAtEnd())
			}
		}
	}
}

// Every sweep varies what its name says, over its own scale.
func TestSweeps(t *testing.T) {
	t.Parallel()
	base := setting(1)
	base.Mechanisms = 12
	varied := map[string]func(Setting) *big.Rat{
		"stops":      func(s Setting) *big.Rat { return big.NewRat(int64(s.Stops), 1) },
		"mechanisms": func(s Setting) *big.Rat { return big.NewRat(int64(s.Mechanisms), 1) },
		"eps":        func(s Setting) *big.Rat { return s.Eps },
		"delta":      func(s Setting) *big.Rat { return s.Delta },
		"spread":     func(s Setting) *big.Rat { return s.Spread },
	}
	for _, w := range Sweeps {
		values := w.Values(base)
		if len(values) < 5 || !slices.IsSortedFunc(values, (*big.Rat).Cmp) {
			t.Errorf("%s: values %v", w.Name, values)
		}
		series, err := w.Run(t.Context(), base, values, nil)
		if err != nil {
			t.Errorf("%s: %v", w.Name, err)
			continue
		}
		for _, s := range series {
			for i, p := range s.Points {
				value := values[len(values)-len(s.Points)+i] // the first may have too few mechanisms
				if x, _ := value.Float64(); varied[w.Name](p.Setting).Cmp(value) != 0 || p.X != x {
					t.Errorf("%s, %s: point %d is at %v, X = %g", w.Name, s.Label, i, varied[w.Name](p.Setting), p.X)
				}
			}
		}
	}
	if _, ok := Find("nothing"); ok {
		t.Error("a sweep over nothing")
	}
}

func TestSettingErrors(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*Setting){
		"stops is 0":           func(s *Setting) { s.Stops = 0 },
		"stops is 1001":        func(s *Setting) { s.Stops = 1001 },
		"mechanisms is 0":      func(s *Setting) { s.Mechanisms = 0 },
		"mechanisms is 100001": func(s *Setting) { s.Mechanisms = 100_001 },
		"eps is 0":             func(s *Setting) { s.Eps = new(big.Rat) },
		"eps is 101":           func(s *Setting) { s.Eps = rat("101") },
		"delta is 0":           func(s *Setting) { s.Delta = new(big.Rat) },
		"delta is 1":           func(s *Setting) { s.Delta = rat("1") },
		"spread is -0.1":       func(s *Setting) { s.Spread = rat("-0.1") },
		"spread is 1":          func(s *Setting) { s.Spread = rat("1") },
	} {
		s := setting(10)
		change(&s)
		_, err := s.measure(t.Context(), 0)
		if _, ok := errors.AsType[*SettingError](err); !ok || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	w, _ := Find("stops")
	for _, v := range []string{"0", "1.5", "-1", "1001", "1e9"} {
		if _, ok := errors.AsType[*SettingError](w.Check(setting(1), rat(v))); !ok {
			t.Errorf("%s stops: no error", v)
		}
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w, _ := Find("stops")
	if _, err := w.Run(ctx, setting(1), []*big.Rat{rat("10")}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// What was measured before the end is kept.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := 0
	progress := func(float64) {
		if calls++; calls == 5 { // 3 + 2 of 9 points
			cancel()
		}
	}
	w, _ := Find("stops")
	base := setting(1)
	base.Mechanisms = 30
	series, err := w.Run(ctx, base, []*big.Rat{rat("1"), rat("3"), rat("5")}, progress)
	if !errors.Is(err, context.Canceled) || len(series) != 2 || len(series[0].Points) != 3 || len(series[1].Points) != 1 {
		t.Errorf("%d series, %v", len(series), err)
	}
}

// A mechanism instead of ε: the same numbers where it is the same.
func TestMechanism(t *testing.T) {
	t.Parallel()
	want, err := setting(10).measure(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	s := setting(10)
	s.Eps, s.Spread, s.Order = nil, nil, ""
	s.Mechanism = &impl.Mechanism{Eps: loss.Nats(rat("0.05")), Delta: new(big.Rat), Count: 1}
	got, err := s.measure(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if got.OptDel.Upper.Cmp(want.OptDel.Upper) != 0 || got.SavedAtEnd() != want.SavedAtEnd() || got.SavedInMean() != want.SavedInMean() {
		t.Errorf("OptDel at most %g, saved %g and %g; with ε %g, %g and %g",
			got.OptDel.Upper, got.SavedAtEnd(), got.SavedInMean(), want.OptDel.Upper, want.SavedAtEnd(), want.SavedInMean())
	}
}

func TestMechanismErrors(t *testing.T) {
	t.Parallel()
	s := setting(1)
	s.Mechanism = &impl.Mechanism{Eps: loss.Nats(rat("1")), Delta: rat("2e-9"), Count: 1}
	if err := s.Check(); err == nil || !strings.HasPrefix(err.Error(), "delta is 1e-06, must be more than about 1.99") {
		t.Errorf("δ of 1000 mechanisms of 2e-9: got %v", err)
	}
	s.Mechanism = &impl.Mechanism{Law: impl.Law{{rat("1/2"), rat("1/4")}, {rat("1/2"), rat("3/4")}}, Count: 1}
	if s.Mechanisms = 70_000; s.Check() == nil {
		t.Error("70,000 mechanisms with a law: no error")
	}
	s.Mechanisms = 1000
	w, _ := Find("stops")
	if values := w.Values(s); values[len(values)-1].Cmp(rat("100")) != 0 {
		t.Errorf("stops of a law: %v, must end at 100", values)
	}
}

// If OptDel may be 0 the ratio is at most the number of stops.
func TestRatioOfTiny(t *testing.T) {
	t.Parallel()
	p := Point{
		Setting: Setting{Stops: 3},
		Lemma11: interval.Interval{Lower: big.NewFloat(1), Upper: big.NewFloat(2)},
		OptDel:  interval.Interval{Lower: new(big.Float), Upper: big.NewFloat(1)},
	}
	if r := p.Ratio(); r.Lower.Cmp(big.NewFloat(1)) != 0 || r.Upper.Cmp(big.NewFloat(3)) != 0 {
		t.Errorf("got [%g, %g], want [1, 3]", r.Lower, r.Upper)
	}
}

// OptDel is never more than Lemma 11: a ratio is at least 1, and nothing less than nothing is saved.
func TestNoLoss(t *testing.T) {
	t.Parallel()
	p := Point{
		Setting:  Setting{Stops: 1},
		Lemma11:  interval.Interval{Lower: big.NewFloat(0.9), Upper: big.NewFloat(1)},
		OptDel:   interval.Interval{Lower: big.NewFloat(0.9), Upper: big.NewFloat(1)},
		Schedule: &impl.Schedule{Lemma11: []*big.Rat{rat("5")}},
	}
	p.Schedule.Pipeline.Stops = []impl.Stop{{After: 1, Eps: loss.Nats(rat("5.001"))}}
	if r := p.Ratio(); r.Lower.Cmp(big.NewFloat(1)) != 0 || r.Upper.Cmp(big.NewFloat(1)) <= 0 {
		t.Errorf("the ratio is in [%g, %g]", r.Lower, r.Upper)
	}
	if p.SavedAtEnd() != 0 || p.SavedInMean() != 0 {
		t.Errorf("%g and %g are saved", p.SavedAtEnd(), p.SavedInMean())
	}
}
