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

// eps returns a mechanism's ε.
func (m *maker) eps() number {
	kind, before := m.Roll(9), len(m.p.mechanisms)
	if kind == 4 && before > 0 {
		return m.p.mechanisms[m.Roll(before)].eps
	}
	if m.logs() {
		return number{m.ratio(kind), true}
	}
	return number{m.decimal(kind), false}
}

// ratio returns an e^ε.
func (m *maker) ratio(kind int) *big.Rat {
	switch kind {
	case 5:
		return rat.One
	case 6:
		return rat.Of("1000000")
	case 7:
		return rat.Of("1.000000001")
	case 8: // powers of 3/2 share a lattice
		return []*big.Rat{rat.Of("3/2"), rat.Of("9/4"), rat.Of("27/8")}[m.Roll(3)]
	}
	den := int64(1 + m.Roll(20))
	return big.NewRat(den+1+int64(m.Roll(30)), den)
}

// decimal returns an ε.
func (m *maker) decimal(kind int) *big.Rat {
	switch kind {
	case 5:
		return rat.Of("0")
	case 6:
		return rat.Of("800")
	case 7:
		return rat.Of("1e-9")
	case 8:
		return big.NewRat(int64(1+m.Roll(4)), 4)
	}
	return big.NewRat(int64(1+m.Roll(3000)), 1000)
}

// delta returns a δ.
func (m *maker) delta() *big.Rat {
	switch kind := m.Roll(20); kind {
	case 15:
		return rat.Of("1e-9")
	case 16:
		return rat.Of("1e-30")
	case 17:
		return rat.Of("1e-300")
	case 18:
		return rat.One
	default:
		if kind < 10 {
			return rat.Of("0")
		}
		return big.NewRat(int64(1+m.Roll(300)), 1000)
	}
}

// charge returns the charge of a stop after so many mechanisms.
func (m *maker) charge(after int) number {
	tiny := []*big.Rat{rat.Of("0"), rat.Of("1e-15"), rat.Of("-1e-15")}
	loss, near := m.loss(after), big.NewRat(int64(m.Roll(1000)-500), 2000)
	before := len(m.p.stops)
	switch kind := m.Roll(12); kind {
	case 5, 6, 7:
		return loss.plus(tiny[kind-5])
	case 8:
		return number{rat.One, true}.in(m.terms)
	case 9:
		return number{rat.Of("1000000"), loss.log}
	case 10, 11:
		if before > 0 {
			return m.p.stops[before-1].eps.plus([]*big.Rat{rat.Of("0"), rat.Of("-1/3")}[kind-10])
		}
	case 4:
		return number{m.ratio(0), true}.in(m.terms)
	}
	return loss.plus(near)
}

// in returns 0 or a logarithm in the given terms: 0, or ln(x) replaced by x.
func (x number) in(t terms) number {
	switch {
	case t != decimals:
		return x
	case x.rat.Cmp(rat.One) == 0:
		return number{rat.Of("0"), false}
	}
	return number{x.rat, false}
}

// loss returns a privacy loss, at least 0, that so many mechanisms can reach. In
// mixed terms it is that of those given in the same way as the first.
func (m *maker) loss(after int) number {
	sum := number{rat.Of("0"), false}
	if m.p.mechanisms[0].eps.log {
		sum = number{rat.One, true}
	}
	for _, x := range m.p.each()[:after] {
		if up := m.Roll(3) > 0; x.eps.log == sum.log {
			sum = sum.step(x.eps, up)
		}
	}
	return sum.abs()
}

// step returns x + e or x − e, both given in the same way.
func (x number) step(e number, up bool) number {
	switch {
	case x.log && up:
		return number{rat.Mul(x.rat, e.rat), true}
	case x.log:
		return number{rat.Quo(x.rat, e.rat), true}
	case up:
		return number{rat.Add(x.rat, e.rat), false}
	}
	return number{rat.Sub(x.rat, e.rat), false}
}

// abs returns |x|.
func (x number) abs() number {
	if x.log && x.rat.Cmp(rat.One) < 0 {
		return number{new(big.Rat).Inv(x.rat), true}
	}
	if !x.log && x.rat.Sign() < 0 {
		return number{new(big.Rat).Neg(x.rat), false}
	}
	return x
}

// plus returns x + d, or x + ln(1 + d) for a logarithm; never below 0.
func (x number) plus(d *big.Rat) number {
	out, least := rat.Add(x.rat, d), rat.Of("0")
	if x.log {
		out.Add(d, rat.One).Mul(out, x.rat)
		least = rat.One
	}
	if out.Cmp(least) < 0 {
		out = least
	}
	return number{out, x.log}
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
	{"a stop after each of several mechanisms", func(p problem) bool { return len(p.stops) == p.length() && p.length() > 1 }},
	{"four stops", func(p problem) bool { return len(p.stops) == 4 }},
	{"count above 1", func(p problem) bool { return len(p.mechanisms) < p.length() }},
	{"equal eps, apart", func(p problem) bool {
		n := len(p.mechanisms)
		return n > 2 && compare(p.mechanisms[0].eps, p.mechanisms[n-1].eps) == 0
	}},
	{"charge 0", anyCharge(func(p problem, i int) bool { return p.stops[i].eps.isZero() })},
	{"charge huge", anyCharge(func(p problem, i int) bool { return p.stops[i].eps.rat.Cmp(rat.Of("1000000")) == 0 })},
	{"equal charges", anyCharge(func(p problem, i int) bool { return i > 0 && compare(p.stops[i-1].eps, p.stops[i].eps) == 0 })},
	{"decreasing charges", anyCharge(func(p problem, i int) bool { return i > 0 && compare(p.stops[i-1].eps, p.stops[i].eps) > 0 })},
	{"increasing charges", anyCharge(func(p problem, i int) bool { return i > 0 && compare(p.stops[i-1].eps, p.stops[i].eps) < 0 })},
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
func (x number) isZero() bool {
	return x.log && x.rat.Cmp(rat.One) == 0 || !x.log && x.rat.Sign() == 0
}

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
	losses := []number{{rat.Of("0"), false}}
	if e.log {
		losses = []number{{rat.One, true}}
	}
	for _, m := range p.each()[:p.stops[i].after] {
		var next []number
		for _, x := range losses {
			if m.eps.log == e.log {
				next = append(next, x.step(m.eps, true), x.step(m.eps, false))
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
		if d.Cmp(nearest) < 0 {
			nearest = d
		}
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
