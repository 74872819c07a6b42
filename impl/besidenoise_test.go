package impl

import (
	"math/big"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// idle are mechanisms that lose nothing, or next to nothing.
func idle(t *testing.T) map[string]Mechanism {
	zero, err := certify.NewLosses([][2]*big.Rat{{new(big.Rat), big.NewRat(1, 1)}})
	if err != nil {
		t.Fatal(err)
	}
	half := big.NewRat(1, 2)
	return map[string]Mechanism{
		"eps 0":           {Eps: loss.Nats(new(big.Rat)), Delta: new(big.Rat), Count: 1},
		"eps 1e-9":        {Eps: loss.Nats(rational.MustParse("1e-9")), Delta: new(big.Rat), Count: 1},
		"a law of a coin": {Law: Law{{half, half}, {half, half}}, Count: 1},
		"a loss of 0":     {Losses: zero, Count: 1},
	}
}

// TestIdle: beside noise, what loses next to nothing changes next to nothing.
func TestIdle(t *testing.T) {
	t.Parallel()
	noise, delta := noisy(certify.Gaussian, "4", "1", 3), rational.MustParse("1e-3")
	alone, err := OptComp(t.Context(), []Mechanism{noise}, delta, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const apart = 2e-3 // the slack of a schedule, and widths
	for name, m := range idle(t) {
		for _, ms := range [][]Mechanism{{m, noise}, {noise, m}} {
			c, err := OptComp(t.Context(), ms, delta, Options{})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			checkNear(t, name, rational.Float64(upperOf(c)), rational.Float64(upperOf(alone)), apart)
			s, err := DesignSchedule(t.Context(), stoppedAfter(ms, 4), delta, ScheduleOptions{})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			checkNear(t, name, rational.Float64(s.Charges()[0]), rational.Float64(upperOf(alone)), apart)
		}
	}
}

func upperOf(c *Composition) *big.Rat {
	r, _ := c.Eps.Upper.Rat(nil)
	return r
}

func checkNear(t *testing.T, name string, got, want, relative float64) {
	t.Helper()
	if d := got/want - 1; d > relative || d < -relative {
		t.Errorf("%s: %.17g, must be %.17g but for a part of %g", name, got, want, relative)
	}
}

// TestOptComp_Lossless: laws that lose nothing cost nothing.
func TestOptComp_Lossless(t *testing.T) {
	t.Parallel()
	c, err := OptComp(t.Context(), []Mechanism{idle(t)["a law of a coin"]}, rational.MustParse("1e-6"), Options{})
	if err != nil || c.Exact == nil || c.Exact.Sign() != 0 || c.Method != ClosedForm {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestSchedule_OptimalWithNoise: no shape is cheaper than the optimal one.
func TestSchedule_OptimalWithNoise(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]Pipeline{
		"plain":   stoppedAfter([]Mechanism{noisy(certify.Gaussian, "3", "1", 10)}, 2, 4, 6, 8, 10),
		"sampled": stoppedAfter([]Mechanism{noisy(certify.Gaussian, "1", "0.1", 6)}, 1, 3, 6),
	} {
		mean := func(shape Shape) *big.Rat {
			s, err := DesignSchedule(t.Context(), p, rational.MustParse("1e-4"), ScheduleOptions{Shape: shape})
			if err != nil {
				t.Fatal(err)
			}
			sum := new(big.Rat)
			for _, e := range s.Charges() {
				sum.Add(sum, e)
			}
			return sum
		}
		best := mean(Optimal)
		for _, shape := range []Shape{Uniform, Linear, Sqrt} {
			if x := mean(shape); x.Cmp(best) < 0 {
				t.Errorf("%s: %s costs %s, optimal %s", name, shape, x.FloatString(9), best.FloatString(9))
			}
		}
	}
}

// What meets an infinite loss is most of all runs, and not those of large losses: behind noise the lower end had lost
// it.
func TestOptDel_LeakBehindNoise(t *testing.T) {
	t.Parallel()
	last := Mechanism{Eps: loss.Nats(rational.MustParse("0.152656")), Delta: rational.MustParse("1e-9"), Count: 2}
	p := stoppedAfter([]Mechanism{noisy(certify.Gaussian, "3.01439", "1", 300), noisy(certify.Laplace, "12.4867", "1", 100), last}, 195, 362, 402)
	for i, e := range []string{"48.8577", "53.7406", "68.6751"} {
		p.Stops[i].Eps = loss.Nats(rational.MustParse(e))
	}
	r, err := OptDel(t.Context(), p, Options{})
	if err != nil || r.Shortfall != "" {
		t.Fatal(err, r)
	}
	if x := r.OptDel.Float(); x.Lo < 2e-9 || x.Hi > 2.1e-9 {
		t.Errorf("between %v and %v", x.Lo, x.Hi)
	}
}

// Without a stop between them the order of mechanisms does not matter: equal ones are taken together, wherever they
// stand. None moves over a stop.
func TestOptComp_AnyOrder(t *testing.T) {
	t.Parallel()
	step := noisy(certify.Gaussian, "1.1", "0.004", 5)
	metric := Mechanism{Eps: exactly(0.0625), Delta: rational.MustParse("1e-9"), Count: 1}
	law := Mechanism{Law: Law{{rational.MustParse("1/2"), rational.MustParse("1/4")}, {rational.MustParse("1/2"), rational.MustParse("3/4")}}, Count: 1}
	mixed := []Mechanism{law}
	for range 6 {
		mixed = append(mixed, step, metric)
	}
	sorted := []Mechanism{law, noisy(certify.Gaussian, "1.1", "0.004", 30), metric}
	sorted[2].Count = 6
	delta := rational.MustParse("1e-6")
	var eps [2]interval.Interval
	for i, ms := range [][]Mechanism{mixed, sorted} {
		c, err := OptComp(t.Context(), ms, delta, Options{})
		if err != nil {
			t.Fatal(err)
		}
		eps[i] = c.Eps
	}
	if eps[0].Lower.Cmp(eps[1].Lower) != 0 || eps[0].Upper.Cmp(eps[1].Upper) != 0 {
		t.Errorf("%v in turn, and %v together", eps[0], eps[1])
	}
	if got := OneStop(mixed).problem().Mechanisms; len(got) != 3 || got[1].Count != 30 || got[2].Count != 6 {
		t.Errorf("%v", got)
	}
	if got := stoppedAfter(mixed, 6, 37).problem().Mechanisms; len(got) != 4 || got[1].Count != 5 || got[2].Count != 6 || got[3].Count != 25 {
		t.Errorf("%v", got)
	}
}
