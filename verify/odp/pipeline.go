package odp

import (
	"context"
	"fmt"
	"iter"
	"math/big"
	"strings"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/spec"
)

// pipeline is a sequence of (ε, δ)-DP mechanisms that may end early.
type pipeline spec.Pipeline

// parameters are the mechanisms that pipelines are made of in the checks.
var parameters = []spec.Mechanism{
	{ExpEps: big.NewRat(3, 1), Delta: new(big.Rat)},
	{ExpEps: big.NewRat(3, 2), Delta: big.NewRat(1, 10)},
	{ExpEps: one, Delta: big.NewRat(1, 2)},
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
	var mechanisms, stops []string
	for _, m := range p.Mechanisms {
		mechanisms = append(mechanisms, fmt.Sprintf("(e^ε = %s, δ = %s)", show(m.ExpEps), show(m.Delta)))
	}
	for _, s := range p.Stops {
		stops = append(stops, fmt.Sprintf("e^ℰ = %s at %d", show(s.ExpEps), s.After))
	}
	return strings.Join(mechanisms, ", ") + "; " + strings.Join(stops, ", ")
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
		out.Mechanisms = append(out.Mechanisms, impl.Mechanism{Eps: impl.Exp(m.ExpEps), Delta: m.Delta, Count: 1})
	}
	for _, s := range p.Stops {
		out.Stops = append(out.Stops, impl.Stop{After: s.After, Eps: impl.Exp(s.ExpEps)})
	}
	return out
}

// enumerated returns OptDel (ODP-E3) and the single stops' δ (ODP-E4) from the tree of
// all sequences.
func (p pipeline) enumerated(ctx context.Context) exhaustive.Values[*big.Rat] {
	return must(exhaustive.Exact(ctx, p.exhaustive(), nil))
}

// criterion is an h^[k_i]: the sequences at which it says stop.
type criterion map[string]bool

func (h criterion) String() string {
	var at []string
	for _, s := range sorted(h) {
		if h[s] {
			at = append(at, s)
		}
	}
	if at == nil {
		return "never stop"
	}
	return "stop after " + strings.Join(at, ", ")
}

func (h criterion) stops(s []int) bool { return h[digits(s)] }

// criteria yields all deterministic criteria on sequences over the given outcomes, of the
// given length.
func criteria(outcomes string, length int) iter.Seq[criterion] {
	sequences := []string{""}
	for range length {
		var longer []string
		for _, s := range sequences {
			for _, o := range outcomes {
				longer = append(longer, s+string(o))
			}
		}
		sequences = longer
	}
	return func(yield func(criterion) bool) {
		for mask := range pow(2, len(sequences)) {
			h := criterion{}
			for i, s := range sequences {
				h[s] = mask>>i&1 == 1
			}
			if !yield(h) {
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

// runs returns the law of M_iter over randomized responses under the criterion, for
// pipelines of at most two stops.
func (p pipeline) runs(h criterion) pair {
	var hs []func([]int) bool
	if len(p.Stops) == 2 {
		hs = append(hs, h.stops)
	}
	return pair(must(spec.IterateLaw(spec.Pipeline(p), hs)))
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
