package stopping

import (
	"math/big"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

func TestNewLattice(t *testing.T) {
	t.Parallel()
	step := func(e loss.Epsilon, n int) certify.Mechanism { return response(e, new(big.Rat), n) }
	nats := func(s string) loss.Epsilon { return loss.Nats(rational.MustParse(s)) }
	exp := func(s string) loss.Epsilon { return loss.Exp(rational.MustParse(s)) }
	for _, c := range []struct {
		name  string
		steps []certify.Mechanism
		unit  string
		span  []int
	}{
		{"equal", []certify.Mechanism{step(nats("0.1"), 5), step(nats("0.1"), 1)}, "1/5", []int{1}},
		{"decimals", []certify.Mechanism{step(nats("0.15"), 1), step(nats("0.1"), 1)}, "1/10", []int{3, 2}},
		{"zero", []certify.Mechanism{step(nats("0"), 1), step(nats("0.1"), 1)}, "1/5", []int{0, 1}},
		{"all zero", []certify.Mechanism{step(nats("0"), 1), step(exp("1"), 1)}, "1", []int{0, 0}},
		{"powers", []certify.Mechanism{step(exp("27/8"), 1), step(exp("9/4"), 1)}, "ln(9/4)", []int{3, 2}},
		{"zero among powers", []certify.Mechanism{step(nats("0"), 1), step(exp("9/4"), 1)}, "ln(81/16)", []int{0, 1}},
		{"independent", []certify.Mechanism{step(exp("2"), 1), step(exp("3"), 1)}, "", nil},
		{"mixed", []certify.Mechanism{step(exp("2"), 1), step(nats("1"), 1)}, "", nil},
		{"too fine", []certify.Mechanism{step(nats("1e-9"), 1), step(nats("1"), 1)}, "", nil},
		{"too long", []certify.Mechanism{step(nats("1e-6"), 1), step(nats("1"), 30)}, "", nil},
	} {
		end := 0
		for _, m := range c.steps {
			end += m.Count
		}
		stops := []certify.Stop{{After: end, Eps: nats("0")}}
		l, ok := newLattice(New(certify.Problem{Mechanisms: c.steps, Stops: stops}))
		if ok != (c.unit != "") {
			t.Errorf("%s: found is %v", c.name, ok)
			continue
		}
		if !ok {
			continue
		}
		if l.unit.String() != c.unit {
			t.Errorf("%s: unit is %s, want %s", c.name, l.unit, c.unit)
		}
		for i, n := range c.span {
			if l.span[i] != n {
				t.Errorf("%s: spans %v, want %v", c.name, l.span, c.span)
			}
		}
	}
}

// Powers are found whatever their exponents are, and long numbers that are none do not take long.
func TestMultiplicativeGCD(t *testing.T) {
	t.Parallel()
	power := func(text string, n int) *big.Rat { return rational.Power(rational.MustParse(text), n) }
	for _, c := range []struct {
		x, y *big.Rat
		unit string
	}{
		{power("2", 1300), power("2", 1), "2"},
		{power("3/2", 600), power("3/2", 85), "243/32"},
		{power("3/2", 35), power("3/2", 14), "2187/128"},
		{power("10/9", 1999), power("10/9", 1998), "10/9"},
		{power("2", 7), power("3", 5), "none"},
		{power("1.0000000000000000000001", 1), power("2", 1), "none"},
		{power("2", 3000), new(big.Rat).Add(power("2", 1500), rational.One), "none"},
	} {
		r, ok := multiplicativeGCD(c.x, c.y)
		if ok != (c.unit != "none") {
			t.Errorf("gcd of %.9g… and %.9g…: found is %v", rational.Float64(c.x), rational.Float64(c.y), ok)
			continue
		}
		if !ok {
			continue
		}
		for _, x := range []*big.Rat{c.x, c.y} {
			if n, ok := ratio(loss.Exp(x), loss.Exp(r)); !ok || rational.Power(r, n).Cmp(x) != 0 {
				t.Errorf("%v is no power of %v, says %d", x, r, n)
			}
		}
		if c.unit != "" && r.RatString() != c.unit {
			t.Errorf("unit %v, want %s", r, c.unit)
		}
	}
}

// unrelated returns a law of n outputs whose losses have nothing in common.
func unrelated(n int) (law certify.Law) {
	sum := 0
	for i := range n {
		sum += 1003 + 7*i*i
	}
	for i := range n {
		law = append(law, [2]*big.Rat{big.NewRat(int64(1003+7*i*i), int64(sum)), big.NewRat(1, int64(n))})
	}
	return law
}

// Two steps with twenty losses each have at most 20·21/2 sums, and a grid costs the more, the more losses a law has.
func TestCosts(t *testing.T) {
	t.Parallel()
	of := func(n, count int) Problem {
		return New(certify.Problem{
			Mechanisms: []certify.Mechanism{{Law: unrelated(n), Count: count}},
			Stops:      []certify.Stop{{After: count, Eps: loss.Nats(new(big.Rat))}},
		})
	}
	if n := of(20, 3).states(nil); n < 20+20*20+210*20-2*(1+20+210) || n > 20+20*20+210*20 {
		t.Errorf("%g states times atoms", n)
	}
	few, many := &solver{problem: of(3, 50), Options: Options{RelWidth: 1e-9}},
		&solver{problem: of(200, 50), Options: Options{RelWidth: 1e-9}}
	if x, y := few.gridCost(1e-9), many.gridCost(1e-9); y < 20*x {
		t.Errorf("50 laws of 3 outputs cost %g, of 200 outputs %g", x, y)
	}
	if x, y := few.affordable(), many.affordable(); x > y || y <= 1e-9 {
		t.Errorf("50 laws of 3 outputs can afford %g, of 200 outputs %g", x, y)
	}
}
