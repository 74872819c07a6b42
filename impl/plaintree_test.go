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

// plainTree is a pipeline as a recursion over all its losses, in plain float64: what the search for the cheapest
// charges is compared with. levels[k] are the losses after k mechanisms, upward.
type plainTree struct {
	levels [][]plainNode
	deltas []float64 // by mechanism
	stop   []int     // by number of mechanisms, the index of the stop, or -1
	ends   []int     // by stop
}

type plainNode struct {
	loss, value, chance float64
	up, down            int // nodes of the next level
}

func newPlainTree(p Pipeline) *plainTree {
	t := &plainTree{levels: [][]plainNode{{{}}}, stop: []int{-1}}
	for _, m := range p.Mechanisms {
		for range m.Count {
			t.grow(loss.Float64(m.Eps))
			t.deltas, t.stop = append(t.deltas, rational.Float64(m.Delta)), append(t.stop, -1)
		}
	}
	for i, s := range p.Stops {
		t.stop[s.After], t.ends = i, append(t.ends, s.After)
	}
	return t
}

// grow adds a level.
func (t *plainTree) grow(eps float64) {
	level := t.levels[len(t.levels)-1]
	var losses []float64
	for _, n := range level {
		losses = append(losses, n.loss-eps, n.loss+eps)
	}
	slices.Sort(losses)
	losses = slices.CompactFunc(losses, func(a, b float64) bool { return math.Abs(a-b) < 1e-11 })
	find := func(x float64) int {
		i, _ := slices.BinarySearch(losses, x-1e-11)
		return i
	}
	for i := range level {
		n := &level[i]
		n.up, n.down, n.chance = find(n.loss+eps), find(n.loss-eps), 1/(1+math.Exp(-eps))
	}
	next := make([]plainNode, len(losses))
	for i, x := range losses {
		next[i].loss = x
	}
	t.levels = append(t.levels, next)
}

// optDel is the value of the stopping game.
func (t *plainTree) optDel(charges []float64) float64 {
	for k := len(t.levels) - 1; k >= 0; k-- {
		for i := range t.levels[k] {
			n := &t.levels[k][i]
			n.value = 0
			if k < len(t.levels)-1 {
				next, d := t.levels[k+1], t.deltas[k]
				n.value = d + (1-d)*(n.chance*next[n.up].value+(1-n.chance)*next[n.down].value)
			}
			if s := t.stop[k]; s >= 0 && n.loss > charges[s] {
				n.value = max(n.value, -math.Expm1(charges[s]-n.loss))
			}
		}
	}
	return t.levels[0][0].value
}

