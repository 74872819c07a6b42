package finite

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// A grid goes through all values, says where it is, and what its text lists is its domain; what is behind a bar only in
// a deep run.
func TestGrid(t *testing.T) {
	t.Parallel()
	run := func(isDeep bool) (got []string, domain string) {
		s := register.Statement{ID: "X", Check: func(t *register.T) {
			Each(t, "laws; p and q in {0, 1/2 | 1}, (ε, δ) in {(1, 10^−2), (−2, 0) | (3, 1)}, and more",
				func(at string, p, q, eps, delta *big.Rat) {
					t.Case()
					got = append(got, fmt.Sprint(at, ": ", rat.Show(p, q, eps, delta)))
				})
		}}
		domain = register.Run(t.Context(), []register.Statement{s}, register.Options{Deep: isDeep})[0].Outcome.Domain
		return got, domain
	}
	got, domain := run(false)
	want := `p = 0, q = 0, (ε, δ) = (1, 1/100): 0, 0, 1, 1/100
p = 0, q = 0, (ε, δ) = (-2, 0): 0, 0, -2, 0
p = 0, q = 1/2, (ε, δ) = (1, 1/100): 0, 1/2, 1, 1/100`
	if len(got) != 8 || strings.Join(got[:3], "\n") != want {
		t.Errorf("%d places: %s", len(got), strings.Join(got, "\n"))
	}
	if domain != "laws; p and q in {0, 1/2}, (ε, δ) in {(1, 10^−2), (−2, 0)}, and more" {
		t.Errorf("domain %q", domain)
	}
	got, domain = run(true)
	if len(got) != 27 || domain != "laws; p and q in {0, 1/2, 1}, (ε, δ) in {(1, 10^−2), (−2, 0), (3, 1)}, and more" {
		t.Errorf("deep: domain %q, %d places", domain, len(got))
	}
}

func runOf(t *testing.T, s register.Statement) register.Finding {
	return register.Run(t.Context(), []register.Statement{s}, register.Options{})[0]
}

// A function gets the arguments that come first, and then the numbers as it takes them; if it asks for the place, it
// counts the cases.
func TestEach(t *testing.T) {
	t.Parallel()
	var got []string
	check := func(t *register.T) {
		Each(t, "n in {2, 3}, p in {1/2}", func(first *big.Rat, n int, p *big.Rat) {
			got = append(got, fmt.Sprint(first, n, p))
		}, "2/3")
		Each(t, "x in {1/4}", func(at string, x float64) { got = append(got, fmt.Sprint(at, ": ", x)) })
		With(func(_ *register.T, x float64) { got = append(got, fmt.Sprint(x)) }, 1)(t)
	}
	o := runOf(t, register.Statement{ID: "X", Check: check}).Outcome
	want := []string{"2/3 2 1/2", "2/3 3 1/2", "x = 1/4: 0.25", "1"}
	if !slices.Equal(got, want) || o.Cases != 2 || o.Domain != "n in {2, 3}, p in {1/2}; x in {1/4}" {
		t.Errorf("domain %q, %d cases: %q", o.Domain, o.Cases, got)
	}
}

// What a function does not take is said in words of the grid.
func TestEach_Takes(t *testing.T) {
	t.Parallel()
	const grid = "x and y in {1, 2}, (e^ε, n) in {(3, 1)}; n = 3"
	for want, check := range map[string]register.Check{
		"the function is func(*register.T, *big.Rat, *big.Rat, *big.Rat, int, int), must take 5: *register.T, x, y, " +
			"e^ε, n (": Over(grid, func(_ *register.T, _, _, _ *big.Rat, _, _ int) {})(),
		"the function is func(*register.T, *big.Rat, *big.Rat, int), must take 4: x, y, e^ε, n (": func(t *register.T) {
			Each(t, grid, func(_ *register.T, _, _ *big.Rat, _ int) {})
		},
		"the function is func(string), must take 5: the place, x, y, e^ε, n (": func(t *register.T) {
			Each(t, grid, func(string) {})
		},
		"the function is func(*register.T), must take 2: *register.T, int (": With(func(*register.T) {}, 2),
	} {
		o := runOf(t, register.Statement{ID: "X", Verdict: register.Holds, Check: check}).Outcome
		if o.Verdict != register.Inconclusive || !strings.HasPrefix(o.Reason, want) {
			t.Errorf("%s: %s, must be %s", o.Verdict, o.Reason, want)
		}
	}
}

// A claim holds with its share of 1, and not with one that is near; a corrected one stands beside what is printed.
func TestClaim(t *testing.T) {
	t.Parallel()
	below := func(t *register.T, share *big.Rat, most int, x *big.Rat) {
		t.AtMost(x, rat.Mul(share, rat.Int(most)), "above %d", most)
	}
	c, printed := On("x in {0, 2}", below)(2), On("x in {0, 2}", below)(1)
	for _, parts := range [][]register.Part{Tight(c, "19/20", "near"), Mended(printed, c, "2", "19/20", "near")} {
		s := register.Statement{ID: "X", Verdict: register.Holds}
		for _, p := range parts {
			p(&s)
		}
		if s.Corrected != nil {
			s.Verdict, s.Severity = register.Fails, register.Slip
		}
		if wrong := runOf(t, s).Contradictions(); len(wrong) > 0 || len(s.NearMisses) != 1 {
			t.Errorf("%d near misses, %q", len(s.NearMisses), wrong)
		}
	}
}
