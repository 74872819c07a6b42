package finite

import (
	"fmt"
	"slices"
	"testing"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/spec"
)

// All rooms get the same pipeline: they find the same OptDel, which is the worst that any criterion needs.
func TestPipelines(t *testing.T) {
	count := 0
	for p := range Pipelines(Mechanisms, 1, 2) {
		if count++; count%40 != 5 {
			continue
		}
		literal, err := spec.OptDel(spec.Pipeline(p))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := exhaustive.Exact(t.Context(), p.Exhaustive(), nil)
		if err != nil {
			t.Fatal(err)
		}
		fast, _, err := impl.Exact(t.Context(), p.Impl())
		if err != nil {
			t.Fatal(err)
		}
		if worst, h := p.Worst(p.Responses(), Randomized); worst.Cmp(literal) != 0 || worst.Cmp(tree.OptDel) != 0 || worst.Cmp(fast) != 0 {
			t.Errorf("%v: spec %v, exhaustive %v, impl %v, worst criterion %v (%v)", p, literal, tree.OptDel, fast, worst, h)
		}
	}
	if want := 3 * 3 * 3 * 3; count != want {
		t.Errorf("%d pipelines, must be %d", count, want)
	}
}

func TestPipelineString(t *testing.T) {
	all := slices.Collect(Pipelines(Mechanisms, 1, 2))
	if got, want := all[3+9].String(), "(e^ε = 3, δ = 0), (e^ε = 3/2, δ = 1/10); e^ℰ = 3/2 at 1, e^ℰ = 1 at 2"; got != want {
		t.Errorf("%s, must be %s", got, want)
	}
	if got, want := all[0].Last().String(), "(e^ε = 3, δ = 0), (e^ε = 3, δ = 0); e^ℰ = 1 at 2"; got != want {
		t.Errorf("%s, must be %s", got, want)
	}
	for p := range Charged(nil, 1, 3) {
		if got, want := fmt.Sprint(p), "e^ℰ = 1 at 1, e^ℰ = 1 at 3"; got != want {
			t.Errorf("%s, must be %s", got, want)
		}
		break
	}
}
