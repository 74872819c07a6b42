package stopping

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/interval"
)

// certified is charges with what [Solve] says about them.
type certified struct {
	charges []*big.Rat
	*Result
	shortfall string
	isCut     bool // whether the search was not finished
}

// maxCertified is how often charges are certified before the best are taken.
const maxCertified = 20

// firstWidth returns the relative width of the first evaluation. A narrow one costs little,
// except on a grid; there it is not needed, as long as the δ is far from the goal.
func (s *scheduler) firstWidth() float64 {
	if s.objective.isGrid {
		return max(s.Slack/3, 1e-4)
	}
	return s.aimed() / 8
}

// certify rounds the charges that find finds up and lets [Solve] evaluate them, until the δ
// is between (1 − Slack)·delta and delta. What the search was off by moves its next target.
func (s *scheduler) certify(
	ctx context.Context, find search, need certify.Need, progress func(float64),
) (best certified, err error) {
	aim := newSecant(math.Log(s.target * (1 - s.aimed()/2)))
	if need == certify.Singles {
		aim.at += s.miss
	}
	width := s.firstWidth()
	s.forget()
	for try := range maxCertified {
		discounts := aim.next(ctx, find)
		if ctx.Err() != nil {
			return best.cut(ctx.Err())
		}
		c := certified{charges: s.rounded(discounts)}
		progress(float64(try) / maxCertified)
		c.Result, err = s.evaluate(ctx, c.charges, Options{RelWidth: width, Need: need, Grid: &s.grid})
		if best = s.better(best, c, need); err != nil {
			return best.cut(err)
		}
		x := c.Result.needed(need)
		lower, upper := ends(x)
		isUsed := lower >= s.target*(1-s.aimed()) ||
			!slices.ContainsFunc(c.charges, func(e *big.Rat) bool { return e.Sign() > 0 })
		if isUsed && atMost(x.Upper, s.delta) {
			return best, nil
		}
		found := lower + (upper-lower)/2
		if c.isShort() { // nothing narrower can be had, and it is the upper end that has to be at most δ
			if found = upper; best.Result != nil && upper >= s.target*(1-s.aimed()) {
				break
			}
		}
		aim.correct(discounts, math.Log(found), (upper-lower)/lower)
		if best.Result == nil && try >= maxCertified/2 {
			aim.at += math.Log1p(-s.margin(try - maxCertified/2))
		}
		width = min(width, max(s.aimed()/2, min(width/100, aim.miss()/30)))
	}
	if best.Result == nil {
		best, err = s.largest(ctx, need)
	}
	return s.judged(best, need), err
}

// better returns charges that need at most δ, if there are some: of two, those that need more of it.
func (s *scheduler) better(best, c certified, need certify.Need) certified {
	if c.Result == nil || !atMost(c.Result.needed(need).Upper, s.delta) {
		return best
	}
	if best.Result != nil && best.Result.needed(need).Lower.Cmp(c.Result.needed(need).Lower) >= 0 {
		return best
	}
	return c
}

// aimed is which part of δ the search leaves: where that costs nothing, less than Slack, and less than
// what there is beyond what no charge can buy.
func (s *scheduler) aimed() float64 {
	if s.objective.isGrid {
		return s.Slack
	}
	beyondLeak := 1 - s.leaks[len(s.leaks)-1]/s.target
	return min(s.Slack, DefaultRelWidth, max(beyondLeak/4, 1e-14))
}

// tolerance is the relative error up to which the search meets a δ. Where there is noise, and many stops, an
// evaluation takes long, and what it is off by itself is corrected by as much as slack allows.
func (s *scheduler) tolerance() float64 {
	if s.objective.isNoisy && len(s.leaks) >= manyStops {
		return s.Slack / 10
	}
	return searchWidth
}

// largest returns the largest losses as charges: for them no δ is needed but the mechanisms' own.
func (s *scheduler) largest(ctx context.Context, need certify.Need) (certified, error) {
	c, width := certified{charges: s.rounded(s.none())}, DefaultRelWidth
	if s.most != nil { // that nothing is lost is seen at single stops
		width, need = s.Slack, certify.Both
	}
	var err error
	if c.Result, err = s.evaluate(ctx, c.charges, Options{RelWidth: width, Need: need}); err != nil {
		return certified{}, err
	}
	if !atMost(c.Result.needed(need).Upper, s.delta) {
		return certified{}, ErrNoSchedule
	}
	return c, nil
}

// none returns the discounts with which nothing is lost.
func (s *scheduler) none() (discounts []float64) {
	for i := range s.leaks {
		discounts = append(discounts, s.objective.least(i))
	}
	return discounts
}

