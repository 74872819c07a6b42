package input

import (
	"fmt"
	"math/big"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/certify"
)

// Neighbours says how data sets differ that are neighbours. Noise is given for a sum to which one record contributes at
// most 1 in length, in units of that: where a record is replaced, the sum changes by up to 2.
type Neighbours string

// The neighbours.
const (
	AddOrRemove Neighbours = "add-or-remove" // one record is there or not
	Replace     Neighbours = "replace"       // one record is another
)

// NeighbourNames are the values of neighbours.
var NeighbourNames = []string{string(AddOrRemove), string(Replace)}

// Says says it in words.
func (n Neighbours) Says() string {
	if n == Replace {
		return "replacing a record"
	}
	return "adding or removing a record"
}

// replaced returns noise for neighbours that replace a record: its scale as a multiple of the largest change. It is
// known without sampling, and for noise that has a scale.
func replaced(a *certify.Additive, f Field) error {
	if a.Noise == certify.DiscreteGaussian {
		return &entryError{f.at, "discrete_gaussian is given, must be gaussian or laplace with neighbours: replace"}
	}
	if a.Sampling.Cmp(big.NewRat(1, 1)) < 0 {
		at := f.at
		for _, g := range f.inner {
			if g.Key == "sampling" {
				at = g.at
			}
		}
		return &entryError{at, fmt.Sprintf("%s: sampling is %s, must be 1 with neighbours: replace", f.Key,
			report.Typed(a.Sampling))}
	}
	a.Scale = new(big.Rat).Quo(a.Scale, big.NewRat(2, 1))
	if fault := a.Fault(); fault != "" {
		return &entryError{f.at, fmt.Sprintf("%s: with neighbours: replace half of the noise counts: %s", f.Key, fault)}
	}
	return nil
}

// TypedScale is the scale of noise as it is typed in a problem file.
func (p *Problem) TypedScale(a *certify.Additive) *big.Rat {
	if p.Neighbours == Replace {
		return new(big.Rat).Mul(a.Scale, big.NewRat(2, 1))
	}
	return a.Scale
}

// ShownNeighbours are the neighbours that an answer is for, where there is noise; empty if the mechanisms are for
// whatever neighbours the author has in mind.
func (p *Problem) ShownNeighbours() Neighbours {
	if p.HasNoise() {
		return p.Neighbours
	}
	return ""
}
