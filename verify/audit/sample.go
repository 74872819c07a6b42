package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
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
	Shape   string    // an output as JSON, with # in place of every number
	Width   int       // how many numbers an output has
	Count   int       // of outputs
	Numbers []float64 // Width of every output, one output after the other
}

// Group returns the outputs of a part and a shape, to which some can be added.
func (s *Sample) Group(part, shape string, width int) *Group {
	k := key{part, shape}
	g, ok := s.groups[k]
	if !ok {
		if s.groups == nil {
			s.groups = map[key]*Group{}
		}
		g = &Group{Part: part, Shape: shape, Width: width}
		s.groups[k] = g
	}
	return g
}

// Add adds one output with as many numbers as the group's Width.
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
	for k, g := range t.groups {
		mine := s.Group(k.part, k.shape, g.Width)
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

// How many outputs with numbers, and how many different ones among them, are not the same twice
// by chance.
const (
	comparedOutputs  = 16
	differentOutputs = 8
)

// maxBeginnings is in how many groups it is remembered how they begin.
const maxBeginnings = 1000

// begin adds the first outputs of t in groups with numbers, as long as there are too few to compare.
func (s *Sample) begin(t *Sample) {
	for _, g := range t.Groups() {
		if g.Width == 0 || s.groups[key{g.Part, g.Shape}] == nil && len(s.groups) == maxBeginnings {
			continue
		}
		mine := s.Group(g.Part, g.Shape, g.Width)
		n := min(g.Count, comparedOutputs-mine.Count)
		mine.Count, mine.Numbers = mine.Count+n, append(mine.Numbers, g.Numbers[:n*g.Width]...)
	}
}

// repeats reports whether s and t begin with the same outputs in some group with numbers: they
// were not drawn independently then.
func (s *Sample) repeats(t *Sample) bool {
	for k, g := range s.groups {
		h := t.groups[k]
		if h == nil || g.Width == 0 || min(g.Count, h.Count) < comparedOutputs {
			continue
		}
		first := g.Numbers[:comparedOutputs*g.Width]
		if !slices.EqualFunc(first, h.Numbers[:len(first)], isSame) {
			continue
		}
		different := map[string]bool{}
		for numbers := range slices.Chunk(first, g.Width) {
			different[fmt.Sprint(numbers)] = true
		}
		if len(different) >= differentOutputs {
			return true
		}
	}
	return false
}

// isSame reports whether two numbers are printed alike: 0 and −0 are not.
func isSame(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }

// AddValue adds an output of a part: a value as [json.Unmarshal] returns it, or with
// [json.Number] in place of float64.
func (s *Sample) AddValue(part string, value any) error {
	var shape strings.Builder
	var numbers []float64
	if err := flatten(value, &shape, &numbers); err != nil {
		return err
	}
	s.Group(part, shape.String(), len(numbers)).Add(numbers...)
	return nil
}

// flatten writes the shape of a value, and its numbers in the order in which they stand.
func flatten(value any, shape *strings.Builder, numbers *[]float64) error {
	switch v := value.(type) {
	case json.Number:
		x, err := v.Float64()
		if err != nil {
			return fmt.Errorf("number %s is out of range, must be at most 1.8e308", v)
		}
		if !isExact(string(v), x) {
			return fmt.Errorf("number %s is no double precision number, must be at most 2^53 or written as a text", v)
		}
		return flatten(x, shape, numbers)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("number is %g, must be finite", v)
		}
		shape.WriteByte('#')
		*numbers = append(*numbers, v)
	case []any:
		shape.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				shape.WriteByte(',')
			}
			if err := flatten(x, shape, numbers); err != nil {
				return err
			}
		}
		shape.WriteByte(']')
	case map[string]any:
		shape.WriteByte('{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				shape.WriteByte(',')
			}
			fmt.Fprintf(shape, "%s:", quoted(k))
			if err := flatten(v[k], shape, numbers); err != nil {
				return err
			}
		}
		shape.WriteByte('}')
	case string, bool, nil:
		shape.WriteString(quoted(v))
	default:
		return fmt.Errorf("a value has the type %T, must be of JSON", v)
	}
	return nil
}

// isExact reports whether a number is not a whole number that float64 takes for another: an
// output that tells the input by its last digits would look harmless.
func isExact(text string, x float64) bool {
	if len(text) < longInteger || strings.ContainsAny(text, ".eE") {
		return true
	}
	whole, ok := new(big.Int).SetString(text, 10)
	rounded, _ := big.NewFloat(x).Int(nil)
	return !ok || whole.Cmp(rounded) == 0
}

// longInteger is the length from which on a whole number may be larger than 2^53.
const longInteger = 16

// quoted returns a string, a boolean or nil as JSON, where # can only stand for a number.
func quoted(v any) string {
	if s, ok := v.(string); ok && isPlainText(s) {
		return `"` + s + `"`
	}
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // it is shown
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("internal error: %v", err))
	}
	return strings.ReplaceAll(strings.TrimSuffix(text.String(), "\n"), "#", `\u0023`)
}

// isPlainText reports whether a text is as it is between quotation marks.
func isPlainText(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '#' {
			return false
		}
	}
	return true
}
