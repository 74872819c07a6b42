package certify

import (
	"context"
	"errors"
	"fmt"
	"math/big"
)

// ErrTooLarge says that an exact result would take too long.
var ErrTooLarge = errors.New("too large for exact rationals")

// Exact returns OptDel (ODP-T15) and Lemma 11's δ (ODP-E4) as rationals, by the plain recursion
// over all losses. Every ε must have been given as e^ε.
func Exact(ctx context.Context, p Problem) (optDel, lemma11 *big.Rat, err error) {
	if err := p.Validate(); err != nil {
		return nil, nil, err
	}
	for _, x := range p.numbers() {
		if !x.Log && x.Value.Sign() != 0 {
			return nil, nil, fmt.Errorf("an eps is %s, must be given as exp_eps for an exact result", x.Value.RatString())
		}
	}
	s, err := newStates(ctx, ratios{}, p, p.mostExact())
	if errors.Is(err, errStates) {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, nil, err
	}
	if optDel, _, err = s.backward(ctx); err != nil {
		return nil, nil, err
	}
	singles, err := s.forward(ctx, nil)
	lemma11 = new(big.Rat)
	for _, x := range singles {
		lemma11.Add(lemma11, x.gain)
	}
	return optDel, lemma11, err
}

// maxExact is the largest cost of an exact result, in about nanoseconds.
const maxExact = 2e10

// mostExact returns how many states, times atoms, do not cost more: numbers grow with the number
// of mechanisms, and reducing a ratio takes quadratic time.
func (p Problem) mostExact() int {
	bits, count := 0, 0
	for _, m := range p.Mechanisms {
		x := m.Eps.Value
		bits = max(bits, x.Num().BitLen()+x.Denom().BitLen()+m.Delta.Denom().BitLen())
		count += m.Count
	}
	words := float64(bits) * float64(count) / 64
	return int(min(maxExact/(500+5*words*words), maxStates))
}

// ratios is field in exact rationals.
type ratios struct{}

func (ratios) law(m Mechanism, count int) (mass []*big.Rat, only *big.Rat) {
	keep := new(big.Rat).Sub(one, m.Delta)
	all := power(keep, count)
	only = new(big.Rat).Sub(one, all)
	if m.Eps.isZero() {
		return []*big.Rat{all}, only
	}
	up := new(big.Rat).Quo(m.Eps.Value, new(big.Rat).Add(one, m.Eps.Value))
	down := new(big.Rat).Sub(one, up)
	for i := range count + 1 {
		x := new(big.Rat).SetInt(new(big.Int).Binomial(int64(count), int64(i)))
		x.Mul(x, power(up, count-i)).Mul(x, power(down, i))
		mass = append(mass, x.Mul(x, all))
	}
	return mass, only
}

func (ratios) pay(f *frame, gap sum) *big.Rat {
	y := f.product(gap)
	return y.Sub(one, y.Inv(y))
}

// product returns e^s for a sum of logarithms.
func (f *frame) product(s sum) *big.Rat {
	y := new(big.Rat).Set(one)
	for j, n := range s.logs {
		y.Mul(y, power(f.logs[j], n))
	}
	return y
}

func (ratios) of(n int64) *big.Rat        { return new(big.Rat).SetInt64(n) }
func (ratios) atLeast(x, y *big.Rat) bool { return x.Cmp(y) >= 0 }

func (ratios) max(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) < 0 {
		return y
	}
	return x
}

func (ratios) mulAdd(x, y, z *big.Rat) *big.Rat {
	p := new(big.Rat).Mul(x, y)
	return p.Add(p, z)
}

// power returns x^n, x ≠ 0.
func power(x *big.Rat, n int) *big.Rat {
	num, denom, k := x.Num(), x.Denom(), big.NewInt(int64(max(n, -n)))
	if n < 0 {
		num, denom = denom, num
	}
	return new(big.Rat).SetFrac(new(big.Int).Exp(num, k, nil), new(big.Int).Exp(denom, k, nil))
}
