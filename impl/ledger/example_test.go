package ledger_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// A budget that several callers share: a mechanism is reserved at its worst before it runs, and charged for what was
// seen.
func ExampleFilterRun_Reserve() {
	budget, err := ledger.NewBudget(loss.Nats(big.NewRat(1, 1)), new(big.Rat))
	if err != nil {
		fmt.Println(err)
		return
	}
	sparse := ledger.Guarantee{
		Parts: []ledger.Part{
			{Name: "nothing", Eps: loss.Nats(big.NewRat(1, 8))},
			{Name: "found", Eps: loss.Nats(big.NewRat(5, 8))},
		},
		Delta: new(big.Rat),
	}
	first, err := budget.Reserve("", sparse) // on all of the data
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := budget.Reserve("", sparse); err != nil {
		fmt.Println("another one has to wait: at most", budget.Read().Fits, "fits")
	}
	if err := first.Commit("nothing"); err != nil { // after its run
		fmt.Println(err)
	}
	fmt.Println("now", budget.Read().Fits, "fits")
	north, err := budget.Reserve("north", sparse) // on a part of the data
	if err == nil {
		err = north.Commit("found")
	}
	for _, part := range []string{"north", "south"} {
		spent, fits := budget.ReadOn(part)
		fmt.Println(part, "has spent", spent.Eps, "and", fits, "fits", err)
	}
	// Output:
	// another one has to wait: at most 0.375 fits
	// now 0.875 fits
	// north has spent 3/4 and 0.25 fits <nil>
	// south has spent 1/8 and 0.875 fits <nil>
}

// A budget that outlives its program: the state is stored before a mechanism runs, and again after the commit. Here the
// program is killed in between; the next one goes on from what is stored, where the mechanism is charged at its worst.
func ExampleFilterRun_State() {
	eps, zero := loss.Nats(big.NewRat(1, 1)), new(big.Rat)
	budget, err := ledger.NewBudget(eps, zero)
	if err != nil {
		fmt.Println(err)
		return
	}
	worst := ledger.Guarantee{Parts: []ledger.Part{{Name: "found", Eps: loss.Nats(big.NewRat(5, 8))}}, Delta: zero}
	if _, err := budget.Reserve("", worst); err != nil {
		fmt.Println(err)
		return
	}
	stored, err := json.Marshal(budget.State()) // then the mechanism may run
	if err != nil {
		fmt.Println(err)
		return
	}
	var state ledger.FilterState
	next, err := ledger.NewBudget(eps, zero)
	if err := errors.Join(err, json.Unmarshal(stored, &state)); err != nil {
		fmt.Println(err)
		return
	}
	err = next.Resume(state)
	fmt.Println(next.Read().Fits, "fits", err)
	// Output: 0.375 fits <nil>
}
