package verify

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// terms says how the ε of a problem are given.
type terms int

const (
	ratios    terms = iota // as e^ε: there is an exact answer
	decimals               // as ε
	mixed                  // either
	multiples              // as ε, all of them multiples of one number: there is a lattice
)

func (t terms) String() string { return [...]string{"ratios", "decimals", "mixed", "multiples"}[t] }

// maker makes one random problem.
type maker struct {
	register.Dice
	terms
	total int // mechanisms
	p     problem
}

// randomProblem returns a problem with 1 … most mechanisms, most often few. Losses may reach thousands; there is one
// unit or there are several, up to 60 stops close together or far apart, and charges from far below the mean loss to
// above the largest one. TestGenerator lists what it reaches.
func randomProblem(d register.Dice, t terms, most int) problem {
	m := maker{Dice: d, terms: t}
	m.total = int(math.Exp(m.between(0, math.Log(float64(most)+1))))
	units, parts := m.units(), 1+m.Roll(6)
	if m.total <= 60 && m.Roll(4) == 0 {
		parts = m.total
	}
	for left := m.total; left > 0; parts-- {
		count := left
		if parts > 1 {
			count = 1 + m.Roll(left)
		}
		eps := units[m.Roll(len(units))].times(m.times())
		m.p.mechanisms = append(m.p.mechanisms, mechanism{eps, m.delta(), count})
		left -= count
	}
	m.stops()
	return m.p
}

// between returns a number in [lo, hi).
func (m *maker) between(lo, hi float64) float64 { return lo + (hi-lo)*float64(m.Roll(1<<20))/(1<<20) }

// of returns one of the numbers.
func (m *maker) of(texts ...string) *big.Rat { return rat.Of(texts[m.Roll(len(texts))]) }

// units returns what ε are multiples of: most often of one number.
func (m *maker) units() []number {
	if m.terms == multiples || m.Roll(3) > 0 {
		return []number{m.unit()}
	}
	return []number{m.unit(), m.unit(), m.unit()}
}

func (m *maker) unit() number {
	log, isSmooth := m.terms == ratios || m.terms == mixed && m.Roll(3) == 0, m.Roll(3) == 0
	den := int64(1 + m.Roll(20))
	switch {
	case log && isSmooth:
		return number{big.NewRat(den+1+int64(m.Roll(30)), den), true}
	case log:
		return number{m.of("1.000000001", "1.001", "1.1", "3/2", "2", "3", "10", "1000", "1000000"), true}
	case isSmooth:
		return number{big.NewRat(int64(1+m.Roll(3000)), 1000), false}
	}
	nats := m.of("1e-9", "0.001", "0.01", "0.05", "1/7", "0.25", "0.5", "1", "1.7", "3", "7.25", "20", "800")
	return number{nats, false}
}

// times returns how many units an ε is. Exact answers need short numbers.
func (m *maker) times() int {
	switch kind := m.Roll(6); {
	case m.terms == multiples && kind < 4:
		return m.Roll(8)
	case kind == 0:
		return m.Roll(4)
	case kind == 1 && m.terms != ratios:
		return 1 + m.Roll(9)
	case kind == 2 && m.terms != ratios && len(m.p.mechanisms) > 0:
		return 1 + m.Roll(40)
	}
	return 1
}

// delta returns a δ.
func (m *maker) delta() *big.Rat {
	switch kind := m.Roll(20); {
	case kind < 10:
		return new(big.Rat)
	case kind < 16:
		return m.of("1e-300", "1e-30", "1e-9", "1e-6", "0.001", "0.001")
	case kind == 16 && m.total <= 8: // with more of them there would be little else
		return rat.Of("1")
	}
	return big.NewRat(int64(1+m.Roll(500)), 1000)
}

