package impl

import "math/big"

// rationals is exact [arithmetic]. Every ε must have been given as e^ε.
type rationals struct{}

func (rationals) zero() *big.Rat { return new(big.Rat) }

func (rationals) one() *big.Rat { return big.NewRat(1, 1) }
func (rationals) addMul(sum, x, y *big.Rat) *big.Rat {
	if x.Sign() == 0 || y.Sign() == 0 {
		return sum
	}
	return sum.Add(sum, new(big.Rat).Mul(x, y))
}

func (rationals) assign(to, x *big.Rat) *big.Rat { return to.Set(x) }
func (rationals) float(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}
func (rationals) cmp(x, y *big.Rat) int { return x.Cmp(y) }

func (rationals) atoms(m Mechanism, count int) (first int, mass []*big.Rat, only *big.Rat) {
	e := m.Eps.rat
	alive := new(big.Rat).Sub(one, m.Delta)
	keep := ratPower(alive, count)
	only = new(big.Rat).Sub(one, keep)
	// Binomial(count, i)·e^i/(1 + e)^count, from i = 0 on
	w := keep.Quo(keep, ratPower(new(big.Rat).Add(one, e), count))
	for i := range count + 1 {
		mass = append(mass, new(big.Rat).Set(w))
		w.Mul(w, e)
		w.Mul(w, big.NewRat(int64(count-i), int64(i+1)))
	}
	return 0, mass, only
}

func (rationals) payoffs(b *box, e charge, at corner) func([]int) *big.Rat {
	powers := make([][]*big.Rat, len(at.used)) // powers[j][i] = e^((2i − used)·ε_j) inverted
	for j, used := range at.used {
		for i := range used + 1 {
			powers[j] = append(powers[j], ratPower(b.generators[j].eps.rat, used-2*i))
		}
	}
	return func(coefficients []int) *big.Rat {
		y := new(big.Rat).Set(e.eps.rat)
		for j, n := range coefficients {
			y.Mul(y, powers[j][(n+at.used[j])/2])
		}
		if y.Cmp(one) >= 0 {
			return new(big.Rat)
		}
		return y.Sub(one, y)
	}
}
