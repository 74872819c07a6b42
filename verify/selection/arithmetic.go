package selection

import (
	"fmt"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/verify/rat"
)

// Bounds are written as expressions of numbers of any kind: intervals, rational numbers, ints, and text such as "1/2".

func num(x any) interval.Interval {
	switch x := x.(type) {
	case interval.Interval:
		return x
	case *big.Rat:
		return precise.Rat(x)
	case int:
		return precise.Int(int64(x))
	case string:
		return precise.Rat(rat.Of(x))
	}
	panic(fmt.Sprintf("internal error: a %T is no number", x))
}

func add(x any, more ...any) interval.Interval {
	sum := num(x)
	for _, y := range more {
		sum = precise.Add(sum, num(y))
	}
	return sum
}

func mul(x any, more ...any) interval.Interval {
	product := num(x)
	for _, y := range more {
		product = precise.Mul(product, num(y))
	}
	return product
}

func sub(x, y any) interval.Interval { return precise.Sub(num(x), num(y)) }
func quo(x, y any) interval.Interval { return precise.Quo(num(x), num(y)) }
func neg(x any) interval.Interval    { return precise.Neg(num(x)) }
func root(x any) interval.Interval   { return precise.Sqrt(num(x)) }

func abs(x any) interval.Interval {
	return interval.Max(precise.Max0(num(x)), precise.Max0(neg(x)))
}

func exp(x any) interval.Interval {
	if r, isRat := x.(*big.Rat); isRat {
		return precise.ExpRat(r)
	}
	return precise.Exp(num(x))
}

func ln(x any) interval.Interval {
	if r, isRat := x.(*big.Rat); isRat {
		return precise.Log(r)
	}
	return precise.LogOf(num(x))
}

// power returns x^n.
func power(x any, n int) interval.Interval { return precise.Power(num(x), n) }

// nums returns numbers as intervals.
func nums(xs []*big.Rat) (all []interval.Interval) {
	for _, x := range xs {
		all = append(all, num(x))
	}
	return all
}

// whole returns a whole number as an int.
func whole(x *big.Rat) int { return int(x.Num().Int64()) }

// up returns the least whole number above x.
func up(x interval.Interval) int {
	n, _ := x.Upper.Int64()
	return int(n) + 1
}
