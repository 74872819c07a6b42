package odp

import (
	"iter"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// choices yields all mechanisms M with at most m outputs, probabilities that are
// multiples of 1/d, and any partition and charges, small ones first; once for each way to
// number the outputs, and with its smallest δ, if that is below 1.
func choices(m, d int) iter.Seq[impl.Choice] {
	return func(yield func(impl.Choice) bool) {
		seen := map[string]bool{}
		for laws := range finite.Pairs(m, d) {
			if seen[laws.String()] || !isSorted(laws) {
				continue
			}
			seen[laws.String()] = true
			for p := range finite.Partitions(len(laws[0])) {
				for e := range p.Charges(expEs) {
					c := offer(laws, p, e)
					if c.Delta.Cmp(rat.One) < 0 && !yield(c) {
						return
					}
				}
			}
		}
	}
}

// expEs are the values that e^ℰ takes in the mechanisms.
var expEs = []*big.Rat{rat.One, big.NewRat(2, 1), big.NewRat(3, 1)}

// isSorted reports whether the outputs are in the order of their probabilities, the
// largest under b = 0 first, and none is impossible.
func isSorted(p finite.Pair) bool {
	for i := range len(p[0]) {
		here := finite.Name(i)
		if p[0][here].Sign() == 0 && p[1][here].Sign() == 0 {
			return false
		}
		if i == 0 {
			continue
		}
		before := finite.Name(i - 1)
		if c := p[0][before].Cmp(p[0][here]); c < 0 || c == 0 && p[1][before].Cmp(p[1][here]) > 0 {
			return false
		}
	}
	return true
}

// offer makes a choice of a pair of laws, with its smallest δ.
func offer(laws finite.Pair, p finite.Partition, expE []*big.Rat) impl.Choice {
	c := impl.Choice{
		Name: "M", Part: p, ExpE: expE,
		Delta: register.Must(spec.SmallestDeltaBothWays(laws[0], laws[1], p.Part, expE)),
	}
	for i := range p {
		c.Outputs = append(c.Outputs, finite.Name(i))
		for b := range c.Laws {
			c.Laws[b] = append(c.Laws[b], laws[b][finite.Name(i)])
		}
	}
	return c
}

// bothWays returns a choice, and the same with the databases exchanged.
func bothWays(c impl.Choice) []impl.Choice {
	back := c
	back.Name += "′"
	back.Laws = [2][]*big.Rat{c.Laws[1], c.Laws[0]}
	return []impl.Choice{c, back}
}

// merged returns a choice with all parts merged to one, which is charged the largest ℰ.
func merged(c impl.Choice) impl.Choice {
	c.Part, c.ExpE = make([]int, len(c.Part)), []*big.Rat{rat.Max(c.ExpE...)}
	return c
}

// forSpec returns the same choice for spec.
func forSpec(c *impl.Choice) spec.Choice {
	s := spec.Choice{
		Laws:  [2]map[string]*big.Rat{{}, {}},
		Part:  func(output string) int { return c.Part[slices.Index(c.Outputs, output)] },
		ExpE:  c.ExpE,
		Delta: c.Delta,
	}
	for b, law := range c.Laws {
		for z, pr := range law {
			s.Laws[b][c.Outputs[z]] = pr
		}
	}
	return s
}

// responseChoice is randomized response with δ = 0 and one part: the worst ε-DP mechanism.
func responseChoice(expEps *big.Rat) impl.Choice {
	likely, unlikely := rat.Quo(expEps, rat.Add(rat.One, expEps)), rat.Quo(rat.One, rat.Add(rat.One, expEps))
	return impl.Choice{
		Name: "response", Outputs: []string{"1", "2"},
		Laws: [2][]*big.Rat{{likely, unlikely}, {unlikely, likely}},
		Part: []int{0, 0}, ExpE: []*big.Rat{expEps}, Delta: new(big.Rat),
	}
}

// leakOrBottom tells the databases apart with probability δ, and says ⊥ otherwise.
func leakOrBottom(delta *big.Rat) impl.Choice {
	rest, zero := rat.Complement(delta), new(big.Rat)
	return impl.Choice{
		Name: "leak", Outputs: []string{"0", "⊥", "1"},
		Laws: [2][]*big.Rat{{delta, rest, zero}, {zero, rest, delta}},
		Part: []int{0, 1, 0}, ExpE: []*big.Rat{rat.One, rat.One}, Delta: delta,
	}
}

// silence is a mechanism with the fixed output ⊥.
func silence() spec.Choice {
	return spec.Choice{
		Laws: [2]map[string]*big.Rat{{spec.Bottom: rat.One}, {spec.Bottom: rat.One}},
		Part: func(string) int { return 0 }, ExpE: []*big.Rat{rat.One}, Delta: new(big.Rat),
	}
}

// dependent returns the mechanisms with at most m outputs, probabilities in 1/d and e^ℰ up to
// most that depend on the data.
func dependent(m, d int, most int64) (all []impl.Choice) {
	for c := range choices(m, d) {
		if rat.Max(c.ExpE...).Cmp(big.NewRat(most, 1)) <= 0 && !slices.EqualFunc(c.Laws[0], c.Laws[1], rat.Equal) {
			all = append(all, c)
		}
	}
	return all
}

// budgets returns the budgets, as e^(ε_t) and δ_t, that at most so many rounds of a
// mechanism use up, the smallest that admit one.
func budgets(c impl.Choice, rounds int) (all [][2]*big.Rat) {
	products := []*big.Rat{rat.One}
	for range rounds {
		for _, x := range slices.Clone(products) {
			for _, e := range c.ExpE {
				if y := rat.Mul(x, e); !containsRat(products, y) {
					products = append(products, y)
				}
			}
		}
	}
	slices.SortFunc(products, (*big.Rat).Cmp)
	for _, expEpsT := range products {
		for n := range rounds {
			if expEpsT.Cmp(rat.Max(c.ExpE...)) >= 0 && (n == 0 || c.Delta.Sign() > 0) {
				all = append(all, [2]*big.Rat{expEpsT, rat.Mul(rat.Int(n+1), c.Delta)})
			}
		}
	}
	return all
}

// budgetsOf returns the budgets that both use up, or that only just admit both.
func budgetsOf(c, second impl.Choice) (all [][2]*big.Rat) {
	deltas := []*big.Rat{rat.Max(c.Delta, second.Delta), rat.Add(c.Delta, second.Delta)}
	var products []*big.Rat
	for _, x := range c.ExpE {
		if y := rat.Mul(x, rat.Max(second.ExpE...)); y.Cmp(rat.Max(c.ExpE...)) >= 0 && !containsRat(products, y) {
			products = append(products, y)
		}
	}
	for _, x := range products {
		for _, delta := range deltas {
			all = append(all, [2]*big.Rat{x, delta})
		}
	}
	return all
}

func containsRat(xs []*big.Rat, x *big.Rat) bool {
	return slices.ContainsFunc(xs, func(y *big.Rat) bool { return rat.Equal(x, y) })
}
