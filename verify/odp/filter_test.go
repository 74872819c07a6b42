package odp

import (
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
)

// Algorithm 6 with the sum filter does the same with an adversary that asks for anything.
func TestPair_ODPFilterComposition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawMenu(t, 2, 3)
		plan := rapid.SliceOfN(rapid.IntRange(0, len(m.Choices)-1), 4, 4).Draw(t, "plan")
		a := spec.Adversary{Coins: 1, Choose: func(_ string, outputs []string) spec.Choice {
			node := 0
			if len(outputs) > 0 {
				node = 1 + int(outputs[0][0]-'a')%3
			}
			return finite.ForSpec(&m.Choices[plan[node]])
		}}
		laws, err := finite.ODPFilterComposition(a, spec.SumFilter(m.ExpEpsT, m.DeltaT), 2)
		if err != nil {
			t.Fatal(err)
		}
		worst, s, err := impl.WorstAdversary(t.Context(), m.Choices, 2, impl.SumRule(m.ExpEpsT, m.DeltaT), m.ExpEpsT)
		if err != nil {
			t.Fatal(err)
		}
		if got := laws.Delta(finite.Constant(m.ExpEpsT)); got.Cmp(worst) > 0 {
			t.Fatalf("an adversary needs δ = %v, the worst one %v: %v", got, worst, s)
		}
	})
}
