package exhaustive

import (
	"fmt"
	"math"
	"math/big"
)

// floating is the arithmetic of float64, rounded to nearest.
type floating struct{}

func (floating) rat(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

func (n floating) exp(e Epsilon) (float64, error) {
	x := n.rat(e.Rat)
	if !e.Exp {
		x = math.Exp(x)
	}
	if math.IsInf(x, 1) {
		return 0, fmt.Errorf("e^eps is above %g, the largest float64", math.MaxFloat64)
	}
	return x, nil
}

func (floating) add(x, y float64) float64 { return x + y }
func (floating) sub(x, y float64) float64 { return x - y }
func (floating) mul(x, y float64) float64 { return x * y }
func (floating) quo(x, y float64) float64 { return x / y }
func (floating) max(x, y float64) float64 { return max(x, y) }
