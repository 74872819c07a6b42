package stopping

import (
	"math"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// ofResponse returns randomized response, the dominating pair of (ε, δ)-DP (ODP-L12): with P-mass δ an output
// that is impossible under Q, and otherwise a loss of ε or −ε with the odds e^ε : 1.
func ofResponse(eps loss.Epsilon, delta *big.Rat) *finite {
	e := loss.Float64(eps)
	f := &finite{largest: eps.Value, reach: e, deviation: e * min(1, 2*math.Exp(-e/2)), infinity: positive(delta)}
	if eps.Log {
		f.largest, _ = loss.Enclose(eps, interval.Precision(128)).Upper.Rat(nil)
	}
	switch x := eps.Value; {
	case eps.IsZero():
	case eps.Log:
		f.depths = []loss.Epsilon{loss.Exp(new(big.Rat).Mul(x, x))}
	default:
		f.depths = []loss.Epsilon{loss.Nats(new(big.Rat).Add(x, x))}
	}
	f.law = func(count int, cut float64) *pld { return binomial(eps, f.infinity, count, cut) }
	return f
}

// ofRange returns a pair in the place of those with a bounded range, of one mechanism: it loses as much as any of them
// may, and has about the deviation of the worst one, if there are many. The worst one is known to nobody who does not
// know what was seen.
func ofRange(eps loss.Epsilon) *finite {
	e, odds, most := loss.Float64(eps), expNeg(eps), ofResponse(eps, new(big.Rat)).largest
	tanh := math.Tanh(e / 4) // of one mechanism for ε = 0 the worst δ
	far := (1 + 3*tanh*tanh) / 4
	one := &pld{depth: []float64{0, e, 2 * e}, mass: []float64{far / (1 + odds), 1 - far, far * odds / (1 + odds)},
		finite: 1}
	return &finite{largest: most, reach: e, deviation: one.deviation(), law: func(int, float64) *pld { return one }}
}

// binomial returns the law of so many randomized responses, built outward from its mode by the ratio of neighbours.
// Atoms below cut, beside the mode, are left out.
func binomial(eps loss.Epsilon, infinity float64, count int, cut float64) *pld {
	alive := float64(count) * math.Log1p(-infinity)
	l := &pld{infinity: -math.Expm1(alive), finite: math.Exp(alive)}
	if eps.IsZero() {
		l.depth, l.mass = []float64{0}, []float64{l.finite}
		return l
	}
	n, odds := float64(count), expNeg(eps)
	mode := math.Floor((n + 1) * odds / (1 + odds)) // of the number of losses −ε
	var before []float64
	for w, j := 1.0, mode; j > 0; j-- {
		if w *= j / ((n - j + 1) * odds); w < cut {
			break
		}
		before = append(before, w)
	}
	first, sum := mode-float64(len(before)), 0.0
	for i := range before {
		l.mass = append(l.mass, before[len(before)-1-i])
	}
	for w, j := 1.0, mode; j <= n && w >= cut; j++ {
		l.mass = append(l.mass, w)
		w *= (n - j) / (j + 1) * odds
	}
	for _, w := range l.mass {
		sum += w
	}
	for i := range l.mass {
		l.mass[i] *= l.finite / sum
		l.depth = append(l.depth, (first+float64(i))*2*loss.Float64(eps))
	}
	return l
}

// expNeg returns e^−ε, to about the nearest float64.
func expNeg(e loss.Epsilon) float64 {
	if e.Log {
		x, _ := new(big.Rat).Inv(e.Rat()).Float64()
		return x
	}
	return math.Exp(-loss.Float64(e))
}
