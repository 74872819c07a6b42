package impl

import (
	"fmt"
	"math"
	"math/big"
)

// CoinNoise also flips unbiased coins.
type CoinNoise interface {
	Noise
	Coin() (heads bool)
}

// Coin flips an unbiased coin.
func (r RandomNoise) Coin() bool { return r.Uint64()>>63 == 1 }

// Toy runs M_toy on a database of which a function of sensitivity 1 is fx, and returns
// its answer, or false for ⊥.
//
// Source: Hartmann et al. (2022), Section 1; ODP-X1.
// Symbols: f(x) = fx, ε = eps.
// Domain: fx finite; ε at least 1e-300 and at most 1e300, in float64.
// Accuracy: float64.
// Cost: one coin and at most one draw of Laplace noise.
func Toy(fx float64, eps Epsilon, noise CoinNoise) (float64, bool, error) {
	if math.IsNaN(fx) || math.IsInf(fx, 0) {
		return 0, false, fmt.Errorf("Toy: f(x) is %g, must be finite", fx)
	}
	if field, rule := eps.broken(); rule != "" {
		return 0, false, fmt.Errorf("Toy: %s %s", field, rule)
	}
	scale := 1 / eps.float()
	if !(scale >= 1e-300 && scale <= 1e300) {
		return 0, false, fmt.Errorf("Toy: ε is %g, must be at least 1e-300 and at most 1e300", eps.float())
	}
	if !noise.Coin() {
		return 0, false, nil
	}
	return fx + noise.Laplace(scale), true, nil
}

// ToyAtMost returns Pr(M_toy(x) answers, and at most r) for f(x) = fx: half of a Laplace
// distribution function. Pr(M_toy(x) = ⊥) is 1/2.
//
// Source: Hartmann et al. (2022), Section 1; ODP-X1, ODP-X6.
// Symbols: f(x) = fx, ε = eps.
// Domain: ε·|r − f(x)| at most 1e6. Result in [0, 1/2].
// Accuracy: contains the probability; relative width below 2^-100.
// Cost: O(1).
func ToyAtMost(r, fx *big.Rat, eps Epsilon) (Interval, error) {
	if field, rule := eps.broken(); rule != "" {
		return Interval{}, fmt.Errorf("ToyAtMost: %s %s", field, rule)
	}
	if r == nil || fx == nil {
		return Interval{}, fmt.Errorf("ToyAtMost: r and f(x) must be numbers")
	}
	n := reals{160}
	distance := new(big.Rat).Sub(r, fx)
	x := n.mul(n.nats(eps), n.rat(new(big.Rat).Abs(distance)))
	if x.Upper.Cmp(big.NewFloat(1e6)) > 0 {
		return Interval{}, fmt.Errorf("ToyAtMost: ε·|r − f(x)| is %.6g, must be at most 1e6", x.Upper)
	}
	tail := n.half(n.exp(n.neg(x)))
	if distance.Sign() > 0 {
		tail = n.sub(n.int(1), tail)
	}
	return n.half(tail).rounded(reals{128}), nil
}
