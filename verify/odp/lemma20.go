package odp

import (
	"fmt"
	"math/big"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lemma20 are Lemma 20 and the inequalities of its proof.
func lemma20() register.Checks {
	return register.Checks{
		"ODP-L20": register.Checked(twoSteps(asPrinted, func(s step) *big.Rat { return s.deltaT }),
			register.Control("the second one may have all of ε_t",
				twoSteps(func(s step, _ int) (*big.Rat, *big.Rat) { return s.expEpsT, s.rest() },
					func(s step) *big.Rat { return s.deltaT })),
			register.Control("the second one may have all of δ_t",
				twoSteps(func(s step, k int) (*big.Rat, *big.Rat) { return rat.Quo(s.expEpsT, s.first.ExpE[k]), s.deltaT },
					func(s step) *big.Rat { return s.deltaT })),
			register.Control("without the term δ_t − δ: it is (ε_t, δ)-DP",
				twoSteps(asPrinted, func(s step) *big.Rat { return s.first.Delta })),
			register.NearMiss("it is (ε_t, δ_t − (δ_t − δ)/20)-DP",
				twoSteps(asPrinted, func(s step) *big.Rat { return rat.Sub(s.deltaT, rat.Mul(big.NewRat(1, 20), s.rest())) })),
			register.NearMiss("the second one may have 21/20 of δ_t − δ", twoSteps(func(s step, k int) (*big.Rat, *big.Rat) {
				return rat.Quo(s.expEpsT, s.first.ExpE[k]), rat.Mul(big.NewRat(21, 20), s.rest())
			}, func(s step) *big.Rat { return s.deltaT })),
			register.NearMiss("the second one may have ε_t − ℰ(P_k) + ln(21/20)", twoSteps(
				func(s step, k int) (*big.Rat, *big.Rat) {
					return rat.Mul(big.NewRat(21, 20), rat.Quo(s.expEpsT, s.first.ExpE[k])), s.rest()
				},
				func(s step) *big.Rat { return s.deltaT },
			)),
			register.NearMiss("what is charged is ℰ of the first part, whatever the output",
				twoSteps(func(s step, _ int) (*big.Rat, *big.Rat) { return asPrinted(s, 0) },
					func(s step) *big.Rat { return s.deltaT })),
		),
		"ODP-E6": register.Checked(onParts(func(s step, k int) *big.Rat { return s.first.ExpE[k] }, rat.Positive),
			register.Control("without μ₊",
				onParts(func(s step, k int) *big.Rat { return s.first.ExpE[k] }, func(*big.Rat) *big.Rat { return new(big.Rat) })),
			register.NearMiss("with the smallest ℰ instead of ℰ(P_k)",
				onParts(func(s step, _ int) *big.Rat { return rat.Min(s.first.ExpE...) }, rat.Positive)),
			register.NearMiss("with 0.95·μ₊",
				onParts(func(s step, k int) *big.Rat { return s.first.ExpE[k] },
					func(mu *big.Rat) *big.Rat { return rat.Mul(rat.Of("0.95"), rat.Positive(mu)) })),
			register.NearMiss("with 0.95·e^ℰ(P_k) Pr(M_1(x¹) ∈ S) where μ is not negative",
				onParts(func(s step, k int) *big.Rat { return rat.Mul(rat.Of("0.95"), s.first.ExpE[k]) }, rat.Positive)),
		),
		"ODP-E7": register.Checked(capped(func(eq, d *big.Rat) *big.Rat { return rat.Add(atMostOne(eq), d) }),
			register.AlsoFails("", "the last ∧ binds less than +: [e·q] ∧ (1 + d)", capped(
				func(eq, d *big.Rat) *big.Rat {
					return rat.Min(eq, rat.Add(rat.One, d))
				},
			)),
			register.Control("the last bound without d", capped(func(eq, _ *big.Rat) *big.Rat { return atMostOne(eq) })),
			register.NearMiss("the last bound with 0.95·d",
				capped(func(eq, d *big.Rat) *big.Rat { return rat.Add(atMostOne(eq), rat.Mul(rat.Of("0.95"), d)) })),
			register.NearMiss("the last bound with [e·q] ∧ 0.95",
				capped(func(eq, d *big.Rat) *big.Rat { return rat.Add(rat.Min(eq, rat.Of("0.95")), d) })),
		),
		"ODP-E8": register.Checked(partByPart(rat.Add),
			register.Control("without μ₊(P_k)", partByPart(func(_, rest *big.Rat) *big.Rat { return rest })),
			register.Control("without (δ_t − δ) Pr(M_1(x⁰) ∈ P_k)", partByPart(func(mu, _ *big.Rat) *big.Rat { return mu })),
			register.NearMiss("with 0.95·(δ_t − δ) Pr(M_1(x⁰) ∈ P_k)", partByPart(func(mu, rest *big.Rat) *big.Rat {
				return rat.Add(mu, rat.Mul(rat.Of("0.95"), rest))
			})),
			register.NearMiss("with 0.95·μ₊(P_k)", partByPart(func(mu, rest *big.Rat) *big.Rat {
				return rat.Add(rat.Mul(rat.Of("0.95"), mu), rest)
			})),
		),
		"ODP-E9": register.Checked(muWithin(func(s step) *big.Rat { return s.first.Delta }),
			register.Control("μ₊(S) is at most the largest δ of one part", muWithin(func(s step) *big.Rat {
				most := new(big.Rat)
				for k := range s.first.ExpE {
					most = rat.Max(most, partDelta(&s.first, k))
				}
				return most
			})),
			register.NearMiss("μ₊(S) ≤ 0.95·δ",
				muWithin(func(s step) *big.Rat { return rat.Mul(rat.Of("0.95"), s.first.Delta) })),
		),
	}
}

// onParts checks (6), with e^ℰ(P_k) = expE and μ₊({v}) = plus(μ({v})).
func onParts(expE func(s step, k int) *big.Rat, plus func(*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("%s; all S inside a part", firstStepsDomain(t))
		for s := range firstSteps(t) {
			t.Case()
			c := s.first
			for set := 1; set < 1<<len(c.Part); set++ {
				left, right, k, inside := new(big.Rat), new(big.Rat), -1, true
				for z, part := range c.Part {
					if set>>z&1 == 1 {
						inside = inside && (k < 0 || k == part)
						k = part
						left = rat.Add(left, c.Laws[0][z])
						right = rat.Add(right, rat.Add(rat.Mul(expE(s, part), c.Laws[1][z]), plus(s.mu(z))))
					}
				}
				if inside {
					closeToStep(t, left, right, s)
				}
				if inside && left.Cmp(right) > 0 {
					t.Refute("%v: S number %b has probability %s, more than %s", s, set, rat.Show(left), rat.Show(right))
				}
			}
		}
	}
}

// muWithin checks that μ₊(S) is within the bound; the largest S is all outputs.
func muWithin(bound func(step) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("%s; S all outputs, which is the largest", firstStepsDomain(t))
		for s := range firstSteps(t) {
			t.Case()
			sum := new(big.Rat)
			for z := range s.first.Part {
				sum = rat.Add(sum, rat.Positive(s.mu(z)))
			}
			most := bound(s)
			if sum.Cmp(most) > 0 {
				t.Refute("%s: μ₊ of all outputs is %s, more than %s", finite.Describe(&s.first), rat.Show(sum), rat.Show(most))
			}
			closeToStep(t, sum, most, s)
			if own := s.pair().DeltaBothWays(s.expE); !rat.Equal(own, s.first.Delta) {
				t.Refute("%s: its smallest δ is %s by sums of positive parts, and %s by spec", finite.Describe(&s.first),
					rat.Show(own), rat.Show(s.first.Delta))
			}
		}
	}
}

