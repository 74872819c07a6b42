package loss_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// keeper keeps an account of some kind.
type keeper struct {
	spend  func(partition string, g ledger.Guarantee, observed string) error
	state  func() any               // for JSON
	resume func(state []byte) error // from that
	read   func() any
	run    *ledger.FilterRun // if it is one
}

// read returns what a state is written as.
func read[S any](state []byte) (s S, err error) { return s, json.Unmarshal(state, &s) }

func keepsSpending() *keeper {
	var s ledger.Spending
	return &keeper{
		spend: func(_ string, g ledger.Guarantee, observed string) (err error) {
			s, err = s.Add(g, observed)
			return err
		},
		state: func() any { return s },
		resume: func(state []byte) (err error) {
			if s, err = read[ledger.Spending](state); err != nil {
				return err
			}
			return s.Validate()
		},
		read: func() any { return s.Events },
	}
}

func keepsAccountant(a ledger.Accountant) *keeper {
	return &keeper{
		spend: func(_ string, g ledger.Guarantee, observed string) (err error) {
			a, err = a.Spend(g, observed)
			return err
		},
		state: func() any { return a.Spent() },
		resume: func(state []byte) error {
			s, err := read[ledger.Spending](state)
			if err == nil {
				a, err = a.Resume(s)
			}
			return err
		},
		read: func() any { return fmt.Sprint(a.Remaining().Eps, a.Remaining().Delta) },
	}
}

// resumes returns what resumes from a state as JSON.
func resumes[State any](resume func(State) error) func(state []byte) error {
	return func(state []byte) error {
		s, err := read[State](state)
		if err == nil {
			err = resume(s)
		}
		return err
	}
}

func keepsFilter(f ledger.BudgetFilter) *keeper {
	r := ledger.NewFilterRun(f)
	return &keeper{
		spend:  r.SpendOn,
		state:  func() any { return r.State() },
		resume: resumes(r.Resume),
		read:   func() any { return fmt.Sprint(r.Read()) },
		run:    r,
	}
}

func keepsOdometer(o *ledger.Odometer) *keeper {
	return &keeper{
		spend: func(partition string, g ledger.Guarantee, _ string) error {
			eps, delta := g.AsPDP()
			return o.SpendOn(partition, eps, delta)
		},
		state:  func() any { return o.State() },
		resume: resumes(o.Resume),
		read:   func() any { return o.Read() },
	}
}

