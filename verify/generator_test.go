package verify

import (
	"math/big"
	"slices"
	"testing"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// terms says how the ε of a problem are given.
type terms int

const (
	ratios   terms = iota // as e^ε: there is an exact answer
	decimals              // as ε
	mixed                 // either
)

func (t terms) String() string { return [...]string{"ratios", "decimals", "mixed"}[t] }

// maker makes one random problem.
type maker struct {
	register.Dice
	terms
	p problem
}

// randomProblem returns a problem with 1 … most mechanisms and at most 4 stops.
// About half of the numbers are smooth, the others edges of the domain; TestGenerator
// lists the edges.
func randomProblem(d register.Dice, t terms, most int) problem {
	m := maker{Dice: d, terms: t}
	total := 1 + d.Roll(most)
	for left := total; left > 0; {
		next := mechanism{m.eps(), m.delta(), 1 + d.Roll(min(left, 3))}
		left -= next.count
		m.p.mechanisms = append(m.p.mechanisms, next)
	}
	for _, after := range m.points(total) {
		m.p.stops = append(m.p.stops, stop{after, m.charge(after)})
	}
	return m.p
}

// points returns 1 to 4 stopping points up to total, which is one of them.
func (m *maker) points(total int) []int {
	n, left := m.Roll(4), total-1 // n of left points
	var out []int
	for k := 1; k < total; k++ {
		if m.Roll(left) < n {
			out, n = append(out, k), n-1
		}
		left--
	}
	return append(out, total)
}

// logs decides whether the next ε is given as e^ε.
func (m *maker) logs() bool {
	return m.terms == ratios || m.terms == mixed && m.Roll(2) == 0
}

// ofKind returns the text for a kind, if there is one.
func ofKind(kind int, texts map[int]string) (*big.Rat, bool) {
	text, is := texts[kind]
	if !is {
		return nil, false
	}
	return rat.Of(text), true
}

// eps returns a mechanism's ε.
func (m *maker) eps() number {
	kind, before := m.Roll(9), len(m.p.mechanisms)
	if kind == 4 && before > 0 {
		return m.p.mechanisms[m.Roll(before)].eps
	}
	if m.logs() {
		return number{m.ratio(kind), true}
	}
	if x, is := ofKind(kind, map[int]string{5: "0", 6: "800", 7: "1e-9"}); is {
		return number{x, false}
	}
	if kind == 8 {
		return number{big.NewRat(int64(1+m.Roll(4)), 4), false}
	}
	return number{big.NewRat(int64(1+m.Roll(3000)), 1000), false}
}

// ratio returns an e^ε.
func (m *maker) ratio(kind int) *big.Rat {
	if x, is := ofKind(kind, map[int]string{5: "1", 6: "1000000", 7: "1.000000001"}); is {
		return x
	}
	if kind == 8 { // powers of 3/2 share a lattice
		return rat.Power(rat.Of("3/2"), 1+m.Roll(3))
	}
	den := int64(1 + m.Roll(20))
	return big.NewRat(den+1+int64(m.Roll(30)), den)
}

// delta returns a δ.
func (m *maker) delta() *big.Rat {
	kind := m.Roll(20)
	if x, is := ofKind(kind, map[int]string{15: "1e-9", 16: "1e-30", 17: "1e-300", 18: "1"}); is {
		return x
	}
	if kind < 10 {
		return new(big.Rat)
	}
	return big.NewRat(int64(1+m.Roll(300)), 1000)
}

// charge returns the charge of a stop after so many mechanisms.
func (m *maker) charge(after int) number {
	loss, near := m.loss(after), big.NewRat(int64(m.Roll(1000)-500), 2000)
	kind, before := m.Roll(12), len(m.p.stops)
	if more, is := ofKind(kind, map[int]string{5: "0", 6: "1e-15", 7: "-1e-15"}); is {
		return loss.plus(more)
	}
	if more, is := ofKind(kind, map[int]string{10: "0", 11: "-1/3"}); is && before > 0 {
		return m.p.stops[before-1].eps.plus(more)
	}
	switch kind {
	case 4:
		return number{m.ratio(0), m.terms != decimals}
	case 8:
		return nothing(m.terms != decimals)
	case 9:
		return number{rat.Of("1000000"), loss.log}
	}
	return loss.plus(near)
}

// loss returns a privacy loss, at least 0, that so many mechanisms can reach. In
// mixed terms it is that of those given in the same way as the first.
func (m *maker) loss(after int) number {
	sum := nothing(m.p.mechanisms[0].eps.log)
	for _, x := range m.p.each()[:after] {
		if sign := []int{-1, 1, 1}[m.Roll(3)]; x.eps.log == sum.log {
			sum = sum.and(x.eps, sign)
		}
	}
	return sum.abs()
}

// nothing is 0, as a number or as ln(1).
func nothing(log bool) number {
	if log {
		return number{rat.Of("1"), true}
	}
	return number{new(big.Rat), false}
}

// and returns x + n·e, both given in the same way.
func (x number) and(e number, n int) number {
	if x.log {
		return number{rat.Mul(x.rat, rat.Power(e.rat, n)), true}
	}
	return number{rat.Add(x.rat, rat.Mul(rat.Int(n), e.rat)), false}
}

// times returns n·x.
func (x number) times(n int) number { return nothing(x.log).and(x, n) }

// abs returns |x|.
func (x number) abs() number {
	if compare(x, nothing(x.log)) < 0 {
		return x.times(-1)
	}
	return x
}

// plus returns x + d, or x + ln(1 + d) for a logarithm; never below 0.
func (x number) plus(d *big.Rat) number {
	y := number{rat.Add(x.rat, d), false}
	if x.log {
		y = number{rat.Mul(rat.Add(d, rat.One), x.rat), true}
	}
	if least := nothing(x.log); compare(y, least) < 0 {
		return least
	}
	return y
}

// edges are what [randomProblem] must reach.
var edges = []struct {
	name    string
	reached func(p problem) bool
}{
	{"eps 0", anyEps("0", "1")},
	{"eps huge", anyEps("800", "1000000")},
	{"eps near 0", anyEps("1e-9", "1.000000001")},
	{"delta 0", anyDelta("0")},
	{"delta 1", anyDelta("1")},
	{"delta 1e-30", anyDelta("1e-30")},
	{"delta 1e-300", anyDelta("1e-300")},
	{"delta smooth", func(p problem) bool {
		return len(p.mechanisms[0].delta.RatString()) < 9 && !p.mechanisms[0].delta.IsInt()
	}},
	{"one mechanism", func(p problem) bool { return p.length() == 1 }},
	{"most mechanisms", func(p problem) bool { return p.length() == 8 }},
	{"one stop after several mechanisms", func(p problem) bool { return len(p.stops) == 1 && p.length() > 1 }},
	{"a stop after each of several mechanisms", func(p problem) bool {
		return len(p.stops) == p.length() &&
			p.length() > 1
	}},
	{"four stops", func(p problem) bool { return len(p.stops) == 4 }},
	{"count above 1", func(p problem) bool { return len(p.mechanisms) < p.length() }},
	{"equal eps, apart", func(p problem) bool {
		n := len(p.mechanisms)
		return n > 2 && compare(p.mechanisms[0].eps, p.mechanisms[n-1].eps) == 0
	}},
	{"charge 0", anyCharge(func(p problem, i int) bool { return p.stops[i].eps.isZero() })},
	{"charge huge", anyCharge(func(p problem, i int) bool { return p.stops[i].eps.rat.Cmp(rat.Of("1000000")) == 0 })},
	{"equal charges", anyCharge(func(p problem, i int) bool {
		return i > 0 && compare(p.stops[i-1].eps,
			p.stops[i].eps) == 0
	})},
	{"decreasing charges", anyCharge(func(p problem, i int) bool {
		return i > 0 && compare(p.stops[i-1].eps,
			p.stops[i].eps) > 0
	})},
	{"increasing charges", anyCharge(func(p problem, i int) bool {
		return i > 0 && compare(p.stops[i-1].eps,
			p.stops[i].eps) < 0
	})},
	{"charge is a loss", anyCharge(func(p problem, i int) bool { return distance(p, i).Sign() == 0 })},
	{"charge is a loss within 1e-14", anyCharge(func(p problem, i int) bool {
		d := distance(p, i)
		return d.Sign() > 0 && d.Cmp(rat.Of("1e-14")) < 0
	})},
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

// isZero reports whether x is 0.
func (x number) isZero() bool { return compare(x, nothing(x.log)) == 0 }

// compare compares numbers that are given in the same way, and otherwise says -2.
func compare(x, y number) int {
	if x.log != y.log {
		return -2
	}
	return x.rat.Cmp(y.rat)
}

// distance returns how far charge i is from the nearest loss of at least 0 that
// its stop can have, found by going through all of them; relative for logarithms.
func distance(p problem, i int) *big.Rat {
	e := p.stops[i].eps
	losses := []number{nothing(e.log)}
	for _, m := range p.each()[:p.stops[i].after] {
		var next []number
		for _, x := range losses {
			if m.eps.log == e.log {
				next = append(next, x.and(m.eps, 1), x.and(m.eps, -1))
			}
		}
		losses = next
	}
	nearest := rat.Of("1e300")
	for _, x := range losses {
		d := rat.Sub(e.rat, x.rat)
		if d.Abs(d); x.log {
			d.Quo(d, e.rat)
		}
		nearest = rat.Min(nearest, d)
	}
	return nearest
}

// Every edge is reached by both dice and in all terms.
func TestGenerator(t *testing.T) {
	t.Parallel()
	const draws = 1500
	for _, terms := range []terms{ratios, decimals, mixed} {
		d, generator := register.Seeded(2), problems(terms, 8)
		var fromStream, fromSearch []problem
		for i := range draws {
			fromStream = append(fromStream, randomProblem(d, terms, 8))
			fromSearch = append(fromSearch, generator.Example(i))
		}
		for _, e := range edges {
			for name, ps := range map[string][]problem{"stream": fromStream, "search": fromSearch} {
				if !slices.ContainsFunc(ps, e.reached) {
					t.Errorf("%v: %q is in none of %d problems of the %s", terms, e.name, draws, name)
				}
			}
		}
	}
}
