package impl

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

// besideLeak is about what a δ that is off what no charge can buy is off by: far below float64's accuracy.
var besideLeak = rational.MustParse("1e-40")

// TestLeak_Compose: what no charge can buy is told exactly from a δ next to it, with laws and without. It is enough
// with the largest finite loss, of the order of neighbours that loses it, and less is never enough.
func TestLeak_Compose(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		mechanisms, leak string
		least, most      float64 // the smallest ε for that δ
	}{
		{"1 0.1, 0.5 0.2 x2", "0.424", 2, 2},
		{"ln(3) 0.4", "0.4", 1.0986122, 1.0986123},
		{"law 1/2,1/4 1/4,3/4 1/4,0", "1/4", 0.69314718, 0.69314719},
		{"law 1/4,1/2 3/4,1/4 0,1/4", "1/4", 0.69314718, 0.69314719},              // the same in the other order
		{"law 0.5,0 0.5,1 x2, 0.3 0", "3/4", 0, 1e-15},                            // 2·ln(1/2) + 0.3 is below 0
		{"law 0.4,0 0.6,0.6 0,0.4", "0.4", 0, 0},                                  // symmetric
		{"laplace 2 0.1 x10, 0 0.3", "0.3", 0.62854723, 0.62854724},               // not rational
		{"laplace 2 x10, law 0.6,0.9 0.4,0 0,0.1", "0.4", 4.59453489, 4.59453490}, // 5 + ln(2/3)
		{"0.1 1e-7 x3", "0.000000299999970000001", 0.3, 0.3},                      // many digits
		{"0 1e-300 x2", "2e-300", 0, 0},                                           // next to 1e-300·(2 − 1e-300)
		{"law 0.2,0.1 0.799,0.9 0.001,0, 0.1 1e-3 x2", "0.002997001", 0, 9},       // in one order only
	} {
		p := parsed(row.mechanisms)
		leak := rational.MustParse(row.leak)
		if row.leak == "2e-300" {
			leak.Sub(leak, rational.MustParse("1e-600"))
		}
		c, err := OptComp(t.Context(), p.Mechanisms, leak, Options{})
		if err != nil {
			t.Errorf("%s at %s: %v", row.mechanisms, row.leak, err)
			continue
		}
		if x := c.Eps.Float(); x.Lo < row.least-1e-15 || x.Hi > row.most+1e-15 {
			t.Errorf("%s at %s: ε in %v, must be in [%v, %v]", row.mechanisms, row.leak, x, row.least, row.most)
		}
		less := new(big.Rat).Sub(leak, new(big.Rat).Mul(leak, besideLeak))
		checkTooSmall(t, p, less, true)
		if _, err := OptComp(t.Context(), p.Mechanisms, new(big.Rat).Add(leak, new(big.Rat).Mul(leak, besideLeak)),
			Options{}); isTooSmall(err) {
			t.Errorf("%s: more than %s: %v", row.mechanisms, row.leak, err)
		}
	}
}

func isTooSmall(err error) bool {
	broken, ok := errors.AsType[*DeltaError](err)
	return ok && broken.IsTooSmall
}

// checkTooSmall checks that there is no ε, and no schedule, for a δ, and that it is certain or not; and that a message
// tells the δ from what is needed.
func checkTooSmall(t *testing.T, p Pipeline, delta *big.Rat, isCertain bool) {
	t.Helper()
	_, wrong := OptComp(t.Context(), p.Mechanisms, delta, Options{})
	_, wrongSchedule := DesignSchedule(t.Context(), p, delta, ScheduleOptions{})
	for _, err := range []error{wrong, wrongSchedule} {
		if broken, ok := errors.AsType[*DeltaError](err); !ok || broken.IsTooSmall != isCertain {
			t.Errorf("%v at %s: %v", p, delta.RatString(), err)
		} else if _, must, ok := strings.Cut(broken.Rule, "must be at least "); ok && delta.Sign() > 0 {
			shown, _, _ := strings.Cut(strings.TrimPrefix(must, "about "), ", ")
			if x, ok := new(big.Rat).SetString(shown); !ok || x.Cmp(delta) <= 0 {
				t.Errorf("δ = %s: %v", delta.FloatString(60), err)
			}
		}
	}
}

