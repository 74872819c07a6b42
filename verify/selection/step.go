package selection

import (
	"checkrr/impl/interval"
	"checkrr/verify/register"
)

// line is a line of a proof at one place: what stands on the sides of its signs, which are all = or all ≤.
type line struct {
	equal bool
	sides []interval.Interval
}

func equal(sides ...interval.Interval) line  { return line{true, sides} }
func rising(sides ...interval.Interval) line { return line{false, sides} }

// check refutes a line of which two sides are apart the wrong way, where the last is a share of what is printed.
func (l line) check(t *register.T, share interval.Interval, format string, args ...any) {
	sides := append([]interval.Interval(nil), l.sides...)
	last := len(sides) - 1
	sides[last] = precise.Mul(share, sides[last])
	for i := range last {
		x, y := sides[i], sides[i+1]
		if x.Lower.Cmp(y.Upper) > 0 || l.equal && x.Upper.Cmp(y.Lower) < 0 {
			args = append(args, i+1, i+2, x.Lower, y.Upper)
			t.Refute(format+": sides %d and %d are %.9g and %.9g", args...)
		}
	}
	if !l.equal && sides[last].Lower.Sign() > 0 {
		t.Close(precise.Quo(sides[0], sides[last]).Float().Lo, format, args...)
	}
}