// keepers returns a function for each kind of account, which returns one that is new.
func keepers(t testing.TB) map[string]func() *keeper {
	eps, delta, leak := loss.Nats(big.NewRat(4, 1)), rational.MustParse("1/3"), rational.MustParse("1/7")
	sum, err := ledger.NewSumFilter(eps, delta)
	adaptive, err2 := ledger.NewAdaptiveFilter(eps, delta, leak)
	zcdp, err3 := ledger.NewZCDPFilter(eps, delta, leak)
	odp, err4 := ledger.NewODPFilter(eps, delta, leak, nil)
	a, err5 := ledger.NewAccountant(loss.Exp(rational.MustParse("91/2")), delta)
	if err := errors.Join(err, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	return map[string]func() *keeper{
		"plain": keepsSpending, "budget": func() *keeper { return keepsAccountant(a) },
		"sum filter":   func() *keeper { return keepsFilter(sum) },
		"adaptive":     func() *keeper { return keepsFilter(adaptive) },
		"zcdp":         func() *keeper { return keepsFilter(zcdp) },
		"odp-advanced": func() *keeper { return keepsFilter(odp) },
		"odometer": func() *keeper {
			o, err := ledger.NewOdometer(ledger.MixtureCurve{Gamma: 0.1}, rational.MustParse("1e-5"), leak)
			if err != nil {
				t.Fatal(err)
			}
			return keepsOdometer(o)
		},
	}
}

// drawn draws a guarantee and the part observed.
func drawn(t *rapid.T) (g ledger.Guarantee, observed string) {
	g.Delta = big.NewRat(rapid.Int64Range(0, 3).Draw(t, "delta"),
		rapid.SampledFrom([]int64{1000, 300, 999983}).Draw(t, "of"))
	n := rapid.IntRange(1, 3).Draw(t, "parts")
	for i := range n {
		g.Parts = append(g.Parts, ledger.Part{Name: fmt.Sprint(i), Eps: testkit.DrawEpsilon(t, "eps")})
	}
	if rapid.IntRange(0, 4).Draw(t, "has dp") == 0 {
		g.DP = &ledger.DPGuarantee{Eps: testkit.DrawEpsilon(t, "dp"), Delta: big.NewRat(1, 777)}
	}
	return g, fmt.Sprint(rapid.IntRange(0, n-1).Draw(t, "observed"))
}

// TestLaw_ResumedIsUnbroken: an account that is written, read and gone on with after each event says and remembers what
// one does that never was, and refuses the same events.
func TestLaw_ResumedIsUnbroken(t *testing.T) {
	for name, fresh := range keepers(t) {
		for _, bits := range []int{8192, 40} {
			t.Run(fmt.Sprintf("%s, %d bits", name, bits), func(t *testing.T) {
				loss.ShortSums(t, bits)
				rapid.Check(t, func(t *rapid.T) {
					once, cut := fresh(), fresh()
					for range rapid.IntRange(0, 10).Draw(t, "events") {
						g, observed := drawn(t)
						partition := rapid.SampledFrom([]string{"", "", "north", "<south> \"\\"}).Draw(t, "partition")
						a, b := once.spend(partition, g, observed), cut.spend(partition, g, observed)
						if fmt.Sprint(a) != fmt.Sprint(b) {
							t.Fatalf("resumed: %v, unbroken: %v", b, a)
						}
						state := jsonOf(t, cut.state())
						cut = fresh()
						if err := cut.resume(state); err != nil {
							t.Fatalf("%s: %v", state, err)
						}
						if cut.run != nil && cut.read() != fresh().read() && cut.resume(state) == nil {
							t.Fatal("what was counted is forgotten")
						}
						if want := jsonOf(t, once.state()); string(want) != string(state) ||
							string(jsonOf(t, cut.state())) != string(want) {
							t.Fatalf("resumed: %s, unbroken: %s", state, want)
						}
						if got, want := cut.read(), once.read(); got != want {
							t.Fatalf("resumed: %v, unbroken: %v", got, want)
						}
					}
				})
			})
		}
	}
}

func jsonOf(t *rapid.T, x any) []byte {
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// completed returns a state with 0 for what is left out.
func completed(t *testing.T, k *keeper, name, state string) []byte {
	var keys map[string]any
	if err := json.Unmarshal([]byte(state), &keys); err != nil {
		t.Fatal(err)
	}
	zeros := map[string]any{}
	switch name {
	case "plain", "budget":
		none := map[string]any{"eps": "0", "delta": "0"}
		zeros = map[string]any{"events": 0, "has_dp": false, "odp": none, "without_odp": none}
	case "odometer":
		zeros = map[string]any{"events": 0, "v": "0", "eps": "0", "delta": "0"}
		keys["rule"] = k.state().(ledger.OdometerState).Rule
	default:
		keys["rule"] = k.run.State().Rule
	}
	fill(keys, zeros)
	parts, _ := keys["partitions"].(map[string]any)
	delete(zeros, "events")
	for _, part := range parts {
		fill(part.(map[string]any), zeros)
	}
	text, err := json.Marshal(keys)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// fill gives keys that are missing.
func fill(keys, zeros map[string]any) {
	for key, zero := range zeros {
		if _, isThere := keys[key]; !isThere {
			keys[key] = zero
		}
	}
}

// TestResumeRefuses: states that no account can have.
func TestResumeRefuses(t *testing.T) {
	spending := func(events, eps, delta, without string) string {
		return fmt.Sprintf(`{"events": %s, "odp": {"eps": %q, "delta": %q}, "without_odp": {"eps": "4", "delta": %q}}`,
			events, eps, delta, without)
	}
	const onAll = `{"eps": "1", "charge": "10", "delta": "0"}`
	sums := func(memory string) string { return `{"events": 1, "all": ` + memory + `}` }
	on := func(all, partition, memory string) string {
		return fmt.Sprintf(`{"events": 1, "all": %s, "partitions": {%q: %s}}`, all, partition, memory)
	}
	all := keepers(t)
	for _, tt := range []struct{ keeper, state, want string }{
		{"plain", spending("-1", "0", "0", "0"), "events is -1, must be at least 0"},
		{"plain", spending("0", "1", "0", "0"), "odp.eps is 1, must be 0 as there is no event"},
		{"plain", spending("1", "-1/3", "0", "0"), "odp.eps is -1/3, must be at least 0"},
		{"plain", spending("1", "1", "0.1", "0"), "without_odp.delta is 0, must be odp.delta, 0.1, as has_dp is false"},
		{"plain", spending("1", "ln(1/2)", "0", "0"), "odp.eps is ln(1/2), must be at least 0"},
		{"plain", spending("1", "x", "0", "0"), `is "x", must be a sum`},
		{"budget", spending("1", "ln(46/1)", "0", "0"), "odp.eps is ln(46), must be at most ln(91/2), the budget"},
		{"budget", spending("1", "1", "0.5", "0.5"), "odp.delta is 0.5, must be at most 1/3, the budget"},
		{"sum filter", sums(`{"charge": "5", "delta": "0"}`), "charge is 5, must be at most 4, what the filter admits"},
		{"adaptive", sums(`{"charge": "0", "delta": "0.2"}`),
			"delta is 0.2, must be at most 1/7, what the filter admits"},
		{"adaptive", sums(`{"charge": "400 rounded up", "delta": "0"}`), "charge is 400, must be at most "},
		{"zcdp", sums(`{"charge": "-1/2", "delta": "0"}`), "charge is -0.5, must be at least 0"},
		{"odp-advanced", sums(`{"eps": "5", "charge": "500", "delta": "0"}`), "charge is 500, must be at most "},
		{"odp-advanced", sums(`{"eps": "5", "charge": "0", "delta": "0.2"}`), "delta is 0.2, must be at most 1/7"},
		{"odometer", `{"events": 1, "v": "-1/2"}`, "v is -0.5, must be at least 0"},
		{"plain", spending("1", "4.01", "0", "0"),
			"odp.eps is 4.01, must be at most 4, without_odp.eps, as has_dp is false"},
		{"plain", spending("2", "1", "2.01", "2.01"), "odp.delta is 2.01, must be at most 2, events"},
		{"plain", `{"has_dp": true}`, "has_dp is true, must be false as there is no event"},
		{"odometer", `{"events": 2, "v": "0.49", "eps": "1"}`,
			"the sum of the squares of ε is 0.49, must be about 0.5 to 1, as 2 ε add up to 1"},
		{"odometer", `{"events": 2, "v": "1.01", "eps": "1"}`,
			"the sum of the squares of ε is 1.01, must be about 0.5 to 1, as 2 ε add up to 1"},
		{"odometer", `{"events": 2, "v": "0.7", "eps": "1", "delta": "9/4"}`,
			"delta is 2.25, must be at most 2, events"},
		{"odp-advanced", sums(`{"eps": "0", "charge": "1", "delta": "0"}`),
			"charge is 1 and eps is 0, must both be 0 or neither"},
		{"odp-advanced", sums(`{"eps": "1", "charge": "0", "delta": "0"}`),
			"charge is 0 and eps is 1, must both be 0 or neither"},
		{"odp-advanced", sums(`{"eps": "3", "charge": "0.01", "delta": "0"}`),
			"charge is 0.01, must be at least about "},
		{"sum filter", on(`{"charge": "1", "delta": "0.1"}`, "a", `{"charge": "0.9", "delta": "0.1"}`),
			`partition "a": charge is 0.9, must be at least 1, that of the mechanisms on all of the data`},
		{"zcdp", on(`{"charge": "0", "delta": "0.1"}`, "a", `{"charge": "0", "delta": "0"}`),
			`partition "a": delta is 0, must be at least 0.1, that of`},
		{"odp-advanced", on(onAll, "a", `{"eps": "0.9", "charge": "10", "delta": "0"}`),
			`partition "a": eps is 0.9, must be at least 1`},
		{"odp-advanced", on(onAll, "a", `{"eps": "1", "charge": "9.9", "delta": "0"}`),
			`partition "a": charge is 9.9, must be at least 10`},
		{"sum filter", on(`{"charge": "0", "delta": "0"}`, "a", `{"charge": "5", "delta": "0"}`),
			`partition "a": charge is 5, must be at most 4, what the filter admits`},
		{"sum filter", on(`{"charge": "0", "delta": "0"}`, "", `{"charge": "0", "delta": "0"}`),
			`partition "" is empty, must be a name`},
		{"odometer", `{"events": 2, "partitions": {"a": {"v": "0.49", "eps": "1"}}}`,
			`partition "a": the sum of the squares of ε is 0.49, must be about 0.5 to 1`},
		{"odometer", `{"events": 2, "v": "1", "eps": "1", "partitions": {"a": {"v": "1", "eps": "1"}, "b": {}}}`,
			`partition "b": v is 0, must be at least 1, that of the mechanisms`},
		{"odometer", `{"events": 2, "delta": "0.1", "partitions": {"b": {}}}`,
			`partition "b": delta is 0, must be at least 0.1, that of the mechanisms`},
	} {
		k := all[tt.keeper]()
		before := k.read()
		err := k.resume(completed(t, k, tt.keeper, tt.state))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %s: %v, want %s", tt.keeper, tt.state, err, tt.want)
		} else if tt.keeper != "plain" && k.read() != before {
			t.Errorf("%s: %s: refused, but taken", tt.keeper, tt.state)
		}
	}
	run := ledger.NewFilterRun(all["adaptive"]().run.Filter())
	rule := run.State().Rule
	if err := run.Resume(ledger.FilterState{Rule: rule, All: ledger.ODPSums{}}); err == nil {
		t.Error("the memory of another filter is taken")
	}
	onPart := ledger.FilterState{Rule: rule, All: ledger.Sums{}, Parts: map[string]any{"a": ledger.ODPSums{}}}
	if err := run.Resume(onPart); err == nil {
		t.Error("the memory of another filter is taken on a partition")
	}
	for name, other := range keepers(t) {
		if k := other(); name != "adaptive" && k.run != nil && run.Resume(k.run.State()) == nil {
			t.Errorf("the state of %s is taken by adaptive", name)
		}
	}
	if _, err := run.Reserve("", whole(loss.Nats(new(big.Rat)), new(big.Rat))); err != nil {
		t.Fatal(err)
	}
	if err := run.Resume(ledger.FilterState{Rule: rule, All: ledger.Sums{}}); err == nil ||
		err.Error() != "reservations are open, 1, must be none" {
		t.Errorf("with an open reservation: %v", err)
	}
}

// TestResumeRefuses_Odometer: an odometer that is tuned otherwise does not go on from a state.
func TestResumeRefuses_Odometer(t *testing.T) {
	odometer := func(curve ledger.Curve, delta string) *ledger.Odometer {
		o, err := ledger.NewOdometer(curve, rational.MustParse(delta), new(big.Rat))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	state := odometer(ledger.FilterCurve{Target: 1}, "1e-9").State()
	if err := odometer(ledger.FilterCurve{Target: 1}, "1e-9").Resume(state); err != nil {
		t.Error(err)
	}
	for _, other := range []*ledger.Odometer{odometer(ledger.FilterCurve{Target: 5}, "1e-9"),
		odometer(ledger.FilterCurve{Target: 1}, "0.5"), odometer(ledger.MixtureCurve{Gamma: 1}, "1e-9")} {
		if other.Resume(state) == nil {
			t.Errorf("%v goes on from the state of another odometer", other)
		}
	}
	best := odometer(ledger.BestCurve{ledger.FilterCurve{Target: 1}, ledger.MixtureCurve{Gamma: 0.1}}, "1e-9")
	other := odometer(ledger.BestCurve{ledger.MixtureCurve{Gamma: 1}, ledger.FilterCurve{Target: 0.1}}, "1e-9")
	if other.Resume(best.State()) == nil {
		t.Error("the best of other curves goes on from a state")
	}
}

// TestResumeTakes: the ends of what is possible are no refusal: equal ε, and one alone that is more than 0.
func TestResumeTakes(t *testing.T) {
	for _, state := range []string{`{"events": 2, "v": "0.5", "eps": "1"}`,
		`{"events": 2, "v": "1", "eps": "1"}`, `{"events": 3, "v": "1/3", "eps": "1", "delta": "3"}`, `{}`,
		`{"events": 1, "partitions": {"a": {"v": "1", "eps": "1"}}}`} {
		k := keepers(t)["odometer"]()
		if err := k.resume(completed(t, k, "odometer", state)); err != nil {
			t.Errorf("%s: %v", state, err)
		}
	}
}
