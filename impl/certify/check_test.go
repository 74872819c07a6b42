package certify

import (
	"math/big"
	"strings"
	"testing"
)

// Windows of the lower lattice are as many as there are runs, even where only the upper one is needed.
func TestCheck_Windows(t *testing.T) {
	t.Parallel()
	half := Number{Value: big.NewRat(1, 2)}
	p := Problem{Mechanisms: []Mechanism{{Eps: half, Delta: new(big.Rat), Count: 3}}, Stops: []Stop{{After: 3, Eps: half}}}
	upper := Lattice{Unit: Number{Value: big.NewRat(1, 1)}, Windows: []Window{{-3, 0}}}
	if _, err := Check(t.Context(), p, Hints{Upper: upper}); err != nil {
		t.Fatal(err)
	}
	lower := &Lattice{Unit: upper.Unit, Windows: []Window{{-3, 0}, {-3, 0}}}
	if _, err := Check(t.Context(), p, Hints{Upper: upper, Lower: lower}); err == nil || !strings.Contains(err.Error(), "windows") {
		t.Errorf("two windows for one run: %v", err)
	}
}
