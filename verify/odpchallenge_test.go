package verify

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// partNames are the names of parts, in their order.
var partNames = []string{"a", "b", "c"}

// guaranteeOf returns a guarantee with these parts.
func guaranteeOf(delta *big.Rat, parts ...loss.Epsilon) impl.Guarantee {
	g := impl.Guarantee{Delta: delta}
	for i, e := range parts {
		g.Parts = append(g.Parts, impl.Part{Name: partNames[i], Eps: e})
	}
	return g
}

// worstPair is a mechanism with a loss of +ℰ in part j and of −ℰ in part k, and a loss of ±∞ with its δ; ℰ are given as e^ℰ.
func worstPair(g impl.Guarantee, j, k int) exhaustive.Choice {
	up, down := g.Parts[j].Eps.Rat(), g.Parts[k].Eps.Rat()
	one, rest := rat("1"), new(big.Rat).Sub(rat("1"), g.Delta)
	p := rat("1")
	if up.Cmp(one) > 0 || down.Cmp(one) > 0 {
		p.Quo(new(big.Rat).Sub(down, one), new(big.Rat).Sub(down, new(big.Rat).Inv(up)))
	}
	p.Mul(p, rest)
	q := new(big.Rat).Sub(rest, p)
	c := exhaustive.Choice{Laws: [2][]*big.Rat{{p, q}, {new(big.Rat).Quo(p, up), new(big.Rat).Mul(q, down)}}, Part: []int{j, k}, Delta: g.Delta}
	for _, part := range g.Parts {
		c.ExpE = append(c.ExpE, part.Eps.Rat())
	}
	if g.Delta.Sign() > 0 {
		c.Laws[0], c.Laws[1], c.Part = append(c.Laws[0], g.Delta, rat("0")), append(c.Laws[1], rat("0"), g.Delta), append(c.Part, 0, 0)
	}
	return c
}

// partBout is a filter at random, by how often each part of each mechanism was observed, against a small menu.
type partBout struct {
	menu   []impl.Guarantee
	admits func(observed [6]int, next int) bool
}

func (b partBout) Start() any { return [6]int{} }

func (b partBout) Spend(any, impl.Mechanism) (any, bool) { panic("all mechanisms have parts") }

func (b partBout) SpendPart(memory any, g impl.Guarantee, observed int) (any, bool) {
	n, i := memory.([6]int), int(g.Parts[0].Name[0]-'a')/3
	if !b.admits(n, i) {
		return nil, false
	}
	n[3*i+observed]++
	return n, true
}

// partBouts are random ones; names of parts say which mechanism they belong to.
func partBouts(t *rapid.T) partBout {
	base := rapid.SampledFrom([]string{"3/2", "2", "11/10"}).Draw(t, "base")
	delta := rapid.SampledFrom([]string{"0", "1/100", "1/3"}).Draw(t, "delta")
	mechanisms := 1
	if delta == "0" {
		mechanisms = rapid.IntRange(1, 2).Draw(t, "menu")
	}
	var b partBout
	for i := range mechanisms {
		g := impl.Guarantee{Delta: rat(delta)}
		for k := range rapid.IntRange(1, 2).Draw(t, fmt.Sprint("parts", i)) {
			power := rapid.IntRange(0, 3).Draw(t, fmt.Sprint("power", i, k))
			g.Parts = append(g.Parts, impl.Part{Name: string(rune('a' + 3*i + k)), Eps: loss.Exp(powerOf(base, power))})
		}
		b.menu = append(b.menu, g)
	}
	drawn := map[string]bool{}
	b.admits = func(n [6]int, next int) bool {
		key := fmt.Sprint(n, next)
		if _, met := drawn[key]; !met {
			drawn[key] = rapid.IntRange(0, 3).Draw(t, "admits"+key) > 0
		}
		return drawn[key]
	}
	return b
}

