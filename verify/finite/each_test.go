package finite

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"checkrr/verify/register"
)

// A function gets the arguments that come first, and then the numbers as it takes them; if it asks for the place, it
// counts the cases.
func TestEach(t *testing.T) {
	t.Parallel()
	var got []string
	check := func(t *register.T) {
		Each(t, "n in {2, 3}, p in {1/2}", func(first string, n int, p *big.Rat) {
			got = append(got, fmt.Sprint(first, n, p))
		}, "first")
		AlsoEach(t, "x in {1/4}", func(at string, x float64) {
			got = append(got, fmt.Sprint(at, ": ", x))
		})
	}
	o := register.Run(t.Context(), []register.Statement{{ID: "X", Check: check}}, register.Options{})[0].Outcome
	want := []string{"first2 1/2", "first3 1/2", "x = 1/4: 0.25"}
	if !slices.Equal(got, want) || o.Cases != 2 || o.Domain != "n in {2, 3}, p in {1/2}; x in {1/4}" {
		t.Errorf("domain %q, %d cases: %q", o.Domain, o.Cases, got)
	}
}
