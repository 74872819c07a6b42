package odp

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// optDel are the statements on the value of OptDel.
func optDel() register.Checks {
	return register.Checks{
		"ODP-T15": checked(all(with(optDelIs, prefixDisjoint),
			with(schedulesNeed, (*impl.Schedule).Charges, optimalStopping, rat.One), inNats,
			func(t *register.T) { t.Domain("pipelines of up to 3 mechanisms and 3 stops, from a small menu") }),
			singlesAsPrinted(optDelIs, singleSequences),
			alsoFails(register.ProofStep, "proof, after (11): for any sets, the largest R(h, q) over deterministic h, "+
				"of each q by itself, in the place of R(h, q) does not make its left side less", largestR),
			alsoHolds("proof, after (11), for the sets with the largest sums", largestRAtTheMost),
			near("it is the maximum with prefix-disjointness of neighbouring stops only",
				with(optDelIs, neighboursDisjoint)),
			near("charges for δ need no more than 999δ/1000",
				with(schedulesNeed, (*impl.Schedule).Charges, optimalStopping, "0.999"))),
		"ODP-E3": checked(with(optDelIs, prefixDisjoint),
			singlesAsPrinted(optDelIs, singleSequences),
			alsoFails("", "Q_{k_i} ∩ Q_{k_j} = ∅ has its usual meaning, which holds for all sets of sequences of "+
				"different lengths", with(optDelIs, maximumOfSums)),
			near("it is enough that neighbouring stops are prefix-disjoint", with(optDelIs, neighboursDisjoint)),
			near("the stop before the last can be left out", with(optDelIs, withoutLastButOne.of(prefixDisjoint)))),
		"ODP-X23": checked(
			with(familiesAre, "at most", func(k []int) float64 { return math.Pow(16, float64(last(k))) }),
			alsoHolds("it can be computed by going through the 1 + 4 + … + 4^(k_n) sequences of at most k_n responses",
				sequencesAreEnough),
			near("there are 2^(4^(k_1) + … + 4^(k_n) − 1)",
				with(familiesAre, "just", func(k []int) float64 { return math.Pow(2, sequencesAt(k)-1) })),
			corrected("there are 2^(4^(k_1) + … + 4^(k_n)) families of sets",
				with(familiesAre, "just", func(k []int) float64 { return math.Pow(2, sequencesAt(k)) }))),
		"ODP-E4": checked(all(with(lemma11Is, maximumOfSums), with(schedulesNeed, forLemma11, sumOfMaxima, rat.One)),
			singlesAsPrinted(lemma11Is, setFamilies{clash: anySets.clash, single: true}.of),
			near("it is the maximum of the sum over sets of which those at the first and the last of three stops are "+
				"prefix-disjoint", with(lemma11Is, endsDisjoint)),
			near("charges for δ need no more than 999δ/1000", with(schedulesNeed, forLemma11, sumOfMaxima, "0.999"))),
		"ODP-X24": checked(with(strictlyLarger, 1, leaking, rat.One),
			near("it is strictly larger if there are at least two stops and one δ_k is 0",
				with(strictlyLarger, 2, []spec.Mechanism{leaking[0], finite.Pure(rat.One)}, rat.One)),
			near("it is larger by at least 21/20 · δ_1 ⋯ δ_{k_n} if there are at least two stops",
				with(strictlyLarger, 2, leaking, "21/20")),
			corrected("it is larger by at least δ_1 ⋯ δ_{k_n} if all δ_k > 0 and there are at least two stops",
				with(strictlyLarger, 2, leaking, rat.One))),
	}
}

// changed is another pipeline in the place of one.
type changed func(p finite.Pipeline) finite.Pipeline

func itself(p finite.Pipeline) finite.Pipeline { return p }

// withoutLastButOne leaves out the stop before the last.
var withoutLastButOne changed = func(p finite.Pipeline) finite.Pipeline {
	if n := len(p.Stops); n > 1 {
		p.Stops = slices.Delete(slices.Clone(p.Stops), n-2, n-1)
	}
	return p
}

// of is the value of the other pipeline.
func (v changed) of(claimed value) value {
	return func(t *register.T, p finite.Pipeline) *big.Rat { return claimed(t, v(p)) }
}

