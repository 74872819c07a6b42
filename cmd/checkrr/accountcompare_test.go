package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAccountCompare: each rule of --compare says what an account by that rule alone does, whichever rule the account has, and
// the exit code is still that of the latter.
func TestAccountCompare(t *testing.T) {
	type row struct {
		Rule             string
		Events           int
		Refused          *struct{ Line int }
		Spent, Remaining map[string]any
		Fits             struct{ Eps float64 }
	}
	many := strings.Repeat(strings.Replace(one, `{"x": 1}`, `{"x": 0.04, "y": 0.05}`, 1)+"\n", 300)
	for _, tt := range []struct{ budget, ledger string }{
		{"eps=3,delta=1e-5", strings.Join(variedLedger, "\n")}, {"eps=3,delta=1e-5", many}, {"exp_eps=9/2,delta=1/3", many}, {"eps=1.3,delta=1e-5", one + "\n" + many}, {"eps=3,delta=1e-5", ""},
	} {
		var alone []row
		codes := map[string]int{}
		for _, rule := range filterRules {
			code, stdout, stderr := commanded("account --json --budget "+tt.budget+" --rule "+rule, tt.ledger)
			r := row{Rule: rule}
			if err := json.Unmarshal([]byte(stdout), &r); err != nil {
				t.Fatal(err, stderr)
			}
			alone, codes[rule] = append(alone, r), code
		}
		for _, rule := range filterRules {
			code, stdout, stderr := commanded("account --json --compare --budget "+tt.budget+" --rule "+rule, tt.ledger)
			var out struct {
				row
				Compare []row
			}
			if err := json.Unmarshal([]byte(stdout), &out); err != nil {
				t.Fatal(err, stderr)
			}
			if diff := cmp.Diff(alone, out.Compare); diff != "" || code != codes[rule] {
				t.Errorf("%s, the rule %s: exit code %d, want %d; alone (-), compared (+):\n%s", tt.budget, rule, code, codes[rule], diff)
			}
			for _, r := range alone {
				if r.Rule == rule && r.Events != out.Events {
					t.Errorf("%s, the rule %s: %d events, without --compare %d", tt.budget, rule, out.Events, r.Events)
				}
			}
		}
	}
}

// TestAccountCompareFault: a faulty line after the refusal is reported beside it, and ends the comparison.
func TestAccountCompareFault(t *testing.T) {
	ledger := one + "\n" + strings.Replace(one, `"x": 1`, `"x": -1`, 1)
	code, stdout, stderr := commanded("account --compare --budget eps=3,delta=1e-5 --rule zcdp", ledger)
	if code != exitRefuted || !strings.Contains(stderr, "<stdin>:1:1: m is refused") || !strings.Contains(stderr, "<stdin>:2:35: parts.x is -1") || !strings.Contains(stdout, "line 1 (m)") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}
