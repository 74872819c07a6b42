package impl

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// sampledDelta returns δ at ε of one Gaussian step where the record with the noise is sampled with probability q: the
// P-mass of losses above ε, less e^ε times their Q-mass. Both are far above their difference only where it is next to
// nothing.
func sampledDelta(sigma, q, eps float64) float64 {
	d := 1 / sigma
	y := math.Log1p(math.Expm1(eps)/q)/d + d/2 // ε is lost there
	above := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	return q*above(y-d) - (math.Expm1(eps)+q)*above(y)
}

// TestOptDel_RareLosses: steps that lose next to nothing, but for losses that are rare, and large.
func TestOptDel_RareLosses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("large transforms")
	}
	for _, x := range testkit.Few(2, []struct{ sigma, q, eps string }{
		{"0.5", "1e-5", "0.01"}, {"0.5", "1e-3", "8"},
		{"0.7", "1e-4", "0.01"}, {"1", "1e-5", "1"}, {"1", "1e-6", "0.01"},
	}) {
		p := stoppedAfter([]Mechanism{noisy(certify.Gaussian, x.sigma, x.q, 1)}, 1)
		p.Stops[0].Eps = loss.Nats(rational.MustParse(x.eps))
		r, err := OptDel(t.Context(), p, Options{RelWidth: 1e-2})
		if err != nil {
			t.Errorf("%+v: %v", x, err)
			continue
		}
		number := func(s string) float64 { return rational.Float64(rational.MustParse(s)) }
		want := sampledDelta(number(x.sigma), number(x.q), number(x.eps))
		lower, _ := r.OptDel.Lower.Float64()
		upper, _ := r.OptDel.Upper.Float64()
		const digits = 1e-9 // of want
		if lower > want*(1+digits) || upper < want*(1-digits) || r.Shortfall != "" {
			t.Errorf("%+v: between %g and %g, is %g; %s", x, lower, upper, want, r.Shortfall)
		}
	}
}

// TestOptDel_RareLossesTwice: with two stops of the same charge OptDel is at least what the later one needs, and at
// most what both need together. No grid was fine enough for that.
func TestOptDel_RareLossesTwice(t *testing.T) {
	testkit.Deep(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("large transforms")
	}
	p := stoppedAfter([]Mechanism{noisy(certify.Gaussian, "0.7", "1e-4", 100)}, 50, 100)
	for i := range p.Stops {
		p.Stops[i].Eps = loss.Nats(rational.MustParse("0.01"))
	}
	r, err := OptDel(t.Context(), p, Options{RelWidth: 1e-2})
	if err != nil || r.Shortfall != "" {
		t.Fatal(err, r)
	}
	if last := r.SingleStop[1]; r.OptDel.Upper.Cmp(last.Lower) < 0 || r.OptDel.Lower.Cmp(r.Lemma11.Upper) > 0 {
		t.Errorf("OptDel %v, the last stop %v, both %v", r.OptDel, last, r.Lemma11)
	}
}

