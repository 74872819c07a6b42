package command

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// TestAccountFits: by every rule, what is said to fit is admitted as it is printed, alone or as the worst part of an
// event, and hardly anything more is.
func TestAccountFits(t *testing.T) {
	t.Parallel()
	before := one + "\n" + strings.Replace(one, `{"x": 1}`, `{"x": "1/7", "y": 0.3}`, 1) + "\n"
	for _, budget := range []string{"eps=3,delta=1e-3", "eps=22/7,delta=1e-3", "eps=1.49,delta=1e-3",
		"exp_eps=27/4,delta=1e-3", "eps=1e30,delta=1e-3"} {
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
				event := func(eps float64) string {
					return ledger + strings.Replace(one, `{"x": 1}`, fmt.Sprintf(parts, eps), 1)
				}
				if rule == odpAdvanced && strings.Contains(parts, "y") {
					continue // what a part is charged depends on the others
				}
				if code, _, stderr := commanded(command, event(out.Fits.Eps)); code != exitOK {
					t.Errorf("%s: %v is said to fit: %s", command, out.Fits.Eps, stderr)
				}
				// as the number itself fits as float64, too
				above := math.Nextafter(math.Nextafter(out.Fits.Eps, math.Inf(1)), math.Inf(1))
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

// TestAccountCompare: each rule of --compare says what an account by that rule alone does, whichever rule the account
// has, and the exit code is still that of the latter.
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
		{"eps=3,delta=1e-5", strings.Join(variedLedger, "\n")}, {"eps=3,delta=1e-5", many}, {"eps=3,delta=1e-5", ""},
		{"exp_eps=9/2,delta=1/3", many}, {"eps=1.3,delta=1e-5", one + "\n" + many},
		{"eps=1/3,delta=1e-6", roundedLedger()},
		{"eps=1/3,delta=1e-6", strings.Replace(one, `"x": 1`, `"x": "1/3"`, 1)},
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
			if isThird := strings.HasPrefix(tt.budget, "eps=1/3"); isThird && r.Events != all &&
				(rule == "sum" || rule == odpAdvanced) {
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
				t.Errorf("%s, the rule %s: exit code %d, want %d; alone (-), compared (+):\n%s", tt.budget, rule, code,
					codes[rule], diff)
			}
			for _, r := range alone {
				if r.Rule == rule && r.Events != out.Events {
					t.Errorf("%s, the rule %s: %d events, without --compare %d", tt.budget, rule, out.Events, r.Events)
				}
			}
		}
	}
}

// roundedLedger returns a ledger that has spent hardly less than 1/3, in ratios so long that their sum is rounded up,
// above that, and then goes on with two events that cost nothing.
func roundedLedger() string {
	left, ledger := big.NewRat(1, 3), ""
	add := func(eps *big.Rat) {
		left.Sub(left, eps)
		ledger += strings.Replace(one, `"x": 1`, fmt.Sprintf(`"x": %q`, eps), 1) + "\n"
	}
	for _, d := range [][2]int64{{3, 820}, {5, 560}, {7, 463}} {
		denominator := new(big.Int).Exp(big.NewInt(d[0]), big.NewInt(d[1]), nil)
		add(new(big.Rat).SetFrac(new(big.Int).Add(new(big.Int).Quo(denominator, big.NewInt(20)), big.NewInt(1)),
			denominator))
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
	if code != exitRefuted || !strings.Contains(stderr, "<stdin>:1:1: m is refused") ||
		!strings.Contains(stderr, "<stdin>:2:35: parts.x is -1") || !strings.Contains(stdout, "line 1 (m)") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestRuleFlags: each rule of each command takes the flags that it uses, and no other; exit code 2 and nothing is
// printed.
func TestRuleFlags(t *testing.T) {
	t.Parallel()
	values := map[string]string{"leak": "1e-6", "lambda": "3", "target-eps": "2", "gamma": "0.5", "v0": "0.02",
		"size": "100"}
	uses := map[string]string{
		"sum": "", "adaptive": "leak", "zcdp": "leak", "odp-advanced": "lambda leak", "filter": "leak target-eps",
		"mixture": "gamma leak", "stitched": "leak v0", "rogers": "leak size", "best": "gamma leak target-eps v0",
	}
	commands := map[string][]string{
		"account - --budget eps=9,delta=1e-5": filterRules, "odometer - --delta 1e-5": odometerRules,
		"challenge --budget delta=1e-5 --menu eps=0.1 --rounds 2":       odometerRules,
		"challenge --budget eps=1,delta=1e-5 --menu eps=0.1 --rounds 2": filterRules,
	}
	for command, rules := range commands {
		for _, rule := range rules {
			for flag, value := range values {
				args := append(strings.Fields(command), "--rule", rule, "--"+flag, value)
				if rule == "rogers" && flag != "size" {
					args = append(args, "--size", "100")
				}
				code, stdout, stderr := checkrr(one, args...)
				isDefined := !strings.Contains(stderr, "unknown flag")
				unused := "--" + flag + " is given, but not used by the rule " + rule + ", only by "
				switch isUsed := slices.Contains(strings.Fields(uses[rule]), flag); {
				case isUsed && code != exitOK, !isUsed && (code != exitUsage || stdout != ""):
					t.Errorf("%v: exit code %d, %s", args, code, stderr)
				case !isUsed && isDefined && !strings.Contains(stderr, unused):
					t.Errorf("%v: %s", args, stderr)
				}
			}
		}
	}
}
