package audit

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/loss"
)

// hypothesis is a claim in float64, rounded so that it claims a little less: whoever
// refutes it has refuted the claim.
type hypothesis struct {
	weights []float64 // e^ε of every part, rounded up; +Inf if that is too large
	delta   float64   // rounded up
}

func newHypothesis(c Claim) (hypothesis, error) {
	h := hypothesis{weights: make([]float64, len(c.Parts)), delta: ratUp(c.Delta)}
	for i, p := range c.Parts {
		factor, err := loss.Factor(p.Eps)
		if err != nil {
			return h, fmt.Errorf("part %q: %w", p.Name, err)
		}
		h.weights[i] = floatUp(factor.Upper)
	}
	return h, nil
}

// with returns the hypothesis that one part is charged another ε.
func (h hypothesis) with(part int, eps float64) hypothesis {
	weights := append([]float64(nil), h.weights...)
	weights[part] = math.Nextafter(math.Exp(eps)*(1+1e-15), math.Inf(1))
	return hypothesis{weights, h.delta}
}

// ratUp returns the smallest float64 that is at least r.
func ratUp(r *big.Rat) float64 {
	x, exact := r.Float64()
	if !exact && new(big.Rat).SetFloat64(x).Cmp(r) < 0 {
		x = math.Nextafter(x, math.Inf(1))
	}
	return x
}

// floatUp is ratUp for an end of an interval.
func floatUp(f *big.Float) float64 {
	x, accuracy := f.Float64()
	if accuracy == big.Below {
		x = math.Nextafter(x, math.Inf(1))
	}
	return x
}
