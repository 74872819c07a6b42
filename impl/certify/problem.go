package certify

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl/certify/internal/num"
	"checkrr/impl/certify/noise"
)

// Problem is a pipeline of (ε, δ)-DP mechanisms that may end early (ODP-A3), with what
// is charged where it ends.
type Problem struct {
	Mechanisms []Mechanism // in the order of invocation
	Stops      []Stop      // k_1 < … < k_n; the last one is the end of the pipeline
}

// Mechanism stands for Count consecutive mechanisms, each (Eps, Delta)-DP or, with a Law, noise, Losses or
// Sampled, dominated by that.
type Mechanism struct {
	Eps      Number
	Delta    *big.Rat  // in [0, 1]; to be given, 0 is new(big.Rat)
	IsRange  bool      // whether, for any two neighbours, the losses of all outputs are in an interval of length Eps
	Law      Law       // instead of both; nil if there is none
	Additive *Additive // or noise; nil if there is none
	Losses   *Losses   // or the law of its loss; nil if there is none
	Sampled  *Sampled  // or what several do that see one sample; nil if there is none
	Count    int       // at least 1
}

// Law is a pair of laws over finitely many outputs: of each of them, its probabilities P and Q on two
// neighbouring databases. It dominates a mechanism if, whatever was released before, no law of the
// mechanism's outputs is farther from that on a neighbour at any order of the hockey-stick divergence than P
// is from Q, for neighbours in one order, and than Q is from P in the other.
//
// The P and the Q each have the sum 1. There are at most 1024 outputs, and at most 65536 mechanisms with a law. All
// laws of a pipeline have at most 4095 different losses ±ln(P/Q) in all, and the P/Q at most 2^21 bits: exp_eps
// count, too.
type Law [][2]*big.Rat

// Stop is a point at which the pipeline may end.
type Stop struct {
	After int    // k_i, the number of mechanisms that have run
	Eps   Number // E_i = E(P_i), the loss charged to an output of this length
}

// maxCount bounds the number of mechanisms, and what follows from it: an int holds it
// on every platform.
const maxCount = 1 << 30

// maxLogBits bounds the bits of all e^ε together, of which common factors are sought.
const maxLogBits = 1 << 21

// Validate returns an error for the first rule that p breaks.
func (p Problem) Validate() error {
	total, last, steps := 0, 0, 0
	for i, m := range p.Mechanisms {
		if rule := m.fault(total); rule != "" {
			return fmt.Errorf("mechanism %d: %s", i+1, rule)
		}
		if total += m.Count; m.Law != nil {
			steps += min(m.Count, maxLawSteps+1)
		}
		if steps > maxLawSteps {
			return fmt.Errorf("mechanism %d: there are more than %d mechanisms with a law", i+1, maxLawSteps)
		}
	}
	for i, s := range p.Stops {
		switch {
		case s.After <= last:
			return fmt.Errorf("stop %d: after is %d, must be more than %d", i+1, s.After, last)
		case s.Eps.fault() != "":
			return fmt.Errorf("stop %d: %s", i+1, s.Eps.fault())
		}
		last = s.After
	}
	switch bits := logBits(p.numbers()); {
	case bits > maxLogBits:
		return errors.New(tooLong(bits))
	case last == 0:
		return errors.New("there are no mechanisms or no stops, must be at least one of each")
	case last != total:
		return fmt.Errorf("the last stop is after %d, must be after the last mechanism, %d", last, total)
	}
	return nil
}

// fault returns the rule that m breaks, as one of which there are so many before it; empty if there is none.
func (m Mechanism) fault(before int) string {
	kinds := 0
	for _, isGiven := range []bool{m.Law != nil, m.Additive != nil, m.Losses != nil, m.Sampled != nil} {
		if isGiven {
			kinds++
		}
	}
	if m.Law != nil {
		if err := validateLaw(m.Law); err != nil {
			return err.Error()
		}
	}
	switch {
	case kinds > 1:
		return "there are two of law, noise, losses and sampled, must be only one"
	case kinds > 0 && (m.Eps.Value != nil || m.Delta != nil || m.IsRange):
		return "there is a law, noise, losses or sampled, and eps, delta or a range, must be only one"
	case m.IsRange && (m.Delta == nil || m.Delta.Sign() != 0):
		return "delta must be 0 with a bounded range"
	case m.IsRange && m.Eps.RangeFault() != "":
		return "the range " + m.Eps.RangeFault()
	case m.IsContinuous() && m.Continuous().Fault() != "":
		return m.Continuous().Fault()
	case m.IsDP() && m.Eps.fault() != "":
		return m.Eps.fault()
	case m.IsDP() && m.Delta == nil:
		return "delta is missing, must be between 0 and 1"
	case m.IsDP() && (m.Delta.Sign() < 0 || m.Delta.Cmp(num.One) > 0):
		return "delta must be between 0 and 1"
	case m.Count < 1 || m.Count > maxCount-before:
		return fmt.Sprintf("count is %d, must be at least 1, and %d in all at most", m.Count, maxCount)
	}
	return ""
}

// logBits returns the bits of all e^ε together.
func logBits(xs []Number) (bits int) {
	for _, x := range xs {
		if x.Log {
			bits += x.Value.Num().BitLen() + x.Value.Denom().BitLen()
		}
	}
	return bits
}

