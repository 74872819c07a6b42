package finite

import (
	"testing"

	"checkrr/verify/rat"
)

// Mechanisms that do not depend on each other, with functions of their outputs, have the law of the functions of all
// outputs.
func TestProcessing(t *testing.T) {
	t.Parallel()
	m := Pair{{"a": rat.Of("1/3"), "b": rat.Of("2/3")}, {"a": rat.Of("3/4"), "b": rat.Of("1/4")}}
	c, count := Independent(m, m), 0
	for f := range Processings(2) {
		count++
		want := Pair{{}, {}}
		for b, l := range c.Law(nil) {
			for s, pr := range l {
				want[b].Add(f.Of(s), pr)
			}
		}
		if got := f.Apply(c).Law(nil); !got.Equal(want) {
			t.Errorf("%v: %v, must be %v", f, got, want)
		}
	}
	if count != 4*4*4 {
		t.Errorf("%d functions of two outputs", count)
	}
	for f := range Processings(1) {
		if got, want := f.String(), "f_1: a ↦ a, b ↦ b"; got != want {
			t.Errorf("%s, must be %s", got, want)
		}
		break
	}
}
