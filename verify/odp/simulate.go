package odp

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// simulation checks that the laws of every (ε, δ)-DP mechanism are those of a function of
// randomized response with ε and δ times the factor.
func simulation(factor *big.Rat) register.Check {
	return func(t *register.T) {
		m, d := t.Size(3, 4), t.Size(4, 6)
		t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, e^ε in {1, 3/2, 3}, with the smallest δ, with 1, and halfway between", m, d)
		for laws := range pairs(m, d) {
			for _, expEps := range charges {
				needed := deltaBothWays(laws, func(string) *big.Rat { return expEps })
				for _, delta := range []*big.Rat{needed, rat.Quo(rat.Add(needed, rat.One), big.NewRat(2, 1)), rat.One} {
					t.Case()
					simulated(t, laws, spec.Mechanism{ExpEps: expEps, Delta: delta}, factor)
				}
			}
		}
	}
}

// simulated refutes that laws that are m-DP are those of a function of randomized response
// with δ times the factor. No function of the responses needs more δ than they do.
func simulated(t *register.T, laws pair, m spec.Mechanism, factor *big.Rat) {
	less := spec.Mechanism{ExpEps: m.ExpEps, Delta: rat.Mul(factor, m.Delta)}
	constant := func(string) *big.Rat { return m.ExpEps }
	answers := pipeline{Mechanisms: []spec.Mechanism{less}}.responses()[""]
	if have, need := deltaBothWays(answers, constant), deltaBothWays(laws, constant); have.Cmp(need) < 0 {
		t.Refute("%v need δ = %s at e^ε = %s; the responses, and so every function of them, need only %s", laws, rat.Show(need), rat.Show(m.ExpEps), rat.Show(have))
	}
	if err := follows(laws, less, simulate(laws, less)); err != nil {
		t.Refute("%v, e^ε = %s, δ = %s: %v", laws, rat.Show(m.ExpEps), rat.Show(less.Delta), err)
	}
}

// simulate returns a randomized function T of the responses with T(M̃(b)) ~ laws[b], for
// laws that are (ε, δ)-DP.
//
// Cut P0 down to A0 = min(P0, e^ε P1) and P1 to A1 = min(P1, e^ε P0): both lose at most δ,
// and the ratio is bounded. Scale both until one has the mass 1 − δ, and then take from the
// other where it is above e^−ε times the first, so that it has that mass too and the
// bound stays. Then A0 = (e^ε U + W)/(1 + e^ε) and A1 = (U + e^ε W)/(1 + e^ε) with
// U = (e^ε A0 − A1)/(e^ε − 1) ≥ 0 and W = (e^ε A1 − A0)/(e^ε − 1) ≥ 0: response 1 goes to U,
// 2 to W, and 0 and 3 to what was cut off.
func simulate(laws pair, m spec.Mechanism) [4]law {
	rest := rat.Complement(m.Delta)
	a := [2]law{cut(laws[0], laws[1], m.ExpEps), cut(laws[1], laws[0], m.ExpEps)}
	less := 0 // the law that lost more
	if mass(a[1]).Cmp(mass(a[0])) < 0 {
		less = 1
	}
	if scale := mass(a[less]); scale.Sign() > 0 {
		factor := rat.Quo(rest, scale)
		a[0], a[1] = multiplied(a[0], factor), multiplied(a[1], factor)
	}
	a[1-less] = thinned(a[1-less], a[less], m.ExpEps, rest)
	var t [4]law
	t[0] = normal(combined(laws[0], rat.One, a[0], big.NewRat(-1, 1)), m.Delta)
	t[3] = normal(combined(laws[1], rat.One, a[1], big.NewRat(-1, 1)), m.Delta)
	if m.ExpEps.Cmp(rat.One) == 0 {
		t[1], t[2] = normal(a[0], rest), normal(a[1], rest)
		return t
	}
	minus := big.NewRat(-1, 1)
	gap := rat.Mul(rat.Sub(m.ExpEps, rat.One), rest)
	t[1] = normal(combined(a[0], m.ExpEps, a[1], minus), gap)
	t[2] = normal(combined(a[1], m.ExpEps, a[0], minus), gap)
	return t
}

