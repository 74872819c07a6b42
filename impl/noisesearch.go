package impl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/rootfind"
	"checkrr/impl/internal/stopping"
	"checkrr/impl/loss"
)

// noiseSearch is one call of [DesignNoise]: a search for the factor of the noise with OptDel(factor) = δ.
//
// In the logarithm OptDel is about what the one stop needs that is asked for, in plain float64, and a constant: it
// has more stops, the other order of neighbours, and no error of float64. The stop alone costs little, so it leads:
// each evaluation of OptDel says anew what the constant is.
type noiseSearch struct {
	NoiseOptions
	p          Pipeline
	stop       int // its index
	eps, delta *big.Rat
	level      float64 // ε at the stop
	target     float64 // ln δ
	offset     float64 // the constant
	least      float64 // factors that are allowed
	most       float64
	lower      float64             // the largest factor that is not enough, or 0
	upper      float64             // the smallest that is, or +Inf
	width      float64             // that the bracket is to have
	known      map[float64]float64 // what the stop alone says, by factor
	found      NoiseDesign
	reason     string // why OptDel is not known more narrowly
}

func newNoiseSearch(p Pipeline, stop int, eps, delta *big.Rat, o NoiseOptions) *noiseSearch {
	s := &noiseSearch{
		NoiseOptions: o, p: p, stop: stop, eps: eps, delta: delta, known: map[float64]float64{},
		level: rational.Float64(eps), target: math.Log(rational.Float64(delta)), most: math.Inf(1), upper: math.Inf(1),
	}
	s.offset = math.Log(float64(len(p.Stops))) / 2 // a guess
	for _, m := range p.Mechanisms {
		if m.HasNoise() {
			least, most := m.Additive.Limits()
			scale := rational.Float64(m.Additive.Scale)
			s.least = max(s.least, rational.Float64(least)/scale)
			s.most = min(s.most, rational.Float64(most)/scale)
		}
	}
	return s
}

// mostTrials is how often OptDel is evaluated at most.
const mostTrials = 40

// Factors next to the root of what the stop alone says, in multiples of the width: the shortest decimals in between
// are tried.
const (
	nearRoot = 0.2
	farRoot  = 0.45
)

// search narrows the bracket around where the stop alone says that OptDel is δ.
func (s *noiseSearch) search(ctx context.Context) (*NoiseDesign, error) {
	if err := s.refuseOthers(ctx); err != nil {
		return nil, err
	}
	if err := s.lead(ctx, s.p); err != nil {
		return nil, err
	}
	for _, width := range [2]float64{max(s.RelWidth, DefaultNoiseWidth), s.RelWidth} {
		if s.reason != "" {
			break
		}
		s.width = width
		if err := s.narrow(ctx); err != nil {
			return s.cut(err)
		}
	}
	return s.result()
}

// narrow narrows the bracket to the width.
func (s *noiseSearch) narrow(ctx context.Context) error {
	for s.found.Trials < mostTrials && !s.isDone() && s.width < mostWidened {
		root, err := s.root(ctx)
		if err != nil {
			return err
		}
		from, to := s.next(root)
		if err := s.try(ctx, from, to); err != nil {
			return err
		}
		if s.lower >= s.most {
			return &InputError{"mechanisms", -1, "", "the most noise that is allowed is not enough for " + s.charges()}
		}
	}
	return nil
}

// charges says for which charges noise is sought.
func (s *noiseSearch) charges() string {
	if s.Shape == Given {
		return "these charges"
	}
	return fmt.Sprintf("ε = %s after %d", rational.Decimal(s.eps), s.After)
}

// lead lets the stop that alone needs the largest δ lead the search, of those behind some noise, if the charges of p
// are given.
func (s *noiseSearch) lead(ctx context.Context, p Pipeline) error {
	if s.Shape != Given {
		return nil
	}
	r, err := stopping.Solve(ctx, p.problem(), stopping.Options{RelWidth: stopping.Roughly, Need: certify.Singles})
	if err != nil {
		return err
	}
	first := slices.IndexFunc(p.Stops, func(stop Stop) bool { return OneStop(p.first(stop.After)).HasNoise() })
	most := new(big.Float).SetInt64(-1)
	for i := first; i < len(p.Stops); i++ {
		if upper := r.SingleStop[i].Upper; upper.Cmp(most) > 0 {
			most, s.stop = upper, i
		}
	}
	s.After, s.level, s.known = p.Stops[s.stop].After, loss.Float64(p.Stops[s.stop].Eps), map[float64]float64{}
	return nil
}

