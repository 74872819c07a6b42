package audit

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// Sampler draws outputs of a mechanism on one input.
type Sampler interface {
	// Sample adds n independent outputs to s. What is drawn depends on the seed alone,
	// and different seeds give independent outputs.
	Sample(ctx context.Context, n int, seed [32]byte, s *Sample) error
}

// Pair is a mechanism on two neighbouring inputs.
type Pair struct {
	Inputs   [2]string // as they are shown
	Samplers [2]Sampler
}

// Sample is a multiset of outputs: their order says nothing, as they are independent.
// Outputs that differ in their numbers only are kept together; see [Group].
type Sample struct{ groups map[key]*Group }

type key struct{ part, shape string }

func (k key) compare(l key) int {
	if c := strings.Compare(k.part, l.part); c != 0 {
		return c
	}
	return strings.Compare(k.shape, l.shape)
}

// Group holds the outputs of one part and one shape.
type Group struct {
	Part    string    // of the output partition; "" if there is none
	Shape   *Shape    // of every output
	Count   int       // of outputs
	Numbers []float64 // [Group.Width] of every output, one output after the other
}

// Width returns how many numbers an output has.
func (g *Group) Width() int { return g.Shape.width }

func (g *Group) key() key { return key{g.Part, g.Shape.written} }

// Group returns the outputs of a part and a shape, to which some can be added.
func (s *Sample) Group(part string, shape *Shape) *Group {
	k := key{part, shape.written}
	g, ok := s.groups[k]
	if !ok {
		if s.groups == nil {
			s.groups = map[key]*Group{}
		}
		g = &Group{Part: part, Shape: shape}
		s.groups[k] = g
	}
	return g
}

// Add adds one output with as many numbers as the group's shape.
func (g *Group) Add(numbers ...float64) {
	g.Count++
	g.Numbers = append(g.Numbers, numbers...)
}

// Groups returns the groups by part and shape.
func (s *Sample) Groups() []*Group {
	keys := slices.SortedFunc(maps.Keys(s.groups), key.compare)
	all := make([]*Group, len(keys))
	for i, k := range keys {
		all[i] = s.groups[k]
	}
	return all
}

// Count returns how many outputs there are.
func (s *Sample) Count() int {
	n := 0
	for _, g := range s.groups {
		n += g.Count
	}
	return n
}

// countOf returns how many outputs have a part and a shape.
func (s *Sample) countOf(k key) int {
	if g := s.groups[k]; g != nil {
		return g.Count
	}
	return 0
}

// merge adds all outputs of t.
func (s *Sample) merge(t *Sample) {
	for _, g := range t.groups {
		mine := s.Group(g.Part, g.Shape)
		mine.Count += g.Count
		mine.Numbers = append(mine.Numbers, g.Numbers...)
	}
}

// check returns an error if an output is in a part that the claim does not have.
func (s *Sample) check(c Claim) error {
	if c.IsDP() {
		return nil
	}
	for _, g := range s.Groups() {
		if _, err := c.Part(g.Part); err != nil {
			return err
		}
	}
	return nil
}

// AddValue adds an output of a part: a value as [json.Unmarshal] returns it, or with
// [json.Number] in place of float64.
func (s *Sample) AddValue(part string, value any) error {
	shape, numbers, err := ShapeOf(value)
	if err != nil {
		return err
	}
	s.Group(part, shape).Add(numbers...)
	return nil
}