// TestDesignSchedule_LikeCompose: what is charged at a single stop is the ε of optimal composition, whatever the
// mechanisms are: with rounding taken for mass it was up to four times that.
func TestDesignSchedule_LikeCompose(t *testing.T) {
	t.Parallel()
	for _, ms := range testkit.Few(1, [][]Mechanism{
		{noisy(certify.Gaussian, "300000", "1", 1000)}, // next to none
		{noisy(certify.Gaussian, "3.28", "1", 5), noisy(certify.Gaussian, "0.94", "0.001", 5), noisy(certify.Gaussian, "1.12", "1", 5)},
	}) {
		name := fmt.Sprint(length(ms), " steps")
		delta := rational.MustParse("1e-6")
		c, err := OptComp(t.Context(), ms, delta, Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		s, err := DesignSchedule(t.Context(), stoppedAfter(ms, length(ms)), delta, ScheduleOptions{})
		if err != nil {
			t.Fatal(name, err)
		}
		checkNear(t, name, rational.Float64(s.Charges()[0]), rational.Float64(upperOf(c)), 1e-3)
	}
}

func length(ms []Mechanism) (n int) {
	for _, m := range ms {
		n += m.Count
	}
	return n
}

// TestOptDel_ReachesWidth: where few steps have a far tail and where ever finer grids long know nothing of lower
// ends, a width is reached that float64 has digits for. These were taken for hopeless.
func TestOptDel_ReachesWidth(t *testing.T) {
	t.Parallel()
	for _, x := range testkit.Few(4, []struct {
		noise    certify.Noise
		scale, q string
		count    int
		eps      string
		width    float64
	}{
		{certify.Gaussian, "2.53", "0.1", 3, "1.006", 1e-5},
		{certify.DiscreteGaussian, "2.675", "0.1", 3, "1.06", 1e-5},
		{certify.Gaussian, "0.8346", "1", 24, "26.28", 1e-4},       // the first grid was lucky
		{certify.Gaussian, "0.337", "1", 18194, "81843.974", 1e-4}, // all losses are far from 0
		{certify.Gaussian, "0.7", "0.00685", 1_000_000, "150", 1e-2},
		{certify.Gaussian, "0.6", "1e-4", 100_000, "3", 1e-4},
		// what is lost rarely is nearly all there is in the other order
		{certify.DiscreteGaussian, "0.1", "1", 1000, "68.75", 1e-4},
	}) {
		if x.count > 1000 && testing.Short() { // large transforms
			continue
		}
		p := stoppedAfter([]Mechanism{noisy(x.noise, x.scale, x.q, x.count)}, x.count)
		p.Stops[0].Eps = loss.Nats(rational.MustParse(x.eps))
		if r, err := OptDel(t.Context(), p, Options{RelWidth: x.width}); err != nil || r.Shortfall != "" {
			t.Errorf("%+v: %v, %+v", x, err, r)
		}
	}
}

// TestOptDel_SteepTilts: noise with far tails before a step without noise. By all of its losses, also those that are
// left out, no tilt behind the noise is steep enough.
func TestOptDel_SteepTilts(t *testing.T) {
	t.Parallel()
	outcome := func(x, y int64) [2]*big.Rat { return [2]*big.Rat{big.NewRat(x, 10), big.NewRat(y, 10)} }
	p := stoppedAfter([]Mechanism{noisy(certify.Gaussian, "2.788", "0.02", 3), {Law: Law{outcome(8, 9), outcome(2, 1)}, Count: 1}}, 3, 4)
	p.Stops[0].Eps, p.Stops[1].Eps = loss.Nats(big.NewRat(724, 1000)), loss.Nats(big.NewRat(1112, 1000))
	if r, err := OptDel(t.Context(), p, Options{RelWidth: 2e-4}); err != nil || r.Shortfall != "" {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestOptDel_SpreadAboveNodeZero: on a grid that is coarse for the Laplace noise, what the rare losses before it
// leave spreads far enough to be above all nodes if those end where it itself ends.
func TestOptDel_SpreadAboveNodeZero(t *testing.T) {
	t.Parallel()
	p := stoppedAfter([]Mechanism{noisy(certify.Gaussian, "0.5", "1e-4", 500), noisy(certify.Laplace, "3", "1", 100)}, 500, 600)
	p.Stops[0].Eps, p.Stops[1].Eps = loss.Nats(big.NewRat(35, 1)), loss.Nats(big.NewRat(25, 1))
	if r, err := OptDel(t.Context(), p, Options{RelWidth: 1e-4}); err != nil || r.Shortfall != "" {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestDesignSchedule_NextToLargest: with a stop after each of many Laplace steps, the first stops are next to the
// largest loss, and the last ones far from it. Transforms have no digits for both, and where the node of the largest
// loss was a little above it, what that pays was far above δ.
func TestDesignSchedule_NextToLargest(t *testing.T) {
	t.Parallel()
	for _, x := range testkit.Few(1, []struct {
		steps int
		delta string
	}{{30, "1e-12"}, {60, "1e-12"}, {200, "1e-30"}}) {
		var stops []int
		for k := range x.steps {
			stops = append(stops, k+1)
		}
		s, err := DesignSchedule(t.Context(), stoppedAfter([]Mechanism{noisy(certify.Laplace, "3", "1", x.steps)}, stops...), rational.MustParse(x.delta), ScheduleOptions{})
		if err != nil || s.Shortfall != "" {
			t.Errorf("%+v: %v, %+v", x, err, s)
		}
	}
}

// TestDesignSchedule_FirstRoughly: if time runs out before charges with a small slack are there, there are those with
// a larger one.
func TestDesignSchedule_FirstRoughly(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := ScheduleOptions{Slack: 1e-12, Progress: func(done float64) {
		if done > 0.1 {
			cancel()
		}
	}}
	delta := rational.MustParse("1e-6")
	s, err := DesignSchedule(ctx, stoppedAfter([]Mechanism{noisy(certify.Gaussian, "1", "0.01", 100)}, 50, 100), delta, o)
	if err != nil || !strings.Contains(s.Shortfall, "not finished") {
		t.Fatalf("%v, %+v", err, s)
	}
	if lower, upper := s.Result.OptDel.Rats(); upper.Cmp(delta) > 0 || rational.Float64(lower) < 0.998e-6 {
		t.Errorf("OptDel is between %v and %v", lower, upper)
	}
}

// TestDesignSchedule_NearOrders: charges that are enough for both orders of neighbours stay, though at the last stop
// alone the other order needs a little more.
func TestDesignSchedule_NearOrders(t *testing.T) {
	testkit.Deep(t)
	t.Parallel()
	p := stoppedAfter([]Mechanism{noisy(certify.Gaussian, "0.5", "1e-4", 500), noisy(certify.Laplace, "3", "1", 100)}, 500, 600)
	s, err := DesignSchedule(t.Context(), p, rational.MustParse("1e-12"), ScheduleOptions{})
	if err != nil || s.Shortfall != "" {
		t.Fatalf("%v, %+v", err, s)
	}
	if plain := s.PlainDP(); plain == nil || plain.Cmp(s.Charges()[1]) > 0 {
		t.Errorf("plain DP charges %v, the last stop %v", plain, s.Charges()[1])
	}
}
