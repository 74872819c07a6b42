package odp

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// entry is an event of a ledger in whole units: of ε for every part, and of δ.
type entry struct {
	parts    []int
	delta    int
	observed int
}

// asChoice is the entry as the choice of an adversary: e^ε = 2^units and δ in 100ths. Its
// mechanism does not look at the database, so any guarantee holds.
func (e entry) asChoice() spec.Choice {
	c := spec.Choice{Part: func(output string) int { return int(output[0] - 'a') }, Delta: big.NewRat(int64(e.delta), 100)}
	uniform := finite.Law{}
	for k, units := range e.parts {
		c.ExpE = append(c.ExpE, rat.Power(big.NewRat(2, 1), units))
		uniform[finite.Name(k)] = big.NewRat(1, int64(len(e.parts)))
	}
	c.Laws = [2]map[string]*big.Rat{uniform, uniform}
	return c
}

// guarantee is the entry for an accountant, with a unit of ε as given.
func (e entry) guarantee(unit func(n int) loss.Epsilon) impl.Guarantee {
	g := impl.Guarantee{Delta: big.NewRat(int64(e.delta), 100)}
	for k, units := range e.parts {
		g.Parts = append(g.Parts, impl.Part{Name: finite.Name(k), Eps: unit(units)})
	}
	return g
}

// admitted returns how many of the entries Algorithm 1 runs with a budget in units.
func admitted(ledger []entry, eps, delta int) int {
	round := 0
	adversary := spec.Adversary{Coins: 1, Choose: func(_ string, outputs []string) spec.Choice {
		round = len(outputs)
		return ledger[round].asChoice()
	}}
	tossed := false
	draw := func(map[string]*big.Rat) string {
		if !tossed {
			tossed = true
			return "0"
		}
		return finite.Name(ledger[round].observed)
	}
	_, err := spec.ODPComposition(adversary, rat.Power(big.NewRat(2, 1), eps), big.NewRat(int64(delta), 100), 0,
		len(ledger), spec.TextB, draw)
	if err != nil {
		return round
	}
	return len(ledger)
}

func randomEntry(t *rapid.T) entry {
	parts := rapid.SliceOfN(rapid.IntRange(0, 6), 1, 3).Draw(t, "parts")
	return entry{parts, rapid.IntRange(0, 3).Draw(t, "delta"), rapid.IntRange(0, len(parts)-1).Draw(t, "observed")}
}

// propAccountant compares the accountant with Algorithm 1 on a random ledger: the same
// entries are admitted, and what is left is the same, to the last unit.
func propAccountant(t *rapid.T) {
	ledger := rapid.SliceOfN(rapid.Custom(randomEntry), 0, 12).Draw(t, "ledger")
	eps, delta := rapid.IntRange(0, 30).Draw(t, "ε_t"), rapid.IntRange(0, 15).Draw(t, "δ_t")
	count := admitted(ledger, eps, delta)
	for kind, unit := range map[string]func(int) loss.Epsilon{
		"nats": func(n int) loss.Epsilon { return loss.Nats(big.NewRat(int64(n), 7)) },
		"e^ε":  func(n int) loss.Epsilon { return loss.Exp(rat.Power(big.NewRat(2, 1), n)) },
	} {
		a := register.Must(impl.NewAccountant(unit(eps), big.NewRat(int64(delta), 100)))
		for i, e := range ledger {
			next, err := a.Spend(e.guarantee(unit), finite.Name(e.observed))
			if (err == nil) != (i < count) {
				t.Fatalf("%s: entry %d: %v, Algorithm 1 runs %d", kind, i, err, count)
			}
			if err != nil {
				break
			}
			a = next
		}
		checkLeft(t, kind, a, ledger[:count], eps, delta, unit)
	}
}

// checkLeft finds out what Algorithm 1 has left by asking for more and more.
func checkLeft(t *rapid.T, kind string, a impl.Accountant, ledger []entry, eps, delta int,
	unit func(int) loss.Epsilon) {
	left := func(more func(n int) entry) int {
		n := 0
		for admitted(append(slices.Clip(ledger), more(n+1)), eps, delta) == len(ledger)+1 {
			n++
		}
		return n
	}
	leftEps := left(func(n int) entry { return entry{parts: []int{n}} })
	leftDelta := left(func(n int) entry { return entry{parts: []int{0}, delta: n} })
	want := register.Must(impl.NewAccountant(unit(leftEps), big.NewRat(int64(leftDelta), 100))).Budget()
	if got := a.Remaining(); got.Eps.Cmp(want.Eps) != 0 || got.Delta.Cmp(want.Delta) != 0 {
		t.Fatalf("%s: %s and %s remain, Algorithm 1 has %d and %d units", kind, got.Eps, got.Delta, leftEps, leftDelta)
	}
}

func TestPair_Accountant(t *testing.T) {
	t.Parallel()
	rapid.Check(t, propAccountant)
}
func FuzzAccountant(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propAccountant)) }

// With one part each, the accountant is simple composition: k times (ε, δ) costs (kε, kδ).
func TestLaw_AccountantIsSimpleComposition(t *testing.T) {
	t.Parallel()
	g := impl.Guarantee{Parts: []impl.Part{{Name: "all", Eps: loss.Nats(big.NewRat(1, 3))}}, Delta: big.NewRat(1, 7)}
	a := register.Must(impl.NewAccountant(loss.Nats(big.NewRat(2, 1)), rat.One))
	for k := 1; k <= 6; k++ {
		a = register.Must(a.Spend(g, "all"))
		spent := a.Spent().ODP
		eps, _ := spent.Eps.Rat()
		delta, _ := spent.Delta.Rat()
		if eps.Cmp(big.NewRat(int64(k), 3)) != 0 || delta.Cmp(big.NewRat(int64(k), 7)) != 0 {
			t.Errorf("after %d: (%v, %v)", k, eps, delta)
		}
	}
	if _, err := a.Spend(g, "all"); fmt.Sprintf("%T", err) != "*impl.RefusedError" {
		t.Errorf("a seventh one: %v", err)
	}
}
