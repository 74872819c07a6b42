package selection

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// amplified is a place of Appendix C: the laws of candidates over weights, the law of the output, and 1/γ.
type amplified struct {
	oracles [][]*big.Rat
	weights []*big.Rat
	found   [][]*big.Rat
	dummy   *big.Rat
	inverse int      // 1/γ
	mean    *big.Rat // Np
}

func (x amplified) String() string {
	text := fmt.Sprintf("γ = 1/%d, weights %s", x.inverse, rat.Show(x.weights...))
	if len(x.oracles) > 4 {
		return fmt.Sprintf("%s, %d candidates with %s", text, len(x.oracles), rat.Show(x.oracles[0]...))
	}
	for i, law := range x.oracles {
		text += fmt.Sprintf(", candidate %d with %s", i+1, rat.Show(law...))
	}
	return text
}

func newAmplified(oracles [][]*big.Rat, weights []*big.Rat, inverse int) amplified {
	x := amplified{oracles: oracles, weights: weights, inverse: inverse, mean: new(big.Rat)}
	x.found, x.dummy = impl.AmplificationLaw(oracles, weights, inverse+1)
	for _, law := range oracles {
		for l, p := range law {
			x.mean = rat.Add(x.mean, rat.Mul(p, weights[l]))
		}
	}
	return x
}

// amplifications goes through laws of 1 to 3 candidates, by both rooms, and of 40.
func amplifications(t *register.T, visit func(x amplified)) {
	t.AlsoDomain("1 to 3 candidates with laws of multiples of 1/2, and 40 alike, over the weights {1/1000, 1/2, 1}, " +
		"1/γ in {5, 50}")
	weights := rat.List("1/1000", "1/2", "1")
	laws := slices.Collect(oracles(3, 2))
	for _, inverse := range []int{5, 50} {
		for n := 1; n <= 3; n++ {
			for tuple := range finite.Tuples(laws, n) {
				var list [][]*big.Rat
				for _, l := range tuple {
					list = append(list, l)
				}
				t.Case()
				x := newAmplified(list, weights, inverse)
				found, dummy := spec.AmplificationLaw(list, weights, inverse+1)
				if !rat.Equal(dummy, x.dummy) || !slices.EqualFunc(found, x.found, func(a, b []*big.Rat) bool {
					return slices.EqualFunc(a, b, rat.Equal)
				}) {
					t.Refute("%v: a dummy has the probability %s by impl, %s by spec, or others differ", x, rat.Show(x.dummy),
						rat.Show(dummy))
				}
				visit(x)
			}
		}
		for _, l := range laws {
			t.Case()
			visit(newAmplified(slices.Repeat([][]*big.Rat{l}, 40), weights, inverse))
		}
	}
}

// below returns the probability of a weight below δp.
func (x amplified) below(delta *big.Rat) *big.Rat {
	p, sum := rat.Quo(x.mean, rat.Int(len(x.oracles))), new(big.Rat)
	for _, row := range x.found {
		for l, pr := range row {
			if x.weights[l].Cmp(rat.Mul(delta, p)) < 0 {
				sum = rat.Add(sum, pr)
			}
		}
	}
	return sum
}

var amplifiedDeltas = rat.List("1/200", "6/25")

// sums returns the law of Σ exp(ε_2(q̃_i − τ)) over some candidates.
func (x amplified) sums(oracles [][]*big.Rat) map[string]*big.Rat {
	law := map[string]*big.Rat{"0": rat.One}
	for _, o := range oracles {
		law = plus(law, x.weights, o)
	}
	return law
}
