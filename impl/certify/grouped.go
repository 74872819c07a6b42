package certify

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl/certify/internal/num"
	"checkrr/impl/certify/noise"
)

// Grouped returns p with equal mechanisms together, in the order of the first of them, wherever no stop is between
// them, and Gaussian noise of different scales as noise of one; p must be valid. It is the same problem: what a
// pipeline loses up to a stop is a sum, and the order of its terms does not matter. So a claim about one of the two is
// a claim about the other, and what alternates costs no more than what does not. Where there
// are ranges it does matter, as laws are chosen by what was seen: then only neighbours are together.
func (p Problem) Grouped() Problem {
	if len(p.Mechanisms) == 1 {
		return p
	}
	q, keys := Problem{Stops: p.Stops}, keys{}
	since := map[string]int{} // the entries of q since the last stop, by their keys
	last, done, stop, isOrdered := "", 0, 0, p.HasRange()
	if !isOrdered {
		p = p.joined(keys)
	}
	for _, m := range p.Mechanisms {
		key := keys.of(m)
		for left := m.Count; left > 0; {
			n := min(left, p.Stops[stop].After-done)
			at, isKnown := since[key]
			switch {
			case !isKnown && last == key: // what ended at the stop goes on
				at = len(q.Mechanisms) - 1
			case !isKnown:
				if isOrdered {
					clear(since)
				}
				at, last = len(q.Mechanisms), key
				m.Count = 0
				q.Mechanisms = append(q.Mechanisms, m)
			}
			q.Mechanisms[at].Count += n
			since[key] = at
			left -= n
			if done += n; done == p.Stops[stop].After {
				stop++
				clear(since)
			}
		}
	}
	return q
}

// joined returns p with all Gaussian noise without sampling between two stops as equal mechanisms: see [noise.Joint].
func (p Problem) joined(keys keys) Problem {
	q := Problem{Stops: p.Stops}
	var plain []noise.Part // since the last stop
	at, isOne := 0, true   // where the first of them is in q, and whether all are equal
	flush := func() {
		if !isOne {
			if one, count := noise.Joint(plain); one != nil {
				rest := slices.DeleteFunc(q.Mechanisms[at:], Mechanism.isPlain)
				q.Mechanisms = slices.Insert(q.Mechanisms[:at+len(rest)], at, Mechanism{Additive: one, Count: count})
			}
		}
		plain, isOne = nil, true
	}
	done, stop := 0, 0
	for _, m := range p.Mechanisms {
		for left := m.Count; left > 0; {
			m.Count = min(left, p.Stops[stop].After-done)
			if m.isPlain() {
				if plain == nil {
					at = len(q.Mechanisms)
				} else {
					isOne = isOne && keys.of(m) == plain[0].Key()
				}
				plain = append(plain, noise.Part{Continuous: m.Additive, Count: m.Count})
			}
			q.Mechanisms = append(q.Mechanisms, m)
			left -= m.Count
			if done += m.Count; done == p.Stops[stop].After {
				stop++
				flush()
			}
		}
	}
	return q
}

// isPlain reports whether m is Gaussian noise without sampling.
func (m Mechanism) isPlain() bool { return m.Additive != nil && m.Additive.IsPlain() }

// keys are those of laws that are known: many mechanisms may share one.
type keys map[*[2]*big.Rat]string

func (k keys) of(m Mechanism) string {
	if len(m.Law) == 0 {
		return m.Key()
	}
	first := &m.Law[0]
	if k[first] == "" {
		k[first] = m.Key()
	}
	return k[first]
}

// Key is the same for two mechanisms if and only if they are, but for their count: they have the same numbers.
func (m Mechanism) Key() string {
	switch {
	case m.IsContinuous():
		return m.Continuous().Key()
	case m.Law != nil:
		return "law " + num.Digits(m.Law)
	}
	return fmt.Sprintf("%s %t %s", m.Kind(), m.Eps.Log, num.Digits([][2]*big.Rat{{m.Eps.Value, m.Delta}}))
}
