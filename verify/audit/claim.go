package audit

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl/loss"
)

// Claim is what is said of a mechanism: that it is (𝒫, ℰ, δ)-ODP for the output
// partition 𝒫 with these parts, or (ε, δ)-DP, which is the case of one part.
//
// Source: Hartmann et al. (2022), Definition 2; ODP-D2.
type Claim struct {
	Parts []Part
	Delta *big.Rat
}

// Part is a part of the output partition, and the ε that it is charged.
type Part struct {
	Name string // "" if it is the only one, which takes outputs of all parts
	Eps  loss.Epsilon
}

// DP returns the claim of (ε, δ)-DP.
func DP(eps loss.Epsilon, delta *big.Rat) Claim {
	return Claim{[]Part{{Eps: eps}}, delta}
}

// IsDP reports whether there is no output partition.
func (c Claim) IsDP() bool { return len(c.Parts) == 1 && c.Parts[0].Name == "" }

// Part returns the index of the part with a name.
func (c Claim) Part(name string) (int, error) {
	if c.IsDP() {
		return 0, nil
	}
	i := slices.IndexFunc(c.Parts, func(p Part) bool { return p.Name == name })
	if i < 0 {
		return 0, fmt.Errorf("an output is in part %q, which the claim does not have", name)
	}
	return i, nil
}

// Validate checks that the claim can be made.
func (c Claim) Validate() error {
	if len(c.Parts) == 0 {
		return fmt.Errorf("the claim has no parts, must have at least one")
	}
	for i, p := range c.Parts {
		if slices.ContainsFunc(c.Parts[:i], func(q Part) bool { return q.Name == p.Name }) {
			return fmt.Errorf("part %q is there twice, must be once", p.Name)
		}
		if p.Name == "" && len(c.Parts) > 1 {
			return fmt.Errorf("part %d has no name, must have one", i+1)
		}
		if _, err := loss.Factor(p.Eps); err != nil {
			return fmt.Errorf("part %q: %w", p.Name, err)
		}
	}
	if c.Delta == nil || c.Delta.Sign() < 0 || c.Delta.Cmp(one) > 0 {
		return fmt.Errorf("delta is %v, must be in [0, 1]", c.Delta)
	}
	return nil
}

var one = big.NewRat(1, 1)
