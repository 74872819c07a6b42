package certify

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl/certify/internal/num"
	"checkrr/impl/certify/noise"
)

// Sampled is mechanisms that all see the same Poisson sample of the records. Nobody changes it.
type Sampled struct {
	*noise.Sampled
	mechanisms []Mechanism
	other      *Sampled // for neighbours in the other order
}

// InnerError says which of the mechanisms that see a sample breaks which rule.
type InnerError struct {
	Index int // from 0
	Rule  string
}

func (e *InnerError) Error() string { return fmt.Sprintf("mechanism %d: %s", e.Index+1, e.Rule) }

// NewSampled returns what mechanisms do that see the same sample, in which a record is with the probability rate. They
// are those of a record in the sample, for neighbours of which the first has it; what they are given by is copied. An
// error says the first rule that they break.
func NewSampled(rate *big.Rat, mechanisms []Mechanism) (*Sampled, error) {
	total, bits, own := 0, 0, []Mechanism{}
	for i, m := range mechanisms[:min(len(mechanisms), noise.MostParts+1)] {
		rule := m.innerFault(total)
		if rule == "" {
			if bits += logBits(m.numbers()); bits > maxLogBits {
				rule = tooLong(bits)
			}
		}
		if rule != "" {
			return nil, &InnerError{i, rule}
		}
		total += m.Count
		own = append(own, m.copied())
	}
	s, back := &Sampled{mechanisms: own}, &Sampled{mechanisms: own}
	s.other, back.other = back, s
	orders := Problem{Mechanisms: own}.Orders()
	s.Sampled = &noise.Sampled{Rate: copied(rate), Parts: partsOf(orders[0].Mechanisms)}
	back.Sampled = &noise.Sampled{Rate: s.Rate, Parts: partsOf(orders[len(orders)-1].Mechanisms), Added: true}
	if rule := s.Fault(); rule != "" {
		return nil, errors.New(rule)
	}
	return s, nil
}

// Mechanisms returns copies of those that see the sample, for neighbours of which the first has the record.
func (s *Sampled) Mechanisms() (ms []Mechanism) {
	for _, m := range s.mechanisms {
		ms = append(ms, m.copied())
	}
	return ms
}

// Parts returns m alone or, where several see one sample, these.
func (m Mechanism) Parts() []Mechanism {
	if m.Sampled != nil {
		return m.Sampled.Mechanisms()
	}
	return []Mechanism{m}
}

// Reversed returns s with P and Q exchanged.
func (s *Sampled) Reversed() *Sampled { return s.other }

// innerFault returns the rule that m breaks as one of the mechanisms that see a sample, of which there are so many
// before it.
func (m Mechanism) innerFault(before int) string {
	if rule := m.fault(before); rule != "" {
		return rule
	}
	switch {
	case m.IsRange:
		return "what a sample loses of a bounded range is not known, must be given by eps"
	case m.Sampled != nil:
		return "a sample of a sample is one of a smaller rate, must not be given as such"
	case m.Additive != nil && m.Additive.Added || m.Losses != nil && m.Losses.IsReversed():
		return "what sees a sample must be given for neighbours of which the first has the record"
	case m.Additive != nil && m.Additive.IsExchanged():
		return "what sees a sample must have no batches of its own, and no record that is replaced"
	case m.IsContinuous():
		return ""
	}
	for _, x := range m.numbers() {
		if x.nats(64).Lo.Cmp(big.NewFloat(MaxLoss)) > 0 {
			return fmt.Sprintf("losses of what sees a sample must be between -%d and %d", MaxLoss, MaxLoss)
		}
	}
	return ""
}

// nats returns what x is.
func (x Number) nats(prec uint) num.Interval {
	if x.Log {
		return num.Log(x.Value, prec)
	}
	return num.OfRat(x.Value, prec)
}

// partsOf returns mechanisms with their losses on no lattice.
func partsOf(ms []Mechanism) (parts []noise.Part) {
	for _, m := range ms {
		x := m.Continuous()
		switch {
		case m.Law != nil:
			x = m.finiteLaw()
		case m.IsDP():
			x = m.response()
		}
		parts = append(parts, noise.Part{Continuous: x, Count: m.Count})
	}
	return parts
}

// finitePrec is that of numbers which become ones of float64.
const finitePrec = 96

// finiteLaw returns the law of m as losses.
func (m Mechanism) finiteLaw() noise.Continuous {
	x := m.pair()
	var atoms []noise.Atom
	for i, ratio := range slices.Backward(x.ratio) {
		abs, sign := magnitude(ratio)
		atoms = append(atoms, noise.Atom{
			Loss: abs.nats(finitePrec).Span().Signed(sign < 0),
			P:    num.SpanOf(x.mass[i]).Probability(),
			Q:    num.SpanOf(new(big.Rat).Quo(x.mass[i], ratio)).Probability(),
		})
	}
	return noise.NewFinite(m.Key(), atoms, num.SpanOf(x.infinity).Probability())
}

// response returns randomized response, the worst (ε, δ)-DP mechanism (ODP-L12), as losses.
func (m Mechanism) response() noise.Continuous {
	const prec = finitePrec
	loss := m.Eps.nats(prec)
	kept := num.OfRat(new(big.Rat).Sub(num.One, m.Delta), prec)
	fall := num.ExpNeg(loss, prec)
	more := kept.Quo(num.OfInt(1).Add(fall, prec), prec) // (1 − δ)/(1 + e^−ε)
	p, q, l := more.Span().Probability(), more.Mul(fall, prec).Span().Probability(), loss.Span()
	return noise.NewFinite(m.Key(), []noise.Atom{{Loss: l.Negated(), P: q, Q: p}, {Loss: l, P: p, Q: q}},
		num.SpanOf(m.Delta).Probability())
}

// copied returns m with numbers of its own.
func (m Mechanism) copied() Mechanism {
	m.Eps.Value, m.Delta, m.Law = copied(m.Eps.Value), copied(m.Delta), copiedPairs(m.Law)
	if a := m.Additive; a != nil {
		own := *a
		own.Scale, own.Sampling, own.Adds = copied(a.Scale), copied(a.Sampling), copiedPairs(a.Adds)
		own.Square = copied(a.Square)
		m.Additive = &own
	}
	return m
}

func copied(x *big.Rat) *big.Rat {
	if x == nil {
		return nil
	}
	return new(big.Rat).Set(x)
}

func copiedPairs(xs [][2]*big.Rat) [][2]*big.Rat {
	own := slices.Clone(xs)
	for i, x := range own {
		own[i] = [2]*big.Rat{copied(x[0]), copied(x[1])}
	}
	return own
}
