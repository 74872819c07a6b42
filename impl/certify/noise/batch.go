package noise

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/certify/internal/num"
)

// # Batches that are cut
//
// Of n records each is in a sample with probability q. If there are more than B in it, B of them are left, chosen at
// random. Let K be how many of the other n − 1 are in the sample, and q·B/(K + 1) the probability of the record to be
// in it and to be left, if K ≥ B.
//
//   - K < B: nothing is cut, with the record or without. It is contributed with probability q.
//   - K ≥ B: whatever K is, B of the others, all as likely, are the batch without the record. With it the batch is the
//     same, or the record is there in place of one of these: with the mean of q·B/(K + 1), which is B/n·P(J > B)/P(K ≥
//     B), J being how many of all n are in the sample. So the sum changes by up to 2.
//
// What is released together with which of the two it was dominates the step (docs/dominating-pairs.md). With q = 1 it
// is always the second, a batch of a fixed size.

// mostRecords bounds how many there are, which float64 has exactly.
const mostRecords = 1_000_000_000

// isCut reports whether batches are.
func (a *Additive) isCut() bool { return a.MaxBatch > 0 }

// IsExchanged reports whether one record may be in the place of another: batches are cut, or a record is replaced.
func (a *Additive) IsExchanged() bool { return a.isCut() || a.Replaced }

// batchFault returns the rule that MaxBatch, Records and Replaced break; empty if there is none.
func (a *Additive) batchFault() string {
	const batches = "not known for batches of a fixed size, or cut"
	switch isGaussian := a.Noise == Gaussian; {
	case a.MaxBatch == 0 && a.Records == 0 && !a.Replaced:
		return ""
	case a.MaxBatch < 0 || a.Records < 0 || a.isCut() != (a.Records > 0):
		return "max_batch and records must be given together: the most records of a batch, and how many there are"
	case a.isCut() && a.members() > 1:
		return "groups are " + batches + "; one record is"
	case a.isCut() && a.Adds != nil:
		return "adds is " + batches
	case a.isCut() && !isGaussian:
		return fmt.Sprintf("%s noise is %s; gaussian is", a.Noise, batches)
	case !isGaussian || a.Adds != nil || a.members() > 1:
		return "sampling of a record that is replaced is known for gaussian noise, without adds"
	case a.Records > mostRecords:
		return fmt.Sprintf("there are %d records, must be at most %d where batches are cut, or of a fixed size", a.Records,
			mostRecords)
	case a.isCut() && a.MaxBatch >= a.Records:
		return "max_batch must be less than records, as no batch is cut otherwise"
	case a.Replaced && a.Added:
		return "a record that is replaced must not be added: neighbours in both orders are the same"
	case a.Replaced && !a.IsRandom():
		return "a record that is replaced must be in a sample; without one, half of the noise says the same"
	}
	return ""
}

// IsBound reports whether (P, Q) is known to dominate all steps, but not to be the law of one.
func (a *Additive) IsBound() bool { return a.isCut() && (a.Replaced || a.Sampling.Cmp(num.One) < 0) }

// Turns reports whether (P, Q) and (Q, P) differ.
func (a *Additive) Turns() bool { return a.IsRandom() && !a.Replaced }

// told is laws of which the output tells which one it is of.
type told []toldLaw

type toldLaw struct {
	weight num.Span
	law    *additiveLaw
}

// dense returns the law of a.
func (a *Additive) dense() dense {
	if !a.isCut() {
		return a.contributed(num.SpanOf(a.Sampling), false)
	}
	if a.Sampling.Cmp(num.One) == 0 {
		return a.contributed(num.SpanOf(a.Takes()), true)
	}
	kept, cut, rate := a.batches()
	return told{{kept, a.contributed(num.SpanOf(a.Sampling), false)}, {cut, a.contributed(rate, true)}}
}

// contributed returns the law of a where a record is in the batch with a probability, in place of another one or not.
func (a *Additive) contributed(rate num.Span, isReplaced bool) *additiveLaw {
	if !a.Replaced && !isReplaced {
		return a.law()
	}
	d, one := num.Exactly(1).Over(num.SpanOf(a.Scale)), num.Exactly(1)
	l := &additiveLaw{Additive: a, sampling: rate, rest: one.Minus(rate).Probability()}
	if a.Replaced {
		l.outputs = newSwap(d, rate, l.rest, isReplaced)
		l.sampling, l.rest = one, num.Exactly(0)
	} else {
		l.outputs = newNormal(d.Plus(d))
	}
	l.first, l.last = l.farthest(true), l.farthest(false)
	return l
}

// above implements [dense].
func (t told) above(ctx context.Context, r ruler, cut float64) (*Cells, error) {
	return t.cells(ctx, r, true, cut)
}

// below implements [dense].
func (t told) below(ctx context.Context, r ruler, cut float64) (*Cells, error) {
	return t.cells(ctx, r, false, cut)
}

