package impl

import (
	"context"
	"fmt"
	"math"
	"sync"
)

// bracket is what one grid says about a pipeline: bounds from above by [gridWalk],
// from below by [merged].
type bracket struct {
	optDel  bounds
	singles []bounds
	rule    []Threshold
}

// maxGrid is the largest number of nodes of a grid.
const maxGrid = 30_000_000

// onGrids solves the pipeline between two grids, finer and finer: the width falls
// with the square of the unit.
func (s *solver) onGrids(ctx context.Context) (*Result, error) {
	var r *Result
	total := 0.0
	for _, m := range s.pipeline.Mechanisms {
		total += 2 * m.Eps.dd().hi * float64(m.Count)
	}
	finest := max(total, 1e-280) / maxGrid
	unit := max(finest, s.pipeline.deviation()/256)
	scale := 1e-6
	for {
		b, err := s.onGrid(ctx, unit, scale)
		if err != nil {
			if r == nil {
				return nil, err
			}
			return r.cut(err)
		}
		r = s.narrow(r, b)
		w := r.width()
		switch {
		case w <= s.RelWidth:
			return r, nil
		case unit == finest:
			r.Shortfall = fmt.Sprintf("a grid of %d nodes certifies a relative width of %.2g", maxGrid, w)
			return r, nil
		}
		scale = max(r.scale(), 1e-280)
		unit = max(finest, unit*min(0.5, max(1.0/32, 0.85*math.Sqrt(s.RelWidth/w))))
	}
}

// narrow adds what b says to r.
func (s *solver) narrow(r *Result, b bracket) *Result {
	next := s.result(Bracket, b.singles)
	next.OptDel = next.OptDel.meet(b.optDel.interval())
	next.Rule = b.rule
	if r != nil {
		next.OptDel = next.OptDel.meet(r.OptDel)
		for i, x := range r.SingleStop {
			next.SingleStop[i] = next.SingleStop[i].meet(x)
		}
		next.Lemma11 = next.Lemma11.meet(r.Lemma11)
	}
	return next
}

// onGrid computes a bracket. scale is about the size of OptDel: P0-masses that are
// small against it are dropped.
func (s *solver) onGrid(ctx context.Context, unit, scale float64) (bracket, error) {
	p := s.pipeline
	steps := float64(p.length())
	excess := scale * s.RelWidth / 16
	floor := excess * unit / (16 * steps * p.deviation())
	w := gridWalk(p, unit, floor)
	var b bracket
	var upper []bounds
	var lower []float64
	var thresholds []int
	var errs [3]error
	var wg sync.WaitGroup
	wg.Go(func() { // the two long ones side by side
		if b.optDel, thresholds, errs[0] = w.game(ctx, excess); errs[0] == nil {
			errs[1] = s.follow(ctx, w, thresholds, floor, &b)
		}
	})
	if upper, errs[2] = w.singles(ctx, floor); errs[2] == nil {
		charges := p.shiftedCharges(1)
		errs[2] = mergedWalk(ctx, p, &w.axis, s.reach(unit), floor, func(stop int, g *merged) {
			lower = append(lower, g.single(charges[stop]))
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return b, err
		}
	}
	for i, x := range upper {
		b.singles = append(b.singles, bounds{min(lower[i], x.upper), x.upper})
	}
	s.zero(b.singles)
	return b, nil
}

// reach returns how many cells of the given unit the laws may need on either side.
func (s *solver) reach(unit float64) int {
	total := 0.0
	for _, m := range s.pipeline.Mechanisms {
		total += (m.Eps.dd().hi + 2*unit) * float64(m.Count)
	}
	return int(total/unit) + 3
}

// follow evaluates the rule with these thresholds on merged cells: its value there
// is a lower bound of OptDel.
func (s *solver) follow(ctx context.Context, w *walk, thresholds []int, floor float64, b *bracket) error {
	charges := s.pipeline.shiftedCharges(1)
	places := w.stops()
	n := len(charges)
	sum := 0.0
	err := mergedWalk(ctx, s.pipeline, &w.axis, s.reach(w.unit.hi), floor, func(stop int, g *merged) {
		t := Threshold{LossAtLeast: math.Inf(1)}
		cell := math.MaxInt
		if m := thresholds[stop]; m != never {
			t.LossAtLeast = w.loss(places[stop], m).float()
			cell = int(math.Round(t.LossAtLeast / w.unit.hi))
		}
		if cell < math.MaxInt || stop == n-1 {
			value, probability := g.stop(charges[stop], cell)
			sum += value
			t.Probability = probability
		}
		if stop == n-1 { // whatever is left ends here, for nothing
			t.Probability += g.end()
		}
		b.rule = append(b.rule, t)
	})
	b.optDel.lower = sum * (1 - float64(n+4)*unitRoundoff)
	return err
}
