package ledger_test

import (
	"encoding/json"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"checkrr/impl"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// budgetFilters returns every filter with the budget (1, 1e-5).
func budgetFilters(t *testing.T) []ledger.BudgetFilter {
	t.Helper()
	eps, delta, leak := loss.Nats(big.NewRat(1, 1)), big.NewRat(1, 100_000), big.NewRat(1, 200_000)
	sum, err1 := ledger.NewSumFilter(eps, delta)
	adaptive, err2 := ledger.NewAdaptiveFilter(eps, delta, leak)
	zcdp, err3 := ledger.NewZCDPFilter(eps, delta, leak)
	odp, err4 := ledger.NewODPFilter(eps, delta, leak, nil)
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return []ledger.BudgetFilter{sum, adaptive, zcdp, odp}
}

// small is a mechanism on a part of the data.
func small(t *testing.T, r *ledger.FilterRun, part string, eps *big.Rat) {
	t.Helper()
	g := ledger.Guarantee{Parts: []ledger.Part{{Name: "x", Eps: loss.Nats(eps)}}, Delta: big.NewRat(1, 1e9)}
	if err := r.SpendOn(part, g, "x"); err != nil {
		t.Fatal(err)
	}
}

// TestFilterState_JSON: a state that was written as JSON and read goes on as the run it is of.
func TestFilterState_JSON(t *testing.T) {
	t.Parallel()
	for _, f := range budgetFilters(t) {
		r := ledger.NewFilterRun(f)
		for _, part := range []string{"", "A", "B", "A", ""} {
			small(t, r, part, big.NewRat(1, 30))
			text, err := json.Marshal(r.State())
			if err != nil {
				t.Fatal(err)
			}
			var s ledger.FilterState
			if err := json.Unmarshal(text, &s); err != nil {
				t.Fatal(err)
			}
			next := ledger.NewFilterRun(f)
			if err := next.Resume(s); err != nil {
				t.Fatalf("%T: %v in %s", f, err, text)
			}
			if err := next.Resume(ledger.FilterState{}); err == nil {
				t.Errorf("%T: forgets what was counted", f)
			}
			again, err := json.Marshal(next.State())
			if err != nil || string(again) != string(text) || next.Read().Fits != r.Read().Fits {
				t.Errorf("%T: %s became %s, %v", f, text, again, err)
			}
			r = next
		}
	}
	for _, wrong := range []string{`{"events": 1}`, `{"events": 1, "all": {"charge": "1"}}`, `{"events": 1, "all": {"charge": "1", "delta": "0", "v": "0"}}`, `{"events": 1, "all": 3}`, `{"events": 1, "all": {"charge": null, "delta": null}}`,
		`{"events": 1, "all": {"charge": "1", "delta": "0"}, "parts": {}}`,
		`{"events": 1, "events": 1, "all": {"charge": "1", "delta": "0"}}`,
		`{"Events": 1, "all": {"charge": "1", "delta": "0"}}`,
		`{"events": 1, "all": {"charge": "1", "charge": "0", "delta": "0"}}`,
		`{"events": 1, "all": {"charge": "1", "delta": "0"}, "all": {"charge": "0", "delta": "0"}}`,
		`{"events": 1, "all": {"charge": "1", "delta": "0"}, "partitions": {"A": {"charge": "1", "delta": "0"}, ` +
			`"\u0041": {"charge": "1", "delta": "0"}}}`} {
		if err := json.Unmarshal([]byte(wrong), new(ledger.FilterState)); err == nil {
			t.Errorf("%s is read", wrong)
		}
	}
}

// TestOdometerState_JSON: the state of an odometer is read as it was written; of a sum that is there twice neither
// is taken.
func TestOdometerState_JSON(t *testing.T) {
	t.Parallel()
	var state ledger.OdometerState
	const good = `{"delta": "0", "events": 1, "v": "1/4", "eps": "1/2", ` +
		`"partitions": {"A": {"v": "1/4", "eps": "1/2", "delta": "0"}}}`
	if err := json.Unmarshal([]byte(good), &state); err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(state)
	again := new(ledger.OdometerState)
	if err != nil || json.Unmarshal(written, again) != nil || !reflect.DeepEqual(*again, state) {
		t.Errorf("%s is not read as it was written, %v", written, err)
	}
	for _, change := range [][2]string{
		{`"v": "1/4", "eps"`, `"v": "1/4", "v": "0", "eps"`}, {`"events": 1`, `"events": 1, "events": 0`},
		{`"events"`, `"Events"`}, {`"events"`, `"n": 2, "events"`}, {`{"v"`, `{"w"`}, {good, "{}"}, {good, "null"},
		{`"events": 1, `, ""}, {`"v": "1/4", "eps": "1/2", "delta": "0"`, `"v": "1/4", "eps": "1/2"`},
		{`"v": "1/4", "eps": "1/2", "delta"`, `"v": null, "eps": "1/2", "delta"`}, {`{"A": {"v": "1/4", "eps": "1/2", "delta": "0"}}`, "null"},
		{`"A": {`, `"\u0041": {"v": "0", "eps": "0", "delta": "0"}, "A": {`},
	} {
		wrong := strings.Replace(good, change[0], change[1], 1)
		if err := json.Unmarshal([]byte(wrong), new(ledger.OdometerState)); wrong == good || err == nil {
			t.Errorf("%s is read", wrong)
		}
	}
}

// TestSpending_JSON: of what was spent, likewise.
func TestSpending_JSON(t *testing.T) {
	t.Parallel()
	var spent ledger.Spending
	const good = `{"events": 1, "odp": {"eps": "1/2", "delta": "0"}, ` +
		`"without_odp": {"eps": "1", "delta": "0"}, "has_dp": false}`
	if err := json.Unmarshal([]byte(good), &spent); err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(spent)
	again := new(ledger.Spending)
	if err != nil || json.Unmarshal(written, again) != nil || !reflect.DeepEqual(*again, spent) {
		t.Errorf("%s is not read as it was written, %v", written, err)
	}
	for _, change := range [][2]string{
		{`"events": 1`, `"events": 1, "events": 0`}, {`"eps": "1/2"`, `"eps": "1/2", "eps": "0"`},
		{`"odp": {`, `"odp": {"eps": "0", "delta": "0"}, "odp": {`}, {`"events"`, `"Events"`}, {`"eps"`, `"e"`},
		{good, "{}"}, {good, "null"}, {`"events": 1, `, ""}, {`"events": 1`, `"events": null`}, {`"eps": "1/2"`, `"eps": null`}, {`{"eps": "1/2", "delta": "0"}`, "{}"}, {`, "has_dp": false`, ""},
	} {
		wrong := strings.Replace(good, change[0], change[1], 1)
		if err := json.Unmarshal([]byte(wrong), new(ledger.Spending)); wrong == good || err == nil {
			t.Errorf("%s is read", wrong)
		}
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
				t.Errorf("%T, %d: the limit is %v, must be at least %v, which fits", f, n, limit, f.Fits(memory, ledger.Guarantee{}))
			}
			if _, admitted := f.Spend(memory, impl.Mechanism{Eps: loss.Nats(x), Delta: new(big.Rat), Count: 1}); !admitted {
				t.Errorf("%T, %d: the limit %v is not admitted", f, n, limit)
			}
			if _, byCharge := f.(*ledger.ODPFilter); byCharge && n > 0 {
				continue // charges are rounded
			}
			if _, admitted := f.Spend(memory, impl.Mechanism{Eps: loss.Nats(more.Mul(x, more)), Delta: new(big.Rat), Count: 1}); admitted {
				t.Errorf("%T, %d: more than the limit %v is admitted", f, n, limit)
			}
			more = new(big.Rat).SetFrac(big.NewInt(1e18+2), big.NewInt(1e18))
			small(t, r, "", big.NewRat(1, 40))
		}
	}
}