// stops sets the stops, of which the last is at the end.
func (m *maker) stops() {
	total := m.total
	n := 1 + m.Roll(5)
	if m.Roll(15) == 0 {
		n = 12 + m.Roll(48)
	}
	isClose := m.Roll(3) == 0 // all of them near one place
	places, center := []int{total}, 1+m.Roll(total)
	for range n - 1 {
		place := 1 + m.Roll(total)
		if isClose {
			place = min(total, center+m.Roll(2*n))
		}
		places = append(places, place)
	}
	slices.Sort(places)
	kind := m.Roll(10)
	for _, after := range slices.Compact(places) {
		if m.Roll(3) == 0 {
			kind = m.Roll(10)
		}
		m.p.stops = append(m.p.stops, stop{after, m.charge(after, kind)})
	}
}

// charge returns the charge of a stop.
func (m *maker) charge(after, kind int) number {
	mean, deviation, most := m.p.moments(after)
	e := 0.0
	switch kind {
	case 0:
		e = m.between(0, mean)
	case 1, 2:
		e = mean + m.between(-2, 4)*deviation
	case 3:
		e = mean + m.between(-8, 14)*deviation
	case 4:
		e = most - m.between(0, 4)
	case 5:
		e = m.between(mean, most)
	case 6, 7: // a loss that can be reached, or next to it
		return m.loss(after).plus(m.of("0", "0", "0.1", "-0.1", "1e-12", "-1e-12", "1e-15", "-1e-15"))
	case 8:
		if n := len(m.p.stops); n > 0 { // as much as before, or less
			return m.p.stops[n-1].eps.plus(m.of("0", "-0.01", "-3"))
		}
	case 9:
		return number{m.of("1000000", "1"), m.terms == ratios}
	}
	if e = max(0, e); m.terms == ratios || m.terms == mixed && e < 30 && m.Roll(4) == 0 {
		return number{big.NewRat(int64(math.Exp(min(e, 30))*1000), 1000), true}
	}
	return number{big.NewRat(int64(e*1000), 1000), false}
}

// moments returns about the mean and the standard deviation of the loss after so many mechanisms, and the largest one.
func (p problem) moments(after int) (mean, deviation, most float64) {
	variance := 0.0
	for _, m := range p.mechanisms {
		n := float64(min(after, m.count))
		after -= int(n)
		e, tilt := m.eps.float(), math.Tanh(m.eps.float()/2)
		mean += n * e * tilt
		variance += n * e * e * (1 - tilt) * (1 + tilt)
		most += n * e
	}
	return mean, math.Sqrt(variance), most
}

// loss returns a privacy loss, at least 0, that so many mechanisms can reach; in mixed terms, those given in the same
// way as the first. Where there are many logarithms, their powers are too long.
func (m *maker) loss(after int) number {
	sum := nothing(m.p.mechanisms[0].eps.log)
	for _, x := range m.p.mechanisms {
		n := min(after, x.count)
		after -= n
		if isLong := sum.log && (n > 30 || len(m.p.mechanisms) > 8); x.eps.log == sum.log && !isLong {
			sum = sum.and(x.eps, n-2*m.Roll(n+1))
		}
	}
	return sum.abs()
}

// feature is what [randomProblem] must reach.
type feature struct {
	name    string
	reached func(p problem) bool
}

// edges are features of small problems.
var edges = []feature{
	{"eps huge", anyEps("800", "1000000")},
	{"eps near 0", anyEps("1e-9", "1.000000001")},
	{"delta 1", anyDelta("1")},
	{"delta 1e-300", anyDelta("1e-300")},
	{"most mechanisms", func(p problem) bool { return p.length() == 8 }},
	{"one stop after several mechanisms", func(p problem) bool { return len(p.stops) == 1 && p.length() > 1 }},
	{"a stop after each of several", func(p problem) bool { return len(p.stops) == p.length() && p.length() > 1 }},
	{"four stops", func(p problem) bool { return len(p.stops) == 4 }},
	{"charge 0", anyCharge(func(p problem, i int) bool { return p.stops[i].eps.isZero() })},
	{"charge huge", anyCharge(func(p problem, i int) bool { return p.stops[i].eps.rat.Cmp(rat.Of("1000000")) == 0 })},
	{"equal charges", anyCharge(comparesWithLast(0))},
	{"increasing charges", anyCharge(comparesWithLast(1))},
	{"charge is the largest loss", func(p problem) bool {
		sum := nothing(p.stops[0].eps.log)
		for _, m := range p.each()[:p.stops[0].after] {
			sum = sum.and(m.eps, 1)
		}
		return compare(sum, p.stops[0].eps) == 0 && !sum.isZero()
	}},
}

