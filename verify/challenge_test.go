package verify

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// bout is a rule, by what it says after so many of each mechanism, against a menu: a small challenge.
type bout struct {
	menu     []impl.Mechanism // ε are powers of base
	rounds   int
	expEps   *big.Rat
	admitted map[string]bool    // by how often each was played, and which comes
	readings map[string]float64 // by how often each was played
	isCoarse bool               // whether the rule counts rounds only, whatever was played
}

// bouts are random challenges, of a menu of 1 or 2 mechanisms.
func bouts(t *rapid.T) *bout {
	base := rapid.SampledFrom([]string{"3/2", "2", "11/10"}).Draw(t, "base")
	b := &bout{admitted: map[string]bool{}, readings: map[string]float64{}}
	outputs := 0
	for i := range rapid.IntRange(1, 2).Draw(t, "menu") {
		power := rapid.IntRange(0, 3).Draw(t, fmt.Sprint("power", i))
		delta := rapid.SampledFrom([]string{"0", "0", "1/100", "1/3", "1"}).Draw(t, fmt.Sprint("delta", i))
		m := impl.Mechanism{Eps: loss.Exp(powerOf(base, power)), Delta: rat(delta), Count: 1}
		if i > 0 && m.Eps.Equal(b.menu[0].Eps) && m.Delta.Cmp(b.menu[0].Delta) == 0 {
			break // the rules below tell mechanisms apart by their parameters
		}
		b.menu = append(b.menu, m)
		outputs = max(outputs, map[bool]int{true: 2, false: 4}[delta == "0"])
	}
	most := 4 // rounds, with at most 2^20 adversaries
	switch {
	case outputs > 2:
		most = 2
	case len(b.menu) > 1:
		most = 3
	}
	b.isCoarse = rapid.Bool().Draw(t, "coarse")
	b.rounds = rapid.IntRange(0, most).Draw(t, "rounds")
	b.expEps = rapid.SampledFrom([]*big.Rat{rat("1"), rat("3/2"), rat("9/4"), rat("1.7"), rat("4")}).Draw(t, "exp_eps")
	return b
}

func powerOf(base string, n int) *big.Rat {
	x := rat("1")
	for range n {
		x = new(big.Rat).Mul(x, rat(base))
	}
	return x
}

// law is randomized response in the words of exhaustive: outputs that have a probability.
func responseChoice(m impl.Mechanism) exhaustive.Choice {
	e := m.Eps.Rat()
	rest := new(big.Rat).Sub(rat("1"), m.Delta)
	rest.Quo(rest, new(big.Rat).Add(e, rat("1")))
	often := new(big.Rat).Mul(rest, e)
	c := exhaustive.Choice{Laws: [2][]*big.Rat{{often, rest}, {rest, often}}, Part: []int{0, 0}, ExpE: []*big.Rat{e}, Delta: m.Delta}
	if m.Delta.Sign() > 0 {
		c.Laws[0] = append(c.Laws[0], m.Delta, rat("0"))
		c.Laws[1] = append(c.Laws[1], rat("0"), m.Delta)
		c.Part = append(c.Part, 0, 0)
	}
	return c
}

func (b *bout) choices() (menu []exhaustive.Choice) {
	for _, m := range b.menu {
		menu = append(menu, responseChoice(m))
	}
	return menu
}

// played says how often each mechanism was played, as far as the rule knows.
func (b *bout) played(moves []exhaustive.Move) (n [2]int) {
	for _, m := range moves {
		n[b.counted(m.Choice)]++
	}
	return n
}

// counted is where a mechanism is counted.
func (b *bout) counted(choice int) int {
	if b.isCoarse {
		return 0
	}
	return choice
}

// countFilter is a filter that remembers how often each mechanism of a menu was played.
type countFilter struct {
	*bout
	admits func(played [2]int, next int) bool
	read   func(played [2]int) interval.Float
}