func tooLong(bits int) string {
	return fmt.Sprintf("exp_eps or losses of laws have %d bits together, must be at most %d", bits, maxLogBits)
}

// Run is a longest run of equal mechanisms without a stop inside, or one mechanism with a law or a range.
type Run struct {
	Entry, Count int
	Stop         int // index of the stop behind it, or −1
	kind         int // the first entry with the same noise or losses
}

// Alike is the same for runs that have the same law.
type Alike struct{ kind, count int }

// Alike returns what runs with the same law as r share.
func (r Run) Alike() Alike { return Alike{r.kind, r.Count} }

// Runs returns the runs of p in order. Behind each of them is a place.
func (p Problem) Runs() (rs []Run) {
	done, stop := 0, 0
	kinds := map[string]int{}
	for entry, m := range p.Mechanisms {
		kind := entry
		if m.IsOnGrid() { // of which the laws of many take long
			key := m.Key()
			if first, ok := kinds[key]; ok {
				kind = first
			}
			kinds[key] = kind
		}
		for left := m.Count; left > 0; {
			r := Run{entry, min(left, p.Stops[stop].After-done), -1, kind}
			if m.Law != nil || m.IsRange {
				r.Count = 1
			}
			done += r.Count
			left -= r.Count
			if done == p.Stops[stop].After {
				r.Stop = stop
				stop++
			}
			rs = append(rs, r)
		}
	}
	return rs
}

// numbers returns the numbers of p.
func (p Problem) numbers() (xs []Number) {
	for _, m := range p.Mechanisms {
		xs = append(xs, m.numbers()...)
	}
	for _, s := range p.Stops {
		xs = append(xs, s.Eps)
	}
	return xs
}

// numbers returns ε, or the magnitudes of the losses.
func (m Mechanism) numbers() []Number {
	switch {
	case m.Law != nil:
		return m.pair().numbers()
	case m.IsContinuous():
		return numbersOf([]*big.Rat{m.Continuous().Most()})
	}
	return []Number{m.Eps}
}

// IsDP reports whether no more is known of m than ε and δ.
func (m Mechanism) IsDP() bool { return m.Law == nil && !m.IsContinuous() && !m.IsRange }

// Kind returns what m is given by: the key of a problem file.
func (m Mechanism) Kind() string {
	switch {
	case m.Additive != nil:
		return string(m.Additive.Noise)
	case m.Losses != nil:
		return "losses"
	case m.Sampled != nil:
		return "sampled"
	case m.Law != nil:
		return "law"
	case m.IsRange:
		return "bounded_range"
	}
	return "eps"
}

// IsOnGrid reports whether no lattice is known to hold all losses of some mechanism.
func (p Problem) IsOnGrid() bool { return slices.ContainsFunc(p.Mechanisms, Mechanism.IsOnGrid) }

// IsOnGrid reports whether no lattice is known to hold all losses of m.
func (m Mechanism) IsOnGrid() bool { return m.IsContinuous() || m.IsRange }

// HasRange reports whether an adversary chooses the law of some step by what was seen before: see range.go.
func (p Problem) HasRange() bool {
	return slices.ContainsFunc(p.Mechanisms, func(m Mechanism) bool { return m.IsRange })
}

// IsContinuous reports whether there are mechanisms whose losses are on no lattice.
func (p Problem) IsContinuous() bool {
	return slices.ContainsFunc(p.Mechanisms, Mechanism.IsContinuous)
}

// IsContinuous reports whether the losses of m are on no lattice.
func (m Mechanism) IsContinuous() bool {
	return m.Additive != nil || m.Losses != nil || m.Sampled != nil
}

// HasNoise reports whether m is known to add noise; that of [noise.GDP] only stands for its μ.
func (m Mechanism) HasNoise() bool { return m.Additive != nil && m.Additive.Noise != noise.GDP }

// Continuous returns the noise, the losses or the sampled mechanisms of m; nil if there are none.
func (m Mechanism) Continuous() noise.Continuous {
	switch {
	case m.Additive != nil:
		return m.Additive
	case m.Losses != nil:
		return m.Losses
	case m.Sampled != nil:
		return m.Sampled
	}
	return nil
}

// checkNodeZero checks that every run of mechanisms with noise, or losses, has a top, equal ones the same.
func (p Problem) checkNodeZero(nodeZero []*big.Rat) error {
	known := map[Alike]*big.Rat{}
	for k, r := range p.Runs() {
		if !p.Mechanisms[r.Entry].IsContinuous() {
			continue
		}
		if k >= len(nodeZero) || nodeZero[k] == nil || nodeZero[k].Sign() < 0 {
			return fmt.Errorf("run %d has noise, or losses, must have a top of at least 0", k+1)
		}
		if x, ok := known[r.Alike()]; ok && x.Cmp(nodeZero[k]) != 0 {
			return fmt.Errorf("run %d has another top than an equal one", k+1)
		}
		known[r.Alike()] = nodeZero[k]
	}
	return nil
}

// numbersOf returns those that are given.
func numbersOf(xs []*big.Rat) (numbers []Number) {
	for _, x := range xs {
		if x != nil {
			numbers = append(numbers, Number{Value: x})
		}
	}
	return numbers
}
