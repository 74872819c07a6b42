package ledger

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// move is randomized response, (ln x, δ)-DP, on a partition.
type move struct {
	partition string
	x         int64
	delta     *big.Rat
}

func (m move) guarantee() Guarantee {
	return Guarantee{Parts: []Part{{"all", loss.Exp(big.NewRat(m.x, 1))}}, Delta: m.delta}
}

// TestPartitionedOf: what an earlier state says is on the parts, if they can be told apart.
func TestPartitionedOf(t *testing.T) {
	t.Parallel()
	p, err := PartitionedOf(1, map[string]int{"a": 2})
	if err != nil || p.On("") != 1 || p.On("a") != 2 || p.On("b") != 1 {
		t.Errorf("%v, %v", p, err)
	}
	many := map[string]int{}
	for i := range MaxPartitions + 1 {
		many[fmt.Sprint(i)] = i
	}
	for _, parts := range []map[string]int{many, {"": 1}, {"\xff": 1}} {
		if _, err := PartitionedOf(1, parts); err == nil {
			t.Errorf("%d parts are told apart", len(parts))
		}
	}
}

// theMoves are what an adversary may play.
var theMoves = []move{{"a", 2, big.NewRat(1, 16)}, {"b", 2, big.NewRat(1, 16)}, {"", 2, new(big.Rat)},
	{"a", 4, new(big.Rat)}, {"b", 4, new(big.Rat)}}

// partitionGame is that of an adversary who chooses moves after seeing outputs, against a pair of neighbours.
type partitionGame struct {
	reads  func(partition string) bool // whether the record in which they differ is read
	admits func(played []move) bool
	worth  func(played []move, p, q *big.Rat) *big.Rat // of stopping, with these probabilities of the outputs so far
}

// worst returns what the best adversary gets, exactly.
func (g partitionGame) worst(played []move, p, q *big.Rat, rounds int) *big.Rat {
	best := g.worth(played, p, q)
	if rounds == 0 {
		return best
	}
	for _, m := range theMoves {
		next := append(played[:len(played):len(played)], m)
		if !g.admits(next) {
			continue
		}
		sum := new(big.Rat)
		for _, o := range g.outputs(m) {
			sum.Add(sum, g.worst(next, new(big.Rat).Mul(p, o[0]), new(big.Rat).Mul(q, o[1]), rounds-1))
		}
		best = rational.Max(best, sum)
	}
	return best
}

// outputs are the probabilities of each output for the two neighbours: of a mechanism that does not read the record
// the same.
func (g partitionGame) outputs(m move) [][2]*big.Rat {
	if !g.reads(m.partition) {
		return [][2]*big.Rat{{rational.One, rational.One}}
	}
	rest := new(big.Rat).Sub(rational.One, m.delta)
	high := new(big.Rat).Mul(rest, big.NewRat(m.x, m.x+1))
	low := new(big.Rat).Mul(rest, big.NewRat(1, m.x+1))
	all := [][2]*big.Rat{{high, low}, {low, high}}
	if m.delta.Sign() > 0 {
		all = append(all, [2]*big.Rat{m.delta, new(big.Rat)}, [2]*big.Rat{new(big.Rat), m.delta})
	}
	return all
}

// pairs of neighbours, by which partitions have the record in which they differ; the last has it in two.
var partitionPairs = []struct {
	name    string
	isTwice bool
	reads   func(partition string) bool
}{
	{"in a", false, func(p string) bool { return p == "" || p == "a" }},
	{"in b", false, func(p string) bool { return p == "" || p == "b" }},
	{"in none", false, func(p string) bool { return p == "" }},
	{"in both", true, func(string) bool { return true }},
}

// once returns f, which is called once for what was played.
func once[T any](f func(played []move) T) func(played []move) T {
	known := map[string]T{}
	return func(played []move) T {
		key := fmt.Sprint(played)
		if _, ok := known[key]; !ok {
			known[key] = f(played)
		}
		return known[key]
	}
}

