package loss_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

// held returns what of ε is charged, with open reservations at their worst.
func held(t interface{ Fatal(...any) }, r *impl.FilterRun) loss.Sum {
	switch s := r.State().All.(type) {
	case impl.Sums:
		return s.Charge
	case impl.ODPSums:
		return s.Eps
	}
	t.Fatal("unknown memory")
	return loss.Sum{}
}

// TestCommitThatRounds: where a smaller charge is rounded up above the worst one, and there is no room for that beside what is
// reserved, the worst one stays charged.
func TestCommitThatRounds(t *testing.T) {
	loss.ShortSums(t, 40)
	third, fifth := big.NewRat(1, 3), big.NewRat(1, 5)
	nearly := new(big.Rat).Sub(third, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 300)))
	part := func(name string, eps *big.Rat) impl.Part { return impl.Part{Name: name, Eps: loss.Nats(eps)} }
	r, err := impl.NewBudget(loss.Nats(new(big.Rat).Add(third, fifth)), new(big.Rat))
	if err != nil {
		t.Fatal(err)
	}
	first, err := r.Reserve("", impl.Guarantee{Parts: []impl.Part{part("worst", third), part("nearly", nearly)}, Delta: new(big.Rat)})
	if err != nil {
		t.Fatal(err)
	}
	next, err := r.Reserve("", impl.Guarantee{Parts: []impl.Part{part("worst", fifth), part("free", new(big.Rat))}, Delta: new(big.Rat)})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		of             *impl.Reservation
		observed, want string
	}{{first, "nearly", "8/15"}, {next, "free", "1/3"}} {
		if err := step.of.Commit(step.observed); err != nil {
			t.Fatal(err)
		}
		if got := held(t, r).String(); got != step.want {
			t.Errorf("after %s %s is held, want %s", step.observed, got, step.want)
		}
	}
	if a := r.Read(); a.Events != 2 || a.Open != 0 {
		t.Errorf("%+v", a)
	}
}

// TestLaw_ReservationsRoundUp: with sums that round all the time nothing is held or charged too little, no more than the budget,
// and no commit fails.
func TestLaw_ReservationsRoundUp(t *testing.T) {
	loss.ShortSums(t, 40)
	rapid.Check(t, func(t *rapid.T) {
		budget, delta := loss.Drawn(t, "budget"), rational.MustParse("1/3")
		f := impl.BudgetFilter(nil)
		var err error
		if rapid.Bool().Draw(t, "odp") {
			f, err = impl.NewODPFilter(budget, delta, rational.MustParse("1/7"), nil)
		} else {
			f, err = impl.NewSumFilter(budget, delta)
		}
		if err != nil {
			t.Fatal(err)
		}
		r := impl.NewFilterRun(f)
		var open []*impl.Reservation
		var guarantees []impl.Guarantee
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
