package ours

import (
	"testing"

	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// The curve of a pair gives a pair with the same curve, and the least pair above two others is above both, and equal to
// one of them at each order.
func TestJoin(t *testing.T) {
	t.Parallel()
	d := register.Seeded(1)
	for range 200 {
		p, q := finite.RandomPair(d, 3, 5), finite.RandomPair(d, 3, 5)
		if again := sticks(p).pair(); !again[0].Mass().IsInt() || higher(p, again, rat.Of("0")) != nil ||
			higher(again, p, rat.Of("0")) != nil {
			t.Fatalf("%v becomes %v", p, again)
		}
		both := join(p, q)
		for b, law := range both {
			if !rat.Equal(law.Mass(), rat.One) {
				t.Fatalf("%v and %v: law %d of %v has the sum %s", p, q, b, both, rat.Show(law.Mass()))
			}
		}
		for _, order := range around(places(sticks(p), sticks(q), sticks(both))) {
			if got, want := stick(both, order), rat.Max(stick(p, order), stick(q, order)); !rat.Equal(got, want) {
				t.Fatalf("%v and %v: at α = %s it is %s, must be %s",
					p, q, rat.Show(order), rat.Show(got), rat.Show(want))
			}
		}
	}
}
