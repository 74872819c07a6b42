package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// matches reports whether an output of a group is among those that the clauses say.
func matches(t *testing.T, clauses []clause, g *groupModel, name string, numbers []float64) bool {
	in, except := false, false
	for _, c := range clauses {
		left, out := strings.CutPrefix(c.text, "but not ")
		text, ok := strings.CutPrefix(left, name)
		switch {
		case out:
			except = except || left == withNumbers(name, numbers)
		case !ok:
			in = in || left == withNumbers(name, numbers)
		case text == "":
			in = true
		default:
			text, ok = strings.CutPrefix(text, " with ")
			all := ok
			for _, bound := range strings.Split(text, ", ") {
				all = all && holds(t, bound, g.names(g.width, 0), g.features(nil, numbers))
			}
			in = in || all
		}
	}
	return in && !except
}

// holds says whether "name <= 1", "name > 1" or "1 < name <= 2" is true of an output.
func holds(t *testing.T, text string, names []string, features []float64) bool {
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	low, high := math.Inf(-1), math.Inf(1)
	if before, after, ok := strings.Cut(text, " < "); ok {
		low, text = number(before), after
	}
	if before, after, ok := strings.Cut(text, " <= "); ok {
		text, high = before, number(after)
	}
	if before, after, ok := strings.Cut(text, " > "); ok {
		text, low = before, number(after)
	}
	i := slices.Index(names, text)
	if i < 0 {
		t.Fatalf("%q is no feature", text)
	}
	x := features[i]
	return low < x && x <= high
}

// The words for an event fit exactly the outputs in it: numbers, with some that come again and
// again, tuples, last bits, and shapes without numbers.
func TestDescribe_Exact(t *testing.T) {
	mixed := func(at float64) Sampler {
		return Fake(func(dice *rand.Rand, s *Sample) {
			x := at + LaplaceOf(dice, 1)
			switch dice.IntN(6) {
			case 0:
				x = float64(dice.IntN(5)) / 2
			case 1:
				s.Group("", parsed(fmt.Sprintf(`"%d"`, dice.IntN(3)))).Add()
				return
			case 2:
				s.Group("", Numbers(2)).Add(x, math.Round(at+LaplaceOf(dice, 2)))
				return
			}
			s.Group("", Number).Add(x)
		})
	}
	dice := rand.New(rand.NewPCG(6, 7))
	inEvent := 0
	for _, bits := range []bool{false, true} {
		m := learned(t, nats(1), 4000, bits, mixed(0), mixed(1))
		fresh := sampleOf(mixed(0.5), 500, 5)
		for range 20 {
			in := map[int]bool{}
			limit := dice.IntN(len(m.cells())) // a beginning of an order, as when betting, or any set
			for c := range m.cells() {
				in[c] = c < limit != (dice.IntN(10) == 0)
			}
			inside := func(score float64) bool { return in[sort.SearchFloat64s(m.edges[0], score)] }
			for _, group := range fresh.Groups() {
				k := group.key()
				g := m.groups[k]
				clauses := g.describe(k, inside, 0)
				check := func(numbers []float64) {
					want := inside(g.score(numbers, nil))
					if got := matches(t, clauses, g, k.shape, numbers); got != want {
						t.Fatalf("%s %v is in %v: %v, must be %v", k.shape, numbers, clauses, got, want)
					}
					if want {
						inEvent++
					}
				}
				if group.Width() == 0 {
					check(nil)
					continue
				}
				for numbers := range slices.Chunk(group.Numbers, group.Width()) {
					check(numbers)
				}
				for node := g.tree; node.feature == 0 && group.Width() == 1; node = node.low { // edges themselves
					check([]float64{node.threshold})
				}
			}
		}
	}
	if inEvent < 1000 {
		t.Errorf("%d outputs were in an event, must be many", inEvent)
	}
}

// Outputs that hardly ever come again are in an event together, but for those that were learned from and are not.
func TestDescribe_Seldom(t *testing.T) {
	t.Parallel()
	shuffled := saying(func(dice *rand.Rand) string {
		words := []string{`"a"`, `"b"`, `"c"`, `"d"`, `"e"`, `"f"`, `"g"`}
		dice.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		return "[" + strings.Join(words, ",") + "]"
	})
	m := learned(t, nats(1), 1000, false, shuffled, shuffled)
	const seldom = "outputs of shapes that came less than 3 times while learning"
	for c := range m.cells() {
		said := slices.Contains(m.describe(event{c}, 0), seldom)
		if is := sort.SearchFloat64s(m.edges[0], m.unseen.value) == c; is != said {
			t.Errorf("cell %d: unseen shapes are in it: %v, and said to be: %v", c, is, said)
		}
	}
	everything := make(event, len(m.cells()))
	for c := range everything {
		everything[c] = c
	}
	for _, text := range m.describe(everything, 0) {
		if strings.HasPrefix(text, "but not") {
			t.Errorf("%q is said of an event with all outputs", text)
		}
	}
}

// What was seen most often comes first, parts are named, and the rest is counted.
func TestDescribe_Lines(t *testing.T) {
	few := learned(t, partsClaim(2, 2), 4000, false, parted(0, [2]float64{4, 2}), parted(1, [2]float64{4, 2}))
	var inB event
	for i, c := range few.cells() {
		if c.part == 1 {
			inB = append(inB, i)
		}
	}
	if got := few.describe(inB, 0); len(got) != 2 || !strings.HasSuffix(got[0], " in part b") {
		t.Errorf("part b: %q", got)
	}
	p := make([]float64, 40)
	for i := range p {
		p[i] = math.Ldexp(1, -min(i+1, 39))
	}
	for i := range p[6:] {
		p[6+i] = math.Ldexp(1, -6) / 34
	}
	many := learned(t, nats(1), 20_000, false, discrete(p...), discrete(p...))
	all := make(event, len(many.cells()))
	for i := range all {
		all[i] = i
	}
	got := many.describe(all, 0)
	if len(got) != 7 || got[6] != "and 34 more, rarer" || got[0] != `"0"` || got[1] != `"1"` || got[2] != `"2"` {
		t.Errorf("%q", got)
	}
	if got := many.describe(nil, 0); len(got) != 0 {
		t.Errorf("no cells: %q", got)
	}
}
