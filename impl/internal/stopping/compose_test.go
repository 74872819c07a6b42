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

// TestCompose_NextToZero: where ε is next to 0, what narrows it first is no more than a grid soon tells.
func TestCompose_NextToZero(t *testing.T) {
	t.Parallel()
	o := Options{}
	if err := o.Complete(); err != nil {
		t.Fatal(err)
	}
	p := pipe(100, "0.01", "0", "0")
	delta := big.NewRat(3975, 100_000) // 1e-3 of itself below what ε = 0 needs
	c := newComposer(p, Remainder{interval.Wide.Rat(delta), delta}, o)
	found, err := c.search(t.Context())
	if err != nil || found.Shortfall != "" {
		t.Fatalf("%v: %v", err, found)
	}
	soon := 0
	for _, x := range c.tried {
		if x.asked >= 1e-6 {
			soon++
		}
	}
	if soon < 2 { // one below ε, and one above
		t.Errorf("%d of %d trials, at about %v, were asked for what a grid soon tells", soon, len(c.tried), c.x)
	}
}
