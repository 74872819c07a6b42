package main

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAccountCompare: each rule of --compare says what an account by that rule alone does, whichever rule the account has, and
// the exit code is still that of the latter.
func TestAccountCompare(t *testing.T) {
	t.Parallel()
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
		{"eps=1/3,delta=1e-6", roundedLedger()}, {"eps=1/3,delta=1e-6", strings.Replace(one, `"x": 1`, `"x": "1/3"`, 1)},
	} {
		var alone []row
		codes := map[string]int{}
		for _, rule := range filterRules {
			code, stdout, _ := commanded("account --json --budget "+tt.budget+" --rule "+rule, tt.ledger)
			r := readJSON[row](t, stdout)
			r.Rule = rule
			alone, codes[rule] = append(alone, r), code
			for _, name := range []string{"eps", "delta"} { // however sums are rounded
				if left := ratOf(r.Remaining[name]); left.Sign() < 0 {
					t.Errorf("%s, the rule %s: %v remains", tt.budget, rule, left)
				}
			}
			all := strings.Count(tt.ledger, "mechanism")
			if isThird := strings.HasPrefix(tt.budget, "eps=1/3"); isThird && r.Events != all && (rule == "sum" || rule == odpAdvanced) {
				t.Errorf("%s: %d of %d events are admitted", rule, r.Events, all)
			}
		}
		for _, rule := range filterRules {
			code, stdout, _ := commanded("account --json --compare --budget "+tt.budget+" --rule "+rule, tt.ledger)
			out := readJSON[struct {
				row
				Compare []row
			}](t, stdout)
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

// roundedLedger returns a ledger that has spent hardly less than 1/3, in ratios so long that their sum is rounded up, above
// that, and then goes on with two events that cost nothing.
func roundedLedger() string {
	left, ledger := big.NewRat(1, 3), ""
	add := func(eps *big.Rat) {
		left.Sub(left, eps)
		ledger += strings.Replace(one, `"x": 1`, fmt.Sprintf(`"x": %q`, eps), 1) + "\n"
	}
	for _, d := range [][2]int64{{3, 820}, {5, 560}, {7, 463}} {
		denominator := new(big.Int).Exp(big.NewInt(d[0]), big.NewInt(d[1]), nil)
		add(new(big.Rat).SetFrac(new(big.Int).Add(new(big.Int).Quo(denominator, big.NewInt(20)), big.NewInt(1)), denominator))
	}
	floor := new(big.Int).Lsh(left.Num(), 600)
	add(new(big.Rat).SetFrac(floor.Quo(floor, left.Denom()), new(big.Int).Lsh(big.NewInt(1), 600)))
	add(new(big.Rat))
	add(new(big.Rat))
	return ledger
}

// TestAccountCompareFault: a faulty line after the refusal is reported beside it, and ends the comparison.
func TestAccountCompareFault(t *testing.T) {
	t.Parallel()
	ledger := one + "\n" + strings.Replace(one, `"x": 1`, `"x": -1`, 1)
	code, stdout, stderr := commanded("account --compare --budget eps=3,delta=1e-5 --rule zcdp", ledger)
	if code != exitRefuted || !strings.Contains(stderr, "<stdin>:1:1: m is refused") || !strings.Contains(stderr, "<stdin>:2:35: parts.x is -1") || !strings.Contains(stdout, "line 1 (m)") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}
