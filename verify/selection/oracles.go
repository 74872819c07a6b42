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
// 1/2.
func pure(expEps *big.Rat) iter.Seq[neighbours] {
	return func(yield func(neighbours) bool) {
		for likely := range oracles(3, 2) {
			for unlikely := range oracles(3, 2) {
				if !yield(respond(expEps, likely, unlikely)) {
					return
				}
			}
		}
	}
}

// approximate yields laws of (ε, δ)-DP oracles over three samples: all functions of randomized response.
func approximate(expEps, delta *big.Rat) iter.Seq2[[]int, neighbours] {
	response := spec.RandomizedResponse(spec.Mechanism{ExpEps: expEps, Delta: delta})
	return func(yield func([]int, neighbours) bool) {
		for f := range finite.Tuples([]int{0, 1, 2}, 4) {
			var n neighbours
			for b := range n {
				n[b] = samples{new(big.Rat), new(big.Rat), new(big.Rat)}
				for z, i := range f {
					n[b][i] = rat.Add(n[b][i], response[b][z])
				}
			}
			if !yield(f, n) {
				return
			}
		}
	}
}

// worst returns the laws with the largest loss: the unlikely answer is the highest sample, and a share of the likely
// one is next.
func worst(expEps, share *big.Rat) neighbours {
	return respond(expEps, samples{rat.Complement(share), share, new(big.Rat)},
		samples{new(big.Rat), new(big.Rat), rat.One})
}

// checkLoss refutes a loss above the bound that is claimed, and says how close the largest comes.
func checkLoss(t *register.T, laws [2]samples, bound interval.Interval, format string, args ...any) {
	eachLoss(t, laws, bound, fmt.Sprintf(format, args...), func(loss interval.Interval, i int) {
		if bound.Lower.Sign() > 0 {
			t.Close(precise.Quo(loss, bound).Float().Lo, "%s, output %d", fmt.Sprintf(format, args...), i+1)
		}
	})
}

// checkLossBy refutes a loss above what a function says.
func checkLossBy(t *register.T, name string, laws [2]samples, bound interval.Interval, format string, args ...any) {
	eachLoss(t, laws, bound, "by "+name+", "+fmt.Sprintf(format, args...), func(interval.Interval, int) {})
}

// eachLoss visits the loss of every output in both orders, and refutes one above the bound.
func eachLoss(t *register.T, laws [2]samples, bound interval.Interval, where string,
	visit func(loss interval.Interval, i int)) {
	for i := range laws[0] {
		for b := range laws {
			p, q := laws[b][i], laws[1-b][i]
			if p.Sign() == 0 {
				continue
			}
			if q.Sign() == 0 {
				t.Refute("%s: output %d has the probabilities %s and 0", where, i+1, rat.Show(p))
			}
			loss := precise.Log(rat.Quo(p, q))
			if loss.Lower.Cmp(bound.Upper) > 0 {
				t.Refute("%s: output %d loses %.9g, claimed at most %.9g", where, i+1, loss.Lower, bound.Upper)
			}
			visit(loss, i)
		}
	}
}

// logOf returns share·(n·ln(e^ε) + more).
func logOf(share *big.Rat, n int64, expEps, more *big.Rat) interval.Interval {
	x := precise.Mul(precise.Int(n), precise.Log(expEps))
	return precise.Mul(precise.Rat(share), precise.Add(x, precise.Rat(more)))
}
