package impl

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// scanned are pipelines whose cheapest schedules are searched by brute force.
func scanned() map[string]Pipeline {
	mixed := func(counts []int, eps []string, delta string, stops ...int) Pipeline {
		var p Pipeline
		for i, n := range counts {
			p.Mechanisms = append(p.Mechanisms, Mechanism{Eps: loss.Nats(rational.MustParse(eps[i])), Delta: rational.MustParse(delta), Count: n})
		}
		for _, k := range stops {
			p.Stops = append(p.Stops, Stop{After: k, Eps: exactly(0)})
		}
		return p
	}
	return map[string]Pipeline{
		"2 × 4":              mixed([]int{2}, []string{"4"}, "0", 1, 2),
		"2 × 1":              mixed([]int{2}, []string{"1"}, "0", 1, 2),
		"3 × 2":              mixed([]int{3}, []string{"2"}, "0", 1, 3),
		"4 × 0.5":            mixed([]int{4}, []string{"0.5"}, "0", 2, 4),
		"6 × 1":              mixed([]int{6}, []string{"1"}, "0", 3, 6),
		"10 × 0.3":           mixed([]int{10}, []string{"0.3"}, "0", 5, 10),
		"10 × 0.3 late":      mixed([]int{10}, []string{"0.3"}, "0", 9, 10),
		"10 × 0.3 early":     mixed([]int{10}, []string{"0.3"}, "0", 1, 10),
		"20 × 0.1":           mixed([]int{20}, []string{"0.1"}, "0", 10, 20),
		"20 × 0.1 leaky":     mixed([]int{20}, []string{"0.1"}, "1e-5", 10, 20),
		"40 × 0.05":          mixed([]int{40}, []string{"0.05"}, "0", 20, 40),
		"2 × 3, 6 × 0.25":    mixed([]int{2, 6}, []string{"3", "0.25"}, "0", 2, 8),
		"6 × 0.25, 2 × 3":    mixed([]int{6, 2}, []string{"0.25", "3"}, "0", 6, 8),
		"three of 3 × 2":     mixed([]int{3}, []string{"2"}, "0", 1, 2, 3),
		"three of 6 × 1":     mixed([]int{6}, []string{"1"}, "0", 2, 4, 6),
		"three of 12 × 0.25": mixed([]int{12}, []string{"0.25"}, "0", 4, 8, 12),
		"three of 20 × 0.1":  mixed([]int{20}, []string{"0.1"}, "0", 5, 10, 20),
		"three of mixed":     mixed([]int{2, 4, 2}, []string{"1.5", "0.5", "1"}, "0", 2, 6, 8),
	}
}

// scanTolerance is how far the cost of Optimal may be above the least that brute force finds:
// about twice what was found when it was set, in all problems of the test.
const scanTolerance = 2e-4

func TestExhaustive_Optimal(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	steps, deltas := map[int]int{2: 200, 3: 20}, []string{"0.1", "1e-3", "1e-6", "1e-2", "1e-4"}
	for name, p := range scanned() {
		for _, delta := range testkit.Few(1, deltas) {
			for _, weights := range [][]float64{{1, 1, 1}, {1, 10, 1}, {10, 1, 1}} {
				leaks := p.problem().Infinities()
				if leaks[len(leaks)-1] >= rational.Float64(rational.MustParse(delta)) {
					continue
				}
				weights = weights[:len(p.Stops)]
				s := designed(t, p, delta, ScheduleOptions{Shape: Optimal, Weights: weights})
				tree, charges := newPlainTree(p), floatsOf(s.Charges())
				want, _ := s.Result.OptDel.Upper.Float64()
				x := tree.optDel(charges)
				if math.Abs(x-want) > 1e-9*want {
					t.Errorf("%s at %s: OptDel of %v is %g, plainly %g", name, delta, charges, want, x)
				}
				least, best := tree.scan(weights, rational.Float64(rational.MustParse(delta)), steps[len(weights)])
				excess := dot(weights, charges)/least - 1
				switch {
				case excess > scanTolerance:
					t.Errorf("%s at %s, weights %v: %.8g cost %.3g more than %.8g, must be at most %.2g", name, delta, weights, charges, excess, best, scanTolerance)
				case excess < -1e-2:
					t.Errorf("%s at %s, weights %v: %.8g cost %.3g less than %.8g: the scan is no reference", name, delta, weights, charges, -excess, best)
				}
			}
		}
	}
}

