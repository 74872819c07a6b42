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
	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/stopping"
	"checkrr/impl/loss"
)

// DefaultNoiseWidth is how far apart, relative to it, the noise that is enough and one that is not may be if nothing
// is requested.
const DefaultNoiseWidth = 1e-3

// Given is the shape of the charges that a pipeline has, for [DesignNoise].
const Given Shape = "given"

// noiseShapes are the shapes that [DesignNoise] knows.
var noiseShapes = []Shape{Uniform, Linear, Sqrt, Given}

// NoiseOptions says which noise is wanted. The zero value of a field means its default.
type NoiseOptions struct {
	After int   // the stop that is charged at most ε; default the last
	Shape Shape // of the schedule, any but Optimal, or Given; default Uniform
	// of the interval between noise that is not enough and noise that is; default DefaultNoiseWidth
	RelWidth float64
	Progress func(done float64) // called now and then with the fraction done, in [0, 1]
}

// NoiseDesign is how much noise the mechanisms of a pipeline need. Noise that was found is short decimals.
type NoiseDesign struct {
	// with noise that is enough, and the charges of the schedule: ε at the stop that was asked for
	Pipeline  Pipeline
	Result    *Result     // of [OptDel] for it: OptDel.Upper is at most δ
	TooLittle []Mechanism // the same with less noise, which is not enough; nil if none is known
	Trials    int         // how often [OptDel] was evaluated
	// why the two are farther apart than RelWidth; empty if they are not, or no less noise is allowed
	Shortfall string
}

// RelWidth returns how far apart, relative to it, the noise is that is enough and that is not; 1 if none is known
// that is not.
func (d *NoiseDesign) RelWidth() (width float64) {
	if d.TooLittle == nil {
		return 1
	}
	for i, m := range d.Pipeline.Mechanisms {
		if m.HasNoise() {
			ratio := new(big.Rat).Quo(d.TooLittle[i].Additive.Scale, m.Additive.Scale)
			width = max(width, rational.Float64(ratio.Sub(rational.One, ratio)))
		}
	}
	return width
}

// ErrNoNoise says that no noise could be certified to be enough.
var ErrNoNoise = errors.New("no noise was found that is enough")

// TooLittleNoiseError says why the search for noise ended before some was found that is enough, and which is not.
type TooLittleNoiseError struct {
	TooLittle []Mechanism
	Err       error
}

// Error says why.
func (e *TooLittleNoiseError) Error() string { return e.Err.Error() }

// Unwrap returns why.
func (e *TooLittleNoiseError) Unwrap() error { return e.Err }

// DesignNoise returns about the smallest noise with which a schedule for delta charges at most eps at a stop; with
// the shape [Given], with which OptDel of the charges of p is at most delta.
//
// The noise of all mechanisms that have some is multiplied by one factor; others stay as they are. For given noise
// the charges are those of the schedule's shape that are eps at the stop: the noise is enough if OptDel is at most
// delta for them. For fixed charges OptDel does not rise with Gaussian or Laplace noise, since more of it is the same
// with independent noise added, and what is done to an output costs nothing: a normal draw of variance σ′² − σ², or a
// draw of Laplace noise of scale b′ with probability 1 − (b/b′)², and otherwise 0 (the characteristic functions say
// so: (1 + b²t²)/(1 + b′²t²) = (b/b′)² + (1 − (b/b′)²)/(1 + b′²t²)). Of discrete Gaussian noise, and of the charges
// of a schedule with several stops, which change with the noise, that is not known: "smallest" means there that
// OptDel is certified on both sides of where the search arrived.
//
// Source: the inverse of [DesignSchedule] in the noise; for one stop, of optimal composition.
// Symbols: δ = delta, ε = eps, k_i = o.After. The charges of p.Stops are not used; with [Given],
// eps and o.After are not.
// Domain: delta at least 1 − Π(1 − δ_k), or more if other losses have no bound, and less than 1; eps at least 0. Some
// mechanism up to the stop has noise. Noise stays within the limits of [certify.Additive].
// Accuracy: with the noise and the charges of Pipeline OptDel is certified to be at most delta; with the noise
// TooLittle and the charges of the shape that are eps at the stop it is certified to be more. These charges are found
// in float64, up to what a schedule may leave.
// Errors: *[InputError] for p, also if ε cannot be reached because others cost more; *[DeltaError]; ctx.Err() and
// [ErrNoNoise], in a *[TooLittleNoiseError] if some noise is known not to be enough.
// Cost: three to five evaluations of OptDel, to few digits, and as many times the search for charges.
func DesignNoise(ctx context.Context, p Pipeline, eps, delta *big.Rat, o NoiseOptions) (*NoiseDesign, error) {
	if o.Shape == Given {
		eps, o.After = new(big.Rat), 0
	} else {
		p = p.charged(slices.Repeat([]*big.Rat{new(big.Rat)}, len(p.Stops)))
	}
	if err := cmp.Or(p.Validate(), check.NotNil("ctx", ctx)); err != nil {
		return nil, err
	}
	p = p.clone() // as the result has it
	if _, rule := loss.Fault(loss.Nats(eps)); rule != "" {
		return nil, fmt.Errorf("eps %s", rule)
	}
	i, err := o.complete(p)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(p.Mechanisms, hasNoiseInSample); i >= 0 {
		return nil, &InputError{"mechanisms", i, "sampled", "is given with noise inside, must be without: noise is " +
			"not chosen where several see one sample"}
	}
	if !OneStop(p.first(o.After)).HasNoise() {
		return nil, &InputError{"mechanisms", -1,
			"", fmt.Sprintf("there is no noise in the first %d, must be in at least one", o.After)}
	}
	if err := p.checkLeak(delta, false); err != nil {
		return nil, err
	}
	if err := p.checkLeast(delta, false); err != nil {
		return nil, err
	}
	return newNoiseSearch(p, i, eps, delta, o).search(ctx)
}

