package ours

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// testCase is a pipeline of which each step may depend on the outputs before, with a pair for each step, and stops.
type testCase struct {
	tree  finite.Tree
	pairs []finite.Pair
	stops finite.Pipeline // with stops only
}

func (s testCase) String() string {
	return fmt.Sprintf("%v; %s; %v", s.tree, show(s.pairs), s.stops)
}

// show writes pairs as (P, Q).
func show(pairs []finite.Pair) string {
	var text []string
	for k, p := range pairs {
		text = append(text, fmt.Sprintf("pair %d: P = (%v), Q = (%v)", k+1, p[0], p[1]))
	}
	return strings.Join(text, ", ")
}

// itself is the testCase as it is.
func itself(s testCase) testCase { return s }

// alone is the testCase in which each step has its pair as its laws.
func (s testCase) alone() testCase {
	return testCase{finite.Independent(s.pairs...), s.pairs, s.stops}
}

// back is the testCase for neighbours in the other order.
func (s testCase) back() testCase {
	tree := finite.Tree{}
	for h, laws := range s.tree {
		tree[h] = laws.Back()
	}
	return testCase{tree, eachPair(finite.Pair.Back)(s), s.stops}
}

// value returns V_k(a, b) of pairs with the stops of p.
func value(pairs []finite.Pair, p finite.Pipeline, k int, a, b *big.Rat) *big.Rat {
	var laws []spec.Laws
	for _, p := range pairs {
		laws = append(laws, spec.Laws{p[0], p[1]})
	}
	return spec.PairsValue(laws, p.Stops, k, a, b)
}

// start returns V_0(1, 1).
func start(pairs []finite.Pair, p finite.Pipeline) *big.Rat {
	return value(pairs, p, 0, rat.One, rat.One)
}

// worst returns the smallest δ for all rules, by going through them.
func (s testCase) worst(t *register.T) *big.Rat { return s.gain(t, "", rat.One, rat.One) }

// gain returns what can be gained at best after some outputs with these probabilities.
func (s testCase) gain(t *register.T, outputs string, a, b *big.Rat) *big.Rat {
	h := exhaustive.History{Steps: len(outputs), A: a, B: b, Next: s.branch(outputs)}
	worst, _, err := exhaustive.WorstRule(t.Context(), h, s.stops.Exhaustive().Stops)
	return register.Must(worst, err)
}

// branch returns the step after some outputs, for package exhaustive.
func (s testCase) branch(outputs string) *exhaustive.Branch {
	laws, goesOn := s.tree[outputs]
	if !goesOn {
		return nil
	}
	b := &exhaustive.Branch{}
	b.Laws[0], b.Laws[1] = laws.Dense()
	for _, output := range finite.Combine(rat.One, laws[0], rat.One, laws[1]).Outputs() {
		b.Then = append(b.Then, s.branch(outputs+output))
	}
	return b
}

// histories yields all sequences of outputs, with their probabilities.
func (s testCase) histories(visit func(outputs string, a, b *big.Rat)) {
	var from func(outputs string, a, b *big.Rat)
	from = func(outputs string, a, b *big.Rat) {
		visit(outputs, a, b)
		laws := s.tree[outputs]
		for _, output := range laws[0].Outputs() {
			from(outputs+output, rat.Mul(a, laws[0][output]), rat.Mul(b, laws[1].Pr(output)))
		}
	}
	from("", rat.One, rat.One)
}

// exhaustively is the pipeline of the pairs for package exhaustive, and impl that for package impl.
func (s testCase) exhaustively() exhaustive.Pipeline {
	p := s.stops.Exhaustive()
	for _, pair := range s.pairs {
		p.Mechanisms = append(p.Mechanisms, exhaustive.Mechanism{Law: byOutput(pair)})
	}
	return p
}

func (s testCase) impl() impl.Pipeline {
	p := s.stops.Impl()
	for _, pair := range s.pairs {
		p.Mechanisms = append(p.Mechanisms, impl.Mechanism{Law: byOutput(pair), Count: 1})
	}
	return p
}