// exhaustively returns the worst over all adversaries, written down one by one, who play laws with these guarantees:
// by law its mechanism.
func (b partBout) exhaustively(t *rapid.T, laws []exhaustive.Choice, of []int, rounds int, expEps *big.Rat) (*big.Rat, int) {
	worst, n, err := exhaustive.WorstAdversary(t.Context(), laws, rounds, func(moves []exhaustive.Move, next int) bool {
		var observed [6]int
		for _, m := range moves {
			observed[3*of[m.Choice]+laws[m.Choice].Part[m.Output]]++
		}
		return b.admits(observed, of[next])
	}, expEps)
	if err != nil {
		t.Fatal(err)
	}
	return worst, n
}

// TestExhaustive_ChallengeODPFilter: the interval holds the exact worst case over all adversaries who play pairs of parts.
func TestExhaustive_ChallengeODPFilter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := partBouts(t)
		rounds := rapid.IntRange(0, 2).Draw(t, "rounds")
		expEps := rapid.SampledFrom([]*big.Rat{rat("1"), rat("3/2"), rat("9/4"), rat("1.7")}).Draw(t, "exp_eps")
		got, err := impl.ChallengeODPFilter(t.Context(), b.menu, rounds, b, loss.Exp(expEps), impl.ChallengeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var laws []exhaustive.Choice
		var of []int
		for i, g := range b.menu {
			for j := range g.Parts {
				for k := range g.Parts {
					laws, of = append(laws, worstPair(g, j, k)), append(of, i)
				}
			}
		}
		want, n := b.exhaustively(t, laws, of, rounds, expEps)
		compareWorst(t, got, want, n)
		less := new(big.Rat).Mul(want, big.NewRat(1e17-1, 1e17))
		for _, claim := range []*big.Rat{want, less} { // all is rational
			c, err := impl.ChallengeODPFilter(t.Context(), b.menu, rounds, b, loss.Exp(expEps), impl.ChallengeOptions{Claim: claim})
			if holds := claim.Cmp(want) == 0; err != nil || c.Refuted && holds || c.Holds != holds {
				t.Errorf("the worst is %s, at most %s: %+v, %v", want.RatString(), claim.RatString(), c, err)
			}
		}
	})
}

// TestLaw_WorstPairs: no ODP mechanism with the same guarantee does better, whatever its laws are.
func TestLaw_WorstPairs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := partBouts(t)
		b.menu = b.menu[:1]
		expEps := rapid.SampledFrom([]*big.Rat{rat("1"), rat("3/2"), rat("9/4")}).Draw(t, "exp_eps")
		law := exhaustive.Choice{Delta: b.menu[0].Delta}
		total := [2]*big.Rat{rat("0"), rat("0")}
		for i := range 3 {
			k := rapid.IntRange(0, len(b.menu[0].Parts)-1).Draw(t, fmt.Sprint("part", i))
			law.Part = append(law.Part, k)
			for side := range 2 {
				p := big.NewRat(int64(rapid.IntRange(1, 30).Draw(t, fmt.Sprint("mass", i, side))), 1)
				law.Laws[side] = append(law.Laws[side], p)
				total[side].Add(total[side], p)
			}
		}
		for side := range 2 {
			for i, p := range law.Laws[side] {
				law.Laws[side][i] = new(big.Rat).Quo(p, total[side])
			}
		}
		// the guarantee that these laws have: ℰ of a part is its largest ratio, but for a δ
		expE := []*big.Rat{rat("1"), rat("1")}
		for i, k := range law.Part {
			ratio := new(big.Rat).Quo(law.Laws[0][i], law.Laws[1][i])
			expE[k] = larger(expE[k], larger(ratio, new(big.Rat).Inv(ratio)))
		}
		g := impl.Guarantee{Delta: rat("0")}
		for k := range b.menu[0].Parts {
			g.Parts = append(g.Parts, impl.Part{Name: partNames[k], Eps: loss.Nats(roundedLog(expE[k]))})
		}
		law.Delta, law.ExpE = rat("0"), expE[:len(g.Parts)]
		b.menu[0] = g
		got, err := impl.ChallengeODPFilter(t.Context(), b.menu, 2, b, loss.Exp(expEps), impl.ChallengeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if one, n := b.exhaustively(t, []exhaustive.Choice{law}, []int{0}, 2, expEps); new(big.Float).SetRat(one).Cmp(got.Worst.Upper) > 0 {
			t.Errorf("laws of its own get %s over %d adversaries, pairs %g", one.FloatString(12), n, got.Worst.Upper)
		}
	})
}

