package audit

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/loss"
)

// answer is 1 with probability 3/4, or 1/4 for the other input: ε is ln 3.
func answer(dice *rand.Rand, input int) int {
	if dice.IntN(4) == 0 {
		return 1 - input
	}
	return input
}

// What an object with one entry of another name every time has at its place, and what the names of entries begin
// with, tells the inputs apart: at (4/5, 0) it is refuted, and at (ln 3, 0), where the claim is tight, it is not.
func TestNames(t *testing.T) {
	t.Parallel()
	exp3 := Claim{Delta: new(big.Rat), Parts: []Part{{Eps: loss.Exp(big.NewRat(3, 1))}}}
	word := func(dice *rand.Rand, input int) string { return []string{"yes", "no"}[answer(dice, input)] }
	for name, draw := range map[string]func(dice *rand.Rand, input int) string{
		"a number at another name": func(dice *rand.Rand, input int) string {
			return fmt.Sprintf(`{"%016x":%g}`, dice.Uint64(), float64(answer(dice, input))+dice.Float64())
		},
		"a word at another name": func(dice *rand.Rand, input int) string {
			return fmt.Sprintf(`{"%016x":"%s"}`, dice.Uint64(), word(dice, input))
		},
		"how a name begins": func(dice *rand.Rand, input int) string {
			return fmt.Sprintf(`{"%c%016x":true}`, 'a'+answer(dice, input), dice.Uint64())
		},
		"how a name among others begins": func(dice *rand.Rand, input int) string {
			return fmt.Sprintf(`{"Time":null,"%c%016x":true,"zone":"here"}`, 'a'+answer(dice, input), dice.Uint64())
		},
		"a word in a name": func(dice *rand.Rand, input int) string {
			return fmt.Sprintf(`[null,{"%016x %s":[]}]`, dice.Uint64(), word(dice, input))
		},
	} {
		on := func(input int) Sampler { return saying(func(dice *rand.Rand) string { return draw(dice, input) }) }
		pair := PairOf(on(0), on(1))
		if r := audited(t, nats(0.8), Options{Samples: 30_000, Alpha: 0.01, Seed: 1}, pair); r.Verdict != Refuted {
			t.Errorf("%s: %s, must be refuted", name, r.Verdict)
		}
		if r := audited(t, exp3, Options{Samples: AtLeast(3000, 10_000), Alpha: 0.01, Seed: 1}, pair); r.Verdict == Refuted {
			t.Errorf("%s, with the ε that it has: %s", name, r.Verdict)
		}
	}
}
