package spec

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
)

// Bottom is the output ⊥.
const Bottom = "⊥"

// Text names one of the two printed texts of the paper, where they differ.
type Text byte

// The texts: TextA is the PoPETs version, TextB the arXiv version.
const (
	TextA Text = 'A'
	TextB Text = 'B'
)

// Choice is what an adversary chooses in one round. Two neighbouring databases and a
// mechanism with finitely many outputs are the two laws of its output.
//
// Source: Hartmann et al. (2022), Algorithm 1, line 4; ODP-A1.
// Symbols: laws of M_i(x^[i,b]) = Laws[b], P_{i,k} = the outputs with part k,
// e^ℰ_i(P_{i,k}) = ExpE[k], δ_i = Delta.
type Choice struct {
	Laws  [2]map[string]*big.Rat
	Part  func(output string) int
	ExpE  []*big.Rat
	Delta *big.Rat
}

// Adversary chooses the next round from its coin tosses and the outputs so far.
//
// Source: Hartmann et al. (2022), Algorithm 1, lines 1 and 4; ODP-A1.
// Symbols: R_𝒜 = coins, {A_j} = outputs.
type Adversary struct {
	Coins  int // the number of equally likely coin tosses, named 0, 1, …
	Choose func(coins string, outputs []string) Choice
}

// Draw is where randomness comes from: it returns an output of the law, and nothing else.
// A caller injects it, so that a run can be repeated on a tape.
type Draw func(law map[string]*big.Rat) string

// ODPComposition runs ODPComposition(𝒜, ε_t, δ_t, b) and returns the view
// (R_𝒜, A_1, …, A_I) of the adversary.
//
// Source: Hartmann et al. (2022), Algorithm 1; ODP-A1. Comments give its lines.
// Also in the checks of ODP-T7, ODP-X2, ODP-X3, ODP-X7, ODP-X8, ODP-X30 and ODP-X31.
// Symbols: 𝒜 = a, e^(ε_t) = expEpsT, δ_t = deltaT, b = b, I = rounds,
// e^(ε_r) = expEpsR, δ_r = deltaR. Subtracting from ε_r divides e^(ε_r).
// Domain: e^(ε_t) ≥ 1, δ_t ≥ 0, b in {0, 1}, I ≥ 0, at least one coin toss. A choice
// that is not such that line 4 holds is an error, which names the condition.
// Accuracy: exact.
// Deviation from print: line 4 prints the outputs up to A_i, which are those up to
// A_{i−1}. Lines 7 and 8 differ in the two texts; text says which ones to run. M_i is
// asked to be ODP on the two databases chosen, in both directions.
// Cost: that of the adversary and of one [SmallestDeltaBothWays] a round.
func ODPComposition(a Adversary, expEpsT, deltaT *big.Rat, b, rounds int, text Text, draw Draw) ([]string, error) {
	if err := domain("ODPComposition", gameRules(a, b, rounds), notBelow("δ_t", deltaT, 0),
		notBelow("e^(ε_t)", expEpsT, 1),
		must(text == TextA || text == TextB, "text is %q, must be A or B", text)); err != nil {
		return nil, err
	}
	view := []string{draw(uniform(a.Coins))} // 1
	expEpsR, deltaR := expEpsT, deltaT       // 2
	for i := 1; i <= rounds; i++ {           // 3
		c := a.Choose(view[0], slices.Clone(view[1:])) // 4
		if err := domainOf("ODPComposition: round", i, c.line4(expEpsR, deltaR)); err != nil {
			return nil, err
		}
		output := draw(c.Laws[b]) // 5
		k := c.Part(output)       // 6
		switch text {
		case TextA:
			expEpsR, deltaR = c.ExpE[k], c.Delta // 7, 8
		case TextB:
			expEpsR, deltaR = quo(expEpsR, c.ExpE[k]), sub(deltaR, c.Delta) // 7, 8
		}
		view = append(view, output) // 9
	}
	return view, nil // 10
}

// Filter decides from (ε^[1], δ_1, …, ε^[I], δ_I) whether to HALT. It is given the
// numbers e^(ε^[i]) and δ_i.
//
// Source: Hartmann et al. (2022), Definition 19; ODP-D19.
// Domain: as many e^(ε^[i]) as δ_i.
type Filter func(expEps, delta []*big.Rat) (halt bool)

