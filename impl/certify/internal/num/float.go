package num

import (
	"context"
	"math/big"
)

// OneMinusExpRounds bounds the errors of oneMinusExp and of what is computed with few of them, in roundings.
const OneMinusExpRounds = 256

// OneMinusExp returns 1 − e^−x for x ≥ 0 with at most 48 roundings, besides the error of x.
//
// For y = x/2^n ≤ 2^-6 it is y·(1 − y/2·(1 − y/3·(…))), less than 2^-57 of it left out, with
// some 4 roundings; from there 1 − e^−2y = p·(2 − p), p = 1 − e^−y, n ≤ 12 times: two
// roundings each, and the relative error of p does not grow. From 48 on it is 1 − 2^-69.
func OneMinusExp(x float64) float64 {
	if x >= 48 {
		return 1
	}
	n := 0
	for ; x > 0x1p-6; n++ {
		x /= 2
	}
	p := x * (1 - x/2*(1-x/3*(1-x/4*(1-x/5*(1-x/6*(1-x/7*(1-x/8)))))))
	for range n {
		p *= 2 - p
	}
	return p
}

// Gather sets dst[m] = infinity + Σ mass[i]·src[m + offset[i]], with at most as many roundings on a term as
// there are atoms, and two. It goes block by block: a block stays in the cache, and in between, soon, ctx may end it.
func Gather(ctx context.Context, dst, src []float64, offset []int, mass []float64, infinity float64) error {
	src = src[:len(src):len(src)] // so that no offset leads to what was there before
	block := max(1<<6, min(1<<12, 1<<24/len(offset)))
	for ; len(dst) > block && ctx.Err() == nil; dst, src = dst[block:], src[block:] {
		gatherBlock(dst[:block], src, offset, mass, infinity)
	}
	gatherBlock(dst[:min(block, len(dst))], src, offset, mass, infinity)
	return ctx.Err()
}

// gatherBlock is gather at once. Several atoms together save loads and stores of dst.
func gatherBlock(dst, src []float64, offset []int, mass []float64, infinity float64) {
	row := func(i int) (float64, []float64) { return mass[i], src[offset[i]:][:len(dst)] }
	first := len(offset) % 4
	switch first {
	case 0:
		for m := range dst {
			dst[m] = infinity
		}
	case 1:
		p, a := row(0)
		for m := range dst {
			dst[m] = infinity + p*a[m]
		}
	case 2:
		p, a := row(0)
		q, b := row(1)
		for m := range dst {
			dst[m] = infinity + (p*a[m] + q*b[m])
		}
	case 3:
		p, a := row(0)
		q, b := row(1)
		r, c := row(2)
		for m := range dst {
			dst[m] = infinity + (p*a[m] + q*b[m] + r*c[m])
		}
	}
	for i := first; i < len(offset); i += 4 {
		p, a := row(i)
		q, b := row(i + 1)
		r, c := row(i + 2)
		s, d := row(i + 3)
		for m := range dst {
			dst[m] += (p*a[m] + q*b[m]) + (r*c[m] + s*d[m])
		}
	}
}

// Best makes w the larger of itself and pay, and returns the first index at which pay is at least
// as large and not 0, or −1. What is not a number stays: a payment, or a value.
func Best(w, pay []float64) int {
	first := -1
	for m := len(pay) - 1; m >= 0; m-- {
		if p := pay[m]; p != 0 && !(p < w[m]) && w[m] == w[m] {
			w[m], first = p, m
		}
	}
	return first
}

// Chunk is how many terms are added before their sum is: that keeps roundings few.
const Chunk = 256

// SumRounds bounds the roundings on a term of a sum of n terms.
func SumRounds(n int) float64 { return float64(Chunk + n/Chunk + 2) }

// Dot returns Σ a·b; without b, the sum of a.
func Dot(a, b []float64) (total float64) {
	for len(a) > 0 {
		n, sum := min(Chunk, len(a)), 0.0
		for m, x := range a[:n] {
			if b != nil {
				x *= b[m]
			}
			sum += x
		}
		if total += sum; b != nil {
			b = b[n:]
		}
		a = a[n:]
	}
	return total
}

// Trim returns a without sums at its ends of at most floor each, as the range of what is left.
func Trim(a []float64, floor float64) (from, to int) {
	to = len(a)
	for low := a[0]; low <= floor && from < to-1; low += a[from] {
		from++
	}
	for high := a[to-1]; high <= floor && from < to-1; high += a[to-1] {
		to--
	}
	return from, to
}

// Merged returns the masses of nodes that are a unit apart as those of the first, rounded such that values are no
// larger: P-masses, and Q-masses times e^(the loss of their node).
func Merged(ps, qs []float64, unit Span) (p, q float64) {
	ratio := unit.Negated().Exp().Hi
	for i := len(ps) - 1; i >= 0; i-- {
		p, q = max(0, -Up1(-p-ps[i])), Up1(Up1(q*ratio)+qs[i])
	}
	return p, q
}

func ToFloat(x *big.Float) float64 {
	f, _ := x.Float64()
	return f
}

// Floor returns x, rounded down.
func Floor(x *big.Float) float64 {
	return ToFloat(Down(53).Set(x))
}

// Nearer returns the lesser of upper ends, or the larger of lower ends; y if there is no x.
func Nearer(x, y []float64, isUp bool) []float64 {
	for i := range x {
		if isUp == (x[i] < y[i]) {
			y[i] = x[i]
		}
	}
	return y
}
