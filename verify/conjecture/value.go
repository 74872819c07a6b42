package conjecture

import (
	"context"
	"maps"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// Value is what an expression is, and what is added in it and subtracted: a − b is next to 0 where it is small beside
// these.
type Value struct {
	interval.Interval
	added, subtracted interval.Interval
	exact             form
}

// Exact returns the number if it is known to be a ratio, or nil.
func (x Value) Exact() *big.Rat { return x.exact.ratio() }

// valueOf is a number that is no sum.
func valueOf(x interval.Interval) Value {
	return Value{Interval: x, added: precision.Max0(x), subtracted: precision.Max0(precision.Neg(x))}
}

func (x Value) plus(y Value) Value {
	return Value{precision.Add(x.Interval, y.Interval), precision.Add(x.added, y.added),
		precision.Add(x.subtracted, y.subtracted), x.exact.plus(y.exact, big.NewRat(1, 1))}
}

func (x Value) less(y Value) Value {
	return Value{precision.Sub(x.Interval, y.Interval), precision.Add(x.added, y.subtracted),
		precision.Add(x.subtracted, y.added), x.exact.plus(y.exact, big.NewRat(-1, 1))}
}

func (x Value) times(y Value) Value {
	sum := func(a, b, c, d interval.Interval) interval.Interval {
		return precision.Add(precision.Mul(a, b), precision.Mul(c, d))
	}
	return Value{precision.Mul(x.Interval, y.Interval), sum(x.added, y.added, x.subtracted, y.subtracted),
		sum(x.added, y.subtracted, x.subtracted, y.added), x.exact.times(y.exact)}
}

func (x Value) over(y Value) Value {
	q := x.times(valueOf(precision.Quo(precision.Int(1), y.Interval)))
	q.Interval = precision.Quo(x.Interval, y.Interval)
	if r := y.exact.ratio(); r != nil && r.Sign() != 0 {
		q.exact = x.exact.times(form{"": r.Inv(r)})
	}
	return q
}

// Sides are both sides of an inequality for a pipeline: Left is claimed to be at most Right.
type Sides struct {
	Left, Right Value
	Values      map[string]Value // of the names that occur
	scale       *big.Float       // of what is compared: the larger side, each with what the other one subtracts
	isTie       bool             // both may be the same, as the inequality allows
	apart       *big.Rat         // by how much Left is more, if that is known exactly; see form
}

// Of computes both sides, to a relative width of what is computed. They may not be defined: as a quotient by what may
// be 0, or a logarithm of it.
func (q *Inequality) Of(ctx context.Context, p impl.Pipeline, width float64) (s Sides, isDefined bool, err error) {
	values, err := q.values(ctx, p, width)
	if err != nil {
		return s, false, err
	}
	s.Values = q.exactly(ctx, p, values)
	var hasLeft, hasRight bool
	s.Left, hasLeft = q.left(ctx, s.Values)
	s.Right, hasRight = q.right(ctx, s.Values)
	if hasLeft && hasRight {
		s.scale = interval.Max(precision.Add(s.Left.added, s.Right.subtracted),
			precision.Add(s.Right.added, s.Left.subtracted)).Upper
		s.apart = s.Left.exact.plus(s.Right.exact, big.NewRat(-1, 1)).ratio()
		s.isTie = !q.isStrict && s.MayBeEqual()
	}
	return s, hasLeft && hasRight, ctx.Err()
}

// Refutes reports whether these sides are no intervals of numbers that satisfy the inequality.
func (q *Inequality) Refutes(s Sides) bool {
	order := s.Left.Lower.Cmp(s.Right.Upper)
	if s.apart != nil {
		order = s.apart.Sign()
	}
	return order > 0 || order == 0 && q.isStrict
}

// IsOpen reports whether these sides may be equal where one is claimed to be less.
func (q *Inequality) IsOpen(s Sides) bool {
	return q.isStrict && s.Left.Upper != nil && s.Left.Upper.Cmp(s.Right.Lower) >= 0 && s.apart == nil && !q.Refutes(s)
}

// AreEqual reports whether both are certainly the same.
func (s Sides) AreEqual() bool {
	if s.apart != nil {
		return s.apart.Sign() == 0
	}
	return s.Left.Lower.Cmp(s.Right.Upper) == 0 && s.Left.Upper.Cmp(s.Right.Lower) == 0
}

// Known says what is known of sides that refute an inequality beyond what their intervals show; "" if these show it.
func (s Sides) Known() string {
	switch {
	case s.AreEqual():
		return "both sides are equal, and none is less"
	case s.Left.Lower.Cmp(s.Right.Upper) <= 0:
		return "the first side is certainly not less"
	}
	return ""
}

// MayBeEqual reports whether it is not known that one side is less.
func (s Sides) MayBeEqual() bool {
	return s.AreEqual() || s.apart == nil && s.Left.Lower.Cmp(s.Right.Upper) <= 0 && s.Left.Upper.Cmp(s.Right.Lower) >= 0
}

// areZero reports whether all that is compared is 0, as where no loss is above a charge.
func (s Sides) areZero() bool { return s.scale.Sign() == 0 }

// excess is how far the sides are from what is claimed, from −1 on, and more than 0 where the inequality fails:
// relative to the larger side and, as that tells nothing where the other one is 0, a little to what is compared; where
// the named δ are nearly the same, relative to their spread. Where nothing is compared but one number
// with 0, it is below −1, and more for a smaller one.
func (s Sides) excess() float64 {
	const little = 1.0 / 64
	apart := precision.Up().Sub(s.Left.Lower, s.Right.Upper)
	switch {
	case s.areZero(), s.isTie: // as where there is one stop: nothing is near
		return -1
	case s.AreEqual():
		return 0
	}
	side := larger(new(big.Float).Abs(s.Left.Lower), new(big.Float).Abs(s.Right.Upper))
	if spread, isKnown := s.spread(); isKnown && apart.Sign() < 0 {
		const few = 8
		spread.Mul(spread, big.NewFloat(few)).Sub(spread, apart)
		if spread.Cmp(side) < 0 {
			part, _ := spread.Quo(apart, spread).Float64()
			return part
		}
	}
	if side.Sign() == 0 {
		return 0 // both ends that matter are 0
	}
	bySides, _ := new(big.Float).Quo(apart, side).Float64()
	byTerms, _ := new(big.Float).Quo(apart, s.scale).Float64()
	if x := bySides + little*(byTerms-bySides); x > -1 {
		return x
	}
	size, _ := s.scale.Float64()
	return -1 - 1/(1+1/size)
}

// spread is how far the named δ are apart, if there are two: where a stop hardly matters all are nearly the same, and
// so are the sides of a claim that compares them.
func (s Sides) spread() (spread *big.Float, isKnown bool) {
	var least, most *big.Float
	for _, name := range []string{"optdel", "lemma11", "max_single", "compose"} {
		x, occurs := s.Values[name]
		if !occurs {
			continue
		}
		if least == nil {
			least, most = x.Upper, x.Upper
			continue
		}
		isKnown = true
		if most = larger(most, x.Upper); x.Upper.Cmp(least) < 0 {
			least = x.Upper
		}
	}
	if !isKnown {
		return nil, false
	}
	return precision.Up().Sub(most, least), true
}

func larger(x, y *big.Float) *big.Float {
	if x.Cmp(y) < 0 {
		return y
	}
	return x
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
