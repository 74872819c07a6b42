package odp

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl/interval"
)

func add(x, y *big.Rat) *big.Rat { return new(big.Rat).Add(x, y) }
func sub(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) }
func mul(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }
func quo(x, y *big.Rat) *big.Rat { return new(big.Rat).Quo(x, y) }

func complement(x *big.Rat) *big.Rat { return sub(one, x) }
func twice(x *big.Rat) *big.Rat      { return add(x, x) }

// power returns x^n, also for n < 0.
func power(x *big.Rat, n int) *big.Rat {
	result := one
	for range max(n, -n) {
		result = mul(result, x)
	}
	if n < 0 {
		return quo(one, result)
	}
	return result
}

func sum(xs []*big.Rat) *big.Rat {
	total := new(big.Rat)
	for _, x := range xs {
		total.Add(total, x)
	}
	return total
}

func largest(xs []*big.Rat) *big.Rat { return slices.MaxFunc(xs, (*big.Rat).Cmp) }

func smallest(xs []*big.Rat) *big.Rat { return slices.MinFunc(xs, (*big.Rat).Cmp) }

// show writes numbers as ratios.
func show(xs ...*big.Rat) string {
	var text []string
	for _, x := range xs {
		text = append(text, x.RatString())
	}
	return strings.Join(text, ", ")
}

// must is for calls that fail only if a check is wrong, or if its time is up: [register.T]
// tells the two apart.
func must[X any](x X, err error) X {
	if err != nil {
		panic(fmt.Errorf("internal error: %w", err))
	}
	return x
}

// rounded writes a number with six digits, rounded in the given direction.
func rounded(x *big.Float, mode big.RoundingMode) string {
	nearest := x.Text('e', 5)
	_, exponent, _ := strings.Cut(nearest, "e")
	y, ulp := rational(nearest), mul(rational("1e"+exponent), rational("1e-5"))
	switch side := y.Cmp(exactRat(x)); {
	case mode == big.ToNegativeInf && side > 0:
		y.Sub(y, ulp)
	case mode == big.ToPositiveInf && side < 0:
		y.Add(y, ulp)
	}
	return new(big.Float).SetPrec(200).SetRat(y).Text('e', 5)
}

func rational(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("internal error: not a number: " + s)
	}
	return r
}

func rationals(s ...string) []*big.Rat {
	var all []*big.Rat
	for _, text := range s {
		all = append(all, rational(text))
	}
	return all
}

func exactRat(x *big.Float) *big.Rat {
	r, _ := x.Rat(nil)
	return r
}

func float(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

func pointInterval(r *big.Rat) interval.Interval {
	return interval.Interval{
		Lower: new(big.Float).SetPrec(160).SetMode(big.ToNegativeInf).SetRat(r),
		Upper: new(big.Float).SetPrec(160).SetMode(big.ToPositiveInf).SetRat(r),
	}
}

func contains(x interval.Interval, r *big.Rat) bool {
	return exactRat(x.Lower).Cmp(r) <= 0 && exactRat(x.Upper).Cmp(r) >= 0
}

// above reports whether all of x is above r, exactly.
func above(x interval.Interval, r *big.Rat) bool {
	lower, _ := x.Lower.Rat(nil)
	return lower.Cmp(r) > 0
}

// below reports whether all of x is at most r, exactly.
func below(x interval.Interval, r *big.Rat) bool {
	upper, _ := x.Upper.Rat(nil)
	return upper.Cmp(r) <= 0
}

// certified writes an interval as its ends, rounded outward.
func certified(x interval.Interval) string {
	return fmt.Sprintf("δ between %s and %s", rounded(x.Lower, big.ToNegativeInf), rounded(x.Upper, big.ToPositiveInf))
}