// value is what is claimed of a pipeline: a δ.
type value = func(t *register.T, p finite.Pipeline) *big.Rat

// times is a part of what is claimed.
func times(part *big.Rat, of value) value {
	return func(t *register.T, p finite.Pipeline) *big.Rat { return rat.Mul(part, of(t, p)) }
}

// singlesAsPrinted is what is printed of the sets in Theorem 15 and in its proof, and in equation 4.
func singlesAsPrinted(check func(t *register.T, claimed value), singles value) register.Part {
	return alsoFails(register.Slip, "Q_{k_i} ∈ {0,1,2,3}^(k_i), as printed: each Q_{k_i} is a single sequence",
		with(check, singles))
}

// optDelIs checks that a value is OptDel, of which all programs find the same.
func optDelIs(t *register.T, claimed value) {
	eachValue(t, func(p finite.Pipeline, v exhaustive.Values[*big.Rat]) {
		agree(t, p, v.OptDel, "claimed is", claimed(t, p))
	})
}

// lemma11Is checks that a value is the sum of the single stops' δ, of which all programs find the same.
func lemma11Is(t *register.T, claimed value) {
	eachValue(t, func(p finite.Pipeline, v exhaustive.Values[*big.Rat]) {
		agree(t, p, v.Lemma11, "stop by stop", sumOfMaxima(t, p), "claimed is", claimed(t, p))
	})
	leastCharges(t)
}

// eachValue visits pipelines with their values.
func eachValue(t *register.T, visit func(p finite.Pipeline, v exhaustive.Values[*big.Rat])) {
	forPipelines(t, t.Size(19, 1), func(p finite.Pipeline) { visit(p, valuesOf(t, p)) })
	forLiteral(t, func(p finite.Pipeline) { visit(p, everywhere(t, p)) })
}

// Values are found once for all checks.
var (
	knownValues     finite.Memo[string, exhaustive.Values[*big.Rat]]
	knownEverywhere finite.Memo[string, bool]
)

// valuesOf returns OptDel and the δ of single stops by the tree of sequences, which the recursion over losses and the
// worst criterion, if there are few, must find too.
func valuesOf(t *register.T, p finite.Pipeline) exhaustive.Values[*big.Rat] {
	return knownValues.Of(p.String(), func() exhaustive.Values[*big.Rat] { return findValues(t, p) })
}

func findValues(t *register.T, p finite.Pipeline) exhaustive.Values[*big.Rat] {
	v := register.Must(exhaustive.Exact(t.Context(), p.Exhaustive(), nil))
	optDel, singles, lemma, err := impl.Exact(t.Context(), p.Impl())
	t.Must(err)
	agree(t, p, v.OptDel, "by the recursion over losses", optDel)
	for i, single := range singles {
		agree(t, p, v.Single[i], fmt.Sprintf("at stop %d alone, by the recursion over losses", i+1), single)
	}
	agree(t, p, v.Lemma11, "at single stops, by the recursion over losses", lemma)
	if early := len(p.Early(p.Responses())); early <= 6 {
		probabilities := finite.Randomized
		if early > 4 || len(p.Mechanisms) > 2 {
			probabilities = finite.Deterministic
		}
		worst, _ := p.Worst(p.Responses(), probabilities)
		agree(t, p, v.OptDel, "but the worst criterion needs", worst)
	}
	return v
}

// optimalStopping returns OptDel.
func optimalStopping(t *register.T, p finite.Pipeline) *big.Rat { return valuesOf(t, p).OptDel }

// everywhere is the same with all programs that go through few outputs only: formulas of spec, M_iter under all
// criteria, the solver, and the tree with few bits.
func everywhere(t *register.T, p finite.Pipeline) exhaustive.Values[*big.Rat] {
	v := valuesOf(t, p)
	knownEverywhere.Of(p.String(), func() bool {
		areEverywhere(t, p, v)
		return true
	})
	return v
}

