package finite

import (
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// Pair are the laws of a mechanism on two neighbouring databases.
type Pair [2]Law

// PairOf returns the pair of two laws.
func PairOf(laws [2]map[string]*big.Rat) Pair { return Pair{laws[0], laws[1]} }

// Pairs yields all pairs of laws over up to m outputs with probabilities that are multiples of 1/d, smaller
// ones first: fewer parts of a unit, then fewer outputs. Some come more than once.
func Pairs(m, d int) iter.Seq[Pair] {
	var sizes [][2]int // in units of 1/unit, over n outputs
	for unit := 1; unit <= d; unit++ {
		for n := 1; n <= m; n++ {
			if d%unit == 0 {
				sizes = append(sizes, [2]int{n, unit})
			}
		}
	}
	return inTurn(slices.Values(sizes), func(size [2]int) iter.Seq[Pair] { return PairsOf(Laws(size[0], size[1])) })
}

// PairsOf yields all pairs of some laws.
func PairsOf(laws iter.Seq[Law]) iter.Seq[Pair] {
	return inTurn(laws, func(l0 Law) iter.Seq[Pair] {
		return mapped(laws, func(l1 Law) Pair { return Pair{l0, l1} })
	})
}

func (p Pair) String() string { return fmt.Sprintf("P0 = (%v), P1 = (%v)", p[0], p[1]) }

// Equal reports whether the laws are the same, with the same outputs.
func (p Pair) Equal(q Pair) bool {
	return maps.EqualFunc(p[0], q[0], rat.Equal) && maps.EqualFunc(p[1], q[1], rat.Equal)
}

// Dense returns the probabilities of the outputs of either law, in one order.
func (p Pair) Dense() (law0, law1 []*big.Rat) {
	for _, o := range Combine(rat.One, p[0], rat.One, p[1]).Outputs() {
		law0, law1 = append(law0, p[0].Pr(o)), append(law1, p[1].Pr(o))
	}
	return law0, law1
}

// Back is the pair for the databases exchanged.
func (p Pair) Back() Pair { return Pair{p[1], p[0]} }

// Possible leaves out what has probability 0 under both laws.
func (p Pair) Possible() Pair {
	out := Pair{{}, {}}
	for output := range p[0] {
		if p[0][output].Sign() > 0 || p[1][output].Sign() > 0 {
			out[0][output], out[1][output] = p[0][output], p[1][output]
		}
	}
	return out
}

// Delta returns Σ max(0, Pr_0 − e^ℰ Pr_1), the smallest δ of ODP in one direction, and with a [Constant] charge
// that of DP. It is spec.SmallestDelta for laws with too many outputs to go through all sets of them.
func (p Pair) Delta(expE func(output string) *big.Rat) *big.Rat {
	total := new(big.Rat)
	for output, pr := range p[0] {
		excess := new(big.Rat).Set(pr)
		if other := p[1][output]; other != nil {
			excess.Sub(excess, rat.Mul(expE(output), other))
		}
		if excess.Sign() > 0 {
			total.Add(total, excess)
		}
	}
	return total
}

// DeltaBothWays is the larger [Pair.Delta] of both directions.
func (p Pair) DeltaBothWays(expE func(output string) *big.Rat) *big.Rat {
	return rat.Max(p.Delta(expE), p.Back().Delta(expE))
}

// Constant charges every output the same e^ε.
func Constant(expEps *big.Rat) func(output string) *big.Rat {
	return func(string) *big.Rat { return expEps }
}

// Random returns a random law over m outputs. The weights of outputs are up to most; some may be 0.
func Random(d register.Dice, m, most int) Law {
	weights, sum := make([]int64, m), int64(0)
	for i := range weights {
		weights[i] = int64(d.Roll(most + 1))
	}
	weights[d.Roll(m)]++
	for _, w := range weights {
		sum += w
	}
	l := Law{}
	for i, w := range weights {
		l[Name(i)] = big.NewRat(w, sum)
	}
	return l
}

// RandomPair returns two random laws: see [Random].
func RandomPair(d register.Dice, m, most int) Pair {
	return Pair{Random(d, m, most), Random(d, m, most)}
}
