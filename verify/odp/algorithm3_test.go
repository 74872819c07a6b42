package odp

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"checkrr/impl"
	"checkrr/spec"

	"pgregory.net/rapid"
)

// recorder builds mechanisms and criteria from a seed, and records what they are asked.
type recorder struct {
	seed uint64
	log  []string
}

func (r *recorder) mechanism(k int) func(s []int, x int) int {
	return func(s []int, x int) int {
		r.log = append(r.log, fmt.Sprint("M", k, s, x))
		return rand.New(rand.NewPCG(r.seed, uint64(k+7*len(s)+x))).IntN(4)
	}
}

func (r *recorder) criterion(k int) func(s []int) bool {
	return func(s []int) bool {
		r.log = append(r.log, fmt.Sprint("h", k, s))
		return rand.New(rand.NewPCG(r.seed, uint64(1000+k+s[len(s)-1]))).IntN(3) == 0
	}
}

// propIterate runs Algorithm 3, literal and fast, on the same mechanisms and criteria: the
// same questions are asked in the same order, and the outputs are the same.
func propIterate(t *rapid.T) {
	total := rapid.IntRange(1, 9).Draw(t, "k_n")
	points := []int{total}
	for k := total - 1; k >= 1; k-- {
		if rapid.Bool().Draw(t, "stop") {
			points = slices.Insert(points, 0, k)
		}
	}
	seed, x := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 3).Draw(t, "x")
	run := func(iterate func([]func([]int, int) int, []func([]int) bool) []int) ([]int, []string) {
		r := &recorder{seed: seed}
		var mechanisms []func([]int, int) int
		for k := 1; k <= total; k++ {
			mechanisms = append(mechanisms, r.mechanism(k))
		}
		var criteria []func([]int) bool
		for _, k := range points[:len(points)-1] {
			criteria = append(criteria, r.criterion(k))
		}
		return iterate(mechanisms, criteria), r.log
	}
	want, asked := run(func(m []func([]int, int) int, h []func([]int) bool) []int { return spec.Iterate(points, m, h, x) })
	got, asked2 := run(func(m []func([]int, int) int, h []func([]int) bool) []int { return must(impl.Iterate(points, m, h, x)) })
	if !slices.Equal(got, want) || !slices.Equal(asked, asked2) {
		t.Fatalf("stops %v: spec %v (%v), impl %v (%v)", points, want, asked, got, asked2)
	}
}

func TestPair_Iterate(t *testing.T) { rapid.Check(t, propIterate) }
func FuzzIterate(f *testing.F)      { f.Fuzz(rapid.MakeFuzz(propIterate)) }

func TestIterateRefuses(t *testing.T) {
	m := func([]int, int) int { return 0 }
	two := []func([]int, int) int{m, m}
	h := []func([]int) bool{func([]int) bool { return true }}
	for want, err := range map[string]error{
		"Iterate: there are no stopping points, must be at least one":                        second(impl.Iterate(nil, two, nil, 0)),
		"Iterate: stopping point 2 is 1, must be more than 1":                                second(impl.Iterate([]int{1, 1}, two, h, 0)),
		"Iterate: the last stopping point is 1, must be 2, the number of mechanisms":         second(impl.Iterate([]int{1}, two, nil, 0)),
		"Iterate: there are 1 criteria, must be 0, one for each stopping point but the last": second(impl.Iterate([]int{2}, two, h, 0)),
	} {
		if fmt.Sprint(err) != want {
			t.Errorf("error is %v, must be %s", err, want)
		}
	}
}
