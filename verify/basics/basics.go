// Package basics is the register of the statements of one text: C. Dwork, A. Roth, "The Algorithmic Foundations of
// Differential Privacy", 2014, Chapter 3, "Basic Techniques and Composition Theorems".
//
// IDs are T theorem, L lemma, C claim, F fact, D definition, K corollary, R remark, E example, A algorithm, each with
// the text's number, U for definitions and procedures without one, and X for what the running text says.
//
// Package register says how to add a statement.
package basics

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
	Name:    "basics",
	Prefix:  "AFD",
	Title:   "Dwork and Roth, The Algorithmic Foundations of Differential Privacy, Chapter 3, 2014",
	Text:    text,
	Records: findings,
	Checks:  checks,
	Figures: figures,
}

var checks = []func() register.Checks{concentration, response, laplace, histograms, noisyMax, exponential,
	shortfall, composition, divergences, closeLaws, advanced, adaptiveComposition, gaussian,
	aboveThresholds, sparse, divergenceProofs, compositionProof, aboveThresholdProofs, sparseProofs}