// areEverywhere refutes that those programs find other values.
func areEverywhere(t *register.T, p finite.Pipeline, v exhaustive.Values[*big.Rat]) {
	onPaper, solved := spec.Pipeline(p), register.Must(impl.OptDel(t.Context(), p.Impl(), impl.Options{}))
	agree(t, p, v.OptDel, "by all families of sets", register.Must(spec.OptDel(onPaper)),
		"by the solver", solved.OptDel)
	agree(t, p, v.Lemma11, "at single stops, as printed", register.Must(spec.Lemma11(onPaper)), "by the second line",
		register.Must(spec.Lemma11Joint(onPaper)), "by the solver", solved.Lemma11, "by the solver alone",
		register.Must(impl.Lemma11(t.Context(), p.Impl(), impl.Options{})))
	if !tooManyCriteria(p) {
		agree(t, p, v.OptDel, "M_iter, run under all criteria, needs", byRuns(t, p),
			"by all criteria", byCriteria(t, p))
	}
	for _, bits := range []uint{24, 53, 100} {
		tree := register.Must(exhaustive.Enclose(t.Context(), p.Exhaustive(), bits, nil))
		for i, exactly := range append([]*big.Rat{v.OptDel}, v.Single...) {
			x := append([]exhaustive.Interval{tree.OptDel}, tree.Single...)[i]
			y := interval.New(x.Lo, x.Hi)
			t.Require(y.Contains(exactly) && (bits != 100 || y.RelWidth() <= impl.DefaultRelWidth),
				"%v: %s, and by the tree with %d bits %v", p, exactly, bits, x)
		}
	}
	for i, delta := range v.Single {
		leastCharge(t, p.Mechanisms[:p.Stops[i].After], p.Stops[i].ExpEps, delta)
	}
}

// leastCharge refutes that the δ of a stop is the one of optimal composition: ε must be the least for it, if any
// less δ would need more.
func leastCharge(t *register.T, mechanisms []spec.Mechanism, expEps, delta *big.Rat) {
	kept := rat.One
	for _, m := range mechanisms {
		kept = rat.Mul(kept, rat.Complement(m.Delta))
	}
	if delta.Cmp(rat.One) == 0 || kept.Sign() == 0 {
		return // outside the domain of the theorem
	}
	least := register.Must(spec.OptComp(mechanisms, delta))
	if least == nil || least.Cmp(expEps) > 0 || least.Cmp(expEps) < 0 && delta.Cmp(rat.Complement(kept)) > 0 {
		t.Refute("%v at e^ε = %s: δ = %s, with which optimal composition has e^ε = %v",
			finite.Pipeline{Mechanisms: mechanisms}, expEps, delta, least)
	}
}

// leastCharges is [leastCharge] for three mechanisms with a δ each.
func leastCharges(t *register.T) {
	t.AlsoDomain("optimal composition of (e^ε, δ) = (3/2, 1/10), (2, 1/20), (3, 1/8) at e^ℰ in {1, 3/2, 3}")
	mechanisms := []spec.Mechanism{{ExpEps: rat.Of("3/2"), Delta: rat.Of("1/10")},
		{ExpEps: rat.Of("2"), Delta: rat.Of("1/20")}, {ExpEps: rat.Of("3"), Delta: rat.Of("1/8")}}
	for p := range finite.Charged(mechanisms, 3) {
		t.Case()
		leastCharge(t, mechanisms, p.Stops[0].ExpEps, valuesOf(t, p).Single[0])
	}
}

// stopsAt are stops at these points, with these e^ℰ in turn.
func stopsAt(points []int, expE ...*big.Rat) (stops []spec.Stop) {
	for i, after := range points {
		stops = append(stops, spec.Stop{After: after, ExpEps: expE[i%len(expE)]})
	}
	return stops
}

func forLemma11(s *impl.Schedule) []*big.Rat { return s.Lemma11 }