// isDone reports whether the bracket is narrow enough, or no less noise is allowed than what is enough.
func (s *noiseSearch) isDone() bool {
	return s.upper <= s.least || !math.IsInf(s.upper, 1) && s.lower > 0 && s.found.RelWidth() <= s.width
}

// next returns between which factors is the one to be tried: above the root, then below it, or in the middle of the
// bracket.
func (s *noiseSearch) next(root float64) (from, to float64) {
	w := s.width
	for _, f := range [2][2]float64{{1 + nearRoot*w, 1 + farRoot*w}, {1 - farRoot*w, 1 - nearRoot*w}} {
		if from, to = s.allowed(root*f[0]), s.allowed(root*f[1]); from > s.lower && to < s.upper {
			return from, to
		}
	}
	lower, upper := max(s.lower, s.least), min(s.upper, s.most)
	middle := math.Sqrt(lower * upper)
	return middle, math.Sqrt(middle * math.Sqrt(middle*upper))
}

// allowed returns the nearest factor that is allowed.
func (s *noiseSearch) allowed(factor float64) float64 { return min(max(factor, s.least), s.most) }

// root returns the factor with which OptDel is about δ: the smallest for which the stop alone is at most that less
// the constant.
func (s *noiseSearch) root(ctx context.Context) (float64, error) {
	excess := func(x float64) (float64, error) {
		alone, err := s.alone(ctx, math.Exp(-x))
		return alone + s.offset - s.target, err
	}
	start := 0.0 // of −ln factor
	if s.found.Trials > 0 {
		start = -math.Log(s.factor())
	}
	step := 1e-2
	for {
		x, err := excess(start)
		if err != nil || x <= 0 || start <= -math.Log(s.most) {
			break
		}
		start, step = max(start-step, -math.Log(s.most)), min(4*step, 1)
	}
	x, _, err := rootfind.Last(start, start+step, -math.Log(s.least), s.width/16, excess)
	return math.Exp(-x), err
}

// factor returns an end of the bracket that is not infinite.
func (s *noiseSearch) factor() float64 {
	if s.lower > 0 {
		return s.lower
	}
	return s.upper
}

// alone returns about the logarithm of what the stop alone needs.
func (s *noiseSearch) alone(ctx context.Context, factor float64) (float64, error) {
	if x, ok := s.known[factor]; ok {
		return x, nil
	}
	p := OneStop(Pipeline{s.p.scaled(factor, 1), s.p.Stops}.first(s.After))
	values, err := stopping.Profile(ctx, p.problem(), []float64{s.level}, math.Exp(s.target))
	if err != nil {
		return 0, err
	}
	s.known[factor] = math.Log(max(values[0], 0x1p-1000))
	return s.known[factor], nil
}

// slope returns about how fast ln OptDel falls with ln factor.
func (s *noiseSearch) slope(ctx context.Context, factor float64) (float64, error) {
	const step = 0.01
	here, err := s.alone(ctx, factor)
	if err != nil {
		return 0, err
	}
	there, err := s.alone(ctx, factor*(1+step))
	return max((here-there)/step, 0.01), err
}

