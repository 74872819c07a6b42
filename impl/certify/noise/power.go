package noise

import (
	"context"
	"math"

	"checkrr/impl/certify/internal/num"
)

// power returns the law of count mechanisms together, on the nodes that matter: beyond them is a P-mass of about cut on
// each side. It is found by transforms, the powers of their numbers, and back (fourier.go in num): one of the masses,
// and one of masses that are tilted by e^(tilt·node) for each tilt. What is off by as much everywhere is little then
// where losses are large.
//
// What is beyond the nodes of a transform wraps around to others, with the other sign if it does so an odd number of
// times. All that may have been wrapped is added to every node of a pessimistic law, and taken off those of an
// optimistic one. What is above the nodes of a pessimistic law counts as infinite.
func (c *Cells) power(ctx context.Context, count int, cut float64, tilts ...float64) (*Cells, error) {
	isUp := c.Mass[1] == nil
	plain := newTilted(c.Mass[0], 0, isUp)
	ends := plain.tails(count, math.Log(cut))
	from, to := ends[0].end, ends[1].end
	if to < from { // there is hardly any mass
		from, to = max(to, 0), max(to, 0)
	}
	low, high := from, to // of transforms
	laws, beyond := []*tilted{plain}, [][2]outskirts{ends}
	for _, tilt := range tilts {
		v, far := c.tiltedWithin(ctx, count, tilt, 6*(ends[1].end-ends[0].end))
		low, high = min(low, far[0].end), max(high, far[1].end)
		laws, beyond = append(laws, v), append(beyond, far)
	}
	first := float64(c.Low)*float64(count) + from
	if !(high-low < num.MaxWindow) || math.Abs(first) > num.MaxNode { // beyond an int of 32 bits
		return nil, num.ErrWindow
	}
	z := make([]complex128, 1<<num.LogSize(int(high-low)/2+1)) // memory of all laws
	d := &Cells{Low: int(first),
		Total: num.Exp(min(float64(count)*max(0, c.Total-1), num.MostExponent)) * (1 + 0x1p-30)}
	for j, mass := range c.Mass {
		if mass == nil {
			continue
		}
		for i, v := range laws {
			beyond := beyond[i]
			if j == 1 {
				v = newTilted(mass, v.tilt, true)
				beyond = v.tails(count, leastTail)
			}
			x, err := v.law(ctx, count, from, to, z, beyond[0].bound(low-1)+beyond[1].bound(high+1), isUp || j == 1)
			if err != nil {
				return nil, err
			}
			d.Mass[j] = num.Nearer(d.Mass[j], x, isUp || j == 1)
			d.Rounds = max(d.Rounds, float64(count)*(c.Rounds+2*v.rounds+2)+4*v.rounds+8)
		}
	}
	if isUp {
		d.Mass[0][0] = num.Up1(d.Mass[0][0] + ends[0].bound(from-1)) // what is below the nodes
		infinite := float64(count) * c.Infinity
		d.Infinity = (infinite + ends[1].bound(to+1)) * d.Total * num.Exp(min(infinite, 1))
	}
	return d, ctx.Err()
}

// tiltedWithin returns the P-masses, tilted, and where their law is: by less than tilt, if that would be on more
// nodes than wide.
func (c *Cells) tiltedWithin(ctx context.Context, count int, tilt, wide float64) (*tilted, [2]outskirts) {
	for {
		v := newTilted(c.Mass[0], tilt, c.Mass[1] == nil)
		far := v.tails(count, leastTail)
		if tilt == 0 || far[1].end-far[0].end <= wide || ctx.Err() != nil {
			return v, far
		}
		if tilt *= 0.8; tilt*wide < 1 { // losses that do not matter
			tilt = 0
		}
	}
}