// schedulesNeed checks that some charges that impl designs for δ need at most a part of it, and all of δ but for the
// slack. e^ℰ is irrational: it is rounded down for the one, and up for the other.
func schedulesNeed(t *register.T, of func(s *impl.Schedule) []*big.Rat, needed value, part *big.Rat) {
	t.AlsoDomain("charges for δ = 1/5 and k = (1, 2), (1, 3) of (2, 0), (7/2, 0), (2, 0)")
	delta, slack := rat.Of("1/5"), new(big.Rat).SetFloat64(impl.DefaultSlack)
	for _, points := range [][]int{{1, 2}, {1, 3}} {
		t.Case()
		p := unequalAt(points)
		charges := of(register.Must(impl.DesignSchedule(t.Context(), p.Impl(), delta, impl.ScheduleOptions{})))
		low, high := p, p
		low.Stops, high.Stops = slices.Clone(p.Stops), slices.Clone(p.Stops)
		for i, charge := range charges {
			low.Stops[i].ExpEps, high.Stops[i].ExpEps = interval.Precision(256).ExpRat(charge).Rats()
		}
		most, least := needed(t, low), needed(t, high)
		if most.Cmp(rat.Mul(part, delta)) > 0 || least.Cmp(rat.Mul(rat.Complement(slack), delta)) < 0 {
			t.Refute("%v: δ = %s, ℰ = %s: needed is %s", p, delta, charges, most.FloatString(12))
		}
	}
}

// inNats checks the tree with numbers that are e^ε of rational ε, by the formula for one mechanism: no cases of the
// statement.
func inNats(t *register.T) {
	for _, x := range [][]*big.Rat{rat.List("1/3", "1/5"), rat.List("1/3", "1/2"), rat.List("12", "7")} {
		p := exhaustive.Pipeline{
			Mechanisms: []exhaustive.Mechanism{{Eps: exhaustive.Epsilon{Rat: x[0]}, Delta: rat.Of("1/10")}},
			Stops:      []exhaustive.Stop{{After: 1, Eps: exhaustive.Epsilon{Rat: x[1]}}},
		}
		v := register.Must(exhaustive.Enclose(t.Context(), p, 100, nil)).OptDel
		found, e := interval.New(v.Lo, v.Hi), math.Exp(rat.Float64(x[0]))
		want := 0.1 + 0.9*max(0, e-math.Exp(rat.Float64(x[1])))/(1+e)
		t.Require(math.Abs(found.Float().Lo-want) <= 1e-14 && found.RelWidth() <= 0x1p-90,
			"one mechanism, δ = 1/10, ε = %s, ℰ = %s: δ is %.15g, by the tree %v", x[0], x[1], want, v)
	}
}

// unequalAt are mechanisms of which neighbouring ones are unequal, with stops at these points that charge nothing.
func unequalAt(points []int) finite.Pipeline {
	return finite.Pipeline{Mechanisms: slices.Concat(unequal, unequal)[:last(points)], Stops: stopsAt(points, rat.One)}
}

// leaking are the mechanisms with δ > 0.
var leaking = finite.Mechanisms[1:]

// strictlyLarger checks that Lemma 11's δ is more than OptDel, and by at least a part of Π δ_k, for all pipelines of
// the mechanisms with at least the given number of stops.
func strictlyLarger(t *register.T, stops int, mechanisms []spec.Mechanism, part *big.Rat) {
	t.Domain("k = (1), (2), (1, 2), (1, 3) and (1, 2, 3); mechanisms from %s; e^ℰ in {1, 3/2, 3}; n ≥ %d; "+
		"k = (1, 2) also with (3/2, 1/10), (1, 1), by all families of sets", showMenu, stops)
	larger := func(p finite.Pipeline, equation3, equation4 *big.Rat) {
		t.At("%v", p)
		leak := part
		for _, m := range p.Mechanisms {
			leak = rat.Mul(leak, m.Delta)
		}
		more := rat.Sub(equation4, equation3)
		t.Require(more.Sign() > 0 && (len(p.Stops) <= 1 || more.Cmp(leak) >= 0),
			"equation 3 gives %s, equation 4 gives %s", equation3, equation4)
		t.CloseTo(leak, more, "")
	}
	for _, points := range [][]int{{1}, {2}, {1, 2}, {1, 3}, {1, 2, 3}} {
		if len(points) < stops {
			continue
		}
		for p := range finite.Pipelines(mechanisms, points...) {
			v := valuesOf(t, p)
			larger(p, v.OptDel, v.Lemma11)
		}
	}
	for p := range finite.Charged([]spec.Mechanism{finite.Mechanisms[1], {ExpEps: rat.One, Delta: rat.One}}, 1, 2) {
		v := everywhere(t, p)
		larger(p, v.OptDel, v.Lemma11)
	}
}