func (f countFilter) index(m impl.Mechanism) int {
	for i, c := range f.menu {
		if c.Eps.Equal(m.Eps) && c.Delta.Cmp(m.Delta) == 0 {
			return i
		}
	}
	panic("not of the menu")
}

func (f countFilter) Start() any { return [2]int{} }

func (f countFilter) Spend(memory any, m impl.Mechanism) (any, bool) {
	n, i := memory.([2]int), f.index(m)
	if !f.admits(n, i) {
		return nil, false
	}
	n[f.counted(i)]++
	return n, true
}

// countOdometer is the same with a reading.
type countOdometer struct{ countFilter }

func (o countOdometer) Spend(memory any, m impl.Mechanism) any {
	after, _ := o.countFilter.Spend(memory, m)
	return after
}

func (o countOdometer) Reading(memory any) interval.Float { return o.read(memory.([2]int)) }

// random returns a filter that admits at random, but always the same, and reads at random.
func (b *bout) random(t *rapid.T) countFilter {
	return countFilter{
		bout: b,
		admits: func(n [2]int, next int) bool {
			key := fmt.Sprint(n, next)
			if _, drawn := b.admitted[key]; !drawn {
				b.admitted[key] = rapid.IntRange(0, 3).Draw(t, "admits"+key) > 0
			}
			return b.admitted[key]
		},
		read: func(n [2]int) interval.Float {
			key := fmt.Sprint(n)
			if _, drawn := b.readings[key]; !drawn {
				b.readings[key] = rapid.SampledFrom([]float64{0, 0.1, 0.5, 0.7, 1, 2, math.Inf(1), -0.2}).Draw(t, "reads"+key)
			}
			return interval.Point(b.readings[key])
		},
	}
}

// propChallengeFilter: the interval holds the exact worst case over all adversaries, written down one by one,
// and is narrow.
func propChallengeFilter(t *rapid.T) {
	b := bouts(t)
	f := b.random(t)
	got, err := impl.ChallengeFilter(t.Context(), b.menu, b.rounds, f, loss.Exp(b.expEps), impl.ChallengeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, n, err := exhaustive.WorstAdversary(t.Context(), b.choices(), b.rounds,
		func(moves []exhaustive.Move, next int) bool { return f.admits(b.played(moves), next) }, b.expEps)
	if err != nil {
		t.Fatal(err)
	}
	compareWorst(t, got, want, n)
}

// propChallengeOdometer is the same for odometers.
func propChallengeOdometer(t *rapid.T) {
	b := bouts(t)
	o := countOdometer{b.random(t)}
	o.admits = func([2]int, int) bool { return true }
	got, err := impl.ChallengeOdometer(t.Context(), b.menu, b.rounds, o, impl.ChallengeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, n, err := exhaustive.WorstExcess(t.Context(), b.choices(), b.rounds, func(moves []exhaustive.Move, x, y *big.Rat) bool {
		reading := o.read(b.played(moves)).Lo
		if y.Sign() == 0 {
			return reading < math.Inf(1)
		}
		return exceedsReading(new(big.Rat).Quo(x, y), reading)
	})
	if err != nil {
		t.Fatal(err)
	}
	compareWorst(t, got, want, n)
}

// exceedsReading reports whether ln(ratio) is above the reading, which is no such logarithm but for ratio 1.
func exceedsReading(ratio *big.Rat, reading float64) bool {
	if reading == 0 {
		return ratio.Cmp(rat("1")) > 0
	}
	f, _ := ratio.Float64()
	return math.Log(f) > reading
}

func compareWorst(t *rapid.T, got *impl.Challenge, want *big.Rat, n int) {
	if !got.Worst.Contains(want) || got.Worst.RelWidth() > 1e-13 {
		t.Errorf("the worst is in [%g, %g], but %s = %s over %d adversaries", got.Worst.Lower, got.Worst.Upper, want.RatString(), want.FloatString(20), n)
	}
}

func TestExhaustive_ChallengeFilter(t *testing.T) { rapid.Check(t, propChallengeFilter) }
func TestExhaustive_ChallengeOdometer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, propChallengeOdometer)
}

