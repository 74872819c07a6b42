// Package papers lists the texts whose statements are checked. A text is a folder beside this one, and a
// line here.
package papers

import (
	"slices"
	"sync"

	"checkrr/verify/adaptive"
	"checkrr/verify/basics"
	"checkrr/verify/odp"
	"checkrr/verify/ours"
	"checkrr/verify/register"
	"checkrr/verify/selection"
)

// All are the texts.
var All = []register.Paper{
	odp.Paper,
	adaptive.Paper,
	basics.Paper,
	selection.Paper,
	ours.Paper,
}

// Statements returns the statements of all texts, in their order.
func Statements() []register.Statement { return slices.Clone(statements()) }

// statements reads the records once.
var statements = sync.OnceValue(func() (all []register.Statement) {
	for _, p := range All {
		all = append(all, p.Statements()...)
	}
	return all
})

// WithFigures returns the texts of which figures or tables are computed again.
func WithFigures() (some []register.Paper) {
	for _, p := range All {
		if p.Figures != nil {
			some = append(some, p)
		}
	}
	return some
}