// try evaluates OptDel for a factor, as narrowly as it takes to compare it with δ.
func (s *noiseSearch) try(ctx context.Context, from, to float64) error {
	q, err := s.charge(ctx, Pipeline{s.p.scaled(from, to/from), s.p.Stops})
	if err != nil {
		return err
	}
	slope, err := s.slope(ctx, from)
	if err != nil {
		return err
	}
	r, err := s.evaluate(ctx, q, min(0.1, nearRoot/2*s.width*slope))
	if errors.Is(err, certify.ErrWindow) {
		s.widen(fmt.Sprintf("where so many small losses and rare large ones come together, "+
			"no grid has room for both (%v): fewer steps, a larger sampling rate or a larger ε would need less", err))
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	switch lower, upper := r.OptDel.Rats(); {
	case upper.Cmp(s.delta) <= 0:
		s.upper, s.found.Pipeline, s.found.Result = from, q, r
	case lower.Cmp(s.delta) > 0:
		s.lower, s.found.TooLittle = from, q.Mechanisms
	case r.Shortfall != "":
		s.widen(r.Shortfall)
	}
	// if it does not tell, δ is met here, and the next ones are on both sides
	return cmp.Or(ctx.Err(), s.lead(ctx, q), s.follow(ctx, from, r))
}

// widen gives up the width, as OptDel cannot be told from δ so near to where it is δ: the next trials are farther
// from there.
func (s *noiseSearch) widen(reason string) {
	s.reason = reason
	s.width *= 4
}

// mostWidened is the width from which on no trials are worth their time.
const mostWidened = 1.5

// charge returns p with its charges, if they are given, or those of the shape that are ε at the stop.
func (s *noiseSearch) charge(ctx context.Context, p Pipeline) (Pipeline, error) {
	if s.Shape == Given {
		return p, nil
	}
	charges, err := stopping.Through(ctx, p.problem(), s.stop, s.eps, s.Shape, math.Exp(s.target))
	return p.charged(charges), err
}

// evaluate returns OptDel.
func (s *noiseSearch) evaluate(ctx context.Context, p Pipeline, width float64) (*Result, error) {
	left := math.Pow(0.6, float64(s.found.Trials))
	progress := func(done float64) { s.Progress(1 - left*(1-0.4*done)) }
	const far = 0.1 // of δ: below that nothing is to be told
	below := new(big.Float).SetFloat64(far * rational.Float64(s.delta))
	enough := &stopping.Enough{OptDel: below, Lemma11: below}
	r, err := p.solve(ctx, Options{RelWidth: width, Progress: progress, enough: enough}, certify.Game)
	s.found.Trials++
	return r, err
}

// follow sets the constant to what OptDel says.
func (s *noiseSearch) follow(ctx context.Context, factor float64, r *Result) error {
	alone, err := s.alone(ctx, factor)
	x := r.OptDel.Float()
	if middle := x.Lo + (x.Hi-x.Lo)/2; middle > 0 {
		s.offset = math.Log(middle) - alone
	}
	return err
}

// refuseOthers returns an [*InputError] if OptDel is more than δ even without what has noise.
func (s *noiseSearch) refuseOthers(ctx context.Context) error {
	quiet := s.p.withoutNoise()
	if quiet.problem().Reach() == 0 {
		return nil
	}
	quiet, err := s.charge(ctx, quiet)
	if err != nil {
		return err
	}
	if isMore, err := s.isMore(ctx, quiet); !isMore || err != nil {
		return err
	}
	rule := fmt.Sprintf("with %s, δ would be more than %s, however much noise the others have",
		s.charges(), rational.Decimal(s.delta))
	if s.Shape == Given {
		return &InputError{"mechanisms", -1, "", "those without noise cost too much: " + rule}
	}
	for i, m := range quiet.first(s.After) {
		one := OneStop([]Mechanism{m}).charged([]*big.Rat{s.eps})
		if isMore, err := s.isMore(ctx, one); isMore || err != nil {
			return cmp.Or(err, error(&InputError{"mechanisms", i, m.Kind(), "costs too much: " + rule}))
		}
	}
	return &InputError{"mechanisms", -1, "", "those without noise cost too much together: " + rule}
}

// isMore reports whether OptDel of p is certain to be more than δ.
func (s *noiseSearch) isMore(ctx context.Context, p Pipeline) (bool, error) {
	r, err := p.solve(ctx, Options{RelWidth: 1e-3}, certify.Game)
	if err != nil {
		return false, err
	}
	lower, _ := r.OptDel.Rats()
	return lower.Cmp(s.delta) > 0, nil
}

// result returns what was found.
func (s *noiseSearch) result() (*NoiseDesign, error) {
	if math.IsInf(s.upper, 1) {
		return s.cut(fmt.Errorf("%w: %s", ErrNoNoise, cmp.Or(s.reason, "too many trials")))
	}
	if s.width = s.RelWidth; !s.isDone() {
		s.found.Shortfall = s.shortfall(cmp.Or(s.reason, "too many trials"))
	}
	s.Progress(1)
	return &s.found, nil
}

// shortfall says what is not known of smaller noise.
func (s *noiseSearch) shortfall(reason string) string {
	const enough = "the noise is certified to be enough, but "
	switch {
	case s.found.TooLittle != nil:
		const text = "%ssmaller noise is only known not to be from a relative distance of %.2g on: %s"
		return fmt.Sprintf(text, enough, s.found.RelWidth(), reason)
	case s.level > certify.MostLoss:
		reason = fmt.Sprintf("losses above %d count as infinite", certify.MostLoss)
	}
	return enough + "smaller noise may be, too: " + reason
}

// cut returns what there is when an error ends the search.
func (s *noiseSearch) cut(err error) (*NoiseDesign, error) {
	_, isOfInput := errors.AsType[*InputError](err)
	switch {
	case math.IsInf(s.upper, 1) && s.lower > 0 && !isOfInput:
		return nil, &TooLittleNoiseError{s.found.TooLittle, err}
	case math.IsInf(s.upper, 1):
		return nil, err
	case errors.Is(err, context.DeadlineExceeded):
		s.reason = "time ran out"
	case errors.Is(err, context.Canceled):
		s.reason = "interrupted"
	default:
		return nil, err
	}
	return s.result()
}