// TestPair_ChallengeRational: the same as the exact search for more rounds, where that merges what is equal.
func TestPair_ChallengeRational(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := bouts(t)
		b.isCoarse = rapid.Bool().Draw(t, "coarse")
		b.rounds = rapid.IntRange(0, 6).Draw(t, "more rounds")
		f := b.random(t)
		var menu []impl.Choice
		for i, c := range b.choices() {
			outputs := []string{"a", "b", "c", "d"}[:len(c.Part)]
			menu = append(menu, impl.Choice{Name: fmt.Sprint(i), Outputs: outputs, Laws: c.Laws, Part: c.Part, ExpE: c.ExpE, Delta: c.Delta})
		}
		count := func(state []*big.Rat) [2]int { return [2]int{int(state[0].Num().Int64()), int(state[1].Num().Int64())} }
		number := func(c *impl.Choice) int { return int(c.Name[0] - '0') }
		rule := impl.Rule{
			Start:  []*big.Rat{rat("0"), rat("0")},
			Admits: func(state []*big.Rat, c *impl.Choice) bool { return f.admits(count(state), number(c)) },
			Next: func(state []*big.Rat, c *impl.Choice, _ int) []*big.Rat {
				next := []*big.Rat{state[0], state[1]}
				i := b.counted(number(c))
				next[i] = new(big.Rat).Add(next[i], rat("1"))
				return next
			},
		}
		want, _, err := impl.WorstAdversary(t.Context(), menu, b.rounds, rule, b.expEps)
		if err != nil {
			t.Fatal(err)
		}
		got, err := impl.ChallengeFilter(t.Context(), b.menu, b.rounds, f, loss.Exp(b.expEps), impl.ChallengeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		compareWorst(t, got, want, 0)
	})
}

// always is a filter that admits everything.
type always struct{}

func (always) Start() any                                     { return 0 }
func (always) Spend(memory any, _ impl.Mechanism) (any, bool) { return memory, true }

// TestPair_ChallengeOptDel: with one mechanism and no refusals there is nothing to choose, and stopping early never pays:
// the worst δ is that of the optimal composition. That is another kernel, with another checker, and hundreds of rounds.
func TestPair_ChallengeOptDel(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		eps, delta string
		rounds     int
		at         string
	}{{"0.1", "1e-6", 300, "4"}, {"0.01", "0", 1000, "1"}, {"1", "1e-9", 40, "30"}, {"0.3", "1e-3", 100, "0"}, {"20", "0", 8, "100"}, {"0.5", "0", 60, "29.7"}} {
		m := impl.Mechanism{Eps: loss.Nats(rat(test.eps)), Delta: rat(test.delta), Count: 1}
		got, err := impl.ChallengeFilter(t.Context(), []impl.Mechanism{m}, test.rounds, always{}, loss.Nats(rat(test.at)), impl.ChallengeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m.Count = test.rounds
		pipeline := impl.Pipeline{Mechanisms: []impl.Mechanism{m}, Stops: []impl.Stop{{After: test.rounds, Eps: loss.Nats(rat(test.at))}}}
		want, err := impl.OptDel(t.Context(), pipeline, impl.Options{RelWidth: 1e-11})
		if err != nil {
			t.Fatal(err)
		}
		if x, y := got.Worst, want.OptDel; x.Lower.Cmp(y.Upper) > 0 || y.Lower.Cmp(x.Upper) > 0 || x.RelWidth() > 1e-9 || y.RelWidth() > 1e-9 {
			t.Errorf("%+v: the worst is in [%g, %g], OptDel in [%g, %g]", test, x.Lower, x.Upper, y.Lower, y.Upper)
		}
	}
}
