package odp

import (
	"math/big"
	"testing"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// An ε in nats decides as the e^ε next to it, where no ratio of the probabilities lies between the two.
func TestIsPTR_Nats(t *testing.T) {
	t.Parallel()
	d := register.Seeded(5)
	for range 300 {
		random := randomPTR(d)
		table, delta := impl.PTR{Law: random.Law, Neighbours: random.Neighbours}, big.NewRat(int64(d.Roll(5)), 4)
		for below, exp := range map[string]string{"0.7": "2", "1.1": "3"} { // ln 2 and ln 3 are a little less
			nats := register.Must(impl.IsPTR(table, loss.Nats(rat.Of(below)), delta))
			if x := register.Must(impl.IsPTR(table, loss.Exp(rat.Of(exp)), delta)); (nats == nil) != (x == nil) {
				t.Fatalf("%v, δ = %s: ε = %s gives %v, e^ε = %s gives %v", random, rat.Show(delta), below, nats, exp, x)
			}
		}
	}
}