// TestLeak_Unbounded: where losses have no bound, what no charge can buy is never enough, and that is certain; in one
// order of neighbours they may have one.
func TestLeak_Unbounded(t *testing.T) {
	t.Parallel()
	for mechanisms, leak := range map[string]string{
		"gaussian 2 x2, 0.1 0.3":                "0.3",
		"discrete_gaussian 2, 0.1 0.3":          "0.3",
		"gaussian 2 0.5, 0.1 0.3":               "0.3",
		"gaussian 2 x2":                         "0",
		"gaussian 2 0.01, law 1/2,3/4 1/2,1/4":  "0",
		"gaussian 2, law 1/2,3/4 1/4,1/4 1/4,0": "1/4",
	} {
		p, x := parsed(mechanisms), rational.MustParse(leak)
		checkTooSmall(t, p, x, true)
		if _, err := OptComp(t.Context(), p.Mechanisms, x, Options{}); !strings.Contains(err.Error(), "noise, as in") {
			t.Errorf("%s at %s: %v", mechanisms, leak, err)
		}
	}
	// a record that is added to what a normal law is sampled from loses less than −ln(1 − q)
	p := parsed("gaussian 2 0.5, law 1/2,3/4 1/2,0 0,1/4")
	p.Mechanisms[0].Additive.Added = true
	c, err := OptComp(t.Context(), p.Mechanisms, rational.MustParse("1/2"), Options{})
	if err != nil || c.Eps.Float().Hi > 10 {
		t.Errorf("%v, %v", c, err)
	}
	s, err := DesignSchedule(t.Context(), p, rational.MustParse("1/2"), ScheduleOptions{})
	if err != nil || s.Shortfall != "" || math.Abs(rational.Float64(s.Charges()[0])-math.Log(4./3)) > 1e-12 ||
		math.Abs(c.Eps.Float().Hi-math.Log(4./3)) > 1e-4 {
		t.Errorf("%v, %v", s, err)
	}
	// not if far more is lost in the other order
	p.Mechanisms[0].Additive.Scale = rational.MustParse("0.1")
	s, err = DesignSchedule(t.Context(), p, rational.MustParse("1/2"), ScheduleOptions{})
	if broken, ok := errors.AsType[*DeltaError](err); !ok || broken.IsTooSmall {
		t.Errorf("%v, %v", s, err)
	}
}

// TestLeak_Losses: what is missing from 1 in losses is told exactly from a δ under P, and as narrowly as it takes under
// Q. Masses under Q that sum to a little more than 1 are divided by their sum.
func TestLeak_Losses(t *testing.T) {
	t.Parallel()
	// under P 0.3 is missing; under Q 1 − 0.4·e^−0.5 − 0.3·e^0.1 = 0.4258364…
	p := parsed("losses -0.1,0.3 0.5,0.4")
	checkTooSmall(t, p, rational.MustParse("0.3"), true)
	checkTooSmall(t, p, rational.MustParse("0.42583646"), true)
	if _, err := OptComp(t.Context(), p.Mechanisms, rational.MustParse("0.42586"), Options{}); isTooSmall(err) {
		t.Error(err)
	}
	// under P 0.3 is missing; under Q less
	p = parsed("losses -0.6,0.3 0.3,0.4")
	checkTooSmall(t, p, rational.MustParse("0.29999999999999999999999999"), true)
	c, err := OptComp(t.Context(), p.Mechanisms, rational.MustParse("0.3"), Options{})
	if err != nil || c.Eps.Lower.Cmp(loss.Enclose(loss.Nats(rational.MustParse("0.29")), 64).Lower) < 0 ||
		c.Eps.Float().Hi > 0.61 {
		t.Errorf("%v, %v", c, err)
	}
	// ±ln 1.5, rounded, once so that the masses under Q sum to less, and once so that they sum to more
	checkTooSmall(t, parsed("losses -0.405465108,0.4 0.4054651082,0.6"), new(big.Rat), true)
	p = parsed("losses -0.4054651083,0.4 0.4054651081,0.6")
	if c, err := OptComp(t.Context(), p.Mechanisms, new(big.Rat), Options{}); err != nil ||
		c.Eps.Float().Hi > 0.40546511 {
		t.Errorf("%v, %v", c, err)
	}
}

