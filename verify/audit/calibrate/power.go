package calibrate

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"checkrr/impl/loss"
	"checkrr/verify/audit"
	"checkrr/verify/audit/mechanisms"
)

// Curve is how often a violation of a size is found, by the number of samples.
type Curve struct {
	Label string
	Rates []Rate
}

// eps is what is claimed in all measurements of power.
var eps = big.NewRat(1, 1)

// Power measures how often audits find too little Laplace noise, and an output that reveals
// the input: of several sizes, and of the size that an audit of a true claim with as
// many samples reports as seen, which should be found with probability [audit.SeenPower].
// Noise is measured for up to a million samples.
func Power(ctx context.Context, sizes []int, o audit.Options, audits int, progress func(done float64)) ([]Curve, error) {
	kinds := violations()
	curves := make([]Curve, len(kinds))
	for i, samples := range sizes {
		o.Samples = samples
		for j, v := range kinds {
			if samples > v.most {
				continue
			}
			s, err := v.at(ctx, o)
			if err != nil {
				return nil, err
			}
			r, err := measure(ctx, s, o, audits)
			if err != nil {
				return nil, err
			}
			curves[j].Label = v.label
			curves[j].Rates = append(curves[j].Rates, r)
			progress((float64(i) + float64(j+1)/float64(len(kinds))) / float64(len(sizes)))
		}
	}
	return curves, nil
}

// violation is a mechanism that breaks its claim, by an amount that may depend on the
// size of the audit.
type violation struct {
	label string
	most  int // samples that are not too many to be measured
	at    func(context.Context, audit.Options) (subject, error)
}

// mostNumbers bounds samples of outputs that are numbers: they take ten times as long as those
// of a few words.
const mostNumbers = 1e6

func violations() []violation {
	var all []violation
	for _, v := range []struct{ label, noise string }{{"1 % too little noise", "0.99"}, {"3 % too little noise", "0.97"}, {"10 % too little noise", "0.9"}} {
		all = append(all, violation{v.label, mostNumbers, func(context.Context, audit.Options) (subject, error) { return noisy(v.noise) }})
	}
	for _, p := range []string{"1e-3", "1e-4", "1e-5"} {
		all = append(all, violation{"leak with probability " + p, math.MaxInt, func(context.Context, audit.Options) (subject, error) { return leaking(p) }})
	}
	return append(all, violation{"noise reported as seen", mostNumbers, seenNoise}, violation{"leak reported as seen", math.MaxInt, seenLeak})
}

// noisy is the Laplace mechanism with a factor on its noise, claimed to have none.
func noisy(factor string) (subject, error) {
	noise, ok := new(big.Rat).SetString(factor)
	if !ok {
		return subject{}, fmt.Errorf("noise is %q, must be a number", factor)
	}
	return builtinSubject("laplace", mechanisms.Params{Eps: eps, Noise: noise})
}

// leaking is a randomized response that reveals its input with a probability, claimed not to.
func leaking(probability string) (subject, error) {
	p, ok := new(big.Rat).SetString(probability)
	if !ok {
		return subject{}, fmt.Errorf("probability is %q, must be a number", probability)
	}
	s, err := builtinSubject("randomized-response", mechanisms.Params{Eps: eps, Delta: p})
	s.claim = audit.DP(loss.Nats(eps), new(big.Rat))
	return s, err
}

// seenNoise is too little noise, by what an audit of the right noise reports as seen.
func seenNoise(ctx context.Context, o audit.Options) (subject, error) {
	seen, err := seenIn(ctx, "laplace", mechanisms.Params{Eps: eps}, o)
	if err != nil || math.IsInf(seen.Eps[0], 1) {
		return subjectOr(err, "1")
	}
	return noisy(decimal(1 / seen.Eps[0]))
}

// mostLeak is the largest probability of a leak that the built-in response takes.
const mostLeak = 0.5

// seenLeak is a leak with the probability that an audit of a response without one reports as seen; if that is more than
// the response can have, nothing is.
func seenLeak(ctx context.Context, o audit.Options) (subject, error) {
	seen, err := seenIn(ctx, "randomized-response", mechanisms.Params{Eps: eps}, o)
	if err != nil || seen.Delta > mostLeak {
		return subjectOr(err, "1")
	}
	return leaking(decimal(seen.Delta))
}

// subjectOr is what is audited where nothing is seen: a true claim.
func subjectOr(err error, noise string) (subject, error) {
	if err != nil {
		return subject{}, err
	}
	return noisy(noise)
}

// seenIn audits a true claim.
func seenIn(ctx context.Context, name string, p mechanisms.Params, o audit.Options) (*audit.Seen, error) {
	s, err := builtinSubject(name, p)
	if err != nil {
		return nil, err
	}
	r, err := audit.Run(ctx, s.claim, s.pairs, o)
	if err != nil {
		return nil, err
	}
	if r.Seen == nil {
		return nil, fmt.Errorf("%s: a true claim was refuted with seed %d", name, o.Seed)
	}
	return r.Seen, nil
}

// decimal writes a number so that it reads back as the same.
func decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
