package input

import (
	"os"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
)

// inline is what stands in a claim, in place of a file.
type inline struct {
	source
	folder string // that names of files in it are relative to
	pairs  []*ast.MappingValueNode
}

// Serve lets commands read what stands in a claim, by FILE#NAME, without that the file is read again.
func (in *Inputs) Serve(file string, c Claim) { in.served, in.claim = file+"#"+c.Name, c.inside }

// ClaimOf splits a name FILE#CLAIM of what stands in a claim, unless that is the name of a file.
func ClaimOf(name string) (file, claim string) {
	const most = 4096 // bytes that the name of a file may have
	for i, r := range name {
		if i > most {
			break
		}
		if r != '#' || i == 0 || i == len(name)-1 {
			continue
		}
		if _, err := os.Lstat(name[:i]); err == nil {
			file, claim = name[:i], name[i+1:] // the longest name of a file
		}
	}
	if claim == "" {
		return name, ""
	}
	if _, err := os.Lstat(name); err == nil {
		return name, ""
	}
	return file, claim
}

// openClaim opens what stands in a claim or, if name is none of FILE#CLAIM, returns nothing.
func (in *Inputs) openClaim(name string) (*inline, error) {
	if in != nil && in.claim != nil && in.served == name {
		return in.claim, nil
	}
	file, claim := ClaimOf(name)
	if claim == "" {
		return nil, nil
	}
	f, shown, err := OpenInput(file, in)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	found := &inline{source: source{shown, claimsForm}, folder: folderOf(file, f)}
	err = found.read(f, func(root ast.Node) {
		claims, _ := found.claims(root)
		for _, entry := range claims {
			pairs, _ := pairsOf(entry)
			for _, pair := range pairs {
				if text, _ := scalarOf(pair.Value); keyOf(pair) == "name" && text == claim {
					found.pairs = pairs
					return
				}
			}
		}
		found.fail(root, "there is no claim %s", report.Quote(claim))
	})
	return found, err
}

// reading gives the root of what is read to a function.
type reading func(use func(root ast.Node)) error

// readRoot lets a function decode a file of a form or, of FILE#CLAIM, what stands in a claim: with its source, and the
// folder that names in it are relative to.
func readRoot[T any](name string, in *Inputs, form form, inside func(pairs []*ast.MappingValueNode) ast.Node,
	decode func(s source, folder string, read reading) (T, error)) (read T, err error) {
	claim, err := in.openClaim(name)
	if err != nil {
		return read, err
	}
	if claim != nil {
		return decode(claim.source, claim.folder, func(use func(ast.Node)) error { return claim.use(inside, use) })
	}
	f, shown, err := OpenInput(name, in)
	if err != nil {
		return read, err
	}
	defer f.Close()
	s := source{shown, form}
	return decode(s, folderOf(name, f), func(use func(ast.Node)) error { return s.read(f, use) })
}

// use gives what a claim has of a kind to a function.
func (c *inline) use(of func(pairs []*ast.MappingValueNode) ast.Node, use func(ast.Node)) (err error) {
	defer caught(&err)
	inside := of(c.pairs)
	if inside == nil {
		c.fail(c.pairs[0].Key, "there is nothing of this kind in the claim itself")
	}
	use(inside)
	return nil
}

// pipelineOf is the problem of a claim.
func pipelineOf(pairs []*ast.MappingValueNode) ast.Node {
	for _, pair := range pairs {
		if _, isInside := pairsOf(pair.Value); isInside && keyOf(pair) == "pipeline" {
			return pair.Value
		}
	}
	return nil
}

// auditOf is the audit of a claim: a mapping with those of its keys that an audit file has.
func auditOf(pairs []*ast.MappingValueNode) ast.Node {
	audit := &ast.MappingNode{}
	for _, pair := range pairs {
		if slices.Contains(auditKeys, keyOf(pair)) {
			audit.Values = append(audit.Values, pair)
		}
	}
	if len(audit.Values) == 0 {
		return nil
	}
	return audit
}