// cells returns the sum of those of all laws.
func (t told) cells(ctx context.Context, r ruler, isUp bool, cut float64) (sum *Cells, err error) {
	infinity, total := 0.0, 0.0
	for _, x := range t {
		if mass := x.part(x.law.weight(), true); mass <= cut/2 { // not worth a law; another one has more
			infinity = num.Up1(infinity + mass)
			continue
		}
		c, err := cellsOf(ctx, x.law, r, isUp, cut)
		if err != nil {
			return nil, err
		}
		for j, mass := range c.Mass {
			for i, m := range mass {
				mass[i] = x.part(m, c.isUp(j))
			}
		}
		infinity, total = num.Up1(infinity+x.part(c.Infinity, true)), num.Up1(total+x.part(c.Total, true))
		sum = sum.plus(c)
	}
	if sum == nil { // but for rounding one has more
		sum = &Cells{Mass: [2][]float64{{0}, nil}}
		if !isUp {
			sum.Mass[1] = []float64{0}
		}
	}
	if isUp {
		sum.Infinity, sum.Total = infinity, total
	}
	return sum, nil
}

// part returns so much of a mass of the law, rounded up or down.
func (x toldLaw) part(mass float64, isUp bool) float64 {
	both := num.Exactly(mass).Times(x.weight).AtLeast0()
	if mass == 0 || !isUp {
		return both.Lo
	}
	return both.Hi
}

// only implements [dense].
func (t told) only(from, to float64) dense {
	some := make(told, len(t))
	for i, x := range t {
		some[i] = toldLaw{x.weight, x.law.only(from, to).(*additiveLaw)}
	}
	return some
}

// weight implements [dense].
func (t told) weight() (sum float64) {
	for _, x := range t {
		sum = num.Up1(sum + x.part(x.law.weight(), true))
	}
	return sum
}

// About returns about the losses and their P-masses, some neighbours as one if there are more than most, where batches
// are cut or records are replaced.
func (a *Additive) About(most int) (losses, masses []float64) {
	laws, isTold := a.dense().(told)
	if !isTold {
		laws = told{{num.Exactly(1), a.dense().(*additiveLaw)}}
	}
	for _, x := range laws {
		l, m := x.law.list(most / len(laws))
		for i := range m {
			m[i] *= x.weight.Hi
		}
		losses, masses = append(losses, l...), append(masses, m...)
	}
	return losses, masses
}

// list lists what so many cells of outputs lose, and their P-masses.
func (a *additiveLaw) list(cells int) (losses, masses []float64) {
	const reach = 40 // beyond is less than float64 has
	far := reach + 2*num.Exactly(1).Over(num.SpanOf(a.Scale)).Hi
	width := 2 * far / float64(cells)
	for y := -far; y < far; y += width {
		from, to := a.edge(y), a.edge(y+width)
		if a.Added {
			from, to = to, from
		}
		if p, q := a.masses(from, to); p.Hi > 0 && q.Lo > 0 && p.Lo > 0 {
			losses, masses = append(losses, math.Log(p.Hi)-math.Log(q.Hi)), append(masses, p.Hi)
		}
	}
	return losses, masses
}

// batches returns how probable it is that the batch of the others is not full, P(K < B), and that it is, and how
// probable it is then that the record is in the batch, where there is one.
func (a *Additive) batches() (kept, cut, rate num.Span) {
	others := binomial{a.Records - 1, num.SpanOf(a.Sampling), num.SpanOf(new(big.Rat).Sub(num.One, a.Sampling))}
	most := min(others.n, int(float64(a.Records)*others.p.Hi)) // the number that is about the most probable
	for _, step := range []int{-1, 1} {
		rest := others.walk(most, step, func(k int, weight num.Span) {
			switch {
			case k == most && step < 0: // which is of the other side
			case k < a.MaxBatch:
				kept = kept.Plus(weight)
			default:
				cut = cut.Plus(weight)
			}
		})
		kept, cut = kept.Plus(rest), cut.Plus(rest)
	}
	full, taken, first := num.Span{}, num.Span{}, max(most, a.MaxBatch)
	add := func(k int, weight num.Span) {
		if k >= a.MaxBatch {
			full, taken = full.Plus(weight), taken.Plus(weight.Over(num.Exactly(float64(k+1))))
		}
	}
	rest := others.walk(first, 1, add)
	if first > a.MaxBatch {
		full, taken = full.Minus(num.Exactly(1)), taken.Minus(num.Exactly(1).Over(num.Exactly(float64(first+1))))
		rest = rest.Plus(others.walk(first, -1, add))
	}
	rate = taken.Plus(rest).Over(full.Plus(rest)).Times(num.Exactly(float64(a.MaxBatch))).Times(others.p)
	all := kept.Plus(cut)
	return kept.Over(all).Probability(), cut.Over(all).Probability(), rate.Probability()
}

// binomial is the law of how many of n are there, each with the probability p, independently; q is 1 − p.
type binomial struct {
	n    int
	p, q num.Span
}

// walk calls a function with numbers from the first one on, up or down, and their weights, as multiples of that of the
// first, until those are next to nothing, and falling. It returns at most what is left.
func (b binomial) walk(first, step int, of func(k int, weight num.Span)) (rest num.Span) {
	const nothing = 0x1p-900
	weight := num.Exactly(1)
	for k := first; k >= 0 && k <= b.n; k += step {
		of(k, weight)
		up, down, x, y := b.n-k, k+1, b.p, b.q // C(n, k + 1)/C(n, k) is a ratio of these
		if step < 0 {
			up, down, x, y = k, b.n-k+1, b.q, b.p
		}
		ratio := num.Exactly(float64(up)).Times(x).Over(num.Exactly(float64(down)).Times(y)).AtLeast0()
		if weight = weight.Times(ratio).AtLeast0(); weight.Hi < nothing && ratio.Hi < 1 {
			return num.Span{Lo: 0, Hi: nothing * float64(b.n+1)}
		}
	}
	return rest
}
