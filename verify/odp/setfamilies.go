package odp

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// setFamilies are all families (Q_{k_1}, …, Q_{k_n}) of sets of outputs, as in ODP-T15, but
// of outputs that occur: for δ_k = 0 the responses 0 and 3 do not, and add nothing to any
// sum. That leaves few enough families for three stops. A set is a number, with one bit
// for each output.
type setFamilies struct {
	unit   *big.Rat
	sums   [][]int64  // by stop and set: the sum of the terms of its outputs, in units
	begins [][][]uint // [i][j][Q_{k_i}]: the outputs at stop j that begin with one in Q_{k_i}
}

// terms returns, by stop, Pr_b(q) − e^ℰ Pr_(1−b)(q) of the outputs q that occur, times a share.
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

// familiesOf returns the families of sets with the terms of ODP-E3.
func familiesOf(p finite.Pipeline) setFamilies {
	return newFamilies(everyTerm(p), strings.HasPrefix)
}

// everyTerm returns the terms of ODP-E3.
func everyTerm(p finite.Pipeline) []finite.Law {
	return terms(p, 0, func(string) *big.Rat { return rat.One })
}

// newFamilies returns the families of sets with some terms; within says whether a sequence is a part of a longer one.
func newFamilies(terms []finite.Law, within func(long, short string) bool) setFamilies {
	f := setFamilies{unit: commonUnit(terms)}
	for _, at := range terms {
		sums := []int64{0}
		for _, q := range at.Outputs() {
			term := rat.Quo(at[q], f.unit).Num().Int64()
			for _, without := range sums[:len(sums):len(sums)] {
				sums = append(sums, without+term)
			}
		}
		f.sums = append(f.sums, sums)
	}
	for _, short := range terms {
		var row [][]uint
		for _, long := range terms {
			row = append(row, beginnings(short.Outputs(), long.Outputs(), within))
		}
		f.begins = append(f.begins, row)
	}
	return f
}

// commonUnit returns the largest 1/d that all terms are whole multiples of.
func commonUnit(terms []finite.Law) *big.Rat {
	d := big.NewInt(1)
	for _, at := range terms {
		for _, x := range at {
			gcd := new(big.Int).GCD(nil, nil, d, x.Denom())
			d.Mul(d, new(big.Int).Quo(x.Denom(), gcd))
		}
	}
	if d.BitLen() > 50 {
		panic("internal error: sums in units of 1/" + d.String() + " may overflow")
	}
	return new(big.Rat).SetFrac(big.NewInt(1), d)
}

// beginnings returns, for every set of short outputs, the set of long ones that one of them is within: that begin
// with it, if the formula is not a wrong one.
func beginnings(short, long []string, within func(long, short string) bool) []uint {
	sets := []uint{0}
	for _, q := range short {
		var begin uint
		for i, l := range long {
			if within(l, q) {
				begin |= 1 << i
			}
		}
		for _, without := range slices.Clone(sets) {
			sets = append(sets, without|begin)
		}
	}
	return sets
}

// maximum returns the largest sum of a family in which the sets at the stops i < j are
// prefix-disjoint if apart says so.
func (f setFamilies) maximum(apart func(i, j int) bool) *big.Rat {
	return f.maximumOf(apart, func(uint) bool { return true })
}

// maximumOf is [setFamilies.maximum] over families of admitted sets.
func (f setFamilies) maximumOf(apart func(i, j int) bool, admitted func(set uint) bool) *big.Rat {
	best := int64(math.MinInt64)
	chosen := make([]int, len(f.sums))
	var choose func(j int, sum int64)
	choose = func(j int, sum int64) {
		if j == len(f.sums) {
			best = max(best, sum)
			return
		}
		var taken uint
		for i, q := range chosen[:j] {
			if apart(i, j) {
				taken |= f.begins[i][j][q]
			}
		}
		for q, value := range f.sums[j] {
			if uint(q)&taken == 0 && admitted(uint(q)) {
				chosen[j] = q
				choose(j+1, sum+value)
			}
		}
	}
	choose(0, 0)
	return rat.Mul(f.unit, new(big.Rat).SetInt64(best))
}

// always and never are what sets at two stops have to do with each other.
func always(int, int) bool { return true }
func never(int, int) bool  { return false }

// The formulas of ODP-E3 and of both lines of ODP-E4, and wrong ones.
func prefixDisjoint(_ *register.T, p finite.Pipeline) *big.Rat { return familiesOf(p).maximum(always) }
func maximumOfSums(_ *register.T, p finite.Pipeline) *big.Rat  { return familiesOf(p).maximum(never) }

func neighboursDisjoint(_ *register.T, p finite.Pipeline) *big.Rat {
	return familiesOf(p).maximum(func(i, j int) bool { return j == i+1 })
}

// endsDisjoint asks for prefix-disjoint sets at the first and the last of three stops only.
func endsDisjoint(_ *register.T, p finite.Pipeline) *big.Rat {
	return familiesOf(p).maximum(func(i, j int) bool { return j == i+2 })
}

func suffixDisjoint(_ *register.T, p finite.Pipeline) *big.Rat {
	return newFamilies(everyTerm(p), strings.HasSuffix).maximum(always)
}

// singleSequences takes one sequence at each stop.
func singleSequences(_ *register.T, p finite.Pipeline) *big.Rat {
	return familiesOf(p).maximumOf(always, func(set uint) bool { return bits.OnesCount(set) == 1 })
}

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
		all = append(all, finite.Pipeline{Mechanisms: slices.Repeat(leaking[:1], last(points)), Stops: stopsAt(points, expE)})
	}
	return all
}

// familiesAre checks a claim on the number n of families of sets for the stops k; and that
// E3 can be computed by going through them.
func familiesAre(t *register.T, claim func(k []int, n float64) bool) {
	t.Domain("k = (1), (2) and (1, 2), (e^ε, δ) = (3/2, 1/10), e^ℰ = 1; by all families for k = (1) and (2)")
	for i, p := range leakingAt(rat.One) {
		t.Case()
		n := 1.0
		for _, s := range p.Stops {
			n *= math.Pow(2, float64(len(spec.ResponseLaw(p.Mechanisms[:s.After])[0])))
		}
		t.Require(claim(shapes[i], n), "k = %v: there are %g families of sets", shapes[i], n)
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
	t.Domain("k = (1), (2) and (1, 2), mechanisms from %s; %s with k = (1, 2, 3), δ_k = 0, e^ε in {3/2, 3}; e^ℰ in "+
		"{1, 3/2, 3}", showMenu, finite.Share(n))
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
	t.AlsoDomain("by all families of sets, k = (1), (2), (1, 2), (1, 3), (2, 3) and (1, 2, 3), a share of all with " +
		"these mechanisms or (e^ε, δ) = (2, 0), (7/2, 0), (4, 0), (1, 1), (1, 0) of which at most 2^16 families occur; and " +
		"three times (2, 0) with k = (3)")
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
	for _, s := range p.Stops {
		n += len(finite.Responses(p.Mechanisms[:s.After]...)[0])
	}
	return n
}
