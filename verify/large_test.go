package verify

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// largeMaker makes one problem with large losses.
type largeMaker struct {
	register.Dice
	p     problem
	units []number
}

// largeProblem returns a problem with 1 … most mechanisms whose losses may reach thousands, with
// one unit or several, up to 60 stops close together or far apart, and charges from far below the
// mean loss to the largest one. TestLarge lists what it reaches.
func largeProblem(d register.Dice, most int) problem {
	m := largeMaker{Dice: d}
	m.units = m.family()
	total := int(math.Exp(m.between(0, math.Log(float64(most)+1))))
	parts := 1 + m.Roll(6)
	if total <= 60 && m.Roll(4) == 0 {
		parts = total
	}
	for left := total; left > 0; parts-- {
		count := left
		if parts > 1 {
			count = 1 + m.Roll(left)
		}
		m.p.mechanisms = append(m.p.mechanisms, mechanism{m.eps(), m.delta(), count})
		left -= count
	}
	m.stops(total)
	return m.p
}

// between returns a number in [lo, hi).
func (m *largeMaker) between(lo, hi float64) float64 {
	return lo + (hi-lo)*float64(m.Roll(1<<20))/(1<<20)
}

// family returns what ε are multiples of: most often of one number.
func (m *largeMaker) family() []number {
	nats := []string{"0.001", "0.01", "0.05", "1/7", "0.25", "0.5", "1", "1", "1.7", "3", "3", "7.25", "20"}
	logs := []string{"1.001", "1.1", "3/2", "2", "3", "10", "1000"}
	one := func() number {
		if m.Roll(4) == 0 {
			return number{rat.Of(logs[m.Roll(len(logs))]), true}
		}
		return number{rat.Of(nats[m.Roll(len(nats))]), false}
	}
	first := one()
	if m.Roll(5) > 0 {
		return []number{first}
	}
	return []number{first, one(), number{big.NewRat(int64(1+m.Roll(3_000_000)), 1_000_000), false}}
}

// eps returns an ε.
func (m *largeMaker) eps() number {
	unit, times := m.units[m.Roll(len(m.units))], 1
	switch m.Roll(6) {
	case 0:
		times = m.Roll(4)
	case 1:
		times = 1 + m.Roll(9)
	case 2:
		if len(m.p.mechanisms) > 0 {
			times = 1 + m.Roll(40)
		}
	}
	return unit.times(times)
}

// delta returns a δ from 0 to 1/2.
func (m *largeMaker) delta() *big.Rat {
	few := []string{"0", "0", "0", "0", "0", "1e-300", "1e-30", "1e-12", "1e-6", "0.001", "0.5"}
	if i := m.Roll(len(few) + 1); i < len(few) {
		return rat.Of(few[i])
	}
	return big.NewRat(int64(m.Roll(501)), 1000)
}

// stops sets the stops.
func (m *largeMaker) stops(total int) {
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
	kind := m.Roll(8)
	for _, after := range slices.Compact(places) {
		if m.Roll(3) == 0 {
			kind = m.Roll(8)
		}
		m.p.stops = append(m.p.stops, stop{after, m.charge(after, kind)})
	}
}

// charge returns the charge of a stop.
func (m *largeMaker) charge(after, kind int) number {
	mean, deviation, most := m.p.moments(after)
	e := 0.0
	switch kind {
	case 0:
		e = m.between(0, mean)
	case 1, 2, 3:
		e = mean + m.between(-8, 8)*deviation
	case 4:
		e = most - m.between(0, 4)
	case 5:
		e = m.between(mean, most)
	case 6: // a loss that can be reached, or next to it
		return m.loss(after).plus(rat.Of([]string{"0", "0", "1e-12", "-1e-12", "-0.001"}[m.Roll(5)]))
	case 7:
		if n := len(m.p.stops); n > 0 { // as much as before, or less
			return m.p.stops[n-1].eps.plus(rat.Of([]string{"0", "-0.01", "-3"}[m.Roll(3)]))
		}
	}
	r := big.NewRat(int64(max(0, e)*1000), 1000)
	if e < 30 && m.Roll(8) == 0 {
		return number{big.NewRat(int64(math.Exp(max(0, e))*1000)+1, 1000), true}
	}
	return number{r, false}
}

