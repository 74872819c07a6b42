package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"checkrr/impl"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

func fair(eps, delta string) impl.Mechanism {
	return impl.Mechanism{Eps: testkit.NatsOf(eps), Delta: rational.MustParse(delta), Count: 1}
}

// atMostRounds is a filter that counts rounds and does not look at them.
type atMostRounds int

func (atMostRounds) Start() any { return 0 }

func (f atMostRounds) Spend(memory any, _ impl.Mechanism) (any, bool) {
	played := memory.(int)
	return played + 1, played < int(f)
}

// A filter is a Go value. This one counts rounds, and is challenged for the δ that it needs at ε = 1.
func ExampleChallengeFilter() {
	menu := []impl.Mechanism{fair("0.1", "0"), fair("0.5", "1/1000")}
	eps, _ := new(big.Rat).SetString("1")
	c, err := ChallengeFilter(context.Background(), menu, 10, atMostRounds(3), loss.Nats(eps),
		ChallengeOptions{Claim: big.NewRat(1, 100)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f, refuted: %v\n", c.Worst.Lower, c.Refuted)
	for _, p := range c.Adversary {
		fmt.Printf("round %d, %v played, loss %d to %d times %v: mechanism %d\n",
			p.Round, p.Memory, p.Least, p.Most, c.Unit, p.Choice)
	}
	// Output:
	// 0.0976, refuted: true
	// round 1, 0 played, loss 0 to 0 times 1/10: mechanism 1
	// round 2, 1 played, loss -5 to 5 times 1/10: mechanism 1
	// round 3, 2 played, loss -10 to 10 times 1/10: mechanism 1
}

func TestChallenge_Errors(t *testing.T) {
	t.Parallel()
	one := loss.Nats(big.NewRat(1, 1))
	exp := func(x int64) impl.Mechanism {
		return impl.Mechanism{Eps: loss.Exp(big.NewRat(x, 1)), Delta: new(big.Rat), Count: 1}
	}
	for _, test := range []struct {
		menu []impl.Mechanism
		want string
	}{
		{[]impl.Mechanism{fair("1", "0"), exp(2)},
			"mechanism 2: its ε, ln(2), has no common unit with those before it"},
		{[]impl.Mechanism{exp(2), exp(3)}, "mechanism 2: its ε, ln(3), has no common unit"},
		{[]impl.Mechanism{exp(2), exp(8)}, ""},
		{[]impl.Mechanism{fair("0", "0"), fair("1", "0")}, ""},
		{[]impl.Mechanism{fair("0", "1/3")}, ""},
		{[]impl.Mechanism{{Eps: one, Delta: new(big.Rat)}}, "mechanism 1: count is 0, must be 1"},
		{[]impl.Mechanism{{Law: impl.Law{}, Count: 1}}, "mechanism 1: law is given, must be eps and delta"},
		{[]impl.Mechanism{fair("-1", "0")}, "mechanism 1: eps is -1, must be at least 0"},
		{[]impl.Mechanism{fair("1e7", "0")}, "mechanism 1: eps is 1e+07, must be at most 1e6"},
	} {
		_, err := ChallengeFilter(t.Context(), test.menu, 3, atMostRounds(3), one, ChallengeOptions{})
		if test.want == "" && err != nil ||
			test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
	_, err := ChallengeFilter(t.Context(), []impl.Mechanism{fair("1", "0"), fair("1e-6", "0")}, 100,
		atMostRounds(100), one, ChallengeOptions{})
	if _, many := errors.AsType[*SituationsError](err); !many {
		t.Errorf("error %v, want too many situations", err)
	}
}

// What is missing is an error.
func TestNewOdometer_Missing(t *testing.T) {
	t.Parallel()
	third, itself, pointed := big.NewRat(1, 3), BestCurve{nil}, BestCurve{nil}
	itself[0], pointed[0] = itself, &pointed
	for _, c := range []Curve{nil, BestCurve{nil}, BestCurve{}, (*FilterCurve)(nil), struct{ Curve }{MixtureCurve{1}},
		struct{ Curve }{}, itself, pointed} {
		if _, err := NewOdometer(c, third, third); err == nil {
			t.Errorf("%T is accepted", c)
		}
		if _, err := NewCurveRule(c, third, third); err == nil {
			t.Errorf("%T is accepted", c)
		}
	}
}

// odd is a rule that remembers what == cannot compare, at first or from the second round on, or that admits what it
// runs by the part that is observed, or that shows what is no number.
type odd struct {
	at       []any // what is remembered after so many rounds
	only     int   // the part that is admitted, from 1; 0: all
	readings map[any]interval.Float
}

func (o odd) Start() any { return o.at[0] }

func (o odd) Spend(memory any, m impl.Mechanism) (any, bool) {
	return o.SpendPart(memory, Guarantee{Parts: []Part{{Eps: m.Eps}}, Delta: m.Delta}, 0)
}

func (o odd) SpendPart(memory any, _ Guarantee, observed int) (any, bool) {
	if played, counts := memory.(int); counts && played < 2 {
		return o.at[played+1], o.only == 0 || o.only == observed+1
	}
	return memory, false
}

// shows is an odd rule as an odometer.
type shows struct{ odd }

func (s shows) Spend(memory any, m impl.Mechanism) any {
	after, _ := s.odd.Spend(memory, m)
	return after
}

func (s shows) Reading(memory any) interval.Float { return s.readings[memory] }

// What a plug-in must not do is an error that says where it was done.
func TestChallenge_OddRules(t *testing.T) {
	t.Parallel()
	one, menu := loss.Nats(big.NewRat(1, 1)), []impl.Mechanism{fair("0.1", "0")}
	parts := []Guarantee{{Parts: []Part{{"few", menu[0].Eps}, {"many", menu[0].Eps}}, Delta: new(big.Rat)}}
	filter := func(o odd) (errs [2]error) {
		_, errs[0] = ChallengeFilter(t.Context(), menu, 3, o, one, ChallengeOptions{})
		_, errs[1] = ChallengeODPFilter(t.Context(), parts, 3, o, one, ChallengeOptions{})
		return errs
	}
	odometer := func(o odd) (errs [2]error) {
		_, errs[0] = ChallengeOdometer(t.Context(), menu, 3, shows{o}, ChallengeOptions{})
		_, errs[1] = ChallengeODPOdometer(t.Context(), parts, 3, shows{o}, ChallengeOptions{})
		return errs
	}
	const byPart = `the rule at the start admits mechanism 1 of the menu if part "few" is observed or if part "many" is`
	counts, at := []any{0, 1, 2}, func(number float64) interval.Float { return interval.Point(number) }
	reads := func(memory int, x interval.Float) odd { return odd{counts, 0, map[any]interval.Float{memory: x}} }
	for _, test := range []struct {
		rule func(odd) [2]error
		odd
		want string
	}{
		{filter, odd{at: counts}, ""},
		{filter, odd{at: []any{[]int{}}},
			"the memory of the rule at the start is a []int, must be comparable by == or have a method Key() any"},
		{filter, odd{at: []any{0, 1, []int{}}}, "the memory of the rule after mechanisms 1, 1 of the menu is a []int"},
		{filter, odd{at: counts, only: 1}, byPart},
		{filter, odd{at: counts, only: 2}, byPart},
		{odometer, odd{at: []any{0, []int{}}}, "the memory of the rule after mechanism 1 of the menu is a []int"},
		{odometer, reads(1, at(math.Inf(1))), ""},
		{odometer, reads(0, at(math.NaN())), "the reading at the start is [NaN, NaN], must be a number"},
		{odometer, reads(2, at(math.NaN())), "the reading after mechanisms 1, 1 of the menu is [NaN, NaN]"},
		{odometer, reads(1, interval.NewFloat(2, 1)), "the reading after mechanism 1 of the menu is [2, 1]"},
	} {
		for i, err := range test.rule(test.odd) {
			want := test.want
			if i == 0 && test.only > 0 { // there is one part only
				want = ""
			}
			testkit.ExpectError(t, err, want)
		}
	}
}

// Nothing is promised with a δ of 1: what there is of it for the bound and for the mechanisms must be less together.
func TestNewOdometer_Delta(t *testing.T) {
	t.Parallel()
	for _, tt := range [][3]string{{"0.9", "0.0999", ""}, {"0.9", "0.1", "NewOdometer: δ′ + δ″ is 1, must be at least 0"},
		{"0.9", "0.9", "δ′ + δ″ is 1.8, must be"}, {"1", "0", "δ′ is 1, must be"}, {"0.9", "-0.1", "δ″ is -0.1, must be"}} {
		_, err := NewOdometer(MixtureCurve{1}, rational.MustParse(tt[0]), rational.MustParse(tt[1]))
		testkit.ExpectError(t, err, tt[2])
		_, err = NewCurveRule(MixtureCurve{1}, rational.MustParse(tt[0]), rational.MustParse(tt[1]))
		testkit.ExpectError(t, err, tt[2])
	}
}

// TestRogersDomain: the original odometer is for δ′ of at most 1/e, also as one of several, which have less of it each.
func TestRogersDomain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		curve  Curve
		delta1 string
		ok     bool
	}{{RogersCurve{100}, "0.3678", true},
		{RogersCurve{100}, "0.3679", false}, {BestCurve{RogersCurve{100}, MixtureCurve{1}}, "0.7357", true},
		{BestCurve{RogersCurve{100}, MixtureCurve{1}}, "0.7358", false}, {MixtureCurve{1}, "0.9", true}} {
		if _, err := NewOdometer(tt.curve, rational.MustParse(tt.delta1), new(big.Rat)); (err == nil) != tt.ok {
			t.Errorf("%+v, δ′ = %s: %v", tt.curve, tt.delta1, err)
		}
	}
}

// A δ that is attained exactly is told from one that is less by 1e-36, where another mechanism whose masses are no
// rational numbers can be played first; one that is more by 1e-12 is refuted.
func TestChallenge_Equality(t *testing.T) {
	t.Parallel()
	delta, one := rational.MustParse("1e-6"), loss.Nats(rational.One)
	f, err := NewSumFilter(one, delta)
	if err != nil {
		t.Fatal(err)
	}
	menu := []impl.Mechanism{fair("0.1", "0"), fair("0.2", "1e-6")}
	parts := []Guarantee{guarantee("0", testkit.NatsOf("0.1")),
		guarantee("1e-6", testkit.NatsOf("0.2"), testkit.NatsOf("0.1"))}
	for claim, want := range map[string][2]bool{ // holds, is refuted
		"1e-6":                                {true, false},
		"999999999999999999999999999999e-36":  {false, false},
		"0.999999999999e-6":                   {false, true},
		"1000000000000000000000000000001e-36": {true, false},
	} {
		o := ChallengeOptions{Claim: rational.MustParse(claim)}
		plain, err1 := ChallengeFilter(t.Context(), menu, 20, f, one, o)
		byParts, err2 := ChallengeODPFilter(t.Context(), parts, 5, f, one, o)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		for _, got := range []*Challenge{plain, byParts} {
			if [2]bool{got.Holds, got.Refuted} != want {
				t.Errorf("claim %s: holds %v, refuted %v", claim, got.Holds, got.Refuted)
			}
		}
	}
}

// What is nil and must not be is refused by its name.
func TestRefuses_Nil(t *testing.T) {
	t.Parallel()
	var none context.Context
	f, err := NewSumFilter(testkit.NatsOf("1"), new(big.Rat))
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewCurveRule(MixtureCurve{1}, rational.MustParse("0.1"), new(big.Rat))
	if err != nil {
		t.Fatal(err)
	}
	eps, o := testkit.NatsOf("1"), ChallengeOptions{}
	for _, of := range []struct {
		want string
		of   func() (any, error)
	}{
		{"ChallengeFilter: ctx is nil", func() (any, error) { return ChallengeFilter(none, nil, 0, f, eps, o) }},
		{"ChallengeFilter: f is nil", func() (any, error) { return ChallengeFilter(t.Context(), nil, 0, nil, eps, o) }},
		{"f is nil", func() (any, error) { return ChallengeFilter(t.Context(), nil, 0, (*SumFilter)(nil), eps, o) }},
		{"ChallengeODPFilter: ctx is nil", func() (any, error) { return ChallengeODPFilter(none, nil, 0, f, eps, o) }},
		{"ChallengeODPFilter: f is nil", func() (any, error) {
			return ChallengeODPFilter(t.Context(), nil, 0, nil, eps, o)
		}},
		{"ChallengeOdometer: ctx is nil", func() (any, error) { return ChallengeOdometer(none, nil, 0, r, o) }},
		{"ChallengeOdometer: r is nil", func() (any, error) { return ChallengeOdometer(t.Context(), nil, 0, nil, o) }},
		{"ChallengeODPOdometer: r is nil", func() (any, error) {
			return ChallengeODPOdometer(t.Context(), nil, 0, nil, o)
		}},
	} {
		_, err := of.of()
		testkit.ExpectError(t, err, of.want)
	}
}