// TestPartitionsKeepTheBudget goes through all adversaries of few moves against a filter on two partitions: for no
// pair of neighbours is the view less than (ε, δ)-DP, but for one whose record is in both, which must not be.
func TestPartitionsKeepTheBudget(t *testing.T) {
	t.Parallel()
	four, delta := loss.Exp(big.NewRat(4, 1)), big.NewRat(1, 8)
	sum, err := NewSumFilter(four, delta)
	odp, err2 := NewODPFilter(four, big.NewRat(1, 4), delta, nil)
	variance, err3 := NewAdaptiveFilter(four, big.NewRat(3, 4), delta)
	for _, err := range []error{err, err2, err3} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, f := range map[string]BudgetFilter{"sum": sum, "odp": odp, "variance": variance} {
		admits := once(func(played []move) bool {
			r := NewFilterRun(f)
			for _, m := range played {
				if r.SpendOn(m.partition, m.guarantee(), "all") != nil {
					return false
				}
			}
			return true
		})
		most, _ := f.Budget().Delta.Rat()
		worth := func(_ []move, p, q *big.Rat) *big.Rat { // P − e^ε Q
			return rational.Max(new(big.Rat), new(big.Rat).Sub(p, new(big.Rat).Mul(big.NewRat(4, 1), q)))
		}
		for _, pair := range partitionPairs {
			got := partitionGame{pair.reads, admits, worth}.worst(nil, rational.One, rational.One, 4)
			if exceeds := got.Cmp(most) > 0; exceeds && !pair.isTwice || pair.isTwice && !exceeds && name == "sum" {
				t.Errorf("%s, the record is %s: δ is %v, of %v", name, pair.name, got, most)
			}
		}
	}
}

// TestPartitionsKeepTheReading: likewise for an odometer, whose reading must not be exceeded at any time but with
// probability δ.
func TestPartitionsKeepTheReading(t *testing.T) {
	t.Parallel()
	read := once(func(played []move) float64 {
		o, err := NewOdometer(MixtureCurve{0.1}, big.NewRat(1, 100), big.NewRat(1, 8))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range played {
			if err := o.SpendOn(m.partition, loss.Exp(big.NewRat(m.x, 1)), m.delta); err != nil {
				t.Fatal(err)
			}
		}
		return o.Read().Eps
	})
	exceeded := func(played []move, p, q *big.Rat) *big.Rat {
		reading := read(played)
		if reading > 1e9 || p.Sign() == 0 {
			return new(big.Rat)
		}
		eps := loss.OfRat(new(big.Rat).SetFloat64(reading))
		if q.Sign() > 0 && loss.Of(loss.Exp(new(big.Rat).Quo(p, q))).Cmp(eps) <= 0 {
			return new(big.Rat)
		}
		return p
	}
	for _, pair := range partitionPairs {
		got := partitionGame{pair.reads, func([]move) bool { return true }, exceeded}.worst(nil,
			rational.One, rational.One, 3)
		if exceeds := got.Cmp(big.NewRat(1, 8)) > 0; exceeds != pair.isTwice {
			t.Errorf("the record is %s: the reading is exceeded with probability %v", pair.name, got)
		}
	}
}

// TestLaw_OdometerOnPartitions: the reading is the largest of those of an odometer for each partition.
func TestLaw_OdometerOnPartitions(t *testing.T) {
	t.Parallel()
	curves := []Curve{FilterCurve{1}, MixtureCurve{0.1}, StitchedCurve{0.01}, RogersCurve{1000},
		BestCurve{FilterCurve{1}, StitchedCurve{0.1}}}
	rapid.Check(t, func(t *rapid.T) {
		curve := rapid.SampledFrom(curves).Draw(t, "curve")
		fresh := func() *Odometer {
			o, err := NewOdometer(curve, rational.MustParse("1e-3"), rational.MustParse("1e-2"))
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
		together, alone := fresh(), map[string]*Odometer{"": fresh(), "a": fresh(), "b": fresh()}
		for i := range rapid.IntRange(0, 40).Draw(t, "events") {
			partition := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "partition")
			eps, delta := testkit.DrawEpsilon(t, "eps"), big.NewRat(rapid.Int64Range(0, 2).Draw(t, "delta"), 1000)
			if err := together.SpendOn(partition, eps, delta); err != nil {
				t.Fatal(err)
			}
			want := Reading{Events: i + 1}
			for name, o := range alone {
				if partition == "" || partition == name {
					if err := o.Spend(eps, delta); err != nil {
						t.Fatal(err)
					}
				}
				r := o.Read()
				want.V.Lo, want.V.Hi, want.Eps = max(want.V.Lo, r.V.Lo), max(want.V.Hi, r.V.Hi), max(want.Eps, r.Eps)
				if v, eps := together.ReadOn(name); v != r.V || eps != r.Eps {
					t.Fatalf("on %q %v and %v, want %+v", name, v, eps, r)
				}
			}
			if got := together.Read(); got != want {
				t.Fatalf("got %+v, want %+v", got, want)
			}
		}
	})
}

