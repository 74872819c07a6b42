// Package selection is the register of the statements of one text: J. Liu, K. Talwar, "Private Selection from Private
// Candidates", STOC 2019.
//
// IDs are T theorem, L lemma, C corollary, D definition, A algorithm, each with the text's number and the letter of its
// part, .s and a number for a step of its proof, N for definitions without a number, and X for what the running text
// says. The floats of the algorithms are missing in the text at hand: their lines are those that the proofs count.
//
// Package register says how to add a statement.
package selection

import (
	_ "embed"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/verify/register"
)

//go:embed statements.yaml
var text string

//go:embed findings.json
var findings []byte

// Paper is the register.
var Paper = register.Paper{
	Name:    "selection",
	Prefix:  "PSC",
	Title:   "Liu and Talwar, Private Selection from Private Candidates, STOC 2019",
	Text:    text,
	Records: findings,
	Checks:  checks,
	Figures: figures,
}

var checks = []func() register.Checks{introduction, applications, oracle, thresholding, thresholdingProof,
	randomStopping, hardStopping, percentile, sampling, samplingProof, search, countTails, badEvents,
	amplification, lowerBound}

// precise is the arithmetic of bounds that are no ratios.
const precise = interval.Precision(128)

var nearly = big.NewRat(19, 20)
