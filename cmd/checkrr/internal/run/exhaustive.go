package run

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// enumerationBits is the precision of an enumeration that is not exact.
const enumerationBits = interval.Precision(256)

// enumerate solves a pipeline by going through every sequence of outputs. It sets the exact values if exact.
func enumerate(ctx context.Context, p impl.Pipeline, o impl.Options, exact bool) (worst found, err error) {
	if err := p.Validate(); err != nil {
		return worst, err
	}
	orders := len(p.Orders())
	solutions, results := make([]found, orders), make([]*impl.Result, orders)
	solve := func(ctx context.Context, i int, q impl.Pipeline, progress func(float64)) error {
		own := o
		own.Progress = progress
		s, err := enumerateOne(ctx, q, own, exact)
		if err == nil {
			solutions[i], results[i] = s, s.Result
		}
		return err
	}
	ended := p.EachOrder(ctx, o.Progress, solve)
	if ended != nil && ctx.Err() == nil {
		return worst, ended
	}
	worst.Result = impl.Worst(results...)
	switch {
	case worst.Result == nil:
		return worst, ended
	case ended != nil: // an exact value needs both orders, and a rule more time
		return worst, nil
	}
	for _, s := range solutions {
		worst.exact, worst.lemma11Exact = largest(worst.exact, s.exact), largest(worst.lemma11Exact, s.lemma11Exact)
		if worst.singlesExact == nil {
			worst.singlesExact = s.singlesExact
		}
		for i, x := range s.singlesExact {
			worst.singlesExact[i] = largest(x, worst.singlesExact[i])
		}
	}
	if err := worst.enumerateRule(ctx, p); err != nil {
		if ctx.Err() == nil {
			return worst, err
		}
		worst.Shortfall = cmp.Or(worst.Shortfall, "the work ended before there was a stopping rule")
	}
	return worst, nil
}

// largest returns the larger of two numbers, of which x may be nil.
func largest(x, y *big.Rat) *big.Rat {
	if x == nil || y != nil && y.Cmp(x) > 0 {
		return y
	}
	return x
}

// enumerateOne is enumerate for neighbours in one order.
func enumerateOne(ctx context.Context, p impl.Pipeline, o impl.Options, exact bool) (s found, err error) {
	q, err := everyMechanism(p)
	if err != nil {
		return s, err
	}
	s.Result = &impl.Result{Method: enumeration, RelWidth: o.RelWidth}
	if exact {
		v, err := exhaustive.Exact(ctx, q, o.Progress)
		if err != nil {
			return s, err
		}
		s.exact, s.lemma11Exact, s.Arithmetic = v.OptDel, v.Lemma11, "rationals"
		s.singlesExact = v.Single
		s.set(v.OptDel, v.Lemma11, v.Single)
	} else if err := s.enclose(ctx, q, o); err != nil {
		return s, err
	}
	if w := max(s.OptDel.RelWidth(), s.Lemma11.RelWidth()); w > o.RelWidth {
		s.Shortfall = fmt.Sprintf("%d bits certify a relative width of %.2g", enumerationBits, w)
	}
	return s, nil
}

// set sets the intervals from exact values.
func (s found) set(optDel, lemma11 *big.Rat, singles []*big.Rat) {
	s.OptDel, s.Lemma11 = enumerationBits.Rat(optDel), enumerationBits.Rat(lemma11)
	for _, r := range singles {
		s.SingleStop = append(s.SingleStop, enumerationBits.Rat(r))
	}
}

// enclose sets the intervals by an enumeration with directed rounding.
func (s found) enclose(ctx context.Context, q exhaustive.Pipeline, o impl.Options) error {
	v, err := exhaustive.Enclose(ctx, q, uint(enumerationBits), o.Progress)
	if err != nil {
		return err
	}
	interval := func(x exhaustive.Interval) interval.Interval { return interval.Interval{Lower: x.Lo, Upper: x.Hi} }
	s.Arithmetic = fmt.Sprintf("big.Float with %d bits", enumerationBits)
	s.OptDel, s.Lemma11 = interval(v.OptDel), interval(v.Lemma11)
	for _, x := range v.Single {
		s.SingleStop = append(s.SingleStop, interval(x))
	}
	return nil
}

// enumerateRule sets the worst stopping rule: impl finds it, and the order of neighbours that needs it, and the
// enumeration says how likely each of its ends is.
func (s found) enumerateRule(ctx context.Context, p impl.Pipeline) error {
	found, err := impl.OptDel(ctx, p, impl.Options{})
	if err != nil || found.Rule == nil {
		return cmp.Or(err, ctx.Err())
	}
	q, err := everyMechanism(p.Orders()[max(0, slices.Index(impl.Orders[:], found.Order))])
	if err != nil {
		return err
	}
	thresholds := make([]float64, len(found.Rule))
	for i, t := range found.Rule {
		thresholds[i] = t.LossAtLeast
	}
	v, err := exhaustive.EvaluateRule(ctx, q, thresholds)
	if err != nil {
		return err
	}
	s.Order = found.Order
	for i, end := range v.Ends {
		probability, _ := end.Hi.Float64()
		s.Rule = append(s.Rule, impl.Threshold{LossAtLeast: thresholds[i], Probability: probability,
			Contribution: found.Rule[i].Contribution})
	}
	return nil
}

// everyMechanism returns p with one entry a mechanism.
func everyMechanism(p impl.Pipeline) (exhaustive.Pipeline, error) {
	var q exhaustive.Pipeline
	for i, m := range p.Mechanisms {
		if m.IsOnGrid() {
			return q, &impl.InputError{List: "mechanisms", Index: i, Field: m.Kind(),
				Rule: "is given, must be a law, or eps and delta, for --method exhaustive: " + impl.TooMany(m)}
		}
		if len(q.Mechanisms)+m.Count > exhaustive.MaxMechanisms {
			last := p.Stops[len(p.Stops)-1].After
			return q, fmt.Errorf("--method exhaustive: the pipeline has %d mechanisms, must have at most %d", last,
				exhaustive.MaxMechanisms)
		}
		for range m.Count {
			q.Mechanisms = append(q.Mechanisms, exhaustive.Mechanism{Eps: sameEpsilon(m.Eps), Delta: m.Delta,
				Law: m.Law})
		}
	}
	for _, s := range p.Stops {
		q.Stops = append(q.Stops, exhaustive.Stop{After: s.After, Eps: sameEpsilon(s.Eps)})
	}
	return q, nil
}

func sameEpsilon(e loss.Epsilon) exhaustive.Epsilon {
	return exhaustive.Epsilon{Rat: e.Rat(), Exp: e.Log}
}
