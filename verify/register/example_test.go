package register_test

import (
	"context"
	"fmt"

	"checkrr/verify/register"
)

// A register with one statement, which is printed wrong. The bound is a parameter of the check, so that the
// statement, its control and its corrected form are one check.
func ExampleRun() {
	below := func(bound int) register.Check {
		return func(t *register.T) {
			t.Domain("n = 1 to 20")
			for n := 1; n <= 20; n++ {
				t.Case()
				if n*n >= bound*n {
					t.Refute("n = %d: %d is not below %d", n, n*n, bound*n)
				}
			}
		}
	}
	statement := register.Statement{
		ID: "OWN-L1", Title: "n² < 20·n for n up to 20", Kind: register.Exact, Verdict: register.Fails,
		Note: "print leaves out the last case", Check: below(20),
		Controls:  []register.Claim{{Says: "n² < 19·n", Check: below(19)}},
		Corrected: &register.Claim{Says: "n² < 21·n", Check: below(21)},
	}
	f := register.Run(context.Background(), []register.Statement{statement}, register.Options{})[0]
	fmt.Println(f.Verdict(), f.Outcome.Counterexample)
	fmt.Println(f.Corrected.Verdict, f.Contradictions())
	// Output:
	// fails n = 20: 400 is not below 400
	// holds []
}
