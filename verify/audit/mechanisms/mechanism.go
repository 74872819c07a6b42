package mechanisms

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"checkrr/verify/audit"
)

// Mechanism is an entry of the catalogue.
type Mechanism struct {
	Name   string   // svt
	Title  string   // one line
	Source string   // where it is from: statement IDs, or a paper
	Wrong  string   // what makes the claim false, "" if it is true
	Claims []string // which of dp and odp can be claimed, the default first; dp alone if an entry says nothing
	Bits   bool     // what is wrong is in the last bits of its outputs

	defaults Params // a value for every parameter that the mechanism takes, and no others
	make     func(Params) (*Case, error)
}

// Right reports whether what can be claimed is true.
func (m Mechanism) Right() bool { return m.Wrong == "" }

// Takes returns the names of the parameters that the mechanism takes, beside the claim.
func (m Mechanism) Takes() []string {
	var names []string
	for _, p := range parameters {
		if p.given(m.defaults) {
			names = append(names, p.name)
		}
	}
	return names
}

// Make returns what there is to audit. Parameters that are not given have their defaults.
func (m Mechanism) Make(p Params) (*Case, error) {
	p, err := m.complete(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	c, err := m.make(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	c.Settings = p.settings()
	return c, nil
}

// Case is a mechanism with everything set, and a claim. Neighbours are listed once; a claim
// is about both directions.
type Case struct {
	Settings []Setting // all parameters, defaults too
	Claim    audit.Claim
	Pairs    []audit.Pair // neighbouring inputs with samplers
	// Laws returns what is known for certain, of these inputs or of others. Of some of them
	// it may say everything ([audit.Law.Complete]) and of others only what shows most. It is
	// nil where nothing is known.
	Laws func(ctx context.Context) ([]audit.Law, error)
}

// caseOf has neighbouring inputs, a program for each, and what is known of every two. Inputs are named by their own
// words, or as JSON.
func caseOf[X any](claim audit.Claim, run func(X) program, law func(n [2]X) (audit.Law, error),
	neighbours ...[2]X) *Case {
	c := &Case{Claim: claim}
	for _, n := range neighbours {
		c.Pairs = append(c.Pairs, audit.Pair{Inputs: [2]string{nameOf(n[0]), nameOf(n[1])},
			Samplers: [2]audit.Sampler{run(n[0]), run(n[1])}})
	}
	c.addLaws(len(neighbours), func(i int) (audit.Law, error) {
		l, err := law(neighbours[i])
		l.Inputs = c.Pairs[i].Inputs
		return l, err
	})
	return c
}

// wholeCase has one pair of inputs of which all cells are known.
func wholeCase[X any](claim audit.Claim, x, y X, run func(X) program, cells func() ([]audit.Cell, error)) *Case {
	return caseOf(claim, run, func([2]X) (audit.Law, error) {
		all, err := cells()
		return audit.Law{Cells: all, Complete: true}, err
	}, [2]X{x, y})
}

func nameOf(input any) string {
	if s, ok := input.(fmt.Stringer); ok {
		return s.String()
	}
	return text(input)
}

// addLaws adds n laws to those that there are.
func (c *Case) addLaws(n int, law func(i int) (audit.Law, error)) {
	before := c.Laws
	c.Laws = func(ctx context.Context) (laws []audit.Law, err error) {
		if before != nil {
			laws, err = before(ctx)
		}
		for i := 0; i < n && err == nil; i++ {
			var l audit.Law
			if err = ctx.Err(); err == nil {
				l, err = law(i)
			}
			laws = append(laws, l)
		}
		if err != nil {
			return nil, err
		}
		return laws, nil
	}
}

// All returns the catalogue: the right mechanisms, then the wrong ones.
func All() []Mechanism {
	all := slices.Concat(laplaceFamily(), gaussians(), responses(), sparseVectors(), thresholds(), numericSparses(),
		noisyMaxima(), oneSidedMaxima(), exponentials(), selections(), compositions(), releases())
	for i := range all {
		if all[i].Claims == nil {
			all[i].Claims = []string{"dp"}
		}
	}
	slices.SortStableFunc(all, func(a, b Mechanism) int {
		return cmp.Compare(min(1, len(a.Wrong)), min(1, len(b.Wrong)))
	})
	return all
}

// Find returns the mechanism with a name.
func Find(name string) (Mechanism, error) {
	all := All()
	i := slices.IndexFunc(all, func(m Mechanism) bool { return m.Name == name })
	if i < 0 {
		return Mechanism{}, fmt.Errorf("no built-in mechanism is named %q", name)
	}
	return all[i], nil
}
