package impl

import (
	"math/big"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/stopping"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// hasMostLoss reports whether the finite losses of m have a bound, for neighbours in the order that its law is given
// in: all but those of noise with the tails of a normal law. If that is sampled, a record that is added loses less than
// −ln(1 − q).
func hasMostLoss(m Mechanism) bool {
	if s := m.Sampled; s != nil {
		return s.Added && s.Rate.Cmp(rational.One) < 0 ||
			!slices.ContainsFunc(inSample(s).Mechanisms, func(m Mechanism) bool { return !hasMostLoss(m) })
	}
	a := m.Additive
	return a == nil || a.Noise == certify.Laplace || a.Added && a.Takes().Cmp(rational.One) < 0
}

// mostLoss returns the least bound of the finite losses ln(P/Q) of m, and exactly where it is known to be a ratio, for
// neighbours in the order that its law is given in; [hasMostLoss] says that there is one. It is ε, or what a law has;
// for Laplace noise 1/b without sampling, and with it ln(1 − q + q·e^(1/b)), or −ln(1 − q + q·e^(−1/b)) for a record
// that is added.
func mostLoss(m Mechanism, n interval.Precision) (exact *big.Rat, x interval.Interval) {
	switch {
	case m.Sampled != nil:
		return mostOfSampled(m.Sampled, n)
	case m.Law != nil:
		return mostOfLaw(m.Law, n)
	case m.Losses != nil && losesNothing(m.Losses):
		return new(big.Rat), n.Int(0)
	case m.Losses != nil:
		return mostOfLosses(m.Losses, n)
	case m.Additive == nil && m.Eps.IsZero():
		return new(big.Rat), n.Int(0)
	case m.Additive == nil && !m.Eps.Log:
		return m.Eps.Rat(), n.Rat(m.Eps.Rat())
	case m.Additive == nil:
		return nil, loss.Enclose(m.Eps, n)
	}
	a := m.Additive
	const guard = 64 // of what a small q, or 1/b, takes away
	w, takes := n+guard, a.Takes()
	rest := w.Rat(new(big.Rat).Sub(rational.One, takes))
	if a.Noise != certify.Laplace {
		return nil, w.Neg(w.LogOf(rest))
	}
	amount, _ := a.Only()
	switch most := new(big.Rat).Quo(amount, a.Scale); {
	case takes.Cmp(rational.One) == 0:
		return most, n.Rat(most)
	case a.Added:
		return nil, w.Neg(w.LogOf(w.Add(rest, w.Mul(w.Rat(takes), w.ExpRat(most.Neg(most))))))
	default:
		return nil, w.LogOf(w.Add(rest, w.Mul(w.Rat(takes), w.ExpRat(most))))
	}
}

// mostOfSampled returns the largest finite loss of what sees one sample, and exactly if it is 0: that of a record in
// it, mixed, or −ln(1 − q) for a record that is added if there is no such.
func mostOfSampled(s *certify.Sampled, n interval.Precision) (exact *big.Rat, x interval.Interval) {
	const guard = 64
	w, p := n+guard, inSample(s)
	rate, rest := w.Rat(s.Rate), w.Rat(new(big.Rat).Sub(rational.One, s.Rate))
	leaks := func(m Mechanism) bool {
		lost := infinity(m)
		return !hasMostLoss(m) || lost != nil && lost.Sign() > 0 || lost == nil && m.Continuous().Infinity() > 0
	}
	if s.Added && rest.Lower.Sign() > 0 && slices.ContainsFunc(p.Mechanisms, leaks) {
		return nil, w.Neg(w.LogOf(rest))
	}
	sum := w.Int(0)
	for _, m := range p.Mechanisms {
		_, x := mostLoss(m, w)
		sum = w.Add(sum, w.Mul(w.Int(int64(m.Count)), x))
	}
	switch {
	case sum.Upper.Sign() == 0 && sum.Lower.Sign() == 0:
		return new(big.Rat), n.Int(0)
	case s.Added:
		return nil, w.Neg(w.LogOf(w.Add(rest, w.Mul(rate, w.Exp(w.Neg(sum))))))
	}
	return nil, w.LogOf(w.Add(rest, w.Mul(rate, w.Exp(sum))))
}

// mostOfLaw returns the largest finite loss ln(P/Q), and exactly if it is 0; where no loss is finite, 0, which does not
// matter.
func mostOfLaw(l Law, n interval.Precision) (exact *big.Rat, x interval.Interval) {
	losses := certify.ByLoss(l)
	if losses[0][1].Sign() == 0 {
		losses = losses[1:]
	}
	if len(losses) == 0 || losses[0][0].Cmp(losses[0][1]) == 0 || losses[0][0].Sign() == 0 {
		return new(big.Rat), n.Int(0)
	}
	return nil, n.Log(new(big.Rat).Quo(losses[0][0], losses[0][1]))
}

// mostOfLosses returns the largest finite loss, and exactly if that is as it was given: where the masses under Q sum to
// more than 1, all are divided by their sum.
func mostOfLosses(l *certify.Losses, n interval.Precision) (exact *big.Rat, x interval.Interval) {
	list := l.List()
	most := list[len(list)-1][0]
	if l.IsReversed() {
		most = new(big.Rat).Neg(list[0][0])
	}
	sum := massesUnderQ(l, n)
	if sum.Upper.Cmp(big.NewFloat(1)) <= 0 {
		return most, n.Rat(most)
	}
	excess := n.LogOf(interval.Max(sum, n.Int(1)))
	if l.IsReversed() {
		excess = n.Neg(excess)
	}
	return nil, n.Add(n.Rat(most), excess)
}

// massesUnderQ returns Σ mass·e^−loss.
func massesUnderQ(l *certify.Losses, n interval.Precision) interval.Interval {
	sum := n.Int(0)
	for _, x := range l.List() {
		sum = n.Add(sum, n.Mul(n.Rat(x[1]), n.ExpRat(new(big.Rat).Neg(x[0]))))
	}
	return sum
}

// losesNothing reports whether the only finite loss is 0. Other losses are rational, and with them mass·e^−loss sums to
// no rational number: e^x are linearly independent over these for different rational x (Lindemann and Weierstrass).
func losesNothing(l *certify.Losses) bool {
	list := l.List()
	return len(list) == 1 && list[0][0].Sign() == 0
}

// sums returns, for each stop, the sum of the largest finite losses up to it, or 0 if that is less, for neighbours in
// the order that laws are given in: the composition for what no charge can buy. p must have them all, see
// [hasMostLoss].
func (p Pipeline) sums(n interval.Precision) (sums []*Composition) {
	rest, others, isRational := new(big.Rat), n.Int(0), true
	type most struct {
		exact *big.Rat
		interval.Interval
	}
	known := make([]*most, len(p.Mechanisms))
	for _, r := range certify.Problem(p).Runs() {
		if known[r.Entry] == nil {
			exact, x := mostLoss(p.Mechanisms[r.Entry], n)
			known[r.Entry] = &most{exact, x}
		}
		count := new(big.Rat).SetInt64(int64(r.Count))
		if x := known[r.Entry]; x.exact != nil {
			rest.Add(rest, count.Mul(count, x.exact))
		} else {
			others, isRational = n.Add(others, n.Mul(n.Rat(count), x.Interval)), false
		}
		if r.Stop < 0 {
			continue
		}
		sum, exact := n.Add(others, n.Rat(rest)), (*big.Rat)(nil)
		if isRational {
			exact = rational.Max(new(big.Rat).Set(rest), new(big.Rat))
			sum = n.Rat(exact)
		}
		sums = append(sums, stopping.ClosedComposition(interval.Max(sum, n.Int(0)), exact))
	}
	return sums
}

// sum returns the last of [Pipeline.sums].
func (p Pipeline) sum(n interval.Precision) *Composition {
	sums := p.sums(n)
	return sums[len(sums)-1]
}
