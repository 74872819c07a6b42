package odp

import (
	"fmt"
	"math/big"
	"strings"

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
		"for one of three, else always ⊥", inUnits(n), showTerms(), m)
	for _, terms := range ptrTerms {
		for p := range bottomPairs(n) {
			t.Case()
			d.decide(t, asPTR(p), terms[0], terms[1])
		}
	}
	for x := range 3 { // condition 1 alone fails, for one database
		t.Case()
		d.decide(t, valueAtBottom(x), rat.Of("2"), rat.Half)
	}
	t.Random(5, m, func(t *register.T, dice register.Dice) {
		table := randomPTR(dice)
		d.decide(t, table, rat.List("1", "3/2", "2", "3", "10")[dice.Roll(5)], big.NewRat(int64(dice.Roll(5)), 4))
	})
}

// randomPTR returns a function of three databases in a row.
func randomPTR(d register.Dice) spec.PTR {
	table := spec.PTR{Neighbours: [][2]int{{0, 1}, {1, 2}}}
	for range 3 {
		rows := map[string]map[string]*big.Rat{"⊥": finite.Law{"⊥": rat.One}, "r": bottomLaw(d), "s": bottomLaw(d)}
		if d.Roll(40) == 1 {
			rows["⊥"] = finite.Law{"⊥": big.NewRat(3, 4), "a": big.NewRat(1, 4)}
		}
		table.Law = append(table.Law, rows)
	}
	return table
}

// valueAtBottom returns a function of three databases in a row that always returns ⊥, but for one database and the
// bound ⊥.
func valueAtBottom(faulty int) spec.PTR {
	table := spec.PTR{Neighbours: [][2]int{{0, 1}, {1, 2}}}
	for x := range 3 {
		rows := map[string]map[string]*big.Rat{}
		for _, s := range []string{"⊥", "r", "s"} {
			rows[s] = finite.Law{"⊥": rat.One}
		}
		if x == faulty {
			rows["⊥"] = finite.Law{"⊥": big.NewRat(3, 4), "a": big.NewRat(1, 4)}
		}
		table.Law = append(table.Law, rows)
	}
	return table
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
		for x := range table.Law {
			for _, s := range []string{"⊥", "r", "s"} {
				laws = append(laws, table.Law[x][s])
			}
		}
		t.Refute("e^ε = %s, δ = %s, %d databases in a row, laws for the bounds ⊥, r, s: (%v): the conditions hold: %v; by "+
			"spec %v, by impl %v (nil: they hold)",
			rat.Show(expEps), rat.Show(delta), len(table.Law), laws, want, showViolation(bySpec), byImpl)
	}
}

// holds goes through the conditions.
func (d definition9) holds(table spec.PTR, expEps, delta *big.Rat) bool {
	var bounds []string
	for s := range table.Law[0] {
		if s != "⊥" {
			bounds = append(bounds, s)
		}
	}
	for x := range table.Law {
		if !rat.Equal(finite.Law(table.Law[x]["⊥"]).Pr("⊥"), rat.One) { // 1
			return false
		}
		for _, s := range bounds { // 2
			if !d.condition2(table, x, s, expEps) {
				return false
			}
		}
		exists := false
		for g := range 1 << len(bounds) { // G(T, x)
			good := true
			for i, s := range bounds {
				if g>>i&1 == 1 {
					good = good && d.condition3(table, x, s, expEps)
				} else {
					good = good && d.condition4(table, x, s, delta)
				}
			}
			exists = exists || good
		}
		if !exists {
			return false
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

func (d definition9) scaled(e *big.Rat) *big.Rat {
	if d.less == nil {
		return e
	}
	return rat.Mul(d.less, e)
}

func (d definition9) condition2(table spec.PTR, x int, s string, expEps *big.Rat) bool {
	e := d.scaled(expEps)
	for _, other := range d.others(table, x) {
		silent, silent1 := finite.Law(table.Law[x][s]).Pr("⊥"), finite.Law(table.Law[other][s]).Pr("⊥")
		if silent.Cmp(rat.Mul(e, silent1)) > 0 {
			return false
		}
		answers := e
		if d.double {
			answers = rat.Mul(e, expEps)
		}
		if !d.onlyOne && rat.Complement(silent).Cmp(rat.Mul(answers, rat.Complement(silent1))) > 0 {
			return false
		}
	}
	return true
}

func (d definition9) condition3(table spec.PTR, x int, s string, expEps *big.Rat) bool {
	e := d.scaled(rat.Power(expEps, 2))
	p := finite.Law(table.Law[x][s])
	for _, other := range d.others(table, x) {
		p1 := finite.Law(table.Law[other][s])
		for _, outputs := range [][]string{{"a"}, {"b"}, {"a", "b"}} { // C'
			sum, sum1 := new(big.Rat), new(big.Rat)
			for _, output := range outputs {
				sum, sum1 = rat.Add(sum, p.Pr(output)), rat.Add(sum1, p1.Pr(output))
			}
			if sum.Cmp(rat.Mul(e, sum1)) > 0 {
				return false
			}
		}
	}
	return true
}

func (d definition9) condition4(table spec.PTR, x int, s string, delta *big.Rat) bool {
	if d.share != nil {
		delta = rat.Mul(d.share, delta)
	}
	answers := rat.Complement(finite.Law(table.Law[x][s]).Pr("⊥")).Cmp(delta)
	return answers < 0 || answers == 0 && !d.strict
}

// showViolation names the condition that spec finds to fail, and what breaks it.
func showViolation(v *spec.PTRViolation) string {
	if v == nil {
		return "<nil>"
	}
	what := "{" + strings.Join(v.Outputs, ", ") + "}"
	switch v.Condition {
	case 1:
		return fmt.Sprintf("condition 1: T(%d, ⊥) is not always ⊥", v.X)
	case 2:
		return fmt.Sprintf("condition 2: s = %s, x = %d, x' = %d, outputs %s", v.S, v.X, v.Neighbour, what)
	}
	return fmt.Sprintf("condition 4: T(%d, %s) ≠ ⊥ is likelier than δ, and condition 3 fails for x' = %d, C' = %s", v.X,
		v.S, v.Neighbour, what)
}
