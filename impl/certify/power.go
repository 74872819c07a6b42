package certify

import (
	"context"
	"math"
)

// power returns the law of count mechanisms together, on the nodes that matter: beyond them is a P-mass of about cut on each side. It is found by one
// transform, the powers of its numbers, and back (see fourier.go). Masses are tilted by e^(tilt·node): what is off by as much everywhere
// is little then where losses are large.
//
// What is beyond the nodes wraps around to others. A pessimistic law has a little more mass by that, and counts what is above as
// infinite; of an optimistic one all that may have been wrapped is taken off every node.
func (c *cells) power(ctx context.Context, count int, tilt, cut float64) (*cells, error) {
	isPessimistic := c.mass[1] == nil
	plain, p := newTilted(c.mass[0], 0, true), newTilted(c.mass[0], tilt, isPessimistic)
	plainTails, tails := plain.tails(count, math.Log(cut)), p.tails(count, leastTail)
	for wide := 6 * (plainTails[1].end - plainTails[0].end); tilt > 0 && tails[1].end-tails[0].end > wide; { // losses that do not matter
		if tilt *= 0.8; tilt*wide < 1 {
			tilt = 0
		}
		p = newTilted(c.mass[0], tilt, isPessimistic)
		tails = p.tails(count, leastTail)
	}
	low, high := min(plainTails[0].end, tails[0].end), max(plainTails[1].end, tails[1].end)
	if !(high-low < maxWindow) {
		return nil, errWindow
	}
	d := &cells{low: c.low*count + int(low), total: exp(min(float64(count)*max(0, c.total-1), mostExponent)) * (1 + 0x1p-30)}
	for j, mass := range c.mass {
		if mass == nil {
			continue
		}
		isUp := isPessimistic || j == 1
		sides := []float64{0, tilt}
		if isPessimistic {
			sides = append(sides, -tilt)
		}
		for _, t := range sides { // near the mean, and where losses are large, or small
			v := newTilted(mass, t, isUp)
			lost := 0.0
			if !isUp {
				ends := plainTails
				if t != 0 {
					ends = v.tails(count, leastTail)
				}
				lost = ends[0].bound(low-1) + ends[1].bound(high+1)
			}
			x, err := v.law(ctx, count, low, high, lost, isUp)
			if err != nil {
				return nil, err
			}
			d.mass[j] = nearer(d.mass[j], x, isUp)
			d.rounds = max(d.rounds, float64(count)*(c.rounds+v.rounds)+2*v.rounds)
		}
	}
	if isPessimistic {
		d.infinity = (float64(count)*c.infinity + plainTails[1].bound(high+1)) * d.total * exp(min(float64(count)*c.infinity, 1))
	}
	return d, ctx.Err()
}

// law returns upper or lower ends of the masses of sums of count nodes, from low to high, but for rounding. Lost is what may have been wrapped to any of them.
func (v *tilted) law(ctx context.Context, count int, low, high, lost float64, isUp bool) ([]float64, error) {
	z, bound, err := v.power(ctx, count, logSize(int(high-low)+1))
	if err != nil {
		return nil, err
	}
	if !isUp {
		bound = -bound - lost
	}
	mass, n := make([]float64, int(high-low)+1), float64(count)
	for i := range mass {
		node := low + float64(i)
		e := v.log*n - v.tilt*(node-v.center*n)
		mass[i] = max(0, z[int(node)&(len(z)-1)]+bound) * exp(min(max(-mostExponent, e), mostExponent))
	}
	return mass, nil
}

// nearer returns the lesser of upper ends, or the larger of lower ends; y if there is no x.
func nearer(x, y []float64, isUp bool) []float64 {
	for i := range x {
		if isUp == (x[i] < y[i]) {
			y[i] = x[i]
		}
	}
	return y
}

// leastTail is the logarithm of how much of a tilted law may wrap around.
const leastTail = -36

// tilted is masses times e^(tilt·(node − center) − log), of which the sum is about 1.
type tilted struct {
	x                 []float64
	tilt, center, log float64
	rounds            float64 // of x, and of taking that back
}

// newTilted tilts masses. Factors too small for float64 are rounded up or to 0.
func newTilted(mass []float64, tilt float64, isUp bool) *tilted {
	v := &tilted{x: make([]float64, len(mass)), tilt: tilt}
	most := math.Inf(-1)
	for i, m := range mass {
		if x := math.Log(m) + tilt*float64(i); m > 0 && x > most {
			most, v.center = x, float64(i)
		}
	}
	sum := 0.0
	for i, m := range mass {
		sum += m * math.Exp(min(tilt*(float64(i)-v.center), mostExponent))
	}
	v.log = math.Log(max(sum, 1e-300))
	for i, m := range mass {
		e := tilt*(float64(i)-v.center) - v.log
		switch {
		case e > mostExponent: // m is as small
			v.x[i] = m * exp(mostExponent) * exp(e-mostExponent)
		case e >= -mostExponent:
			v.x[i] = m * exp(e)
		case isUp:
			v.x[i] = m * exp(-mostExponent)
		}
		v.rounds = max(v.rounds, 16+4*math.Abs(e))
	}
	return v
}