// cut returns min(p, e·q).
func cut(p, q law, e *big.Rat) law {
	out := law{}
	for o := range p {
		out[o] = rat.Min(p[o], rat.Mul(e, q[o]))
	}
	return out
}

// thinned takes mass from a, in proportion to a − b/e, until it has the given mass.
func thinned(a, b law, e, target *big.Rat) law {
	spare := combined(a, rat.One, b, new(big.Rat).Neg(new(big.Rat).Inv(e)))
	tooMuch := rat.Sub(mass(a), target)
	if tooMuch.Sign() <= 0 {
		return a
	}
	return combined(a, rat.One, spare, new(big.Rat).Neg(tooMuch.Quo(tooMuch, mass(spare))))
}

// normal returns a divided by its mass; any law will do if the mass is 0.
func normal(a law, mass *big.Rat) law {
	if mass.Sign() == 0 {
		return law{sorted(a)[0]: rat.One}
	}
	return multiplied(a, new(big.Rat).Inv(mass))
}

func mass(a law) *big.Rat {
	total := new(big.Rat)
	for _, p := range a {
		total.Add(total, p)
	}
	return total
}

func multiplied(a law, x *big.Rat) law { return combined(a, x, nil, rat.One) }

// combined returns x·a + y·b.
func combined(a law, x *big.Rat, b law, y *big.Rat) law {
	out := law{}
	for o, p := range a {
		out[o] = rat.Mul(x, p)
		if q := b[o]; q != nil {
			out[o].Add(out[o], rat.Mul(y, q))
		}
	}
	return out
}

// follows returns an error unless T is a randomized function of the responses of m that has the laws.
func follows(laws pair, m spec.Mechanism, t [4]law) error {
	for z, l := range t {
		for o, p := range l {
			if p.Sign() < 0 {
				return fmt.Errorf("T(%d) is %s with probability %s", z, o, rat.Show(p))
			}
		}
		if mass(l).Cmp(rat.One) != 0 {
			return fmt.Errorf("the probabilities of T(%d) sum to %s", z, rat.Show(mass(l)))
		}
	}
	for b, row := range spec.RandomizedResponse(m) {
		for o, want := range laws[b] {
			got := new(big.Rat)
			for z, p := range row {
				if t[z][o] != nil {
					got.Add(got, rat.Mul(p, t[z][o]))
				}
			}
			if got.Cmp(want) != 0 {
				return fmt.Errorf("T(M̃(%d)) is %s with probability %s", b, o, rat.Show(got))
			}
		}
	}
	return nil
}

// following returns the chain of two mechanisms over the outputs a and b.
func following(first, afterA, afterB pair) mechanismTree {
	return mechanismTree{"": first, "a": afterA, "b": afterB}
}

// chains2 yields all chains of two of the mechanisms.
func chains2(mechanisms []pair) iter.Seq[mechanismTree] {
	return func(yield func(mechanismTree) bool) {
		for _, first := range mechanisms {
			for _, a := range mechanisms {
				for _, b := range mechanisms {
					if !yield(following(first, a, b)) {
						return
					}
				}
			}
		}
	}
}

// chains3 yields all chains of three of the mechanisms.
func chains3(mechanisms []pair) iter.Seq[mechanismTree] {
	earlier := []string{"", "a", "b", "aa", "ab", "ba", "bb"}
	return func(yield func(mechanismTree) bool) {
		for code := range pow(len(mechanisms), len(earlier)) {
			c := mechanismTree{}
			for _, s := range earlier {
				c[s] = mechanisms[code%len(mechanisms)]
				code /= len(mechanisms)
			}
			if !yield(c) {
				return
			}
		}
	}
}