// byOutput are the probabilities of each output.
func byOutput(p finite.Pair) (law [][2]*big.Rat) {
	p0, p1 := p.Dense()
	for z := range p0 {
		law = append(law, [2]*big.Rat{p0[z], p1[z]})
	}
	return law
}

// allCases goes through pipelines of two steps with the outputs a and b, the second one of which depends on the first;
// pairs are the laws of the first step, and the least that dominate the second.
func allCases(t *register.T, every int, visit func(s testCase)) {
	t.AlsoDomain("two steps with probabilities 0, 1/2 and 1 of two outputs, the second depending on the first, "+
		"and the least pairs that dominate them; stops after 2 or after 1 and 2, e^ℰ in {1, 3/2, 3}; %s",
		finite.Share(every))
	menu := slices.Collect(finite.PairsOf(finite.Laws(2, 2)))
	n := 0
	for tree := range finite.Trees(menu, "", "a", "b") {
		pairs := []finite.Pair{tree[""], join(tree["a"], tree["b"])}
		for stops := range twoStops {
			if n++; n%every == 0 {
				t.Case()
				visit(testCase{tree, pairs, stops})
			}
		}
	}
}

// twoStops are pipelines of two steps, that end after both or after each.
func twoStops(yield func(finite.Pipeline) bool) {
	for _, points := range [][]int{{2}, {1, 2}} {
		for stops := range finite.Charged(nil, points...) {
			if !yield(stops) {
				return
			}
		}
	}
}

// ofCases is a check of every n-th of these, and of some random ones.
func ofCases(every, everyDeep int, seed uint64, n int, try func(t *register.T, s testCase)) register.Check {
	return func(t *register.T) {
		allCases(t, t.Size(every, everyDeep), func(s testCase) { try(t, s) })
		someCases(t, seed, n, try)
	}
}

// someCases goes through n random pipelines of up to three steps, or ten times as many.
func someCases(t *register.T, seed uint64, n int, visit func(t *register.T, s testCase)) {
	n = t.Size(n, 10*n)
	t.AlsoDomain("%d random pipelines of up to three steps with up to three outputs, "+
		"of which each depends on all outputs before: by channels that depend on them, from a random pair, "+
		"or at random with the least pair that dominates them", n)
	t.Random(seed, n, func(t *register.T, d register.Dice) { visit(t, randomCase(d)) })
}

func randomCase(d register.Dice) testCase {
	s := testCase{tree: finite.Tree{}}
	steps, before := 1+d.Roll(3), []string{""}
	for k := range steps {
		outputs := 2 + d.Roll(2)
		if k == 2 { // for the number of rules
			outputs = 2
		}
		pair := s.step(d, before, outputs)
		s.pairs = append(s.pairs, pair)
		var longer []string
		for _, h := range before {
			for z := range outputs {
				longer = append(longer, h+finite.Name(z))
			}
		}
		before = longer
		if k < steps-1 && d.Roll(3) == 2 {
			continue
		}
		s.stops.Stops = append(s.stops.Stops, spec.Stop{After: k + 1, ExpEps: big.NewRat(int64(4+d.Roll(9)), 4)})
	}
	return s
}

// step draws the laws of a step after each of some outputs, and returns a pair that dominates them.
func (s testCase) step(d register.Dice, before []string, outputs int) finite.Pair {
	if d.Roll(2) == 0 {
		var laws []finite.Pair
		for _, h := range before {
			s.tree[h] = finite.RandomPair(d, outputs, 4)
			laws = append(laws, s.tree[h])
		}
		return join(laws...)
	}
	pair := finite.RandomPair(d, 2+d.Roll(2), 4)
	for _, h := range before {
		channel := finite.Kernel{}
		for _, z := range pair[0].Outputs() {
			channel[z] = finite.Random(d, outputs, 3)
		}
		s.tree[h] = finite.Pair{channel.Apply(pair[0]), channel.Apply(pair[1])}
	}
	return pair
}

// twoCharges are stops after the first and after the second step.
func twoCharges(first, second *big.Rat) []spec.Stop {
	return []spec.Stop{{After: 1, ExpEps: first}, {After: 2, ExpEps: second}}
}