// outskirts are the nodes of the law of count mechanisms on one side: beyond end is a mass of about e^level or less.
type outskirts struct {
	end           float64
	center, count float64
	nodes         int // of one mechanism: there is nothing beyond these
	bounds        []chernoff
}

// chernoff bounds what is beyond a node by e^(count·log − lambda·(node − count·center)): log is at least ln Σ x·e^(lambda·(node − center)).
type chernoff struct{ lambda, log float64 }

// tails returns those below and above.
func (v *tilted) tails(count int, level float64) (ends [2]outskirts) {
	mean, square, n := 0.0, 0.0, float64(count)
	for i, x := range v.x {
		mean += x * (float64(i) - v.center)
	}
	for i, x := range v.x {
		d := float64(i) - v.center - mean
		square += x * d * d
	}
	guess := math.Sqrt(-2*level) / math.Sqrt(max(square*n, 1e-6))
	for side, sign := range [2]float64{-1, 1} {
		t := outskirts{end: math.Inf(int(sign)), center: v.center, count: n, nodes: len(v.x)}
		for _, part := range [...]float64{0.02, 0.06, 0.15, 0.3, 0.5, 0.75, 1, 1.5} {
			c := chernoff{lambda: sign * guess * part}
			c.log = v.logMoment(c.lambda)
			t.bounds = append(t.bounds, c)
			if end := math.Round(v.center*n+(n*c.log-level)/c.lambda) + sign; sign*end < sign*t.end {
				t.end = end
			}
		}
		ends[side] = t
	}
	ends[0].end, ends[1].end = max(ends[0].end, 0), min(ends[1].end, n*float64(len(v.x)-1))
	return ends
}

// logMoment returns at least ln Σ x·e^(lambda·(node − center)).
func (v *tilted) logMoment(lambda float64) float64 {
	sum := 0.0
	for i, x := range v.x {
		sum += x * exp(min(max(-mostExponent, lambda*(float64(i)-v.center)), mostExponent))
		if lambda*(float64(i)-v.center) > mostExponent && x > 0 {
			return math.Inf(1)
		}
	}
	return exactly(sum * (1 + float64(len(v.x)+4096)*0x1p-52)).log().hi
}

// bound returns at least the mass from a node on.
func (t outskirts) bound(node float64) float64 {
	if node < 0 || node > t.count*float64(t.nodes-1) {
		return 0
	}
	least := 0.0
	for _, c := range t.bounds {
		e := t.count*c.log - c.lambda*(node-t.count*t.center)
		e += 0x1p-50 * (t.count*math.Abs(c.log) + math.Abs(c.lambda*node) + math.Abs(t.count*c.lambda*t.center))
		least = min(least, e)
	}
	return exactly(max(least, -mostExponent)).exp().hi
}

// power returns the masses of sums of count nodes, by their remainders, and a bound of how much each is off.
//
// With X̂ for the transform X, off by d: |X̂^n − X^n| ≤ n·|d|·(|X̂| + max |d|)^(n−1), and n − 1 products more. The sum of n·|d|·… is
// bounded by Cauchy and Schwarz.
func (v *tilted) power(ctx context.Context, count, n int) (z []float64, bound float64, err error) {
	x := make([]complex128, 1<<n)
	sum := 0.0
	for i, m := range v.x {
		x[i&(len(x)-1)] += complex(m, 0)
		sum += m
	}
	k, size, c := kappa(n), float64(len(x)), float64(count)
	length := norm(x)
	forward(x, cyclic)
	if ctx.Err() != nil {
		return nil, 0, ctx.Err()
	}
	most := k * sum * 1.001
	all, squares := 0.0, 0.0
	for i, y := range x {
		size := math.Sqrt(real(y)*real(y) + imag(y)*imag(y))
		x[i] = complexPower(y, count)
		all += raised(size*(1+0x1p-50), count)
		p := raised((size+most)*(1+0x1p-50), count-1)
		squares += p * p
	}
	if ctx.Err() != nil {
		return nil, 0, ctx.Err()
	}
	slack := 1 + 0x1p-40*c
	off := slack * (all*c*4*roundoff + c*k*math.Sqrt(size)*length*math.Sqrt(squares))
	backward(x, cyclic)
	z = make([]float64, len(x))
	for i, y := range x {
		z[i] = real(y) / size
	}
	return z, slack * (off + (k+4*roundoff)*(all*slack+off)) / size * 1.01, ctx.Err()
}

// raised returns x^n for x ≥ 0 by squaring, with at most 2n roundings.
func raised(x float64, n int) float64 {
	y := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			y *= x
		}
		x *= x
	}
	return y
}

func complexPower(x complex128, n int) complex128 {
	y := complex(1, 0)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			y *= x
		}
		x *= x
	}
	return y
}
