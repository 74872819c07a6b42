package odp

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// terms returns, by stop, Pr_b(q) − e^ℰ Pr_(1−b)(q) of the outputs q that occur, times a share: for δ_k = 0 the
// responses 0 and 3 do not, and add nothing to any sum.
func terms(p finite.Pipeline, b int, share func(q string) *big.Rat) []finite.Law {
	var terms []finite.Law
	for _, s := range p.Stops {
		pr := finite.Responses(p.Mechanisms[:s.After]...)
		at := finite.Law{}
		for q := range pr[b] {
			at[q] = rat.Mul(share(q), rat.Sub(pr[b][q], rat.Mul(s.ExpEps, pr[1-b][q])))
		}
		terms = append(terms, at)
	}
	return terms
}

// everyTerm returns the terms of ODP-E3.
func everyTerm(p finite.Pipeline) []finite.Law {
	return terms(p, 0, func(string) *big.Rat { return rat.One })
}

// setFamilies are the families (Q_{k_1}, …, Q_{k_n}) of sets of outputs, as in ODP-T15, or of single outputs.
type setFamilies struct {
	clash  func(i, j int, short, long string) bool // whether Q_{k_i} and Q_{k_j}, i < j, may not have these outputs
	single bool
}

// of is the largest sum over the families.
func (f setFamilies) of(_ *register.T, p finite.Pipeline) *big.Rat { return f.maximum(0, everyTerm(p)) }

// maximum returns the largest sum of a family from the stop i on, where these terms are left.
func (f setFamilies) maximum(i int, left []finite.Law) (best *big.Rat) {
	if i == len(left) {
		return new(big.Rat)
	}
	for _, set := range f.sets(left[i], i == len(left)-1) {
		sum, rest := new(big.Rat), slices.Clone(left)
		for _, q := range set {
			sum = rat.Add(sum, left[i][q])
			for j := i + 1; j < len(left); j++ {
				rest[j] = maps.Clone(rest[j])
				maps.DeleteFunc(rest[j], func(long string, _ *big.Rat) bool { return f.clash(i, j, q, long) })
			}
		}
		if sum = rat.Add(sum, f.maximum(i+1, rest)); best == nil || sum.Cmp(best) > 0 {
			best = sum
		}
	}
	return best
}

// sets returns what Q_{k_i} can be; at the last stop only the best, which has all positive terms.
func (f setFamilies) sets(terms finite.Law, isLast bool) [][]string {
	all := [][]string{nil}
	for _, q := range terms.Outputs() {
		switch {
		case f.single:
			all = append(all, []string{q})
		case !isLast:
			for _, set := range all {
				all = append(all, append(slices.Clip(set), q))
			}
		case terms[q].Sign() > 0:
			all[0] = append(all[0], q)
		}
	}
	if f.single {
		return all[1:]
	}
	return all
}

func isPrefix(_, _ int, short, long string) bool { return strings.HasPrefix(long, short) }

// The families of ODP-E3 and of ODP-E4, and wrong ones.
var (
	prefixDisjoint = setFamilies{clash: isPrefix}.of
	anySets        = setFamilies{clash: func(_, _ int, _, _ string) bool { return false }}

	neighboursDisjoint = setFamilies{clash: func(i, j int, short, long string) bool {
		return j == i+1 && strings.HasPrefix(long, short)
	}}.of

	// endsDisjoint asks for prefix-disjoint sets at the first and the last of three stops only.
	endsDisjoint = setFamilies{clash: func(i, j int, short, long string) bool {
		return j == i+2 && strings.HasPrefix(long, short)
	}}.of

	singleSequences = setFamilies{clash: isPrefix, single: true}.of
	maximumOfSums   = anySets.of
)

// sumOfMaxima adds the largest sums at each stop by itself.
func sumOfMaxima(t *register.T, p finite.Pipeline) *big.Rat {
	sum := new(big.Rat)
	for _, s := range p.Stops {
		sum.Add(sum, maximumOfSums(t, finite.Pipeline{Mechanisms: p.Mechanisms[:s.After], Stops: []spec.Stop{s}}))
	}
	return sum
}

// leakingAt are pipelines of (3/2, 1/10) that stop at each of the shapes, with the same charge everywhere.
func leakingAt(expE *big.Rat) (all []finite.Pipeline) {
	for _, points := range shapes {
		mechanisms := slices.Repeat(leaking[:1], last(points))
		all = append(all, finite.Pipeline{Mechanisms: mechanisms, Stops: stopsAt(points, expE)})
	}
	return all
}

// familiesAre checks a claim on the number n of families of sets for the stops k; and that
// E3 can be computed by going through them.
func familiesAre(t *register.T, words string, claimed func(k []int) float64) {
	t.Domain("k = (1), (2) and (1, 2), (e^ε, δ) = (3/2, 1/10), e^ℰ = 1; by all families for k = (1) and (2)")
	for i, p := range leakingAt(rat.One) {
		t.Case()
		n := 1.0
		for _, s := range p.Stops {
			n *= math.Pow(2, float64(len(spec.ResponseLaw(p.Mechanisms[:s.After])[0])))
		}
		bound := claimed(shapes[i])
		t.Require(n == bound || words == "at most" && n < bound, "k = %v: there are %g families of sets, claimed %s %g",
			shapes[i], n, words, bound)
		if len(p.Stops) == 1 {
			everywhere(t, p)
		}
	}
}

