package finite

import (
	"fmt"
	"strings"
	"testing"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// A grid goes through all values, says where it is, and what its text lists is its domain; what is behind a bar only in a
// deep run.
func TestGrid(t *testing.T) {
	t.Parallel()
	run := func(isDeep bool) (got []string, domain string) {
		s := register.Statement{ID: "X", Check: func(t *register.T) {
			for at, x := range Grid(t, "laws; p and q in {0, 1/2 | 1}, (ε, δ) in {(1, 10^−2), (−2, 0) | (3, 1)}, and more") {
				t.Case()
				got = append(got, fmt.Sprint(at, ": ", rat.Show(x...)))
			}
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
