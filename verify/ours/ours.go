// Package ours is the register of the theorems that are of this project: those of docs/dominating-pairs.md, with the
// numbers of that page, and of docs/odp-filter.md and docs/exact-noise.md.
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
	Title:   "checkrr's own theorems, docs/dominating-pairs.md, odp-filter.md and exact-noise.md",
	Text:    text,
	Records: findings,
	Checks:  checks,
}

var checks = []func() register.Checks{theorem, lemmas, proof, orders, approximations, ofNoise, amounts,
	batches, bands, columns, allocation, samples, ranges, filters, odpFilter, exactNoise}

// nearly is the share of a bound that controls claim which nearly hold.
var nearly = rat.Of("19/20")

// The words of which the entries are made.
var (
	with, checked            = finite.With, register.Checked
	near, control, alsoHolds = register.NearMiss, register.Control, register.AlsoHolds
)