// law returns upper or lower ends of the masses of sums of count nodes, from one node to another, but for rounding.
// Lost is what may have been wrapped to any of them, and z is memory.
func (v *tilted) law(ctx context.Context, count int, from, to float64, z []complex128, lost float64,
	isUp bool) ([]float64, error) {
	power, near := v.power, v.near(count)
	if near != nil {
		power = near.power
	}
	bound, err := power(ctx, count, z)
	if err != nil {
		return nil, err
	}
	if bound += lost; !isUp {
		bound = -bound
	}
	mass, n := make([]float64, int(to-from)+1), float64(count)
	first := v.log*n - v.tilt*(from-v.center*n)
	num.Geometric(mass, first, -v.tilt)
	unclamped(mass, first, -v.tilt, isUp)
	half := len(z)
	for i := range mass {
		x, known := 0.0, 0.0
		at := int(from) + i
		if near != nil {
			at, known = at-near.shift, near.known(at)
		}
		switch node := at & (4*half - 1); {
		case node < half:
			x = real(z[node])
		case node < 2*half:
			x = imag(z[node-half])
		case node < 3*half:
			x = -real(z[node-2*half])
		default:
			x = -imag(z[node-3*half])
		}
		if mass[i] *= known + max(0, x+bound); isUp && !(mass[i] >= 0) {
			mass[i] = math.Inf(1)
		}
	}
	return mass, nil
}

// unclamped sets factors e^(first + rate·i) to what bounds them, where they are beyond float64.
func unclamped(factors []float64, first, rate float64, isUp bool) {
	if max(math.Abs(first), math.Abs(first+rate*float64(len(factors)-1))) < num.MostExponent-1 {
		return
	}
	for i := range factors {
		switch e := first + rate*float64(i); {
		case isUp && e > num.MostExponent-1:
			factors[i] = math.Inf(1)
		case !isUp && e < 1-num.MostExponent:
			factors[i] = 0
		}
	}
}

// leastPart is about how much less than for a normal law the λ of a bound may be.
const leastPart = 1e-8

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
	if tilt == 0 {
		copy(v.x, mass)
		return v
	}
	most := math.Inf(-1)
	for i, m := range mass {
		if x := tilt*float64(i) + math.Ln2*float64(math.Float64bits(m)>>52); m > 0 && x > most {
			// about, as its logarithm is
			most, v.center = x, float64(i)
		}
	}
	num.Geometric(v.x, -tilt*v.center, tilt)
	v.log = math.Log(max(num.Dot(mass, v.x), 1e-300))
	first := -tilt*v.center - v.log
	last := first + tilt*float64(len(mass)-1)
	num.Geometric(v.x, first, tilt)
	for i, m := range mass {
		e := first + tilt*float64(i)
		switch {
		case e > num.MostExponent: // m is as small
			v.x[i] = m * v.x[i] * num.Exp(min(e-num.MostExponent, num.MostExponent))
		case e >= -num.MostExponent || isUp:
			v.x[i] *= m
		default:
			v.x[i] = 0
		}
	}
	v.rounds = 8 + num.GeometricRounds(max(math.Abs(first), math.Abs(last)))
	return v
}

// outskirts are the nodes of the law of count mechanisms on one side: beyond end is a mass of about e^level or less.
type outskirts struct {
	end           float64
	center, count float64
	total         float64 // at least the logarithm of the mass of one mechanism, at least 0
	nodes         int     // of one mechanism: there is nothing beyond these
	bounds        []chernoff
}

// chernoff bounds what is beyond a node by e^(count·log − lambda·(node − count·center)): log is at least ln Σ
// x·e^(lambda·(node − center)).
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
		t := outskirts{end: math.Inf(int(sign)), center: v.center, count: n, nodes: len(v.x),
			total: max(0, v.logMoment(0))}
		for part, goOn := 1.5, true; goOn; part /= 1.8 { // far down where losses are rare, and large
			c := chernoff{lambda: sign * guess * part}
			c.log = v.logMoment(c.lambda)
			t.bounds = append(t.bounds, c)
			end := math.Round(v.center*n+(n*c.log-level)/c.lambda) + sign
			goOn = part > 0.02 || sign*end < sign*t.end || part > leastPart && math.IsInf(t.end, 0)
			t.end = sign * min(sign*t.end, sign*end)
		}
		ends[side] = t
	}
	ends[0].end, ends[1].end = max(ends[0].end, 0), min(ends[1].end, n*float64(len(v.x)-1))
	return ends
}

