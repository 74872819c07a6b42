package verify

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// problem is a pipeline that may end early, in no room's terms.
//
// As text it is its mechanisms, a bar, and its stops:
//
//	ln(3) 1/10 x2, 0.5 0 | 1 ln(2), 3 0.7
//
// has two mechanisms with e^ε = 3 and δ = 1/10, then one with ε = 0.5 and δ = 0;
// it may end after 1 and after 3, charged e^ℰ = 2 and ℰ = 0.7.
type problem struct {
	mechanisms []mechanism
	stops      []stop
}

// mechanism stands for count mechanisms, each (eps, delta)-DP.
type mechanism struct {
	eps   number
	delta *big.Rat
	count int
}

// stop is a point at which a problem may end, and its charge.
type stop struct {
	after int
	eps   number
}

// number is an ε ≥ 0: the rational number rat, or its logarithm.
type number struct {
	rat *big.Rat
	log bool
}

// length returns the number of mechanisms.
func (p problem) length() int {
	sum := 0
	for _, m := range p.mechanisms {
		sum += m.count
	}
	return sum
}

// each returns the mechanisms one by one.
func (p problem) each() []mechanism {
	var out []mechanism
	for _, m := range p.mechanisms {
		for range m.count {
			out = append(out, mechanism{m.eps, m.delta, 1})
		}
	}
	return out
}

// clone returns a copy of p whose lists can be changed.
func (p problem) clone() problem {
	return problem{slices.Clone(p.mechanisms), slices.Clone(p.stops)}
}

func (p problem) impl() impl.Pipeline {
	var out impl.Pipeline
	for _, m := range p.mechanisms {
		out.Mechanisms = append(out.Mechanisms, impl.Mechanism{Eps: m.eps.impl(), Delta: m.delta, Count: m.count})
	}
	for _, s := range p.stops {
		out.Stops = append(out.Stops, impl.Stop{After: s.after, Eps: s.eps.impl()})
	}
	return out
}

func (x number) impl() loss.Epsilon {
	if x.log {
		return loss.Exp(x.rat)
	}
	return loss.Nats(x.rat)
}

func (p problem) exhaustive() exhaustive.Pipeline {
	var out exhaustive.Pipeline
	for _, m := range p.each() {
		out.Mechanisms = append(out.Mechanisms, exhaustive.Mechanism{Eps: m.eps.exhaustive(), Delta: m.delta})
	}
	for _, s := range p.stops {
		out.Stops = append(out.Stops, exhaustive.Stop{After: s.after, Eps: s.eps.exhaustive()})
	}
	return out
}

func (x number) exhaustive() exhaustive.Epsilon { return exhaustive.Epsilon{Rat: x.rat, Exp: x.log} }

// spec needs every ε as a logarithm.
func (p problem) spec() spec.Pipeline {
	var out spec.Pipeline
	for _, m := range p.each() {
		out.Mechanisms = append(out.Mechanisms, spec.Mechanism{ExpEps: m.eps.rat, Delta: m.delta})
	}
	for _, s := range p.stops {
		out.Stops = append(out.Stops, spec.Stop{After: s.after, ExpEps: s.eps.rat})
	}
	return out
}

func (p problem) String() string {
	var mechanisms, stops []string
	for _, m := range p.mechanisms {
		mechanisms = append(mechanisms, m.String())
	}
	for _, s := range p.stops {
		stops = append(stops, s.String())
	}
	return strings.Join(mechanisms, ", ") + " | " + strings.Join(stops, ", ")
}

// GoString makes rapid report problems as text.
func (p problem) GoString() string { return p.String() }

func (m mechanism) String() string {
	s := m.eps.String() + " " + short(m.delta)
	if m.count > 1 {
		s += fmt.Sprint(" x", m.count)
	}
	return s
}

func (s stop) String() string { return fmt.Sprint(s.after, " ", s.eps) }

func (x number) String() string {
	if x.log {
		return "ln(" + short(x.rat) + ")"
	}
	return short(x.rat)
}

// short returns r exactly, as a decimal where that is shorter.
func short(r *big.Rat) string {
	long := r.RatString()
	f, _ := r.Float64()
	decimal := strconv.FormatFloat(f, 'g', -1, 64)
	if back, ok := new(big.Rat).SetString(decimal); ok && back.Cmp(r) == 0 && len(decimal) < len(long) {
		return decimal
	}
	return long
}

// parse returns the problem written in s.
func parse(s string) problem {
	mechanisms, stops, _ := strings.Cut(s, "|")
	var p problem
	for text := range strings.SplitSeq(mechanisms, ",") {
		words := strings.Fields(text)
		m := mechanism{parseNumber(words[0]), rat.Of(words[1]), 1}
		if len(words) > 2 {
			m.count = parseInt(strings.TrimPrefix(words[2], "x"))
		}
		p.mechanisms = append(p.mechanisms, m)
	}
	for text := range strings.SplitSeq(stops, ",") {
		words := strings.Fields(text)
		p.stops = append(p.stops, stop{parseInt(words[0]), parseNumber(words[1])})
	}
	return p
}

func parseNumber(s string) number {
	if inner, log := strings.CutPrefix(s, "ln("); log {
		return number{rat.Of(strings.TrimSuffix(inner, ")")), true}
	}
	return number{rat.Of(s), false}
}

func parseInt(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
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

// isZero reports whether x is 0.
func (x number) isZero() bool { return compare(x, nothing(x.log)) == 0 }

// compare compares numbers that are given in the same way, and otherwise says -2.
func compare(x, y number) int {
	if x.log != y.log {
		return -2
	}
	return x.rat.Cmp(y.rat)
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

func TestProblemText(t *testing.T) {
	t.Parallel()
	const text = "ln(7/3) 0.1 x2, 1/2 0, 800 1e-300 | 1 ln(2), 3 0.123456789, 4 0"
	p := parse(text)
	if got := p.String(); got != text {
		t.Errorf("%s became %s", text, got)
	}
	if got := p.length(); got != 4 {
		t.Errorf("%s: length %d, want 4", text, got)
	}
	d := register.Seeded(1)
	for range 200 {
		p := randomProblem(d, terms(d.Roll(3)), 8)
		if diff := cmp.Diff(p.String(), parse(p.String()).String()); diff != "" {
			t.Error(diff)
		}
		if err := p.impl().Validate(); err != nil {
			t.Errorf("%v: %v", p, err)
		}
	}
}
