package odp

import (
	"fmt"
	"iter"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify"
)

// simulation checks that the laws of every (ε, δ)-DP mechanism are those of a function of
// randomized response with ε and δ times the factor.
func simulation(factor *big.Rat) verify.Check {
	return func(t *verify.T) {
		m, d := t.Size(3, 4), t.Size(4, 6)
		t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, e^ε in {1, 3/2, 3}, with the smallest δ", m, d)
		for laws := range pairs(m, d) {
			for _, expEps := range charges {
				t.Case()
				constant := func(string) *big.Rat { return expEps }
				needed := deltaBothWays(laws, constant)
				response := spec.Mechanism{ExpEps: expEps, Delta: mul(factor, needed)}
				if response.Delta.Cmp(needed) < 0 {
					t.Refute("%v is (ln %s, %s)-DP; the responses differ by %s at e^ε only, and a function of them cannot differ by more",
						laws, show(expEps), show(needed), show(response.Delta))
				}
				if err := follows(laws, response, simulate(laws, response)); err != nil {
					t.Refute("%v, e^ε = %s, δ = %s: %v", laws, show(expEps), show(needed), err)
				}
			}
		}
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
	rest := new(big.Rat).Sub(one, m.Delta)
	a := [2]law{cut(laws[0], laws[1], m.ExpEps), cut(laws[1], laws[0], m.ExpEps)}
	less := 0 // the law that lost more
	if mass(a[1]).Cmp(mass(a[0])) < 0 {
		less = 1
	}
	if scale := mass(a[less]); scale.Sign() > 0 {
		factor := new(big.Rat).Quo(rest, scale)
		a[0], a[1] = multiplied(a[0], factor), multiplied(a[1], factor)
	}
	a[1-less] = thinned(a[1-less], a[less], m.ExpEps, rest)
	var t [4]law
	t[0] = normal(combined(laws[0], one, a[0], big.NewRat(-1, 1)), m.Delta)
	t[3] = normal(combined(laws[1], one, a[1], big.NewRat(-1, 1)), m.Delta)
	if m.ExpEps.Cmp(one) == 0 {
		t[1], t[2] = normal(a[0], rest), normal(a[1], rest)
		return t
	}
	minus := big.NewRat(-1, 1)
	gap := mul(new(big.Rat).Sub(m.ExpEps, one), rest)
	t[1] = normal(combined(a[0], m.ExpEps, a[1], minus), gap)
	t[2] = normal(combined(a[1], m.ExpEps, a[0], minus), gap)
	return t
}

// cut returns min(p, e·q).
func cut(p, q law, e *big.Rat) law {
	out := law{}
	for o := range p {
		out[o] = smallest([]*big.Rat{p[o], mul(e, q[o])})
	}
	return out
}

// thinned takes mass from a, in proportion to a − b/e, until it has the given mass.
func thinned(a, b law, e, target *big.Rat) law {
	spare := combined(a, one, b, new(big.Rat).Neg(new(big.Rat).Inv(e)))
	tooMuch := new(big.Rat).Sub(mass(a), target)
	if tooMuch.Sign() <= 0 {
		return a
	}
	return combined(a, one, spare, new(big.Rat).Neg(tooMuch.Quo(tooMuch, mass(spare))))
}

// normal returns a divided by its mass; any law will do if the mass is 0.
func normal(a law, mass *big.Rat) law {
	if mass.Sign() == 0 {
		return law{sorted(a)[0]: one}
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

func multiplied(a law, x *big.Rat) law { return combined(a, x, nil, one) }

// combined returns x·a + y·b.
func combined(a law, x *big.Rat, b law, y *big.Rat) law {
	out := law{}
	for o, p := range a {
		out[o] = mul(x, p)
		if q := b[o]; q != nil {
			out[o].Add(out[o], mul(y, q))
		}
	}
	return out
}

// follows returns an error unless T is a randomized function of the responses of m that has the laws.
func follows(laws pair, m spec.Mechanism, t [4]law) error {
	for z, l := range t {
		for o, p := range l {
			if p.Sign() < 0 {
				return fmt.Errorf("T(%d) is %s with probability %s", z, o, show(p))
			}
		}
		if mass(l).Cmp(one) != 0 {
			return fmt.Errorf("the probabilities of T(%d) sum to %s", z, show(mass(l)))
		}
	}
	for b, row := range spec.RandomizedResponse(m) {
		for o, want := range laws[b] {
			got := new(big.Rat)
			for z, p := range row {
				if t[z][o] != nil {
					got.Add(got, mul(p, t[z][o]))
				}
			}
			if got.Cmp(want) != 0 {
				return fmt.Errorf("T(M̃(%d)) is %s with probability %s", b, o, show(got))
			}
		}
	}
	return nil
}

// sequel is two finite mechanisms, of which the second depends on the output of the first.
type sequel struct {
	first  pair
	second map[string]pair // by the output of the first
}

// allSequels calls visit with all chains of the given pairs of laws over two outputs.
func allSequels(all []pair, visit func(c sequel)) {
	for _, first := range all {
		for _, a := range all {
			for _, b := range all {
				visit(sequel{first, map[string]pair{"a": a, "b": b}})
			}
		}
	}
}

// telling are pairs of laws over two outputs: of pure DP, of responses that leak, and
// of ones that say nothing.
func telling() []pair {
	of := func(p0, p1 *big.Rat) pair {
		return pair{law{"a": p0, "b": new(big.Rat).Sub(one, p0)}, law{"a": p1, "b": new(big.Rat).Sub(one, p1)}}
	}
	zero, half := new(big.Rat), big.NewRat(1, 2)
	return []pair{
		of(half, half), of(one, half), of(half, zero), of(one, zero),
		of(big.NewRat(3, 4), big.NewRat(1, 4)), of(big.NewRat(2, 5), big.NewRat(3, 5)),
	}
}

// runs returns the law of M_iter over the two steps: it may end after the first output.
func (c sequel) runs(stop criterion) pair {
	var out pair
	for b := range out {
		out[b] = law{}
		for s, p := range c.first[b] {
			if stop[s] {
				out[b][s] = p
				continue
			}
			for z, q := range c.second[s][b] {
				out[b][s+z] = mul(p, q)
			}
		}
	}
	return out
}

// responsesAreWorst checks that no two steps of finite mechanisms, under any criterion, needs
// more δ than OptDel of a variant of the pipeline of its parameters.
func responsesAreWorst(variant func(pipeline) pipeline) verify.Check {
	return func(t *verify.T) {
		mechanisms := telling()
		if d := t.Size(0, 4); d > 0 {
			mechanisms = slices.Collect(pairs2(d))
		}
		t.Domain("all chains of two of %d mechanisms with 2 outputs, the second depending on the first; stops after 1 and 2, all criteria, e^ε and e^ℰ in {1, 3/2, 3}", len(mechanisms))
		known := map[string]*big.Rat{}
		allSequels(mechanisms, func(c sequel) {
			for p := range c.pipelines() {
				bound := known[p.String()]
				if bound == nil {
					bound = recursive(t, variant(p))
					known[p.String()] = bound
				}
				for h := range criteria("ab", 1) {
					t.Case()
					if got := deltaBothWays(c.runs(h), p.expE); got.Cmp(bound) > 0 {
						t.Refute("first %v; after a %v; after b %v; %v; %v: needs δ = %s, more than %s",
							c.first, c.second["a"], c.second["b"], p, h, show(got), show(bound))
					}
				}
			}
		})
	}
}

// pipelines yields the parameters of the two steps: the smallest δ for each e^ε, the same e^ε for
// both mechanisms, and all charges.
func (c sequel) pipelines() iter.Seq[pipeline] {
	return func(yield func(pipeline) bool) {
		for _, expEps := range charges {
			constant := func(string) *big.Rat { return expEps }
			second := largest([]*big.Rat{deltaBothWays(c.second["a"], constant), deltaBothWays(c.second["b"], constant)})
			mechanisms := []spec.Mechanism{{ExpEps: expEps, Delta: deltaBothWays(c.first, constant)}, {ExpEps: expEps, Delta: second}}
			for code := range pow(len(charges), 2) {
				stops := []spec.Stop{{After: 1, ExpEps: charges[code%len(charges)]}, {After: 2, ExpEps: charges[code/len(charges)]}}
				if !yield(pipeline{mechanisms, stops}) {
					return
				}
			}
		}
	}
}

// recursive returns OptDel by the recursion over losses.
func recursive(t *verify.T, p pipeline) *big.Rat {
	optDel, _, err := impl.Exact(t.Context(), p.impl())
	return must(optDel, err)
}

// postProcessing checks that M_iter with f_k ∘ M_k needs no more δ than M_iter with M_k
// and the criteria composed with f, or with the same criteria not composed.
func postProcessing(composed bool) verify.Check {
	return func(t *verify.T) {
		d := t.Size(2, 3)
		t.Domain("all two mechanisms over 2 outputs with probabilities in 1/%d, all functions f_1 and f_2 of the first and both outputs, all criteria, stops after 1 and 2, e^ℰ in {1, 3/2, 3}", d)
		functions := maps2()
		for first := range pairs2(d) {
			for second := range pairs2(d) {
				c := sequel{first, map[string]pair{"a": second, "b": second}}
				for _, f1 := range functions {
					for _, f2a := range functions {
						for _, f2b := range functions {
							f := processing{f1, map[string]map[string]string{"a": f2a, "b": f2b}}
							t.Case()
							f.check(t, c, composed)
						}
					}
				}
			}
		}
	}
}

// processing is f: f_1 on the first output, f_2 on the second, depending on f_1's.
type processing struct {
	first  map[string]string
	second map[string]map[string]string
}

func (f processing) check(t *verify.T, c sequel, composed bool) {
	for h := range criteria("ab", 1) {
		inner := h
		if composed {
			inner = criterion{"a": h[f.first["a"]], "b": h[f.first["b"]]}
		}
		before, after := c.runs(inner), f.apply(c).runs(h)
		for code := range pow(len(charges), 2) {
			p := pipeline{Stops: []spec.Stop{{After: 1, ExpEps: charges[code%len(charges)]}, {After: 2, ExpEps: charges[code/len(charges)]}}}
			if have, need := deltaBothWays(before, p.expE), deltaBothWays(after, p.expE); need.Cmp(have) > 0 {
				t.Refute("first %v, second %v; f_1 = %v, f_2 = %v; %v; e^ℰ = %s, %s: M needs δ = %s, M' needs δ = %s",
					c.first, c.second["a"], f.first, f.second, h, show(p.Stops[0].ExpEps), show(p.Stops[1].ExpEps), show(have), show(need))
			}
		}
	}
}

// apply returns the chain f_k ∘ M_k: what it says after an output of f_1 mixes the outputs
// of M_1 that lead there. It is a chain only because M_2 does not depend on M_1's output.
func (f processing) apply(c sequel) sequel {
	out := sequel{second: map[string]pair{}}
	for b := range out.first {
		out.first[b] = mapped(c.first[b], f.first)
	}
	for v := range f.second {
		out.second[v] = pair{mapped(c.second["a"][0], f.second[v]), mapped(c.second["a"][1], f.second[v])}
	}
	return out
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
