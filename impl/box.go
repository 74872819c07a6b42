package impl

import (
	"math"
	"math/big"
)

// box is the set of losses that a pipeline can reach, counted instead of added:
// a node is the vector of how often each generator was added instead of
// subtracted, written as one index in mixed radix. Several ε with no useful common
// unit have one generator each; a [lattice] is a box with a single generator.
type box struct {
	generators []generator
	of         []int // generator of each mechanism entry
	multiple   []int // ε of the entry, in units of its generator
	size       int   // number of nodes
}

// generator is a number whose multiples some of the ε are.
type generator struct {
	eps    Epsilon
	value  dd
	stride int // of the index
	total  int // largest multiple
}

// maxStates is the largest size of a box that is not a lattice.
const maxStates = 1 << 22

// box returns the lattice as a box.
func (l *lattice) box(p Pipeline) *box {
	b := &box{of: make([]int, len(p.Mechanisms)), multiple: l.multiple}
	b.generators = []generator{{eps: l.half, value: l.half.dd()}}
	return b.measured(p)
}

// newBox returns the box with one generator for each value of ε, or false if it
// has more than maxStates nodes.
func newBox(p Pipeline) (*box, bool) {
	b := &box{}
	known := map[string]int{}
	for _, m := range p.Mechanisms {
		key := m.Eps.String()
		j, ok := known[key]
		if !ok {
			if len(known) > 22 { // 2^23 nodes at least
				return nil, false
			}
			j = len(b.generators)
			known[key] = j
			b.generators = append(b.generators, generator{eps: m.Eps, value: m.Eps.dd()})
		}
		b.of = append(b.of, j)
		b.multiple = append(b.multiple, 1)
	}
	b.measured(p)
	return b, b.size <= maxStates
}

// measured sets strides and size.
func (b *box) measured(p Pipeline) *box {
	for i, m := range p.Mechanisms {
		b.generators[b.of[i]].total += b.multiple[i] * m.Count
	}
	b.size = 1
	for j := range b.generators {
		g := &b.generators[j]
		g.stride = b.size
		if g.total >= (maxNodes+1)/b.size+1 {
			b.size = maxNodes + 1
			return b
		}
		b.size *= g.total + 1
	}
	return b
}

// String returns ε as it was given.
func (e Epsilon) String() string {
	if e.exp {
		return "ln(" + e.rat.RatString() + ")"
	}
	return e.rat.RatString()
}

// corner is a place of a box: how much of each generator has been used, and the
// last index.
type corner struct {
	used []int
	last int
}

// step returns the corner after (sign 1) or before (sign −1) count uses of entry.
func (b *box) step(c corner, entry, count, sign int) corner {
	j := b.of[entry]
	n := sign * count * b.multiple[entry]
	used := append([]int(nil), c.used...)
	used[j] += n
	return corner{used, c.last + n*b.generators[j].stride}
}

// root returns the corner before the first mechanism.
func (b *box) root() corner { return corner{used: make([]int, len(b.generators))} }

// coefficients writes the coefficients of the generators in the loss of node m,
// and reports whether the corner has such a node.
func (b *box) coefficients(c corner, m int, into []int) bool {
	for j := len(b.generators) - 1; j >= 0; j-- {
		g := b.generators[j]
		up := m / g.stride
		m -= up * g.stride
		if up > c.used[j] {
			return false
		}
		into[j] = 2*up - c.used[j]
	}
	return true
}

// gap returns E − ℓ for the loss ℓ with these coefficients: the relative error is
// below gapError, the sign is right, and 0 is exactly 0.
func (b *box) gap(e charge, coefficients []int) dd {
	z, slack := e.value, e.slack
	for j, n := range coefficients {
		term := b.generators[j].value.times(float64(n))
		z = z.sub(term)
		slack += (b.generators[j].eps.error() + 4*ddError) * abs(term.hi)
	}
	if abs(z.hi) > leastGap && abs(z.hi)*gapError > slack {
		return z
	}
	return exactGap(e.eps, b.generators, coefficients)
}

func abs(x float64) float64 { return max(x, -x) }

// loss returns the loss with these coefficients.
func (b *box) loss(coefficients []int) dd {
	sum := dd{}
	for j, n := range coefficients {
		sum = sum.add(b.generators[j].value.times(float64(n)))
	}
	return sum
}

// lossDown returns the loss with these coefficients, rounded down.
func lossDown(gs []generator, ns []int) float64 {
	exact, plain := new(big.Rat), true
	for j, n := range ns {
		if plain = plain && (!gs[j].eps.exp || n == 0); plain {
			term := new(big.Rat).SetInt64(int64(n))
			exact.Add(exact, term.Mul(term, gs[j].eps.rat))
		}
	}
	if !plain {
		return math.Nextafter((&box{generators: gs}).loss(ns).float(), math.Inf(-1))
	}
	x, _ := exact.Float64()
	if new(big.Rat).SetFloat64(x).Cmp(exact) > 0 {
		x = math.Nextafter(x, math.Inf(-1))
	}
	return x
}

// exactGap returns e − Σ n_j·ε_j where float arithmetic cancels: the rational part
// and the logarithm of the rational part of e^(…) are exact, and where both are
// there, or the powers are too large, [separate] decides.
func exactGap(e Epsilon, gs []generator, ns []int) dd {
	sum, product := new(big.Rat), new(big.Rat).Set(one)
	logs, small := false, true
	add := func(x Epsilon, n int) {
		switch {
		case n == 0 || x.isZero():
		case !x.exp:
			term := new(big.Rat).SetInt64(int64(n))
			sum.Add(sum, term.Mul(term, x.rat))
		default:
			logs = true
			bits := float64(x.rat.Num().BitLen() + x.rat.Denom().BitLen())
			if small = small && abs(float64(n))*bits < 1<<20; small {
				product.Mul(product, ratPower(x.rat, n))
			}
		}
	}
	add(e, 1)
	for j, g := range gs {
		add(g.eps, -ns[j])
	}
	switch {
	case !logs || small && product.Cmp(one) == 0:
		return ddRat(sum)
	case small && sum.Sign() == 0 && product.Cmp(one) > 0:
		return ddLog(product)
	case small && sum.Sign() == 0:
		return ddLog(product.Inv(product)).neg()
	}
	return separate(e, gs, ns)
}

// ratPower returns r^n.
func ratPower(r *big.Rat, n int) *big.Rat {
	num, den := r.Num(), r.Denom()
	if n < 0 {
		num, den, n = den, num, -n
	}
	k := big.NewInt(int64(n))
	return new(big.Rat).SetFrac(new(big.Int).Exp(num, k, nil), new(big.Int).Exp(den, k, nil))
}

// separate evaluates e − Σ n_j·ε_j in more and more bits until its sign is known.
// A gap of 0 has been ruled out, and the numbers that can be typed differ sooner
// than the last precision.
func separate(e Epsilon, gs []generator, ns []int) dd {
	for prec := uint(160); prec <= 5120; prec *= 2 {
		z := new(big.Float).SetPrec(2 * prec).Set(e.enclose(prec).lo)
		scale := z.MantExp(nil)
		for j, g := range gs {
			term := new(big.Float).SetPrec(2 * prec).SetInt64(int64(ns[j]))
			term.Mul(term, g.eps.enclose(prec).lo)
			z.Sub(z, term)
			scale = max(scale, term.MantExp(nil))
		}
		if z.Sign() != 0 && z.MantExp(nil) > scale+70+len(gs)-int(prec) {
			return ddFloat(z)
		}
	}
	return dd{}
}
