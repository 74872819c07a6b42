package verify

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
)

// readingGame is a mechanism with two parts, any number of times, against the reading of docs/odp-filter.md, Theorem 1: what
// matters is how often each part was observed, and the loss. In float64.
type readingGame struct {
	unit    float64
	parts   [2]int // ℰ in units
	rounds  int
	reading func(observed [2]int) float64
	known   map[[3]int]float64
}

// worst returns the largest Σ (P_0 − e^R P_1)₊ / P_0 from there on, over all mechanisms with these parts and all times to stop.
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

// TestLaw_ODPReadingIsAnOdometer: whenever one stops, δ′ is enough for the reading; and not with four fifths of the charge.
func TestLaw_ODPReadingIsAnOdometer(t *testing.T) {
	t.Parallel()
	const delta1, lambda = 1e-6, 25.0
	worst := func(scale float64) float64 {
		g := readingGame{unit: 0.02, parts: [2]int{1, 2}, rounds: 60, known: map[[3]int]float64{}}
		mu := spec.ODPBet(lambda, 0.02, 0.04)
		few, many := scale*spec.BetCharge(lambda, mu, 0.02), scale*spec.BetCharge(lambda, mu, 0.04)
		g.reading = func(n [2]int) float64 {
			return spec.ODPReading(lambda, delta1, 0.02*float64(n[0])+0.04*float64(n[1]), few*float64(n[0])+many*float64(n[1])) + 1e-12
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
		var menu []impl.Guarantee
		for i := range rapid.IntRange(1, 2).Draw(t, "menu") {
			g := impl.Guarantee{Delta: rapid.SampledFrom([]*big.Rat{rat("0"), rat("1e-4"), rat("1e-2")}).Draw(t, fmt.Sprint("delta", i))}
			for k := range rapid.IntRange(1, 3).Draw(t, fmt.Sprint("parts", i)) {
				eps := big.NewRat(int64(rapid.SampledFrom([]int{0, 1, 2, 3, 5, 10, 30}).Draw(t, fmt.Sprint("eps", i, k))), 20)
				g.Parts = append(g.Parts, impl.Part{Name: fmt.Sprint(k), Eps: loss.Nats(eps)})
			}
			menu = append(menu, g)
		}
		eps := loss.Nats(big.NewRat(int64(rapid.IntRange(0, 60).Draw(t, "ε")), 20))
		delta := rapid.SampledFrom([]string{"0.9", "0.5", "0.1", "1e-3"}).Draw(t, "δ")
		leak := rapid.SampledFrom([]string{"0", "1e-4", "5e-4"}).Draw(t, "δ″")
		lambda := rapid.SampledFrom([]*big.Rat{nil, nil, rat("0.1"), rat("1"), rat("4"), rat("20")}).Draw(t, "λ")
		f, err := impl.NewODPFilter(eps, rat(delta), rat(leak), lambda)
		if err != nil {
			t.Fatal(err)
		}
		c, err := impl.ChallengeODPFilter(t.Context(), menu, rapid.IntRange(0, 9).Draw(t, "rounds"), f, eps, impl.ChallengeOptions{Claim: rat(delta)})
		if err != nil || !c.Holds {
			t.Errorf("the worst is %+v of %s, %v", c, delta, err)
		}
	})
}
