package finite

import (
	"fmt"
	"strings"
	"testing"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// A grid goes through all values, says where it is, and what its text lists is its domain.
func TestGrid(t *testing.T) {
	t.Parallel()
	var got []string
	check := func(t *register.T) {
		for at, x := range Grid(t, "laws; p and q in {0, 1/2}, (ε, δ) in {(1, 10^−2), (−2, 0)}, and more") {
			t.Case()
			got = append(got, fmt.Sprint(at, ": ", rat.Show(x...)))
		}
	}
	s := register.Statement{ID: "X", Check: check}
	o := register.Run(t.Context(), []register.Statement{s}, register.Options{})[0].Outcome
	want := `p = 0, q = 0, (ε, δ) = (1, 1/100): 0, 0, 1, 1/100
p = 0, q = 0, (ε, δ) = (-2, 0): 0, 0, -2, 0
p = 0, q = 1/2, (ε, δ) = (1, 1/100): 0, 1/2, 1, 1/100`
	if len(got) != 8 || strings.Join(got[:3], "\n") != want || !strings.HasPrefix(o.Domain, "laws; p and q in") {
		t.Errorf("domain %q, %d places: %s", o.Domain, len(got), strings.Join(got, "\n"))
	}
}
