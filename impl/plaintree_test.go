package impl

import (
	"math"
	"slices"

	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

// plainTree is a pipeline as a recursion over all its losses, in plain float64: what
// the search is compared with. levels[k] are the losses after k mechanisms, upward.
type plainTree struct {
	p      Pipeline
	levels [][]plainNode
	stop   []int // by number of mechanisms, the index of the stop, or -1
	ends   []int // by stop
	only   []float64
	u      [][]float64
}

type plainNode struct {
	loss     float64
	up, down int // nodes of the next level
	chance   float64
}

func newPlainTree(p Pipeline) *plainTree {
	t := &plainTree{p: p, levels: [][]plainNode{{{}}}, stop: []int{-1}}
	for _, m := range p.Mechanisms {
		eps, delta := loss.Float64(m.Eps), rational.Float64(m.Delta)
		for range m.Count {
			t.grow(eps)
			t.only, t.stop = append(t.only, delta), append(t.stop, -1)
		}
	}
	for i, s := range p.Stops {
		t.stop[s.After] = i
		t.ends = append(t.ends, s.After)
	}
	for _, level := range t.levels {
		t.u = append(t.u, make([]float64, len(level)))
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
		for i, n := range t.levels[k] {
			on := 0.0
			if k < len(t.levels)-1 {
				d := t.only[k]
				on = d + (1-d)*(n.chance*t.u[k+1][n.up]+(1-n.chance)*t.u[k+1][n.down])
			}
			if s := t.stop[k]; s >= 0 && n.loss > charges[s] {
				on = max(on, -math.Expm1(charges[s]-n.loss))
			}
			t.u[k][i] = on
		}
	}
	return t.u[0][0]
}

// largest is the largest loss at every stop.
func (t *plainTree) largest() (losses []float64) {
	for _, k := range t.ends {
		losses = append(losses, t.levels[k][len(t.levels[k])-1].loss)
	}
	return losses
}

// least returns the smallest charge at stop i that keeps OptDel within delta, or +Inf. The
// charges of the others stay.
func (t *plainTree) least(charges []float64, i int, delta float64) float64 {
	xs := slices.Clone(charges)
	value := func(x float64) float64 { xs[i] = x; return t.optDel(xs) }
	lo, hi := 0.0, t.levels[t.ends[i]][len(t.levels[t.ends[i]])-1].loss
	if value(hi) > delta {
		return math.Inf(1)
	}
	if value(lo) <= delta {
		return lo
	}
	for range 45 { // to 1e-13 of the largest loss
		if mid := (lo + hi) / 2; value(mid) <= delta {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// scan returns the smallest cost that a grid of n steps for all charges but the last finds, and
// a search by smaller and smaller steps from the best places of the grid.
func (t *plainTree) scan(weights []float64, delta float64, n int) (cost float64, charges []float64) {
	type found struct {
		cost    float64
		charges []float64
	}
	var all []found
	largest, last := t.largest(), len(t.ends)-1
	lowest := make([]float64, last+1)
	for i := range lowest {
		lowest[i] = t.least(largest, i, delta)
	}
	try := func(charges []float64) found {
		xs := slices.Clone(charges)
		xs[last] = t.least(xs, last, delta)
		return found{dot(weights, xs), xs}
	}
	var visit func(i int, xs []float64)
	visit = func(i int, xs []float64) {
		if i == last {
			if f := try(xs); !math.IsInf(f.cost, 1) && !math.IsNaN(f.cost) {
				all = append(all, f)
			}
			return
		}
		for j := range n + 1 {
			xs[i] = lowest[i] + (largest[i]-lowest[i])*float64(j)/float64(n)
			visit(i+1, xs)
		}
	}
	visit(0, slices.Clone(largest))
	byCost := func(a, b found) int {
		switch {
		case a.cost < b.cost:
			return -1
		case a.cost > b.cost:
			return 1
		}
		return 0
	}
	slices.SortFunc(all, byCost)
	best := all[0]
	for k := 0; k < len(all) && k < 8; k++ {
		f := all[k]
		for step := 1.0 / float64(n); step > 1e-7; {
			better := false
			for i := range last {
				for _, sign := range []float64{-1, 1} {
					xs := slices.Clone(f.charges)
					xs[i] = min(max(lowest[i], xs[i]+sign*step*(largest[i]-lowest[i])), largest[i])
					if g := try(xs); g.cost < f.cost {
						f, better = g, true
					}
				}
			}
			if !better {
				step /= 2
			}
		}
		if f.cost < best.cost {
			best = f
		}
	}
	return best.cost, best.charges
}
