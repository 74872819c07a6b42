package odp

import (
	"maps"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// definition9 says how the conditions of PTR functions read: what is not as printed, if it is not zero.
type definition9 struct {
	less    *big.Rat // e^(2ε) in condition 3 and e^ε in condition 2 are multiplied by this
	double  bool     // condition 2 has e^(2ε) for ≠ ⊥
	share   *big.Rat // δ in condition 4 is multiplied by this
	oneWay  bool     // x' comes after x only
	onlyOne bool     // condition 2 is about ⊥ only
	strict  bool     // condition 4 has <
}

// decides checks that spec and impl decide the conditions, going through all sets G(T, x) and C'.
func (d definition9) decides(t *register.T) {
	n, m := t.Size(4, 5), t.Size(600, 20000)
	t.Domain("spec and impl against the four conditions, with every G(T, x) and every C': all functions with one bound, "+
		"two databases, outputs a, b, ⊥ and probabilities %s; (e^ε, δ) in {%s}; "+
		"%d random ones with three databases, the first and last of which are no neighbours, and two bounds; T(x, ⊥) = a "+
		"for one of three, else always ⊥", inUnits(n), showTerms(ptrTerms), m)
	for _, terms := range ptrTerms {
		for p := range bottomPairs(n) {
			t.Case()
			d.decide(t, asPTR(p), terms[0], terms[1])
		}
	}
	for faulty := range 3 { // condition 1 alone fails, for one database
		t.Case()
		d.decide(t, inARow(func(x int, s string) finite.Law {
			if s == "⊥" && x == faulty {
				return seldomA
			}
			return alwaysBottom
		}), rat.Of("2"), rat.Half)
	}
	t.Random(5, m, func(t *register.T, dice register.Dice) {
		table := randomPTR(dice)
		d.decide(t, table, rat.List("1", "3/2", "2", "3", "10")[dice.Roll(5)], big.NewRat(int64(dice.Roll(5)), 4))
	})
}

var (
	alwaysBottom = finite.Law{"⊥": rat.One}
	seldomA      = finite.Law{"⊥": big.NewRat(3, 4), "a": big.NewRat(1, 4)}
)

// inARow returns a function of three databases in a row, with two bounds.
func inARow(law func(x int, s string) finite.Law) spec.PTR {
	table := spec.PTR{Neighbours: [][2]int{{0, 1}, {1, 2}}}
	for x := range 3 {
		table.Law = append(table.Law, map[string]map[string]*big.Rat{"r": law(x, "r"), "s": law(x, "s"), "⊥": law(x, "⊥")})
	}
	return table
}

// randomPTR returns such a function.
func randomPTR(d register.Dice) spec.PTR {
	return inARow(func(_ int, s string) finite.Law {
		switch {
		case s != "⊥":
			return bottomLaw(d)
		case d.Roll(40) == 1:
			return seldomA
		}
		return alwaysBottom
	})
}

// bottomLaw returns a law on a, b, ⊥ with probabilities in quarters, few of them 0.
func bottomLaw(d register.Dice) finite.Law {
	counts := [][3]int64{{1, 1, 2}, {1, 2, 1}, {2, 1, 1}, {0, 1, 3}, {1, 0, 3}, {0, 0, 4}, {2, 2, 0}}[d.Roll(7)]
	return finite.Law{"a": big.NewRat(counts[0], 4), "b": big.NewRat(counts[1], 4), "⊥": big.NewRat(counts[2], 4)}
}

func (d definition9) decide(t *register.T, table spec.PTR, expEps, delta *big.Rat) {
	want := d.holds(table, expEps, delta)
	bySpec := register.Must(spec.IsPTR(table, expEps, delta))
	byImpl := register.Must(impl.IsPTR(impl.PTR{Law: table.Law, Neighbours: table.Neighbours}, loss.Exp(expEps), delta))
	if (bySpec == nil) != want || (byImpl == nil) != want {
		var laws []finite.Law
		for _, rows := range table.Law {
			for _, s := range slices.Sorted(maps.Keys(rows)) {
				laws = append(laws, rows[s])
			}
		}
		t.Refute("e^ε = %s, δ = %s, %d databases in a row, laws for the bounds in their order %v: the conditions hold: %v, "+
			"by spec %v, by impl %v", expEps, delta, len(table.Law), laws, want, bySpec == nil, byImpl == nil)
	}
}

// holds goes through the conditions. There is a G(T, x) if condition 3 or 4 holds for each bound.
func (d definition9) holds(table spec.PTR, expEps, delta *big.Rat) bool {
	for x, rows := range table.Law {
		for s, law := range rows {
			if s == "⊥" && !rat.Equal(finite.Law(law).Pr("⊥"), rat.One) { // 1
				return false
			}
			if s != "⊥" && !(d.condition2(table, x, s, expEps) &&
				(d.condition3(table, x, s, expEps) || d.condition4(table, x, s, delta))) {
				return false
			}
		}
	}
	return true
}

// others returns the x' of x.
func (d definition9) others(table spec.PTR, x int) (all []int) {
	for _, pair := range table.Neighbours {
		if pair[0] == x {
			all = append(all, pair[1])
		} else if pair[1] == x && !d.oneWay {
			all = append(all, pair[0])
		}
	}
	return all
}

func (d definition9) condition2(table spec.PTR, x int, s string, expEps *big.Rat) bool {
	ofBottom := part(d.less, expEps)
	ofValues := ofBottom
	if d.double {
		ofValues = rat.Mul(ofBottom, expEps)
	}
	for _, other := range d.others(table, x) {
		p, p1 := finite.Law(table.Law[x][s]).Pr("⊥"), finite.Law(table.Law[other][s]).Pr("⊥")
		if p.Cmp(rat.Mul(ofBottom, p1)) > 0 ||
			!d.onlyOne && rat.Complement(p).Cmp(rat.Mul(ofValues, rat.Complement(p1))) > 0 {
			return false
		}
	}
	return true
}

func (d definition9) condition3(table spec.PTR, x int, s string, expEps *big.Rat) bool {
	e := part(d.less, rat.Power(expEps, 2))
	for _, other := range d.others(table, x) {
		p, p1 := finite.Law(table.Law[x][s]), finite.Law(table.Law[other][s])
		for _, outputs := range [][]string{{"a"}, {"b"}, {"a", "b"}} { // C'
			excess := new(big.Rat)
			for _, output := range outputs {
				excess = rat.Sum(excess, p.Pr(output), new(big.Rat).Neg(rat.Mul(e, p1.Pr(output))))
			}
			if excess.Sign() > 0 {
				return false
			}
		}
	}
	return true
}

func (d definition9) condition4(table spec.PTR, x int, s string, delta *big.Rat) bool {
	answers := rat.Complement(finite.Law(table.Law[x][s]).Pr("⊥")).Cmp(part(d.share, delta))
	return answers < 0 || answers == 0 && !d.strict
}
