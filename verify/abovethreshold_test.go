package verify

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/spec"
)

// drawn is a noise that plays draws, all multiples of 1/8, so that there are ties.
type drawn struct {
	draws []int
	next  int
}

func (d *drawn) Laplace(scale float64) float64 {
	x := scale * float64(d.draws[d.next%len(d.draws)]) / 8
	d.next++
	return x
}

// tapes returns the same noise twice.
func tapes(t *rapid.T) (first, second *drawn) {
	draws := rapid.SliceOfN(rapid.IntRange(-8, 8), 1, 16).Draw(t, "draws")
	return &drawn{draws: draws}, &drawn{draws: draws}
}

// propSparse compares the outputs of spec and impl. impl leaves the last draw of the
// threshold out.
func propSparse(t *rapid.T) {
	first, second := tapes(t)
	answers := rapid.SliceOfN(rapid.Float64Range(-4, 4), 0, 12).Draw(t, "answers")
	query := func(x float64, a []bool) (float64, bool) {
		if len(a) == len(answers) {
			return 0, true
		}
		return x + math.Round(answers[len(a)]), false
	}
	c := rapid.IntRange(1, 3).Draw(t, "c")
	eps := rapid.SampledFrom([]float64{0.25, 1, 2}).Draw(t, "eps")
	delta := rapid.SampledFrom([]float64{0, 1e-6, 0.5}).Draw(t, "delta")
	want, err0 := spec.Sparse(0.5, query, 1, c, eps, delta, first)
	got, err1 := impl.Sparse(0.5, query, 1, c, eps, delta, second)
	if err0 != nil || err1 != nil || !slices.Equal(got, want) || first.next-second.next > 1 {
		t.Fatalf("Sparse: impl %v, %v after %d draws, spec %v, %v after %d", got, err1, second.next, want, err0, first.next)
	}
	first.next, second.next = 0, 0
	want, err0 = spec.AboveThreshold(0.5, query, 1, eps, first)
	got, err1 = impl.AboveThreshold(0.5, query, 1, eps, second)
	if err0 != nil || err1 != nil || !slices.Equal(got, want) || first.next != second.next {
		t.Fatalf("AboveThreshold: impl %v, %v after %d draws, spec %v, %v after %d", got, err1, second.next, want, err0, first.next)
	}
}

func TestPair_Sparse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, propSparse)
}

func propLaplaceMechanism(t *rapid.T) {
	first, second := tapes(t)
	value := rapid.SliceOfN(rapid.Float64Range(-100, 100), 1, 6).Draw(t, "value")
	eps := rapid.Float64Range(0.01, 10).Draw(t, "eps")
	want, err0 := spec.LaplaceMechanism(value, 2, eps, first)
	got, err1 := impl.LaplaceMechanism(value, 2, eps, second)
	if err0 != nil || err1 != nil || !slices.Equal(got, want) {
		t.Fatalf("LaplaceMechanism: impl %v, %v, spec %v, %v", got, err1, want, err0)
	}
	for i := range value {
		value[i] = math.Round(value[i] / 50) // ties
	}
	first.next, second.next = 0, 0
	i, err0 := spec.ReportNoisyMax(value, eps, first)
	j, err1 := impl.ReportNoisyMax(value, eps, second)
	if err0 != nil || err1 != nil || i != j {
		t.Fatalf("ReportNoisyMax: impl %d, %v, spec %d, %v", j, err1, i, err0)
	}
}

func TestPair_LaplaceMechanism(t *testing.T) {
	t.Parallel()
	rapid.Check(t, propLaplaceMechanism)
}