// least returns the smallest charge at stop i that keeps OptDel within delta, or +Inf. The charges of the others stay.
func (t *plainTree) least(charges []float64, i int, delta float64) float64 {
	xs := slices.Clone(charges)
	isEnough := func(x float64) bool { xs[i] = x; return t.optDel(xs) <= delta }
	lo, hi := 0.0, t.largest(i)
	switch {
	case !isEnough(hi):
		return math.Inf(1)
	case isEnough(lo):
		return lo
	}
	for range 45 { // to 1e-13 of the largest loss
		if mid := (lo + hi) / 2; isEnough(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// largest is the largest loss at a stop.
func (t *plainTree) largest(i int) float64 {
	level := t.levels[t.ends[i]]
	return level[len(level)-1].loss
}

// scan returns the smallest cost that a grid of n steps for all charges but the last finds.
func (t *plainTree) scan(weights []float64, delta float64, n int) (cost float64, charges []float64) {
	last := len(t.ends) - 1
	xs, largest := make([]float64, last+1), make([]float64, last+1)
	for i := range largest {
		largest[i] = t.largest(i)
	}
	cost = math.Inf(1)
	var visit func(i int)
	visit = func(i int) {
		if i < last {
			for j, lowest := 0, t.least(largest, i, delta); j <= n; j++ {
				xs[i] = lowest + (largest[i]-lowest)*float64(j)/float64(n)
				visit(i + 1)
			}
			return
		}
		xs[last] = t.least(xs, last, delta)
		if x := dot(weights, xs); x < cost {
			cost, charges = x, slices.Clone(xs)
		}
	}
	visit(0)
	return cost, charges
}

// randomFew returns a pipeline of two or three stops, small enough to be scanned, with weights and a δ.
func randomFew(random *rand.Rand) (p Pipeline, weights []float64, delta string) {
	n, k := 2+random.IntN(2), 0
	leak := []string{"0", "0", "1e-6", "1/1000", "1/50"}[random.IntN(5)]
	for range 1 + random.IntN(2) {
		m := Mechanism{Eps: loss.Nats(big.NewRat(int64(1+random.IntN(40)), 20)), Count: 2 + random.IntN(4)}
		if m.Delta = rational.MustParse(leak); random.IntN(3) == 0 {
			m.Eps = loss.Exp(big.NewRat(int64(21+random.IntN(60)), 20))
		}
		p.Mechanisms, k = append(p.Mechanisms, m), k+m.Count
	}
	places := random.Perm(k - 1)[:min(n, k)-1]
	slices.Sort(places)
	for _, i := range append(places, k-1) {
		p.Stops = append(p.Stops, Stop{After: i + 1, Eps: exactly(0)})
		weights = append(weights, math.Pow(10, -3+3*random.Float64()))
	}
	weights[random.IntN(len(weights))] = 1
	leaks := p.problem().Infinities()
	least := leaks[len(leaks)-1]
	return p, weights, fmt.Sprintf("%.15g", least+(0.5-least/2)*math.Pow(10, -6*random.Float64()))
}

// TestExhaustive_FewStops: with two and three stops no scan finds charges that cost much less than those of Optimal,
// nor any that cost less than its bound.
func TestExhaustive_FewStops(t *testing.T) {
	t.Parallel()
	random, steps := rand.New(rand.NewPCG(9, 10)), map[int]int{2: 400, 3: 40}
	for i := range 300 {
		p, weights, delta := randomFew(random)
		if i%20 != 0 && !*testkit.Full {
			continue
		}
		s, tree := designed(t, p, delta, ScheduleOptions{Shape: Optimal, Weights: weights}), newPlainTree(p)
		charges, want := floatsOf(s.Charges()), s.Result.OptDel.Float().Hi
		checkNear(t, fmt.Sprintf("%d: OptDel of %v", i, charges), 1+tree.optDel(charges), 1+want, 1e-9)
		cost, bound := dot(weights, charges), s.MeanAtLeast*floats.Sum(weights)
		least, best := tree.scan(weights, rational.Float64(rational.MustParse(delta)), steps[len(weights)])
		// what searches are off by
		if cost-least > 1e-3*least || bound > min(cost, least)*(1+1e-6) || bound < cost*(1-1e-3) {
			t.Errorf("%d: %v, weights %g, δ = %s: %.8g cost %g, %.8g cost %g, none less than %g", i, p, weights, delta,
				charges, cost, best, least, bound)
		}
	}
}

// Of a weight that is 0 the charge is free to rise, of one that dominates the charge is that of a single stop.
func TestOptimal_Weights(t *testing.T) {
	t.Parallel()
	p := parsed("0.2 0 x40 | every 10")
	for _, weights := range testkit.Few(5, [][]float64{
		{0, 1, 1, 1}, {1, 1e-12, 1, 1e12}, {5e-324, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 1},
		{0.1, 0.2, 0.3, 0.4}, {1, 1, 1, 1}, {1, 0, 1, 0}, {1e-300, 1e-300, 1e-300, 1e-300}, {1, 1e6, 1, 1},
		{1e12, 1e12, 1e12, 1e12},
	}) {
		s := designed(t, p, "1e-5", ScheduleOptions{Shape: Optimal, Weights: weights})
		for _, shape := range []Shape{Uniform, Linear, Sqrt} {
			other := designed(t, p, "1e-5", ScheduleOptions{Shape: shape, Weights: weights})
			if x, y := s.Mean(s.Charges()), other.Mean(other.Charges()); x > y*(1+DefaultSlack) {
				t.Errorf("weights %g: optimal costs %g, %s %g", weights, x, shape, y)
			}
		}
		for i, w := range weights {
			got, alone := rational.Float64(s.Charges()[i]), rational.Float64(s.SingleStop[i])
			if w == 1 && floats.Sum(weights) == 1 && got > alone*(1+1e-3) {
				t.Errorf("weight at stop %d only: charged %g there, a single stop %g", i+1, got, alone)
			}
		}
	}
}