// roundedLog returns ln x, rounded up to two digits.
func roundedLog(x *big.Rat) *big.Rat {
	return big.NewRat(int64(math.Ceil(math.Log(floatOf(x))*100+1e-9)), 100)
}

// TestPair_ChallengeODPFilter: mechanisms with one part are those of the other search.
func TestPair_ChallengeODPFilter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f, err := impl.NewODPFilter(loss.Nats(rat("0.5")), rat("1e-3"), rat("5e-4"), nil)
		if err != nil {
			t.Fatal(err)
		}
		var menu []impl.Mechanism
		var parts []impl.Guarantee
		for i := range rapid.IntRange(1, 2).Draw(t, "menu") {
			eps := loss.Nats(big.NewRat(int64(rapid.IntRange(0, 30).Draw(t, fmt.Sprint("eps", i))), 100))
			delta := rapid.SampledFrom([]*big.Rat{rat("0"), rat("1e-4")}).Draw(t, fmt.Sprint("delta", i))
			menu, parts = append(menu, impl.Mechanism{Eps: eps, Delta: delta, Count: 1}), append(parts, guaranteeOf(delta, eps))
		}
		rounds := rapid.IntRange(0, 12).Draw(t, "rounds")
		want, err := impl.ChallengeFilter(t.Context(), menu, rounds, f, loss.Nats(rat("0.5")), impl.ChallengeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := impl.ChallengeODPFilter(t.Context(), parts, rounds, f, loss.Nats(rat("0.5")), impl.ChallengeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if x, y := got.Worst, want.Worst; x.Lower.Cmp(y.Upper) > 0 || y.Lower.Cmp(x.Upper) > 0 || x.RelWidth() > 1e-12 {
			t.Errorf("in [%g, %g], but in [%g, %g] without parts", x.Lower, x.Upper, y.Lower, y.Upper)
		}
	})
}

// betFilter is the rule of docs/odp-filter.md in whole billionths, or a wrong one like it.
type betFilter struct {
	eps, lambda, capacity float64
	scale                 [2]float64 // of ℰ in the sum, and of c; 1 if right
	bySmallest            bool       // whether the part with the smallest ℰ is charged, whatever was observed
	sumOnly               bool
}

// billionths is what a betFilter remembers: Σ ℰ and Σ c.
type billionths [2]int64

func (f betFilter) Start() any { return billionths{} }

func (f betFilter) Spend(any, impl.Mechanism) (any, bool) { panic("all mechanisms have parts") }

func (f betFilter) SpendPart(memory any, g impl.Guarantee, observed int) (any, bool) {
	least, most := math.Inf(1), 0.0
	for _, p := range g.Parts {
		least, most = min(least, loss.Float64(p.Eps)), max(most, loss.Float64(p.Eps))
	}
	mu := impl.ODPBet(interval.Point(f.lambda), interval.Point(least), interval.Point(most))
	charge := func(eps float64) billionths {
		c := impl.BetCharge(interval.Point(f.lambda), mu, interval.Point(eps)).Hi
		return billionths{int64(math.Round(f.scale[0] * eps * 1e9)), int64(math.Ceil(f.scale[1] * c * 1e9))}
	}
	within := func(b billionths) bool {
		return b[0] <= int64(math.Round(f.eps*1e9)) || !f.sumOnly && float64(b[1]) <= f.capacity*1e9
	}
	at, spent := loss.Float64(g.Parts[observed].Eps), memory.(billionths)
	if f.bySmallest {
		at, most = least, least
	}
	for i, c := range charge(most) {
		spent[i] += c
	}
	if !within(spent) {
		return nil, false
	}
	spent = memory.(billionths)
	for i, c := range charge(at) {
		spent[i] += c
	}
	return spent, true
}