// TestLeak_Schedule: for what no charge can buy the charges are the largest finite losses, and OptDel is δ.
func TestLeak_Schedule(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		problem, leak   string
		charges, single []string
		lemma11         bool
	}{
		{"0.1 0.01 x10 | 5, 10", "0.09561792499119550999", []string{"0.5", "1"}, nil, false},
		{"0.1 0 x3, 0.2 0.4 | 3, 4", "0.4", []string{"0.3", "0.5"}, []string{"0", "0.5"}, true},
		{"0.1 0.4, 0.2 0 x3 | 1, 2, 4", "0.4", []string{"0.1", "0.3", "0.7"}, []string{"0.1", "0.3", "0.7"}, false},
		{"law 0.6,0.6 0.4,0 0,0.4, 0.3 0 x2 | 1, 3", "0.4", []string{"0", "0.6"}, []string{"0", "0.6"}, false},
		{"0.1 1e-7 x3 | 3", "0.000000299999970000001", []string{"0.3"}, []string{"0.3"}, true},
		{"0.1 0 x10 | 5, 10", "0", []string{"0.5", "1"}, []string{"0.5", "1"}, true},
	} {
		delta := rational.MustParse(row.leak)
		for _, shape := range Shapes {
			s, err := DesignSchedule(t.Context(), parsed(row.problem), delta, ScheduleOptions{Shape: shape})
			if err != nil {
				t.Errorf("%s at %s: %v", row.problem, row.leak, err)
				continue
			}
			checkSchedule(t, s, parsed(row.problem), delta, 0)
			if s.OptDel == nil || s.OptDel.Cmp(delta) != 0 || (s.Lemma11 != nil) != row.lemma11 ||
				s.IsLeaking == row.lemma11 ||
				(s.Shortfall != "") != (shape == Optimal && delta.Sign() > 0 && len(row.charges) > 1) {
				t.Errorf("%s, %s at %s: OptDel %v, Lemma 11 %v, %s", shape, row.problem, row.leak, s.OptDel, s.Lemma11,
					s.Shortfall)
			}
			for i, e := range s.Charges() {
				if e.Cmp(rational.MustParse(row.charges[i])) != 0 {
					t.Errorf("%s: charge %d is %s, must be %s", row.problem, i+1, rational.Decimal(e), row.charges[i])
				}
				if row.single != nil && s.SingleStop[i].Cmp(rational.MustParse(row.single[i])) != 0 {
					t.Errorf("%s: single stop %d is %v, must be %s", row.problem, i+1, s.SingleStop[i], row.single[i])
				}
			}
		}
	}
}

// TestLeak_ScheduleNextToIt: for a δ that is hardly more than what no charge can buy, the charges of that are enough;
// for one that is hardly less there are none. Of losses it is no ratio: 1 − 0.6·e^−0.5 − 0.3·e^0.3 of what Q does is
// impossible under P.
func TestLeak_ScheduleNextToIt(t *testing.T) {
	t.Parallel()
	const nines, more, digits = "99999999999999999999999999999", "0.400000000000000000000000000001",
		"0.2311239618996190146425969850068895288213592"
	for _, row := range []struct{ problem, less, more, leak, charges string }{
		{"law 0.6,0.6 0.4,0 0,0.4, 0.3 0 x2 | 1, 3", "0.3" + nines, more, "0.4", "0,0.6"},
		{"0.1 0 x3, 0.2 0.4 | 3, 4", "0.3" + nines, more, "0.4", "0.3,0.5"},
		{"losses -0.3,0.3 0.5,0.6 | 1", digits, digits + "1", digits + "1", "0.5"},
	} {
		of := rational.MustParse
		if _, err := DesignSchedule(t.Context(), parsed(row.problem), of(row.less), ScheduleOptions{}); err == nil {
			t.Errorf("%s: there are charges for less than %s", row.problem, row.leak)
		}
		s, err := DesignSchedule(t.Context(), parsed(row.problem), of(row.more), ScheduleOptions{})
		if err != nil {
			t.Errorf("%s: %v", row.problem, err)
			continue
		}
		if s.OptDel == nil || s.OptDel.Cmp(of(row.leak)) != 0 || s.Shortfall == "" {
			t.Errorf("%s: OptDel is %v, must be %s; %q", row.problem, s.OptDel, row.leak, s.Shortfall)
		}
		for i, want := range strings.Split(row.charges, ",") {
			if e := s.Charges()[i]; e.Cmp(of(want)) != 0 {
				t.Errorf("%s: charge %d is %s, must be %s", row.problem, i+1, rational.Decimal(e), want)
			}
		}
	}
}
