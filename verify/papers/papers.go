// Package papers lists the texts whose statements are checked. A text is a folder beside this one, and a
// line here.
package papers

import (
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