// odpMatches are menus of ODP mechanisms, budgets, and so many rounds.
var odpMatches = []struct {
	name       string
	eps, delta string
	menu       []impl.Guarantee
	rounds     int
	isTight    bool // whether four fifths of the charge are too little to hold
}{
	{"one part", "1", "1e-6", []impl.Guarantee{guaranteeOf(rat("0"), nats("0.02"))}, 250, true},
	{"two parts", "0.6", "1e-6", []impl.Guarantee{guaranteeOf(rat("0"), nats("0.015"), nats("0.03"))}, 80, true},
	{"more rounds", "1", "1e-6", []impl.Guarantee{guaranteeOf(rat("0"), nats("0.02"), nats("0.04"))}, 120, true},
	{"far apart", "1", "1e-3", []impl.Guarantee{guaranteeOf(rat("0"), nats("0.02"), nats("0.1"))}, 80, false},
	{"a free part", "1", "1e-3", []impl.Guarantee{guaranteeOf(rat("0"), nats("0"), nats("0.05"))}, 80, false},
	{"two mechanisms", "1", "1e-4", []impl.Guarantee{guaranteeOf(rat("0"), nats("0.05"), nats("0.1")), guaranteeOf(rat("0"), nats("0.05"))}, 40, true},
	{"three parts", "0.5", "1e-2", []impl.Guarantee{guaranteeOf(rat("0"), nats("0"), nats("0.05"), nats("0.1"))}, 24, false},
}

func nats(x string) loss.Epsilon { return loss.Nats(rat(x)) }

