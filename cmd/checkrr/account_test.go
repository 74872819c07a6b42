package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// closedPipe fails every write.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, errors.New("the pipe is closed") }

// TestAccountUnreadable: standard input that cannot be read is like a missing file, and what was read before counts.
func TestAccountUnreadable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":               "checkrr: the disk is broken\n",
		one + "\n" + one: "checkrr: line 2: the disk is broken\n",
	} {
		var stdout, stderr bytes.Buffer
		code := execute([]string{"account", "-", "--json"}, brokenReader{strings.NewReader(text)}, &stdout, &stderr)
		isCounted := strings.Contains(stdout.String(), `"events":1,`)
		if code != exitUsage || isCounted != (text != "") || stderr.String() != want {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", text, code, &stdout, &stderr)
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
			out := readJSON[struct{ Fits struct{ Eps float64 } }](t, stdout)
			if !(out.Fits.Eps > 0) {
				t.Fatalf("%s: %s%s", command, stdout, stderr)
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
