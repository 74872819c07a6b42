package ledger_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"checkrr/impl"
	"checkrr/impl/internal/rational"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// budgetFilters returns every filter with the budget (1, 1e-5).
func budgetFilters(t *testing.T) []ledger.BudgetFilter {
	return ledger.FiltersOf(t, "1", "1e-5", "5e-6")
}

// small is a mechanism on a part of the data.
func small(t *testing.T, r *ledger.FilterRun, part string, eps *big.Rat) {
	t.Helper()
	g := ledger.Guarantee{Parts: []ledger.Part{{Name: "x", Eps: loss.Nats(eps)}}, Delta: big.NewRat(1, 1e9)}
	if err := r.SpendOn(part, g, "x"); err != nil {
		t.Fatal(err)
	}
}

// TestStates_JSON: a state is read as it was written; what is missing, unknown, or there twice is an error.
func TestStates_JSON(t *testing.T) {
	t.Parallel()
	for good, row := range map[string]struct {
		of      func() any
		changes [][2]string
	}{
		`{"all":{"charge":"1","delta":"0"},"events":1,"partitions":{"A":{"charge":"1","delta":"0"}},"rule":"r"}`: {
			func() any { return new(ledger.FilterState) }, [][2]string{
				{`"charge":"1",`, ``}, {`"charge":"1"`, `"charge":"1","v":"0"`}, {`{"charge":"1","delta":"0"}`, `3`},
				{`"1","delta":"0"`, `null,"delta":null`}, {`"partitions"`, `"parts"`}, {`"events"`, `"Events"`},
				{`"events":1`, `"events":1,"events":1`}, {`"charge":"1"`, `"charge":"1","charge":"0"`},
				{`"all":`, `"all":{"charge":"0","delta":"0"},"all":`}, {`"events":1,`, ``},
				{`"A":`, `"\u0041":{"charge":"1","delta":"0"},"A":`}, {`{"A":{"charge":"1","delta":"0"}}`, `null`},
				{`,"rule":"r"`, ``}, {`"r"`, `null`},
			}},
		`{"delta":"0","eps":"1/2","events":1,"partitions":{"A":{"delta":"0","eps":"1/2","v":"1/4"}},"rule":"r",` +
			`"v":"1/4"}`: {
			func() any { return new(ledger.OdometerState) }, [][2]string{
				{`"v":"1/4"}`, `"v":"1/4","v":"0"}`}, {`"events":1`, `"events":1,"events":0`}, {`"events"`, `"Events"`},
				{`"events"`, `"n":2,"events"`}, {`"v"`, `"w"`},
				{`"A":`, `"\u0041":{"v":"0","eps":"0","delta":"0"},"A":`},
				{`"eps":"1/2","events"`, `"events"`}, {`"v":"1/4"}`, `"v":null}`}, {`,"v":"1/4"}},`, `}},`},
				{`"rule":"r",`, ``},
			}},
		`{"events":1,"has_dp":false,"odp":{"delta":"0","eps":"1/2"},"without_odp":{"delta":"0","eps":"1"}}`: {
			func() any { return new(ledger.Spending) }, [][2]string{
				{`"events":1`, `"events":1,"events":0`}, {`"eps":"1/2"`, `"eps":"1/2","eps":"0"`},
				{`"odp":`, `"odp":{"eps":"0","delta":"0"},"odp":`}, {`"events"`, `"Events"`}, {`"eps"`, `"e"`},
				{`,"has_dp":false`, ``}, {`{"delta":"0","eps":"1/2"}`, `{}`}, {`"eps":"1/2"`, `"eps":null`},
			}},
	} {
		state := row.of()
		if err := json.Unmarshal([]byte(good), state); err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(state)
		again := row.of()
		if err != nil || json.Unmarshal(written, again) != nil || !reflect.DeepEqual(again, state) {
			t.Errorf("%s became %s, %v", good, written, err)
		}
		for _, change := range append(row.changes, [2]string{good, "{}"}, [2]string{good, "null"}) {
			wrong := strings.Replace(good, change[0], change[1], 1)
			if err := json.Unmarshal([]byte(wrong), row.of()); wrong == good || err == nil {
				t.Errorf("%s is read", wrong)
			}
		}
	}
}

