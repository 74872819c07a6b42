package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"checkrr/cmd/checkrr/internal/report"
)

// closedPipe fails every write.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, errors.New("the pipe is closed") }

func TestAccountWriteError(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	if code := execute([]string{"account", "-"}, strings.NewReader(one), closedPipe{}, &stderr); code != exitUsage || stderr.String() != "checkrr: the pipe is closed\n" {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
}

// TestAccountJSONRoundTrip reads the numbers back: where there is an exact form, the
// decimal is on the safe side of it, and otherwise it is exact.
func TestAccountJSONRoundTrip(t *testing.T) {
	t.Parallel()
	events := one + parts(`{"x": "1/7", "y": "3/7"}`) + delta(`"1/3000"`) + delta("1e-30")
	events = strings.Replace(events, "}{", "}\n{", 1)
	r := replayOf(t, "eps=22/7,delta=1/999", events)
	if r.end != nil {
		t.Fatal(r.end)
	}
	text, err := json.Marshal(report.Doubles{Output: r.toJSON()})
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Budget, Spent, Remaining map[string]any
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		object   map[string]any
		key      string
		want     string
		side     int // of the decimal
		hasExact bool
	}{
		{out.Budget, "eps", "22/7", -1, true},
		{out.Budget, "delta", "1/999", -1, true},
		{out.Spent, "eps", "22/7", 1, true},
		{out.Spent, "delta", "1000000000000000000000000003/3000000000000000000000000000000", 1, true},
		{out.Remaining, "eps", "0", 0, false},
		{out.Remaining, "delta", "666999999999999999999999999001/999000000000000000000000000000000", -1, true},
	}
	for _, tt := range tests {
		got := ratOf(t, tt.object[tt.key])
		want, _ := new(big.Rat).SetString(tt.want)
		if got.Cmp(want) != tt.side {
			t.Errorf("%s is written as %v, want side %d of %v", tt.key, tt.object[tt.key], tt.side, want)
		}
		exact, ok := tt.object[tt.key+"_exact"]
		if ok != tt.hasExact || ok && exact != want.RatString() {
			t.Errorf("%s is exactly %v, want %v", tt.key, exact, want)
		}
	}
}

// TestAccountUnreadable: standard input that cannot be read is like a missing file.
func TestAccountUnreadable(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"account", "-"}, {"account", "-", "--json"}} {
		var stdout, stderr bytes.Buffer
		code := execute(args, brokenReader{strings.NewReader("")}, &stdout, &stderr)
		if code != exitUsage || stdout.Len() > 0 || stderr.String() != "checkrr: the disk is broken\n" {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q", args, code, &stdout, &stderr)
		}
	}
}

// TestAccountFits: by every rule, what is said to fit is admitted as it is printed, alone or as the worst part of an event, and
// hardly anything more is.
func TestAccountFits(t *testing.T) {
	t.Parallel()
	before := one + "\n" + strings.Replace(one, `{"x": 1}`, `{"x": "1/7", "y": 0.3}`, 1) + "\n"
	for _, budget := range []string{"eps=3,delta=1e-3", "eps=22/7,delta=1e-3", "eps=1.49,delta=1e-3", "exp_eps=27/4,delta=1e-3", "eps=1e30,delta=1e-3"} {
		for _, rule := range filterRules {
			if rule != "sum" && budget == "eps=1e30,delta=1e-3" {
				continue
			}
			command := "account --budget " + budget + " --rule " + rule
			ledger := before
			if rule == "adaptive" || rule == "zcdp" {
				ledger = strings.Replace(before, `{"x": 1}`, `{"x": 0.01}`, 1) // for which 1 is too much
			}
			_, stdout, stderr := commanded(command+" --json", ledger)
			var out struct{ Fits struct{ Eps float64 } }
			if err := json.Unmarshal([]byte(stdout), &out); err != nil || !(out.Fits.Eps > 0) {
				t.Fatalf("%s: %v, %s%s", command, err, stdout, stderr)
			}
			for _, parts := range []string{`{"x": %v}`, `{"y": 1e-9, "x": %v}`} {
				event := func(eps float64) string { return ledger + strings.Replace(one, `{"x": 1}`, fmt.Sprintf(parts, eps), 1) }
				if rule == odpAdvanced && strings.Contains(parts, "y") {
					continue // what a part is charged depends on the others
				}
				if code, _, stderr := commanded(command, event(out.Fits.Eps)); code != exitOK {
					t.Errorf("%s: %v is said to fit: %s", command, out.Fits.Eps, stderr)
				}
				above := math.Nextafter(math.Nextafter(out.Fits.Eps, math.Inf(1)), math.Inf(1)) // as the number itself fits as float64, too
				if rule == odpAdvanced {
					above *= 1 + 1e-12 // charges are rounded
				}
				if code, _, _ := commanded(command, event(above)); code != exitRefuted {
					t.Errorf("%s: %v is said to be the largest that fits, but so does %v", command, out.Fits.Eps, above)
				}
			}
		}
	}
}
