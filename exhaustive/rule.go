package exhaustive

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
)

// rulePrec is the precision of [EvaluateRule], in bits, where more of them are not needed.
const rulePrec = 200

// RuleValue is what a stopping rule achieves.
type RuleValue struct {
	Value Interval   // Σ (a − e_i·b) over the sequences that it counts
	Ends  []Interval // by stop: the probability under P_0 that the run ends there
}

// EvaluateRule evaluates the rule "stop after k_i if the loss ln(a/b) is at
// least thresholds[i−1]". Its value is a lower bound of OptDel, whatever the
// thresholds; the worst rule attains it.
//
// A run that arrives at the last stop ends there in any case, and counts there
// if its loss is at least the last threshold. A threshold of +Inf is reached by
// no finite loss. A sequence with b = 0 has the loss +∞: it stops at the first
// stop whose threshold is not +Inf, and always counts at the last.
//
// Source: Hartmann et al. (2022), Appendix C, eq. (12), for one criterion; ODP-E12.
// Symbols: a = P_0(q), b = P_1(q), e_i = e^ℰ(P_i), as in the package comment.
// Domain: one threshold a stop, ±Inf or in [−10^6, 10^6].
// Accuracy: intervals of at least 200 bits that contain the true values. Whether a loss
// reaches a threshold is never guessed: where the intervals of a and e^t·b
// overlap, equality is decided from the sum of the ε, and for what remains there are more
// bits, up to 4096; only what these do not tell is an error.
// Deviation from print: the family of sets is the one that the thresholds describe.
// Cost: O(4^(k_n)) operations of 200 bits, on one processor.
func EvaluateRule(ctx context.Context, p Pipeline, thresholds []float64) (RuleValue, error) {
	for prec := uint(rulePrec); ; prec = min(4*prec, maxPrec) {
		run, err := newRun(p, thresholds, enclosing{prec})
		if err == nil {
			err = run.visit(ctx, nil, run.tree.root())
		}
		switch {
		case err == nil:
			return run.RuleValue, nil
		case !errors.Is(err, errClose) || prec == maxPrec:
			return RuleValue{}, in("EvaluateRule", err)
		}
	}
}

// errClose says that a loss cannot be told from a threshold.
var errClose = errors.New("too close to")

// run is an evaluation of a rule under way.
type run struct {
	RuleValue
	pipeline   Pipeline
	tree       *tree[Interval]
	thresholds []float64
	expT       []Interval // by stop: e^threshold, where it is finite
}

func newRun(p Pipeline, thresholds []float64, number enclosing) (*run, error) {
	t, err := newTree(p, number)
	if err != nil {
		return nil, err
	}
	if len(thresholds) != len(p.Stops) {
		return nil, fmt.Errorf("there are %d thresholds, must be %d, one for each stop", len(thresholds), len(p.Stops))
	}
	expT := make([]Interval, len(thresholds))
	for i, x := range thresholds {
		if math.IsInf(x, 0) {
			continue
		}
		if !(math.Abs(x) <= maxEpsilon) {
			return nil, fmt.Errorf("threshold %d is %g, must be infinite or between %d and %d",
				i+1, x, -maxEpsilon, maxEpsilon)
		}
		expT[i] = number.expRat(new(big.Rat).SetFloat64(x))
	}
	start := RuleValue{Value: t.zero, Ends: t.zeros()}
	return &run{start, p, t, thresholds, expT}, nil
}

// visit follows every run that begins with the sequence q.
func (r *run) visit(ctx context.Context, q []int, at node[Interval]) error {
	k := len(q)
	if i := r.tree.stopAt[k]; i != noStop {
		reached, err := r.reached(i, q, at)
		if err != nil {
			return err
		}
		if reached {
			r.Value = r.tree.number.add(r.Value, r.tree.bracket(i, at))
		}
		if reached || k == len(r.tree.responses) {
			r.Ends[i] = r.tree.number.add(r.Ends[i], at.a)
			return nil
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for z := range r.tree.responses[k][0] {
		if err := r.visit(ctx, append(q[:k:k], z), r.tree.child(k, at, z)); err != nil {
			return err
		}
	}
	return nil
}

// reached reports whether the loss of q reaches the threshold of stop i.
func (r *run) reached(i int, q []int, at node[Interval]) (bool, error) {
	never, last := math.IsInf(r.thresholds[i], 1), i == len(r.thresholds)-1
	switch {
	case math.IsInf(r.thresholds[i], -1):
		return true, nil
	case at.b.isZero():
		return last || !never, nil
	case never:
		return false, nil
	}
	scaled := r.tree.number.mul(r.expT[i], at.b)
	switch {
	case at.a.Lo.Cmp(scaled.Hi) >= 0:
		return true, nil
	case at.a.Hi.Cmp(scaled.Lo) < 0:
		return false, nil
	}
	return r.reachedExactly(i, q)
}

// reachedExactly decides what intervals cannot: whether a/b is e^t exactly.
//
// Here a, b > 0, so q consists of 1 and 2, each adding or taking away its ε, and of
// outputs of laws with two positive probabilities, each adding the logarithm of their ratio.
// The loss is s + ln w, with s the sum of those given as ε and w the product of
// those given as e^ε, both rational. If s = t the question is whether w ≥ 1.
// Otherwise e^(t−s) is irrational, so the loss is not t, only close to it.
func (r *run) reachedExactly(i int, q []int) (bool, error) {
	s, w := new(big.Rat), new(big.Rat).Set(one)
	for k, z := range q {
		m := r.pipeline.Mechanisms[k]
		eps := m.Eps
		switch {
		case m.Law != nil:
			w.Mul(w, new(big.Rat).Quo(m.Law[z][0], m.Law[z][1]))
		case eps.Exp && z == 1:
			w.Mul(w, eps.Rat)
		case eps.Exp:
			w.Quo(w, eps.Rat)
		case z == 1:
			s.Add(s, eps.Rat)
		default:
			s.Sub(s, eps.Rat)
		}
	}
	if s.Cmp(new(big.Rat).SetFloat64(r.thresholds[i])) == 0 {
		return w.Cmp(one) >= 0, nil
	}
	return false, fmt.Errorf("threshold %d is %g, %w the loss of the sequence %v to tell which is larger",
		i+1, r.thresholds[i], errClose, q)
}
