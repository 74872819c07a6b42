package impl

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"

	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// designed returns a schedule, after checking what holds for all of them.
func designed(t *testing.T, p Pipeline, delta string, o ScheduleOptions) *Schedule {
	t.Helper()
	s, err := DesignSchedule(t.Context(), p, rational.MustParse(delta), o)
	if err != nil {
		t.Fatalf("%s at %s: %v", o.Shape, delta, err)
	}
	checkSchedule(t, s, p, rational.MustParse(delta), cmp.Or(o.Slack, DefaultSlack))
	return s
}

// exactly returns the parameter ε = e.
func exactly(e float64) loss.Epsilon { return loss.Nats(new(big.Rat).SetFloat64(e)) }

// checkSchedule checks what [DesignSchedule] promises, with another call of [OptDel].
func checkSchedule(t *testing.T, s *Schedule, p Pipeline, delta *big.Rat, slack float64) {
	t.Helper()
	n := len(p.Stops)
	if s.Shortfall != "" && s.Lemma11 == nil { // time ran out before the comparisons were there
		n = len(s.SingleStop)
	}
	if n != len(p.Stops) && n != 0 || len(s.SingleStop) != n || s.Lemma11 != nil && len(s.Lemma11) != n {
		t.Fatalf("%d stops became %d and %d", len(p.Stops), len(s.SingleStop), len(s.Lemma11))
	}
	n = len(p.Stops)
	if len(s.Pipeline.Stops) != n || len(s.Weights) != n {
		t.Fatalf("%d stops became %d, with %d weights", n, len(s.Pipeline.Stops), len(s.Weights))
	}
	losses, nothing := p.problem().Losses(), true
	for i, e := range s.Charges() {
		nothing = nothing && e.Sign() == 0
		if s.Pipeline.Stops[i].After != p.Stops[i].After || s.Pipeline.Stops[i].Eps.IsExp() || e.Sign() < 0 {
			t.Errorf("stop %d became %v", i+1, s.Pipeline.Stops[i])
		}
		if most := new(big.Rat).Mul(losses[i], rational.MustParse("1.00000001")); e.Cmp(most) > 0 {
			t.Errorf("charge %d is %s, the largest loss %s", i+1, rational.Decimal(e), rational.Decimal(losses[i]))
		}
	}
	if upper, _ := s.Result.OptDel.Upper.Rat(nil); upper.Cmp(delta) > 0 {
		t.Errorf("OptDel is up to %g, δ %s", s.Result.OptDel.Upper, rational.Decimal(delta))
	}
	lower, _ := s.Result.OptDel.Lower.Rat(nil)
	if least := rational.Float64(delta) * (1 - slack); s.Shortfall == "" && !nothing && rational.Float64(lower) < least {
		t.Errorf("OptDel is from %g on, must be %g at least, and no reason is given", s.Result.OptDel.Lower, least)
	}
	r, err := OptDel(t.Context(), s.Pipeline, Options{RelWidth: slack / 8})
	if err != nil || r.OptDel.Lower.Cmp(s.Result.OptDel.Upper) > 0 || r.OptDel.Upper.Cmp(s.Result.OptDel.Lower) < 0 {
		t.Errorf("OptDel is %v, by another call %v, %v", s.Result.OptDel, r, err)
	}
}

