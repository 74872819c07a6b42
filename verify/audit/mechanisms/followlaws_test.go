package mechanisms

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"checkrr/impl/interval"
	"checkrr/verify/audit"
)

// outputs per sample, and how many standard deviations a count may be off: with all counts
// independent and some 2000 of them, a right program fails with probability 4e-6.
const (
	testedOutputs = 8000
	deviations    = 6
)

// Samples have the frequencies that the laws say.
func TestSamplers_FollowLaws(t *testing.T) {
	t.Parallel()
	for _, m := range All() {
		for _, claim := range m.Claims {
			c := made(t, m.Name, Params{Claim: claim})
			followLaws(t, m.Name, c, lawsOf(t, m.Name, c))
		}
	}
}

func followLaws(t *testing.T, name string, c *Case, laws []audit.Law) {
	t.Helper()
	for _, pair := range c.Pairs {
		for _, l := range laws {
			if l.Inputs != pair.Inputs {
				continue
			}
			for b, sampler := range pair.Samplers {
				s := new(audit.Sample)
				if err := sampler.Sample(t.Context(), testedOutputs, [32]byte{byte(b), 7}, s); err != nil {
					t.Fatal(name, err)
				}
				if s.Count() != testedOutputs {
					t.Errorf("%s: %d outputs, must be %d", name, s.Count(), testedOutputs)
				}
				groups := s.Groups()
				for _, cell := range l.Cells {
					compareCell(t, name+" "+l.Inputs[b], c.Claim, cell, groups, testedOutputs, cell.P[b])
				}
			}
		}
	}
}

func compareCell(t *testing.T, what string, claim audit.Claim, cell audit.Cell, groups []*audit.Group,
	n int, p interval.Interval) {
	t.Helper()
	low, _ := p.Lower.Float64()
	high, _ := p.Upper.Float64()
	count, in := 0, matcher(cell.Name)
	for _, g := range groups {
		part, err := claim.Part(g.Part)
		if err != nil {
			t.Fatal(what, err)
		}
		if part == cell.Part {
			count += in(g)
		}
	}
	slack := deviations*math.Sqrt(float64(n)*low*(1-min(low, 0.5))) + deviations
	if x := float64(count); x < float64(n)*low-slack || low == high && x > float64(n)*high+slack || high == 0 &&
		count > 0 {
		t.Errorf("%s: %s has %d of %d outputs, must have a share of [%g, %g]", what, cell.Name, count, n, low, high)
	}
}

var number = regexp.MustCompile(`-?[0-9.]+(e-?[0-9]+)?`)

// matcher returns how many outputs of a group are in a cell, by its name.
func matcher(name string) func(g *audit.Group) int {
	shape, printed := strings.CutSuffix(name, ", # from -1024 to 0")
	switch {
	case printed:
		return func(g *audit.Group) int {
			return boolInt(g.Shape.String() == shape) * countNumbers(g,
				func(x float64) bool { return x >= -1024 && x <= 0 })
		}
	case strings.HasPrefix(name, "⊤ to "):
		var i, j, first int
		fmt.Sscanf(name, "⊤ to %d of queries 1 to %d, to %d of the others", &i, &first, &j)
		return func(g *audit.Group) int {
			outputs := g.Shape.String()
			here := strings.Count(outputs[:1+first*len(`"⊤",`)], "⊤")
			return boolInt(here == i && strings.Count(outputs, "⊤") == i+j) * g.Count
		}
	case strings.Contains(name, "], "):
		return func(g *audit.Group) int { return listsIn(g, name) }
	case !strings.Contains(name, "#"):
		return func(g *audit.Group) int { return boolInt(name == g.Shape.String()) * g.Count }
	}
	in := numberIn(name)
	return func(g *audit.Group) int { return countNumbers(g, in) }
}

// numberIn reads a cell of numbers.
func numberIn(name string) func(x float64) bool {
	if strings.Contains(name, "multiple") {
		return func(x float64) bool { return x > 0 && x < 0.5 && x*0x1p53 != math.Trunc(x*0x1p53) }
	}
	var bounds []float64
	for _, word := range number.FindAllString(name, -1) {
		x, _ := strconv.ParseFloat(word, 64)
		bounds = append(bounds, x)
	}
	const near = 1e-7 // names are rounded
	switch {
	case name == "#":
		return func(float64) bool { return true }
	case strings.HasPrefix(name, "# ≤"):
		return func(x float64) bool { return x <= bounds[0] }
	case strings.HasPrefix(name, "# ≥"):
		return func(x float64) bool { return x >= bounds[0] }
	case strings.Contains(name, "<"):
		return func(x float64) bool { return x < bounds[0]-near/10 }
	case strings.Contains(name, ">"):
		return func(x float64) bool { return x > bounds[0]+near/10 }
	case strings.Contains(name, "="):
		return func(x float64) bool { return math.Abs(x-bounds[0]) < near }
	}
	return func(x float64) bool { return x >= bounds[0]-near && x <= bounds[1]+near }
}

// listsIn counts the lists with all numbers in the ranges that a name has for them.
func listsIn(g *audit.Group, name string) int {
	words := strings.Split(name, "], ")
	if g.Shape.String() != words[0]+"]" {
		return 0
	}
	ranges, count := strings.Split(words[1], ", "), 0
	for list := range slices.Chunk(g.Numbers, g.Width()) {
		inside := true
		for i, x := range list {
			inside = inside && numberIn(ranges[i])(x)
		}
		count += boolInt(inside)
	}
	return count
}

// countNumbers counts the outputs with such a first number.
func countNumbers(g *audit.Group, in func(x float64) bool) int {
	count := 0
	for i := 0; g.Width() > 0 && i < len(g.Numbers); i += g.Width() {
		count += boolInt(in(g.Numbers[i]))
	}
	return count
}

// A control: a sampler with other noise does not follow the law. The second pair has
// answers off the threshold; at the threshold the scale does not matter.
func TestControl_OtherNoise(t *testing.T) {
	right, wrong := made(t, "svt", Params{}), made(t, "svt", Params{Noise: big.NewRat(1, 2)})
	laws := lawsOf(t, "svt", right)
	s := new(audit.Sample)
	if err := wrong.Pairs[1].Samplers[0].Sample(t.Context(), testedOutputs, [32]byte{}, s); err != nil {
		t.Fatal(err)
	}
	off := 0
	for _, cell := range laws[1].Cells {
		p, _ := cell.P[0].Lower.Float64()
		for _, g := range s.Groups() {
			if d := float64(g.Count) - testedOutputs*p; g.Shape.String() == cell.Name &&
				math.Abs(d) > deviations*math.Sqrt(testedOutputs*p)+deviations {
				off++
			}
		}
	}
	if off == 0 {
		t.Error("no output with another frequency")
	}
}