// stepOn counts a mechanism on a partition with a name, where there was none.
func stepOn(name string) error {
	p := NewPartitioned(0)
	return p.Step(name, func(n int) (int, error) { return n + 1, nil })
}

// TestPartition_AlikeNames: a name that looks like another is none, and the error says in ASCII how it must be written.
func TestPartition_AlikeNames(t *testing.T) {
	t.Parallel()
	const rule = "partition %+q must be written %+q: two names that look alike are two budgets"
	for name, plain := range map[string]string{
		"2026-11 ": "2026-11", " 2026-11": "2026-11", "2026-11\u200b": "2026-11",
		"a\tb": "a b", "a\nb": "a b", "a  b": "a b",
		"\u202ea": "a", "A\ufe0f": "A", "A\u3164": "A", "A\u2800": "A", "A\U0001d159": "A", "A\ufffc": "A",
		"A\U00016fe4": "A", "A\U00013441": "A", "A\u2d7f": "A", "A\U0001107f": "A", "A\U00013442": "A",
		"A\u00a0B": "A B", "A\u17b4B\u180b": "AB",
		"cafe\u0301": "caf\u00e9", "cafe\u034f\u0301": "caf\u00e9", "\u212b": "\u00c5", "\u212a": "K", "\uff21": "A",
		"a\u0301\u0323": "\u1ea1\u0301", "\u00a0": "", "\u115f": "", "\u200b": "",
	} {
		err := stepOn(name)
		refused, isRefused := errors.AsType[*PartitionError](err)
		switch {
		case !isRefused:
			t.Errorf("%q is a partition", name)
		case refused.Error() != fmt.Sprintf(rule, name, plain) &&
			refused.Error() != fmt.Sprintf("partition %+q must have characters that can be seen", name):
			t.Errorf("%+q: %v, must be %+q", name, refused, plain)
		}
		if err := stepOn(plain); plain != "" && err != nil {
			t.Errorf("%+q: %v", plain, err)
		}
	}
}

// TestPartition_ManyMarks: behind 30 marks the normal form has a character that nobody sees, which would part one text
// in two.
func TestPartition_ManyMarks(t *testing.T) {
	t.Parallel()
	marks := strings.Repeat("\u0301", 30)
	for _, name := range []string{"x" + marks + "\u034f\u0327", "x" + marks + "\u0327", "x\u0327" + marks + "\u0301"} {
		if stepOn(name) == nil {
			t.Errorf("%+q is a partition", name)
		}
	}
}

// TestPartition_PlainName: the name that stands for another stands for itself.
func TestPartition_PlainName(t *testing.T) {
	t.Parallel()
	edges := rapid.SampledFrom([]rune(" \t\u00a0\u00a8\u0301\u0323\u034f\u115f\u1161\u200b\u2800\u3164" +
		"\ufe0f\uff21\uffa0\u212aAe가"))
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOf(rapid.OneOf(edges, rapid.Rune())).Draw(t, "name")
		if plain := plainName(name); plainName(plain) != plain {
			t.Errorf("%+q stands for %+q, which stands for %+q", name, plain, plainName(plain))
		}
	})
}

// TestPartition_ForeignMarks: a mark of another script, which is drawn nowhere, makes no other name; in its own script
// it belongs to the word.
func TestPartition_ForeignMarks(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{"\u1039", "\u17d2", "\u1a60", "\uaaf6", "\U00011133", "\U00011a47",
		"\U00013440", "\U0001da9b"} {
		if stepOn("a"+mark) == nil {
			t.Errorf("%+q is a name", "a"+mark)
		}
	}
	for _, name := range []string{"က္က", "ខ្មែរ", "नमस्ते", "עִבְרִית", "Ελλάδα", "2026-11", "naïve",
		"東京", "한국", "e\u0301x"} {
		if err := stepOn(name); err != nil && strings.Contains(err.Error(), "script") {
			t.Error(err)
		}
	}
}
