package finite

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strings"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
)

// Pipeline is a sequence of (ε, δ)-DP mechanisms that may end early.
type Pipeline spec.Pipeline

// Charges are values of e^ε and e^ℰ, and Mechanisms are parameters of mechanisms, that small pipelines are made of.
var (
	Charges    = rat.List("1", "3/2", "3")
	Mechanisms = []spec.Mechanism{Pure(Charges[2]), {ExpEps: Charges[1], Delta: big.NewRat(1, 10)},
		{ExpEps: Charges[0], Delta: rat.Half}}
)

// Pure returns the parameters of an ε-DP mechanism.
func Pure(expEps *big.Rat) spec.Mechanism { return spec.Mechanism{ExpEps: expEps, Delta: new(big.Rat)} }

// Pipelines yields all pipelines with stops at the given points, with some of the mechanisms and with e^ℰ from
// [Charges]. The first mechanism changes fastest.
func Pipelines(mechanisms []spec.Mechanism, points ...int) iter.Seq[Pipeline] {
	return inTurn(Charged(nil, points...), func(p Pipeline) iter.Seq[Pipeline] {
		return mapped(Tuples(mechanisms, points[len(points)-1]), func(run []spec.Mechanism) Pipeline {
			return Pipeline{run, p.Stops}
		})
	})
}

// Charged yields the pipelines of these mechanisms, in their order, with stops at the given points and with all
// e^ℰ from [Charges].
func Charged(mechanisms []spec.Mechanism, points ...int) iter.Seq[Pipeline] {
	return mapped(Tuples(Charges, len(points)), func(expE []*big.Rat) Pipeline {
		p := Pipeline{Mechanisms: mechanisms}
		for i, after := range points {
			p.Stops = append(p.Stops, spec.Stop{After: after, ExpEps: expE[i]})
		}
		return p
	})
}

func (p Pipeline) String() string {
	var mechanisms, stops []string
	for _, m := range p.Mechanisms {
		mechanisms = append(mechanisms, fmt.Sprintf("(e^ε = %s, δ = %s)", rat.Show(m.ExpEps), rat.Show(m.Delta)))
	}
	for _, s := range p.Stops {
		stops = append(stops, fmt.Sprintf("e^ℰ = %s at %d", rat.Show(s.ExpEps), s.After))
	}
	if mechanisms == nil {
		return strings.Join(stops, ", ")
	}
	return strings.Join(mechanisms, ", ") + "; " + strings.Join(stops, ", ")
}

// Last is p with only its last stop.
func (p Pipeline) Last() Pipeline { return Pipeline{p.Mechanisms, p.Stops[len(p.Stops)-1:]} }

// ExpE returns e^ℰ of an output, which is that of the stop at its length.
func (p Pipeline) ExpE(output string) *big.Rat {
	for _, s := range p.Stops {
		if s.After == len(output) {
			return s.ExpEps
		}
	}
	panic("internal error: no stop after " + output)
}

// Early returns the sequences of outputs of c that p can stop at before its end.
func (p Pipeline) Early(c Tree) []string {
	var early []string
	for _, s := range p.Stops[:len(p.Stops)-1] {
		for _, q := range shortFirst(c) {
			if len(q) == s.After {
				early = append(early, q)
			}
		}
	}
	return early
}

// Worst returns the largest δ that the mechanisms of c need with the stops of p, in either direction and under
// any criterion with the given probabilities.
func (p Pipeline) Worst(c Tree, probabilities []*big.Rat) (delta *big.Rat, at Criterion) {
	delta, at = new(big.Rat), Criterion{}
	for h := range Criteria(probabilities, p.Early(c)) {
		if got := c.Law(h).DeltaBothWays(p.ExpE); got.Cmp(delta) > 0 {
			delta, at = got, h
		}
	}
	return delta, at
}

// Run returns the law of M_iter over randomized responses, as package spec runs it, under a deterministic criterion.
// M_iter runs once on each sequence of what the responses answer, should they be asked.
func (p Pipeline) Run(h Criterion) Pair {
	stops := func(s []int) bool {
		stop := h[digits(s)]
		return stop != nil && stop.Cmp(rat.One) == 0
	}
	criteria := slices.Repeat([]func([]int) bool{stops}, len(p.Stops)-1)
	var points []int
	for _, s := range p.Stops {
		points = append(points, s.After)
	}
	law := Pair{{}, {}}
	for b, sequences := range spec.ResponseLaw(p.Mechanisms) {
		for sequence, pr := range sequences {
			law[b].Add(digits(spec.Iterate(points, replay(sequence), criteria, b)), pr)
		}
	}
	return law
}

// replay returns mechanisms that answer what the sequence says, whatever b is.
func replay(sequence string) (mechanisms []func(s []int, b int) int) {
	for _, z := range sequence {
		mechanisms = append(mechanisms, func([]int, int) int { return int(z - '0') })
	}
	return mechanisms
}

// digits writes (s_1, …, s_k) as a string.
func digits(s []int) string {
	var text strings.Builder
	for _, z := range s {
		fmt.Fprint(&text, z)
	}
	return text.String()
}

// Responses are the randomized responses with the parameters of p, without what they never answer.
func (p Pipeline) Responses() Tree {
	var all []Pair
	for _, m := range p.Mechanisms {
		all = append(all, Responses(m))
	}
	return Independent(all...)
}

// Exhaustive returns the same pipeline for package exhaustive.
func (p Pipeline) Exhaustive() exhaustive.Pipeline {
	var out exhaustive.Pipeline
	for _, m := range p.Mechanisms {
		out.Mechanisms = append(out.Mechanisms,
			exhaustive.Mechanism{Eps: exhaustive.Epsilon{Rat: m.ExpEps, Exp: true}, Delta: m.Delta})
	}
	for _, s := range p.Stops {
		out.Stops = append(out.Stops,
			exhaustive.Stop{After: s.After, Eps: exhaustive.Epsilon{Rat: s.ExpEps, Exp: true}})
	}
	return out
}

// Impl returns the same pipeline for package impl.
func (p Pipeline) Impl() impl.Pipeline {
	var out impl.Pipeline
	for _, m := range p.Mechanisms {
		out.Mechanisms = append(out.Mechanisms, impl.Mechanism{Eps: loss.Exp(m.ExpEps), Delta: m.Delta, Count: 1})
	}
	for _, s := range p.Stops {
		out.Stops = append(out.Stops, impl.Stop{After: s.After, Eps: loss.Exp(s.ExpEps)})
	}
	return out
}
