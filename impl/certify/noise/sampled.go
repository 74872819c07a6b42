package noise

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"
	"sync"

	"checkrr/impl/certify/internal/num"
)

// # Several releases of one sample
//
// All parts see the same Poisson sample, in which a record is with probability s. Let (P', Q') dominate what they
// release together for a record that is in the sample. With M = (1 − s)·Q' + s·P', (M, Q') dominates the whole for a
// record that is removed, and (Q', M) for one that is added:
//
//	E_α(M‖Q') = s·E_γ(P'‖Q'), γ = 1 + (α − 1)/s, for α ≥ 1 − s, and 1 − α below;
//	E_α(Q'‖M) = (1 − α(1 − s))·E_β(Q'‖P'), β = αs/(1 − α(1 − s)), for α < 1/(1 − s), and 0 above.
//
// So the law of the parts is found first, on nodes of its own, as one that dominates them or that they dominate: of
// (P', Q') for a record that is removed, and of (Q', P') for one that is added. Then each node becomes an atom.

// Sampled is mechanisms that all see the same sample. (P, Q) of the parts are those of a record in the sample, in the
// order of neighbours of the whole.
type Sampled struct {
	Rate  *big.Rat // the probability of a record to be in the sample
	Parts []Part
	Added bool // whether P is without the record

	once  sync.Once
	shape shape
}

// Part is so many mechanisms.
type Part struct {
	Continuous
	Count int
}

// Limits of what sees one sample.
const (
	MostParts  = 64
	mostDeep   = 600.0   // nodes that lose less than −mostDeep are taken for ones that lose that
	mostInner  = 1 << 17 // about how many nodes the law of the parts has at most
	leastInner = 1 << 7  // and about how many it has at least
	leastCut   = 1e-296
	shortInner = 1 << 26 // products of masses that are added one by one: two laws are multiplied but once a part
)

// Fault implements [Continuous].
func (s *Sampled) Fault() string {
	switch {
	case s == nil:
		return "there are no mechanisms that see a sample, must be made by NewSampled"
	case s.Rate == nil:
		return "the rate of what is sampled is missing, must be the probability of a record to be in the sample"
	case s.Rate.Cmp(leastSampling) < 0 || s.Rate.Cmp(num.One) > 0:
		return "rate must be between 1e-9 and 1: the probability of a record to be in the sample"
	case len(s.Parts) == 0 || len(s.Parts) > MostParts:
		return fmt.Sprintf("there are %d mechanisms that see the sample, must be from 1 to %d", len(s.Parts), MostParts)
	}
	for i, p := range s.Parts {
		if rule := p.Fault(); rule != "" {
			return fmt.Sprintf("mechanism %d: %s", i+1, rule)
		}
	}
	return ""
}

// Key implements [Continuous].
func (s *Sampled) Key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sampled %t %s of", s.Added, num.Digits([][2]*big.Rat{{s.Rate, s.Rate}}))
	for _, p := range s.Parts {
		fmt.Fprintf(&b, " {%d × %s}", p.Count, p.Key())
	}
	return b.String()
}

// isWhole reports whether every record is in the sample.
func (s *Sampled) isWhole() bool { return s.Rate.Cmp(num.One) == 0 }

// Infinity implements [Continuous]. What is impossible under P' is possible under M.
func (s *Sampled) Infinity() float64 {
	if s.Added && !s.isWhole() {
		return 0
	}
	kept, lost := num.Exactly(1), num.Exactly(0)
	for _, p := range s.Parts {
		k, l := leaked(num.Exactly(1).Minus(num.Exactly(p.Infinity())).AtLeast0(), num.Exactly(p.Infinity()), p.Count)
		lost = lost.Plus(kept.Times(l))
		kept = kept.Times(k)
	}
	return lost.Times(num.SpanOf(s.Rate)).Probability().Hi
}

// Leaks implements [Continuous].
func (s *Sampled) Leaks() bool { return s.Infinity() > 0 || s.Most() == nil }

// mostOfParts returns the largest finite loss of all parts together, or a little more; nil if there is none.
func (s *Sampled) mostOfParts() *big.Rat {
	sum := new(big.Rat)
	for _, p := range s.Parts {
		most := p.Most()
		if most == nil {
			return nil
		}
		sum.Add(sum, most.Mul(most, new(big.Rat).SetInt64(int64(p.Count))))
	}
	return sum
}

// Most implements [Continuous]. A record that is added loses no more than −ln(1 − s).
func (s *Sampled) Most() *big.Rat {
	most := s.mostOfParts()
	isFinite := most != nil && most.Cmp(big.NewRat(MostLoss, 1)) < 0
	loss := num.Span{}
	switch {
	case isFinite && (!s.Added || s.isWhole() || !s.partsLeak()):
		loss = s.mix().loss(num.SpanOf(most))
	case s.Added && !s.isWhole():
		loss = s.mix().rest.Log().Negated()
	default:
		return nil
	}
	return new(big.Rat).SetFloat64(max(0, loss.Hi))
}

// partsLeak reports whether some part has infinite losses.
func (s *Sampled) partsLeak() bool {
	for _, p := range s.Parts {
		if p.Infinity() > 0 {
			return true
		}
	}
	return false
}

// mix is what a record in the sample does to the whole.
type mix struct {
	rate, rest num.Span // s and 1 − s
	isAdded    bool
}

func (s *Sampled) mix() mix {
	return mix{num.SpanOf(s.Rate), num.SpanOf(new(big.Rat).Sub(num.One, s.Rate)), s.Added}
}

// loss returns what the whole loses where the parts lose l: ln(1 − s + s·e^l), or −ln(1 − s + s·e^−l) if a record is
// added.
func (m mix) loss(l num.Span) num.Span {
	var loss num.Span
	if l = l.Signed(m.isAdded); l.Lo > 0 { // e^l may be more than float64 has
		loss = l.Plus(m.rest.Times(l.Negated().Exp()).Plus(m.rate).Log())
	} else {
		loss = m.rest.Plus(m.rate.Times(l.Exp())).Log()
	}
	return loss.Signed(m.isAdded)
}

// lawsOf implements [Continuous].
func (s *Sampled) lawsOf(ctx context.Context, count int, x Nodes, tilt float64) (d dense, laws int, err error) {
	const part = 1.0 / 16 // of what the whole may leave out
	inner := Nodes{
		Unit: num.Exactly(s.unitFor(finer(x.Unit, count).Lo)),
		IsUp: x.IsUp,
		Cut:  max(x.Cut/float64(count)*part, leastCut),
		Most: MostLoss,
	}
	if !s.Added { // a loss l of the parts is one of about l + ln s, and others hardly ever take much from it
		inner.Most = min(MostLoss, x.Most-s.mix().rate.Log().Lo-math.Log(inner.Cut))
	}
	c, nominal, err := s.partsOn(ctx, inner, tilt)
	if err != nil {
		return nil, 0, err
	}
	return s.mixed(c, ruler{nominal: nominal, unit: inner.Unit}), count, nil
}
