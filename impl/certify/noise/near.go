package noise

import (
	"context"

	"checkrr/impl/certify/internal/num"
)

// near is masses of which next to all is on one node. Powers of numbers near 1 would lose what the others are beside
// it. With the mass m of that node and m·r of the others, the c-th power is m^c·(1 + c·r + g(r)), g(r) = Σ C(c,
// j)·r^j over j from 2 on, and only g(r) needs a transform.
type near struct {
	node  int
	shift int     // of all mechanisms together
	whole float64 // m^c
	count float64
	r     []float64
	all   float64 // at least the sum of r
}

// mostRare is up to what c·Σr masses are taken for that.
const mostRare = 8

// near returns v as such masses, or nil.
func (v *tilted) near(count int) *near {
	w := &near{count: float64(count), r: make([]float64, len(v.x))}
	for i, x := range v.x {
		if x > v.x[w.node] {
			w.node = i
		}
	}
	most := v.x[w.node]
	for i, x := range v.x {
		if i != w.node {
			w.r[i] = x / most
		}
	}
	if w.all = num.Dot(w.r, nil) * (1 + 0x1p-30); w.all*w.count > mostRare {
		return nil
	}
	w.shift, w.whole = w.node*count, raised(most, count)
	return w
}

// known returns m^c·(1 + c·r) on a node.
func (w *near) known(node int) float64 {
	switch node -= w.shift - w.node; {
	case node == w.node:
		return w.whole
	case node >= 0 && node < len(w.r):
		return w.whole * (w.count * w.r[node])
	}
	return 0
}

// power is [tilted.power] of m^c·g(r), where nodes are counted from that of m. With ρ for the sum of r, g is off by
// less than g′(ρ) times what a number of the transform is off by, and is at most g′(ρ) times that number.
func (w *near) power(ctx context.Context, count int, x []complex128) (bound float64, err error) {
	pack(x, w.r, w.node)
	k := num.Kappa(num.Levels(x))
	length, all := num.Norm(x), max(w.all*(1+k), 0x1p-1000)
	terms, slope, left := binomials(count, all)
	num.Forward(x, num.Imaginary)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	for i, y := range x {
		y *= complex(1/all, 0)
		sum := complex(0, 0)
		for j := len(terms) - 1; j >= 0; j-- {
			sum = (sum + complex(terms[j], 0)) * y
		}
		x[i] = sum * y
	}
	num.Backward(x, num.Imaginary)
	part := complex(w.whole/float64(len(x)), 0)
	for i := range x {
		x[i] *= part
	}
	// what goes in, what is done to it, and what comes out
	bound = slope*length*(3*k+(8*float64(len(terms))+16)*num.Roundoff) + left
	return w.whole * bound * (1 + 0x1p-20), ctx.Err()
}

// binomials returns C(n, j)·ρ^j for j from 2 to where the next terms of their sum g(ρ) are next to nothing, at least
// g′(ρ), and what is left out. n·ρ is a small number.
func binomials(n int, rho float64) (terms []float64, slope, left float64) {
	const nothing = 0x1p-100
	term := float64(n) * rho
	for j := 1; j < n && term > nothing; j++ {
		slope += float64(n-j) * term // (j + 1)·C(n, j + 1)·ρ^j
		term *= float64(n-j) / float64(j+1) * rho
		terms = append(terms, term)
	}
	if len(terms) < n-1 {
		left = 2 * term // each of them is less than half of the one before
	}
	return terms, slope * (1 + 0x1p-30), left
}
