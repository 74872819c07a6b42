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
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
)

// bout is a filter or an odometer at random against a small menu: a small challenge. It knows how often each part of
// each mechanism was observed, or of some less. Names of parts say which mechanism they belong to.
type bout struct {
	menu     []ledger.Guarantee
	rounds   int
	expEps   *big.Rat
	isCoarse bool // whether it counts rounds only, whatever was played
	draw     func(most int, what string, about ...any) int
}

// observed is how often.
type observed [6]int

// drawBout draws one with up to so many parts a mechanism, and up to so many rounds; what the rule does is drawn when
// it is asked.
func drawBout(t *rapid.T, mostParts, mostRounds int) *bout {
	drawn := map[string]int{}
	b := &bout{draw: func(most int, what string, about ...any) int {
		key := fmt.Sprint(what, about)
		if _, met := drawn[key]; !met {
			drawn[key] = rapid.IntRange(0, most).Draw(t, key)
		}
		return drawn[key]
	}}
	base := rat.List("3/2", "2", "11/10")[b.draw(2, "base")]
	delta := rat.List("0", "0", "1/100", "1/3", "1")[b.draw(4, "delta")]
	for i := range 1 + b.draw(1, "menu") {
		if i > 0 && delta.Sign() > 0 {
			delta, mostRounds = new(big.Rat), min(mostRounds, 2) // 2^20 adversaries at most
		}
		g := ledger.Guarantee{Delta: delta}
		for k := range 1 + b.draw(mostParts-1, "parts", i) {
			eps := loss.Exp(rat.Power(base, b.draw(3, "eps", i, k)))
			g.Parts = append(g.Parts, ledger.Part{Name: string(rune('a' + 3*i + k)), Eps: eps})
		}
		if i > 0 && g.Worst().Equal(b.menu[0].Worst()) && b.menu[0].Delta.Sign() == 0 {
			break // rules tell mechanisms apart by their parameters
		}
		b.menu = append(b.menu, g)
	}
	if delta.Sign() > 0 || mostParts > 1 {
		mostRounds = min(mostRounds, 2)
	}
	b.rounds, b.isCoarse = b.draw(mostRounds, "rounds"), b.draw(1, "coarse") == 0
	b.expEps = rat.List("1", "3/2", "9/4", "1.7", "4")[b.draw(4, "e^ε")]
	return b
}

// worstPair is a mechanism with a loss of +ℰ in part j and of −ℰ in part k, and a loss of ±∞ with its δ; ℰ are given as
// e^ℰ. With one part it is randomized response.
func worstPair(g ledger.Guarantee, j, k int) exhaustive.Choice {
	up, down := g.Parts[j].Eps.Rat(), g.Parts[k].Eps.Rat()
	p := rat.Complement(g.Delta)
	if rat.Max(up, down).Cmp(rat.One) > 0 {
		p = rat.Quo(rat.Mul(p, rat.Sub(down, rat.One)), rat.Sub(down, new(big.Rat).Inv(up)))
	}
	q := rat.Sub(rat.Complement(g.Delta), p)
	c := exhaustive.Choice{Laws: [2][]*big.Rat{{p, q}, {rat.Quo(p, up), rat.Mul(q, down)}},
		Part: []int{j, k}, Delta: g.Delta}
	for _, part := range g.Parts {
		c.ExpE = append(c.ExpE, part.Eps.Rat())
	}
	if g.Delta.Sign() > 0 {
		c.Laws[0], c.Laws[1] = append(c.Laws[0], g.Delta, new(big.Rat)), append(c.Laws[1], new(big.Rat), g.Delta)
		c.Part = append(c.Part, 0, 0)
	}
	return c
}

// pairs returns the worst pairs of all mechanisms, and of which each is.
func (b *bout) pairs() (laws []exhaustive.Choice, of []int) {
	for i, g := range b.menu {
		for j := range g.Parts {
			for k := range g.Parts {
				laws, of = append(laws, worstPair(g, j, k)), append(of, i)
			}
		}
	}
	return laws, of
}

// mechanisms returns the menu without parts, each with its largest ε.
func (b *bout) mechanisms() (menu []impl.Mechanism, hasOneEach bool) {
	hasOneEach = true
	for _, g := range b.menu {
		menu = append(menu, impl.Mechanism{Eps: g.Worst(), Delta: g.Delta, Count: 1})
		hasOneEach = hasOneEach && len(g.Parts) == 1
	}
	return menu, hasOneEach
}

// counted is where a part of a mechanism is counted.
func (b *bout) counted(mechanism, part int) int {
	if b.isCoarse {
		return 0
	}
	return 3*mechanism + part
}

// counts says how often each was observed.
func (b *bout) counts(moves []exhaustive.Move, laws []exhaustive.Choice, of []int) (n observed) {
	for _, m := range moves {
		n[b.counted(of[m.Choice], laws[m.Choice].Part[m.Output])]++
	}
	return n
}

