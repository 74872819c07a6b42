package input

import (
	"math/big"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/loss"
	"checkrr/verify/audit"
)

const maxParts = 200

const claimForm = "{eps: 1, delta: 1e-6} or {parts: {a: 1, b: 2}, delta: 1e-6}"

// claim reads {eps: …, delta: …}, with exp_eps or parts in place of eps.
func (d *auditDecoder) claim(n ast.Node) error {
	known := []string{"eps", "exp_eps", "parts", "delta"}
	values, err := d.mapping("claim", claimForm, n, known)
	if err != nil {
		return err
	}
	given := -1
	for i, key := range known[:3] {
		switch {
		case values[i] == nil:
		case given < 0:
			given = i
		default:
			return d.fault(placeOf(values[i]), "claim: both %s and %s are given, must be only one of them", known[given], key)
		}
	}
	switch given {
	case -1:
		return d.fault(placeOf(n), "claim: eps is missing, must have eps, exp_eps or parts")
	case 2:
		err = d.parts(values[2])
	default:
		err = d.part("", "claim: "+known[given], known[given], values[given])
	}
	if err != nil {
		return err
	}
	return d.delta(values[3])
}

// delta reads δ, which is 0 if it is not there.
func (d *auditDecoder) delta(n ast.Node) (err error) {
	d.file.Claim.Delta, d.file.Delta = new(big.Rat), "0"
	if n != nil {
		d.file.Claim.Delta, d.file.Delta, err = d.number("claim: delta", n, Probability)
	}
	return err
}

// parts reads the ε of every part: a number, or {eps: …} or {exp_eps: …}.
func (d *auditDecoder) parts(n ast.Node) error {
	pairs, ok := pairsOf(n)
	switch {
	case !ok:
		return d.fault(placeOf(n), "claim: parts is %s, must be of the form {a: 1, b: 2}", kindOf(n))
	case len(pairs) == 0:
		return d.fault(placeOf(n), "claim: parts is empty, must have at least one")
	case len(pairs) > maxParts:
		return d.fault(placeOf(n), "claim: parts has %d entries, must have at most %d", len(pairs), maxParts)
	}
	for _, pair := range pairs {
		name := keyOf(pair)
		switch {
		case name == "":
			return d.fault(placeOf(pair.Key), "claim: a part has an empty name, must have at least one character")
		case slices.ContainsFunc(d.file.Claim.Parts, func(p audit.Part) bool { return p.Name == name }):
			return d.fault(placeOf(pair.Key), "claim: part %s is given twice", report.Quote(name))
		}
		if err := d.namedPart(name, pair.Value); err != nil {
			return err
		}
	}
	return nil
}

// namedPart reads the ε of a part.
func (d *auditDecoder) namedPart(name string, n ast.Node) error {
	what := "claim: part " + report.Quote(name)
	if _, ok := pairsOf(n); !ok {
		return d.part(name, what, "eps", n)
	}
	values, err := d.mapping(what, "", n, partKeys)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(values, func(v ast.Node) bool { return v != nil })
	if i < 0 || values[1-i] != nil {
		return d.fault(placeOf(n), "%s: must have either eps or exp_eps", what)
	}
	return d.part(name, what+": "+partKeys[i], partKeys[i], values[i])
}

// part adds a part to the claim.
func (d *auditDecoder) part(name, what, key string, n ast.Node) error {
	eps, charge, err := d.epsilon(what, key, n)
	if err != nil {
		return err
	}
	d.file.Claim.Parts = append(d.file.Claim.Parts, audit.Part{Name: name, Eps: eps})
	d.file.Charges = append(d.file.Charges, charge)
	return nil
}

// The rules of an ε, which is at most one of which e^ε can be computed, and of e^ε.
var (
	claimedEps = ruleOfNumber("between 0 and 1e6", within(new(big.Rat), big.NewRat(1e6, 1)))
	claimedExp = ruleOfNumber("at least 1", func(x *big.Rat) bool { return x.Cmp(ratOne) >= 0 })
)

// epsilon reads the value of eps or exp_eps, and returns it as typed, too.
func (d *auditDecoder) epsilon(what, key string, n ast.Node) (loss.Epsilon, string, error) {
	rule, epsilon := claimedEps, loss.Nats
	if key == "exp_eps" {
		rule, epsilon = claimedExp, loss.Exp
	}
	r, typed, err := d.number(what, n, rule)
	if err != nil {
		return loss.Epsilon{}, "", err
	}
	return epsilon(r), Field{Key: key, Value: typed}.Charge(), nil
}
