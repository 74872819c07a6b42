package odp

import (
	"math/big"
	"testing"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// Two PTR functions, the second invoked after ⊥, are (3ε, 2δ − δ²)-DP.
func TestLaw_Chain(t *testing.T) {
	t.Parallel()
	checkHolds(t, chainCosts(afterBottom, threeEps, atLeastOnce))
}

func checkHolds(t *testing.T, check register.Check) {
	t.Helper()
	f := register.Run(t.Context(), []register.Statement{{Check: check}}, register.Options{})[0]
	if f.Outcome.Verdict != register.Holds {
		t.Errorf("%s: %s%s", f.Outcome.Verdict, f.Outcome.Counterexample, f.Outcome.Reason)
	}
	t.Logf("%d cases, %v", f.Outcome.Cases, f.Elapsed)
}

// spec and impl agree on random tables with three databases and two bounds, whether ε is
// given as e^ε or in nats.
func TestPair_IsPTR(t *testing.T) {
	t.Parallel()
	d := register.Seeded(5)
	found := map[int]int{}
	for range 3000 {
		fromSpec := randomPTR(d)
		fromImpl := impl.PTR{Law: fromSpec.Law, Neighbours: fromSpec.Neighbours}
		expEps := []*big.Rat{rat.One, big.NewRat(3, 2), big.NewRat(2, 1), big.NewRat(3, 1), big.NewRat(10, 1)}[d.Roll(5)]
		delta := big.NewRat(int64(d.Roll(5)), 4)
		want, got := register.Must(spec.IsPTR(fromSpec, expEps, delta)),
			register.Must(impl.IsPTR(fromImpl, loss.Exp(expEps), delta))
		if (want == nil) != (got == nil) || want != nil && want.Condition != got.Condition {
			t.Fatalf("%v, e^ε = %s, δ = %s: %v, must be %v", fromSpec, rat.Show(expEps), rat.Show(delta), got,
				showViolation(want))
		}
		if want == nil {
			found[0]++
		} else {
			found[want.Condition]++
		}
		// ln 2 and ln 3 between decimals: no ratio of the probabilities lies between.
		for below, exp := range map[string]*big.Rat{"0.7": big.NewRat(2, 1), "1.1": big.NewRat(3, 1)} {
			nats, _ := new(big.Rat).SetString(below)
			a, b := register.Must(impl.IsPTR(fromImpl, loss.Nats(nats), delta)),
				register.Must(impl.IsPTR(fromImpl, loss.Exp(exp), delta))
			if (a == nil) != (b == nil) {
				t.Fatalf("%v, δ = %s: ε = %s gives %v, e^ε = %s gives %v", fromSpec, rat.Show(delta), below, a, rat.Show(exp), b)
			}
		}
	}
	if min(found[0], found[1], found[2], found[4]) < 50 {
		t.Errorf("conditions that failed (0: none): %v, each must be common", found)
	}
}
