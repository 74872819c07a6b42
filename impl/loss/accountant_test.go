package loss_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// TestLaw_RoundingNeverHelpsTheSpender: next to exact sums, an accountant that rounds
// all the time admits nothing more, charges no less, and does not exceed its budget.
func TestLaw_RoundingNeverHelpsTheSpender(t *testing.T) {
	loss.ShortSums(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		budget := testkit.DrawEpsilon(t, "budget")
		a, err := ledger.NewAccountant(budget, rational.One)
		if err != nil {
			t.Fatal(err)
		}
		var exact loss.Sum
		for range rapid.IntRange(1, 12).Draw(t, "events") {
			e := testkit.DrawEpsilon(t, "eps")
			next, err := a.Spend(whole(e, new(big.Rat)), "all")
			if err != nil {
				continue
			}
			a, exact = next, exact.PlusExactly(loss.Of(e))
			if s := a.Spent().ODP.Eps; s.Cmp(exact) < 0 || s.Cmp(loss.Of(budget)) > 0 {
				t.Fatalf("spent %v, exactly %v, of %v", s, exact, budget)
			} else if s.Cmp(exact) != 0 && !s.IsRounded() {
				t.Fatalf("spent %v, exactly %v, but not said to be rounded", s, exact)
			}
			if a.Remaining().Eps.Sign() < 0 {
				t.Fatalf("remaining is %v", a.Remaining().Eps)
			}
		}
	})
}

// TestAccountantRoundingAtTheBudget: an event that takes all of the budget is charged all
// of it, though rounding up would charge more.
func TestAccountantRoundingAtTheBudget(t *testing.T) {
	loss.ShortSums(t, 40)
	eps, delta := loss.Exp(big.NewRat(1234567891, 1000000007)), big.NewRat(1, 1234567891011)
	a, err := ledger.NewAccountant(eps, delta)
	if err != nil {
		t.Fatal(err)
	}
	a, err = a.Spend(whole(eps, delta), "all")
	if err != nil {
		t.Fatal(err)
	}
	s := a.Spent()
	for _, total := range []loss.Sum{s.ODP.Eps, s.ODP.Delta, s.WithoutODP.Delta} {
		if !total.IsRounded() {
			t.Errorf("%v is not said to be rounded", total)
		}
	}
	if left := a.Remaining(); left.Eps.Sign() != 0 || left.Delta.Sign() != 0 {
		t.Errorf("remaining is %v", left)
	}
	if got := s.WithoutODP.Delta.String(); got != delta.RatString() {
		t.Errorf("without ODP δ is %s, want %s", got, delta.RatString())
	}
}

// whole is the guarantee of a mechanism whose outputs are one part.
func whole(e loss.Epsilon, delta *big.Rat) ledger.Guarantee {
	return ledger.Guarantee{Parts: []ledger.Part{{Name: "all", Eps: e}}, Delta: delta}
}