// Weights: of one that is 0 the charge is free to rise, of one that dominates the charge is
// that of a single stop.
func TestOptimal_Weights(t *testing.T) {
	t.Parallel()
	p := pipe(40, "0.2", "0", "0", "0", "0", "0")
	cost := func(s *Schedule) float64 { return s.Mean(s.Charges()) }
	for _, weights := range testkit.Few(4, [][]float64{
		{0, 1, 1, 1}, {1, 1e-12, 1, 1e12}, {5e-324, 0, 0, 0}, {0.1, 0.2, 0.3, 0.4},
		{1, 1, 1, 1}, {1, 0, 1, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {1e12, 1, 1, 1},
		{1e-300, 1e-300, 1e-300, 1e-300}, {1, 1e6, 1, 1}, {1e12, 1e12, 1e12, 1e12},
	}) {
		o := ScheduleOptions{Shape: Optimal, Weights: weights}
		s := designed(t, p, "1e-5", o)
		for _, shape := range Shapes {
			o.Shape = shape
			if other := designed(t, p, "1e-5", o); cost(s) > cost(other)*(1+DefaultSlack) {
				t.Errorf("weights %g: optimal costs %g, %s %g", weights, cost(s), shape, cost(other))
			}
		}
	}
	for i := range 4 {
		weights := make([]float64, 4)
		weights[i] = 1
		s := designed(t, p, "1e-5", ScheduleOptions{Shape: Optimal, Weights: weights})
		got, want := rational.Float64(s.Charges()[i]), rational.Float64(s.SingleStop[i])
		if got > want*(1+1e-3) {
			t.Errorf("weight at stop %d only: charged %g there, a single stop %g", i+1, got, want)
		}
	}
}

// With many stops Optimal solves a coarser problem as well: with a stop after each of 1000 mechanisms, blocks of
// stops find charges that no shape has.
func TestOptimal_Coarse(t *testing.T) {
	t.Parallel()
	p := everyStop(1000, 1, "0.05")
	optimal, linear := designed(t, p, "1e-6", ScheduleOptions{Shape: Optimal}), designed(t, p, "1e-6", ScheduleOptions{Shape: Linear})
	if a, b := optimal.Mean(optimal.Charges()), linear.Mean(linear.Charges()); a > 0.999*b {
		t.Errorf("optimal costs %g, linear %g", a, b)
	}
}

// randomFew returns a pipeline of two or three stops, small enough to be scanned, with weights and a δ.
func randomFew(rng *rand.Rand) (p Pipeline, weights []float64, delta string) {
	n, k := 2+rng.IntN(2), 0
	leak := []string{"0", "0", "1e-6", "1/1000", "1/50"}[rng.IntN(5)]
	for range 1 + rng.IntN(2) {
		m := Mechanism{Eps: loss.Nats(big.NewRat(int64(1+rng.IntN(40)), 20)), Delta: rational.MustParse(leak), Count: 2 + rng.IntN(4)}
		if rng.IntN(3) == 0 {
			m.Eps = loss.Exp(big.NewRat(int64(21+rng.IntN(60)), 20))
		}
		p.Mechanisms = append(p.Mechanisms, m)
		k += m.Count
	}
	places := rng.Perm(k - 1)[:min(n, k)-1]
	slices.Sort(places)
	for _, i := range append(places, k-1) {
		p.Stops = append(p.Stops, Stop{After: i + 1, Eps: exactly(0)})
		weights = append(weights, math.Pow(10, -3+3*rng.Float64()))
	}
	weights[rng.IntN(len(weights))] = 1
	leaks := p.problem().Infinities()
	least := leaks[len(leaks)-1]
	return p, weights, fmt.Sprintf("%.15g", least+(0.5-least/2)*math.Pow(10, -6*rng.Float64()))
}

// TestExhaustive_FewStops: with two and three stops no scan finds charges that cost much less than
// those of Optimal, nor any that cost less than its bound.
func TestExhaustive_FewStops(t *testing.T) {
	t.Parallel()
	rng, most, widest := rand.New(rand.NewPCG(9, 10)), 0.0, 0.0
	steps := map[int]int{2: 300, 3: 24}
	for i := range 300 {
		p, weights, delta := randomFew(rng)
		if i%30 != 0 && !*testkit.Full {
			continue
		}
		s := designed(t, p, delta, ScheduleOptions{Shape: Optimal, Weights: weights})
		cost, bound := dot(weights, floatsOf(s.Charges())), s.MeanAtLeast*floats.Sum(weights)
		least, best := newPlainTree(p).scan(weights, rational.Float64(rational.MustParse(delta)), steps[len(weights)])
		if excess := cost/least - 1; cost-least > 1e-3*least {
			t.Errorf("%d: %v, weights %g, δ = %s: %.8g cost %.3g more than %.8g", i, p, weights, delta, floatsOf(s.Charges()), excess, best)
		} else if least > 0 {
			most = max(most, excess)
		}
		if !(bound <= min(cost, least)*(1+1e-6)) { // what the scan is off by
			t.Errorf("%d: %v, weights %g, δ = %s: at least %.12g, but %.12g costs %.12g", i, p, weights, delta, bound, best, least)
		}
		if cost > 0 {
			widest = max(widest, 1-bound/cost)
		}
	}
	if widest > 1e-3 {
		t.Errorf("a bound is %.2g below the cost, must be at most 0.001", widest)
	}
	t.Logf("costs are up to %.2g above the scan's, bounds up to %.2g below the cost", most, widest)
}

// Found by random search: a corner that no step leads to.
func TestOptimal_Corner(t *testing.T) {
	t.Parallel()
	p := Pipeline{[]Mechanism{{Eps: loss.Exp(rational.MustParse("309/250")), Delta: rational.MustParse("177/10000"), Count: 6}}, []Stop{{After: 2, Eps: exactly(0)}, {After: 6, Eps: exactly(0)}}}
	s := designed(t, p, "20322018559459/200000000000000", ScheduleOptions{Shape: Optimal, Weights: []float64{1, 0.00200691}})
	const best = 0.354168
	if mean := s.Mean(s.Charges()); mean > best*1.001 || s.MeanAtLeast > mean || s.MeanAtLeast < best*0.999 {
		t.Errorf("the mean is %g, at least %g, must be %g", mean, s.MeanAtLeast, best)
	}
}
