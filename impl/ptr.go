package impl

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

// noAnswer is ⊥, as an input s and as an output of a PTR function.
const noAnswer = "⊥"

// PTR is the table of a function T(x, s) between finite sets: at Law[x][s][c] is
// the probability Pr(T(x, s) = c). Databases are numbered from 0; ⊥ is written "⊥".
//
// Source: Hartmann et al. (2022), Definition 9; ODP-D9.
type PTR struct {
	Law        []map[string]map[string]*big.Rat
	Neighbours [][2]int // pairs of databases; neighbours are so in both directions
}

// PTRViolation says which condition of the definition fails, and where.
type PTRViolation struct {
	Condition    int    // 1, 2 or 4; 4 means that 3 fails too, so that s is not in G(T, x)
	X, Neighbour int    // x and x'
	S            string // s
	Output       string // what breaks condition 3, or whose probability 2 compares: ⊥, or "" for ≠ ⊥
}

// String names the condition, and what breaks it.
func (v PTRViolation) String() string {
	return fmt.Sprintf("condition %d: x = %d, x' = %d, s = %s, output %q", v.Condition, v.X, v.Neighbour, v.S, v.Output)
}

// IsPTR reports whether T is an (ε,δ)-PTR function: it returns nil if it is, and
// otherwise a condition that fails.
//
// Condition 3 is decided output by output: summing Pr(T(x,s) = c) ≤ e^(2ε) Pr(T(x',s) = c)
// over c in C' gives it for every C', and C' = {c} is one of them. The largest G(T, x)
// makes condition 4 weakest, so it is the one to test.
//
// Source: Hartmann et al. (2022), Definition 9; ODP-D9.
// Also in the checks of ODP-X13 and ODP-X15.
// Symbols: T = t, ε = eps, δ = delta.
// Domain: the same bounds s for every x, ⊥ among them; ε ≥ 0, δ in [0, 1].
// Accuracy: exact. An ε in nats is compared in intervals, which are narrowed until they
// decide: p = e^(kε) q is impossible for rational p, q > 0 and ε > 0.
// Deviation from print: none.
// Cost: O(m) comparisons per pair of neighbours and bound, for m outputs.
func IsPTR(t PTR, eps loss.Epsilon, delta *big.Rat) (*PTRViolation, error) {
	if err := t.validate(eps, delta); err != nil {
		return nil, fmt.Errorf("IsPTR: %w", err)
	}
	for x, laws := range t.Law {
		if lawAt(laws[noAnswer], noAnswer).Cmp(rational.One) != 0 {
			return &PTRViolation{Condition: 1, X: x, Neighbour: x, S: noAnswer, Output: noAnswer}, nil
		}
	}
	directed := t.directed()
	for _, condition := range []int{2, 4} {
		for _, d := range directed {
			for _, s := range slices.Sorted(maps.Keys(t.Law[d[0]])) {
				output, broken := breaks(condition, t.Law[d[0]][s], t.Law[d[1]][s], eps, delta)
				if broken {
					return &PTRViolation{condition, d[0], d[1], s, output}, nil
				}
			}
		}
	}
	return nil, nil
}

// breaks reports whether the laws of T(x, s) and T(x', s) break condition 2 or, taken
// together, 3 and 4.
func breaks(condition int, law, other map[string]*big.Rat, eps loss.Epsilon,
	delta *big.Rat) (output string, broken bool) {
	answer, otherAnswer := new(big.Rat).Sub(rational.One, lawAt(law, noAnswer)),
		new(big.Rat).Sub(rational.One, lawAt(other, noAnswer))
	if condition == 2 {
		if !ratioAtMost(lawAt(law, noAnswer), lawAt(other, noAnswer), eps, 1) {
			return noAnswer, true
		}
		return "", !ratioAtMost(answer, otherAnswer, eps, 1)
	}
	if answer.Cmp(delta) <= 0 {
		return "", false
	}
	for _, c := range slices.Sorted(maps.Keys(law)) {
		if c != noAnswer && !ratioAtMost(law[c], lawAt(other, c), eps, 2) {
			return c, true
		}
	}
	return "", false
}

// ratioAtMost reports whether p ≤ e^(kε) q, for p, q ≥ 0.
func ratioAtMost(p, q *big.Rat, e loss.Epsilon, k int) bool {
	if p.Sign() == 0 || q.Sign() == 0 {
		return p.Sign() == 0
	}
	sum := loss.Of(loss.Exp(new(big.Rat).Quo(p, q)))
	for range k {
		sum = sum.Minus(loss.Of(e))
	}
	return sum.Sign() <= 0
}

// lawAt returns the probability of an output.
func lawAt(law map[string]*big.Rat, output string) *big.Rat {
	if p := law[output]; p != nil {
		return p
	}
	return new(big.Rat)
}

// directed returns the pairs (x, x') of neighbours, both ways round.
func (t PTR) directed() [][2]int {
	var all [][2]int
	for _, pair := range t.Neighbours {
		all = append(all, pair, [2]int{pair[1], pair[0]})
	}
	return all
}

func (t PTR) validate(eps loss.Epsilon, delta *big.Rat) error {
	if err := cmp.Or(check.Rule(loss.Fault(eps)), check.In("δ", delta, "[0, 1]")); err != nil {
		return err
	}
	if len(t.Law) == 0 {
		return fmt.Errorf("there are 0 databases, must be at least 1")
	}
	for x, laws := range t.Law {
		if err := t.checkLaws(laws); err != nil {
			return fmt.Errorf("database %d: %w", x, err)
		}
	}
	for _, pair := range t.Neighbours {
		if min(pair[0], pair[1]) < 0 || max(pair[0], pair[1]) >= len(t.Law) {
			return fmt.Errorf("neighbours are %v, must be at least 0 and less than %d", pair, len(t.Law))
		}
	}
	return nil
}

func (t PTR) checkLaws(laws map[string]map[string]*big.Rat) error {
	if laws[noAnswer] == nil {
		return fmt.Errorf("bound ⊥ is missing, must be there")
	}
	if got, want := slices.Sorted(maps.Keys(laws)), slices.Sorted(maps.Keys(t.Law[0])); !slices.Equal(got, want) {
		return fmt.Errorf("bounds are %v, must be %v as for database 0", got, want)
	}
	for s, law := range laws {
		if err := check.Law("bound "+s, maps.All(law)); err != nil {
			return err
		}
	}
	return nil
}
