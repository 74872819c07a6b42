package basics

import (
	"checkrr/verify/finite"
	"checkrr/verify/register"
)

// The words of which the entries are made.
var (
	with, on                = finite.With, finite.Over
	checked, corrected, all = register.Checked, register.Corrected, register.All
	near, control           = register.NearMiss, register.Control
	alsoHolds, alsoFails    = register.AlsoHolds, register.AlsoFails
)
