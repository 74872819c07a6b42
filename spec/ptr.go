package spec

import (
	"cmp"
	"errors"
	"maps"
	"math/big"
	"slices"
)

// noAnswer is ⊥, as an input s and as an output of a PTR function.
const noAnswer = "⊥"

// PTR is the table of a function T(x, s) between finite sets: at Law[x][s][c] is
// the probability Pr(T(x, s) = c). Databases are numbered from 0; ⊥ is written "⊥".
//
// Source: Hartmann et al. (2022), Definition 9; ODP-D9.
// Symbols: 𝒟 = {0, …, len(Law) − 1}, 𝒞 ∪ {⊥} = the keys of each Law[x], 𝒞' = the
// outputs other than ⊥.
type PTR struct {
	Law        []map[string]map[string]*big.Rat
	Neighbours [][2]int // pairs of databases; neighbours are so in both directions
}

// IsPTR reports whether T is an (ε,δ)-PTR function.
//
// G(T, x) may be any set of bounds s for which condition 3 holds. The largest one
// is taken, because condition 4 asks for the fewer the larger it is.
//
// Source: Hartmann et al. (2022), Definition 9; ODP-D9.
// Also in the checks of ODP-X13, ODP-X14 and ODP-X15.
// Symbols: T = t, e^ε = expEps, δ = delta.
// Domain: the same bounds s for every x, ⊥ among them; at most 20 outputs beside ⊥; e^ε ≥ 1,
// δ in [0, 1].
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(2^m) per pair of neighbours and bound, for m outputs.
func IsPTR(t PTR, expEps, delta *big.Rat) (bool, error) {
	if err := domain("IsPTR", notBelow("e^eps", expEps, 1), inUnit("δ", delta, "[0, 1]"), t.rules()); err != nil {
		return false, err
	}
	return t.condition1() && t.condition2(expEps) && t.condition4(expEps, delta), nil
}

// condition1 is Pr(T(x, ⊥) = ⊥) = 1 for all x.
func (t PTR) condition1() bool {
	for _, laws := range t.Law {
		if probability(laws[noAnswer], []string{noAnswer}).Cmp(one) != 0 {
			return false
		}
	}
	return true
}

// condition2 is Pr(T(x,s) = ⊥) ≤ e^ε Pr(T(x',s) = ⊥), and the same for ≠ ⊥, for all
// s in 𝒞 and neighbours x, x'.
func (t PTR) condition2(expEps *big.Rat) bool {
	for _, s := range t.bounds() {
		for x := range t.Law {
			for _, n := range t.neighbours(x) {
				for _, event := range [][]string{{noAnswer}, t.answers()} {
					if t.Pr(x, s, event).Cmp(mul(expEps, t.Pr(n, s, event))) > 0 {
						return false
					}
				}
			}
		}
	}
	return true
}

// condition4 is Pr(T(x,s) ≠ ⊥) ≤ δ for all x and all s in 𝒞 that are not in G(T, x).
func (t PTR) condition4(expEps, delta *big.Rat) bool {
	for _, s := range t.bounds() {
		for x := range t.Law {
			if !t.inG(x, s, expEps) && t.Pr(x, s, t.answers()).Cmp(delta) > 0 {
				return false
			}
		}
	}
	return true
}

// inG is condition 3 for x and s:
// Pr(T(x,s) ∈ C') ≤ e^(2ε) Pr(T(x',s) ∈ C') for all neighbours x' and all C' ⊆ 𝒞'.
func (t PTR) inG(x int, s string, expEps *big.Rat) bool {
	for _, n := range t.neighbours(x) {
		for _, event := range subsets(t.answers()) {
			if t.Pr(x, s, event).Cmp(mul(mul(expEps, expEps), t.Pr(n, s, event))) > 0 {
				return false
			}
		}
	}
	return true
}

// Pr returns Pr(T(x, s) ∈ event).
//
// Source: Hartmann et al. (2022), Definition 9; ODP-D9.
func (t PTR) Pr(x int, s string, event []string) *big.Rat { return probability(t.Law[x][s], event) }

// neighbours returns the neighbours of x.
func (t PTR) neighbours(x int) []int {
	var all []int
	for _, pair := range t.Neighbours {
		if pair[0] == x {
			all = append(all, pair[1])
		}
		if pair[1] == x {
			all = append(all, pair[0])
		}
	}
	return all
}

// bounds returns 𝒞.
func (t PTR) bounds() []string {
	all := slices.Sorted(maps.Keys(t.Law[0]))
	return slices.DeleteFunc(all, func(s string) bool { return s == noAnswer })
}

// answers returns 𝒞'.
func (t PTR) answers() []string {
	all := map[string]bool{}
	for _, laws := range t.Law {
		for _, law := range laws {
			for output := range law {
				all[output] = true
			}
		}
	}
	delete(all, noAnswer)
	return slices.Sorted(maps.Keys(all))
}

// rules are those of the table.
func (t PTR) rules() (broken error) {
	if len(t.Law) == 0 {
		return errors.New("there are 0 databases, must be at least 1")
	}
	first := slices.Sorted(maps.Keys(t.Law[0]))
	for x, laws := range t.Law {
		bounds := slices.Sorted(maps.Keys(laws))
		broken = cmp.Or(broken,
			domainOf("database", x, must(laws[noAnswer] != nil, "bound ⊥ is missing, must be there"),
				must(slices.Equal(bounds, first), "bounds are %v, must be %v as for database 0", bounds, first)))
		for s, law := range laws {
			broken = cmp.Or(broken, domainOf("database", x, domain("bound "+s, isLaw(law))))
		}
	}
	for _, pair := range t.Neighbours {
		broken = cmp.Or(broken, must(min(pair[0], pair[1]) >= 0 && max(pair[0], pair[1]) < len(t.Law),
			"neighbours are %v, must be at least 0 and less than %d", pair, len(t.Law)))
	}
	return cmp.Or(broken, fewOutputs(t.answers()))
}