func (c mechanismTree) String() string {
	var text []string
	for _, s := range slices.SortedFunc(maps.Keys(c), shorter) {
		if s == "" {
			text = append(text, "first "+c[s].String())
		} else {
			text = append(text, "after "+s+" "+c[s].String())
		}
	}
	return strings.Join(text, "; ")
}

// shorter orders by length, and then by letters.
func shorter(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }

// telling are pairs of laws over two outputs: of pure DP, of responses that leak, and
// of ones that say nothing.
func telling() []pair {
	of := func(p0, p1 *big.Rat) pair {
		return pair{law{"a": p0, "b": rat.Complement(p0)}, law{"a": p1, "b": rat.Complement(p1)}}
	}
	zero := new(big.Rat)
	return []pair{
		of(rat.Half, rat.Half), of(rat.One, rat.Half), of(rat.Half, zero), of(rat.One, zero),
		of(big.NewRat(3, 4), big.NewRat(1, 4)), of(big.NewRat(2, 5), big.NewRat(3, 5)),
	}
}

// responsesAreWorst checks that no chain of finite mechanisms, under any criterion, needs
// more δ than a value of the pipeline of its parameters, and that randomized responses,
// as finite mechanisms, need as much.
func responsesAreWorst(probabilities []*big.Rat, value func(t *register.T, p pipeline) *big.Rat) register.Check {
	return func(t *register.T) {
		known := map[string]*big.Rat{}
		forChains(t, len(probabilities), func(c mechanismTree, p pipeline) {
			t.Case()
			bound := known[p.String()]
			if bound == nil {
				bound = value(t, p)
				known[p.String()] = bound
				if got, h := p.worst(p.responses(), probabilities); got.Cmp(bound) != 0 {
					t.Refute("%v: randomized responses need δ = %s (%v), which is not %s", p, rat.Show(got), h, rat.Show(bound))
				}
			}
			if got, h := p.worst(c, probabilities); got.Cmp(bound) > 0 {
				t.Refute("%v; %v; %v: needs δ = %s, more than %s", c, p, h, rat.Show(got), rat.Show(bound))
			}
		})
	}
}

// forChains calls visit with chains and all parameters that they have; fewer in a normal
// run, and if there are more kinds of criteria to go through.
func forChains(t *register.T, kinds int, visit func(c mechanismTree, p pipeline)) {
	two, charge := t.Size(1+6*(kinds-2), 1), t.Size(10, 2)*(1+3*(kinds-2))
	t.Domain("%s chains of two of 6 mechanisms with 2 outputs, the second depending on the first, e^ε in {1, 3/2, 3} with the smallest δ_k, stops after 1 and 2; "+
		"%s chains of three of 2 mechanisms, e^ε = 3, δ_k = 0, stops after 1, 2 and 3, %s e^ℰ; all criteria that stop with probability %s, e^ℰ in {1, 3/2, 3}",
		every(two), every(1+12*(kinds-2)), every(charge), rat.Show(randomized[:kinds]...))
	for c := range some(chains2(telling()), two) {
		for _, expEps := range charges {
			first, second := c.needs(1, expEps), c.needs(2, expEps)
			for p := range withStops([]spec.Mechanism{{ExpEps: expEps, Delta: first}, {ExpEps: expEps, Delta: second}}) {
				visit(c, p)
			}
		}
	}
	pure := spec.Mechanism{ExpEps: charges[2], Delta: new(big.Rat)}
	for c := range some(chains3(telling()[4:]), 1+12*(kinds-2)) {
		for p := range some(withStops([]spec.Mechanism{pure, pure, pure}), charge) {
			visit(c, p)
		}
	}
}

// needs returns the smallest δ_k with which the k-th mechanism of the chain is (ε, δ_k)-DP.
func (c mechanismTree) needs(k int, expEps *big.Rat) *big.Rat {
	needs := new(big.Rat)
	for s, laws := range c {
		if len(s) == k-1 {
			needs = rat.Max(needs, deltaBothWays(laws, func(string) *big.Rat { return expEps }))
		}
	}
	return needs
}

