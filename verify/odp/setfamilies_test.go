package odp

import (
	"testing"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/register"
)

// The families of sets of outputs that occur have the maxima of all families.
func TestExhaustive_SetFamilies(t *testing.T) {
	t.Parallel()
	for p := range finite.EveryNth(finite.Pipelines(finite.Mechanisms, 2), 9) {
		if got, want := prefixDisjoint(p), register.Must(spec.OptDel(spec.Pipeline(p))); got.Cmp(want) != 0 {
			t.Errorf("%v: %v, spec has %v", p, got, want)
		}
		if got, want := sumOfMaxima(p), register.Must(spec.Lemma11(spec.Pipeline(p))); got.Cmp(want) != 0 {
			t.Errorf("%v: %v, spec has %v", p, got, want)
		}
	}
}
