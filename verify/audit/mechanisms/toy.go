package mechanisms

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
	"checkrr/verify/audit"
)

// toyCase has f(x) = 0 or 1.
func toyCase(p Params) (*Case, error) {
	claim, parts := p.numberOrBottom(loss.Nats(p.Eps), loss.Nats(new(big.Rat)))
	run := func(f float64) program { return toyProgram(f, p.eps(), parts) }
	return wholeCase(claim, 0, 1, run, func() ([]audit.Cell, error) {
		cells, err := laplaceCells("#", new(big.Rat).Inv(p.Eps), p.Eps)
		for i := range cells {
			for b := range cells[i].P {
				cells[i].P[b] = lawBits.Half(cells[i].P[b])
			}
		}
		half := big.NewRat(1, 2)
		bottom := audit.ExactCell(`"⊥"`, len(claim.Parts)-1, half, half).WithLoss(new(big.Rat), new(big.Rat))
		return append(cells, bottom), err
	}), nil
}

func toyProgram(f, eps float64, parts [2]string) program {
	return func(n int, random noise.Random, s *audit.Sample) error {
		heads := func() bool { return random.Uint64()>>63 == 1 }
		return numbersOrBottom(n, parts, s, func() (float64, bool, error) {
			x, bottom, err := impl.Toy(f, eps, heads, random)
			return round(x), !bottom, err
		})
	}
}
