package odp

import (
	"fmt"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// agree refutes that a number is what others are that should be the same: for each its name, and the number, or an
// interval that should contain it and be narrow.
func agree(t *register.T, of any, want *big.Rat, others ...any) {
	for i := 0; i < len(others); i += 2 {
		switch x := others[i+1].(type) {
		case *big.Rat:
			if !rat.Equal(x, want) {
				t.Refute("%v: %s, %s %s", of, rat.Show(want), others[i], rat.Show(x))
			}
		case interval.Interval:
			if !x.Contains(want) || x.RelWidth() > impl.DefaultRelWidth {
				t.Refute("%v: %s, %s [%.12g, %.12g]", of, rat.Show(want), others[i], x.Lower, x.Upper)
			}
		}
	}
}

// same refutes that a number by spec is what it is by another way.
func same(t *register.T, want, bySpec *big.Rat, format string, args ...any) {
	if !rat.Equal(want, bySpec) {
		t.Refute("%s is %s, by spec %s", fmt.Sprintf(format, args...), rat.Show(want), rat.Show(bySpec))
	}
}
