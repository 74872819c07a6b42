package stopping

import (
	"context"
	"math"
	"math/big"

	"checkrr/impl/certify"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// Response is randomized response, the dominating pair of (ε, δ)-DP (ODP-L12): with P-mass δ an output
// that is impossible under Q, and otherwise a loss of ε or −ε with the odds e^ε : 1.
type Response struct {
	eps    loss.Epsilon
	delta  *big.Rat
	depths []loss.Epsilon
}

// NewResponse returns the dominating pair of (eps, delta)-DP.
func NewResponse(eps loss.Epsilon, delta *big.Rat) *Response {
	r := &Response{eps: eps, delta: delta}
	switch x := eps.Rat(); {
	case eps.IsZero():
	case eps.Log:
		r.depths = []loss.Epsilon{loss.Exp(new(big.Rat).Mul(x, x))}
	default:
		r.depths = []loss.Epsilon{loss.Nats(new(big.Rat).Add(x, x))}
	}
	return r
}

// Mechanism returns ε and δ.
func (r *Response) Mechanism() certify.Mechanism {
	return certify.Mechanism{Eps: r.eps, Delta: r.delta}
}

// Batch returns no limit: a binomial law has one loss a step.
func (r *Response) Batch() int { return math.MaxInt }

// Largest returns ε, or slightly more if it was given as e^ε.
func (r *Response) Largest() *big.Rat {
	if !r.eps.Log {
		return r.eps.Rat()
	}
	most, _ := loss.Enclose(r.eps, interval.Precision(128)).Upper.Rat(nil)
	return most
}

// Depths returns 2ε.
func (r *Response) Depths() []loss.Epsilon { return r.depths }

// Top returns nil: losses are multiples of ε.
func (r *Response) Top(int, float64, float64) *big.Rat { return nil }

// Reach returns about ε.
func (r *Response) Reach() float64 { return loss.Float64(r.eps) }

// Deviation returns about the standard deviation of the loss.
func (r *Response) Deviation() float64 {
	e := loss.Float64(r.eps)
	return e * min(1, 2*math.Exp(-e/2))
}

// Span returns how far apart the losses are.
func (r *Response) Span(count int, cut float64) float64 { return r.binomial(count, cut).width() }

// LogMoment returns about ln E_P e^(λ·min(loss, most)), over finite losses.
func (r *Response) LogMoment(lambda, most float64) float64 {
	return logMoment(r, r.binomial(1, 0), lambda, most)
}

// Infinity returns δ, above 0 if it is.
func (r *Response) Infinity() float64 {
	x, _ := r.delta.Float64()
	if x == 0 && r.delta.Sign() > 0 {
		return math.SmallestNonzeroFloat64
	}
	return x
}

// PLD returns a binomial law.
func (r *Response) PLD(_ context.Context, count int, cut, _ float64) (*pld, error) {
	return r.binomial(count, cut), nil
}

// binomial returns that law, built outward from its mode by the ratio of neighbours. Atoms below cut, beside the
// mode, are left out.
func (r *Response) binomial(count int, cut float64) *pld {
	alive := float64(count) * math.Log1p(-r.Infinity())
	l := &pld{infinity: -math.Expm1(alive), finite: math.Exp(alive)}
	if r.eps.IsZero() {
		l.depth, l.mass = []float64{0}, []float64{l.finite}
		return l
	}
	n, odds := float64(count), expNeg(r.eps)
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
		l.depth = append(l.depth, (first+float64(i))*2*loss.Float64(r.eps))
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