// SumFilter returns the filter that says HALT if Σ ε^[i] > ε_t or Σ δ_i > δ_t.
//
// Source: Hartmann et al. (2022), Appendix A; ODP-X31.
// Also in the checks of ODP-A6.
// Symbols: e^(ε_t) = expEpsT, δ_t = deltaT.
// Domain: e^(ε_t) ≥ 1, δ_t ≥ 0.
// Accuracy: exact. A sum of ε is a product of e^ε.
// Deviation from print: "δ^[i]" in the second sum is δ_i.
// Cost: O(I).
func SumFilter(expEpsT, deltaT *big.Rat) Filter {
	return func(expEps, delta []*big.Rat) bool {
		product, sum := one, new(big.Rat)
		for i := range expEps {
			product = mul(product, expEps[i])
			sum = add(sum, delta[i])
		}
		return product.Cmp(expEpsT) > 0 || sum.Cmp(deltaT) > 0
	}
}

// ODPFilterComposition runs ODPFilterComposition(𝒜, ℱ_{ε_t,δ_t}, b) and returns the
// view (R_𝒜, A_1, …, A_I) of the adversary.
//
// Source: Hartmann et al. (2022), Algorithm 6; ODP-A6. Comments give its lines.
// Also in the checks of ODP-X31 and ODP-X32.
// Symbols: 𝒜 = a, ℱ_{ε_t,δ_t} = filter, b = b, I = rounds.
// Domain: b in {0, 1}, I ≥ 0, at least one coin toss. A choice whose mechanism is not
// (𝒫_i, ℰ_i, δ_i)-ODP is an error.
// Accuracy: exact.
// Deviation from print: line 3 prints the outputs up to A_i, which are those up to
// A_{i−1}. M_i is asked to be ODP on the two databases chosen, in both directions.
// Cost: that of the adversary and of one [SmallestDeltaBothWays] a round.
func ODPFilterComposition(a Adversary, filter Filter, b, rounds int, draw Draw) ([]string, error) {
	if err := domain("ODPFilterComposition", gameRules(a, b, rounds)); err != nil {
		return nil, err
	}
	view := []string{draw(uniform(a.Coins))} // 1
	expEps, delta := zeros(rounds)
	for i := range rounds { // 2
		c := a.Choose(view[0], slices.Clone(view[1:])) // 3
		if err := domainOf("ODPFilterComposition: round", i+1, c.isODP()); err != nil {
			return nil, err
		}
		expEps[i], delta[i] = supremum(c.ExpE), c.Delta
		if filter(expEps, delta) { // 4
			return append(view, slices.Repeat([]string{Bottom}, rounds-i)...), nil // 5, 6, 11
		}
		output := draw(c.Laws[b])   // 7
		k := c.Part(output)         // 8
		expEps[i] = c.ExpE[k]       // 9
		view = append(view, output) // 10
	}
	return view, nil // 11
}

// zeros returns I pairs ε = 0, δ = 0, as e^ε and δ.
func zeros(rounds int) (expEps, delta []*big.Rat) {
	return slices.Repeat([]*big.Rat{one}, rounds), slices.Repeat([]*big.Rat{new(big.Rat)}, rounds)
}

func supremum(xs []*big.Rat) *big.Rat { return slices.MaxFunc(xs, (*big.Rat).Cmp) }

// uniform returns the law of the coin tosses.
func uniform(n int) map[string]*big.Rat {
	law := map[string]*big.Rat{}
	for i := range n {
		law[strconv.Itoa(i)] = big.NewRat(1, int64(n))
	}
	return law
}

// gameRules are those of Algorithms 1 and 6.
func gameRules(a Adversary, b, rounds int) error {
	return cmp.Or(atLeast("coins", a.Coins, 1), between("b", b, 0, 1), atLeast("rounds", rounds, 0))
}

// line4 is what line 4 of Algorithm 1 says after “such that”.
func (c Choice) line4(expEpsR, deltaR *big.Rat) error {
	if err := c.isODP(); err != nil {
		return err
	}
	sup := supremum(c.ExpE)
	return cmp.Or(must(sup.Cmp(expEpsR) <= 0, "sup ℰ_i is ln %s, must be at most ε_r = ln %s",
		shown{sup}, shown{expEpsR}),
		must(c.Delta.Cmp(deltaR) <= 0, "δ_i is %s, must be at most δ_r = %s", shown{c.Delta}, shown{deltaR}))
}

// isODP is the rule that M_i is (𝒫_i, ℰ_i, δ_i)-ODP.
func (c Choice) isODP() error {
	if err := cmp.Or(notBelow("δ_i", c.Delta, 0), atLeast("number of parts", len(c.ExpE), 1)); err != nil {
		return err
	}
	delta, err := SmallestDeltaBothWays(c.Laws[0], c.Laws[1], c.Part, c.ExpE)
	if err != nil {
		return err
	}
	return must(delta.Cmp(c.Delta) <= 0, "δ_i is %s, must be at least %s for M_i to be (𝒫_i, ℰ_i, δ_i)-ODP",
		shown{c.Delta}, shown{delta})
}
