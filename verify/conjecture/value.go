package conjecture

import (
	"context"
	"maps"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// Sides are both sides of an inequality for a pipeline: Left is claimed to be at most Right.
type Sides struct {
	Left, Right interval.Interval
	Values      map[string]interval.Interval // of the names that occur
}

// Of computes both sides, to a relative width of what is computed. They may not be defined: as a quotient by what may
// be 0, or a logarithm of it.
func (q *Inequality) Of(ctx context.Context, p impl.Pipeline, width float64) (s Sides, isDefined bool, err error) {
	if s.Values, err = q.values(ctx, p, width); err != nil {
		return s, false, err
	}
	hasLeft, hasRight := false, false
	s.Left, hasLeft = q.left(s.Values)
	s.Right, hasRight = q.right(s.Values)
	return s, hasLeft && hasRight, nil
}

// Refutes reports whether these sides are no intervals of numbers that satisfy the inequality.
func (q *Inequality) Refutes(s Sides) bool {
	order := s.Left.Lower.Cmp(s.Right.Upper)
	return order > 0 || order == 0 && q.isStrict
}

// IsOpen reports whether these sides may be equal where one is claimed to be less.
func (q *Inequality) IsOpen(s Sides) bool {
	return q.isStrict && s.Left.Upper != nil && s.Left.Upper.Cmp(s.Right.Lower) >= 0 && !q.Refutes(s)
}

// areZero reports whether both sides are 0, as where no loss is above a charge.
func (s Sides) areZero() bool {
	is0 := func(x interval.Interval) bool { return x.Lower.Sign() == 0 && x.Upper.Sign() == 0 }
	return is0(s.Left) && is0(s.Right)
}

// excess is how far the sides are from what is claimed, relative to the larger: in [−1, 1] for positive sides, more
// than 0 where the inequality fails.
func (s Sides) excess() float64 {
	left, _ := s.Left.Lower.Float64()
	right, _ := s.Right.Upper.Float64()
	switch {
	case left == 0 && right == 0: // as where no loss is above a charge: nothing is near
		return -1
	case left == right:
		return 0
	}
	return (left - right) / max(left, right, -left, -right)
}

// values computes what the names stand for.
func (q *Inequality) values(ctx context.Context, p impl.Pipeline, width float64) (map[string]interval.Interval, error) {
	v := map[string]interval.Interval{}
	if q.names["optdel"] || q.names["lemma11"] || q.names["max_single"] {
		r, err := impl.OptDel(ctx, p, impl.Options{RelWidth: width})
		if err != nil {
			return nil, err
		}
		v["optdel"], v["lemma11"], v["max_single"] = r.OptDel, r.Lemma11, r.SingleStop[0]
		for _, x := range r.SingleStop {
			v["max_single"] = interval.Max(v["max_single"], x)
		}
	}
	last := len(p.Stops) - 1
	if q.names["compose"] {
		single := impl.Pipeline{Mechanisms: p.Mechanisms, Stops: p.Stops[last:]}
		r, err := impl.OptDel(ctx, single, impl.Options{RelWidth: width})
		if err != nil {
			return nil, err
		}
		v["compose"] = r.OptDel
	}
	v["n"], v["k"] = precision.Int(int64(last+1)), precision.Int(int64(p.Stops[last].After))
	v["E_1"], v["E_n"] = loss.Enclose(p.Stops[0].Eps, precision), loss.Enclose(p.Stops[last].Eps, precision)
	v["eps_sum"], v["eps_max"], v["delta_sum"] = precision.Int(0), precision.Int(0), precision.Int(0)
	for _, m := range p.Mechanisms {
		eps, count := loss.Enclose(m.Eps, precision), precision.Int(int64(m.Count))
		v["eps_sum"] = precision.Add(v["eps_sum"], precision.Mul(count, eps))
		v["eps_max"] = interval.Max(v["eps_max"], eps)
		v["delta_sum"] = precision.Add(v["delta_sum"], precision.Mul(count, precision.Rat(m.Delta)))
	}
	maps.DeleteFunc(v, func(name string, _ interval.Interval) bool { return !q.names[name] })
	return v, nil
}
