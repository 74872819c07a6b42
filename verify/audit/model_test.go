package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// motley has outputs of every kind, in parts a and b: words, lists, numbers, and a number
// that comes again and again.
func motley(at float64, lists int) Sampler {
	return Fake(func(dice *rand.Rand, s *Sample) {
		part := []string{"a", "b"}[dice.IntN(2)]
		switch dice.IntN(5) {
		case 0:
			s.Group(part, parsed(fmt.Sprintf(`"%d"`, dice.IntN(3)))).Add()
		case 1:
			s.Group(part, Number).Add(at + dice.ExpFloat64())
		case 2:
			s.Group(part, Number).Add(4)
		case 3:
			s.Group(part, Numbers(2)).Add(at+dice.NormFloat64(), dice.NormFloat64())
		default:
			shape := "["
			for i := range 1 + dice.IntN(lists) {
				if i > 0 {
					shape += ","
				}
				shape += []string{`"x"`, `"y"`, "true"}[dice.IntN(3)]
			}
			s.Group(part, parsed(shape+"]")).Add()
		}
	})
}

// learned returns a model of two samplers.
func learned(t *testing.T, claim Claim, n int, bits bool, first, second Sampler) *model {
	t.Helper()
	m, err := learn(claim, [2]*Sample{sampleOf(first, n, 1), sampleOf(second, n, 2)}, bits)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every output is in a cell of its part, and in one only, whether or not there was one
// like it before.
func TestModel_CellsCover(t *testing.T) {
	fresh := sampleOf(motley(-3, 6), 3000, 3)
	for _, x := range []float64{math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 0} {
		fresh.Group("a", Number).Add(x)
		fresh.Group("b", parsed("[#,[#]]")).Add(x, 1)
		fresh.Group("a", Numbers(3)).Add(1, x, x)
	}
	for _, claim := range []Claim{nats(1), partsClaim(1, 2), partsClaim(1, 2, 3)} {
		for _, n := range []int{0, 1, 2, 10, 3000} {
			m := learned(t, claim, n, n%2 == 0, motley(0, 2), motley(1, 3))
			counts, err := m.count(fresh)
			if err != nil {
				t.Fatal(err)
			}
			var got, want [3]int
			for i, c := range m.cells() {
				got[c.part] += counts[i]
			}
			for _, g := range fresh.Groups() {
				part, _ := claim.Part(g.Part)
				want[part] += g.Count
			}
			if got != want {
				t.Errorf("%d parts, learned of %d: cells have %v outputs by part, must have %v",
					len(claim.Parts), n, got, want)
			}
			for part, edges := range m.edges {
				if !slices.IsSorted(edges) || len(edges) > maxCells ||
					slices.ContainsFunc(edges, func(x float64) bool { return math.IsNaN(x - x) }) {
					t.Errorf("part %d: edges are %v", part, edges)
				}
			}
		}
	}
}

func TestModel_UnknownPart(t *testing.T) {
	s := sampleOf(motley(0, 2), 100, 1)
	if _, err := learn(partsClaim(1), [2]*Sample{s, s}, false); err == nil {
		t.Error("part b was learned of")
	}
	onlyA := Fake(func(_ *rand.Rand, s *Sample) { s.Group("a", parsed("true")).Add() })
	m := learned(t, partsClaim(1), 100, false, onlyA, onlyA)
	if _, err := m.count(s); err == nil {
		t.Error("part b was counted")
	}
}

// scoreAt returns the score of one number, or of a word.
func (m *model) scoreAt(k key, numbers ...float64) float64 {
	s := &Sample{}
	s.Group(k.part, parsed(k.shape)).Add(numbers...)
	score := math.NaN()
	for _, g := range s.Groups() {
		m.each(g, func(x float64, _ int) { score = x })
	}
	return score
}

// An output that comes again is scored for itself, and those around it, but for the nearest, are not.
func TestModel_Repeats(t *testing.T) {
	m := learned(t, nats(1), 20_000, false, leaky(0, 0.01), leaky(1, 0.01))
	g := m.groups[key{"", "#"}]
	if len(g.repeat) != 2 {
		t.Fatalf("%d outputs came again, must be 2", len(g.repeat))
	}
	for x, sign := range map[float64]float64{0: 1, 1: -1} {
		if got := m.scoreAt(key{"", "#"}, x) * sign; got < math.Log(100) {
			t.Errorf("score of %g is %g, must be more than ln 100", x, got*sign)
		}
		if got := m.scoreAt(key{"", "#"}, x+0.02); !near(got, sign, 0.3) {
			t.Errorf("score next to %g is %g, must be about %g", x, got, sign)
		}
		if r := g.repeat[g.hash([]float64{x})]; !near(r.seen, 200, 75) || !slices.Equal(r.numbers, []float64{x}) {
			t.Errorf("%g came %g times, must be about 200: %v", x, r.seen, r.numbers)
		}
	}
	if a, b, c := g.hash([]float64{1, 2}), g.hash([]float64{3, 2}), g.hash([]float64{2, 1}); a == b || a == c {
		t.Error("outputs that differ in one number, or in the order, have the same hash")
	}
	// twice is not enough
	s := &Sample{}
	for _, x := range []float64{1, 1, 2, 2, 2, 3} {
		s.Group("", Number).Add(x)
	}
	g = learnGroup(key{"", "#"}, [2]*Sample{s, {}}, false, leafOf([2]float64{}))
	if _, ok := g.repeat[g.hash([]float64{2})]; len(g.repeat) != 1 || !ok {
		t.Errorf("%v came three times, must be 2 only", g.repeat)
	}
}

// As reals, 0 and −0 are the same; as float64, they are not.
func TestModel_MinusZero(t *testing.T) {
	zero := func(x float64) Sampler {
		return Fake(func(_ *rand.Rand, s *Sample) { s.Group("", Number).Add(x) })
	}
	for _, bits := range []bool{false, true} {
		m := learned(t, nats(1), 1000, bits, zero(0), zero(math.Copysign(0, -1)))
		plus, minus := m.scoreAt(key{"", "#"}, 0), m.scoreAt(key{"", "#"}, math.Copysign(0, -1))
		if (plus != minus) != bits {
			t.Errorf("bits %v: scores of 0 and -0 are %g and %g", bits, plus, minus)
		}
	}
}
