// Package odp is the register of the statements of one paper: V. Hartmann,
// V. Bindschaedler, A. Bentkamp, R. West, "Privacy accounting εconomics: Improving
// differential privacy composition via a posteriori bounds", PoPETs 2022.
//
// Two texts were compared: [A], the PoPETs version, and [B], the one on arXiv. IDs
// are D definition, L lemma, T theorem, C corollary, A algorithm, E equation, F figure,
// TB table, each with the paper's number, and X for what the running text says.
//
// To add a statement, add its ID to statements.txt, which lists them in the order of the
// paper, and an entry to the file of its subject: a check, in the terms of [verify.T],
// written such that the claim is a parameter. The statement itself, its controls and its
// corrected form are then one check with different parameters. Then record what it finds:
//
//	go test ./verify/odp -run Verify -update
package odp

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"checkrr/verify"
)

//go:embed statements.txt
var list string

// findings holds a [verify.Record] for every ID that is checked.
//
//go:embed findings.json
var findings []byte

// IDs returns the IDs of all statements, in the order of the paper.
func IDs() []string { return strings.Fields(list) }

// Statements returns the entries of the register, in the order of the paper.
func Statements() []verify.Statement {
	all := slices.Concat(privacy, compose, sparseVector, ptr, iterate, erm, tables)
	order := IDs()
	slices.SortStableFunc(all, func(a, b verify.Statement) int {
		return slices.Index(order, a.ID) - slices.Index(order, b.ID)
	})
	last := recorded()
	for i := range all {
		all[i].Last = last[all[i].ID]
	}
	return all
}

// recorded reads the records.
func recorded() map[string]verify.Record {
	var last map[string]verify.Record
	if err := json.Unmarshal(findings, &last); err != nil {
		panic("internal error: findings.json: " + err.Error())
	}
	return last
}