// TestStateError: what cannot go on is told apart by its type from a run that has begun.
func TestStateError(t *testing.T) {
	t.Parallel()
	of := func(eps string) *ledger.FilterRun {
		r, err := ledger.NewBudget(loss.Nats(rational.MustParse(eps)), new(big.Rat))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	begun := of("1")
	if err := begun.Spend(loss.Nats(big.NewRat(1, 2)), new(big.Rat)); err != nil {
		t.Fatal(err)
	}
	odometer, err := ledger.NewOdometer(ledger.MixtureCurve{Gamma: 1}, big.NewRat(1, 100), new(big.Rat))
	if err != nil {
		t.Fatal(err)
	}
	ofOdometer, err := json.Marshal(odometer.State())
	if err != nil {
		t.Fatal(err)
	}
	good := begun.State()
	broken := good
	broken.Events = -1
	for _, row := range []struct {
		err       error
		is, other bool
		says      string
	}{
		{of("1").Resume(good), false, false, "<nil>"},
		{begun.Resume(good), false, false, "mechanisms were counted, 1, must be none: "},
		{of("2").Resume(good), true, true, `it is the state of "sum for ε = 1, δ = 0", must be that of "sum for ε = 2`},
		{of("1").Resume(broken), true, false, "events is -1"},
		{of("1").Resume(ledger.FilterState{}), true, false, "rule is missing"},
		{odometer.Resume(ledger.OdometerState{}), true, false, "rule is missing"},
		{json.Unmarshal([]byte(`{"rule":"r"}`), new(ledger.FilterState)), true, false,
			"it is not the state of a filter: all is missing"},
		{json.Unmarshal(ofOdometer, new(ledger.FilterState)), true, false, "it is not the state of a filter: "},
		{json.Unmarshal([]byte(`{"rule":"r"}`), new(ledger.OdometerState)), true, false,
			"it is not the state of an odometer: delta is missing"},
	} {
		state, is := errors.AsType[*ledger.StateError](row.err)
		if is != row.is || is && state.IsOfOther != row.other || !strings.HasPrefix(fmt.Sprint(row.err), row.says) {
			t.Errorf("%v: %#v, must be %v, of another %v: %s", row.err, state, row.is, row.other, row.says)
		}
	}
}

// The parameters in the name of a rule are exact: a state of hardly another one is that of another.
func TestRule_Exact(t *testing.T) {
	t.Parallel()
	const long = "0.0000012345678901234567890123456789012345678901"
	names := map[string]bool{}
	for _, text := range []string{long + "1", long + "2"} {
		x := rational.MustParse(text)
		eps, delta := loss.Nats(new(big.Rat).Add(x, rational.One)), rational.MustParse("1e-5")
		sum, err := ledger.NewSumFilter(eps, x)
		adaptive, err2 := ledger.NewAdaptiveFilter(eps, delta, x)
		zcdp, err3 := ledger.NewZCDPFilter(eps, delta, x)
		odp, err4 := ledger.NewODPFilter(loss.Nats(rational.One), delta, x, nil)
		lambda, err5 := ledger.NewODPFilter(loss.Nats(rational.One), delta, new(big.Rat), eps.Rat())
		level, err6 := ledger.NewOdometer(ledger.MixtureCurve{Gamma: 1}, x, new(big.Rat))
		leak, err7 := ledger.NewOdometer(ledger.MixtureCurve{Gamma: 1}, delta, x)
		if err := errors.Join(err, err2, err3, err4, err5, err6, err7); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{sum.Rule(), adaptive.Rule(), zcdp.Rule(), odp.Rule(), lambda.Rule(),
			level.State().Rule, leak.State().Rule} {
			if names[name] {
				t.Errorf("%s is the name of two rules", name)
			}
			names[name] = true
		}
	}
	typed, err := ledger.NewODPFilter(loss.Nats(rational.One), rational.MustParse("1e-5"), rational.MustParse("5e-6"),
		rational.MustParse("10.5"))
	const want = "odp-advanced with λ = 10.5 and δ″ = 5e-06 for ε = 1, δ = 1e-05"
	if err != nil || typed.Rule() != want {
		t.Errorf("%v, %v, must be %s", typed.Rule(), err, want)
	}
}

// TestLimit: the limit is admitted, and what is hardly more is not; nor is it below what fits.
func TestLimit(t *testing.T) {
	t.Parallel()
	more := new(big.Rat).SetFrac(big.NewInt(1e18+2), big.NewInt(1e18))
	for _, f := range budgetFilters(t) {
		r := ledger.NewFilterRun(f)
		for n := range 4 {
			memory := r.State().All
			limit := f.Limit(memory, ledger.Guarantee{})
			x, ok := limit.Rat()
			if fits := new(big.Rat).SetFloat64(f.Fits(memory, ledger.Guarantee{})); !ok || x.Cmp(fits) < 0 {
				t.Errorf("%T, %d: the limit is %v, must be at least %v, which fits",
					f, n, limit, f.Fits(memory, ledger.Guarantee{}))
			}
			spent := impl.Mechanism{Eps: loss.Nats(x), Delta: new(big.Rat), Count: 1}
			if _, admitted := f.Spend(memory, spent); !admitted {
				t.Errorf("%T, %d: the limit %v is not admitted", f, n, limit)
			}
			if _, byCharge := f.(*ledger.ODPFilter); byCharge && n > 0 {
				continue // charges are rounded
			}
			spent.Eps = loss.Nats(more.Mul(x, more))
			if _, admitted := f.Spend(memory, spent); admitted {
				t.Errorf("%T, %d: more than the limit %v is admitted", f, n, limit)
			}
			more = new(big.Rat).SetFrac(big.NewInt(1e18+2), big.NewInt(1e18))
			small(t, r, "", big.NewRat(1, 40))
		}
	}
}
