package loss_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// held returns what of ε is charged, with open reservations at their worst.
func held(t interface{ Fatal(...any) }, r *ledger.FilterRun) loss.Sum {
	switch s := r.State().All.(type) {
	case ledger.Sums:
		return s.Charge
	case ledger.ODPSums:
		return s.Eps
	}
	t.Fatal("unknown memory")
	return loss.Sum{}
}

// TestCommitThatRounds: where a smaller charge is rounded up above the worst one, and there is no room for that
// beside what is reserved, the worst one stays charged; the other may be committed as ever, whichever was reserved
// first.
func TestCommitThatRounds(t *testing.T) {
	loss.ShortSums(t, 40)
	third, fifth, none := big.NewRat(1, 3), big.NewRat(1, 5), new(big.Rat)
	nearly := new(big.Rat).Sub(third, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 300)))
	of := func(worst, other *big.Rat) ledger.Guarantee {
		parts := []ledger.Part{{Name: "worst", Eps: loss.Nats(worst)}, {Name: "other", Eps: loss.Nats(other)}}
		return ledger.Guarantee{Parts: parts, Delta: none}
	}
	for rounds := range 2 { // the place of the one that does
		r, err := ledger.NewBudget(loss.Nats(new(big.Rat).Add(third, fifth)), none)
		if err != nil {
			t.Fatal(err)
		}
		var open [2]*ledger.Reservation
		for i := range open {
			g := of(fifth, none)
			if i == rounds {
				g = of(third, nearly)
			}
			if open[i], err = r.Reserve("", g); err != nil {
				t.Fatal(err)
			}
		}
		for _, step := range []struct {
			do   func() error
			want string
		}{
			{func() error { return open[rounds].Commit("other") }, "8/15"},
			{func() error { return r.Spend(loss.Nats(none), none) }, "8/15"},
			{func() error { return open[1-rounds].Commit("other") }, "1/3"},
		} {
			if err := step.do(); err != nil {
				t.Fatal(err)
			}
			if got := held(t, r).String(); got != step.want {
				t.Errorf("%s is held, want %s", got, step.want)
			}
		}
		if a := r.Read(); a.Events != 3 || a.Open != 0 {
			t.Errorf("%+v", a)
		}
	}
}

// TestLaw_ReservationsRoundUp: with sums that round all the time nothing is held or charged too little, no more than
// the budget, and no commit fails.
func TestLaw_ReservationsRoundUp(t *testing.T) {
	loss.ShortSums(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		budget, delta := testkit.DrawEpsilon(t, "budget"), rational.MustParse("1/3")
		f := ledger.BudgetFilter(nil)
		var err error
		if rapid.Bool().Draw(t, "odp") {
			f, err = ledger.NewODPFilter(budget, delta, rational.MustParse("1/7"), nil)
		} else {
			f, err = ledger.NewSumFilter(budget, delta)
		}
		if err != nil {
			t.Fatal(err)
		}
		r := ledger.NewFilterRun(f)
		var open []*ledger.Reservation
		var guarantees []ledger.Guarantee
		var exact loss.Sum // of what is over
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			if g, _ := drawn(t); len(open) == 0 || rapid.Bool().Draw(t, "reserve") {
				if v, err := r.Reserve("", g); err == nil {
					open, guarantees = append(open, v), append(guarantees, g)
				}
			} else {
				i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
				k := rapid.IntRange(0, len(guarantees[i].Parts)-1).Draw(t, "observed")
				if err := open[i].Commit(fmt.Sprint(k)); err != nil {
					t.Fatal(err)
				}
				exact = exact.PlusExactly(loss.Of(guarantees[i].Parts[k].Eps))
				open, guarantees = slices.Delete(open, i, i+1), slices.Delete(guarantees, i, i+1)
			}
			least := exact
			for _, g := range guarantees {
				least = least.PlusExactly(loss.Of(g.Worst()))
			}
			if got := held(t, r); got.Cmp(least) < 0 {
				t.Fatalf("%v is held, want at least %v", got, least)
			}
			if a := r.Read(); !a.Spent.Within(a.Budget) {
				t.Fatalf("spent %v of %v", a.Spent, a.Budget)
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
