package selection

import (
	"math"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// claim is a check of a statement with a share of its bound: it holds with 1.
type claim func(t *register.T, share *big.Rat)

func (c claim) with(share string) register.Check {
	return func(t *register.T) { c(t, rat.Of(share)) }
}

// tight is what runs for a claim that holds, and not with a share that is near.
func tight(c claim, near, says string, more ...register.Part) []register.Part {
	return register.Checked(c.with("1"), append(more, register.NearMiss(says, c.with(near)))...)
}

// mended is what runs for a claim that fails as printed: another holds, and not with a share of it that is near.
func mended(printed, corrected claim, says, near, nearSays string, more ...register.Part) []register.Part {
	return register.Checked(printed.with("1"), append(more, register.NearMiss(nearSays, corrected.with(near)),
		register.Corrected(says, corrected.with("1")))...)
}

// step is that for a line of a proof.
func step(c claim, near string) []register.Part { return tight(c, near, near+" of the last") }

// rising refutes a line of which a side is above the next, and says how close the first comes to the last.
func rising(t *register.T, at string, sides ...any) {
	apart(t, at, false, sides)
	if last := num(sides[len(sides)-1]); last.Lower.Sign() > 0 {
		t.Close(quo(sides[0], last).Float().Lo, "%s", at)
	}
}

// equal refutes a line of which two sides differ.
func equal(t *register.T, at string, sides ...any) { apart(t, at, true, sides) }

func apart(t *register.T, at string, isEqual bool, sides []any) {
	for i := range len(sides) - 1 {
		x, y := num(sides[i]), num(sides[i+1])
		if x.Lower.Cmp(y.Upper) > 0 || isEqual && x.Upper.Cmp(y.Lower) < 0 {
			t.Refute("%s: sides %d and %d are %.9g and %.9g", at, i+1, i+2, x.Lower, y.Upper)
		}
	}
}

// within refutes what is above a share of its bound, and says how close it comes.
func within(t *register.T, at, what string, x, share, bound *big.Rat) {
	if most := rat.Mul(share, bound); x.Cmp(most) > 0 {
		t.Refute("%s: %s is %s, claimed at most %s", at, what, rat.Show(x), rat.Show(most))
	}
	t.CloseTo(x, bound, "%s", at)
}

// isNear reports whether a float64 is the number but for rounding.
func isNear(x float64, of interval.Interval) bool {
	y, _ := of.Upper.Float64()
	return math.Abs(x-y) <= 1e-12*math.Max(1, math.Abs(y))
}

// twins refutes a number of spec that is another one in impl, but for rounding.
func twins(t *register.T, what string, literal float64, fast any) {
	if x := num(fast); !isNear(literal, x) {
		t.Refute("%s is %.12g by spec, %.12g by impl", what, literal, x.Upper)
	}
}

// same refutes a rational number of spec that is another one in impl, and returns it.
func same(t *register.T, what string, literal, fast *big.Rat) *big.Rat {
	if !rat.Equal(literal, fast) {
		t.Refute("%s is %s by spec, %s by impl", what, rat.Show(literal), rat.Show(fast))
	}
	return fast
}

// sameLaw refutes a law that is not what is claimed.
func sameLaw(t *register.T, at string, law, claimed []*big.Rat) {
	for i := range claimed {
		if !rat.Equal(law[i], claimed[i]) {
			t.Refute("%s: output %d has the probability %s, claimed is %s", at, i+1, rat.Show(law[i]), rat.Show(claimed[i]))
		}
	}
}