// sequencesAreEnough checks that E3 is found by going through every sequence of at most k_n responses once.
func sequencesAreEnough(t *register.T) {
	t.Domain("k = (1), (2) and (1, 2), (e^ε, δ) = (3/2, 1/10), e^ℰ = 6/5")
	for _, p := range leakingAt(rat.Of("6/5")) {
		t.Case()
		value, sequences := worth(p, "")
		printed := register.Must(spec.OptDel(spec.Pipeline(p)))
		t.Require(rat.Equal(printed, value), "%v: %s over all families, %s over all sequences", p, printed, value)
		most := (math.Pow(4, float64(len(p.Mechanisms)+1)) - 1) / 3
		t.Require(float64(sequences) <= most, "%v: %d sequences, more than %g", p, sequences, most)
	}
}

// worth returns what the best sets of sequences that begin with q add to E3, and how many sequences were looked at: q
// is in the set of its stop, or longer ones are in theirs.
func worth(p finite.Pipeline, q string) (value *big.Rat, sequences int) {
	value, sequences = new(big.Rat), 1
	if len(q) < len(p.Mechanisms) {
		for _, z := range "0123" {
			more, n := worth(p, q+string(z))
			value, sequences = rat.Add(value, more), sequences+n
		}
	}
	for _, s := range p.Stops {
		if s.After == len(q) {
			law := spec.ResponseLaw(p.Mechanisms[:s.After])
			value = rat.Max(value, rat.Sub(law[0][q], rat.Mul(s.ExpEps, law[1][q])))
		}
	}
	return value, sequences
}

func last(k []int) int { return k[len(k)-1] }

// sequencesAt returns 4^(k_1) + … + 4^(k_n).
func sequencesAt(k []int) (n float64) {
	for _, after := range k {
		n += math.Pow(4, float64(after))
	}
	return n
}

// shapes are the stopping points of the pipelines of up to two stops.
var shapes = [][]int{{1}, {2}, {1, 2}}

// forPipelines calls visit with all pipelines of the shapes, and with every n-th of those
// with three stops.
func forPipelines(t *register.T, n int, visit func(p finite.Pipeline)) {
	t.Domain("k = (1), (2) and (1, 2), mechanisms from %s; %s with k = (1, 2, 3), δ_k = 0, e^ε in {3/2, 3}; "+
		"e^ℰ in {1, 3/2, 3}", showMenu, finite.Share(n))
	for _, points := range shapes {
		for p := range finite.Pipelines(finite.Mechanisms, points...) {
			t.Case()
			visit(p)
		}
	}
	pure := []spec.Mechanism{finite.Pure(finite.Charges[1]), finite.Pure(finite.Charges[2])}
	for p := range finite.EveryNth(finite.Pipelines(pure, 1, 2, 3), n) {
		t.Case()
		visit(p)
	}
}

// showMenu describes [finite.Mechanisms].
const showMenu = "(e^ε, δ) = (3, 0), (3/2, 1/10), (1, 1/2)"

// literal are the pipelines for formulas of spec, which go through all families of sets of outputs: a share of those
// with these stops and mechanisms that have few enough.
var literal = []struct {
	points     []int
	mechanisms []spec.Mechanism
	every      int
}{
	{[]int{1}, finite.Mechanisms, 2},
	{[]int{2}, finite.Mechanisms, 11},
	{[]int{1, 2}, finite.Mechanisms[:2], 7},
	{[]int{1, 2}, unequal, 11},
	{[]int{1, 2}, surely, 11},
	{[]int{1, 3}, unequal, 29},
	{[]int{2, 3}, unequal, 41},
	{[]int{1, 2, 3}, unequal, 61},
	{[]int{3}, unequal[:1], 1},
}

// unequal are mechanisms with δ = 0, and surely ones without it, of which few answers occur.
var (
	unequal = []spec.Mechanism{finite.Pure(big.NewRat(2, 1)), finite.Pure(big.NewRat(7, 2))}
	surely  = []spec.Mechanism{finite.Pure(big.NewRat(4, 1)), {ExpEps: rat.One, Delta: rat.One},
		{ExpEps: rat.One, Delta: new(big.Rat)}}
)

// forLiteral calls visit with the pipelines for formulas of spec.
func forLiteral(t *register.T, visit func(p finite.Pipeline)) {
	t.AlsoDomain("by all families of sets, k = (1), (2), (1, 2), (1, 3), " +
		"(2, 3) and (1, 2, 3), a share of all with these mechanisms or (e^ε, δ) = (2, 0), (7/2, 0), (4, 0), (1, 1), " +
		"(1, 0) of which at most 2^16 families occur; and three times (2, 0) with k = (3)")
	fewer := t.Size(1, 0)
	for _, l := range literal {
		for p := range finite.EveryNth(finite.Pipelines(l.mechanisms, l.points...), 1+fewer*(l.every-1)) {
			if outputs(p) <= 16 {
				t.Case()
				visit(p)
			}
		}
	}
}

// outputs returns how many outputs of a pipeline occur, at all its stops together.
func outputs(p finite.Pipeline) (n int) {
	before := 1
	for k, m := range p.Mechanisms {
		before *= len(finite.Responses(m)[0])
		for _, s := range p.Stops {
			n += map[bool]int{true: before}[s.After == k+1]
		}
	}
	return n
}
