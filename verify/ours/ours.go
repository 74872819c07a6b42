// Package ours is the register of the theorems that are of this project: so far those of docs/dominating-pairs.md.
//
// IDs are D definition, L lemma, T theorem, each with the page's number, .s1 and so on a step of a proof, and X what
// the running text says.
//
// Package register says how to add a statement.
package ours

import (
	_ "embed"

	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

//go:embed statements.yaml
var text string

//go:embed findings.json
var findings []byte

// Paper is the register.
var Paper = register.Paper{
	Name:    "ours",
	Prefix:  "OUR",
	Title:   "checkrr's own theorems, docs/dominating-pairs.md",
	Text:    text,
	Records: findings,
	Checks:  checks,
}

func checks() []register.Checks {
	return []register.Checks{theorem(), lemmas(), proof(), orders(), approximations(), noise(), amounts(),
		batches(), bands(), samples(), ranges()}
}

// nearly is the share of a bound that controls claim which nearly hold.
var nearly = rat.Of("19/20")

// The words of which the entries are made.
var (
	with, checked            = finite.With, register.Checked
	near, control, alsoHolds = register.NearMiss, register.Control, register.AlsoHolds
)
