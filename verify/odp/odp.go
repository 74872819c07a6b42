// Package odp is the register of the statements of one paper: V. Hartmann,
// V. Bindschaedler, A. Bentkamp, R. West, "Privacy accounting εconomics: Improving
// differential privacy composition via a posteriori bounds", PoPETs 2022.
//
// Two texts were compared: [A], the PoPETs version, and [B], the one on arXiv. IDs
// are D definition, L lemma, T theorem, C corollary, A algorithm, E equation, F figure,
// TB table, each with the paper's number, and X for what the running text says.
//
// To add a statement, add what is printed to statements.yaml, which is in the order of the
// paper, and a check to the file of its subject, in the terms of [register.T], written such
// that the claim is a parameter. The statement itself, its controls and its corrected form
// are then one check with different parameters. Then record what it finds:
//
//	go test ./verify/odp -run Register -update
package odp

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
	Name:    "odp",
	Prefix:  "ODP",
	Title:   "Hartmann, Bindschaedler, Bentkamp and West, Privacy accounting εconomics, PoPETs 2022",
	Text:    text,
	Checks:  checks,
	Records: findings,
	Figures: figures,
}

var checks = []func() register.Checks{privacy, odpComposition, filter, lemma20, toys, sparseVector,
	sparseRelease, ptr, interquartile, iterate, postProcess, optDel, criteria, erm, errorBounds,
	releaseTests, tables}
