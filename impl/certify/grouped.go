package certify

import (
	"fmt"
	"math/big"

	"checkrr/impl/certify/internal/num"
)

// Grouped returns p with equal mechanisms together, in the order of the first of them, wherever no stop is between
// them; p must be valid. It is the same problem: what a pipeline loses up to a stop is a sum, and the order of its
// terms does not matter. So a claim about one of the two is a claim about the other, and what alternates costs no
// more than what does not. Where there are ranges it does matter, as laws are chosen by what was seen: then only
// neighbours are together.
func (p Problem) Grouped() Problem {
	if len(p.Mechanisms) == 1 {
		return p
	}
	q, keys := Problem{Stops: p.Stops}, keys{}
	since := map[string]int{} // the entries of q since the last stop, by their keys
	last, done, stop, isOrdered := "", 0, 0, p.HasRange()
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
