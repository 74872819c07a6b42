package input

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certify"
)

// Neighbours says how data sets differ that are neighbours. Noise is given for a sum to which one record contributes at
// most 1 in length, in units of that: where a record is replaced, the sum changes by up to 2.
type Neighbours struct {
	Name  string
	Group int // so many records are added, or so many are removed; 0 if it is one
}

// The neighbours.
var (
	AddOrRemove = Neighbours{Name: "add-or-remove"} // one record is there or not
	Replace     = Neighbours{Name: "replace"}       // one record is another
)

// NeighbourNames are the values of neighbours that are words.
var NeighbourNames = []string{AddOrRemove.Name, Replace.Name}

// group is the key of neighbours that differ by several records, and of mechanisms that are given for them.
const group = "group"

// mostGroup bounds how many records these are.
const mostGroup = 1000

// Says says it in words.
func (n Neighbours) Says() string {
	switch {
	case n == Replace:
		return "replacing a record"
	case n.Group > 0:
		return fmt.Sprintf("adding or removing a group of %d records", n.Group)
	}
	return "adding or removing a record"
}

// String is the value as a problem file has it.
func (n Neighbours) String() string {
	if n.Group > 0 {
		return fmt.Sprintf("{%s: %d}", group, n.Group)
	}
	return n.Name
}

// MarshalJSON writes the value as a problem file has it.
func (n Neighbours) MarshalJSON() ([]byte, error) {
	if n.Group > 0 {
		return fmt.Appendf(nil, `{"%s": %d}`, group, n.Group), nil
	}
	return fmt.Appendf(nil, "%q", n.Name), nil
}

// UnmarshalJSON reads the value as a problem file has it.
func (n *Neighbours) UnmarshalJSON(text []byte) error {
	var name string
	if json.Unmarshal(text, &name) == nil && slices.Contains(NeighbourNames, name) {
		*n = Neighbours{Name: name}
		return nil
	}
	var of struct {
		Group int `json:"group"`
	}
	if json.Unmarshal(text, &of, json.RejectUnknownMembers(true)) != nil || of.Group < 1 || of.Group > mostGroup {
		return fmt.Errorf(`neighbours is %s, must be "add-or-remove", "replace", or {"group": 2} for groups of two `+
			"records", report.Quote(cmp.Or(name, string(text))))
	}
	*n = groupOf(of.Group)
	return nil
}

// groupOf returns neighbours that differ by k records. A group of one is a record.
func groupOf(k int) Neighbours {
	if k == 1 {
		return AddOrRemove
	}
	return Neighbours{AddOrRemove.Name, k}
}

// neighboursOf reads add-or-remove, replace, or {group: 2}.
func (s source) neighboursOf(n ast.Node) Neighbours {
	pairs, isMapping := pairsOf(n)
	if !isMapping {
		if text, isText := scalarOf(n); isText && slices.Contains(NeighbourNames, text) {
			return Neighbours{Name: text}
		}
		found := kindOf(n)
		if text, isText := scalarOf(n); isText {
			found = report.Quote(text)
		}
		s.fail(n, "neighbours is %s, must be one of %s, or {%s: 2} for groups of two records", found,
			strings.Join(NeighbourNames, ", "), group)
	}
	value := s.keyed("neighbours", pairs, []string{group})[0]
	if value == nil {
		s.fail(n, "neighbours: %s is missing, must be {%[1]s: 2} or another number", group)
	}
	return groupOf(s.whole("neighbours: "+group, value, 1, mostGroup))
}

// replaced returns noise for neighbours that replace a record: its scale as a multiple of the largest change. It is
// known for Gaussian noise and, without sampling, for Laplace noise.
func replaced(a *certify.Additive, f Field) error {
	if a.Noise == certify.DiscreteGaussian {
		return &entryError{f.at, "discrete_gaussian is given, must be gaussian or laplace with neighbours: replace"}
	}
	if a.Noise == certify.Gaussian && a.Adds == nil && a.IsRandom() {
		if a.Replaced = true; a.Fault() != "" {
			return &entryError{f.at, fmt.Sprintf("%s: with neighbours: replace: %s", f.Key, a.Fault())}
		}
		return nil
	}
	if a.IsRandom() {
		at := f.at
		for _, g := range f.inner {
			if g.Key == adds {
				return &entryError{g.at, f.Key + ": adds is given, must be without it with neighbours: replace: what " +
					"one adds and the other one takes away is not known"}
			}
			if g.Key == "sampling" {
				at = g.at
			}
		}
		return &entryError{at, fmt.Sprintf("%s: sampling is %s, must be 1 with neighbours: replace, as noise is not "+
			"gaussian", f.Key, report.Typed(a.Sampling))}
	}
	a.Scale = new(big.Rat).Quo(a.Scale, big.NewRat(2, 1))
	if fault := a.Fault(); fault != "" {
		return &entryError{f.at, fmt.Sprintf("%s: with neighbours: replace half of the noise counts: %s", f.Key, fault)}
	}
	return nil
}

// TypedScale is the scale of noise as it is typed in a problem file.
func (p *Problem) TypedScale(a *certify.Additive) *big.Rat {
	if p.Neighbours == Replace && !a.Replaced {
		return new(big.Rat).Mul(a.Scale, big.NewRat(2, 1))
	}
	return a.Scale
}

// HasRecords reports whether neighbours are known to differ by a record, or by several: where there is noise, or a
// sample.
func (p *Problem) HasRecords() bool {
	return p.HasNoise() || slices.ContainsFunc(p.Mechanisms, func(m impl.Mechanism) bool { return m.Sampled != nil })
}

// ShownNeighbours are the neighbours that an answer is for, where there is noise, a sample or a group; nothing if the
// mechanisms are for whatever neighbours the author has in mind.
func (p *Problem) ShownNeighbours() Neighbours {
	if p.HasRecords() || p.Neighbours.Group > 0 {
		return p.Neighbours
	}
	return Neighbours{}
}

// Unusual returns the neighbours as files have them, which leave out add-or-remove: it is the default.
func (n Neighbours) Unusual() Neighbours {
	if n == AddOrRemove {
		return Neighbours{}
	}
	return n
}

// Usual returns those of a file with so many events: the default if they are left out, and none without events.
func (n Neighbours) Usual(events int) Neighbours {
	if n == (Neighbours{}) && events > 0 {
		return AddOrRemove
	}
	return n
}
