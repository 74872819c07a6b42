package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
)

func nats(x string) loss.Epsilon { return loss.Nats(rat.Of(x)) }

// guaranteeOf returns a guarantee with parts of these ε.
func guaranteeOf(delta string, parts ...string) ledger.Guarantee {
	g := ledger.Guarantee{Delta: rat.Of(delta)}
	for i, e := range parts {
		g.Parts = append(g.Parts, ledger.Part{Name: string(rune('a' + i)), Eps: nats(e)})
	}
	return g
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

func (b billionths) plus(c billionths) billionths { return billionths{b[0] + c[0], b[1] + c[1]} }

func (f betFilter) Start() any { return billionths{} }

func (f betFilter) Spend(any, impl.Mechanism) (any, bool) { panic("all mechanisms have parts") }

func (f betFilter) SpendPart(memory any, g ledger.Guarantee, observed int) (any, bool) {
	least, most := math.Inf(1), 0.0
	for _, p := range g.Parts {
		least, most = min(least, loss.Float64(p.Eps)), max(most, loss.Float64(p.Eps))
	}
	mu := ledger.ODPBet(interval.Point(f.lambda), interval.Point(least), interval.Point(most))
	charge := func(eps float64) billionths {
		c := ledger.BetCharge(interval.Point(f.lambda), mu, interval.Point(eps)).Hi
		return billionths{int64(math.Round(f.scale[0] * eps * 1e9)), int64(math.Ceil(f.scale[1] * c * 1e9))}
	}
	at, spent := loss.Float64(g.Parts[observed].Eps), memory.(billionths)
	if f.bySmallest {
		at, most = least, least
	}
	worst := spent.plus(charge(most))
	isWithin := worst[0] <= int64(math.Round(f.eps*1e9)) || !f.sumOnly && float64(worst[1]) <= f.capacity*1e9
	return spent.plus(charge(at)), isWithin
}

// handMade returns the rule of docs/odp-filter.md.
func handMade(eps, delta string) betFilter {
	e := rat.Float64(rat.Of(eps))
	lambda := ledger.BestLambda(e, rat.Float64(rat.Of(delta)))
	capacity := ledger.BetCapacity(new(big.Rat).SetFloat64(lambda), nats(eps), rat.Of(delta)).Float().Lo
	return betFilter{eps: e, lambda: lambda, scale: [2]float64{1, 1}, capacity: capacity}
}

// odpMatch is a menu of ODP mechanisms, a budget, and so many rounds.
type odpMatch struct {
	name       string
	eps, delta string
	menu       []ledger.Guarantee
	rounds     int
	isTight    bool // whether four fifths of the charge are too little to hold
}

var odpMatches = []odpMatch{
	{"one part", "1", "1e-6", []ledger.Guarantee{guaranteeOf("0", "0.02")}, 250, true},
	{"two parts", "0.6", "1e-6", []ledger.Guarantee{guaranteeOf("0", "0.015", "0.03")}, 80, true},
	{"more rounds", "1", "1e-6", []ledger.Guarantee{guaranteeOf("0", "0.02", "0.04")}, 120, true},
	{"far apart", "1", "1e-3", []ledger.Guarantee{guaranteeOf("0", "0.02", "0.1")}, 80, false},
	{"a free part", "1", "1e-3", []ledger.Guarantee{guaranteeOf("0", "0", "0.05")}, 80, false},
	{"two mechanisms", "1", "1e-4", []ledger.Guarantee{guaranteeOf("0", "0.05", "0.1"), guaranteeOf("0", "0.05")}, 40, true},
	{"three parts", "0.5", "1e-2", []ledger.Guarantee{guaranteeOf("0", "0", "0.05", "0.1")}, 24, false},
}

// play lets the worst adversary play, who must get more than δ or not.
func (m odpMatch) play(t *testing.T, name string, f ledger.PartFilter, eps *big.Rat, delta string,
	isBroken bool) *ledger.Challenge {
	t.Helper()
	c, err := ledger.ChallengeODPFilter(t.Context(), m.menu, m.rounds, f, loss.Nats(eps),
		ledger.ChallengeOptions{Claim: rat.Of(delta)})
	if err != nil || c.Holds == isBroken || c.Refuted != isBroken {
		t.Errorf("%s, %s: %+v of %s, %v", m.name, name, c, delta, err)
	}
	return c
}

// TestLaw_ODPFilters: no adversary gets more than δ from the filter, and what docs/odp-filter.md says; nor anything
// from the sum by parts, but for a smaller ε.
func TestLaw_ODPFilters(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile("../docs/odp-filter.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range odpMatches {
		eps := rat.Of(m.eps)
		filter, err0 := ledger.NewODPFilter(nats(m.eps), rat.Of(m.delta), new(big.Rat), nil)
		sum, err1 := ledger.NewSumFilter(nats(m.eps), new(big.Rat))
		if err0 != nil || err1 != nil {
			t.Fatal(err0, err1)
		}
		c := m.play(t, "the filter", filter, eps, m.delta, false)
		shown := strings.Replace(fmt.Sprintf("| %d | %.2e |", m.rounds, c.Worst.Upper), "e-0", "e-", 1)
		if !strings.Contains(string(docs), shown) || c.Worst.Lower.Sign() == 0 {
			t.Errorf("%s: docs/odp-filter.md does not have %q", m.name, shown)
		}
		m.play(t, "the sum by parts", sum, eps, "0", false)
		m.play(t, "the sum by parts, for a smaller ε", sum, rat.Mul(eps, rat.Of("0.9")), "0", true)
	}
}

// TestControl_ODPFilters: the rule written down again holds, as its sum does. The search breaks it with four fifths of
// the charge, and if the smallest part is charged instead of that observed; and the sum likewise.
func TestControl_ODPFilters(t *testing.T) {
	t.Parallel()
	for _, m := range odpMatches {
		hasParts := len(m.menu[0].Parts) > 1
		for _, row := range []struct {
			name                string
			bySmallest, sumOnly bool
			scale               float64
			isBroken            bool
		}{
			{"by hand", false, false, 1, false}, {"the sum", false, true, 1, false},
			{"four fifths", false, false, 0.8, m.isTight}, {"the smallest", true, false, 1, hasParts},
			{"four fifths of the sum", false, true, 0.8, true}, {"the sum of the smallest", true, true, 1, hasParts},
		} {
			f, delta := handMade(m.eps, m.delta), m.delta
			f.bySmallest, f.sumOnly, f.scale[1] = row.bySmallest, row.sumOnly, row.scale
			if row.sumOnly {
				delta, f.scale[0] = "0", row.scale
			}
			m.play(t, row.name, f, rat.Of(m.eps), delta, row.isBroken)
		}
	}
}

// TestLaw_ChallengeODPFilterMistakes: what is no challenge is refused, and says why; a context is obeyed.
func TestLaw_ChallengeODPFilterMistakes(t *testing.T) {
	t.Parallel()
	valid := guaranteeOf("0", "0.1", "0.2")
	exp := guaranteeOf("0", "0.1", "0.2")
	exp.Parts[1].Eps = loss.Exp(rat.Of("2"))
	everything := handMade("1", "1e-6")
	everything.capacity = math.Inf(1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for want, test := range map[string]struct {
		menu   []ledger.Guarantee
		rounds int
	}{
		"rounds is -1":           {[]ledger.Guarantee{valid}, -1},
		"there are 0 mechanisms": {nil, 3},
		"mechanism 2 has 9 parts": {[]ledger.Guarantee{valid, guaranteeOf("0", strings.Fields(strings.Repeat("0.1 ",
			9))...)}, 3},
		"mechanism 2: parts has no entry":  {[]ledger.Guarantee{valid, guaranteeOf("0")}, 3},
		"mechanism 1: its ε":               {[]ledger.Guarantee{exp}, 3},
		"mechanism 1: delta is 2, must be": {[]ledger.Guarantee{guaranteeOf("2", "0.1")}, 3},
		"more than 16777216 situations":    {[]ledger.Guarantee{guaranteeOf("0", "0.001", "7")}, 3000},
		"context canceled":                 {[]ledger.Guarantee{valid}, 2},
	} {
		ctx := t.Context()
		if strings.HasPrefix(want, "context") {
			ctx = ended
		}
		_, err := ledger.ChallengeODPFilter(ctx, test.menu, test.rounds, everything, nats("1"), ledger.ChallengeOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, must say %q", err, want)
		}
	}
}

// readingGame is a mechanism with two parts, any number of times, against the reading of docs/odp-filter.md, Theorem
// 1: what matters is how often each part was observed, and the loss. In float64.
type readingGame struct {
	unit    float64
	parts   [2]int // ℰ in units
	rounds  int
	reading func(observed [2]int) float64
	known   map[[3]int]float64
}

// worst returns the largest Σ (P_0 − e^R P_1)₊ / P_0 from there on, over all mechanisms with these parts and all
// times to stop.
func (g *readingGame) worst(observed [2]int, units int) float64 {
	key := [3]int{observed[0], observed[1], units}
	if v, met := g.known[key]; met {
		return v
	}
	best := max(0, -math.Expm1(g.reading(observed)-float64(units)*g.unit))
	if observed[0]+observed[1] < g.rounds {
		for j, up := range g.parts {
			for k, down := range g.parts {
				then := [2][2]int{observed, observed}
				then[0][j]++
				then[1][k]++
				p := math.Expm1(float64(down)*g.unit) / (math.Exp(float64(down)*g.unit) - math.Exp(-float64(up)*g.unit))
				best = max(best, p*g.worst(then[0], units+up)+(1-p)*g.worst(then[1], units-down))
			}
		}
	}
	g.known[key] = best
	return best
}

// TestLaw_ODPReadingIsAnOdometer: whenever one stops, δ′ is enough for the reading; and not with four fifths of the
// charge.
func TestLaw_ODPReadingIsAnOdometer(t *testing.T) {
	t.Parallel()
	const delta1, lambda = 1e-6, 25.0
	worst := func(scale float64) float64 {
		g := readingGame{unit: 0.02, parts: [2]int{1, 2}, rounds: 60, known: map[[3]int]float64{}}
		mu := spec.ODPBet(lambda, 0.02, 0.04)
		few, many := scale*spec.BetCharge(lambda, mu, 0.02), scale*spec.BetCharge(lambda, mu, 0.04)
		g.reading = func(n [2]int) float64 {
			return spec.ODPReading(lambda, delta1, 0.02*float64(n[0])+0.04*float64(n[1]),
				few*float64(n[0])+many*float64(n[1])) + 1e-12
		}
		return g.worst([2]int{}, 0)
	}
	if right, less := worst(1), worst(0.8); right > delta1 || right < delta1/20 || less < delta1 {
		t.Errorf("the worst is %g, with four fifths of the charge %g, must be at most and more than %g", right, less, delta1)
	}
}

// TestLaw_ODPFilterHolds: no adversary gets more than δ, for menus, budgets and λ at random.
func TestLaw_ODPFilterHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pick := func(what string, xs ...string) *big.Rat { return rat.Of(rapid.SampledFrom(xs).Draw(t, what)) }
		var menu []ledger.Guarantee
		for i := range rapid.IntRange(1, 2).Draw(t, "menu") {
			g := ledger.Guarantee{Delta: pick(fmt.Sprint("delta", i), "0", "1e-4", "1e-2")}
			for k := range rapid.IntRange(1, 3).Draw(t, fmt.Sprint("parts", i)) {
				eps := pick(fmt.Sprint("eps", i, k), "0", "1/20", "1/10", "3/20", "1/4", "1/2", "3/2")
				g.Parts = append(g.Parts, ledger.Part{Name: fmt.Sprint(k), Eps: loss.Nats(eps)})
			}
			menu = append(menu, g)
		}
		eps := loss.Nats(big.NewRat(int64(rapid.IntRange(0, 60).Draw(t, "ε")), 20))
		delta, leak := pick("δ", "0.9", "0.5", "0.1", "1e-3"), pick("δ″", "0", "1e-4", "5e-4")
		lambda := pick("λ", "0", "0.1", "1", "4", "20")
		if lambda.Sign() == 0 {
			lambda = nil
		}
		f, err := ledger.NewODPFilter(eps, delta, leak, lambda)
		if err != nil {
			t.Fatal(err)
		}
		c, err := ledger.ChallengeODPFilter(t.Context(), menu, rapid.IntRange(0, 9).Draw(t, "rounds"), f, eps,
			ledger.ChallengeOptions{Claim: delta})
		if err != nil || !c.Holds {
			t.Errorf("the worst is %+v of %s, %v", c, delta, err)
		}
	})
}

// TestPaper_Theorem3Parts: the rules of Theorem 3 hold against mechanisms with parts, too.
func TestPaper_Theorem3Parts(t *testing.T) {
	t.Parallel()
	for _, curve := range []ledger.Curve{ledger.FilterCurve{Target: 1}, ledger.MixtureCurve{Gamma: 0.1},
		ledger.StitchedCurve{V0: 0.01}} {
		r, err := ledger.NewCurveRule(curve, rat.Of("0.2"), new(big.Rat))
		if err != nil {
			t.Fatal(err)
		}
		got, err := ledger.ChallengeODPOdometer(t.Context(), []ledger.Guarantee{guaranteeOf("0", "0.5", "1")}, 30, r,
			ledger.ChallengeOptions{Claim: rat.Of("0.2")})
		if err != nil || !got.Holds {
			t.Errorf("%T: %+v, %v", curve, got, err)
		}
	}
}
