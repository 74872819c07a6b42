package exhaustive

import (
	"fmt"
	"math/big"
)

var one = big.NewRat(1, 1)

// rational is the arithmetic of exact numbers.
type rational struct{}

func (rational) rat(x *big.Rat) *big.Rat { return x }

func (rational) exp(e Epsilon) (*big.Rat, error) {
	switch {
	case e.Exp:
		return e.Rat, nil
	case e.Rat.Sign() == 0:
		return one, nil
	}
	return nil, fmt.Errorf("eps is %s, exact numbers need e^eps instead", e.Rat.RatString())
}

func (rational) add(x, y *big.Rat) *big.Rat { return new(big.Rat).Add(x, y) }
func (rational) sub(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) }
func (rational) mul(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }
func (rational) quo(x, y *big.Rat) *big.Rat { return new(big.Rat).Quo(x, y) }

func (rational) max(x, y *big.Rat) *big.Rat { return larger(x, y) }
