package input

import (
	"math/big"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/audit"
)

const maxParts = 200

const claimForm = "{eps: 1, delta: 1e-6} or {parts: {a: 1, b: 2}, delta: 1e-6}"

// claim reads {eps: …, delta: …}, with exp_eps or parts in place of eps. Without δ, that is 0.
func (d *auditDecoder) claim(n ast.Node) {
	known := []string{"eps", "exp_eps", "parts", "delta"}
	values := d.mapping("claim", claimForm, n, known)
	given := -1
	for i, key := range known[:3] {
		switch {
		case values[i] == nil:
		case given < 0:
			given = i
		default:
			d.fail(values[i], "claim: both %s and %s are given, must be only one of them", known[given], key)
		}
	}
	switch given {
	case -1:
		d.fail(n, "claim: eps is missing, must have eps, exp_eps or parts")
	case 2:
		d.parts(values[2])
	default:
		d.part("", "claim: "+known[given], known[given], values[given])
	}
	d.file.Claim.Delta, d.file.Delta = new(big.Rat), "0"
	if values[3] != nil {
		d.file.Claim.Delta, d.file.Delta = d.number("claim: delta", values[3], Probability)
	}
}

// parts reads the ε of every part: a number, or {eps: …} or {exp_eps: …}.
func (d *auditDecoder) parts(n ast.Node) {
	pairs, ok := pairsOf(n)
	switch {
	case !ok:
		d.fail(n, "claim: parts is %s, must be of the form {a: 1, b: 2}", kindOf(n))
	case len(pairs) == 0:
		d.fail(n, "claim: parts is empty, must have at least one")
	case len(pairs) > maxParts:
		d.fail(n, "claim: parts has %d entries, must have at most %d", len(pairs), maxParts)
	}
	for _, pair := range pairs {
		name := keyOf(pair)
		switch {
		case name == "":
			d.fail(pair.Key, "claim: a part has an empty name, must have at least one character")
		case slices.ContainsFunc(d.file.Claim.Parts, func(p audit.Part) bool { return p.Name == name }):
			d.fail(pair.Key, "claim: part %s is given twice", report.Quote(name))
		}
		d.namedPart(name, pair.Value)
	}
}

// namedPart reads the ε of a part.
func (d *auditDecoder) namedPart(name string, n ast.Node) {
	what := "claim: part " + report.Quote(name)
	if _, ok := pairsOf(n); !ok {
		d.part(name, what, "eps", n)
		return
	}
	values := d.mapping(what, "", n, partKeys)
	i := slices.IndexFunc(values, func(v ast.Node) bool { return v != nil })
	if i < 0 || values[1-i] != nil {
		d.fail(n, "%s: must have either eps or exp_eps", what)
	}
	d.part(name, what+": "+partKeys[i], partKeys[i], values[i])
}

// The rules of an ε, which is at most one of which e^ε can be computed, and of e^ε.
var (
	claimedEps = ruleOfNumber("between 0 and 1e6", within(new(big.Rat), big.NewRat(1e6, 1)))
	claimedExp = ruleOfNumber("at least 1", func(x *big.Rat) bool { return x.Cmp(ratOne) >= 0 })
)

// part adds a part with the value of eps or exp_eps to the claim.
func (d *auditDecoder) part(name, what, key string, n ast.Node) {
	rule := map[string]Rule{"eps": claimedEps, "exp_eps": claimedExp}[key]
	r, typed := d.number(what, n, rule)
	d.file.Claim.Parts = append(d.file.Claim.Parts, audit.Part{Name: name, Eps: epsilonOf(key, r)})
	d.file.Charges = append(d.file.Charges, Field{Key: key, Value: typed}.Charge())
}
