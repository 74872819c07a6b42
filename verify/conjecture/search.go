package conjecture

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
)

// Search is how an inequality is attacked.
type Search struct {
	Domain
	Seed      uint64
	Pipelines int                // how many are tried at most until one refutes
	Progress  func(done float64) // called now and then with the fraction done; may be nil
}

// Finding is what a search found.
type Finding struct {
	Tried     int
	Undefined int                 // for how many of them a side is not defined
	Refuted   bool                // by Pipeline, from which nothing can go; unless it is long, or there is an error, too
	Pipeline  impl.Pipeline       // otherwise the closest, by its excess; none if all were undefined
	Sides                         // for that pipeline: certified intervals
	Single    []interval.Interval // δ of each of its stops by itself
}

// Widths that intervals are computed to, relative: while searching, and at the end.
const (
	searchWidth = 1e-3
	finalWidth  = 1e-9
)

// Refute searches a pipeline of the domain for which an inequality fails, and makes it small. The same seed finds the
// same. What was found is returned with an error, too.
func (s Search) Refute(ctx context.Context, q *Inequality) (f Finding, err error) {
	if err := s.check(); err != nil {
		return f, err
	}
	f, err = s.find(ctx, q)
	if err == nil && f.Values != nil {
		r, failed := impl.OptDel(ctx, f.Pipeline, impl.Options{RelWidth: finalWidth})
		f.Single, err = r.SingleStop, failed
	}
	return f, err
}

// find finds it.
func (s Search) find(ctx context.Context, q *Inequality) (f Finding, err error) {
	r := rand.New(rand.NewPCG(s.Seed, 0))
	c := &climber{Search: s, q: q, r: r, best: s.random(r)}
	// Designs find the region, and changes of single numbers the summit.
	// What they leave of the pipelines, as where the sides only become the same, is for other regions.
	err = c.corners(ctx)
	for begun, start := 0, c.best; err == nil && !c.Refuted && c.Tried < s.Pipelines; begun, start = c.Tried, s.random(r) {
		c.nearest = nil
		err = c.climb(ctx, start, s.Pipelines-(s.Pipelines-begun)*3/5)
		if err == nil && !c.Refuted {
			err = c.ascendFromNearest(ctx)
		}
	}
	if !c.Refuted && c.zero.Refuted {
		c.zero.Tried, c.zero.Undefined = c.Tried, c.Undefined
		c.Finding, c.best = c.zero, c.ofZero
	}
	if err != nil || !c.Refuted {
		return c.Finding, err
	}
	found, err := s.smaller(ctx, q, r, c.best, c.Finding)
	if err == nil {
		found, err = s.simplest(ctx, q, r, found)
	}
	found.Tried, found.Undefined = c.Tried, c.Undefined
	return found, err
}

// climber tries pipelines until one refutes an inequality. One that refutes it with sides that are both 0 shows little:
// it counts if no other does.
type climber struct {
	Search
	Finding // the closest
	q       *Inequality
	r       *rand.Rand
	best    design // of the finding
	zero    Finding
	ofZero  design
	nearest []candidate // the closest first, of different sizes
	goesOn  bool        // when a pipeline refutes it, too
}

// candidate is a pipeline from which more is tried.
type candidate struct {
	design
	impl.Pipeline
	Sides
}

// sizes are how many candidates are kept, and rounds in how many rounds they go on.
const sizes, rounds = 8, 3

// freshOnes is one in how many pipelines is drawn anew; the others are near the best one.
const freshOnes = 4

// try computes the sides for a pipeline, keeps it if it is closer than all, and reports whether it is closer than some.
func (c *climber) try(ctx context.Context, x candidate, than float64) (y candidate, isCloser bool, err error) {
	if err := ctx.Err(); err != nil {
		return x, false, err
	}
	c.Tried++
	sides, isDefined, err := c.q.Of(ctx, x.Pipeline, searchWidth)
	if err != nil {
		return x, false, fmt.Errorf("pipeline %d: %w", c.Tried, err)
	}
	x.Sides = sides
	refutes := isDefined && c.q.Refutes(sides)
	switch {
	case !isDefined:
		c.Undefined++
	case refutes && sides.areZero():
		c.zero, c.ofZero = Finding{Refuted: true, Pipeline: x.Pipeline, Sides: sides}, x.design
	default:
		isCloser = sides.excess() > than
		if c.Values == nil || sides.excess() > c.excess() || refutes {
			c.Pipeline, c.Sides, c.Refuted, c.best = x.Pipeline, sides, refutes, x.design
		}
	}
	if c.Progress != nil && !c.Refuted {
		c.Progress(float64(c.Tried) / float64(c.Pipelines))
	}
	return x, isCloser, nil
}

// corners tries pipelines whose charges are all 0, with the numbers at the ends of the domain: nothing leads there, and
// nothing away.
func (c *climber) corners(ctx context.Context) error {
	there := &climber{Search: c.Search, q: c.q, r: c.r}
	for i := range min(8, c.Pipelines) {
		x := design{mechanisms: c.Mechanisms[i&1], stops: c.Stops[i>>1&1]}
		x.eps[1], _ = c.Eps[i>>2].Float64()
		if _, _, err := there.try(ctx, candidate{design: x, Pipeline: x.pipeline(c.Domain)}, 0); err != nil {
			return err
		}
		if there.Refuted {
			c.best = there.best
			break
		}
	}
	c.Finding, c.zero, c.ofZero = there.Finding, there.zero, there.ofZero
	return nil
}

