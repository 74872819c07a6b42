package odp

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl/ledger"
	"checkrr/impl/loss"
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

func randomEntry(t *rapid.T) entry {
	parts := rapid.SliceOfN(rapid.IntRange(0, 6), 1, 3).Draw(t, "parts")
	return entry{parts, rapid.IntRange(0, 3).Draw(t, "delta"), rapid.IntRange(0, len(parts)-1).Draw(t, "observed")}
}

// asChoice is the entry as the choice of an adversary: e^ε = 2^units and δ in 100ths. Its
// mechanism does not look at the database, so any guarantee holds.
func (e entry) asChoice() ledger.Choice {
	uniform := finite.Law{}
	for k := range e.parts {
		uniform[finite.Name(k)] = big.NewRat(1, int64(len(e.parts)))
	}
	parts := finite.Singletons(len(e.parts))
	c := finite.NewChoice(finite.Pair{uniform, uniform}, parts,
		parts.Charge(func(k int) *big.Rat { return rat.Power(rat.Int(2), e.parts[k]) }))
	c.Delta = big.NewRat(int64(e.delta), 100)
	return c
}

// inNats is what the choice of the entry claims, with the unit of ε 1/7 in place of ln 2.
func (e entry) inNats() ledger.Guarantee {
	c := e.asChoice()
	g := guaranteeOf(&c)
	for k, units := range e.parts {
		g.Parts[k].Eps = loss.Nats(big.NewRat(int64(units), 7))
	}
	return g
}

// propAccountant compares the accountant with Algorithm 1 on a random ledger: the same entries are admitted, whether ε
// is given in nats or as e^ε.
func propAccountant(t *rapid.T) {
	entries := rapid.SliceOfN(rapid.Custom(randomEntry), 0, 12).Draw(t, "ledger")
	eps, delta := rapid.IntRange(0, 30).Draw(t, "ε_t"), rapid.IntRange(0, 15).Draw(t, "δ_t")
	var choices []ledger.Choice
	var outputs []string
	for _, e := range entries {
		choices, outputs = append(choices, e.asChoice()), append(outputs, finite.Name(e.observed))
	}
	deltaT := big.NewRat(int64(delta), 100)
	count := onPaper(rat.Power(rat.Int(2), eps), deltaT, choices, outputs)
	byNats := register.Must(ledger.NewAccountant(loss.Nats(big.NewRat(int64(eps), 7)), deltaT))
	byExp := accountantOf(rat.Power(rat.Int(2), eps), deltaT)
	for i, e := range entries[:min(count+1, len(entries))] {
		c := &choices[i]
		if nats, exp := byNats.Admits(e.inNats()) == nil, byExp.admits(c); nats != (i < count) || exp != (i < count) {
			t.Fatalf("entry %d is admitted: %v in nats, %v by e^ε; Algorithm 1 runs %d", i, nats, exp, count)
		}
		if i < count {
			byNats = register.Must(byNats.Spend(e.inNats(), guaranteeOf(c).Parts[e.observed].Name))
			byExp = byExp.next(c, e.observed)
		}
	}
}

func TestPair_Accountant(t *testing.T) {
	t.Parallel()
	rapid.Check(t, propAccountant)
}
func FuzzAccountant(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propAccountant)) }