// judged says so if charges leave more than Slack.
func (s *scheduler) judged(c certified, need certify.Need) certified {
	if c.Result == nil {
		return c
	}
	c.shortfall = Unused(c.Result.needed(need).Lower, s.target, s.Slack)
	return c
}

// Unused says so if charges that need at least so much may leave more than a part of delta, and is empty if not.
func Unused(atLeast *big.Float, delta, slack float64) string {
	lower, _ := atLeast.Float64()
	if lower >= delta*(1-slack) {
		return ""
	}
	const most = 0.99 // that is told by what is left
	left, digits := 1-lower/delta, 2
	if left > most {
		return fmt.Sprintf("the charges are certified, but leave all but %.2g of δ, where %.2g was asked for",
			lower/delta, slack)
	}
	for digits < 17 && fmt.Sprintf("%.*g", digits, left) == fmt.Sprintf("%.*g", digits, slack) {
		digits++
	}
	return fmt.Sprintf("the charges are certified, but leave %.*g of δ, where %.*g was asked for",
		digits, left, digits, slack)
}

// margin is a part of δ to stay below it, which grows from try to try: where all charges were too
// low by as little as float64 can tell.
func (s *scheduler) margin(try int) float64 { return min(s.aimed()*math.Pow(4, float64(try+1)), 0.5) }

// cut returns what there is when an error ends the work.
func (c certified) cut(err error) (certified, error) {
	if c.Result == nil {
		return c, err
	}
	c.shortfall, c.isCut = Unfinished(err), true
	return c, nil
}

// Unfinished says why there may be better charges.
func Unfinished(err error) string {
	return "the charges are certified, but the search for better ones was not finished: " + ending(err)
}

// needed returns the result that is needed.
func (r *Result) needed(n certify.Need) interval.Interval {
	if n == certify.Singles {
		return r.Lemma11
	}
	return r.OptDel
}

// evaluate runs [Solve] on charges: for two problems, first on that of which OptDel was larger last, as of the other
// one no more is needed than that it is not larger.
func (s *scheduler) evaluate(ctx context.Context, charges []*big.Rat, o Options) (*Result, error) {
	if s.other == nil {
		return s.solve(ctx, charges, o)
	}
	first, second := s, s.other
	if s.isLess {
		first, second = second, first
	}
	x, err := first.solve(ctx, charges, o)
	if err != nil {
		return nil, err
	}
	if o.Need == certify.Game {
		o.Enough, second.grid.Unit = x.orLess(), 0 // a coarse grid may be enough
	}
	y, err := second.solve(ctx, charges, o)
	if err != nil {
		return nil, err
	}
	isMore := y.OptDel.Lower.Cmp(x.OptDel.Lower) > 0
	if s.isLess {
		x, y = y, x
	}
	s.isLess = s.isLess != (o.Need == certify.Game && isMore)
	return Worst(x, y), nil
}

// solve runs [Solve] on charges: if a grid is asked for, from that on that was fine enough before. What was
// interrupted is not as narrow as it could be, and returned with an error.
func (s *scheduler) solve(ctx context.Context, charges []*big.Rat, o Options) (*Result, error) {
	if o.Grid != nil {
		o.Grid = &s.grid
	}
	r, err := Solve(ctx, s.problem.Charged(charges), o)
	return r, cmp.Or(err, ctx.Err())
}

// forget makes the next evaluations start from coarse grids, unless laws are what takes time: on the last ones they are
// known.
func (s *scheduler) forget() {
	for _, x := range []*scheduler{s, s.other} {
		if x != nil && !x.objective.isNoisy {
			x.grid = Grid{}
		}
	}
}

// atMost reports whether x ≤ r.
func atMost(x *big.Float, r *big.Rat) bool {
	exact, _ := x.Rat(nil)
	return exact.Cmp(r) <= 0
}

// rounded returns the charges as decimals, rounded up.
func (s *scheduler) rounded(discounts []float64) []*big.Rat {
	charges := make([]*big.Rat, len(discounts))
	for i, r := range discounts {
		r = max(0, r)
		charges[i] = RoundedUp(s.objective.exact(i, r), chargeDigits(s.objective.largest[i], r*s.Slack))
		if s.most != nil && (r <= leastSaving*s.objective.largest[i] || s.most[i].Cmp(charges[i]) < 0) {
			// where there is noise, charges are measured from losses that are hardly ever exceeded
			charges[i] = s.most[i]
		}
	}
	if s.other == nil {
		return charges
	}
	return largerCharges(charges, s.other.rounded(s.objective.others(discounts)))
}