// features are those of problems with up to 2000 mechanisms.
var features = []feature{
	{"many mechanisms", func(p problem) bool { return p.length() > 1500 }},
	{"losses in the thousands", func(p problem) bool { _, _, most := p.moments(p.length()); return most > 3000 }},
	{"no unit", func(p problem) bool { _, _, ok := p.unit(); return !ok }},
	{"dozens of stops", func(p problem) bool { return len(p.stops) > 24 }},
	{"charge far below the mean", charged(func(e, mean, deviation, most float64) bool {
		return deviation > 0 && e < mean-20*deviation
	})},
	{"charge far above the mean", charged(func(e, mean, deviation, most float64) bool {
		return e > mean+7*deviation && e < most
	})},
	{"charge near the largest loss", charged(func(e, mean, deviation, most float64) bool {
		return e > most-1 && e < most && most > 100
	})},
	{"eps in both ways", func(p problem) bool {
		return slices.ContainsFunc(p.mechanisms, func(m mechanism) bool { return m.eps.log != p.mechanisms[0].eps.log })
	}},
	{"charge in another way than eps", func(p problem) bool { return p.stops[0].eps.log != p.mechanisms[0].eps.log }},
}

// everywhere are those of both.
var everywhere = []feature{
	{"eps 0", anyEps("0", "1")},
	{"one mechanism", func(p problem) bool { return p.length() == 1 }},
	{"decreasing charges", anyCharge(comparesWithLast(-1))},
}

func anyEps(eps, expEps string) func(problem) bool {
	return func(p problem) bool {
		return slices.ContainsFunc(p.mechanisms, func(m mechanism) bool {
			return compare(m.eps, number{rat.Of(eps), false}) == 0 || compare(m.eps, number{rat.Of(expEps), true}) == 0
		})
	}
}

func anyDelta(delta string) func(problem) bool {
	return func(p problem) bool {
		return slices.ContainsFunc(p.mechanisms, func(m mechanism) bool { return m.delta.Cmp(rat.Of(delta)) == 0 })
	}
}

func anyCharge(is func(p problem, i int) bool) func(problem) bool {
	return func(p problem) bool {
		for i := range p.stops {
			if is(p, i) {
				return true
			}
		}
		return false
	}
}

// comparesWithLast reports whether a charge compares so with the one before it.
func comparesWithLast(want int) func(p problem, i int) bool {
	return func(p problem, i int) bool { return i > 0 && compare(p.stops[i].eps, p.stops[i-1].eps) == want }
}

func charged(is func(e, mean, deviation, most float64) bool) func(problem) bool {
	return anyCharge(func(p problem, i int) bool {
		mean, deviation, most := p.moments(p.stops[i].after)
		return is(p.stops[i].eps.float(), mean, deviation, most)
	})
}

// Every feature is reached by both dice and in all terms.
func TestGenerator(t *testing.T) {
	t.Parallel()
	const draws = 1000
	for _, row := range []struct {
		terms
		most int
		some []feature
	}{{ratios, 8, edges}, {decimals, 8, edges}, {mixed, 8, edges}, {mixed, 2000, features}} {
		generator := problems(row.terms, row.most)
		var fromStream, fromSearch []problem
		for i := range draws {
			fromStream = append(fromStream, randomProblem(register.Seeded(uint64(i)), row.terms, row.most))
			fromSearch = append(fromSearch, generator.Example(i))
			if err := fromStream[i].impl().Validate(); err != nil {
				t.Errorf("%v: %v", fromStream[i], err)
			}
		}
		for _, f := range slices.Concat(row.some, everywhere) {
			for name, ps := range map[string][]problem{"stream": fromStream, "search": fromSearch} {
				if !slices.ContainsFunc(ps, f.reached) {
					t.Errorf("%v: %q is in none of %d problems of the %s", row.terms, f.name, draws, name)
				}
			}
		}
	}
}
