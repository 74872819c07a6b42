package odp

import (
	"context"
	"fmt"
	"iter"
	"math/big"
	"strings"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// pipeline is a sequence of (ε, δ)-DP mechanisms that may end early.
type pipeline spec.Pipeline

// parameters are the mechanisms that pipelines are made of in the checks.
var parameters = []spec.Mechanism{
	{ExpEps: big.NewRat(3, 1), Delta: new(big.Rat)},
	{ExpEps: big.NewRat(3, 2), Delta: big.NewRat(1, 10)},
	{ExpEps: rat.One, Delta: rat.Half},
}

// pipelines yields all pipelines with the given stopping points, with mechanisms from
// the parameters and e^ℰ from [charges].
func pipelines(points ...int) iter.Seq[pipeline] {
	k := points[len(points)-1]
	return func(yield func(pipeline) bool) {
		for code := range pow(len(parameters), k) * pow(len(charges), len(points)) {
			var p pipeline
			for range k {
				p.Mechanisms = append(p.Mechanisms, parameters[code%len(parameters)])
				code /= len(parameters)
			}
			for _, after := range points {
				p.Stops = append(p.Stops, spec.Stop{After: after, ExpEps: charges[code%len(charges)]})
				code /= len(charges)
			}
			if !yield(p) {
				return
			}
		}
	}
}

// some yields every n-th of a sequence.
func some[X any](xs iter.Seq[X], n int) iter.Seq[X] {
	return func(yield func(X) bool) {
		i := 0
		for x := range xs {
			if i%n == 0 && !yield(x) {
				return
			}
			i++
		}
	}
}

func (p pipeline) String() string {
	var mechanisms []string
	for _, m := range p.Mechanisms {
		mechanisms = append(mechanisms, fmt.Sprintf("(e^ε = %s, δ = %s)", rat.Show(m.ExpEps), rat.Show(m.Delta)))
	}
	return strings.Join(mechanisms, ", ") + "; " + showStops(p.Stops)
}

func showStops(stops []spec.Stop) string {
	var text []string
	for _, s := range stops {
		text = append(text, fmt.Sprintf("e^ℰ = %s at %d", rat.Show(s.ExpEps), s.After))
	}
	return strings.Join(text, ", ")
}

// last is p with only its last stop.
func (p pipeline) last() pipeline {
	return pipeline{p.Mechanisms, p.Stops[len(p.Stops)-1:]}
}

func (p pipeline) exhaustive() exhaustive.Pipeline {
	var out exhaustive.Pipeline
	for _, m := range p.Mechanisms {
		out.Mechanisms = append(out.Mechanisms, exhaustive.Mechanism{Eps: exhaustive.Epsilon{Rat: m.ExpEps, Exp: true}, Delta: m.Delta})
	}
	for _, s := range p.Stops {
		out.Stops = append(out.Stops, exhaustive.Stop{After: s.After, Eps: exhaustive.Epsilon{Rat: s.ExpEps, Exp: true}})
	}
	return out
}

func (p pipeline) impl() impl.Pipeline {
	var out impl.Pipeline
	for _, m := range p.Mechanisms {
		out.Mechanisms = append(out.Mechanisms, impl.Mechanism{Eps: loss.Exp(m.ExpEps), Delta: m.Delta, Count: 1})
	}
	for _, s := range p.Stops {
		out.Stops = append(out.Stops, impl.Stop{After: s.After, Eps: loss.Exp(s.ExpEps)})
	}
	return out
}

// enumerated returns OptDel (ODP-E3) and the single stops' δ (ODP-E4) from the tree of
// all sequences.
func (p pipeline) enumerated(ctx context.Context) exhaustive.Values[*big.Rat] {
	return register.Must(exhaustive.Exact(ctx, p.exhaustive(), nil))
}

// criterion is all h^[k_i], i < n: from a sequence of outputs to the probability that
// M_iter stops there.
type criterion map[string]*big.Rat

// The probabilities of deterministic and of randomized criteria.
var (
	deterministic = []*big.Rat{new(big.Rat), rat.One}
	randomized    = []*big.Rat{new(big.Rat), rat.One, rat.Half}
)

func (h criterion) String() string {
	var surely, maybe []string
	for _, s := range sorted(h) {
		switch {
		case h[s].Cmp(rat.One) == 0:
			surely = append(surely, s)
		case h[s].Sign() > 0:
			maybe = append(maybe, fmt.Sprintf("%s (with probability %s)", s, rat.Show(h[s])))
		}
	}
	if surely == nil && maybe == nil {
		return "never stop"
	}
	return "stop if the output is " + strings.Join(append(surely, maybe...), " or ")
}

// stops is a deterministic h for spec; it goes on at what never occurs.
func (h criterion) stops(s []int) bool { return orZero(h[digits(s)]).Cmp(rat.One) == 0 }

// criteria yields all criteria on the given sequences, with the given probabilities.
func criteria(probabilities []*big.Rat, sequences []string) iter.Seq[criterion] {
	return func(yield func(criterion) bool) {
		for code := range pow(len(probabilities), len(sequences)) {
			h := criterion{}
			for _, s := range sequences {
				h[s] = probabilities[code%len(probabilities)]
				code /= len(probabilities)
			}
			if !yield(h) {
				return
			}
		}
	}
}

// drawn yields the deterministic criteria that h can turn out to be, if it flips its coins
// beforehand, and their probabilities.
func (h criterion) drawn() iter.Seq2[criterion, *big.Rat] {
	return func(yield func(criterion, *big.Rat) bool) {
		for g := range criteria(deterministic, sorted(h)) {
			weight := rat.One
			for s, p := range h {
				if g[s].Sign() == 0 {
					p = rat.Complement(p)
				}
				weight = rat.Mul(weight, p)
			}
			if weight.Sign() > 0 && !yield(g, weight) {
				return
			}
		}
	}
}

func digits(s []int) string {
	var text strings.Builder
	for _, z := range s {
		fmt.Fprint(&text, z)
	}
	return text.String()
}

// runs returns the law of M_iter over randomized responses under a deterministic criterion.
func (p pipeline) runs(h criterion) pair {
	var hs []func([]int) bool
	for range len(p.Stops) - 1 {
		hs = append(hs, h.stops)
	}
	return pair(register.Must(spec.IterateLaw(spec.Pipeline(p), hs)))
}

// mechanismTree is a sequence of finite mechanisms: from the earlier outputs to the laws of the
// next one.
type mechanismTree map[string]pair

// responses are the randomized responses of p, without what they never answer.
func (p pipeline) responses() mechanismTree {
	c, ends := mechanismTree{}, []string{""}
	for _, m := range p.Mechanisms {
		var answers pair
		for b, row := range spec.RandomizedResponse(m) {
			answers[b] = law{}
			for z, pr := range row {
				answers[b][fmt.Sprint(z)] = pr
			}
		}
		answers = answers.positive()
		var longer []string
		for _, s := range ends {
			c[s] = answers
			for _, z := range sorted(answers[0]) {
				longer = append(longer, s+z)
			}
		}
		ends = longer
	}
	return c
}

// positive leaves out what has probability 0 under both laws.
func (p pair) positive() pair {
	out := pair{law{}, law{}}
	for output := range p[0] {
		if p[0][output].Sign() > 0 || p[1][output].Sign() > 0 {
			out[0][output], out[1][output] = p[0][output], p[1][output]
		}
	}
	return out
}

// at returns the sequences that M_iter can stop at before its end.
func (p pipeline) at(c mechanismTree) []string {
	var at []string
	for _, s := range p.Stops[:len(p.Stops)-1] {
		for _, q := range sorted(c) {
			if len(q) == s.After {
				at = append(at, q)
			}
		}
	}
	return at
}

// law returns the law of M_iter over the chain under a criterion.
func (c mechanismTree) law(h criterion) pair {
	out := pair{law{}, law{}}
	var from func(s string, reached [2]*big.Rat)
	from = func(s string, reached [2]*big.Rat) {
		next, goesOn := c[s]
		if !goesOn {
			out[0][s], out[1][s] = reached[0], reached[1]
			return
		}
		if stop := h[s]; stop != nil && stop.Sign() > 0 {
			out[0][s], out[1][s] = rat.Mul(reached[0], stop), rat.Mul(reached[1], stop)
			reached = [2]*big.Rat{rat.Sub(reached[0], out[0][s]), rat.Sub(reached[1], out[1][s])}
			if stop.Cmp(rat.One) == 0 {
				return
			}
		}
		for o := range next[0] {
			from(s+o, [2]*big.Rat{rat.Mul(reached[0], next[0][o]), rat.Mul(reached[1], next[1][o])})
		}
	}
	from("", [2]*big.Rat{rat.One, rat.One})
	return out
}

// worst returns the largest δ that M_iter over the chain needs, with the stops of p, in
// either direction and under any criterion with the given probabilities.
func (p pipeline) worst(c mechanismTree, probabilities []*big.Rat) (delta *big.Rat, at criterion) {
	delta, at = new(big.Rat), criterion{}
	for h := range criteria(probabilities, p.at(c)) {
		if got := deltaBothWays(c.law(h), p.expE); got.Cmp(delta) > 0 {
			delta, at = got, h
		}
	}
	return delta, at
}

// threeStops yields the pipelines of three mechanisms with δ_k = 0 and a stop after each:
// with e^ε in {3/2, 3} and e^ℰ from [charges].
func threeStops() iter.Seq[pipeline] {
	return func(yield func(pipeline) bool) {
		for code := range 8 * pow(len(charges), 3) {
			stops, mechanisms := code/8, code%8
			var p pipeline
			for k := range 3 {
				p.Mechanisms = append(p.Mechanisms, spec.Mechanism{ExpEps: charges[1+mechanisms>>k&1], Delta: new(big.Rat)})
				p.Stops = append(p.Stops, spec.Stop{After: k + 1, ExpEps: charges[stops%len(charges)]})
				stops /= len(charges)
			}
			if !yield(p) {
				return
			}
		}
	}
}

// expE returns e^ℰ of an output, which is given by its length.
func (p pipeline) expE(output string) *big.Rat {
	for _, s := range p.Stops {
		if s.After == len(output) {
			return s.ExpEps
		}
	}
	panic("internal error: no stop after " + output)
}
