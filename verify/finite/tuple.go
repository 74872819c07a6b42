package finite

import (
	"fmt"
	"iter"
	"slices"
)

// Tuples yields all tuples of n members of xs. The first entry changes fastest.
func Tuples[X any](xs []X, n int) iter.Seq[[]X] {
	return func(yield func([]X) bool) {
		if n > 0 && len(xs) == 0 {
			return
		}
		for indices := make([]int, n); ; {
			tuple := make([]X, n)
			for i, index := range indices {
				tuple[i] = xs[index]
			}
			if !yield(tuple) {
				return
			}
			i := 0
			for i < n && indices[i] == len(xs)-1 {
				indices[i] = 0
				i++
			}
			if i == n {
				return
			}
			indices[i]++
		}
	}
}

// inTurn yields what of yields for each x, one after the other.
func inTurn[X, Y any](xs iter.Seq[X], of func(x X) iter.Seq[Y]) iter.Seq[Y] {
	return func(yield func(Y) bool) {
		for x := range xs {
			for y := range of(x) {
				if !yield(y) {
					return
				}
			}
		}
	}
}

// mapped yields f of each x.
func mapped[X, Y any](xs iter.Seq[X], f func(x X) Y) iter.Seq[Y] {
	return inTurn(xs, func(x X) iter.Seq[Y] { return func(yield func(Y) bool) { yield(f(x)) } })
}

// assignments yields all maps from the keys to some of the values. The value of the first key changes fastest.
func assignments[M ~map[string]X, X any](values []X, keys []string) iter.Seq[M] {
	return mapped(Tuples(values, len(keys)), func(tuple []X) M {
		m := M{}
		for i, key := range keys {
			m[key] = tuple[i]
		}
		return m
	})
}

// EveryNth yields every n-th of a sequence, from the first on.
func EveryNth[X any](xs iter.Seq[X], n int) iter.Seq[X] {
	return func(yield func(X) bool) {
		i := 0
		for x := range xs {
			if i%n == 0 && !yield(x) {
				return
			}
			i++
		}
	}
}

// Share says how many [EveryNth] yields.
func Share(n int) string {
	if n == 1 {
		return "all"
	}
	return fmt.Sprintf("one in %d of all", n)
}

// Lists yields all tuples of from up to most members of xs: see [Tuples].
func Lists[X any](xs []X, from, most int) iter.Seq[[]X] {
	var lengths []int
	for n := from; n <= most; n++ {
		lengths = append(lengths, n)
	}
	return inTurn(slices.Values(lengths), func(n int) iter.Seq[[]X] { return Tuples(xs, n) })
}

// Each2 goes through a grid: all pairs of one of xs and one of ys, which change fastest.
func Each2[X, Y any](xs []X, ys []Y, visit func(x X, y Y)) {
	for _, x := range xs {
		for _, y := range ys {
			visit(x, y)
		}
	}
}

// Each3 goes through a grid of three.
func Each3[X, Y, Z any](xs []X, ys []Y, zs []Z, visit func(x X, y Y, z Z)) {
	Each2(xs, ys, func(x X, y Y) {
		for _, z := range zs {
			visit(x, y, z)
		}
	})
}
