package conjecture

import (
	"context"
	"maps"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
)

// form is a number exactly: a sum of multiples of what is computed for a pipeline, by their names, and of 1, whose name
// is empty. With it sides are the same beyond doubt, where intervals never tell. It is nil where it is not known, or
// where it would be long.
type form map[string]*big.Rat

// longest is how many bits a ratio has at most above or below the line: sums and powers have ever more.
const longest = 1 << 15

func bitsOf(r *big.Rat) int { return max(r.Num().BitLen(), r.Denom().BitLen()) }

// plus adds a multiple of another form.
func (x form) plus(y form, times *big.Rat) form {
	if x == nil || y == nil {
		return nil
	}
	sum := maps.Clone(x)
	for name, r := range y {
		if sum[name] == nil {
			sum[name] = new(big.Rat)
		}
		if sum[name] = new(big.Rat).Add(sum[name], new(big.Rat).Mul(r, times)); bitsOf(sum[name]) > longest {
			return nil
		}
	}
	maps.DeleteFunc(sum, func(name string, r *big.Rat) bool { return name != "" && r.Sign() == 0 })
	return sum
}

// times is known where one of both is a ratio.
func (x form) times(y form) form {
	if x.ratio() == nil {
		x, y = y, x
	}
	if r := x.ratio(); r != nil && y != nil {
		return form{"": new(big.Rat)}.plus(y, r)
	}
	return nil
}

// ratio returns a copy of the number, or nil if it is not known to be a ratio.
func (x form) ratio() *big.Rat {
	if x == nil || len(x) != 1 || x[""] == nil {
		return nil
	}
	return new(big.Rat).Set(x[""])
}

// exactly adds what is known exactly of the values of a pipeline: of δ, if a strict inequality needs it.
func (q *Inequality) exactly(
	ctx context.Context, p impl.Pipeline, values map[string]interval.Interval,
) map[string]Value {
	last := len(p.Stops) - 1
	ratio := func(r *big.Rat) form { return form{"": r} }
	exact := map[string]form{"n": ratio(big.NewRat(int64(last+1), 1)), "k": ratio(big.NewRat(int64(end(p)), 1)),
		"E_1": ratio(p.Stops[0].Eps.Rat()), "E_n": ratio(p.Stops[last].Eps.Rat())}
	all, most, deltas := new(big.Rat), new(big.Rat), new(big.Rat)
	for _, m := range p.Mechanisms {
		count := big.NewRat(int64(m.Count), 1)
		all.Add(all, new(big.Rat).Mul(count, m.Eps.Rat()))
		deltas.Add(deltas, count.Mul(count, m.Delta))
		if m.Eps.Rat().Cmp(most) > 0 {
			most = m.Eps.Rat()
		}
	}
	exact["eps_sum"], exact["eps_max"], exact["delta_sum"] = ratio(all), ratio(most), ratio(deltas)
	if q.isStrict {
		deltasOf(ctx, p, exact)
	}
	of := map[string]Value{}
	for name, x := range values {
		v := valueOf(x)
		v.exact = exact[name]
		of[name] = v
	}
	return of
}

// deltasOf notes what is known exactly of the δ of a pipeline.
func deltasOf(ctx context.Context, p impl.Pipeline, exact map[string]form) {
	last := len(p.Stops) - 1
	for _, name := range []string{"optdel", "lemma11", "max_single", "compose"} {
		exact[name] = form{"": new(big.Rat), name: big.NewRat(1, 1)}
		if last == 0 { // with one stop all are the same
			exact[name] = form{"": new(big.Rat), "optdel": big.NewRat(1, 1)}
		}
	}
	if optDel, singles, lemma11 := impl.ExactIfQuick(ctx, p); optDel != nil {
		most := slices.MaxFunc(singles, (*big.Rat).Cmp)
		for name, r := range map[string]*big.Rat{"optdel": optDel, "lemma11": lemma11, "max_single": most,
			"compose": singles[last]} {
			exact[name] = form{"": r}
		}
	}
}