// play lets the worst adversary play for more than a δ.
func (f betFilter) play(t *testing.T, menu []impl.Guarantee, rounds int, eps, delta string) *impl.Challenge {
	t.Helper()
	c, err := impl.ChallengeODPFilter(t.Context(), menu, rounds, f, nats(eps), impl.ChallengeOptions{Claim: rat(delta)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// handMade returns the rule of docs/odp-filter.md.
func handMade(eps, delta string) betFilter {
	e, d := floatOf(rat(eps)), floatOf(rat(delta))
	lambda := impl.BestLambda(e, d)
	capacity := impl.BetCapacity(new(big.Rat).SetFloat64(lambda), nats(eps), rat(delta)).Float().Lo
	return betFilter{eps: e, lambda: lambda, scale: [2]float64{1, 1}, capacity: capacity}
}

// TestLaw_ODPFilterUnbroken: no adversary gets more than δ from the filter, nor from the same rule written down again, nor
// anything from the sum.
func TestLaw_ODPFilterUnbroken(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile("../docs/odp-filter.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range odpMatches {
		f, err := impl.NewODPFilter(nats(m.eps), rat(m.delta), rat("0"), nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := impl.ChallengeODPFilter(t.Context(), m.menu, m.rounds, f, nats(m.eps), impl.ChallengeOptions{Claim: rat(m.delta)})
		if err != nil || !c.Holds || c.Worst.Lower.Sign() == 0 {
			t.Errorf("%s: %+v, %v", m.name, c, err)
		}
		shown := strings.Replace(fmt.Sprintf("| %d | %.2e |", m.rounds, c.Worst.Upper), "e-0", "e-", 1)
		if !strings.Contains(string(docs), shown) {
			t.Errorf("%s: docs/odp-filter.md does not have %q", m.name, shown)
		}
		again, sum := handMade(m.eps, m.delta), handMade(m.eps, m.delta)
		sum.sumOnly = true
		if c := again.play(t, m.menu, m.rounds, m.eps, m.delta); !c.Holds {
			t.Errorf("%s, by hand: %g is more than %s", m.name, c.Worst.Upper, m.delta)
		}
		if c := sum.play(t, m.menu, m.rounds, m.eps, "0"); !c.Holds {
			t.Errorf("%s, the sum: %g is more than 0", m.name, c.Worst.Upper)
		}
	}
}

// TestLaw_SumByParts: no adversary gets anything from the sum that charges for the part observed; for a smaller ε one does.
func TestLaw_SumByParts(t *testing.T) {
	t.Parallel()
	for _, m := range odpMatches {
		f, err := impl.NewSumFilter(nats(m.eps), rat("0"))
		if err != nil {
			t.Fatal(err)
		}
		less := loss.Nats(new(big.Rat).Mul(rat(m.eps), rat("0.9")))
		c, err := impl.ChallengeODPFilter(t.Context(), m.menu, m.rounds, f, nats(m.eps), impl.ChallengeOptions{Claim: rat("0")})
		if err != nil || !c.Holds {
			t.Fatalf("%s: more than 0 is attained, or %v", m.name, err)
		}
		c, err = impl.ChallengeODPFilter(t.Context(), m.menu, m.rounds, f, less, impl.ChallengeOptions{Claim: rat("0")})
		if err != nil || !c.Refuted {
			t.Fatalf("%s: 0 for a smaller ε is not refuted, or %v", m.name, err)
		}
	}
}

// TestControl_ODPFilterScaled: the search breaks the rule with four fifths of the charge, and if the smallest part is
// charged instead of that observed; and the sum likewise.
func TestControl_ODPFilterScaled(t *testing.T) {
	t.Parallel()
	for _, m := range odpMatches {
		isOnePart := len(m.menu[0].Parts) == 1
		fifths, smallest, sum, smallestSum := handMade(m.eps, m.delta), handMade(m.eps, m.delta), handMade(m.eps, m.delta), handMade(m.eps, m.delta)
		fifths.scale[1], smallest.bySmallest = 0.8, true
		sum.scale[0], sum.sumOnly = 0.8, true
		smallestSum.bySmallest, smallestSum.sumOnly = true, true
		if c := fifths.play(t, m.menu, m.rounds, m.eps, m.delta); c.Refuted != m.isTight {
			t.Errorf("%s, four fifths: %g of %s", m.name, c.Worst.Lower, m.delta)
		}
		if c := smallest.play(t, m.menu, m.rounds, m.eps, m.delta); c.Refuted == isOnePart {
			t.Errorf("%s, the smallest: %g of %s", m.name, c.Worst.Lower, m.delta)
		}
		if c := sum.play(t, m.menu, m.rounds, m.eps, "0"); !c.Refuted {
			t.Errorf("%s, four fifths of the sum: %g of 0", m.name, c.Worst.Lower)
		}
		if c := smallestSum.play(t, m.menu, m.rounds, m.eps, "0"); c.Refuted == isOnePart {
			t.Errorf("%s, the sum of the smallest: %g of 0", m.name, c.Worst.Lower)
		}
	}
}

// TestLaw_ChallengeODPFilterMistakes: what is no challenge is refused, and says why.
func TestLaw_ChallengeODPFilterMistakes(t *testing.T) {
	t.Parallel()
	valid := guaranteeOf(rat("0"), nats("0.1"), nats("0.2"))
	many := impl.Guarantee{Delta: rat("0")}
	for i := range 9 {
		many.Parts = append(many.Parts, impl.Part{Name: fmt.Sprint(i), Eps: nats("0.1")})
	}
	for want, test := range map[string]struct {
		menu   []impl.Guarantee
		rounds int
	}{
		"rounds is -1":                     {[]impl.Guarantee{valid}, -1},
		"there are 0 mechanisms":           {nil, 3},
		"mechanism 2 has 9 parts":          {[]impl.Guarantee{valid, many}, 3},
		"mechanism 2: parts has no entry":  {[]impl.Guarantee{valid, {Delta: rat("0")}}, 3},
		"mechanism 1: its ε":               {[]impl.Guarantee{guaranteeOf(rat("0"), nats("0.1"), loss.Exp(rat("2")))}, 3},
		"mechanism 1: delta is 2, must be": {[]impl.Guarantee{guaranteeOf(rat("2"), nats("0.1"))}, 3},
		"more than 16777216 situations":    {[]impl.Guarantee{guaranteeOf(rat("0"), nats("0.001"), nats("7"))}, 3000},
	} {
		everything := handMade("1", "1e-6")
		everything.capacity = math.Inf(1)
		_, err := impl.ChallengeODPFilter(t.Context(), test.menu, test.rounds, everything, nats("1"), impl.ChallengeOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, must say %q", err, want)
		}
	}
}
