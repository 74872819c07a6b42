package impl

import (
	"context"
	"math"
	"math/big"
	"testing"
	"time"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// ordered are pipelines of which the orders of neighbours need their δ at different stops, each with that δ, or of
// which one order needs charges that transforms with one tilt do not tell.
func ordered() []struct {
	Pipeline
	delta string
} {
	lopsided := Mechanism{Law: Law{{big.NewRat(99, 100), big.NewRat(9, 10)}, {big.NewRat(1, 100), big.NewRat(1, 10)}}, Count: 2}
	halved := Mechanism{Law: Law{{big.NewRat(32, 51), big.NewRat(1, 2)}, {big.NewRat(19, 51), big.NewRat(1, 2)}}, Count: 1}
	three := Mechanism{Law: Law{{big.NewRat(42, 56), big.NewRat(28, 47)}, {big.NewRat(11, 56), big.NewRat(16, 47)}, {big.NewRat(3, 56), big.NewRat(3, 47)}}, Count: 2}
	leaking := Mechanism{Eps: loss.Nats(rational.MustParse("0.415")), Delta: rational.MustParse("1e-9"), Count: 3}
	return []struct {
		Pipeline
		delta string
	}{
		{stoppedAfter([]Mechanism{noisy(certify.Gaussian, "1", "0.01", 50), lopsided, noisy(certify.Gaussian, "1", "0.01", 50)}, 25, 52, 102), "1e-5"},
		{stoppedAfter([]Mechanism{halved, noisy(certify.Gaussian, "3.15", "0.0663", 64), lopsided}, 1, 65, 67), "1e-4"},
		{stoppedAfter([]Mechanism{
			noisy(certify.Gaussian, "1.36", "0.000114", 64), three, noisy(certify.Gaussian, "2.99", "0.0241", 64), leaking, noisy(certify.Laplace, "2.1", "0.0117", 64),
		}, 197), "0.00611"},
	}
}

// TestDesignSchedule_Orders: charges use δ, and are nowhere above those of Lemma 11 nor, where there is one stop,
// above what that needs.
func TestDesignSchedule_Orders(t *testing.T) {
	t.Parallel()
	for i, x := range testkit.Few(1, ordered()) {
		delta := rational.MustParse(x.delta)
		s, err := DesignSchedule(t.Context(), x.Pipeline, delta, ScheduleOptions{})
		if err != nil || s.Shortfall != "" {
			t.Errorf("%d: %v, %+v", i, err, s)
			continue
		}
		r, err := OptDel(t.Context(), s.Pipeline, Options{RelWidth: SlackOfNoise / 4})
		if err != nil {
			t.Fatal(err)
		}
		if lower, upper := r.OptDel.Rats(); lower.Cmp(delta) > 0 || rational.Float64(upper) < rational.Float64(delta)*(1-SlackOfNoise) {
			t.Errorf("%d: OptDel is between %v and %v, must be a little below %s", i, lower, upper, x.delta)
		}
		const slack = 1e-3 // both are sought with one, in δ
		for k, e := range s.Charges() {
			if most := rational.Float64(s.Lemma11[k]); rational.Float64(e) > most*(1+slack) {
				t.Errorf("%d: stop %d charges %v, by Lemma 11 %v", i, k+1, rational.Float64(e), most)
			}
		}
		if one := s.SingleStop; len(one) == 1 && rational.Float64(s.Charges()[0]) > rational.Float64(one[0])*(1+slack) {
			t.Errorf("%d: the one stop charges %v, must be %v", i, s.Charges()[0], one[0])
		}
	}
}

// discreteEps returns the ε with which one step of discrete Gaussian noise needs δ, by halving: sums of both laws
// over the integers.
func discreteEps(sigma, q, delta float64) float64 {
	weight := func(x float64) float64 { return math.Exp(-x * x / (2 * sigma * sigma)) }
	all := 0.0
	for x := -60.0; x <= 60; x++ {
		all += weight(x)
	}
	needed := func(eps float64) (sum float64) { // the larger one of both orders
		other := 0.0
		for x := -60.0; x <= 61; x++ {
			with, without := (1-q)*weight(x)+q*weight(x-1), weight(x)
			sum += max(0, with-math.Exp(eps)*without) / all
			other += max(0, without-math.Exp(eps)*with) / all
		}
		return max(sum, other)
	}
	low, high := 0.0, 100.0
	for range 60 {
		if middle := (low + high) / 2; needed(middle) > delta {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// TestOptComp_Gaps: where few losses are far from each other δ is anything but straight in ε.
func TestOptComp_Gaps(t *testing.T) {
	t.Parallel()
	for _, sigma := range testkit.Few(1, []string{"0.52", "0.4", "0.9"}) {
		for _, q := range testkit.Few(2, []string{"0.251", "1", "0.01"}) {
			for _, delta := range testkit.Few(2, []string{"1e-3", "5.913e-8", "1e-5", "1e-9"}) {
				number := func(s string) float64 { return rational.Float64(rational.MustParse(s)) }
				c, err := OptComp(t.Context(), []Mechanism{noisy(certify.DiscreteGaussian, sigma, q, 1)}, rational.MustParse(delta), Options{})
				if err != nil || c.Shortfall != "" {
					t.Errorf("σ %s, q %s, δ %s: %v, %+v", sigma, q, delta, err, c)
					continue
				}
				const digits = 1e-9
				want := discreteEps(number(sigma), number(q), number(delta))
				if lower, upper := c.Eps.Rats(); rational.Float64(lower) > want*(1+digits)+digits || rational.Float64(upper) < want*(1-digits)-digits {
					t.Errorf("σ %s, q %s, δ %s: ε is between %v and %v, must be %v", sigma, q, delta, c.Eps.Lower, c.Eps.Upper, want)
				}
			}
		}
	}
}

// TestOptDel_Halfway: laws of runs are found in two parts where this is enough, and whole where it is not: 20,000 and
// 5000 steps took half a minute, and were three times as wide.
func TestOptDel_Halfway(t *testing.T) {
	t.Parallel()
	for _, x := range testkit.Few(2, []struct {
		sigma, q, eps string
		count         int
		isDivided     bool
	}{{"0.6", "1e-4", "1", 20_000, true}, {"0.6", "1e-4", "1", 5000, true}, {"0.7", "2e-4", "0.1091", 200, false}}) {
		p := stoppedAfter([]Mechanism{noisy(certify.Gaussian, x.sigma, x.q, x.count)}, x.count)
		p.Stops[0].Eps = loss.Nats(rational.MustParse(x.eps))
		r, err := OptDel(t.Context(), p, Options{})
		if err != nil || r.Shortfall != "" {
			t.Errorf("%+v: %v, %+v", x, err, r)
			continue
		}
		if divided := r.Certified[0].Hints.Divided; divided != x.isDivided {
			t.Errorf("%+v: it is %v that it is found in two parts", x, divided)
		}
	}
}

// TestDesignSchedule_First: where time may run out, coarse charges are there first, for both orders; they are
// certified, and are kept when it does.
func TestDesignSchedule_First(t *testing.T) {
	t.Parallel()
	for i, x := range testkit.Few(1, ordered()) {
		far, end := context.WithTimeout(t.Context(), time.Hour)
		defer end()
		ctx, cancel := context.WithCancel(far)
		const first = 0.1 // of the work
		s, err := DesignSchedule(ctx, x.Pipeline, rational.MustParse(x.delta), ScheduleOptions{Progress: func(done float64) {
			if done >= first {
				cancel()
			}
		}})
		cancel()
		if err != nil || s.Shortfall == "" || s.SingleStop != nil {
			t.Errorf("%d: %v, %+v; must have charges, a shortfall, and nothing to be compared with", i, err, s)
			continue
		}
		r, err := OptDel(t.Context(), s.Pipeline, Options{RelWidth: 1e-2})
		if err != nil {
			t.Fatal(err)
		}
		delta := rational.Float64(rational.MustParse(x.delta))
		if lower, upper := r.OptDel.Rats(); rational.Float64(lower) > delta || rational.Float64(upper) < (1-coarseSlack)*delta*(1-1e-2) {
			t.Errorf("%d: OptDel is between %v and %v, must be up to %v below %v", i, lower, upper, coarseSlack, delta)
		}
	}
}

// TestOptDel_WholeAtManyStops: where there are many stops, OptDel and Lemma 11 are sought one after the other, with
// laws in two parts and then with whole ones.
func TestOptDel_WholeAtManyStops(t *testing.T) {
	testkit.Deep(t)
	t.Parallel()
	steps := []Mechanism{noisy(certify.Gaussian, "0.7", "8e-4", 3300)}
	var ends []int
	for k := 66; k <= 3300; k += 66 {
		ends = append(ends, k)
	}
	p := stoppedAfter(steps, ends...)
	for i := range p.Stops {
		p.Stops[i].Eps = loss.Nats(rational.MustParse("5"))
	}
	r, err := OptDel(t.Context(), p, Options{})
	if err != nil || r.Shortfall != "" {
		t.Fatalf("%v, %+v", err, r)
	}
	one, err := OptDel(t.Context(), stoppedAfterWith(steps, "5", 3300), Options{})
	if err != nil || one.OptDel.Lower.Cmp(r.OptDel.Upper) > 0 || r.OptDel.Lower.Cmp(one.OptDel.Upper) > 0 {
		// charges do not rise: to stop early never pays
		t.Errorf("%v: OptDel is %v with 50 stops, and %v with one", err, r.OptDel, one.OptDel)
	}
}

// stoppedAfterWith returns a pipeline with one stop.
func stoppedAfterWith(steps []Mechanism, eps string, k int) Pipeline {
	p := stoppedAfter(steps, k)
	p.Stops[0].Eps = loss.Nats(rational.MustParse(eps))
	return p
}