func (b *bout) admits(n observed, next int) bool { return b.draw(3, "admits", n, next) > 0 }

// reading is what an odometer shows.
func (b *bout) reading(n observed) float64 {
	return []float64{0, 0.1, 0.5, 0.7, 1, 2, math.Inf(1), -0.2}[b.draw(7, "reads", n)]
}

// index returns which mechanism it is.
func (b *bout) index(m impl.Mechanism) int {
	for i, g := range b.menu {
		if g.Worst().Equal(m.Eps) && g.Delta.Cmp(m.Delta) == 0 {
			return i
		}
	}
	panic("not of the menu")
}

func (b *bout) Start() any { return observed{} }

func (b *bout) Spend(memory any, m impl.Mechanism) (any, bool) {
	return b.SpendPart(memory, b.menu[b.index(m)], 0)
}

func (b *bout) SpendPart(memory any, g ledger.Guarantee, part int) (any, bool) {
	n, i := memory.(observed), int(g.Parts[0].Name[0]-'a')/3
	if !b.admits(n, i) {
		return nil, false
	}
	n[b.counted(i, part)]++
	return n, true
}

// boutOdometer is an odometer, which does not see parts.
type boutOdometer struct{ *bout }

func (o boutOdometer) Spend(memory any, m impl.Mechanism) any {
	n := memory.(observed)
	n[o.counted(o.index(m), 0)]++
	return n
}

func (o boutOdometer) Reading(memory any) interval.Float {
	return interval.Point(o.reading(memory.(observed)))
}

// checkWorst holds what a search finds against the worst case over n adversaries: it is contained, and told from less.
func checkWorst(t *rapid.T, want *big.Rat, n int, search func(ledger.ChallengeOptions) (*ledger.Challenge, error)) {
	got, err := search(ledger.ChallengeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !got.Worst.Contains(want) || got.Worst.RelWidth() > 1e-13 {
		t.Errorf("the worst is in [%g, %g], but %s = %s over %d adversaries", got.Worst.Lower, got.Worst.Upper,
			want.RatString(), want.FloatString(20), n)
	}
	for _, claim := range []*big.Rat{want, rat.Mul(want, big.NewRat(1e17-1, 1e17))} { // all is rational
		c, err := search(ledger.ChallengeOptions{Claim: claim})
		if holds := claim.Cmp(want) == 0; err != nil || c.Refuted && holds || c.Holds != holds {
			t.Errorf("the worst is %s, at most %s: %+v, %v", want.RatString(), claim.RatString(), c, err)
		}
	}
}

// bothWays are how to search with parts, and without.
type bothWays struct {
	withParts func(o ledger.ChallengeOptions) (*ledger.Challenge, error)
	without   func(menu []impl.Mechanism, o ledger.ChallengeOptions) (*ledger.Challenge, error)
}

// check holds both against the worst case, the second if mechanisms have one part each.
func (w bothWays) check(t *rapid.T, b *bout, want *big.Rat, n int, err error) {
	if err != nil {
		t.Fatal(err)
	}
	checkWorst(t, want, n, w.withParts)
	if menu, hasOneEach := b.mechanisms(); hasOneEach {
		checkWorst(t, want, n, func(o ledger.ChallengeOptions) (*ledger.Challenge, error) { return w.without(menu, o) })
	}
}

// TestExhaustive_ChallengeFilter: the interval holds the exact worst case over all adversaries, written down one by
// one, who play pairs of parts.
func TestExhaustive_ChallengeFilter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBout(t, rapid.IntRange(1, 2).Draw(t, "most parts"), amount(3, 4))
		laws, of := b.pairs()
		admits := func(moves []exhaustive.Move, next int) bool { return b.admits(b.counts(moves, laws, of), of[next]) }
		want, n, err := exhaustive.WorstAdversary(t.Context(), laws, b.rounds, admits, b.expEps)
		ways := bothWays{func(o ledger.ChallengeOptions) (*ledger.Challenge, error) {
			return ledger.ChallengeODPFilter(t.Context(), b.menu, b.rounds, b, loss.Exp(b.expEps), o)
		}, func(menu []impl.Mechanism, o ledger.ChallengeOptions) (*ledger.Challenge, error) {
			return ledger.ChallengeFilter(t.Context(), menu, b.rounds, b, loss.Exp(b.expEps), o)
		}}
		ways.check(t, b, want, n, err)
	})
}