// capped checks the chain (7), with the last bound as given: for numbers, and for all sets of outputs of pairs of laws
// with the smallest d, by spec, and with more.
func capped(last func(eq, d *big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		n := int64(t.Size(8, 24))
		t.Domain("p, q, d in [0, 1] in steps of 1/%d and e in [1, 4] in steps of 1/2; all pairs of laws with up to 3 "+
			"outputs and probabilities in 1/%d, e in {1, 3/2, 3}, d the smallest or 1/10 more", n, t.Size(4, 6))
		for p := range n + 1 {
			for q := range n + 1 {
				for d := range n + 1 {
					for e := int64(2); e <= 8; e++ {
						checkChain(t, big.NewRat(p, n), big.NewRat(q, n), big.NewRat(d, n), big.NewRat(e, 2), last)
					}
				}
			}
		}
		for laws := range finite.Pairs(3, t.Size(4, 6)) {
			for _, e := range rat.List("1", "3/2", "3") {
				d := register.Must(spec.SmallestDPDelta(laws[0], laws[1], e))
				if own := laws.Delta(finite.Constant(e)); !rat.Equal(own, d) {
					t.Refute("%v, e = %s: d = %s by sums of positive parts, and %s by spec", laws, rat.Show(e), rat.Show(own),
						rat.Show(d))
				}
				forEachSet(laws, func(p, q *big.Rat) {
					checkChain(t, p, q, d, e, last)
					checkChain(t, p, q, rat.Add(d, rat.Of("1/10")), e, last)
				})
			}
		}
	}
}