// moments returns about the mean and the standard deviation of the loss after so many mechanisms,
// and the largest one.
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

// float returns about x.
func (x number) float() float64 {
	f, _ := x.rat.Float64()
	switch {
	case x.log && f < math.Inf(1):
		return math.Log(f)
	case x.log: // a logarithm that is known to be a multiple would be better
		return float64(x.rat.Num().BitLen()-x.rat.Denom().BitLen()) * math.Ln2
	}
	return f
}

// loss returns a loss that so many mechanisms can reach, at least 0, if all ε are given in the same
// way; logarithms are too long when there are many of them.
func (m *largeMaker) loss(after int) number {
	sum := nothing(false)
	for _, x := range m.p.mechanisms {
		n := min(after, x.count)
		after -= n
		if x.eps.log {
			if n > 30 || len(m.p.mechanisms) > 1 {
				return nothing(true)
			}
			return x.eps.times(n - 2*m.Roll(n/2+1))
		}
		sum = sum.and(x.eps, n-2*m.Roll(n/2+1))
	}
	return sum.abs()
}

// features are what [largeProblem] must reach.
var features = []struct {
	name    string
	reached func(p problem) bool
}{
	{"many mechanisms", func(p problem) bool { return p.length() > 1500 }},
	{"one mechanism", func(p problem) bool { return p.length() == 1 }},
	{"losses in the thousands", func(p problem) bool { _, _, most := p.moments(p.length()); return most > 3000 }},
	{"no unit", func(p problem) bool { _, _, ok := p.unit(); return !ok }},
	{"several different eps", func(p problem) bool { return p.different() > 3 }},
	{"dozens of stops", func(p problem) bool { return len(p.stops) > 24 }},
	{"stops side by side", func(p problem) bool { return len(p.stops) > 1 && p.stops[1].after == p.stops[0].after+1 }},
	{"charge far below the mean", charged(func(e, mean, deviation, most float64) bool {
		return deviation > 0 &&
			e < mean-20*deviation
	})},
	{"charge near the mean", charged(func(e, mean, deviation, most float64) bool { return math.Abs(e-mean) < deviation/2 })},
	{"charge far above the mean", charged(func(e, mean, deviation, most float64) bool {
		return e > mean+7*deviation &&
			e < most
	})},
	{"charge near the largest loss", charged(func(e, mean, deviation, most float64) bool {
		return e > most-1 && e < most &&
			most > 100
	})},
	{"decreasing charges", func(p problem) bool {
		return len(p.stops) > 1 &&
			p.stops[1].eps.float() < p.stops[0].eps.float()
	}},
	{"half of the mass lost", anyDelta("0.5")},
	{"eps 0", anyEps("0", "1")},
	{"eps in both ways", func(p problem) bool {
		return slices.ContainsFunc(p.mechanisms, func(m mechanism) bool { return m.eps.log != p.mechanisms[0].eps.log })
	}},
	{"charge in another way than eps", func(p problem) bool { return p.stops[0].eps.log != p.mechanisms[0].eps.log }},
}

// different returns how many different ε there are.
func (p problem) different() int {
	known := map[string]bool{}
	for _, m := range p.mechanisms {
		known[m.eps.String()] = true
	}
	return len(known)
}

func charged(is func(e, mean, deviation, most float64) bool) func(problem) bool {
	return anyCharge(func(p problem, i int) bool {
		mean, deviation, most := p.moments(p.stops[i].after)
		return is(p.stops[i].eps.float(), mean, deviation, most)
	})
}

func TestLarge(t *testing.T) {
	t.Parallel()
	var ps []problem
	for i := range 1000 {
		ps = append(ps, largeProblem(register.Seeded(uint64(i)), 2000))
		if err := ps[i].impl().Validate(); err != nil {
			t.Errorf("%v: %v", ps[i], err)
		}
	}
	for _, f := range features {
		n := 0
		for _, p := range ps {
			if f.reached(p) {
				n++
			}
		}
		t.Logf("%3d %s", n, f.name)
		if n < 5 {
			t.Errorf("%q is in %d of 1000 problems", f.name, n)
		}
	}
}