// withStops yields the pipelines with a stop after each mechanism and all charges.
func withStops(mechanisms []spec.Mechanism) iter.Seq[pipeline] {
	return func(yield func(pipeline) bool) {
		for code := range pow(len(charges), len(mechanisms)) {
			p := pipeline{Mechanisms: mechanisms}
			for k := range mechanisms {
				p.Stops = append(p.Stops, spec.Stop{After: k + 1, ExpEps: charges[code%len(charges)]})
				code /= len(charges)
			}
			if !yield(p) {
				return
			}
		}
	}
}

// supremumOfRuns returns the largest δ that M_iter over the randomized responses of a
// variant needs, run under each deterministic criterion.
func supremumOfRuns(variant func(pipeline) pipeline) func(*register.T, pipeline) *big.Rat {
	known := sync.Map{} // laws under all criteria, which do not depend on ℰ
	return func(_ *register.T, p pipeline) *big.Rat {
		p = variant(p)
		key := fmt.Sprint(pipeline{Mechanisms: p.Mechanisms}, len(p.Stops))
		if _, ok := known.Load(key); !ok {
			var laws []pair
			for h := range criteria(deterministic, p.at(p.responses())) {
				laws = append(laws, p.runs(h))
			}
			known.Store(key, laws)
		}
		laws, _ := known.Load(key)
		worst := new(big.Rat)
		for _, l := range laws.([]pair) {
			worst = rat.Max(worst, deltaBothWays(l, p.expE))
		}
		return worst
	}
}

// recursive returns OptDel by the recursion over losses.
func recursive(t *register.T, p pipeline) *big.Rat {
	optDel, _, err := impl.Exact(t.Context(), p.impl())
	return register.Must(optDel, err)
}

// postProcessing checks that M_iter with f_k ∘ M_k needs no more δ than M_iter with M_k
// and the criteria composed with f, or with the same criteria not composed; for M_2 that do
// not depend on the output before, or do.
func postProcessing(composed, dependent bool) register.Check {
	return func(t *register.T) {
		steps := []int{t.Size(23, 3), t.Size(401, 21), t.Size(20011, 1601)}
		t.Domain("two mechanisms over 2 outputs with probabilities in 1/2 (%s) and in 1/4 (%s), functions f_1, and f_2 that depends on f_1's output; three mechanisms (%s); "+
			"a stop after each, all deterministic criteria, e^ℰ in {1, 3/2, 3}", every(steps[0]), every(steps[1]), every(steps[2]))
		for i, d := range []int{2, 4} {
			cases := processed(independent2(slices.Collect(pairs2(d)), dependent), 2)
			for c, f := range some2(cases, steps[i]) {
				t.Case()
				f.check(t, c, composed)
			}
		}
		for c, f := range some2(processed(independent3(telling()[3:]), 3), steps[2]) {
			t.Case()
			f.check(t, c, composed)
		}
	}
}

// independent2 yields the chains of two of the mechanisms: only those of which the second
// does not depend on the first, unless it may.
func independent2(mechanisms []pair, dependent bool) iter.Seq[mechanismTree] {
	if dependent {
		return chains2(mechanisms)
	}
	return func(yield func(mechanismTree) bool) {
		for _, first := range mechanisms {
			for _, second := range mechanisms {
				if !yield(following(first, second, second)) {
					return
				}
			}
		}
	}
}

// independent3 yields the chains of three of the mechanisms that do not depend on each other.
func independent3(mechanisms []pair) iter.Seq[mechanismTree] {
	return func(yield func(mechanismTree) bool) {
		for code := range pow(len(mechanisms), 3) {
			at := func(k int) pair { return mechanisms[code/pow(len(mechanisms), k)%len(mechanisms)] }
			if !yield(mechanismTree{"": at(0), "a": at(1), "b": at(1), "aa": at(2), "ab": at(2), "ba": at(2), "bb": at(2)}) {
				return
			}
		}
	}
}

