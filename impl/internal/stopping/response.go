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

// ofRange returns a pair in the place of those with a bounded range, of one mechanism: mostly it loses half of that, or
// gains it, which is about the worst if there are many; and sometimes it loses or gains all, as some may, or nothing,
// so that it has about the same deviation. The worst pair depends on what was seen.
func ofRange(eps loss.Epsilon) *finite {
	const all, nothing = 1.0 / 16, 3.0 / 16
	e, half := loss.Float64(eps), 1-all-nothing
	part := func(loss float64) float64 { return 1 / (1 + math.Exp(-loss)) } // of randomized response
	one := &pld{finite: 1, depth: []float64{0, e / 2, e, 3 * e / 2, 2 * e},
		mass: []float64{all * part(e), half * part(e/2), nothing, half * part(-e/2), all * part(-e)}}
	const wide = 2 // what values behind a step need no finer grid for
	return &finite{largest: ofResponse(eps, new(big.Rat)).largest, reach: e, deviation: min(e/2, wide),
		law: func(int, float64) *pld { return one }}
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
