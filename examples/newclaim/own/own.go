// Package own is a register of a module of its own: three claims, of which one is wrong.
package own

import (
	_ "embed"

	"checkrr/verify/register"
)

//go:embed statements.yaml
var text string

//go:embed findings.json
var findings []byte

// Paper is the register.
var Paper = register.Paper{
	Name:    "own",
	Prefix:  "OWN",
	Title:   "Claims of our own",
	Text:    text,
	Records: findings,
	Checks:  []func() register.Checks{released, stopped},
}
