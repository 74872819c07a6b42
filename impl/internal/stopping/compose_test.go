package stopping

import (
	"math/big"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// TestCompose_Zero: that ε = 0 is enough is known by one rough look, where δ is far more than that needs.
func TestCompose_Zero(t *testing.T) {
	t.Parallel()
	p := mixed(1, 1, 1, 1)
	p.Stops = []certify.Stop{{After: 328, Eps: loss.Nats(new(big.Rat))}}
	o := Options{}
	if err := o.Complete(); err != nil {
		t.Fatal(err)
	}
	delta := big.NewRat(999, 1000)
	c := newComposer(New(p.Problem), Remainder{interval.Wide.Rat(delta), delta}, o)
	found, err := c.search(t.Context())
	if err != nil || found.Exact == nil || found.Exact.Sign() != 0 {
		t.Fatalf("%v: %v", err, found)
	}
	if len(c.tried) != 1 || c.tried[0].asked != roughWidth {
		t.Errorf("there were %d trials, the first of width %g", len(c.tried), c.tried[0].asked)
	}
}