// forEachSet visits the probabilities of all sets of outputs.
func forEachSet(laws finite.Pair, visit func(p, q *big.Rat)) {
	outputs := laws[0].Outputs()
	for set := range 1 << len(outputs) {
		p, q := new(big.Rat), new(big.Rat)
		for i, output := range outputs {
			if set>>i&1 == 1 {
				p, q = rat.Add(p, laws[0][output]), rat.Add(q, laws[1][output])
			}
		}
		visit(p, q)
	}
}

func checkChain(t *register.T, p, q, d, e *big.Rat, last func(eq, d *big.Rat) *big.Rat) {
	eq := rat.Mul(e, q)
	if p.Cmp(rat.Add(eq, d)) > 0 {
		return
	}
	t.Case()
	chain := []*big.Rat{p, atMostOne(p), atMostOne(rat.Add(eq, d)), last(eq, d)}
	if chain[0].Cmp(chain[1]) != 0 || chain[1].Cmp(chain[2]) > 0 || chain[2].Cmp(chain[3]) > 0 {
		t.Refute("p = %s, q = %s, e = %s, d = %s: the chain is %s", rat.Show(p), rat.Show(q), rat.Show(e), rat.Show(d),
			rat.Show(chain...))
	}
	if d.Sign() > 0 && eq.Cmp(rat.One) > 0 {
		t.Close(rat.Float64(rat.Quo(chain[2], chain[3])), "p = %s, q = %s, e = %s, d = %s", rat.Show(p), rat.Show(q),
			rat.Show(e), rat.Show(d))
	}
}

// asPrinted is the budget that Lemma 20 leaves for the second step after P_k.
func asPrinted(s step, k int) (expEps, delta *big.Rat) {
	return rat.Quo(s.expEpsT, s.first.ExpE[k]), s.rest()
}

// twoSteps checks that the first step, followed by the worst second ones with the budget
// left(s, k), is (ε_t, δ)-DP with the δ in total.
func twoSteps(left func(s step, k int) (expEps, delta *big.Rat), total func(s step) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("%s; %s", firstStepsDomain(t), secondsDomain(t))
		seconds := newSeconds(t.Size(3, 4))
		for s := range firstSteps(t) {
			t.Case()
			laws, then := s.joint(seconds, left)
			delta := register.Must(spec.SmallestDPDelta(laws[0], laws[1], s.expEpsT))
			if delta.Cmp(total(s)) > 0 {
				t.Refute("%v, followed by %s: needs δ = %s, more than %s", s, then, rat.Show(delta), rat.Show(total(s)))
			}
			closeToStep(t, delta, total(s), s)
			if own := laws.Delta(finite.Constant(s.expEpsT)); !rat.Equal(own, delta) {
				t.Refute("%v, followed by %s: needs δ = %s by sums of positive parts, and %s by spec", s, then, rat.Show(own),
					rat.Show(delta))
			}
			if own := s.pair().DeltaBothWays(s.expE); !rat.Equal(own, s.first.Delta) {
				t.Refute("%v: M_1 needs δ = %s by sums of positive parts, and %s by spec", s, rat.Show(own),
					rat.Show(s.first.Delta))
			}
		}
	}
}