// complete sets the defaults and checks the rest. It returns the index of the stop.
func (o *NoiseOptions) complete(p Pipeline) (stop int, err error) {
	last := p.Stops[len(p.Stops)-1].After
	o.After, o.Shape, o.RelWidth = cmp.Or(o.After, last), cmp.Or(o.Shape, Uniform),
		cmp.Or(o.RelWidth, DefaultNoiseWidth)
	if o.Progress == nil {
		o.Progress = func(float64) {}
	}
	stop = slices.IndexFunc(p.Stops, func(s Stop) bool { return s.After == o.After })
	switch {
	case stop < 0:
		return 0, fmt.Errorf("after is %d, must be that of a stop", o.After)
	case !slices.Contains(noiseShapes, o.Shape):
		return 0, fmt.Errorf("shape is %q, must be one of %v", o.Shape, noiseShapes)
	case !(o.RelWidth > 0 && o.RelWidth < 1):
		return 0, fmt.Errorf("relative width is %g, must be more than 0 and less than 1", o.RelWidth)
	}
	return stop, nil
}

// scaled returns mechanisms with factor times the noise: the shortest decimals between that and most times as much,
// as far as they are allowed.
func (p Pipeline) scaled(factor, most float64) []Mechanism {
	scaled := slices.Clone(p.Mechanisms)
	for i, m := range scaled {
		if !m.HasNoise() {
			continue
		}
		times := func(x float64) *big.Rat { return within(x, m.Additive) }
		a := *m.Additive
		a.Scale = shortest(times(factor), times(factor*most))
		scaled[i].Additive = &a
	}
	return scaled
}

// shortest returns a shortest decimal from lo to hi, the smallest of them; if hi is not above lo, about lo.
func shortest(lo, hi *big.Rat) *big.Rat {
	for digits := 1; digits < mostDigits; digits++ {
		if x := stopping.RoundedUp(lo, digits); x.Cmp(hi) <= 0 {
			return x
		}
	}
	return stopping.RoundedUp(lo, mostDigits)
}

// mostDigits is how many digits noise has at most.
const mostDigits = 17

// within returns the scale that is allowed and nearest to factor times that of a.
func within(factor float64, a *certify.Additive) *big.Rat {
	const rounding = 1e-15 // of the factor that leads to a limit
	least, most := a.Limits()
	if !(factor < math.MaxFloat64) { // none is enough, as far as it is known
		factor = math.MaxFloat64
	}
	x := new(big.Rat).SetFloat64(factor)
	x.Mul(x, a.Scale)
	switch f := rational.Float64(x); {
	case f <= rational.Float64(least)*(1+rounding):
		return least
	case f >= rational.Float64(most)*(1-rounding):
		return most
	}
	return x
}

// withoutNoise returns p with mechanisms that say nothing in the place of those with noise.
func (p Pipeline) withoutNoise() Pipeline {
	q := Pipeline{slices.Clone(p.Mechanisms), p.Stops}
	for i, m := range q.Mechanisms {
		if m.HasNoise() {
			q.Mechanisms[i] = Mechanism{Eps: loss.Nats(new(big.Rat)), Delta: new(big.Rat), Count: m.Count}
		}
	}
	return q
}

// hasNoiseInSample reports whether m is several that see one sample, and some add noise.
func hasNoiseInSample(m Mechanism) bool {
	return m.Sampled != nil && slices.ContainsFunc(m.Parts(), Mechanism.HasNoise)
}