func floatsOf(xs []*big.Rat) (fs []float64) {
	for _, x := range xs {
		fs = append(fs, rational.Float64(x))
	}
	return fs
}

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
		eps, delta := m.Eps.Float64(), rational.Float64(m.Delta)
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
			if s := t.stop[k]; s >= 0 {
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
	for range 60 {
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

// scanned are pipelines whose cheapest schedules are searched by brute force.
func scanned() map[string]Pipeline {
	mixed := func(counts []int, eps []string, delta string, stops ...int) Pipeline {
		var p Pipeline
		for i, n := range counts {
			p.Mechanisms = append(p.Mechanisms, Mechanism{Eps: loss.Nats(rational.MustParse(eps[i])), Delta: rational.MustParse(delta), Count: n})
		}
		for _, k := range stops {
			p.Stops = append(p.Stops, Stop{k, exactly(0)})
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
	if testing.Short() {
		t.Skip("takes seconds")
	}
	steps := map[int]int{2: 200, 3: 20}
	for name, p := range scanned() {
		for _, delta := range []string{"0.1", "1e-2", "1e-3", "1e-4", "1e-6"} {
			for _, weights := range [][]float64{{1, 1, 1}, {1, 10, 1}, {10, 1, 1}} {
				leaks := p.problem().Infinities()
				if testing.Short() && (len(p.Stops) == 3 || weights[0] != weights[1]) || leaks[len(leaks)-1] >= rational.Float64(rational.MustParse(delta)) {
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
	p := pipe(40, "0.2", "0", "0", "0", "0", "0")
	cost := func(s *Schedule) float64 { return s.Mean(s.Charges()) }
	for _, weights := range [][]float64{
		{1, 1, 1, 1}, {0, 1, 1, 1}, {1, 0, 1, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {1e12, 1, 1, 1}, {1, 1e-12, 1, 1e12},
		{1e-300, 1e-300, 1e-300, 1e-300}, {5e-324, 0, 0, 0}, {1, 1e6, 1, 1}, {1e12, 1e12, 1e12, 1e12}, {0.1, 0.2, 0.3, 0.4},
	} {
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

// One stop: all shapes are the optimal composition.
func TestSchedule_OneStop(t *testing.T) {
	for _, p := range []Pipeline{pipe(1, "1", "0", "0"), pipe(10, "0.1", "1e-4", "0"), pipe(30, "0.5", "0", "0")} {
		for _, shape := range Shapes {
			s := designed(t, p, "2e-3", ScheduleOptions{Shape: shape})
			e := s.Charges()[0]
			for what, other := range map[string]*big.Rat{"Lemma 11": s.Lemma11[0], "single stop": s.SingleStop[0], "plain DP": s.PlainDP()} {
				if math.Abs(rational.Float64(e)-rational.Float64(other)) > 1e-7*rational.Float64(e) {
					t.Errorf("%s: charged %s, %s %s", shape, rational.Decimal(e), what, rational.Decimal(other))
				}
			}
		}
	}
	// (ε, 0) alone, at ℰ: δ = (e^ε − e^ℰ)/(1 + e^ε)
	s := designed(t, pipe(1, "1", "0", "0"), "0.1", ScheduleOptions{})
	if got, want := rational.Float64(s.Charges()[0]), math.Log(math.E-0.1*(1+math.E)); math.Abs(got-want) > 1e-6 {
		t.Errorf("charged %.9g, want %.9g", got, want)
	}
}

// TestSchedule_Edges: the ends of the domain. zero says that all charges are 0, most that they are
// the largest losses.
func TestSchedule_Edges(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	with := func(p Pipeline, ms ...Mechanism) Pipeline {
		p.Mechanisms = ms
		return p
	}
	stops := func(after ...int) (p Pipeline) {
		for _, k := range after {
			p.Stops = append(p.Stops, Stop{k, exactly(0)})
		}
		return p
	}
	few := pipe(10, "0.1", "0", "0", "0")
	leaky := pipe(10, "0.1", "1e-4", "0", "0") // 1 − 0.9999^10 = 0.00099955012…
	for _, row := range []struct {
		name       string
		p          Pipeline
		delta      string
		zero, most bool
	}{
		{name: "delta 0", p: few, delta: "0", most: true},
		{name: "delta 0, e^eps", p: with(stops(2, 3), Mechanism{Eps: loss.Exp(rational.MustParse("3/2")), Delta: rational.MustParse("0"), Count: 3}), delta: "0", most: true},
		{name: "delta 0, eps 0", p: pipe(3, "0", "0", "0"), delta: "0", most: true, zero: true},
		{name: "delta of charges 0", p: few, delta: "0.3", zero: true},
		{name: "delta 0.999", p: few, delta: "0.999", zero: true},
		{name: "delta next to 1", p: few, delta: "0.9999999999999999", zero: true},
		{name: "delta next to 1, eps 800", p: pipe(4, "800", "0", "0", "0"), delta: "0.9999999999999999"},
		{name: "delta 1e-200", p: pipe(1000, "0.5", "0", "0", "0"), delta: "1e-200"},
		{name: "delta 1e-200, out of reach", p: pipe(1000, "1", "0", "0", "0"), delta: "1e-200"},
		{name: "delta 1e-250", p: pipe(3000, "0.5", "0", "0", "0"), delta: "1e-250"},
		{name: "delta 1e-250, few", p: few, delta: "1e-250", most: true},
		{name: "delta 1e-249 more than a leak", p: pipe(10, "0.1", "1e-251", "0", "0"), delta: "1e-249", most: true},
		{name: "leak and 1e-10 of it", p: leaky, delta: "0.00099955012", most: true},
		{name: "leak and 4e-7 of it", p: leaky, delta: "0.00099955052"},
		{name: "leak and 2e-6 of it", p: leaky, delta: "0.00099955212"},
		{name: "leak and 1e-4 of it", p: leaky, delta: "0.00099965"},
		{name: "leaks of both stops", p: leaky, delta: "0.001499450131"},
		{name: "leaks of both stops and 1e-6 of it", p: leaky, delta: "0.0014994516"},
		{name: "eps 0", p: pipe(3, "0", "0", "0", "0"), delta: "1e-3", zero: true},
		{name: "eps 0, with delta", p: pipe(3, "0", "1e-4", "0", "0"), delta: "1e-3", zero: true},
		{name: "eps 0 first", p: with(stops(2, 22), Mechanism{Eps: exactly(0), Delta: rational.MustParse("0"), Count: 2}, Mechanism{Eps: exactly(0.125), Delta: rational.MustParse("0"), Count: 20}), delta: "1e-3"},
		{name: "eps 1e6", p: pipe(4, "1e6", "0", "0", "0"), delta: "1e-3", most: true},
		{name: "eps 1e289", p: pipe(1, "1e288", "0", "0"), delta: "1e-3", most: true},
		{name: "eps 1e-200", p: pipe(10, "1e-200", "0", "0", "0"), delta: "1e-205"},
		{name: "eps 1e-9", p: pipe(100, "1e-9", "0", "0", "0"), delta: "1e-12"},
		{name: "eps 800 first", p: with(stops(2, 22), Mechanism{Eps: exactly(800), Delta: rational.MustParse("0"), Count: 2}, Mechanism{Eps: exactly(0.125), Delta: rational.MustParse("0"), Count: 20}), delta: "1e-3"},
		{name: "one mechanism", p: pipe(1, "1", "0", "0"), delta: "1e-3"},
		{name: "three mechanisms of eps 1", p: pipe(3, "1", "0", "0", "0", "0"), delta: "1e-9"},
		{name: "six mechanisms of eps 0.1", p: pipe(6, "0.1", "0", "0", "0", "0"), delta: "1e-6"},
		{name: "e^eps 1e400", p: with(stops(2, 3), Mechanism{Eps: loss.Exp(rational.MustParse("1e400")), Delta: rational.MustParse("0"), Count: 3}), delta: "0.001"},
		{name: "e^eps 3/2", p: with(stops(2, 30), Mechanism{Eps: loss.Exp(rational.MustParse("3/2")), Delta: rational.MustParse("0"), Count: 30}), delta: "1e-9"},
		{name: "a million", p: pipe(1_000_000, "0.001", "0", "0", "0"), delta: "1e-6"},
	} {
		for _, shape := range Shapes {
			if shape != Uniform && row.p.Stops[len(row.p.Stops)-1].After > 10_000 {
				continue // takes a dozen seconds
			}
			t.Run(row.name+", "+string(shape), func(t *testing.T) {
				s := designed(t, row.p, row.delta, ScheduleOptions{Shape: shape})
				if s.Shortfall != "" {
					t.Errorf("shortfall %q", s.Shortfall)
				}
				for i, e := range s.Charges() {
					if row.zero && e.Sign() != 0 {
						t.Errorf("charge %d is %s, must be 0", i+1, rational.Decimal(e))
					}
					loss := rational.Float64(row.p.problem().Losses()[i])
					isFree := shape == Optimal && i < len(row.p.Stops)-1 // beside a last charge that is the largest loss
					if x := rational.Float64(e); row.most && !isFree && math.Abs(x-loss) > 1e-8*loss {
						t.Errorf("charge %d is %g, must be the largest loss %g", i+1, x, loss)
					}
					if !row.most && !row.zero && row.p.problem().Reach() < 1e3 && i == len(row.p.Stops)-1 && shape == Linear && !(rational.Float64(e) < loss) && loss > 0 {
						t.Errorf("charge %d is %s, must be less than the largest loss", i+1, rational.Decimal(e))
					}
				}
			})
		}
	}
}

// Found by random search: the largest of single stops alone is OptDel, so that the uniform search
// ends where it begins; and charges near the largest loss, of which float64 tells few apart.
func TestSchedule_Found(t *testing.T) {
	p := Pipeline{Mechanisms: []Mechanism{{Eps: loss.Exp(rational.MustParse("9/4")), Delta: rational.MustParse("0"), Count: 5}, {Eps: loss.Exp(rational.MustParse("3/2")), Delta: rational.MustParse("0"), Count: 5}}}
	for i := range 10 {
		p.Stops = append(p.Stops, Stop{i + 1, exactly(0)})
	}
	a, b := designed(t, p, "6e-5", ScheduleOptions{Shape: Optimal}), designed(t, p, "6e-5", ScheduleOptions{})
	if x, y := a.Mean(a.Charges()), b.Mean(b.Charges()); x > y*(1+DefaultSlack) {
		t.Errorf("optimal costs %.9g, uniform %.9g", x, y)
	}
	p = Pipeline{}
	for _, eps := range []string{"0.36", "0.06", "0.16", "0.12"} {
		p.Mechanisms = append(p.Mechanisms, Mechanism{Eps: loss.Nats(rational.MustParse(eps)), Delta: rational.MustParse("1/1404000000000000"), Count: 9})
	}
	for i := range 36 {
		p.Stops = append(p.Stops, Stop{i + 1, exactly(0)})
	}
	designed(t, p, "1e-12", ScheduleOptions{})
}

// With many stops Optimal solves a coarser problem as well.
// On a grid the charges are certified for the default slack, and so are those they are compared with.
// Finer and finer grids, to no avail, would take minutes.
func TestSchedule_Grid(t *testing.T) {
	for _, shape := range []Shape{Uniform, Optimal} {
		s, err := DesignSchedule(context.Background(), distinct(100, 5, 2), big.NewRat(1, 1e6), ScheduleOptions{Shape: shape})
		switch {
		case err != nil:
			t.Errorf("%s: %v", shape, err)
		case s.Shortfall != "" || s.Lemma11 == nil || s.SingleStop == nil:
			t.Errorf("%s: fell short (%s), or compared with %v and %v", shape, s.Shortfall, s.Lemma11, s.SingleStop)
		case shape == Optimal && !(s.MeanAtLeast > 0 && s.MeanAtLeast <= s.Mean(s.Charges())):
			t.Errorf("the mean is %g, none is below %g", s.Mean(s.Charges()), s.MeanAtLeast)
		}
	}
}

// A context that ends makes an error or a shortfall, at any time.
func TestSchedule_Cancelled(t *testing.T) {
	p := everyStop(1000, 10, "0.05")
	for _, shape := range Shapes {
		o := ScheduleOptions{Shape: shape}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, delta := range []string{"0", "1e-6"} {
			if s, err := DesignSchedule(ctx, p, rational.MustParse(delta), o); !errors.Is(err, context.Canceled) && (s == nil || s.Result.Shortfall == "") {
				t.Errorf("%s, δ = %s, before: %v, %v", shape, delta, s, err)
			}
		}
		start := time.Now()
		designed(t, p, "1e-6", o)
		whole := time.Since(start)
		for part := range 12 {
			ctx, cancel := context.WithTimeout(t.Context(), whole*time.Duration(part+1)/14)
			s, err := DesignSchedule(ctx, p, rational.MustParse("1e-6"), o)
			cancel()
			switch {
			case err == nil:
				checkSchedule(t, s, p, rational.MustParse("1e-6"), DefaultSlack)
			case !errors.Is(err, context.DeadlineExceeded):
				t.Errorf("%s, during: %v", shape, err)
			}
		}
	}
}

// Progress rises from 0 to 1.
func TestSchedule_Progress(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, p := range map[string]Pipeline{"lattice": everyStop(1000, 10, "0.05"), "grid": distinct(6, 3, 1), "few": pipe(6, "0.1", "0", "0", "0")} {
		for _, shape := range Shapes {
			last, calls := 0.0, 0
			o := ScheduleOptions{Shape: shape, Slack: 1e-3, Progress: func(done float64) {
				if !(done >= last && done <= 1) {
					t.Errorf("%s, %s: progress goes from %g to %g", name, shape, last, done)
				}
				last, calls = done, calls+1
			}}
			if designed(t, p, "1e-6", o); calls == 0 || last < 0.75 {
				t.Errorf("%s, %s: progress ends at %g after %d calls", name, shape, last, calls)
			}
		}
	}
}

func TestSchedule_Errors(t *testing.T) {
	p, leaky := pipe(10, "0.1", "0", "0", "0"), pipe(10, "0.1", "1e-4", "0", "0")
	inf, nan := math.Inf(1), math.NaN()
	for _, row := range []struct {
		p     Pipeline
		delta string
		o     ScheduleOptions
		want  string
	}{
		{p, "-1e-6", ScheduleOptions{}, "delta is -1e-06, must be at least 0 and less than 1"},
		{p, "1", ScheduleOptions{}, "delta is 1, must be at least 0 and less than 1"},
		{p, "1e300", ScheduleOptions{}, "delta is 1e+300, must be at least 0 and less than 1"},
		{p, "1e-251", ScheduleOptions{}, "delta is 1e-251, must be at least 1e-250, or 0"},
		{p, "1e-400", ScheduleOptions{}, "delta is about 1e-400, must be at least 1e-250, or 0"},
		{leaky, "0", ScheduleOptions{}, "delta is 0, must be more than 0.00099955012, which the δ of the mechanisms amount to whatever is charged"},
		{leaky, "1e-400", ScheduleOptions{}, "delta is about 1e-400, must be more than 0.00099955012, which the δ of the mechanisms amount to whatever is charged"},
		{leaky, "0.0009", ScheduleOptions{}, "delta is 0.0009, must be more than 0.00099955012, which the δ of the mechanisms amount to whatever is charged"},
		{pipe(3, "0.1", "1", "0"), "0.5", ScheduleOptions{}, "delta is 0.5, and none is enough: the δ of the mechanisms amount to 1, whatever is charged"},
		{p, "0.1", ScheduleOptions{Weights: []float64{1}}, "there are 1 weights, must be 2, one for each stop"},
		{p, "0.1", ScheduleOptions{Weights: []float64{}}, "there are 0 weights, must be 2, one for each stop"},
		{p, "0.1", ScheduleOptions{Weights: []float64{1, -1}}, "weight 2 is -1, must be between 0 and 1e+12"},
		{p, "0.1", ScheduleOptions{Weights: []float64{nan, 1}}, "weight 1 is NaN, must be between 0 and 1e+12"},
		{p, "0.1", ScheduleOptions{Weights: []float64{inf, 1}}, "weight 1 is +Inf, must be between 0 and 1e+12"},
		{p, "0.1", ScheduleOptions{Weights: []float64{1, 2e100}}, "weight 2 is 2e+100, must be between 0 and 1e+12"},
		{p, "0.1", ScheduleOptions{Weights: []float64{0, 0}}, "all weights are 0, must be at least one that is not"},
		{p, "0.1", ScheduleOptions{Slack: 1}, "slack is 1, must be more than 0 and less than 1"},
		{p, "0.1", ScheduleOptions{Slack: -1e-9}, "slack is -1e-09, must be more than 0 and less than 1"},
		{p, "0.1", ScheduleOptions{Slack: nan}, "slack is NaN, must be more than 0 and less than 1"},
		{p, "0.1", ScheduleOptions{Shape: "cubic"}, `shape is "cubic", must be one of [uniform linear sqrt optimal]`},
		{Pipeline{}, "0.1", ScheduleOptions{}, "mechanisms: there are none, must be at least one"},
		{pipe(3, "-1", "0", "0"), "0.1", ScheduleOptions{}, "mechanism 1: eps is -1, must be at least 0"},
		{pipe(3, "1e300", "0", "0"), "0.1", ScheduleOptions{}, "mechanism 1: eps is 1e+300, must be at most 1e289"},
		{pipe(10, "1e289", "0", "0"), "0.1", ScheduleOptions{}, "mechanisms: their eps add up to more than a charge may be, 1e289"},
		{Pipeline{p.Mechanisms, p.Stops[:1]}, "0.1", ScheduleOptions{}, "stop 1: after is 5, the last stop must be the end of the pipeline, 10"},
	} {
		s, err := DesignSchedule(t.Context(), row.p, rational.MustParse(row.delta), row.o)
		if err == nil || err.Error() != row.want || s != nil {
			t.Errorf("%v, want %s", err, row.want)
			continue
		}
		var ofDelta *DeltaError
		if got, want := errors.As(err, &ofDelta), strings.HasPrefix(row.want, "delta "); got != want {
			t.Errorf("%s: is a DeltaError: %v", row.want, got)
		}
		var input *InputError
		if got, want := errors.As(err, &input), strings.HasPrefix(row.want, "mechanism") || strings.HasPrefix(row.want, "stop "); got != want {
			t.Errorf("%s: is an InputError: %v", row.want, got)
		}
	}
}

// The charges of the stops are not used, nor changed.
func TestSchedule_ChargesIgnored(t *testing.T) {
	p, q := pipe(10, "0.1", "0", "0", "0"), pipe(10, "0.1", "0", "-3", "1e400")
	q.Stops[0].Eps = loss.Epsilon{}
	a, b := designed(t, p, "1e-3", ScheduleOptions{}), designed(t, q, "1e-3", ScheduleOptions{})
	if x, y := floatsOf(a.Charges()), floatsOf(b.Charges()); !slices.Equal(x, y) || q.Stops[0].Eps.Rat() != nil || q.Stops[1].Eps.Rat().Cmp(rational.MustParse("1e400")) != 0 {
		t.Errorf("charged %v, and %v where others were typed: %v", x, y, q.Stops)
	}
}

// Single stops need δ in proportion to 1, i or √i, and Lemma 11 with its charges too.
func TestShapes_Proportions(t *testing.T) {
	p := everyStop(40, 8, "0.2")
	for shape, want := range map[Shape]func(i float64) float64{
		Uniform: func(float64) float64 { return 1 }, Linear: func(i float64) float64 { return i }, Sqrt: math.Sqrt,
	} {
		s := designed(t, p, "1e-6", ScheduleOptions{Shape: shape})
		lemma := solve(t, p.charged(s.Lemma11), Options{})
		for name, singles := range map[string][]interval.Interval{"schedule": s.Result.SingleStop, "Lemma 11": lemma.SingleStop} {
			first, _ := singles[0].Upper.Float64()
			for i, x := range singles {
				if y, _ := x.Upper.Float64(); math.Abs(y/first/want(float64(i+1))-1) > 1e-6 {
					t.Errorf("%s, %s: stop %d needs %g, stop 1 %g", shape, name, i+1, y, first)
				}
			}
		}
	}
}

// With a stop after each of 1000 mechanisms blocks of stops find charges that no shape has.
func TestOptimal_Coarse(t *testing.T) {
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
		p.Stops = append(p.Stops, Stop{i + 1, exactly(0)})
		weights = append(weights, math.Pow(10, -3+3*rng.Float64()))
	}
	weights[rng.IntN(len(weights))] = 1
	leaks := p.problem().Infinities()
	least := leaks[len(leaks)-1]
	return p, weights, fmt.Sprintf("%.15g", least+(0.5-least/2)*math.Pow(10, -6*rng.Float64()))
}

var fullScan = flag.Bool("full", false, "scan all random schedules of TestExhaustive_FewStops, not one in ten")

// TestExhaustive_FewStops: with two and three stops no scan finds charges that cost much less than
// those of Optimal, nor any that cost less than its bound.
func TestExhaustive_FewStops(t *testing.T) {
	rng, most, widest := rand.New(rand.NewPCG(9, 10)), 0.0, 0.0
	steps := map[int]int{2: 300, 3: 24}
	for i := range 300 {
		p, weights, delta := randomFew(rng)
		if i%10 != 0 && !*fullScan {
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
	p := Pipeline{[]Mechanism{{Eps: loss.Exp(rational.MustParse("309/250")), Delta: rational.MustParse("177/10000"), Count: 6}}, []Stop{{2, exactly(0)}, {6, exactly(0)}}}
	s := designed(t, p, "20322018559459/200000000000000", ScheduleOptions{Shape: Optimal, Weights: []float64{1, 0.00200691}})
	const best = 0.354168
	if mean := s.Mean(s.Charges()); mean > best*1.001 || s.MeanAtLeast > mean || s.MeanAtLeast < best*0.999 {
		t.Errorf("the mean is %g, at least %g, must be %g", mean, s.MeanAtLeast, best)
	}
}
