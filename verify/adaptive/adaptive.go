// Package adaptive is the register of the statements of one paper: J. Whitehouse, A. Ramdas, R. Rogers,
// Z. S. Wu, "Fully-Adaptive Composition in Differential Privacy", ICML 2023.
//
// IDs are D definition, L lemma, T theorem, I informal theorem, C condition, E equation, F figure, each with the
// paper's number, U for definitions without one, and X for what the running text says.
//
// Package register says how to add a statement.
package adaptive

import (
	_ "embed"

	"checkrr/verify/finite"
	"checkrr/verify/register"
)

//go:embed statements.yaml
var text string

//go:embed findings.json
var findings []byte

// Paper is the register.
var Paper = register.Paper{
	Name:    "adaptive",
	Prefix:  "FAC",
	Title:   "Whitehouse, Ramdas, Rogers and Wu, Fully-Adaptive Composition in Differential Privacy, ICML 2023",
	Text:    text,
	Records: findings,
	Checks:  checks,
	Figures: figures,
}

var checks = []func() register.Checks{notions, conversions, conditions, zcdpProof, martingales,
	boundaries, responseEntries, composition, filters, zcdpFilters, odometers, rogers,
	lossMartingale, targetVariance, lemma8, curves, comparison}

// The words of which the entries are made.
var (
	with                    = finite.With
	checked, corrected, all = register.Checked, register.Corrected, register.All
	near, control           = register.NearMiss, register.Control
	alsoHolds, alsoFails    = register.AlsoHolds, register.AlsoFails
)