// processed yields the chains with all functions of their k outputs.
func processed(chains iter.Seq[mechanismTree], k int) iter.Seq2[mechanismTree, processing] {
	earlier := []string{"", "a", "b", "aa", "ab", "ba", "bb"}[:pow(2, k)-1]
	functions := maps2()
	return func(yield func(mechanismTree, processing) bool) {
		for c := range chains {
			for code := range pow(len(functions), len(earlier)) {
				f := processing{}
				for _, v := range earlier {
					f[v] = functions[code%len(functions)]
					code /= len(functions)
				}
				if !yield(c, f) {
					return
				}
			}
		}
	}
}

// some2 yields every n-th of a sequence.
func some2[X, Y any](xs iter.Seq2[X, Y], n int) iter.Seq2[X, Y] {
	return func(yield func(X, Y) bool) {
		i := 0
		for x, y := range xs {
			if i%n == 0 && !yield(x, y) {
				return
			}
			i++
		}
	}
}

// processing is f: from the earlier outputs of f to the function of the next output.
type processing map[string]map[string]string

func (f processing) String() string {
	var text []string
	for _, v := range slices.SortedFunc(maps.Keys(f), shorter) {
		name := fmt.Sprintf("f_%d", len(v)+1)
		if v != "" {
			name += " after " + v
		}
		text = append(text, fmt.Sprintf("%s: a ↦ %s, b ↦ %s", name, f[v]["a"], f[v]["b"]))
	}
	return strings.Join(text, "; ")
}

// of returns f of a sequence of outputs.
func (f processing) of(s string) string {
	var v string
	for _, o := range s {
		v += f[v][string(o)]
	}
	return v
}

// apply returns the chain f_k ∘ M_k. As in Algorithm 3, M_k gets the outputs before it,
// which are now those of f.
func (f processing) apply(c mechanismTree) mechanismTree {
	out := mechanismTree{}
	for v, laws := range c {
		out[v] = pair{mapped(laws[0], f[v]), mapped(laws[1], f[v])}
	}
	return out
}

func (f processing) check(t *register.T, c mechanismTree, composed bool) {
	mechanisms := make([]spec.Mechanism, 2)
	if len(c) > 3 {
		mechanisms = make([]spec.Mechanism, 3)
	}
	sequences := slices.DeleteFunc(sorted(c), func(s string) bool { return s == "" })
	for h := range criteria(deterministic, sequences) {
		inner := h
		if composed {
			inner = criterion{}
			for _, s := range sequences {
				inner[s] = h[f.of(s)]
			}
		}
		before, after := c.law(inner), f.apply(c).law(h)
		for p := range withStops(mechanisms) {
			if have, need := deltaBothWays(before, p.expE), deltaBothWays(after, p.expE); need.Cmp(have) > 0 {
				t.Refute("%v; %v; %v; %s: M needs δ = %s, M' needs δ = %s", c, f, h, showStops(p.Stops), rat.Show(have), rat.Show(need))
			}
		}
	}
}

// mapped returns the law of f(o).
func mapped(l law, f map[string]string) law {
	out := law{"a": new(big.Rat), "b": new(big.Rat)}
	for o, p := range l {
		out[f[o]].Add(out[f[o]], p)
	}
	return out
}

// maps2 returns all functions from {a, b} to {a, b}.
func maps2() []map[string]string {
	return []map[string]string{{"a": "a", "b": "b"}, {"a": "b", "b": "a"}, {"a": "a", "b": "a"}, {"a": "b", "b": "b"}}
}

// pairs2 yields all pairs of laws over two outputs with probabilities in 1/d.
func pairs2(d int) iter.Seq[pair] {
	return func(yield func(pair) bool) {
		for l0 := range laws(2, d) {
			for l1 := range laws(2, d) {
				if !yield(pair{l0, l1}) {
					return
				}
			}
		}
	}
}
