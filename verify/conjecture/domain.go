package conjecture

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
)

// Domain is which pipelines an inequality is claimed for: mechanisms that are (ε, δ)-DP, with ends that belong to it.
type Domain struct {
	Mechanisms [2]int // how many
	Stops      [2]int
	Eps        [2]*big.Rat // of each mechanism
	Delta      [2]*big.Rat // of each mechanism
	Charges    Charges
}

// Charges are what is claimed of the charges of a pipeline, from stop to stop.
type Charges string

// The kinds of charges.
const (
	Nondecreasing Charges = "nondecreasing"
	Equal         Charges = "equal"
	Any           Charges = "any"
)

// AllCharges are the kinds of charges; the first is the default.
var AllCharges = []Charges{Nondecreasing, Equal, Any}

// DefaultDomain is what is searched where nothing else is said.
func DefaultDomain() Domain {
	return Domain{
		Mechanisms: [2]int{1, 500}, Stops: [2]int{1, 200}, Charges: Nondecreasing,
		Eps: [2]*big.Rat{big.NewRat(1, 100), big.NewRat(1, 1)}, Delta: [2]*big.Rat{new(big.Rat), new(big.Rat)},
	}
}

// maxMechanisms is how long pipelines are at most, so that each takes milliseconds.
const maxMechanisms = 100_000

// DomainError is what a part of a domain must be.
type DomainError struct{ Of, Must string }

// Error says it.
func (e *DomainError) Error() string { return e.Of + " must be " + e.Must }

// check refuses a domain without pipelines, or with some that are too long.
func (d Domain) check() error {
	maxEps := big.NewRat(100, 1)
	switch {
	case d.Mechanisms[0] < 1 || d.Mechanisms[1] < d.Mechanisms[0] || d.Mechanisms[1] > maxMechanisms:
		return &DomainError{"mechanisms", fmt.Sprintf("between 1 and %d", maxMechanisms)}
	case d.Stops[0] < 1 || d.Stops[1] < d.Stops[0] || d.Stops[0] > d.Mechanisms[1]:
		return &DomainError{"stops", fmt.Sprintf("at least 1, and the least at most %d, the most mechanisms",
			d.Mechanisms[1])}
	case d.Eps[0].Sign() <= 0 || d.Eps[1].Cmp(d.Eps[0]) < 0 || d.Eps[1].Cmp(maxEps) > 0:
		return &DomainError{"eps", "more than 0 and at most 100"}
	case d.Delta[0].Sign() < 0 || d.Delta[1].Cmp(d.Delta[0]) < 0 || d.Delta[1].Cmp(big.NewRat(1, 1)) >= 0:
		return &DomainError{"delta", "at least 0 and less than 1"}
	case !slices.Contains(AllCharges, d.Charges):
		return fmt.Errorf("the charges are %q, must be one of %v", d.Charges, AllCharges)
	}
	return nil
}

// contains reports whether a pipeline belongs to the domain.
func (d Domain) contains(p impl.Pipeline) bool {
	last := len(p.Stops) - 1
	isIn := func(r *big.Rat, ends [2]*big.Rat) bool { return r.Cmp(ends[0]) >= 0 && r.Cmp(ends[1]) <= 0 }
	for _, m := range p.Mechanisms {
		if !isIn(m.Eps.Value, d.Eps) || !isIn(m.Delta, d.Delta) {
			return false
		}
	}
	for i, s := range p.Stops[:last] {
		order := s.Eps.Value.Cmp(p.Stops[i+1].Eps.Value)
		if order > 0 && d.Charges == Nondecreasing || order != 0 && d.Charges == Equal {
			return false
		}
	}
	k, n := p.Stops[last].After, last+1
	return k >= d.Mechanisms[0] && k <= d.Mechanisms[1] && n >= d.Stops[0] && n <= d.Stops[1]
}