// partByPart checks (8), with the last two terms put together by sum.
func partByPart(sum func(mu, rest *big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("%s; %s", firstStepsDomain(t), secondsDomain(t))
		seconds := newSeconds(t.Size(3, 4))
		for s := range firstSteps(t) {
			t.Case()
			laws, then := s.joint(seconds, asPrinted)
			for k := range s.first.ExpE {
				mu, pr := new(big.Rat), new(big.Rat)
				for z, part := range s.first.Part {
					if part == k {
						mu, pr = rat.Add(mu, rat.Positive(s.mu(z))), rat.Add(pr, s.first.Laws[0][z])
					}
				}
				inPart := func(view string) bool { return s.first.Part[view[0]-'a'] == k }
				bound := sum(mu, rat.Mul(s.rest(), pr))
				excess := register.Must(spec.SmallestSubsetDelta(laws[0], laws[1], inPart, s.expEpsT))
				if excess.Cmp(bound) > 0 {
					t.Refute("%v, followed by %s: in part %d the excess is %s, more than %s", s, then, k+1, rat.Show(excess),
						rat.Show(bound))
				}
				closeToStep(t, excess, bound, s)
				if own := onlyIn(laws, inPart).Delta(finite.Constant(s.expEpsT)); !rat.Equal(own, excess) {
					t.Refute("%v, followed by %s: in part %d the excess is %s by sums of positive parts, and %s by spec", s, then,
						k+1, rat.Show(own), rat.Show(excess))
				}
			}
		}
	}
}

// joint returns the laws of the outputs of both steps, and says what the second ones are.
// The excess of a set of views is a sum over v, so the worst second step can be found for
// each v by itself.
func (s step) joint(seconds *seconds,
	left func(s step, k int) (expEps, delta *big.Rat)) (laws finite.Pair, then string) {
	laws = finite.Pair{{}, {}}
	for z, output := range s.first.Outputs {
		worst, most := finite.Pair{}, big.NewRat(-1, 1)
		a, b := s.first.Laws[0][z], rat.Mul(s.expEpsT, s.first.Laws[1][z])
		for _, second := range seconds.within(left(s, s.first.Part[z])) {
			excess := new(big.Rat)
			for w := range second[0] {
				excess = rat.Add(excess, rat.Positive(rat.Sub(rat.Mul(a, second[0][w]), rat.Mul(b, second[1][w]))))
			}
			if excess.Cmp(most) > 0 {
				worst, most = second, excess
			}
		}
		for i := range laws {
			for w, pr := range worst[i] {
				laws[i][output+w] = rat.Mul(s.first.Laws[i][z], pr)
			}
		}
		then += fmt.Sprintf("after %s (%v) ", output, worst)
	}
	return laws, then
}

func secondsDomain(t *register.T) string {
	return fmt.Sprintf("after each v all second steps with 2 outputs and probabilities in 1/%d, and the one "+
		"of which all others with that budget are functions", t.Size(3, 4))
}

// seconds are the pairs of laws of the second step, by the guarantee they are to have.
type seconds struct {
	all []finite.Pair
	by  map[string][]finite.Pair
}

func newSeconds(d int) *seconds {
	s := &seconds{by: map[string][]finite.Pair{}}
	for p := range finite.Pairs(2, d) {
		if len(p[0]) == 2 {
			s.all = append(s.all, p)
		}
	}
	return s
}

// within returns those with Pr_0(𝒱) ≤ e^ε Pr_1(𝒱) + δ for all 𝒱, and the one of
// which all pairs with that are functions.
func (s *seconds) within(expEps, delta *big.Rat) []finite.Pair {
	key := rat.Show(expEps, delta)
	if s.by[key] == nil {
		for _, p := range s.all {
			if register.Must(spec.SmallestDPDelta(p[0], p[1], expEps)).Cmp(delta) <= 0 {
				s.by[key] = append(s.by[key], p)
			}
		}
		s.by[key] = append(s.by[key], extreme(expEps, atMostOne(delta)))
	}
	return s.by[key]
}

// extreme returns the pair whose output a has probability δ and 0, and b has 1 − δ and
// (1 − δ)/e^ε; c has the rest. Other pairs with Pr_0(𝒱) ≤ e^ε Pr_1(𝒱) + δ are functions of it.
func extreme(expEps, delta *big.Rat) finite.Pair {
	b := rat.Quo(rat.Complement(delta), expEps)
	return finite.Pair{
		{"a": delta, "b": rat.Complement(delta), "c": new(big.Rat)},
		{"a": new(big.Rat), "b": b, "c": rat.Complement(b)},
	}
}