// climb tries designs, until so many are tried or one refutes the inequality: those near the best one since the start
// and fresh ones, and all anew where that leads no further, or hardly.
func (c *climber) climb(ctx context.Context, start design, most int) error {
	const widest, narrowest, patience, little = 0.5, 0.02, 200, 1e-3
	here, step, closest, last, before := start, widest, math.Inf(-1), c.Tried, math.Inf(-1)
	for first := c.Tried; c.Tried < most && !c.Refuted; {
		next := here
		switch {
		case c.Tried == first:
		case c.Tried > last+patience:
			next, closest, last, before = c.random(c.r), math.Inf(-1), c.Tried, math.Inf(-1)
		case c.Tried%freshOnes == 0:
			next = c.random(c.r)
		default:
			next = here.near(c.r, step)
		}
		x, isCloser, err := c.try(ctx, candidate{design: next, Pipeline: next.pipeline(c.Domain)}, closest)
		if err != nil {
			return err
		}
		if step = max(step*0.98, narrowest); isCloser {
			here, step, closest = next, widest, x.excess()
			if closest > before+little {
				last, before = c.Tried, closest
			}
		}
		if x.scale != nil {
			c.keep(x)
		}
	}
	return nil
}

// keep keeps a candidate if it is among the closest.
func (c *climber) keep(x candidate) {
	if len(c.nearest) == sizes && x.excess() <= c.nearest[sizes-1].excess() {
		return
	}
	i := slices.IndexFunc(c.nearest, func(y candidate) bool {
		return end(x.Pipeline) == end(y.Pipeline) && len(x.Stops) == len(y.Stops)
	})
	switch {
	case i >= 0 && x.excess() <= c.nearest[i].excess():
		return
	case i >= 0:
		c.nearest[i] = x
	default:
		c.nearest = append(c.nearest, x)
	}
	c.sort(sizes)
}

// ascendFromNearest shares what is left of the pipelines among the candidates, in rounds: the closer half of them goes
// on to the next one.
func (c *climber) ascendFromNearest(ctx context.Context) (err error) {
	for rounds := rounds; rounds > 0 && len(c.nearest) > 0; rounds-- {
		share := (c.Pipelines - c.Tried) / (rounds * len(c.nearest))
		for i, x := range c.nearest {
			if c.nearest[i], err = c.ascend(ctx, x, c.Tried+share); err != nil || c.Refuted {
				return err
			}
		}
		c.sort((len(c.nearest) + 1) / 2)
	}
	return nil
}

// sort leaves so many candidates, the closest first.
func (c *climber) sort(most int) {
	slices.SortStableFunc(c.nearest, func(x, y candidate) int { return cmp.Compare(y.excess(), x.excess()) })
	c.nearest = c.nearest[:min(len(c.nearest), most)]
}

// ascend changes single numbers of a candidate, and all charges, as long as that brings it closer, by less and less,
// until so many pipelines are tried or one refutes the inequality.
func (c *climber) ascend(ctx context.Context, x candidate, most int) (candidate, error) {
	const widest, narrowest = 0.5, 1e-3
	for step := widest; step > narrowest && !c.isOver(x, most); {
		from := x
		all := c.changes(c.r, x.Pipeline, step)
		for _, i := range c.r.Perm(len(all)) {
			if !isLike(from, x) {
				break
			}
			if err := c.repeat(ctx, &x, all[i], most); err != nil {
				return x, err
			}
		}
		onward := func(p impl.Pipeline) impl.Pipeline { return c.onward(from.Pipeline, p) }
		switch isCloser := x.excess() > from.excess(); {
		case !isCloser:
			step /= 2
		case isLike(from, x):
			if err := c.repeat(ctx, &x, onward, most); err != nil {
				return x, err
			}
		}
	}
	return x, nil
}

// isOver reports whether to end an ascent: also where the sides are the same but for so little that they become so in
// a limit only.
func (c *climber) isOver(x candidate, most int) bool {
	const little = 1e-5
	return c.Tried >= most || !c.goesOn && (c.Refuted || x.excess() > -little)
}

// isLike reports whether pipelines have as many stops and kinds of mechanisms.
func isLike(x, y candidate) bool {
	return len(x.Stops) == len(y.Stops) && len(x.Mechanisms) == len(y.Mechanisms)
}

// repeat makes a change as long as that brings a candidate closer, and leaves it with as many stops and kinds.
func (c *climber) repeat(ctx context.Context, x *candidate, change func(impl.Pipeline) impl.Pipeline, most int) error {
	for from := *x; isLike(from, *x) && !c.isOver(*x, most); {
		p := change(x.Pipeline)
		if p.Validate() != nil || !c.contains(p) {
			return nil
		}
		y, isCloser, err := c.try(ctx, candidate{x.design, p, Sides{}}, x.excess())
		if err != nil || !isCloser {
			return err
		}
		*x = y
	}
	return nil
}

// smaller searches near a design that refutes, among pipelines with fewer stops and then with fewer mechanisms, as long
// as it finds one.
func (s Search) smaller(ctx context.Context, q *Inequality, r *rand.Rand, start design, f Finding) (Finding, error) {
	const tries = 60
	s.Pipelines, s.Progress = tries, nil
	for _, size := range []struct {
		of    func(p impl.Pipeline) int
		limit func(d *Domain, most int)
	}{
		{func(p impl.Pipeline) int { return len(p.Stops) }, func(d *Domain, most int) { d.Stops[1] = most }},
		{end, func(d *Domain, most int) { d.Mechanisms[1] = most }},
	} {
		for _, part := range []float64{0.5, 0.8} {
			for {
				less := &climber{Search: s, q: q, r: r}
				size.limit(&less.Domain, int(part*float64(size.of(f.Pipeline))))
				if less.check() != nil {
					break
				}
				if err := less.climb(ctx, start, tries); err != nil {
					return f, err
				}
				if !less.Refuted {
					break
				}
				s, f, start = less.Search, less.Finding, less.best
			}
		}
	}
	return f, nil
}
