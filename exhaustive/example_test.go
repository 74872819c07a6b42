package exhaustive_test

import (
	"context"
	"fmt"
	"math/big"

	"checkrr/exhaustive"
)

// Two mechanisms with e^ε = 3. An output after the first is charged e^ℰ = 1,
// one after both e^ℰ = 4.
func ExampleExact() {
	three := exhaustive.Epsilon{Rat: big.NewRat(3, 1), Exp: true}
	mechanism := exhaustive.Mechanism{Eps: three, Delta: new(big.Rat)}
	p := exhaustive.Pipeline{
		Mechanisms: []exhaustive.Mechanism{mechanism, mechanism},
		Stops: []exhaustive.Stop{
			{After: 1, Eps: exhaustive.Epsilon{Rat: big.NewRat(0, 1)}},
			{After: 2, Eps: exhaustive.Epsilon{Rat: big.NewRat(4, 1), Exp: true}},
		},
	}
	values, err := exhaustive.Exact(context.Background(), p, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("Theorem 15:", values.OptDel)
	fmt.Println("Lemma 11:  ", values.Lemma11)
	fmt.Println("Each stop: ", values.Single)
	// Output:
	// Theorem 15: 1/2
	// Lemma 11:   13/16
	// Each stop:  [1/2 5/16]
}
