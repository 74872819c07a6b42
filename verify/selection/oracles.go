package selection

import (
	"fmt"
	"iter"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// samples are the probabilities of what an oracle returns, from the lowest to the highest.
type samples []*big.Rat

func (s samples) String() string { return rat.Show(s...) }

// oracles yields all laws over m samples with probabilities that are multiples of 1/d.
func oracles(m, d int) iter.Seq[samples] {
	return func(yield func(samples) bool) {
		for l := range finite.Laws(m, d) {
			if !yield(dense(l)) {
				return
			}
		}
	}
}

func dense(l finite.Law) (s samples) {
	for _, o := range l.Outputs() {
		s = append(s, l[o])
	}
	return s
}

// neighbours are the laws of an oracle on two databases.
type neighbours [2]samples

func (n neighbours) String() string { return fmt.Sprintf("Q(D) = (%v), Q(D') = (%v)", n[0], n[1]) }

// respond returns the laws of what a function makes of randomized response, the answers of which it turns into samples
// by a law for each: those of e^−ε (ODP-L12) that have the probabilities e^ε/(1 + e^ε) and 1/(1 + e^ε).
func respond(expEps *big.Rat, likely, unlikely samples) (n neighbours) {
	e := rat.Quo(expEps, rat.Add(rat.One, expEps))
	for i := range likely {
		n[0] = append(n[0], rat.Add(rat.Mul(e, likely[i]), rat.Mul(rat.Complement(e), unlikely[i])))
		n[1] = append(n[1], rat.Add(rat.Mul(rat.Complement(e), likely[i]), rat.Mul(e, unlikely[i])))
	}
	return n
}

// pure yields laws of ε-DP oracles over three samples: all that randomized response becomes by laws of multiples of
// 1/2. Then come those with the largest loss, if a share is given: the unlikely answer is the highest sample, and this
// share of the likely one is next.
func pure(expEps *big.Rat, share string) iter.Seq[neighbours] {
	return func(yield func(neighbours) bool) {
		for likely := range oracles(3, 2) {
			for unlikely := range oracles(3, 2) {
				if !yield(respond(expEps, likely, unlikely)) {
					return
				}
			}
		}
		if share != "" {
			yield(worst(expEps, share))
		}
	}
}

func worst(expEps *big.Rat, share string) neighbours {
	x := rat.Of(share)
	return respond(expEps, samples{rat.Complement(x), x, new(big.Rat)}, rat.List("0", "0", "1"))
}

// pureUnlessRare is pure, but for γ = 1/100 only the worst.
func pureUnlessRare(expEps, gamma *big.Rat) iter.Seq[neighbours] {
	if gamma.Cmp(rat.Of("1/100")) > 0 {
		return pure(expEps, "")
	}
	return only(worst(expEps, "1/1000"))
}

func only(q neighbours) iter.Seq[neighbours] {
	return func(yield func(neighbours) bool) { yield(q) }
}

// approximate yields laws of (ε, δ)-DP oracles over three samples: all functions of randomized response.
func approximate(expEps, delta *big.Rat) iter.Seq2[[]int, neighbours] {
	response := spec.RandomizedResponse(spec.Mechanism{ExpEps: expEps, Delta: delta})
	return func(yield func([]int, neighbours) bool) {
		for f := range finite.Tuples([]int{0, 1, 2}, 4) {
			n := neighbours{rat.List("0", "0", "0"), rat.List("0", "0", "0")}
			for b := range n {
				for z, i := range f {
					n[b][i].Add(n[b][i], response[b][z])
				}
			}
			if !yield(f, n) {
				return
			}
		}
	}
}

// areWithin reports whether two numbers are within a factor.
func areWithin(factor, x, y *big.Rat) bool {
	return x.Cmp(rat.Mul(factor, y)) <= 0 && y.Cmp(rat.Mul(factor, x)) <= 0
}

// lossOf returns the largest loss of laws in both orders, and of which output; it refutes one above a bound.
func lossOf(t *register.T, at string, laws [2]samples, bound interval.Interval) (largest interval.Interval,
	output int) {
	largest = num(0)
	for i := range laws[0] {
		for b := range laws {
			p, q := laws[b][i], laws[1-b][i]
			if p.Sign() == 0 {
				continue
			}
			if q.Sign() == 0 {
				t.Refute("%s: output %d has the probabilities %s and 0", at, i+1, rat.Show(p))
			}
			x := ln(rat.Quo(p, q))
			if x.Lower.Cmp(bound.Upper) > 0 {
				t.Refute("%s: output %d loses %.9g, claimed at most %.9g", at, i+1, x.Lower, bound.Upper)
			}
			if x.Lower.Cmp(largest.Lower) > 0 || output == 0 {
				largest, output = x, i+1
			}
		}
	}
	return largest, output
}

// losesAtMost refutes a loss above what is claimed, and says how close the largest comes.
func losesAtMost(t *register.T, at string, laws [2]samples, claimed interval.Interval) {
	if x, output := lossOf(t, at, laws, claimed); claimed.Lower.Sign() > 0 {
		t.Close(quo(x, claimed).Float().Lo, "%s, output %d", at, output)
	}
}

// neededDelta returns the least δ for which two laws are (ε, δ)-DP.
func neededDelta(expEps any, laws [2][]interval.Interval) interval.Interval {
	most := num(0)
	for b := range laws {
		sum := num(0)
		for i, p := range laws[b] {
			sum = add(sum, precise.Max0(sub(p, mul(expEps, laws[1-b][i]))))
		}
		most = interval.Max(most, sum)
	}
	return most
}

// exactDelta is that of laws of rational numbers.
func exactDelta(expEps *big.Rat, p, q []*big.Rat) *big.Rat {
	sums := rat.List("0", "0")
	for i := range p {
		sums[0].Add(sums[0], rat.Positive(rat.Sub(p[i], rat.Mul(expEps, q[i]))))
		sums[1].Add(sums[1], rat.Positive(rat.Sub(q[i], rat.Mul(expEps, p[i]))))
	}
	return rat.Max(sums...)
}

// needsAtMost refutes laws that need a larger δ than is claimed, and returns what they need.
func needsAtMost(t *register.T, at string, laws [2]samples, expEps, claimed interval.Interval) interval.Interval {
	need := neededDelta(expEps, [2][]interval.Interval{nums(laws[0]), nums(laws[1])})
	if need.Lower.Cmp(claimed.Upper) > 0 {
		t.Refute("%s: δ is %.9g, claimed %.9g", at, need.Lower, claimed.Upper)
	}
	return need
}
