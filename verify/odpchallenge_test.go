package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

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

// smallest is a filter that charges as if mechanisms had no part but their first, which has the smallest ℰ.
type smallest struct{ ledger.PartFilter }

func (f smallest) SpendPart(memory any, g ledger.Guarantee, _ int) (any, bool) {
	return f.PartFilter.SpendPart(memory, ledger.Guarantee{Parts: g.Parts[:1], Delta: g.Delta}, 0)
}

// cheaper is the filter of docs/odp-filter.md with three quarters of the charge.
type cheaper struct{ *ledger.ODPFilter }

func (f cheaper) SpendPart(memory any, g ledger.Guarantee, observed int) (any, bool) {
	after, isAdmitted := f.ODPFilter.SpendPart(memory, g, observed)
	before, sums := memory.(ledger.ODPSums), after.(ledger.ODPSums)
	spent, _ := sums.Charge.Minus(before.Charge).Rat()
	sums.Charge = before.Charge.PlusExactly(loss.OfRat(rat.Mul(spent, rat.Of("0.75"))))
	return sums, isAdmitted
}

// odpMatch is a menu of ODP mechanisms, a budget, and so many rounds.
type odpMatch struct {
	name       string
	eps, delta string
	menu       []ledger.Guarantee
	rounds     int
	isTight    bool // whether three quarters of the charge are too little to hold
}

var odpMatches = []odpMatch{
	{"one part", "1", "1e-6", []ledger.Guarantee{guaranteeOf("0", "0.02")}, 250, true},
	{"two parts", "0.6", "1e-6", []ledger.Guarantee{guaranteeOf("0", "0.015", "0.03")}, 80, true},
	{"more rounds", "1", "1e-6", []ledger.Guarantee{guaranteeOf("0", "0.02", "0.04")}, 120, true},
	{"far apart", "1", "1e-3", []ledger.Guarantee{guaranteeOf("0", "0.02", "0.1")}, 80, false},
	{"a free part", "1", "1e-3", []ledger.Guarantee{guaranteeOf("0", "0", "0.05")}, 80, false},
	{"two mechanisms", "1", "1e-4", []ledger.Guarantee{guaranteeOf("0", "0.05", "0.1"), guaranteeOf("0", "0.05")}, 40,
		true},
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
// from the sum by parts, but for a smaller ε. As controls, the search breaks the filter with three quarters of the
// charge, and both if the smallest part is charged instead of that observed.
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
		hasParts := len(m.menu[0].Parts) > 1
		m.play(t, "three quarters of the charge", cheaper{filter}, eps, m.delta, m.isTight)
		m.play(t, "the smallest part", smallest{filter}, eps, m.delta, hasParts)
		m.play(t, "the sum of the smallest", smallest{sum}, eps, "0", hasParts)
	}
}

// TestLaw_ChallengeODPFilterMistakes: what is no challenge is refused, and says why; a context is obeyed.
func TestLaw_ChallengeODPFilterMistakes(t *testing.T) {
	t.Parallel()
	valid := guaranteeOf("0", "0.1", "0.2")
	ofNine := guaranteeOf("0", slices.Repeat([]string{"1"}, 9)...)
	exp := guaranteeOf("0", "0.1", "0.2")
	exp.Parts[1].Eps = loss.Exp(rat.Of("2"))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for want, test := range map[string]struct {
		menu   []ledger.Guarantee
		rounds int
	}{
		"rounds is -1":                     {[]ledger.Guarantee{valid}, -1},
		"there are 0 mechanisms":           {nil, 3},
		"mechanism 2 has 9 parts":          {[]ledger.Guarantee{valid, ofNine}, 3},
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
		_, err := ledger.ChallengeODPFilter(ctx, test.menu, test.rounds, always{}, nats("1"), ledger.ChallengeOptions{})
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
		t.Errorf("the worst is %g, with four fifths of the charge %g, must be at most and more than %g",
			right, less, delta1)
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