// logMoment returns at least ln Σ x·e^(lambda·(node − center)).
func (v *tilted) logMoment(lambda float64) float64 {
	var beside [num.GeometricBlock]float64
	num.Geometric(beside[:], 0, lambda)
	if math.Abs(lambda)*num.GeometricBlock > num.MostExponent {
		return math.Inf(1)
	}
	sum := 0.0
	for i := 0; i < len(v.x); i += num.GeometricBlock {
		x := num.Dot(v.x[i:min(i+num.GeometricBlock, len(v.x))], beside[:])
		switch e := lambda * (float64(i) - v.center); {
		case e > num.MostExponent && x > 0:
			return math.Inf(1)
		case x > 0:
			sum += x * num.Exp(min(max(-num.MostExponent, e), num.MostExponent))
		}
	}
	return num.Exactly(sum * (1 + float64(len(v.x)+8192)*0x1p-52)).Log().Hi
}

// bound returns at least the mass from a node on.
func (t outskirts) bound(node float64) float64 {
	if node < 0 || node > t.count*float64(t.nodes-1) {
		return 0
	}
	least := t.count * t.total
	for _, c := range t.bounds {
		e := t.count*c.log - c.lambda*(node-t.count*t.center)
		e += 0x1p-50 * (t.count*math.Abs(c.log) + math.Abs(c.lambda*node) + math.Abs(t.count*c.lambda*t.center))
		least = min(least, e)
	}
	return num.Exactly(max(least, -num.MostExponent)).Exp().Hi
}

// power sets x, of N numbers, to the masses of sums of count nodes, by their remainders modulo X^2N + 1, packed, and
// returns a bound of how much each is off.
//
// With X̂ for the transform X, off by d: |X̂^c − X^c| ≤ c·|d|·(|X̂| + max |d|)^(c−1), and c − 1 products more. The
// sum of c·|d|·… is bounded by the largest |d| or, with their squares, by Cauchy and Schwarz. Most numbers of a
// transform have powers of next to nothing.
func (v *tilted) power(ctx context.Context, count int, x []complex128) (bound float64, err error) {
	pack(x, v.x, 0)
	k, size, c := num.Kappa(num.Levels(x)), float64(len(x)), float64(count)
	most, length := k*num.Dot(v.x, nil)*1.001, num.Norm(x)
	num.Forward(x, num.Imaginary)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	nothing := num.Exp(-0.9 * num.MostExponent / c)
	all, sum, squares, off := 0.0, 0.0, 0.0, 0.0
	for i, y := range x {
		r := math.Sqrt(real(y)*real(y)+imag(y)*imag(y))*(1+0x1p-50) + most
		if r < nothing {
			x[i] = 0
			off += 1e-270
			continue
		}
		p := raised(r, count-1)
		x[i] = raised(y, count)
		all += p * r
		sum += p
		squares += p * p
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	slack := (1 + 0x1p-40*c) * (1 + 0x1p-50*size)
	off = slack * (off + all*c*4*num.Roundoff + c*min(most*sum, k*math.Sqrt(size)*length*(math.Sqrt(squares)+1e-150)))
	num.Backward(x, num.Imaginary)
	part := 1 / size
	for i, y := range x {
		x[i] = complex(real(y)*part, imag(y)*part)
	}
	return slack * (off + (k+4*num.Roundoff)*(all*slack+off)) / size * 1.01, ctx.Err()
}

// pack sets x, of N numbers, to masses by the remainders of their nodes, less so many, modulo X^2N + 1.
func pack(x []complex128, masses []float64, less int) {
	clear(x)
	half := len(x)
	for i, m := range masses {
		switch node := (i - less) & (4*half - 1); node / half {
		case 0:
			x[node] += complex(m, 0)
		case 1:
			x[node-half] += complex(0, m)
		case 2:
			x[node-2*half] -= complex(m, 0)
		default:
			x[node-3*half] -= complex(0, m)
		}
	}
}

// raised returns x^n by squaring, for x ≥ 0 with at most 2n roundings.
func raised[T float64 | complex128](x T, n int) T {
	y := T(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			y *= x
		}
		x *= x
	}
	return y
}