// TestExhaustive_ChallengeOdometer is the same for odometers.
func TestExhaustive_ChallengeOdometer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBout(t, rapid.IntRange(1, 2).Draw(t, "most parts"), amount(3, 4))
		laws, of := b.pairs()
		for i := range laws { // parts do not count
			laws[i].ExpE, laws[i].Part = []*big.Rat{b.menu[of[i]].Worst().Rat()}, make([]int, len(laws[i].Part))
		}
		exceeds := func(moves []exhaustive.Move, x, y *big.Rat) bool {
			reading := b.reading(b.counts(moves, laws, of))
			return y.Sign() == 0 && reading < math.Inf(1) || y.Sign() > 0 && exceedsReading(rat.Quo(x, y), reading)
		}
		want, n, err := exhaustive.WorstExcess(t.Context(), laws, b.rounds, exceeds)
		ways := bothWays{func(o ledger.ChallengeOptions) (*ledger.Challenge, error) {
			return ledger.ChallengeODPOdometer(t.Context(), b.menu, b.rounds, boutOdometer{b}, o)
		}, func(menu []impl.Mechanism, o ledger.ChallengeOptions) (*ledger.Challenge, error) {
			return ledger.ChallengeOdometer(t.Context(), menu, b.rounds, boutOdometer{b}, o)
		}}
		ways.check(t, b, want, n, err)
	})
}

// exceedsReading reports whether ln(ratio) is above the reading, which is no such logarithm but for ratio 1.
func exceedsReading(ratio *big.Rat, reading float64) bool {
	if reading == 0 {
		return ratio.Cmp(rat.One) > 0
	}
	return math.Log(rat.Float64(ratio)) > reading
}

// always is a filter that admits everything.
type always struct{}

func (always) Start() any                                                  { return 0 }
func (always) Spend(memory any, _ impl.Mechanism) (any, bool)              { return memory, true }
func (always) SpendPart(memory any, _ ledger.Guarantee, _ int) (any, bool) { return memory, true }

// TestPair_ChallengeOptDel: with one mechanism and no refusals there is nothing to choose, and stopping early never
// pays: the worst δ is that of the optimal composition. That is another kernel, with another checker, and hundreds of
// rounds.
func TestPair_ChallengeOptDel(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0.1 1e-6 x300 | 300 4", "0.01 0 x1000 | 1000 1", "1 1e-9 x40 | 40 30",
		"0.3 1e-3 x100 | 100 0",
		"20 0 x8 | 8 100", "0.5 0 x60 | 60 29.7"} {
		p := parse(text).impl()
		once := p.Mechanisms[0]
		once.Count = 1
		got, err := ledger.ChallengeFilter(t.Context(), []impl.Mechanism{once}, p.Mechanisms[0].Count, always{},
			p.Stops[0].Eps, ledger.ChallengeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := impl.OptDel(t.Context(), p, impl.Options{RelWidth: 1e-11})
		if err != nil {
			t.Fatal(err)
		}
		if x, y := got.Worst, want.OptDel; !rat.Meet(x, y) || x.RelWidth() > 1e-9 || y.RelWidth() > 1e-9 {
			t.Errorf("%s: the worst is in [%g, %g], OptDel in [%g, %g]", text, x.Lower, x.Upper, y.Lower, y.Upper)
		}
	}
}

// TestLaw_WorstPairs: no ODP mechanism with the same guarantee does better, whatever its laws are.
func TestLaw_WorstPairs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := drawBout(t, 2, 2)
		parts := len(b.menu[0].Parts)
		law := exhaustive.Choice{Delta: new(big.Rat), ExpE: rat.List("1", "1")[:parts]}
		for i := range 3 {
			law.Part = append(law.Part, b.draw(parts-1, "part", i))
			for side := range 2 {
				law.Laws[side] = append(law.Laws[side], big.NewRat(int64(1+b.draw(29, "mass", i, side)), 1))
			}
		}
		for side, masses := range law.Laws {
			total := rat.Sum(masses...)
			for i, p := range masses {
				law.Laws[side][i] = rat.Quo(p, total)
			}
		}
		// the guarantee that these laws have: ℰ of a part is its largest ratio, but for a δ; rounded up to two digits
		g := ledger.Guarantee{Delta: new(big.Rat)}
		for k := range law.ExpE {
			for i, part := range law.Part {
				if ratio := rat.Quo(law.Laws[0][i], law.Laws[1][i]); part == k {
					law.ExpE[k] = rat.Max(law.ExpE[k], ratio, new(big.Rat).Inv(ratio))
				}
			}
			up := int64(math.Ceil(math.Log(rat.Float64(law.ExpE[k]))*100 + 1e-9))
			g.Parts = append(g.Parts, ledger.Part{Name: string(rune('a' + k)), Eps: loss.Nats(big.NewRat(up, 100))})
		}
		b.menu = []ledger.Guarantee{g}
		got, err := ledger.ChallengeODPFilter(t.Context(), b.menu, 2, b, loss.Exp(b.expEps), ledger.ChallengeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		laws, of := []exhaustive.Choice{law}, []int{0}
		own, n, err := exhaustive.WorstAdversary(t.Context(), laws, 2, func(moves []exhaustive.Move, next int) bool {
			return b.admits(b.counts(moves, laws, of), 0)
		}, b.expEps)
		if err != nil || new(big.Float).SetRat(own).Cmp(got.Worst.Upper) > 0 {
			t.Errorf("laws of its own get %s over %d adversaries, pairs %g: %v",
				own.FloatString(12), n, got.Worst.Upper, err)
		}
	})
}
