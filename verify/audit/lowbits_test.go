package audit

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// A share of a sample is fair: groups keep their shares, and the others do not come in the place of a large one.
func TestSample_Some(t *testing.T) {
	s := &Sample{}
	s.Group("", parsed(`"none"`)).Count = 900_000
	g := s.Group("", Number)
	g.Count, g.Numbers = 50_000, make([]float64, 50_000)
	for i := range 50_000 {
		s.Group("", parsed(fmt.Sprintf(`{"%d":#}`, i))).Add(1)
	}
	few := s.some(10_000, rand.New(rand.NewPCG(1, 1)))
	text, numbers, all := few.countOf(key{"", `"none"`}), few.countOf(key{"", "#"}), few.Count()
	if text < 8999 || text > 9001 || numbers < 499 || numbers > 501 || all-text-numbers < 400 ||
		all-text-numbers > 600 {
		t.Errorf("%d texts, %d numbers, %d others, must be about 9000, 500 and 500", text, numbers, all-text-numbers)
	}
}
